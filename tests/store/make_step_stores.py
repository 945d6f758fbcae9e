"""Has each version that wrote another kind of store play a small experiment, and keeps the stores as fixtures.

    python tests/store/make_step_stores.py [STEP...]

A version is taken from git as it was and run with the packages of the Python that runs this. Stores stand in
`fixtures/steps/`, compressed. A new migration gets a store of the commit before it: add that to `step_experiment.STEPS`.
"""

from __future__ import annotations

import gzip
import os
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
from io import BytesIO
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "shared"))

from step_experiment import STEPS, written

FIXTURES = Path(__file__).parent / "fixtures" / "steps"
RUN = "import sys; from moot.cli import main; sys.argv[0] = 'moot'; main()"


def main(steps: list[str]) -> None:
    FIXTURES.mkdir(exist_ok=True)
    for step in steps or STEPS:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            archive = subprocess.run(["git", "archive", STEPS[step], "src"], check=True, capture_output=True).stdout
            with tarfile.open(fileobj=BytesIO(archive)) as source:
                source.extractall(folder / "version", filter="data")
            environment = {**os.environ, "PYTHONPATH": str(folder / "version" / "src")}
            command = [sys.executable, "-c", RUN, "run", str(written(folder, step)), "--quiet"]
            subprocess.run(command, check=True, cwd=folder, env=environment)
            keep(folder / "step.db", step)


def keep(store: Path, step: str) -> None:
    connection = sqlite3.connect(store)
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.execute("VACUUM")
    ((last,),) = connection.execute("SELECT max(name) FROM migrations").fetchall()
    connection.close()
    if last != step:
        raise SystemExit(f"commit {STEPS[step]} writes stores that end at {last}, not at {step}")
    kept = FIXTURES / f"{step}.db.gz"
    kept.write_bytes(gzip.compress(store.read_bytes(), 9, mtime=0))
    print(f"{kept.name}: {kept.stat().st_size / 1000:.1f} kB")


if __name__ == "__main__":
    main(sys.argv[1:])
