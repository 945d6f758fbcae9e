"""From the command line to a listening server: keys, addresses, and the word about who can reach it."""

from __future__ import annotations

import asyncio
import ipaddress
import os
import secrets
import socket
import sys
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from moot.errors import UsageError
from moot.experiment.spec import ExperimentFile
from moot.live.team import LiveTeam
from moot.serve.app import ServeSettings, create_app, page_token_of
from moot.serve.connections import Connections, raise_file_limit
from moot.serve.log_words import log_libraries_without_words
from moot.serve.names import given_name, is_loopback_address, origin_of
from moot.serve.paid_off import offer_line, offer_of
from moot.serve.team_server import TeamServer
from moot.serve.tracing import traced
from moot.serve.worker import WorkerOrders
from moot.serve.workers import serve_with_workers


def serve(
    file: ExperimentFile,
    *,
    host: str,
    port: int,
    key_env: Sequence[str],
    admin_key_env: Sequence[str] = (),
    settings: ServeSettings,
    per_address: int = 250,
    store_url: str | None = None,
    reuse: bool = False,
    only: Sequence[str] = (),
    every: bool = False,
    workers: int = 1,
    warn: Callable[[str], None],
) -> None:
    """Serve until SIGINT, SIGTERM or SIGHUP. `warn` is told what is odd about a strategy before anybody asks it anything."""
    settings = replace(
        settings,
        keys=keys_of(key_env),
        admin_keys=keys_of(admin_key_env, "--admin-key-env"),
        hosts=(*settings.hosts, host),
        any_address=host in ("0.0.0.0", "::"),
    )
    keyed = _told_apart(settings)
    if not keyed and not is_loopback(host):
        raise UsageError(
            f"--host {host} can be reached by others, and without a key anyone could spend your money; "
            "name a variable that holds a key with --key-env, or leave --host out"
        )
    if settings.limits.usd_per_day is not None and any(
        built.model.price is None for built in LiveTeam(file, keep=False).experiment.models.values()
    ):
        raise UsageError("--usd-per-day needs a price for every model of the team")
    live = LiveTeam(file, store_url=store_url, reuse=reuse, serving=True, wrap=traced, warn=warn)
    live.offer = asyncio.run(offer_of(live, only=only, every=every))
    listening = listen(host, port)
    address = f"http://{_shown(host)}:{listening.getsockname()[1]}"
    files = raise_file_limit()
    connections = Connections.within(files, per_address=per_address)
    each = "" if workers == 1 else " of each worker"

    def say_so() -> None:
        print(within_columns(offer_line(live)))
        print(f"the table: {address}/   the API: {address}/v1")
        print(f"kept in: {live.store.name}")
        print(f"connections{each}: at most {connections.most}, {per_address} from one address; files: {files}")
        if not keyed:
            print("no key: it listens on this machine only (--key-env VAR to serve others)")
        sys.stdout.flush()

    log_libraries_without_words()
    if workers == 1:
        TeamServer(create_app(live, settings), connections, live=live, on_open=say_so).run(sockets=[listening])
        return
    orders = WorkerOrders(
        file,
        settings,
        live.offer,
        store_url,
        reuse=reuse,
        per_address=per_address,
        page_token=page_token_of(settings),
        ticket_secret=secrets.token_bytes(32),
        # Every play that is not looked for in the store has a number of its own, and so has each of its calls: no other
        # worker makes the same one, and none has to be claimed.
        party=None if reuse else secrets.token_hex(16),
    )
    serve_with_workers(workers, live, orders, listening, on_open=say_so)


COLUMNS = 80


def within_columns(line: str) -> str:
    """In lines that fit a screen; what goes on in a second one is set in, and no word is broken."""
    return "\n".join(
        textwrap.wrap(line, COLUMNS, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    )


def _told_apart(settings: ServeSettings) -> bool:
    """Whether there are keys. Each has to be one's own: questions belong to the key that asked them."""
    named = [*settings.keys.items(), *settings.admin_keys.items()]
    for name, key in named:
        for other, same in named:
            if name != other and key == same:
                raise UsageError(f"--key-env: {name} and {other} hold the same key; expected one for each")
    if twice := settings.keys.keys() & settings.admin_keys.keys():
        raise UsageError(f"--admin-key-env: {min(twice)} is named under --key-env too; expected another variable")
    return bool(named)


def keys_of(variables: Sequence[str], option: str = "--key-env") -> dict[str, str]:
    """Keys by the names of the variables that hold them: the name may be shown, the key never is."""
    keys = {}
    for name in variables:
        key = os.environ.get(name, "").strip()
        if not key:
            raise UsageError(f"{option}: the environment variable {name} is not set")
        keys[name] = key
    return keys


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return is_loopback_address(ipaddress.ip_address(host))
    except ValueError:
        return False


def listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(2048)  # whoever comes before the server is up waits, and is not refused
    except OSError as error:
        listening.close()
        raise UsageError(f"cannot listen on {host}:{port}: {error.strerror or error}; try another --port") from None
    return listening


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def report_folder(path: Path | None) -> Path | None:
    if path is not None and not path.is_dir():
        raise UsageError(f"--reports: no such folder: {path}")
    return path


def hosts_of(names: Sequence[str]) -> tuple[str, ...]:
    for name in names:
        if given_name(name) is None:
            raise UsageError(f"--allow-host: expected a name or an address without a port, found {name!r}")
    return tuple(names)


def origins_of(origins: Sequence[str]) -> tuple[str, ...]:
    for origin in origins:
        if origin_of(origin.rstrip("/")) is None:
            raise UsageError(f"--allow-origin: expected one such as https://app.example, found {origin!r}")
    return tuple(origins)
