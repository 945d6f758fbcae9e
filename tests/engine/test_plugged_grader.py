"""A grader of somebody else's: asked once for each answer, checked like anybody, and never in the way of the players."""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest
from worlds import World, everything_right

import moot
from moot import Case, Question, Score, ScriptedModel, Verdict
from moot.cli.app import app
from moot.cli.exit import run_app
from moot.grade import graders

CASES = [Case(Question(str(n), f"What is number {n}?"), "Gold") for n in range(12)]
SAYINGS = {"ann": "Gold", "bob": "gold.", "cat": "the gold"}


def run(grader: Any, store: Path | None = None, **more: Any) -> moot.Results:
    models = {name: ScriptedModel(name, lambda request, said=said: _said(said)) for name, said in SAYINGS.items()}
    keys = {"name": "cup", "seed": 1, "questions": CASES, "models": models, "strategies": ["solo", "vote"], **more}
    keys["teams"] = {"three": {"players": list(SAYINGS), "captain": "each"}}
    return moot.run({**keys, "grader": grader}, store=store)


def _said(said: str) -> dict[str, str]:
    return {"reasoning": "So.", "answer": said}


class Noisy:
    """Right or wrong by lot: asked twice it may say two things."""

    name = "noisy"

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self._lot = random.Random(5)

    async def grade(self, case: Case, verdict: Verdict) -> Score:
        self.asked[case.question.id] += 1
        return Score(float(self._lot.random() < 0.5), "lot")


def test_equal_answers_are_graded_once_so_noise_makes_no_rescues(tmp_path: Path) -> None:
    grader = Noisy()
    results = run(grader, tmp_path / "cup.db")
    assert grader.asked == dict.fromkeys(map(str, range(12)), 1), "everybody says the same, but for case and article"
    assert len({row["value"] for row in results.figures["accuracy"]}) == 1
    assert {row["difference"] for row in results.figures["gains"]} == {0.0}
    assert results.figures["skyline"]["value"] == results.figures["accuracy"][0]["value"]
    another = Noisy()
    again = run(another, tmp_path / "cup.db", strategies=["solo", "vote", {"vote": {"early_stop": True}}])
    assert not another.asked, "what it has said is on record"
    assert len({row["value"] for row in again.figures["accuracy"]}) == 1


def test_drafts_are_graded_in_the_run_and_not_anew_by_each_report(tmp_path: Path) -> None:
    """Nobody plays alone here, so what a player is worth is told by its drafts."""
    sayings = {"ann": "gold", "bob": "lead", "cat": "tin"}
    models = {name: ScriptedModel(name, lambda request, said=said: _said(said)) for name, said in sayings.items()}
    grader, store = Noisy(), tmp_path / "cup.db"
    first = run(grader, store, strategies=["vote"], models=models)
    assert grader.asked == dict.fromkeys(map(str, range(12)), 3)
    another = Noisy()
    second = run(another, store, strategies=["vote"], models=models)
    assert not another.asked
    assert first.figures["players"] == second.figures["players"]


class Broken:
    """What it gives instead of a score."""

    def __init__(self, name: str, given: Any) -> None:
        self.name = name
        self._given = given

    async def grade(self, case: Case, verdict: Verdict) -> Score:
        if isinstance(self._given, Exception):
            raise self._given
        return self._given  # type: ignore[no-any-return]


class Hurried:
    """Not asynchronous."""

    name = "hurried"

    def grade(self, case: Case, verdict: Verdict) -> Score:
        return Score(1.0, "at once")


BROKEN: list[tuple[Any, str]] = [
    (Broken("a-number", 1.0), "a-number: expected a Score, found float"),
    (Broken("nothing", None), "nothing: expected a Score, found NoneType"),
    (Broken("too-much", Score(7.0, "x")), "too-much: expected a value from 0 to 1, or None, found 7.0"),
    (
        Broken("not-a-number", Score(float("nan"), "x")),
        "not-a-number: expected a value from 0 to 1, or None, found nan",
    ),
    (Broken("a-text", Score("1", "x")), "a-text: expected a value from 0 to 1, or None, found '1'"),  # type: ignore[arg-type]
    (Broken("a-stage", Score(1.0, 3)), "a-stage: expected a stage in words, found 3"),  # type: ignore[arg-type]
    (Broken("no-stage", Score(1.0, "")), "no-stage: expected a stage in words, found ''"),
    (
        Broken("anothers-stage", Score(1.0, "judge")),
        "anothers-stage: expected a stage of its own, found 'judge', which is that of the file's judges",
    ),
    (Broken("a-bug", KeyError("oops")), "a-bug: KeyError: 'oops'"),
    (Hurried(), "hurried: expected async def grade, found one that gives a Score at once"),
]


