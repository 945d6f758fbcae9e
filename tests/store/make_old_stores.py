"""Plays the experiments of `old_experiments` with the version before traces, and keeps the stores as fixtures.

It needs that version and nothing of today's; the commit is the parent of the one that brought `moot/traces.py`:

    git worktree add /tmp/before PARENT && python -m venv /tmp/before/.venv && /tmp/before/.venv/bin/pip install /tmp/before
    /tmp/before/.venv/bin/python tests/store/make_old_stores.py

What it writes stands in `fixtures/`, compressed: a store is mostly the same prompts over and over.
"""

from __future__ import annotations

import asyncio
import gzip
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "shared"))

from old_experiments import ASKED, EXPERIMENTS, written, written_team

FIXTURES = Path(__file__).parent / "fixtures"


def main() -> None:
    FIXTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for name in EXPERIMENTS:
            run = "import sys; from moot.cli import main; sys.argv[0] = 'moot'; main()"
            path = written(name, folder)
            subprocess.run([sys.executable, "-c", run, "run", str(path), "--quiet"], check=True, cwd=folder)
            keep(folder / f"{name}.db")
        asyncio.run(serve(written_team(folder)))
        keep(folder / "served.db")


async def serve(path: Path) -> None:
    """Three questions, each answered by the team; then somebody says what was right."""
    from moot.run.experiment import read_experiment  # type: ignore[import-not-found]
    from moot.run.live import LiveTeam  # type: ignore[import-not-found]

    async with LiveTeam(read_experiment(path, with_questions=False), serving=True) as live:
        for question in ASKED:
            await live.ask(question)
        await live.record.flush()
    connection = sqlite3.connect(path.with_suffix(".db"))
    places = connection.execute("SELECT question, repeat FROM episodes ORDER BY created_at").fetchall()
    connection.close()
    first, second = (f"ep_{repeat:08x}{question}" for question, repeat in places[:2])
    async with LiveTeam(read_experiment(path, with_questions=False), serving=True) as live:
        await live.record.feedback(first, answer="Paris")
        await live.record.feedback(second, correct=True)


def keep(store: Path) -> None:
    connection = sqlite3.connect(store)
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.execute("VACUUM")
    connection.close()
    kept = FIXTURES / f"{store.name}.gz"
    kept.write_bytes(gzip.compress(store.read_bytes(), 9, mtime=0))
    print(f"{kept}: {kept.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
