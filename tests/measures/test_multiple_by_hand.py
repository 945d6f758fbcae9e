"""The safety multiple and its jackknife in plain Python, what becomes of an answer, and what questions cost in the mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from scipy import stats
from sqlalchemy import create_engine

from moot.measures.question_costs import (
    FEW,
    NONE_WHOLE,
    QuestionCosts,
    mean_cost,
    means_by_question,
    of_no_known_cost,
    too_many_lack,
    why_no_ratio,
)
from moot.measures.safety.multiple import (
    FEW as FEW_WORDS,
)
from moot.measures.safety.multiple import (
    NO_CHANGE,
    NO_REGRESSION,
    NO_RESCUE,
    NOT_TOLD,
    ONE_QUESTION,
    Multiple,
    RatioCounts,
    multiple,
    multiple_between,
    multiple_p,
    multiple_p_between,
)
from moot.measures.safety.pairs import (
    COULD_FALL,
    COULD_RISE,
    REGRESSIONS,
    RESCUES,
    Pair,
    abstained_row,
    count_of,
    native_value,
    none_shared,
    of_all,
    of_every,
    parts_row,
    per_model,
    questions_left_out,
    split,
    uncounted,
    why_nobody_there,
)
from moot.measures.spending import (
    bill_usd,
    calls_counted,
    costs_known,
    losses_row,
    sum_tokens,
    sum_usd,
    unpriced_losses,
)
from moot.stats.clusters import clustered
from moot.stats.graded import Value
from moot.store import schema

# --- the multiple -----------------------------------------------------------------------------------------------------


def log_multiple(rescues: Sequence[float], regressions: Sequence[float]) -> tuple[float, float]:
    """The logarithm with half a count on both sides, and the standard error of leaving out a question at a time."""
    n, gained, lost = len(rescues), sum(rescues), sum(regressions)
    half = 0.5
    if not gained or not lost:
        squares = sum(each * each for each in [*rescues, *regressions])
        half = 0.5 * max(1.0, squares / max(1.0, gained + lost))
    left = [
        math.log((gained - one + half) / (lost - other + half)) for one, other in zip(rescues, regressions, strict=True)
    ]
    variance = (n - 1) / n * sum((each - sum(left) / n) ** 2 for each in left) + 2 * ((not gained) + (not lost))
    changed = sum(one + other > 0 for one, other in zip(rescues, regressions, strict=True))
    if changed < 10:
        sides = [sum(each > 0 for each in side) for side in (rescues, regressions)]
        variance = max(variance, sum(1 / (side + 0.5) for side in sides))
    return math.log((gained + half) / (lost + half)), math.sqrt(variance)


WORLDS = [
    ([2, 0, 1, 3, 0, 0, 1, 0, 1, 1, 1, 2], [0, 1, 0, 0, 2, 0, 0, 1, 0, 0, 1, 0]),
    ([1, 1, 0, 0, 0], [0, 0, 1, 0, 0]),
    ([9, 9, 0, 0], [0, 0, 0, 0]),
    ([0, 0, 0, 0, 0], [1, 0, 1, 0, 3]),
    ([1] * 20 + [0] * 20, [0] * 20 + [1] * 5 + [0] * 15),
]


@pytest.mark.parametrize(("rescues", "regressions"), WORLDS)
@pytest.mark.parametrize("alpha", [0.05, 0.3])
def test_the_interval_is_the_jackknifes(rescues: list[int], regressions: list[int], alpha: float) -> None:
    centre, error = log_multiple(rescues, regressions)
    z = stats.norm.isf(alpha / 2)
    found = multiple(rescues, regressions, alpha=alpha)
    low, high = math.exp(centre - z * error), math.exp(centre + z * error)
    gained, lost = sum(rescues), sum(regressions)
    if not lost:
        assert found == Multiple(None, pytest.approx(low), None, NO_REGRESSION)
    elif not gained:
        assert found == Multiple(0.0, 0.0, pytest.approx(high), NO_RESCUE)
    else:
        ends = min(low, gained / lost), max(high, gained / lost)
        assert (found.value, found.low, found.high) == pytest.approx((gained / lost, *ends))
        assert found.note == (None if len(rescues) == 40 else FEW_WORDS)
    for threshold in (0.2, 1.0, 3.0):
        expected = 2 * stats.norm.sf(abs(math.log(threshold) - centre) / error)
        below = math.log(threshold) < centre
        open_end = not gained if below else not lost
        assert multiple_p(rescues, regressions, threshold) == pytest.approx(1.0 if open_end else expected)


def test_where_there_is_no_multiple() -> None:
    assert multiple([0, 0], [0, 0]) == Multiple(None, None, None, NO_CHANGE)
    assert multiple([2], [1]) == Multiple(2.0, None, None, ONE_QUESTION)
    assert multiple([2], [0]) == Multiple(None, None, None, ONE_QUESTION)
    with clustered({"a": "x", "b": "x"}):
        assert multiple([2, 0], [1, 0]) == Multiple(2.0, None, None, NOT_TOLD)
        together = multiple({"a": 1, "b": 2, "c": 0}, {"a": 0, "b": 0, "c": 1})
    assert together == multiple([3, 0], [0, 1])
    assert multiple_p([0, 0], [0, 0], 1.0) is multiple_p([1], [1], 1.0) is None
    assert (multiple_p([1, 0], [0, 1], 0.0), multiple_p([1, 0], [0, 1], -1.0)) == (0.0, 0.0)
    assert (multiple_p([0, 0], [0, 1], 0.0), multiple_p([0, 0], [0, 1], -1.0)) == (1.0, 0.0)


@pytest.mark.parametrize(("questions", "changed", "few"), [(30, 10, False), (29, 10, True), (30, 9, True)])
def test_few_questions_or_changes_are_said_to_be_few(questions: int, changed: int, few: bool) -> None:
    rescues = [1] * (changed - 2) + [0] * (questions - changed + 2)
    regressions = [0] * (questions - 2) + [1] * 2
    assert multiple(rescues, regressions).note == (FEW_WORDS if few else None)


def counts(rescues: Sequence[float], regressions: Sequence[float]) -> RatioCounts:
    return RatioCounts(
        {f"q{n}": each for n, each in enumerate(rescues)}, {f"q{n}": each for n, each in enumerate(regressions)}
    )


def test_while_pairs_wait_each_end_has_its_own_counts() -> None:
    seen, worst, best = (
        counts([1] * gained + [0] * (40 - gained), [0] * (40 - lost) + [1] * lost)
        for gained, lost in ((12, 4), (12, 6), (14, 4))
    )
    found = multiple_between(seen, worst, best)
    assert found.value == 3.0
    assert (found.low, found.high) == (multiple(*worst).low, multiple(*best).high)
    assert multiple_p_between(seen, worst, best, 0.5) == multiple_p(*worst, 0.5)
    assert multiple_p_between(seen, worst, best, 9.0) == multiple_p(*best, 9.0)
    assert [multiple_p_between(seen, worst, best, at) for at in (2.0, 3.0, 3.5)] == [1.0] * 3
    none = counts([0] * 40, [0] * 40)
    assert multiple_between(none, worst, best) == multiple(*none)
    assert multiple_p_between(none, worst, best, 1.0) is None
    rescued = counts([1] * 12 + [0] * 28, [0] * 40)
    open_ = multiple_between(rescued, worst, rescued)
    assert (open_.value, open_.low, open_.high, open_.note) == (None, multiple(*worst).low, None, NO_REGRESSION)
    unbounded = multiple_between(seen, worst, rescued)
    assert (unbounded.value, unbounded.low, unbounded.high) == (3.0, multiple(*worst).low, None)
    assert multiple_p_between(seen, worst, rescued, 90.0) == 1.0


# --- what became of an answer -----------------------------------------------------------------------------------------


def pair(native: float | None, after: float | None, **other: Any) -> Pair:
    return Pair("q", "ann", native, after, **other)


@pytest.mark.parametrize(
    ("made", "change"),
    [
        (pair(0.0, 1.0), "rescue"),
        (pair(1.0, 0.0), "regression"),
        (pair(1.0, 1.0), "kept"),
        (pair(0.0, 0.0), "still-wrong"),
        (pair(0.5, 0.75), "part-rescue"),
        (pair(0.5, 0.25), "part-regression"),
        (pair(0.5, 0.5), "part-kept"),
        (pair(0.3, 0.1 + 0.2), "part-kept"),
        (pair(0.0, 0.5), "rescue"),
        (pair(1.0, 0.5), "regression"),
        (pair(0.0, 1e-12), "still-wrong"),
        (pair(1.0, 1 - 1e-12), "kept"),
        (pair(None, 1.0), "ungraded"),
        (pair(1.0, None), "ungraded"),
        (pair(None, 1.0, native_outcome="refused"), "recovered"),
        (pair(None, 0.0, native_outcome="refused"), "still-missing"),
        (pair(1.0, None, after_outcome="refused"), "regression"),
        (pair(0.0, None, after_outcome="refused"), "still-wrong"),
        (pair(0.0, None, after_outcome="abstained"), "abstained"),
        (pair(1.0, 1.0, native_way="again"), "ungraded"),
        (pair(1.0, 1.0, after_way="nothing said"), "ungraded"),
    ],
)
def test_what_became_of_an_answer(made: Pair, change: str) -> None:
    assert made.change == change
    assert made.graded is (change != "ungraded")
    if made.graded:
        assert made.possible == {change}


def test_ways_to_change() -> None:
    assert frozenset({"rescue", "part-rescue"}) == RESCUES
    assert frozenset({"regression", "part-regression"}) == REGRESSIONS
    assert RESCUES | {"still-wrong", "part-kept", "part-regression"} == COULD_RISE
    assert REGRESSIONS | {"kept", "part-kept", "part-rescue"} == COULD_FALL
    assert count_of({"rescue": 3, "part-rescue": 2, "kept": 9}, RESCUES) == 5


def test_what_an_open_pair_may_turn_out_to_be() -> None:
    assert pair(None, 1.0).possible == {"rescue", "kept"}
    assert pair(1.0, None).possible == {"regression", "kept"}
    assert pair(None, None).possible == {"rescue", "kept", "regression", "still-wrong"}
    same = pair(None, None, native_words="x", after_words="x")
    assert (same.possible, same.unchanged) == ({"kept", "still-wrong"}, True)
    other = pair(None, None, native_words="x", after_words="y")
    assert (len(other.possible), other.unchanged) == (4, False)
    assert not pair(None, None, native_words="x", after_words="x", native_outcome="refused").unchanged
    assert not pair(None, 1.0, native_words="x", after_words="x").unchanged
    failed = pair(None, 1.0, native_way="nothing said", native_outcome="failed")
    assert failed.possible == {"recovered", "rescue", "kept"}
    silent = pair(None, 1.0, native_way="nothing said", native_outcome="refused")
    assert silent.possible == {"recovered"}


def test_what_waits_and_what_was_never_heard() -> None:
    waits = pair(None, 1.0, native_way="waiting")
    unheard = pair(None, 1.0, native_way="not heard")
    again = pair(1.0, 1.0, after_way="again")
    never = pair(None, 1.0, native_way="waiting", native_outcome="refused")
    for made, found in (
        (waits, (True, False)),
        (unheard, (False, True)),
        (again, (True, False)),
        (never, (False, False)),
    ):
        assert (made.waits, made.not_heard) == found
        assert made.may_have_changed is any(found)
    same = pair(None, None, native_way="waiting", after_way="waiting", native_words="x", after_words="x")
    assert (same.waits, same.may_have_changed) == (True, False)
    assert uncounted([waits, same, unheard, unheard]) == [
        "1 pair waits for a grade and 2 pairs have an answer that nobody waited for, so that nobody can count what changed"
    ]
    assert uncounted([waits, again]) == ["2 pairs wait for a grade, so that nobody can count what changed"]
    assert uncounted([same, pair(0.0, 1.0)]) == []


def test_an_answer_alone_as_a_value() -> None:
    assert native_value(1.0, "answered", "judge", None) == Value(1.0, 1.0, 1.0, judged=1)
    assert native_value(None, "answered", "not heard", None) == Value(None, 0.0, 1.0, not_heard=1)
    assert native_value(None, "refused", "waiting", None) == Value(0.0, 0.0, 0.0)
    assert native_value(None, "failed", "at once", None, "ann").never_came == ("ann",)
    assert native_value(None, "answered", "waiting", "x").words == (("x", 1.0),)
    assert pair(0.5, 1.0, after_outcome="abstained").after_value.abstained == 1
    assert (pair(0.5, 1.0).in_part, pair(0.0, 1.0).in_part, pair(0.0, 0.5).in_part) == (True, False, True)
    assert not pair(0.5, 1.0, native_outcome="refused").in_part
    assert parts_row([pair(0.5, 1.0), pair(0.0, 1.0)]) == {"in_part": 1}
    assert parts_row([pair(0.0, 1.0)]) == abstained_row([pair(0.0, 1.0)]) == {}
    assert abstained_row([pair(0.0, None, after_outcome="abstained")] * 2) == {"abstained": 2}
    gone = pair(None, 1.0, native_outcome="failed", native_never_came="ann")
    assert why_nobody_there([gone]) == "every answer of ann failed, and nobody knows how good it is"
    assert why_nobody_there([pair(0.0, 1.0)]) is None


def test_plays_that_all_models_have() -> None:
    def of(model: str, *plays: tuple[str, int], cohort: str | None = None) -> list[Pair]:
        return [Pair(question, model, 1.0, 1.0, cohort=cohort, repeat=repeat) for question, repeat in plays]

    ann, bob = of("ann", ("a", 0), ("a", 1), ("b", 0)), of("bob", ("a", 1), ("b", 0), ("c", 0))
    kept = of_all([*ann, *bob])
    assert sorted({(each.question, each.repeat) for each in kept}) == [("a", 1), ("b", 0)]
    assert len(kept) == 4
    assert of_every([ann, bob]) == [ann[1], ann[2], bob[0], bob[1]]
    assert (of_all([]), of_every([])) == ([], [])
    assert questions_left_out([*ann, *bob], kept) == {"c"}
    assert of_all(of("ann", ("a", 0)) + of("ann", ("b", 0), cohort="x")) == []
    assert none_shared([*ann, *bob]) == "none of 3 questions has been played by all 2 models"
    assert [*split([*bob, *ann], lambda each: each.model)] == ["ann", "bob"]


# --- what questions cost ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Asked:
    """As much of an episode as costs go by."""

    key: tuple[str, int]
    cell: dict[str, str]
    outcome: str = "answered"
    unreached: bool = False
    lacks_calls: bool = False


def asked(question: str, cell: str = "x", repeat: int = 0, **other: Any) -> Any:
    return Asked((question, repeat), {"id": cell}, **other)


def test_plays_of_a_cell_first_and_then_cells() -> None:
    seen = [asked("a"), asked("a", repeat=1), asked("a", "y"), asked("b")]
    assert means_by_question([1.0, 2.0, 6.0, 4.0], seen) == {"a": (1.5 + 6.0) / 2, "b": 4.0}
    assert means_by_question([3.0, 5.0], [asked("a"), asked("b")]) == {"a": 3.0, "b": 5.0}
    assert means_by_question([], []) == {}


def test_of_which_questions_nobody_knows_the_cost() -> None:
    """Up to one in twenty may lack calls; more may not, unless all others take alike and these took less."""
    assert FEW == 0.05
    calls = {f"q{n:02}": 4.0 + n % 2 for n in range(40)}
    two, three = frozenset(["q00", "q01"]), frozenset(["q00", "q01", "q02"])
    assert of_no_known_cost(calls, two) == two
    assert of_no_known_cost(calls, three) == frozenset(calls)
    alike = dict.fromkeys(calls, 4.0) | dict.fromkeys(three, 3.0)
    assert of_no_known_cost(alike, three) == three
    assert of_no_known_cost(alike | {"q00": 4.0}, three) == frozenset(calls), "with one more it may have taken as many"
    assert of_no_known_cost({"a": 1.0}, frozenset("a")) == frozenset("a")
    costs = QuestionCosts({"a": 2.0, "b": 4.0}, {"a": 0.5, "b": 1.0}, frozenset("a"))
    assert (costs.calls_per_question, costs.usd_per_question, costs.of_whole_plays()) == (4.0, 1.0, {"cost_n": 1})
    whole = QuestionCosts({"a": 2.0, "b": 4.0}, None)
    assert (whole.calls_per_question, whole.usd_per_question, whole.of_whole_plays()) == (3.0, None, {})


def test_why_there_is_no_ratio_of_costs() -> None:
    seen = [asked("a", outcome="failed"), asked("b", unreached=True), asked("c", lacks_calls=True), asked("d")]
    assert why_no_ratio({"a", "b", "c"}, seen, {}) == NONE_WHOLE
    assert why_no_ratio({"a", "d"}, seen, {"vote": {"a"}, "ann": {"a", "d"}}) == too_many_lack("plays of ann")
    assert why_no_ratio({"a", "d"}, seen, {"vote": {"a"}}) == NONE_WHOLE
    assert too_many_lack() == "so many of its plays lack a call that nobody knows what it takes"


def test_means_and_sums_of_costs() -> None:
    assert mean_cost({"a": 1.0, "b": 2.0}) == 1.5
    assert mean_cost({"a": 1.0, "b": 2.0}, ["b", "c"]) == 2.0
    assert mean_cost(None) is mean_cost({}) is mean_cost({"a": 1.0}, ["b"]) is None
    assert (sum_usd([0.1, 0.2]), sum_usd([0.1, None]), sum_usd([])) == (pytest.approx(0.3), None, 0.0)
    assert (sum_tokens([1, 2]), sum_tokens([1, None]), sum_tokens([])) == (3, None, 0)
    assert calls_counted([(1, 2, None, 0.5), (None, 2, 0, 0.5), (1, None, 0, None), (0, 0, 0, None)]) == 2


def test_a_bill_of_nothing_is_none_where_something_was_paid_at_nobody_knows_how_much() -> None:
    """Beside a call of 30 cents it is those 30 cents; what was lost stands in a row of its own."""
    engine = create_engine("sqlite://")
    schema.metadata.create_all(engine)
    with engine.connect() as connection:
        assert (bill_usd(connection, "cup"), unpriced_losses(connection, "cup")) == (0.0, 0)
        assert losses_row(connection, "cup") == {"losses_usd": 0.0, "losses_unknown": 0}
        for usd, at in ((0.25, 5.0), (0.5, 9.0)):
            connection.execute(schema.losses.insert().values(experiment="cup", usd=usd, created_at=at))
        assert losses_row(connection, "cup") == {"losses_usd": 0.75, "losses_unknown": 0}
        assert losses_row(connection, "cup", since=5.5)["losses_usd"] == 0.5
        assert losses_row(connection, "other")["losses_usd"] == 0.0
        for calls, at in ((2, 5.0), (1, 9.0)):
            connection.execute(schema.unpriced_losses.insert().values(experiment="cup", calls=calls, created_at=at))
        assert (bill_usd(connection, "cup"), bill_usd(connection, "other")) == (None, 0.0)
        assert losses_row(connection, "cup") == {"losses_usd": None, "losses_unknown": 3, "losses_known_usd": 0.75}
        assert losses_row(connection, "cup", since=9.5) == {"losses_usd": 0.0, "losses_unknown": 0}
        call = {"experiment": "cup", "model": "m", "shape": "", "text": "x", "latency_s": 1.0, "created_at": 1.0}
        for key, usd, finish in (("a", 0.3, "stop"), ("b", 0.0, "stop"), ("c", 9.0, "unrecorded")):
            connection.execute(schema.calls.insert().values(key=key, cost_usd=usd, finish=finish, **call))
        assert bill_usd(connection, "cup") == 0.3
        assert costs_known(connection, "cup") == {"calls": 5, "known": 2, "at_least_usd": 0.3}
        connection.execute(schema.calls.insert().values(key="d", cost_usd=None, finish="stop", **call))
        assert bill_usd(connection, "cup") is None
        assert costs_known(connection, "cup") == {"calls": 6, "known": 2, "at_least_usd": 0.3}


def test_the_strongest_alone_stands_first_and_who_is_not_known_last() -> None:
    rows = per_model(
        [
            Pair(f"q{n}", model, grade, 1.0)
            for model, grades in {
                "b": (1.0, 0.0),
                "a": (1.0, 0.0),
                "z": (1.0, 1.0),
                "n": (None, None),
                "0": (0.0, 0.0),
            }.items()
            for n, grade in enumerate(grades)
        ]
    )
    assert [(row["model"], row["native"]) for row in rows] == [
        ("z", 1.0),
        ("a", 0.5),
        ("b", 0.5),
        ("0", 0.0),
        ("n", None),
    ]
    assert [row["after"] for row in rows] == [1.0, 1.0, 1.0, 1.0, None]
    assert [(row["rescues"], row["regressions"]) for row in rows[:4]] == [(0, 0), (1, 0), (1, 0), (2, 0)]
    assert [row["difference"] for row in rows] == [0.0, 0.5, 0.5, 1.0, None]