@pytest.mark.parametrize(("grader", "detail"), BROKEN, ids=[grader.name for grader, _ in BROKEN])
def test_one_that_breaks_leaves_answers_ungraded_in_words(grader: Any, detail: str) -> None:
    results = run(grader, questions=CASES[:2], strategies=["solo"])
    assert results.state == "failed"
    assert [row["value"] for row in results.figures["accuracy"]] == [None] * 3
    assert results.figures["accuracy"][0]["bounds"] == {"low": 0.0, "high": 1.0}
    assert set(results.frame("scores")["detail"]) == {detail}


class TwiceBroken:
    """Fails in one way on the first question and on the last, and in another on all between them."""

    name = "twice-broken"

    async def grade(self, case: Case, verdict: Verdict) -> Score:
        raise (KeyError if case.question.id in ("0", "11") else ValueError)("oops")


def test_what_went_wrong_most_often_is_told_and_all_failures_are_counted() -> None:
    results = run(TwiceBroken(), strategies=["solo"])
    (row,) = [row for row in results.figures["plugin_failures"] if row["kind"] == "grader"]
    assert row == {"kind": "grader", "name": "twice-broken", "error": "ValueError: oops", "times": 12}


@pytest.mark.parametrize("strategies", [["solo"], ["vote"], ["solo", "talkative"]])
@pytest.mark.parametrize("judged", [False, True])
def test_the_warning_and_the_figures_count_the_same_failures(strategies: list[str], judged: bool) -> None:
    """Answers, equal ones to a question being one: however many gave them, in however many strategies, and be it that a judge
    has graded them in the grader's place."""
    world = World(
        lambda name, n, repeat: f"{name} {n}" if n % 2 else "gold" if name == "ann" else "Gold",
        lambda name, n, texts: f"after {n}",
        count=6,
        offices={"jud": everything_right},
    )
    more = {"judge": {"models": ["jud"]}} if judged else {}
    with pytest.warns(UserWarning, match="failed on"):
        results = world.play(strategies, grader=TwiceBroken(), **more)
    different = 3 + 3 * 3 + (6 if "talkative" in strategies else 0)
    assert f"failed on {different} answers" in results.warnings[-1]
    (row,) = [row for row in results.figures["plugin_failures"] if row["kind"] == "grader"]
    assert (row["error"], row["times"]) == ("ValueError: oops", different)


class Together:
    """Answers only once three answers wait for it: asked one by one it would wait for ever."""

    name = "together"

    def __init__(self) -> None:
        self._waiting = 0
        self._three = asyncio.Event()

    async def grade(self, case: Case, verdict: Verdict) -> Score:
        self._waiting += 1
        if self._waiting >= 3:
            self._three.set()
        await asyncio.wait_for(self._three.wait(), 60)
        return Score(1.0, "together")


def test_answers_are_graded_at_the_same_time_and_nobody_waits() -> None:
    results = run(Together(), strategies=["solo"])
    assert [row["value"] for row in results.figures["accuracy"]] == [1.0] * 3


class Mended:
    """Says the same of everything, and another thing once it was mended."""

    name = "mended"

    def __init__(self, value: float, version: Any = None) -> None:
        self._value = value
        self.asked = 0
        if version is not None:
            self.version = version

    async def grade(self, case: Case, verdict: Verdict) -> Score:
        self.asked += 1
        return Score(self._value, "mended")


def accuracy(results: moot.Results) -> set[float]:
    return {row["value"] for row in results.figures["accuracy"]}


