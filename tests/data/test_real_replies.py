"""Real replies of twelve models to 500 questions: votes and skyline against a count made with NumPy alone.

The data are no part of the project; where they are absent, what needs them is skipped.
"""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from moot.data import load
from moot.data.replies import convert_replies
from moot.engine.runner import Runner
from moot.errors import FileError
from moot.experiment.build import build
from moot.experiment.plan import Plan
from moot.experiment.spec import read_experiment
from moot.measures.quiz.played import Played
from moot.measures.quiz.skyline import skyline
from moot.models.recorded import read_recording
from moot.store import queries
from moot.team.final_line import final_answer
from moot.types import Question

REAL = Path(__file__).parents[2] / ".." / "shared" / "data" / "mmlu_pro_texts_500x12.jsonl.gz"
SAMPLE = 200
TEAMS = {"first": slice(0, 6), "last": slice(6, 12), "even": slice(0, 12, 2)}
LETTERS = "ABCDEFGHIJ"
NOBODY = -1

# --- the converter ----------------------------------------------------------------------------------------------------

LINE = {
    "question_id": 92,
    "category": "business",
    "question": "Which?",
    "options": ["one", "two"],
    "answer": "B",
    "responses": {"gpt": {"pred": "B", "text": "It is (B)."}, "old": {"pred": None, "text": "Hm."}},
}


def converted(folder: Path, source: Path) -> tuple[tuple[str, ...], Path, Path]:
    replies, questions = folder / "replies.jsonl", folder / "questions.jsonl"
    return convert_replies(source, replies, questions), replies, questions


@pytest.mark.parametrize("name", ["source.jsonl", "source.jsonl.gz"])
def test_two_files_of_ours_come_out(tmp_path: Path, name: str) -> None:
    source = tmp_path / name
    text = json.dumps(LINE).encode() + b"\n\n"
    source.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    models, replies, questions = converted(tmp_path, source)
    assert models == ("gpt", "old")
    (case,) = load(questions)
    assert (case.question.id, case.question.choices, case.answer, case.category) == (
        "92",
        ("one", "two"),
        "B",
        "business",
    )
    recording = read_recording(replies)
    assert json.loads(recording.replies["gpt", "92", 0]) == {"reasoning": "It is (B).", "answer": "B"}
    assert recording.replies["old", "92", 0] == "Hm.", "no answer was taken from it, so it is read as it stands"


WRONG: dict[str, tuple[Any, str]] = {
    "no-json": ("{", r"s\.jsonl:1: expected one JSON object a line"),
    "list": ([1], r"s\.jsonl:1: expected one JSON object a line"),
    "no-question": ({**LINE, "question": ""}, r"s\.jsonl:1: question: expected a value"),
    "no-id": ({**LINE, "question_id": None}, r"s\.jsonl:1: question_id: expected a text or a whole number"),
    "no-responses": ({**LINE, "responses": None}, r"s\.jsonl:1: responses: expected"),
    "bare-response": ({**LINE, "responses": {"gpt": "B"}}, r"s\.jsonl:1: responses: expected"),
}


@pytest.mark.parametrize(("row", "words"), WRONG.values(), ids=WRONG)
def test_a_mistake_is_named_by_line_and_key(tmp_path: Path, row: Any, words: str) -> None:
    source = tmp_path / "s.jsonl"
    source.write_text(row if isinstance(row, str) else json.dumps(row))
    with pytest.raises(FileError, match=words):
        converted(tmp_path, source)


