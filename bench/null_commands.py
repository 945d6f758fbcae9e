"""Experiments in which no team is better than the best single player, through the commands:
python bench/null_commands.py [WORLDS [FIRST [PART]]], half of them with questions that stand alone, half with clusters of three;
those from FIRST on, so that they can be played in parts and the counts added up. Parts: report, declared, select.

Recorded players: a strong one and, for each team, two weak ones who now and then agree: on the truth where the strong one
is wrong, and as often on an error where it is right. So every vote is as good as the strong player in truth, by questions
of its own, and the best of many votes is better than it by luck. `moot run`, then `moot report --json`, `moot compare` and
`moot select`; beside each the same with a true gain.
"""

from __future__ import annotations

import contextlib
import io
import json
import math
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from moot.cli.app import app
from moot.cli.exit import run_app

STRONG, MOVED = 0.6, 0.12
"""How often the strong player is right; on how many questions a vote is right where it is wrong, and as many the other
way round."""


MORE = ") more than the best single model"


def write(
    folder: Path, seed: int, *, teams: int = 12, questions: int = 60, gain: float = 0.0, cluster: int = 1, **more: Any
) -> Path:
    """An experiment file with its questions and replies; `gain`: how much better each vote is in truth; `cluster`: how many
    questions hang together, of which half do as the first of them."""
    generator = np.random.default_rng(seed)
    lines, asked = [], []
    for number in range(questions):
        question = f"q{number}"
        asked.append({"id": question, "text": f"Who is number {number}?", "answer": f"Person {number}"})
        if cluster > 1:
            asked[-1]["cluster"] = str(number // cluster)
        fresh = generator.random(1 + teams)
        if number % cluster == 0:
            first = fresh
        chances = first if cluster > 1 and generator.random() < 0.5 else fresh
        right = bool(chances[0] < STRONG)
        replies = {"strong": f"Person {number}" if right else f"Somebody {number}"}
        for team in range(teams):
            chance = MOVED / STRONG if right else (MOVED + gain) / (1 - STRONG)
            agreed = f"Nobody {number} {team}" if right else f"Person {number}"
            moved = bool(chances[1 + team] < chance)
            replies |= {f"{name}{team}": agreed if moved else f"{name} {number} {team}" for name in ("left", "right")}
        lines += [{"model": model, "question_id": question, "answer": answer} for model, answer in replies.items()]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, asked)), encoding="utf-8")
    (folder / "replies.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    players = ["strong", *(f"{name}{team}" for team in range(teams) for name in ("left", "right"))]
    spec = {
        "name": f"null{seed}",
        "seed": seed,
        "questions": {"file": "questions.jsonl"},
        "models": {name: {"provider": "recorded", "file": "replies.jsonl", "model": name} for name in players},
        "teams": {
            f"team{team}": {"players": ["strong", f"left{team}", f"right{team}"], "captain": "strong"}
            for team in range(teams)
        },
        "strategies": ["solo", "vote"],
        **more,
    }
    path = folder / "null.yaml"
    path.write_text(json.dumps(spec), encoding="utf-8")
    return path


def said_by(*arguments: str) -> Any:
    """What a command prints as JSON."""
    written = io.StringIO()
    with contextlib.redirect_stdout(written), contextlib.redirect_stderr(io.StringIO()):
        assert run_app(app, list(arguments)) == 0
    return json.loads(written.getvalue() or "null")


def reported(path: Path) -> Mapping[str, Any]:
    """What `moot run` and `moot report --json` give."""
    said_by("run", str(path), "--quiet")
    figures: Mapping[str, Any] = said_by("report", str(path), "--json")
    return figures


def write_labels(path: Path, seed: int, *, proposers: int = 8, questions: int = 150, cluster: int = 1) -> Path:
    """A label matrix of proposers who are equally good, so that every three of them are."""
    generator = np.random.default_rng(seed)
    lines = ["question_id,model,pred,answer,cluster"]
    for number in range(questions):
        if number % cluster == 0:
            first = generator.random(proposers) < 0.6
        knows = first if generator.random() < 0.5 else generator.random(proposers) < 0.6
        answer, wrong = generator.integers(10), generator.integers(1, 10, size=proposers)
        for proposer in range(proposers):
            label = answer if knows[proposer] else (answer + wrong[proposer]) % 10
            lines.append(f"q{number},m{proposer},{'abcdefghij'[label]},{'abcdefghij'[answer]},{number // cluster}")
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def of_report(folder: Path, seed: int, cluster: int, *, gain: float) -> Iterator[tuple[str, bool]]:
    """Twelve votes, none declared; what is claimed of the votes and of the strong player, who are equally good."""
    path = write(folder, seed, gain=gain, cluster=cluster)
    figures = reported(path)
    yield "headline, highest of 12", MORE in figures["headline"]["sentence"]
    equals = [row for row in figures["frontier"] if not row["alone"] or row["of"] == "solo@strong"]
    yield "frontier, a vote or the strong player beaten", any(row["beaten_by"] for row in equals)


def of_declared(folder: Path, seed: int, cluster: int, *, gain: float) -> Iterator[tuple[str, bool]]:
    """One vote that was declared, with three hypotheses about it."""
    hypotheses = [
        "accuracy(vote) > accuracy(solo@strong)",
        "accuracy(vote) - accuracy(solo@strong) < 0",
        "net(vote) > 0",
    ]
    path = write(folder, seed, teams=1, gain=gain, cluster=cluster, primary="vote@strong", hypotheses=hypotheses)
    figures = reported(path)
    yield "headline, declared", MORE in figures["headline"]["sentence"]
    yield "three hypotheses, any settled", any(row["verdict"] != "open" for row in figures["hypotheses"])
    pair = said_by("compare", str(path), "--a", "vote@strong", "--b", "solo@strong", "--json")
    yield "compare", pair["low"] is not None and not pair["low"] <= 0 <= pair["high"]


def of_select(folder: Path, seed: int, cluster: int, *, gain: float) -> Iterator[tuple[str, bool]]:
    """Methods that choose three; with a gain, all eight beside them, who are better."""
    path = write_labels(folder / "labels.csv", seed, cluster=cluster)
    methods = "top-accuracy,greedy,conditioned-diversity,oracle-surrogate" + (",input-all" if gain else "")
    rows = said_by("select", str(path), "--k", "3", "--m", "75", "--splits", "3", "--method", methods, "--json")
    overs = [row["over"] for row in rows if row["over"]]
    yield "select, any difference", any(over["p_holm"] is not None and over["p_holm"] <= 0.05 for over in overs)
    yield "select, any method beaten", any(row["beaten_by"] for row in rows)


MOST_S = 600.0
"""Of one core: what is not played by then is not, and the table says how many were."""
KINDS = {1: "alone", 3: "clusters of 3"}
PARTS = {"report": of_report, "declared": of_declared, "select": of_select}


def main(worlds: int, first: int = 0, *parts: str) -> None:
    counts: dict[tuple[str, int], list[int]] = {}
    played = dict.fromkeys(KINDS, 0)
    with contextlib.suppress(KeyboardInterrupt):
        for number in range(first, first + worlds):
            if time.process_time() > MOST_S:
                break
            cluster = list(KINDS)[number % len(KINDS)]
            for claim, place, said in _claims(number, cluster, parts or tuple(PARTS)):
                counts.setdefault((claim, cluster), [0, 0])[place] += said
            played[cluster] += 1
    print("| claim | questions | claimed in, no gain | claimed in, a true gain |\n| --- | --- | --- | --- |")
    for (claim, cluster), (null, real) in sorted(counts.items(), key=lambda row: row[0][1]):
        print(f"| {claim} | {KINDS[cluster]} | {_of(null, played[cluster])} | {_of(real, played[cluster])} |")


def _claims(seed: int, cluster: int, parts: Sequence[str]) -> list[tuple[str, int, bool]]:
    """Of one world, without a gain (0) and with one (1)."""
    claims = []
    for place, gain in enumerate((0.0, 0.25)):
        for part in parts:
            with tempfile.TemporaryDirectory() as folder:
                claims += [(claim, place, said) for claim, said in PARTS[part](Path(folder), seed, cluster, gain=gain)]
    return claims


def _of(times: int, worlds: int) -> str:
    share = times / worlds
    return f"{times} of {worlds} ({100 * share:.0f} ± {100 * math.sqrt(share * (1 - share) / worlds):.0f} %)"


if __name__ == "__main__":
    main(*(map(int, sys.argv[1:3]) if len(sys.argv) > 1 else (60,)), *sys.argv[3:])
