"""The report page: how long it takes to write, how large it is, how soon a browser can use it.

    python bench/report_page.py            both runs, measured in headless Chromium
    python bench/report_page.py small      572 questions, 6 players, 4 strategies, 6 captains
    python bench/report_page.py large      12,000 questions, 34 players alone

The runs are real runs of simulated and of recorded models; their stores are kept in the folder of MOOT_BENCH (else a
temporary one), so that a second measurement need not run them again. The questions are those of MMLU-Pro, in the folder
of MOOT_DATA; without it they are made up from the built-in ones.
"""

from __future__ import annotations

import gzip
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from moot.data import load

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("MOOT_DATA", ROOT / ".." / "shared" / "data"))
PLAYERS = {"ann": 0.62, "bob": 0.58, "cat": 0.54, "dan": 0.5, "eve": 0.46, "fay": 0.42}
SMALL = 572
LARGE = 12_000


def questions(count: int) -> Iterator[dict[str, Any]]:
    """So many real questions, spread over all categories; without the data, built-in ones under new names."""
    path = DATA / "mmlu_pro_questions.jsonl.gz"
    if path.exists():
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            whole = [json.loads(line) for line in lines]
        step = len(whole) / count
        for row in (whole[int(place * step)] for place in range(count)):
            kept = {"text": row["question"], "choices": row["options"], "answer": row["answer"]}
            yield {"id": str(row["question_id"]), **kept, "category": row["category"]}
        return
    cases = load(ROOT / "src/moot/data/sets/general-en.jsonl")
    for place in range(count):
        case = cases[place % len(cases)]
        text = f"{case.question.text} ({place})"
        yield {"id": f"q{place}", "text": text, "choices": list(case.question.choices), "answer": case.answer}


def small_file(folder: Path) -> Path:
    _write_lines(folder / "small.jsonl", questions(SMALL))
    models = {name: {"provider": "simulated", "accuracy": accuracy} for name, accuracy in PLAYERS.items()}
    return _write_file(
        folder / "small.yaml",
        models=models,
        teams={"six": {"players": list(PLAYERS), "captain": "each"}},
        strategies=["solo", "vote", "silent", "talkative"],
    )


def large_file(folder: Path) -> Path:
    _write_lines(folder / "large.jsonl", questions(LARGE))
    recorded = DATA / "mmlu_pro_answers.parquet"
    if recorded.exists():
        import polars as pl

        frame = pl.read_parquet(recorded).filter("same_version").select("model", "question_id", "pred")
        names = sorted(frame["model"].cast(str).unique())
        rows = ({"model": m, "question_id": str(q), "answer": p} for m, q, p in frame.iter_rows() if p is not None)
        _write_lines(folder / "replies.jsonl", rows)
        models: dict[str, Any] = {
            name.lower(): {"provider": "recorded", "file": "replies.jsonl", "model": name} for name in names
        }
    else:
        models = {f"m{n:02}": {"provider": "simulated", "accuracy": 0.3 + n / 80} for n in range(34)}
    return _write_file(folder / "large.yaml", models=models, strategies=["solo"])


def _write_lines(path: Path, rows: Iterator[dict[str, Any]]) -> None:
    with path.open("w", encoding="utf-8") as out:
        out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _write_file(path: Path, **content: Any) -> Path:
    whole = {"name": path.stem, "seed": 7, "questions": {"file": f"{path.stem}.jsonl"}, **content}
    whole["store"] = f"sqlite:///{path.stem}.db"
    path.write_text(json.dumps(whole, indent=1), encoding="utf-8")  # YAML holds JSON
    return path


def run(path: Path) -> None:
    """Play it, unless the store is there already."""
    if not path.with_suffix(".db").exists():
        subprocess.run([sys.executable, "-m", "moot", "run", str(path), "--quiet"], check=True)