def test_another_version_of_a_grader_grades_anew(tmp_path: Path) -> None:
    store = tmp_path / "cup.db"
    assert accuracy(run(Mended(0.0, "1"), store)) == {0.0}
    mended = Mended(1.0, "2")
    results = run(mended, store)
    assert mended.asked == 12
    assert accuracy(results) == {1.0}
    assert {row["value"] for row in results.figures["players"]} == {1.0}
    assert set(results.frame("scores")["grader"]) == {"mended@1", "mended@2"}
    assert set(results.frame("episodes")["value"]) == {1.0}
    assert set(results.frame("drafts")["value"]) == {1.0}
    older = Mended(0.5, "1")
    assert accuracy(run(older, store)) == {0.0}, "what the first said is on record"
    assert not older.asked


def test_grades_taken_from_the_store_are_told(tmp_path: Path) -> None:
    store = tmp_path / "cup.db"
    first = run(Mended(0.0), store)
    assert (first.warnings, first.grades_reused) == ((), 0), (
        "what was said in this very run is not taken from the store"
    )
    again = run(Mended(1.0), store)
    assert accuracy(again) == {0.0}
    assert again.grades_reused == 12
    assert run(Mended(1.0, 2), store).grades_reused == 0


class Unsure:
    """Leaves everything open, under a stage of its own."""

    name = "unsure"

    async def grade(self, case: Case, verdict: Verdict) -> Score:
        return Score(None, "unsure")


