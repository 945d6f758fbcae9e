"""Which Ray cluster a run goes to, how it is joined or started, and whether there is room on it."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from typing import Any

from moot.errors import UsageError

OBJECT_STORE_BYTES = 100_000_000
"""What passes through Ray is questions and counts: the least that it takes is plenty."""


@dataclass(frozen=True, slots=True)
class RayCluster:
    """Which cluster, and how many workers: none given is one here, and a worker for each node."""

    address: str | None = None
    workers: int | None = None


def load_ray() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        import ray
    except ImportError:
        raise UsageError("--engine ray needs the package ray: pip install 'moot[ray]'") from None
    return ray


def join(ray: Any, cluster: RayCluster) -> bool:
    """True if it is ours to leave."""
    if ray.is_initialized():
        return False
    # "local": else it would join whatever cluster was last started on this machine.
    address = cluster.address or "local"
    options: dict[str, Any] = {"address": address, "logging_level": "ERROR", "log_to_driver": False}
    if address == "local":
        options |= {"include_dashboard": False, "object_store_memory": OBJECT_STORE_BYTES}
        options["num_cpus"] = max(cluster.workers or 1, os.cpu_count() or 1)
    handler = signal.getsignal(signal.SIGTERM)
    try:
        ray.init(**options)
    except (ConnectionError, ValueError, RuntimeError, TimeoutError) as error:
        first = str(error).strip().partition("\n")[0]
        raise UsageError(f"--engine ray: no cluster at {address}: {first}") from None
    signal.signal(signal.SIGTERM, handler)  # Ray puts its own there, and ours is what ends a run
    return True


def seats(ray: Any, cluster: RayCluster) -> int:
    """As many as were asked for, if there is room for them."""
    nodes = [node for node in ray.nodes() if node["Alive"]]
    room = int(sum(node["Resources"].get("CPU", 0) for node in nodes))
    wanted = cluster.workers or len(nodes)
    if wanted > room:
        raise UsageError(f"--workers: the cluster has room for {room} (a CPU each), not for {wanted}")
    return wanted