def test_a_file_that_is_not_there_or_no_gzip(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no such file of replies"):
        converted(tmp_path, tmp_path / "none.jsonl")
    broken = tmp_path / "broken.jsonl.gz"
    broken.write_bytes(gzip.compress(json.dumps(LINE).encode())[:40])
    with pytest.raises(FileError, match="cannot be read"):
        converted(tmp_path, broken)


# --- the real thing ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Real:
    """What a run gave, and the same answers as plain arrays: questions × models, letters as numbers."""

    experiment: Plan
    models: tuple[str, ...]
    given: np.ndarray
    truth: np.ndarray
    questions: list[str]
    results: dict[str, dict[str, Any]]
    """By cell and question: what the store holds."""

    def of(self, title: str, team: str | None = None) -> list[Any]:
        """The rows of a cell, in the order of the questions."""
        cells = self.experiment.cells
        (cell,) = (each for each in cells if each.title == title and (team is None or each.team.name == team))
        return [self.results[cell.id][question] for question in self.questions]


def read_plainly(models: Sequence[str], chosen: set[str]) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Straight from the source; only where it took no answer does our reader of final-answer lines, which has tests of
    its own. A letter beyond the options is no answer."""
    questions, given, truth = [], [], []
    with gzip.open(REAL, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            if str(row["question_id"]) in chosen:
                allowed = LETTERS[: len(row["options"])]
                question = Question("q", "?", choices=tuple(row["options"]), kind="choice")
                replies = [row["responses"][model] for model in models]
                said = [reply["pred"] or final_answer(reply["text"], question) for reply in replies]
                given.append([allowed.index(each) if each and each in allowed else NOBODY for each in said])
                truth.append(LETTERS.index(row["answer"]))
                questions.append(str(row["question_id"]))
    return questions, np.array(given), np.array(truth)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not REAL.is_file():
        pytest.skip("the recorded replies (../shared/data) are not here")
    return tmp_path_factory.mktemp("real")


@pytest.fixture(scope="module")
def real(folder: Path) -> Real:
    models, _, _ = converted(folder, REAL)
    recorded = {
        f"m{n}": {"provider": "recorded", "file": "replies.jsonl", "model": name} for n, name in enumerate(models)
    }
    teams = {name: {"players": list(recorded)[part], "captain": "each"} for name, part in TEAMS.items()}
    spec = {
        "name": "real",
        "seed": 7,
        "questions": {"file": "questions.jsonl", "sample": SAMPLE},
        "models": recorded,
        "teams": teams,
        "strategies": ["solo", "vote"],
    }
    path = folder / "real.yaml"
    path.write_text(json.dumps(spec))
    experiment = build(read_experiment(path))
    results = asyncio.run(played(experiment))
    chosen = {case.question.id for case in experiment.dataset or ()}
    questions, given, truth = read_plainly(models, chosen)
    return Real(experiment, models, given, truth, questions, results)


async def played(experiment: Plan) -> dict[str, dict[str, Any]]:
    store = await experiment.store().open()
    try:
        assert await Runner(experiment, store).run() == "done"
        idents = [case.question.id for case in experiment.dataset or ()]
        found: dict[str, dict[str, Any]] = {}
        for cell in experiment.cells:
            rows = await store.run(lambda c, cell=cell: list(queries.results(c, experiment.id, cell.id, "match")))
            found[cell.id] = {idents[row["position"]]: row for row in rows}
        return found
    finally:
        await store.close()


def letters(rows: Sequence[Any]) -> np.ndarray:
    return np.array([LETTERS.index(row["answer"]) if row["answer"] else NOBODY for row in rows])


@pytest.mark.long
def test_the_sample_is_worth_it(real: Real) -> None:
    assert real.given.shape == (SAMPLE, 12)
    assert (real.given == NOBODY).any(), "some replies have no answer"


def test_alone_everybody_says_what_was_recorded(real: Real) -> None:
    for number in range(len(real.models)):
        rows = real.of(f"solo@m{number}")
        assert (letters(rows) == real.given[:, number]).all()
        right = np.array([row["value"] for row in rows])
        assert (right == (real.given[:, number] == real.truth)).all()


@pytest.mark.parametrize("team", TEAMS)
def test_the_vote_is_the_plurality(real: Real, team: str) -> None:
    numbers = np.arange(len(real.models))[TEAMS[team]]
    given = real.given[:, numbers]
    counts = (given[:, :, None] == np.arange(len(LETTERS))).sum(axis=1)
    tied = counts == counts.max(axis=1, keepdims=True)
    clear, anybody = tied.sum(axis=1) == 1, counts.any(axis=1)
    assert 0.5 * SAMPLE < clear.sum() < SAMPLE, "both kinds are there"
    drawn = []
    for seat, number in enumerate(numbers):
        said = letters(real.of(f"vote@m{number}", team))
        assert (said[clear] == counts.argmax(axis=1)[clear]).all()
        assert (said[~anybody] == NOBODY).all()
        split = np.flatnonzero(~clear & anybody)
        assert tied[split, said[split]].all(), "a tie goes to one of the tied"
        own = given[split, seat]
        holds = (own != NOBODY) & tied[split, own]
        assert (said[split][holds] == own[holds]).all(), "to the captain's, where it is one of them"
        drawn.append(np.where(holds, NOBODY, said[split]))
    lots = np.array(drawn)
    for column in lots.T:
        assert len(set(column) - {NOBODY}) <= 1, "captains outside the tie share the lot"


def test_the_skyline_is_anybody_right(real: Real) -> None:
    players = [f"m{number}" for number in range(len(real.models))]
    plays = [
        Played(question, "solo", player=name, right=row["value"], outcome=row["outcome"])
        for name in players
        for question, row in zip(real.questions, real.of(f"solo@{name}"), strict=True)
    ]
    found = skyline(plays).estimate
    assert found is not None
    assert found.value == pytest.approx((real.given == real.truth[:, None]).any(axis=1).mean())
    assert found.n == SAMPLE
