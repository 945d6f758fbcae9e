"""Servers of language models on this machine: whoever answers GET /v1/models at the ports where they usually listen.

Only loopback is asked, no proxy, no redirect. A key is shown to nobody but a server that has asked for one. Anything may
listen there, so what it says is bounded and cleaned.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import aiohttp

from moot.errors import CallError
from moot.foreign_json import read_json
from moot.models import border
from moot.models.connection import BoundedConnector
from moot.models.intake import ACCEPTED, MIB, Intake
from moot.models.secrets import Secrets

HOST = "127.0.0.1"
PATIENCE_S = 5.0
"""A port that nobody listens on says no at once; so long waits only who meets a server that does not answer."""
MOST_MODELS = 200
SMALL_BELOW = 1_000_000_000
"""Parameters: who has fewer keeps to a short form where a long one leads it astray."""

USUAL_PORTS: Mapping[int, str] = {
    11434: "Ollama",
    8080: "llama.cpp or LocalAI",
    8000: "vLLM",
    1234: "LM Studio",
    30000: "SGLang",
}
"""Who usually listens where."""

SIMULATED, TEAM = "moot simulate", "moot serve"
_BY_OWNER: Mapping[str, str] = {
    "llamacpp": "llama.cpp",
    "library": "Ollama",
    "vllm": "vLLM",
    "sglang": "SGLang",
    "organization_owner": "LM Studio",
    "simulated": SIMULATED,
    "moot": TEAM,
}
"""Servers by what they call the owner of a model, which says more than a port."""
_MANY_AT_ONCE = ("vLLM", "SGLang", SIMULATED)
_NO_WORDS = ("embed", "rerank", "whisper", "tts", "bge-", "clip", "stable-diffusion", "guard")
"""In names of models that do not answer questions."""
_SIZE = re.compile(r"(?<![0-9.])([0-9]{1,4}(?:\.[0-9]{1,3})?)([mb])(?![a-z0-9])")
_UNITS = {"m": 1e6, "b": 1e9}


@dataclass(frozen=True, slots=True)
class FoundServer:
    """A server that answers, and what it has."""

    kind: str
    base_url: str
    models: tuple[str, ...] = ()
    wants_key: bool = False
    by_key: bool = False
    """Whether it answers to a key alone."""
    small: frozenset[str] = frozenset()
    """Those of its models that have few parameters, by what it says or by their names."""

    @property
    def place(self) -> str:
        return self.base_url.removeprefix("http://").removesuffix("/v1")

    @property
    def port(self) -> int:
        return int(self.place.rpartition(":")[2])

    @property
    def simulated(self) -> bool:
        return self.kind == SIMULATED

    @property
    def serves_teams(self) -> bool:
        return self.kind == TEAM

    @property
    def concurrent(self) -> int:
        """How many calls at once suit it; more would wait in its queue until they time out."""
        return 64 if self.kind in _MANY_AT_ONCE else 4


def answers_questions(model: str) -> bool:
    """Whether a model of this name is likely to: others, such as those for embeddings, stand in the same lists."""
    return not any(word in model.casefold() for word in _NO_WORDS)


def small_by_name(model: str) -> bool:
    """Whether a name says so few parameters, such as SmolLM2-135M or qwen2.5:0.5b; the largest number in it counts."""
    sizes = [float(number) * _UNITS[unit] for number, unit in _SIZE.findall(model.rpartition("/")[2].casefold())]
    return bool(sizes) and max(sizes) < SMALL_BELOW


async def find_servers(ports: Iterable[int] = (), key: str | None = None) -> list[FoundServer]:
    """All ports at once, in the order in which they are given; the usual ones if none is. `key`: for who wants one."""
    async with aiohttp.ClientSession(
        connector=BoundedConnector(limit=0),
        auto_decompress=False,
        timeout=aiohttp.ClientTimeout(total=PATIENCE_S),
        headers={"Accept-Encoding": ACCEPTED},
    ) as session:
        found = await asyncio.gather(*(_look(session, port, key) for port in dict.fromkeys(ports) or USUAL_PORTS))
    return [server for server in found if server is not None]


async def _look(session: aiohttp.ClientSession, port: int, key: str | None) -> FoundServer | None:
    """None: nobody is there, or somebody who lists no models."""
    found = await _ask(session, port, {})
    if found is None or not found.wants_key or key is None:
        return found
    admitted = await _ask(session, port, {"Authorization": f"Bearer {key}"})
    if admitted is None:
        return found
    shown = Secrets((key,))  # what is listed is shown, and written into files
    named = tuple(name for name in admitted.models if shown.hidden_in(name) == name)
    return replace(admitted, models=named, by_key=True)


async def _ask(session: aiohttp.ClientSession, port: int, headers: Mapping[str, str]) -> FoundServer | None:
    base_url = f"http://{HOST}:{port}/v1"
    usual = USUAL_PORTS.get(port, "a server")
    try:
        async with session.get(f"{base_url}/models", allow_redirects=False, headers=headers) as response:
            if response.status in (401, 403):
                return FoundServer(usual, base_url, wants_key=True)
            if response.status != 200:
                return None
            raw = await Intake(4 * MIB).whole(response)
    except (TimeoutError, aiohttp.ClientError, OSError, CallError, ValueError):
        return None
    entries = _listed(bytes(raw))
    if entries is None:
        return None
    owner = next((str(entry["owned_by"]).casefold() for entry in entries if "owned_by" in entry), "")
    by_name = {name: entry for entry in entries if (name := _name(entry["id"]))}
    small = frozenset(name for name, entry in by_name.items() if _is_small(name, entry))
    return FoundServer(_BY_OWNER.get(owner, usual), base_url, tuple(by_name), small=small)


def _is_small(name: str, entry: Mapping[str, Any]) -> bool:
    meta = entry.get("meta")
    parameters = meta.get("n_params") if isinstance(meta, dict) else None
    if isinstance(parameters, int) and not isinstance(parameters, bool) and parameters > 0:
        return parameters < SMALL_BELOW
    return small_by_name(name)


def _listed(raw: bytes) -> list[Mapping[str, Any]] | None:
    try:
        body = read_json(raw)
    except (ValueError, RecursionError):
        return None
    listed = body.get("data") if isinstance(body, dict) else None
    if not isinstance(listed, list):
        return None
    entries: list[Mapping[str, Any]] = [
        entry for entry in listed if isinstance(entry, dict) and isinstance(entry.get("id"), str)
    ]
    return entries[:MOST_MODELS] if len(entries) == len(listed) else None


def _name(ident: str) -> str:
    """As it goes into a file, in one line; empty where it is nothing that a person could have called a model."""
    return ident if ident.isprintable() and ident == ident.strip() and len(ident) <= border.LONGEST_NAME else ""