def test_grading_anew_counts_what_is_left_open(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graders.register(Unsure())
    file = tmp_path / "cup.yaml"
    questions = [{"id": "1", "text": "What?", "answer": "Gold"}, {"id": "2", "text": "Which?", "answer": "Gold"}]
    (tmp_path / "cup.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in questions), encoding="utf-8")
    models = "models: {ann: {provider: simulated, accuracy: 0.5}}"
    file.write_text(f"name: cup\ngrader: unsure\nquestions: {{file: cup.jsonl}}\n{models}\n", encoding="utf-8")
    assert run_app(app, ["run", str(file), "--quiet"]) == 1
    assert "taken from the store" not in capsys.readouterr().err
    assert run_app(app, ["grade", str(file), "--anew"]) == 1
    shown = capsys.readouterr()
    assert "2 answers: 0 by unsure, 0 by judge, 0 by a person, 2 ungraded" in shown.out
    assert "ungraded, 2 ×: unsure" in shown.err


def test_a_report_says_whose_grades_it_shows(tmp_path: Path) -> None:
    store = tmp_path / "cup.db"
    first = run(Mended(0.0, 1), store, strategies=["solo"])
    assert first.figures["grader"] == "mended@1"
    assert "the grader here" not in first.headline
    graders.register(Mended(1.0, 2))
    later = moot.open_store(f"sqlite:///{store}").report().figures
    assert (later["grader"], later["accuracy"][0]["value"]) == ("mended@1", 0.0)
    assert (
        "These are the grades of mended@1; the grader here is mended@2: moot grade FILE"
        in (later["headline"]["sentence"])
    )


@dataclass(frozen=True)
class Partly:
    """What an answer is worth, whatever it is."""

    part: float = 0.25
    words: Any = ()
    name: ClassVar[str] = "partly"

    async def grade(self, case: Case, verdict: Verdict) -> Score:
        return Score(self.part, "part")


def test_the_words_of_a_grader_with_other_options_are_not_mixed_up_with_its_own(tmp_path: Path) -> None:
    def value(grader: Partly) -> float:
        results = run(grader, tmp_path / "cup.db", strategies=["solo"])
        assert results.figures["grader"].startswith("partly@~") is (grader != Partly())
        return float(results.figures["accuracy"][0]["value"])

    assert [value(Partly(part)) for part in (0.75, 0.25, 0.5)] == [0.75, 0.25, 0.5]
    again = run(Partly(0.75), tmp_path / "cup.db", strategies=["solo"])
    assert (again.figures["accuracy"][0]["value"], again.grades_reused) == (0.75, 12)
    assert run(Partly(), tmp_path / "cup.db", strategies=["solo"]).figures["grader"] == "partly", (
        "as without any options"
    )


def test_a_grader_made_of_what_cannot_be_written_down_says_itself_who_it_is(tmp_path: Path) -> None:
    @dataclass(frozen=True)
    class Told(Partly):
        version: ClassVar[int] = 3

    with pytest.raises(
        moot.MootError, match=r"'words' of grader 'partly' is a set.*expected a plain value, or a `vers"
    ):
        run(Partly(words={"gold"}))
    assert run(Told(words={"gold"}), strategies=["solo"]).figures["grader"] == "partly@3"


@pytest.mark.parametrize("version", ["", "1+2", "a b", 1.5, ["1"]])
def test_a_version_is_a_word_or_a_whole_number(version: Any) -> None:
    with pytest.raises(
        moot.MootError, match=r"version of grader 'mended'.*expected a whole number, or letters, digits"
    ):
        run(Mended(0.0, version))


def test_one_answer_in_two_wordings_is_one_that_waits() -> None:
    """The grader is asked once about all wordings of an answer, so between two that say the same nothing can turn out."""

    class Silent:
        """Rejects lead and has no word yet on tin."""

        name = "silent-on-tin"

        async def grade(self, case: Case, verdict: Verdict) -> Score:
            return Score(0.0, "lead") if verdict.answer == "lead" else Score(None, "unsure")

    def says(name: str, wording: str) -> ScriptedModel:
        return ScriptedModel(name, lambda request: _said("lead" if request.question_id != "0" else wording))

    models = {"ann": says("ann", "Tin"), "bob": says("bob", "the tin."), "cat": says("cat", "tin")}
    hypotheses = ["accuracy(solo@ann) - accuracy(solo@bob) > -1"]
    (row,) = run(Silent(), models=models, strategies=["solo"], hypotheses=hypotheses).figures["hypotheses"]
    assert row["bounds"] == {"low": 0.0, "high": 0.0}


@dataclass
class Strict:
    """Leaves everything to a person, and says so under its own name."""

    detail: str
    name: ClassVar[str] = "strict"

    async def grade(self, case: Case, verdict: Verdict) -> Score:
        return Score(None, "open", self.detail)


@pytest.mark.parametrize("before", ["", "strict: ", "strict: strict: ", "Strict: ", "STRICT: "])
def test_who_leaves_an_answer_open_has_not_failed(before: str) -> None:
    said = f"{before}a person has to look at this"
    results = run(Strict(said))
    assert "plugin_failures" not in results.figures
    assert set(results.frame("scores")["detail"]) == {said}
    assert set(results.frame("scores")["failure"]) == {None}


@pytest.mark.parametrize("said", ["Strict: the same word", "strict: the same word"])
def test_who_grades_in_words_that_begin_with_its_name_has_not_failed(said: str) -> None:
    results = run(Broken("strict", Score(1.0, "word", said)), strategies=["solo"])
    assert [row["value"] for row in results.figures["accuracy"]] == [1.0] * 3
    assert "plugin_failures" not in results.figures


def judged_by(name: str) -> dict[str, Any]:
    """More for `run`: a judge to whom all is right."""
    judge = ScriptedModel(name, lambda request: {"grades": [{"id": 1, "is_correct": True}]})
    models = {player: ScriptedModel(player, lambda request, said=said: _said(said)) for player, said in SAYINGS.items()}
    return {"models": {**models, name: judge}, "judge": {"models": [name]}, "strategies": ["solo"]}


def test_the_word_of_a_judge_with_the_graders_name_is_no_failure_of_the_grader() -> None:
    results = run(Broken("jud", Score(None, "open")), **judged_by("jud"))
    assert [row["value"] for row in results.figures["accuracy"]] == [1.0] * 3
    assert {detail.partition(" (")[0] for detail in results.frame("scores")["detail"]} == {"jud: right"}
    assert "plugin_failures" not in results.figures


def test_a_failure_stands_beside_the_word_of_a_judge_with_the_graders_name() -> None:
    results = run(Broken("jud", KeyError("oops")), **judged_by("jud"))
    (row,) = results.figures["plugin_failures"]
    assert (row["error"], row["times"]) == ("KeyError: 'oops'", 12)
    assert set(results.frame("scores")["failure"]) == {"KeyError: 'oops'"}
    assert {detail.partition(" (")[0] for detail in results.frame("scores")["detail"]} == {
        "jud: KeyError: 'oops'\njud: right"
    }


def test_a_grader_that_fails_raises_and_does_not_say_it_in_a_score() -> None:
    results = run(Broken("shy", Score(None, "open", failure="no service")), strategies=["solo"])
    (row,) = results.figures["plugin_failures"]
    assert row["error"] == "expected an exception where it fails, found a Score with failure='no service'"
