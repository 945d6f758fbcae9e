"""`moot serve`: a team as one model, and the table that people watch. `moot purge`: what it was asked, forgotten."""

from __future__ import annotations

import asyncio
import sys
import time
from collections import Counter
from functools import partial
from pathlib import Path

from moot.cli.report import open_existing
from moot.cli.safe_text import say
from moot.errors import UsageError
from moot.experiment.embedded_team import embedded_team
from moot.experiment.spec import read_experiment
from moot.live.served import asked_name, served_name
from moot.live.served_past import forget
from moot.serve.admission import KeyLimits
from moot.serve.app import DAY_S, ServeSettings
from moot.serve.serving import hosts_of, origins_of, report_folder, serve
from moot.store import from_here, queries


def serve_command(
    path: Path | None,
    *,
    host: str,
    port: int,
    key_env: list[str],
    admin_key_env: list[str],
    store: str | None,
    per_minute: int | None,
    usd_per_day: float | None,
    concurrent: int | None,
    at_once: int,
    waiting: int,
    body_kb: int,
    keep_days: float | None,
    reports: Path | None,
    reuse: bool,
    allow_host: list[str],
    allow_origin: list[str],
    per_address: int,
    only: list[str],
    every: bool,
    fixed_teams: bool,
    workers: int,
) -> int:
    file = read_experiment(path, with_questions=False) if path is not None else embedded_team()
    settings = ServeSettings(
        limits=KeyLimits(per_minute, usd_per_day, concurrent),
        at_once=at_once,
        waiting=waiting,
        body_bytes=body_kb * 1024,
        keep_days=keep_days,
        reports=report_folder(reports),
        hosts=hosts_of(allow_host),
        origins=origins_of(allow_origin),
        edit_teams=not (fixed_teams or only),
    )
    url = from_here(store) if store else None
    serve(
        file,
        host=host,
        port=port,
        key_env=key_env,
        admin_key_env=admin_key_env,
        settings=settings,
        per_address=per_address,
        store_url=url,
        reuse=reuse,
        only=only,
        every=every,
        workers=workers,
        warn=lambda warning: say(f"moot: {warning}", file=sys.stderr),
    )
    return 0


def purge_command(path: Path, *, older_than: float, store: str | None) -> int:
    removed = asyncio.run(_purge(path, older_than, store))
    say(f"forgotten: {removed['episodes']} answers, {removed['questions']} questions, {removed['calls']} calls")
    return 0


async def _purge(path: Path, days: float, url: str | None) -> dict[str, int]:
    opened, wanted_plan = open_existing(path, url)
    await opened.open()
    try:
        plain = (wanted_plan.name or "").removesuffix(":served")
        names = [served_name(plain), asked_name(plain)]
        kept = [
            wanted for wanted in names if await opened.run(partial(queries.latest_experiment, name=wanted)) is not None
        ]
        if not kept:
            raise UsageError(f"nothing asked is kept here; {path} was never served with this store, nor asked")
        now, removed = time.time(), Counter[str]()
        for wanted in kept:
            removed.update(await forget(opened, wanted, now - days * DAY_S, now=now))
        return removed
    finally:
        await opened.close()
