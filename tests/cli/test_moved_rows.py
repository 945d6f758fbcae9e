"""A file without ids is numbered by its rows: a row more, or one less, makes no other questions of those below it."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from beside import in_a_thread

import moot
from moot import ScriptedModel
from moot.cli.app import app
from moot.cli.exit import run_app
from moot.simulate.server import SimulatedServer, running

Rows = list[tuple[str, str]]
TEXTS: Rows = [(f"Which town is number {n}?", f"town {n}") for n in range(12)]
PLAYERS = ("ann", "bob", "cat")
NEW = ("Which village is new?", "none")


def command(*words: str) -> str:
    """What it prints, with single spaces."""
    said = io.StringIO()
    with redirect_stdout(said):
        assert run_app(app, list(words)) == 0
    return " ".join(said.getvalue().split())


def as_csv(rows: Rows) -> str:
    return "Question,Answer\n" + "".join(f"{text},{answer}\n" for text, answer in rows)


def as_jsonl(rows: Rows) -> str:
    return "".join(json.dumps({"question": text, "answer": answer}) + "\n" for text, answer in rows)


def as_four_s(rows: Rows) -> str:
    return "\n".join(f"? {text}\n! {answer}\n" for text, answer in rows)


WRITERS: dict[str, Callable[[Rows], str]] = {"csv": as_csv, "jsonl": as_jsonl, "4s": as_four_s}


@dataclass(frozen=True)
class Cup:
    """An experiment with a declared primary, and its questions in one form of file."""

    folder: Path
    server: SimulatedServer
    ending: str = "csv"

    @property
    def path(self) -> Path:
        return self.folder / "cup.yaml"

    def play(self, rows: Rows, **more: Any) -> dict[str, Any]:
        (self.folder / f"q.{self.ending}").write_text(WRITERS[self.ending](rows), encoding="utf-8")
        keys: dict[str, Any] = {
            "name": "cup",
            "questions": {"file": f"q.{self.ending}"},
            "models": {
                name: {"provider": "endpoint", "base_url": self.server.base_url, "model": name} for name in PLAYERS
            },
            "strategies": ["solo", "vote"],
            "primary": "vote",
        }
        self.path.write_text(json.dumps(keys | more), encoding="utf-8")
        command("run", str(self.path), "--quiet")
        head: dict[str, Any] = json.loads(command("report", str(self.path), "--json"))["headline"]
        return head


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimulatedServer]:
    known = tmp_path_factory.mktemp("known") / "known.csv"
    known.write_text(as_csv([*TEXTS, NEW]), encoding="utf-8")
    config = {"models": {name: {"accuracy": 0.6} for name in PLAYERS}, "questions": str(known)}
    with in_a_thread(running(config)) as running_server:
        yield running_server


@pytest.fixture
def cup(tmp_path: Path, server: SimulatedServer) -> Cup:
    return Cup(tmp_path, server)


EDITS: dict[str, tuple[Rows, int]] = {
    "one more, the first": ([NEW, *TEXTS], 0),
    "one more, in the middle": ([*TEXTS[:5], NEW, *TEXTS[5:]], 0),
    "one more, the last": ([*TEXTS, NEW], 0),
    "moved": ([*TEXTS[6:], *TEXTS[:6]], 0),
    "turned around": (TEXTS[::-1], 0),
    "the first is gone": (TEXTS[1:], 1),
    "one of the middle is gone": ([*TEXTS[:3], *TEXTS[4:]], 1),
    "the last is gone": (TEXTS[:-1], 1),
    "one more in front, three gone behind": ([NEW, *TEXTS[:9]], 3),
    "one respelt": ([(TEXTS[0][0].upper(), TEXTS[0][1]), *TEXTS[1:]], 1),
    "one added, one gone, one respelt": ([NEW, (TEXTS[1][0].upper(), TEXTS[1][1]), *TEXTS[2:]], 2),
    "all others": ([(f"Other {text}", answer) for text, answer in TEXTS], 0),
}


@pytest.mark.parametrize("edit", EDITS)
def test_only_what_is_gone_was_taken_out(edit: str, cup: Cup) -> None:
    rows, gone = EDITS[edit]
    assert cup.play(TEXTS)["chosen"] == "declared"
    head = cup.play(rows)
    assert (head["n"], head["chosen"]) == (len(rows), "declared late" if gone else "declared")
    assert head.get("taken_out", 0) == gone
    shown = command("report", str(cup.path))
    assert ("not among these" in shown) == bool(gone)
    assert ("declared before questions were taken out" in shown) == bool(gone)


@pytest.mark.parametrize("ending", ["jsonl", "4s"])
def test_in_every_form_of_file(ending: str, cup: Cup) -> None:
    cup = replace(cup, ending=ending)
    cup.play(TEXTS)
    assert "taken_out" not in cup.play([*TEXTS[:5], NEW, *TEXTS[5:]])
    assert cup.play(TEXTS[:-1])["taken_out"] == 2, "the new one, and the last"


SIMULATED = {name: {"provider": "simulated", "accuracy": 0.6} for name in PLAYERS}
CLAIM = "accuracy(vote) > accuracy(solo@ann)"


@pytest.mark.parametrize("edit", ["one more, the last", "the last is gone"])
def test_models_that_draw_on_all_questions_are_the_same_beside_others(edit: str, cup: Cup) -> None:
    """The wrong answers of simulated models are those to other questions: who adds one has changed nothing that was declared."""
    rows, gone = EDITS[edit]
    cup.play(TEXTS, models=SIMULATED, hypotheses=[CLAIM])
    head = cup.play(rows, models=SIMULATED, hypotheses=[CLAIM])
    assert (head["n"], head.get("taken_out", 0)) == (len(rows), gone)
    assert not head.keys() & {"earlier_versions", "unlisted"}
    shown = command("report", str(cup.path), "--all")
    assert "changed since" not in shown
    assert "changed after it had been played" not in shown
    assert ("declared in advance" in shown) == (not gone)
    (cup.folder / "q.csv").write_text(as_csv([*rows, ("Which one is next?", "this")]), encoding="utf-8")
    expected = ("--accuracy", "0.6", "--gain", "0.2", "--discordance", "0.3", "--json")
    planned = json.loads(command("plan", str(cup.path), *expected)).get("played_before", {})
    assert not planned.get("late"), planned
    assert not planned.get("unlisted"), planned


def test_another_accuracy_of_such_a_model_is_a_change(cup: Cup) -> None:
    cup.play(TEXTS, models=SIMULATED)
    others = {**SIMULATED, "ann": {"provider": "simulated", "accuracy": 0.9}}
    assert cup.play([*TEXTS, NEW], models=others)["earlier_versions"] == 1


@pytest.mark.parametrize(("said", "versions"), [("town 1", None), ("town 2", 1)], ids=["the same", "something else"])
def test_a_recording_with_more_rows_is_the_same_where_it_says_the_same(
    cup: Cup, said: str, versions: int | None
) -> None:
    models = {name: {"provider": "recorded", "file": "said.jsonl", "model": name} for name in PLAYERS}

    def record(rows: int, second: str) -> None:
        answers = ["town 0", second, *(["town 5"] * rows)][:rows]
        each = [(name, number, answer) for name in PLAYERS for number, answer in enumerate(answers, start=1)]
        lines = [json.dumps({"model": name, "question_id": str(n), "answer": answer}) for name, n, answer in each]
        (cup.folder / "said.jsonl").write_text("\n".join(lines), encoding="utf-8")

    record(12, "town 1")
    assert cup.play(TEXTS, models=models)["n"] == 12
    record(13, said)
    head = cup.play([*TEXTS, NEW], models=models)
    assert (head["n"], head.get("earlier_versions")) == (13, versions)
    assert ("declared in advance and changed since" in command("report", str(cup.path))) == (versions is not None)


def test_in_a_frame(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")

    def played(rows: Rows) -> dict[str, Any]:
        models = {name: ScriptedModel(name, lambda request: {"reasoning": "-", "answer": "town 1"}) for name in "abc"}
        keys = {"name": "cup", "questions": pandas.DataFrame(rows, columns=["text", "answer"]), "primary": "vote"}
        keys |= {"models": models, "players": {name: {"model": name} for name in models}}
        head: dict[str, Any] = moot.run({**keys, "strategies": ["solo", "vote"]}, store=tmp_path / "a.db").figures[
            "headline"
        ]
        return head

    played(TEXTS)
    assert "taken_out" not in played([TEXTS[0], NEW, *TEXTS[1:]])
    assert played([NEW, *TEXTS[2:]])["taken_out"] == 2


def test_of_two_that_are_alike_one_can_be_taken_out(cup: Cup) -> None:
    cup.play([*TEXTS, TEXTS[0]])
    assert cup.play([NEW, *TEXTS])["taken_out"] == 1
    assert "taken_out" not in cup.play([NEW, *TEXTS, TEXTS[0]]), "both are there again"


def test_the_plan_of_a_moved_file_foresees_the_same(cup: Cup) -> None:
    cup.play(TEXTS, strategies=["solo", "vote", "silent"], teams={"all": {"players": [*PLAYERS], "captain": "ann"}})

    def late(rows: Rows) -> bool:
        (cup.folder / "q.csv").write_text(as_csv(rows), encoding="utf-8")
        expected = ("--accuracy", "0.6", "--gain", "0.2", "--discordance", "0.3", "--json")
        return bool(json.loads(command("plan", str(cup.path), *expected)).get("played_before", {}).get("late"))

    assert not late([NEW, *TEXTS])
    assert late([NEW, *TEXTS[1:]])


def test_a_reference_that_was_changed_is_told_though_its_row_moved(cup: Cup) -> None:
    cup.play(TEXTS)
    mended = [(text, "a hamlet" if n % 4 == 0 else answer) for n, (text, answer) in enumerate(TEXTS)]
    assert "keys_changed" not in cup.play([NEW, *TEXTS])
    assert cup.play([NEW, NEW, *mended])["keys_changed"] == 3


def test_drafts_of_rows_that_moved_are_not_paid_again(cup: Cup) -> None:
    cup.play(TEXTS)
    asked = cup.server.stats["requests"]
    cup.play([*TEXTS[6:], NEW, *TEXTS[:6]])
    assert cup.server.stats["requests"] - asked == len(PLAYERS), "the new one, of each player"


def by_a_person(cup: Cup) -> int:
    said = command("grade", str(cup.path))
    return int(said.partition(" by a person")[0].rpartition(" ")[2]) if " by a person" in said else 0


def test_a_persons_word_stands_when_its_row_moves(cup: Cup, monkeypatch: pytest.MonkeyPatch) -> None:
    cup.play(TEXTS[:4], strategies=["solo"], primary="solo@ann")
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n" * 12))
    said = command("grade", str(cup.path), "--settle")
    assert " 0 left" in said
    settled = by_a_person(cup)
    cup.play([NEW, *TEXTS[1:4], TEXTS[0]], strategies=["solo"], primary="solo@ann")
    assert by_a_person(cup) == settled > 0
    mended = [(text, "a hamlet") for text, _ in TEXTS[:4]]
    cup.play([NEW, NEW, *mended], strategies=["solo"], primary="solo@ann")
    assert by_a_person(cup) == 0, "they were said of another reference"
