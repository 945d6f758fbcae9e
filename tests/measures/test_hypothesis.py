"""Hypotheses: read without evaluating anything, judged by the whole interval."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import beta, binom

from moot.experiment.claims import Number, Operation, Term, check_hypothesis, parse
from moot.experiment.side_names import ClaimError, SideName, cells_meant, parse_side
from moot.measures.claims.figure import Ratio
from moot.measures.claims.hypotheses import hypotheses_figures
from moot.measures.claims.hypothesis import Judged, judge, with_holm
from moot.measures.safety.multiple import multiple
from moot.stats.clusters import clustered
from moot.stats.graded import value_of
from moot.stats.paired import compare, holm, mean_difference
from moot.stats.proportion import wilson
from moot.store.declarations import Declared

CELLS: list[dict[str, Any]] = [
    {"strategy": "solo", "label": "solo", "captain": None, "player": "ann", "team": None},
    {"strategy": "vote", "label": "vote", "captain": "ann", "player": None, "team": "six"},
    {"strategy": "vote", "label": "vote", "captain": "bob", "player": None, "team": "six"},
    {"strategy": "adaptive", "label": "adaptive(talk_from=3)", "captain": "ann", "player": None, "team": "six"},
    {"strategy": "adaptive", "label": "adaptive(talk_from=4)", "captain": "ann", "player": None, "team": "six"},
]


def column(count: int, share: float, seed: int) -> dict[str, float]:
    draw = random.Random(seed)
    return {f"q{n}": float(draw.random() < share) for n in range(count)}


def answered(text: str, known: Mapping[str, Ratio | str], **more: Any) -> Judged:
    found = parse(text)
    return judge(found, {term: known[f"{term.function}({term.side})"] for term in found.terms}, **more)


def test_the_form() -> None:
    found = parse("accuracy(talkative@ann) - 2 * accuracy(vote) > -0.5e1")
    talkative, vote = Term("accuracy", SideName("talkative", "ann")), Term("accuracy", SideName("vote"))
    assert found.left == Operation("-", talkative, Operation("*", Number(2.0), vote))
    assert found.right == Operation("*", Number(-1.0), Number(5.0))
    assert found.sign == ">"
    assert found.terms == (talkative, vote)


@pytest.mark.parametrize(
    ("text", "side"),
    [
        ("accuracy(adaptive(talk_from=3)@ann) > 0", SideName("adaptive(talk_from=3)", "ann")),
        ("accuracy( adaptive( talk_from = 3 ) ) > 0", SideName("adaptive(talk_from=3)")),
        ("accuracy(discuss(agents=3,style=simple)@b.c) > 0", SideName("discuss(agents=3, style=simple)", "b.c")),
        ("safety_multiple(peer-review, open) > 0", SideName("peer-review", None, "open")),
        ("net(peer-review@ann, open) < 0", SideName("peer-review", "ann", "open")),
    ],
)
def test_who_is_meant(text: str, side: SideName) -> None:
    assert parse(text).terms[0].side == side


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("acuracy(x) > 0", "unknown function 'acuracy'.*accuracy"),
        ("accuracy(x", "closes accuracy"),
        ("accuracy(x)", "expected > or < at character 12"),
        ("accuracy(x) > 0 > 1", "expected the end"),
        ("accuracy(x) >= 0", "a number, a bracket"),
        ("1 > 0", "names no strategy"),
        ("accuracy(x, a, b) > 0", "at most, a cohort"),
        ("accuracy(x, ) > 0", "a cohort after the comma"),
        ("accuracy() > 0", "expected a strategy"),
        ("accuracy(@ann) > 0", "expected a strategy"),
        ("(accuracy(x) > 0", r"expected \)"),
        ("__import__('os').system('x') > 0", "unknown function"),
        ("(" * 60 + "1" + ")" * 60 + " > accuracy(x)", "too many brackets"),
        ("-" * 60 + "1 > accuracy(x)", "too many brackets"),
    ],
)
def test_what_cannot_be_read(text: str, said: str) -> None:
    with pytest.raises(ClaimError, match=said):
        parse(text)


@given(st.text(alphabet="accuracy()@,<>+-*/ 0.1xé\n", max_size=60))
def test_nothing_else_is_raised(text: str) -> None:
    with contextlib.suppress(ClaimError):
        assert parse(text).terms


def test_names_are_looked_up() -> None:
    assert len(cells_meant(parse_side("vote"), CELLS)) == 2
    assert len(cells_meant(parse_side("vote@bob"), CELLS)) == 1
    assert cells_meant(parse_side("solo@ann"), CELLS)[0]["player"] == "ann"
    with pytest.raises(ClaimError, match="may be any of adaptive"):
        cells_meant(parse_side("adaptive"), CELLS)
    with pytest.raises(ClaimError, match=r"'voet' is not played here.*vote"):
        cells_meant(parse_side("voet"), CELLS)
    with pytest.raises(ClaimError, match=r"'eve' leads no play.*ann, bob"):
        cells_meant(parse_side("vote@eve"), CELLS)
    with pytest.raises(ClaimError, match="unknown cohort 'opn'; expected one of open"):
        check_hypothesis("net(vote, opn) > 0", CELLS, {"open": ["six"]})
    with pytest.raises(ClaimError, match="about a team"):
        check_hypothesis("gap_closure(solo@ann) > 0", CELLS)


def test_a_paired_difference_is_that_of_the_comparisons() -> None:
    first, second = column(300, 0.6, 1), column(300, 0.45, 2)
    known = {"accuracy(a)": Ratio(first), "accuracy(b)": Ratio(second)}
    found = answered("accuracy(a) - accuracy(b) > 0", known)
    paired = compare([(first[q], second[q]) for q in sorted(first)])
    assert paired.difference is not None
    assert (found.value, found.low, found.high) == (
        paired.difference.value,
        paired.difference.low,
        paired.difference.high,
    )
    assert (found.p, found.test, found.answer) == (paired.p, "mcnemar", "confirmed")
    same = answered("accuracy(a) > accuracy(b)", known)
    assert (same.value, same.low, same.p) == (found.value, found.low, found.p)
    assert answered("accuracy(a) - accuracy(b) < 0", known).answer == "refuted"
    assert answered("accuracy(a) - accuracy(b) > 0.15", known).answer == "open"


def test_a_share_by_itself_is_wilsons() -> None:
    right = column(200, 0.6, 3)
    found = answered("accuracy(a) > 0.3", {"accuracy(a)": Ratio(right)})
    expected = wilson(sum(right.values()), 200)
    assert (found.value, found.low, found.high, found.answer) == (
        expected.value,
        expected.low,
        expected.high,
        "confirmed",
    )


def right(count: int, of: int) -> Ratio:
    return Ratio({f"q{n}": float(n < count) for n in range(of)})


def first_of(judged: Judged, family: int) -> dict[str, Any]:
    """Its row among so many, of which the others show nothing."""
    beside = answered("gap_closure(b) > 0", {"gap_closure(b)": "there is no gap"})
    return with_holm([judged, *[beside] * (family - 1)], [True] * family)[0]


@pytest.mark.parametrize(
    ("threshold", "questions", "family"), [(0.99, 30, 10), (0.98, 50, 10), (0.01, 30, 10), (0.995, 30, 1)]
)
def test_true_thresholds_near_the_ends_are_seldom_settled(threshold: float, questions: int, family: int) -> None:
    """Over all that may come out: K independent accuracies that are what the hypotheses say. Any of them is settled exactly
    where one would be settled first, with all the others open."""
    text = f"accuracy(a) > {threshold}"
    judged = [answered(text, {"accuracy(a)": right(count, questions)}) for count in range(questions + 1)]
    rows = [first_of(one, family) for one in judged]
    settled = sum(binom.pmf(count, questions, threshold) for count, row in enumerate(rows) if row["verdict"] != "open")
    assert 1 - (1 - settled) ** family <= 0.05
    for row in rows:
        assert row["p_holm"] >= row["p"]
        assert row["low_holm"] <= row["low"] <= row["high"] <= row["high_holm"]
        assert (row["p_holm"] <= 0.05) == (not row["low_holm"] <= threshold <= row["high_holm"])
        assert (row["verdict"] != "open") == (row["p_holm"] <= 0.05)


def test_a_share_is_judged_by_no_less_than_clopper_and_pearson() -> None:
    found = answered("accuracy(a) > 0.99", {"accuracy(a)": right(28, 30)})
    [row] = with_holm([found], [True])
    plain = wilson(28, 30)
    assert (row["low"], row["high"]) == (plain.low, plain.high), "one score has one interval"
    assert row["high"] < 0.99 < row["high_holm"]
    ends = min(plain.low or 0.0, beta.ppf(0.025, 28, 3)), max(plain.high or 1.0, beta.ppf(0.975, 29, 2))
    assert (row["low_holm"], row["high_holm"]) == pytest.approx(ends, abs=1e-9)
    assert row["p"] < 0.05 < row["p_holm"]
    assert row["p_holm"] == pytest.approx(2 * binom.cdf(28, 30, 0.99))
    assert row["verdict"] == found.answer == "open"


def test_a_share_is_judged_by_clusters_and_by_whatever_waits() -> None:
    """Lost clusters are what is rare; and no grading of what waits would settle what is not settled now, or the reverse."""
    values = {f"q{n}": float(n >= 6) for n in range(90)}
    text = "accuracy(a) > 0.985"
    alone = answered(text, {"accuracy(a)": Ratio(values)})
    with clustered({question: str(int(question[1:]) // 3) for question in values}):
        together = answered(text, {"accuracy(a)": Ratio(values)})
        [row] = with_holm([together], [True])
    assert row["high_holm"] == pytest.approx(beta.ppf(0.975, 29, 2), abs=1e-9), "two of thirty clusters are lost"
    assert (alone.answer, together.answer) == ("refuted", "open")

    seen = {question: value for question, value in values.items() if question not in ("q50", "q60")}
    ends = [{**seen, "q50": end, "q60": end} for end in (0.0, 1.0)]
    open_values = {question: value_of([None]) for question in ("q50", "q60")}
    waiting = Ratio(seen, open=open_values, worst=ends[0], best=ends[1], waiting=2)
    [held] = with_holm([answered(text, {"accuracy(a)": waiting})], [True])
    gradings = [{**seen, "q50": one, "q60": other} for one in (0.0, 1.0) for other in (0.0, 1.0)]
    for grading in gradings:
        [graded] = with_holm([answered(text, {"accuracy(a)": Ratio(grading)})], [True])
        assert held["low_holm"] <= graded["low_holm"] < graded["high_holm"] <= held["high_holm"]
        assert graded["p_holm"] <= held["p_holm"]
    assert held["p"] <= held["p_holm"]


@settings(max_examples=60)
@given(
    st.lists(st.sampled_from((0.0, 0.25, 0.5, 1.0)), min_size=2, max_size=30),
    st.sampled_from((0.0, 0.005, 0.05, 0.3, 0.5, 0.9, 0.99, 1.0)),
    st.integers(1, 12),
)
def test_the_p_and_the_interval_that_judge_a_share_agree(scores: list[float], threshold: float, family: int) -> None:
    known = {"accuracy(a)": Ratio({f"q{n}": score for n, score in enumerate(scores)})}
    judged = answered(f"accuracy(a) > {threshold}", known)
    row = first_of(judged, family)
    assert row["p_holm"] >= row["p"]
    assume(abs(row["p_holm"] - 0.05) > 1e-9)  # just at the level the last digit decides, and a verdict asks for both
    assert (row["p_holm"] <= 0.05) == (not row["low_holm"] <= threshold <= row["high_holm"])


def test_arithmetic_has_an_interval() -> None:
    first, second = column(400, 0.6, 4), column(400, 0.4, 5)
    known = {"accuracy(a)": Ratio(first), "accuracy(b)": Ratio(second)}
    found = answered("accuracy(a) * accuracy(b) > 0.1", known)
    shares = [sum(each.values()) / 400 for each in (first, second)]
    product = shares[0] * shares[1]
    spread = product * sum((1 - share) / (share * 400) for share in shares) ** 0.5
    assert found.value == pytest.approx(product)
    assert found.low == pytest.approx(product - 1.96 * spread, abs=0.02)
    assert found.high == pytest.approx(product + 1.96 * spread, abs=0.02)
    assert (found.answer, found.test) == ("confirmed", "bootstrap")
    assert found.p is not None
    assert found.p < 0.01
    scaled = answered("100 * (accuracy(a) - accuracy(b)) + 1 > 0", known)
    assert scaled.value == pytest.approx((sum(first.values()) - sum(second.values())) / 400)
    assert scaled.threshold == -0.01


DIFFERENCE = (
    "accuracy(a) - accuracy(b) > 0.1",
    "accuracy(a) > accuracy(b) + 0.1",
    "accuracy(a) - 0.1 > accuracy(b)",
    "0.1 < accuracy(a) - accuracy(b)",
    "accuracy(b) + 0.1 < accuracy(a)",
    "-accuracy(b) > 0.1 - accuracy(a)",
    "100 * accuracy(a) > 100 * accuracy(b) + 10",
    "accuracy(a) + net(c) / 60 - net(c) / 60 > accuracy(b) + 0.1",
)
SHARE = (
    "accuracy(a) > 0.5",
    "0.5 < accuracy(a)",
    "accuracy(a) - 0.5 > 0",
    "100 * accuracy(a) > 50",
    "-accuracy(a) < -0.5",
)
MULTIPLE = ("safety_multiple(c) > 2", "safety_multiple(c) - 2 > 0", "0 > 4 - 2 * safety_multiple(c)")


@pytest.mark.parametrize("spelt", [DIFFERENCE, SHARE, MULTIPLE], ids=["difference", "share", "multiple"])
def test_one_claim_has_one_test_and_one_p_however_it_is_spelt(spelt: tuple[str, ...]) -> None:
    """22 against 2 of 100 questions: by the score test of pairs, and not by the wider bounds of a mean."""
    first = {f"q{n}": float(n < 62) for n in range(100)}
    second = {f"q{n}": float(22 <= n < 64) for n in range(100)}
    turned = Ratio({f"q{n}": float(n < 30) for n in range(100)}, {f"q{n}": float(n > 94) for n in range(100)})
    known = {"accuracy(a)": Ratio(first), "accuracy(b)": Ratio(second), "safety_multiple(c)": turned, "net(c)": turned}
    plain, *others = [answered(text, known) for text in spelt]
    for other in others:
        mirrored = -1.0 if other.hypothesis.text == "accuracy(b) + 0.1 < accuracy(a)" else 1.0
        assert (other.test, other.answer, other.n) == (plain.test, plain.answer, plain.n)
        assert other.p == pytest.approx(plain.p)
        found = sorted(mirrored * (end or 0.0) for end in (other.low, other.high))
        assert found == pytest.approx([plain.low, plain.high])
        assert (other.value, other.threshold) == pytest.approx((mirrored * plain.value, mirrored * plain.threshold))  # type: ignore[operator]
    if spelt is DIFFERENCE:
        assert plain.p == pytest.approx(0.0208, abs=1e-4)


def test_the_multiple_has_an_interval_of_its_own() -> None:
    rescues, regressions = column(200, 0.2, 6), column(200, 0.05, 7)
    found = answered("safety_multiple(a) > 1", {"safety_multiple(a)": Ratio(rescues, regressions)})
    order = sorted(rescues)
    expected = multiple([rescues[q] for q in order], [regressions[q] for q in order])
    assert (found.value, found.low, found.high) == (expected.value, expected.low, expected.high)
    none = answered("safety_multiple(a) > 1", {"safety_multiple(a)": Ratio(rescues, dict.fromkeys(rescues, 0.0))})
    assert none.value is None
    assert none.high is None
    assert none.low is not None
    assert none.answer == "confirmed"


def test_what_was_declared_for_another_plan_stays_open_and_says_so() -> None:
    source: Any = SimpleNamespace(config={"hypotheses": ["accuracy(vote >"]}, seed=0, cells=[], served=True)
    declared = [Declared("hypothesis", "what?", 12.0, frozen=True), Declared("primary", "no claim", 12.0, frozen=True)]
    rows = hypotheses_figures(source, [], declared)
    assert [(row["hypothesis"], row["declared_at"]) for row in rows] == [("what?", 12.0), ("accuracy(vote >", None)]
    for row in rows:
        assert (row["verdict"], row["test"], row["n"], row["small"]) == ("open", "none", 0, True)
        assert {row[key] for key in ("value", "low", "high", "p", "p_holm", "low_holm", "high_holm")} == {None}
        assert row["note"]


def test_what_cannot_be_known_stays_open_and_says_why() -> None:
    right = column(50, 0.5, 8)
    unknown = answered("cost(a) < 1", {"cost(a)": "the cost of a is unknown"})
    assert (unknown.answer, unknown.why_open, unknown.n) == ("open", "the cost of a is unknown", 0)
    other = {f"r{n}": 1.0 for n in range(5)}
    apart = answered("accuracy(a) - accuracy(b) > 0", {"accuracy(a)": Ratio(right), "accuracy(b)": Ratio(other)})
    assert (apart.answer, apart.n) == ("open", 0)
    one = answered("accuracy(a) > 0", {"accuracy(a)": Ratio({"q": 1.0})})
    assert (one.low, one.answer) == (None, "open")
    nothing = answered(
        "accuracy(a) / accuracy(b) > 1", {"accuracy(a)": Ratio(right), "accuracy(b)": Ratio(dict.fromkeys(right, 0.0))}
    )
    assert nothing.value is None
    assert "divide" in (nothing.why_open or "")
    same = answered("cost(a) > 1", {"cost(a)": Ratio(dict.fromkeys(right, 0.5))})
    assert (same.value, same.low, same.answer) == (0.5, None, "open")


def test_those_declared_beforehand_are_a_family() -> None:
    known = {"accuracy(a)": Ratio(column(300, 0.6, 1)), "accuracy(b)": Ratio(column(300, 0.52, 2))}
    texts = ["accuracy(a) - accuracy(b) > 0", "accuracy(a) / accuracy(b) > 1", "accuracy(b) > 0.5"]
    judged = [answered(text, known) for text in texts]
    rows = with_holm(judged, [True, True, False])
    assert [row["p_holm"] for row in rows[:2]] == holm([judged[0].p or 0, judged[1].p or 0])
    assert rows[2]["p_holm"] == judged[2].verdict_p, "an exploratory one is a family of its own"
    assert [row["family"] for row in rows] == [2, 2, 1]


def test_one_without_a_p_was_declared_all_the_same() -> None:
    """Else what the data came to would decide how many there are to pay for."""
    known: dict[str, Ratio | str] = {"accuracy(a)": Ratio(column(300, 0.6, 1)), "gap_closure(b)": "there is no gap"}
    judged = [answered(text, known) for text in ("accuracy(a) > 0.5", "gap_closure(b) > 0")]
    tested, untested = with_holm(judged, [True, True])
    assert tested["p_holm"] == pytest.approx(2 * (judged[0].verdict_p or 0.0))
    assert (untested["p"], untested["p_holm"], untested["verdict"]) == (None, None, "open")
    assert tested["family"] == untested["family"] == 2


def test_sums_and_differences_are_tested_by_their_bounds() -> None:
    """One of six repaired on every third of thirty questions does not show that no question is ever lost for all six."""
    questions = [f"q{n}" for n in range(30)]
    none = dict.fromkeys(questions, 0.0)
    gains = {question: float(n % 3 == 0) for n, question in enumerate(questions)}
    counts = dict.fromkeys(questions, 1 / 30)
    known = {"net(a)": Ratio(gains, counts, most=6.0), "net(b)": Ratio(none, counts, most=6.0)}
    found = answered("net(a) > net(b)", known)
    expected = mean_difference({question: gain / 12 for question, gain in gains.items()})
    assert expected is not None
    assert (found.value, found.test, found.answer) == (10.0, "score", "open")
    ends = (360 * (expected.low or 0.0), 360 * (expected.high or 0.0))
    assert (found.low, found.high) == pytest.approx(ends)
    moved = answered("(net(a) - net(b)) / 2 + 1 > 1", known)
    assert (moved.value, moved.low, moved.high) == pytest.approx((5.0, *(end / 2 for end in ends)))
    assert moved.threshold == 0.0
    assert moved.p == pytest.approx(found.p)
    assert answered("net(a) - net(a) > 0", known).low is None
    assert answered("net(a) * net(b) > 0", known).test in ("bootstrap", "none")


def test_p_and_limits_of_a_sum_agree() -> None:
    known = {"accuracy(a)": Ratio(column(60, 0.6, 1)), "accuracy(b)": Ratio(column(60, 0.4, 2))}
    found = answered("accuracy(a) + 2 * accuracy(b) > 1", known)
    assert found.figure is not None
    assert found.low is not None
    assert found.high is not None
    assert 0 < found.low < (found.value or 0.0) < found.high < 3
    for end in (found.low, found.high):
        assert found.figure.p(end) == pytest.approx(0.05)


def test_a_sum_holds_every_way_in_which_what_waits_may_be_graded() -> None:
    first, second = column(60, 0.7, 3), column(60, 0.4, 4)
    seen = {question: right for question, right in first.items() if question not in ("q1", "q2")}
    values = {question: value_of([None]) for question in ("q1", "q2")}
    ends = [{**seen, "q1": end, "q2": end} for end in (0.0, 1.0)]
    waiting = Ratio(seen, open=values, worst=ends[0], best=ends[1], waiting=2)
    text = "0.5 * accuracy(a) > accuracy(b) - 0.1"
    found = answered(text, {"accuracy(a)": waiting, "accuracy(b)": Ratio(second)})
    worst, best = (answered(text, {"accuracy(a)": Ratio(end), "accuracy(b)": Ratio(second)}) for end in ends)
    assert (found.low, found.high) == pytest.approx((worst.low, best.high))
    assert found.bounds == pytest.approx({"low": worst.value, "high": best.value})
    assert found.test == "score"
    drawn = answered("accuracy(a) * accuracy(b) > 0.1", {"accuracy(a)": waiting, "accuracy(b)": Ratio(second)})
    assert (drawn.low, drawn.test) == (None, "none")
    assert "waits for a grade" in (drawn.why_open or "")


def test_who_changes_a_team_until_it_is_confirmed_pays_for_each_version() -> None:
    """Nothing is to be found: of three players who are right as often, the third is changed up to five times."""
    draw, worlds, alone, paid = random.Random(3), 50, 0, 0
    for _ in range(worlds):
        ann = {f"q{n}": float(draw.random() < 0.6) for n in range(100)}
        verdicts = []
        for version in range(6):
            vote = {q: 1 - right if draw.random() < (1 / 3 if right else 1 / 2) else right for q, right in ann.items()}
            judged = answered("accuracy(a) - accuracy(b) > 0", {"accuracy(a)": Ratio(vote), "accuracy(b)": Ratio(ann)})
            rows = [with_holm([judged], [not version], [tried])[0]["verdict"] for tried in (0, version)]
            verdicts.append([verdict == "confirmed" for verdict in rows])
        alone += any(as_the_first for as_the_first, _ in verdicts)
        paid += any(as_tried for _, as_tried in verdicts)
    assert alone / worlds > 0.05, "else this world has nothing to show"
    assert paid / worlds <= 0.05


@pytest.mark.parametrize("n", [4, 12])
@pytest.mark.parametrize(
    "text",
    [
        "cost(a) * cost(b) > 0.3",
        "cost(a) * cost(a) > 0.3",
        "cost(a) * cost(a) - cost(a) > 0.3",
        "accuracy(a) * cost(b) > 0.3",
        "accuracy(a) * accuracy(b) > 0.3",
    ],
)
def test_p_and_limits_of_products_and_money_agree_also_where_resamples_do_not_reach(text: str, n: int) -> None:
    """At a level that few questions cannot tell there is no end, and no threshold whose p is so small."""
    draw = random.Random(f"{text} {n}")
    hypothesis = parse(text)
    ratios = {
        term: Ratio(
            {
                f"q{place}": float(draw.random() < 0.6) if term.function == "accuracy" else draw.lognormvariate(0, 1)
                for place in range(n)
            }
        )
        for term in hypothesis.terms
    }
    figure = judge(hypothesis, ratios, resamples=1_000).figure
    assert figure is not None
    ends = []
    for limits, p_of in ((figure.limits, figure.p), (figure.verdict_limits, figure.verdict_p)):
        for alpha in (0.2, 0.05, 0.01, 0.002):
            low, high = limits(alpha)
            for end, away in (
                (end, away) for end in (low, high) if end is not None for away in (-1.0, -1e-3, 1e-3, 1.0)
            ):
                threshold = end + away * (0.1 + abs(end))
                p = p_of(threshold)
                left_out = (low is not None and low > threshold) or (high is not None and high < threshold)
                assert p is not None
                assert (p <= alpha) == left_out, (alpha, threshold, p, low, high)
            ends += [low, high]
    assert any(end is not None for end in ends)
    for alpha in (0.2, 0.05, 0.01, 0.002):
        p = figure.p(-1e9)
        assert p is not None
        assert (p <= alpha) == (figure.limits(alpha)[0] is not None)
