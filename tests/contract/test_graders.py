"""What a grader may say: the contract suite, the border of a run and the page agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from moot import Case, Question, Score, Verdict
from moot.grade.graders import AskedOnce
from moot.grade.match import REJECTED, match
from moot.grade.normalise import normalise
from moot.testing import check_grader

CASE = Case(Question("1", "Which games?"), "Olympics", accepted=("Olympic Games",), rejected=("Olympiad",))

VALUES = st.none() | st.floats() | st.integers(-1, 2) | st.booleans() | st.text(max_size=2)
STAGES = st.sampled_from(["mine", "judge", "person", "disputed", "ungraded", "match", "", None, 3])
DETAILS = st.sampled_from([None, "so", 5])


@dataclass(frozen=True)
class Always:
    """Says one thing of everything."""

    given: Any
    name: str = "always"
    version: int = 1

    async def grade(self, case: Case, verdict: Verdict) -> Score:
        return self.given  # type: ignore[no-any-return]


@settings(max_examples=25)
@given(st.builds(Score, VALUES, STAGES, DETAILS) | st.none() | st.floats())
@example(Score(0.5, "half"))
@example(Score(None, "left open"))
@example(Score(0.0, "wrong"))
@example(Score(1.0, "right"))
@example(Score(0.5, "judge"))
@example(Score(0.5, ""))
async def test_the_suite_passes_what_a_run_takes_and_nothing_else(said: Any) -> None:
    run = AskedOnce(Always(said))
    await run.ask(CASE, ["Olympics"])
    taken = run.score(CASE, "Olympics")
    assert taken.value is None or 0 <= taken.value <= 1, "whatever it said, nothing else becomes a grade"
    # The same of everything is false where it is sure: the reference is then wrong, or what is rejected right.
    if not run.broken and taken.value not in (0.0, 1.0):
        await check_grader(Always(said))
        return
    with pytest.raises(AssertionError) as raised:
        await check_grader(Always(said))
    problem = next(iter(run.broken.values()), "expected ")
    assert problem in str(raised.value), "one fault, one wording"


class Grades:
    name = "grades"

    async def grade(self, case: Case, verdict: Verdict) -> Score:
        return Score(self.value(case, verdict.answer or ""), "own")

    def value(self, case: Case, answer: str) -> float | None:
        raise NotImplementedError


class OpenUnlessSure(Grades):
    """Knows nothing but the reference, and leaves all else to judges."""

    def value(self, case: Case, answer: str) -> float | None:
        return 1.0 if normalise(answer) == normalise(case.answer or "[UNKNOWN]") else None


class SharedWords(Grades):
    """A share, unless the file's own grader is sure."""

    def value(self, case: Case, answer: str) -> float | None:
        score = match(case, answer)
        return score.value if score.value != 0.0 or score == REJECTED else 0.25


@pytest.mark.parametrize("grader", [OpenUnlessSure(), SharedWords()])
async def test_graders_that_leave_open_or_give_shares_keep_the_contract(grader: Grades) -> None:
    await check_grader(grader)


class IgnoresAccepted(Grades):
    def value(self, case: Case, answer: str) -> float | None:
        return float(normalise(answer) == normalise(case.answer or "[UNKNOWN]"))


class IgnoresRejected(Grades):
    def value(self, case: Case, answer: str) -> float | None:
        score = match(case, answer)
        return float(score.value == 1.0 or score == REJECTED)


class ReadsCase(Grades):
    def value(self, case: Case, answer: str) -> float | None:
        return 0.9 if answer[:1].isupper() else 0.8


class ReadsArticles(Grades):
    def value(self, case: Case, answer: str) -> float | None:
        return 1.0 if answer.lower() == (case.answer or "").lower() else None


class NeedsAReference(Grades):
    def value(self, case: Case, answer: str) -> float | None:
        return 1.0 if normalise(answer) == normalise(case.answer) else None  # type: ignore[arg-type]


class Moody(Grades):
    asked = 0

    def value(self, case: Case, answer: str) -> float | None:
        self.asked += 1
        return 1 / self.asked


class Hurried:
    name = "hurried"

    def grade(self, case: Case, verdict: Verdict) -> Score:
        return Score(0.5, "at once")


@pytest.mark.parametrize(
    ("grader", "words"),
    [
        (IgnoresAccepted(), "'Olympic Games' .*is what the file says is right: expected more than 0, or None; found 0"),
        (IgnoresRejected(), "'Olympiad' .*is what the file rejects: expected less than 1, or None; found 1"),
        (ReadsCase(), "'Olympics' .*is worth 0.9, and 'olympics' 0.8: answers that differ in case"),
        (NeedsAReference(), r"'\[UNKNOWN\]' \(reference None\): grades: .*Error"),
        (ReadsArticles(), "'Olympics' .*is worth 1.0, and 'The Olympics!' None"),
        (Moody(), "'Olympics' .*asked twice it does not say the same"),
        (Hurried(), "hurried: expected async def grade"),
    ],
    ids=lambda value: type(value).__name__,
)
async def test_what_would_make_a_false_grade_is_found_out(grader: Any, words: str) -> None:
    with pytest.raises(AssertionError, match=words):
        await check_grader(grader)
