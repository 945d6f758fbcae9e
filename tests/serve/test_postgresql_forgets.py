"""Attacks on forgetting in PostgreSQL: by its planner's statistics, and by a transaction that sees what was deleted. Words are
looked for in all files of the database but its own log, which is its keeper's to set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import asyncpg
import pytest
from served import THREE, Served, serving
from test_not_keeping import until
from test_purge import SECRET, holding, secrets_told
from test_scrubbed import deleted

from moot.errors import StoreError
from moot.live import left_in_files
from moot.live.served import served_name
from moot.live.served_past import forget
from moot.serve import history
from moot.store import postgresql_scrubbing

KNOWN = (
    "SELECT tablename, attname FROM pg_stats WHERE schemaname = 'public'"
    f" AND concat(most_common_vals::text, histogram_bounds::text) LIKE '%{SECRET[:5]}%'"
)
GATHERED_AGAIN = "".join(
    f'ALTER TABLE {table} ALTER COLUMN "{column}" SET STATISTICS -1;'
    for table, column in sorted(postgresql_scrubbing.WORDS)
)
"""As it was in a store of an earlier version."""


async def asked(served: Served) -> str:
    """Some questions, and the first one's episode: statistics are made of several values."""
    episode = await secrets_told(served)
    for place in ("Rome", "Paris", "Bonn"):
        assert (await served.chat(f"Where is {place}?"))[0] == 200
    await served.live.record.flush()
    return episode


def run(postgres: Any, url: str, *statements: str) -> None:
    for statement in statements:
        for part in filter(None, statement.split(";")):
            postgres.sql(url, part)


@pytest.mark.parametrize(("earlier", "all_at_once"), [(False, False), (True, False), (True, True)])
async def test_nothing_is_left_in_statistics(tmp_path: Path, postgres: Any, earlier: bool, all_at_once: bool) -> None:
    url = postgres.database()
    async with serving(tmp_path, {**THREE, "store": url}) as served:
        episode = await asked(served)
        run(postgres, url, GATHERED_AGAIN if earlier else "", "ANALYZE", "ANALYZE", "CHECKPOINT")
        assert bool(postgres.sql(url, KNOWN)) == earlier
        assert holding(postgres.files(url))
        if all_at_once:
            assert (await forget(served.live.store, served_name("three"), 1e12))["episodes"] == 5
        else:
            assert (await served.chat(f"Another {SECRET}?"))[0] == 200
            status, said = await deleted(served, episode)
            assert (status, said["scrubbed"]) == (200, True)
        run(postgres, url, "ANALYZE", "CHECKPOINT")
        assert postgres.sql(url, KNOWN) == []
        assert holding(postgres.files(url), SECRET if all_at_once else f"well of {SECRET}") == []
        names = "SELECT count(*) FROM pg_stats WHERE tablename = 'calls' AND attname = 'experiment'"
        assert postgres.sql(url, names) == [(1,)], "what is no words the planner may know"


async def test_statistics_that_only_another_may_take_out_are_told_of(tmp_path: Path, postgres: Any) -> None:
    """Whoever owns the tables and not the database may not write anew what the server keeps for it."""
    url = postgres.database()
    name = url.partition("?")[0].rpartition("/")[2]
    user = f"plain_{name}"
    run(postgres, url, f"CREATE ROLE {user} LOGIN", f"GRANT ALL ON SCHEMA public TO {user}")
    plain = postgres.url(name, user=user)
    async with serving(tmp_path, {**THREE, "store": plain}) as served:
        await asked(served)
        run(postgres, url, GATHERED_AGAIN, "ANALYZE")
        for _ in range(2):
            with pytest.raises(StoreError, match=r"statistics.*owner of the database"):
                await forget(served.live.store, served_name("three"), 1e12)
        assert postgres.sql(url, "SELECT count(*) > 0 FROM unscrubbed") == [(True,)]
        run(postgres, url, f"ALTER DATABASE {name} OWNER TO {user}")
        await forget(served.live.store, served_name("three"), 1e12)
        run(postgres, url, "CHECKPOINT")
        assert holding(postgres.files(url)) == []
        assert postgres.sql(url, "SELECT count(*) FROM unscrubbed") == [(0,)]


async def test_a_plain_owner_forgets_what_no_statistics_were_made_of(tmp_path: Path, postgres: Any) -> None:
    url = postgres.database()
    name = url.partition("?")[0].rpartition("/")[2]
    run(postgres, url, f"CREATE ROLE user_{name} LOGIN", f"GRANT ALL ON SCHEMA public TO user_{name}")
    async with serving(tmp_path, {**THREE, "store": postgres.url(name, user=f"user_{name}")}) as served:
        await asked(served)
        run(postgres, url, "ANALYZE")
        await forget(served.live.store, served_name("three"), 1e12)
        run(postgres, url, "CHECKPOINT")
        assert holding(postgres.files(url)) == []


async def test_statistics_of_somebody_elses_making_are_told_of(tmp_path: Path, postgres: Any) -> None:
    url = postgres.database()
    async with serving(tmp_path, {**THREE, "store": url}) as served:
        await asked(served)
        run(postgres, url, GATHERED_AGAIN, "CREATE STATISTICS mine (mcv) ON shape, text FROM calls", "ANALYZE")
        with pytest.raises(StoreError, match=r"the statistics mine, .* hold words of calls"):
            await forget(served.live.store, served_name("three"), 1e12)
        run(postgres, url, "DROP STATISTICS mine")
        await forget(served.live.store, served_name("three"), 1e12)
        run(postgres, url, "CHECKPOINT")
        assert holding(postgres.files(url)) == []


@pytest.mark.parametrize("holds", ["reads", "writes"])
async def test_whoever_sees_what_was_deleted_is_waited_for(
    tmp_path: Path, postgres: Any, monkeypatch: pytest.MonkeyPatch, holds: str
) -> None:
    """In whatever table it looks, or writes: the server keeps the deleted rows for it."""
    monkeypatch.setattr(history, "SCRUBBED_S", 1.0)
    monkeypatch.setattr(postgresql_scrubbing, "SCRUB_S", 0.5)
    monkeypatch.setattr(left_in_files, "AGAIN_S", 0.1)
    url = postgres.database()
    other = await asyncpg.connect(url)
    try:
        async with serving(tmp_path, {**THREE, "store": url}) as served:
            episode = await asked(served)
            await other.execute("CREATE TABLE beside (number INTEGER)")
            begin = {"reads": "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1"}
            await other.execute(begin.get(holds, "BEGIN; INSERT INTO beside VALUES (1)"))
            status, said = await deleted(served, episode)
            assert (status, said["scrubbed"]) == (202, False)
            run(postgres, url, "CHECKPOINT")
            await other.execute("ROLLBACK")

            async def gone() -> bool:
                return (await deleted(served, episode))[0] == 404

            await until(gone)
            run(postgres, url, "CHECKPOINT")
            assert holding(postgres.files(url), f"well of {SECRET}") == []
    finally:
        await other.close()
