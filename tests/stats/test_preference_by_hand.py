"""What a share of preferences is made of, step by step, beside SciPy and formulas written out here."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from scipy import optimize, stats

from moot.stats.bounded_mean import BoundedMean
from moot.stats.clusters import clustered
from moot.stats.preference import Preferences, PreferenceWord, doublings, raw_rate
from moot.stats.preference_doubts import BothOrders, Reach, reaches, small_difference, up_to
from moot.stats.preference_reasons import BY_PLACE, NOT_TOLD_APART, ONE_ORDER, UNHEARD
from moot.stats.preference_share import Rate, jackknife_error, left_out_rate, odds_of, rate_of, share
from moot.stats.word_table import RIDGE, logistic

PAIR, OTHER = ("team", "ann"), ("team", "bob")


def logit(share: float) -> float:
    return math.log(share / (1 - share))


def sigmoid(odds: float) -> float:
    return 1 / (1 + math.exp(-odds))


def both(
    liked: Sequence[tuple[float, float]], *, judge: str = "ivy", pair: tuple[str, str] = PAIR, longer: float = 0.0
) -> list[PreferenceWord]:
    """Question by question: how the side fared standing first, and second; every third text is longer, the others shorter."""
    return [
        PreferenceWord(f"q{n}", pair, 0, judge, value, place, longer * (1 - (n % 3)))
        for n, each in enumerate(liked)
        for value, place in zip(each, (1, -1), strict=True)
    ]


# --- shares and their intervals ---------------------------------------------------------------------------------------


def test_words_weigh_by_question_play_judge_and_word() -> None:
    """q0: of two plays the first has two judges, one of whom says two words. q1: a single word."""
    said = [
        PreferenceWord("q0", PAIR, 0, "ivy", 1.0, 1),
        PreferenceWord("q0", PAIR, 0, "ivy", 0.0, -1),
        PreferenceWord("q0", PAIR, 0, "jim", 1.0, 1),
        PreferenceWord("q0", PAIR, 1, "ivy", 0.0, 1),
        PreferenceWord("q1", PAIR, 0, "ivy", 1.0, 1),
    ]
    rate = raw_rate(said)
    assert rate.value == pytest.approx((0.5 * (0.5 * 0.5 + 0.5) + 1.0) / 2)
    assert list(rate.mean.sizes) == [1.0, 1.0]
    assert list(rate.mean.sums) == pytest.approx([2 * 0.375 - 1, 1.0])
    two_pairs = [*said, PreferenceWord("q0", OTHER, 0, "ivy", 1.0, 1)]
    assert raw_rate(two_pairs).mean.sizes == pytest.approx([2.0, 1.0]), "a question has one for each pair"


def test_questions_that_hang_together_are_one_unit() -> None:
    said = [(f"q{n}", liked) for n, liked in enumerate((1.0, 0.5, 0.0, 1.0))]
    with clustered({"q0": "c", "q2": "c"}):
        together = share(said)
    assert together is not None
    assert (list(together.mean.sums), list(together.mean.sizes)) == ([0.0, 0.0, 1.0], [2.0, 1.0, 1.0])
    assert (together.value, share([])) == (0.625, None)


def test_a_share_is_its_mean_from_minus_one_to_one() -> None:
    rate = rate_of([1.5, 0.5, 1.0], [2.0, 1.0, 1.0])
    assert rate.value == 0.75
    assert list(rate.mean.sums) == [1.0, 0.0, 1.0]
    low, high = BoundedMean([1.0, 0.0, 1.0], [2.0, 1.0, 1.0]).limits(0.1)
    assert rate.limits(0.1) == ((low + 1) / 2, (high + 1) / 2)
    assert rate.at_most_half() == pytest.approx(rate.mean.at_most(0.0))
    assert rate_of([0.5], [1.0]).limits(0.05) is None
    assert rate_of([0.5], [1.0]).at_most_half() is None


def test_an_interval_is_also_students_of_the_log_odds() -> None:
    units = [0.6, 0.2, 0.4, 0.2, 0.6]
    fitted = Rate(0.7, BoundedMean(units, [1.0] * 5), odds=logit(0.7), error=0.9)
    away = stats.t.ppf(0.975, 4) * 0.9
    bounded = [(end + 1) / 2 for end in fitted.mean.limits(0.05)]
    assert fitted.limits(0.05) == pytest.approx(
        (min(bounded[0], sigmoid(logit(0.7) - away)), max(bounded[1], sigmoid(logit(0.7) + away)))
    )
    assert sigmoid(logit(0.7) - away) < bounded[0], "the example shows it"
    sure = Rate(0.7, fitted.mean, odds=logit(0.7), error=0.01)
    assert sure.limits(0.05) == pytest.approx(tuple(bounded))
    assert fitted.at_most_half() == pytest.approx(stats.t.sf(logit(0.7) / 0.9, 4))
    assert sure.at_most_half() == pytest.approx(fitted.mean.at_most(0.0))
    below = Rate(0.3, BoundedMean([-each for each in units], [1.0] * 5), odds=logit(0.3), error=0.9)
    assert below.at_most_half() == pytest.approx(max(below.mean.at_most(0.0), stats.t.cdf(logit(0.7) / 0.9, 4)))


def test_an_interval_holds_the_value_and_stays_a_share() -> None:
    mean = BoundedMean([0.0, 0.0, 0.0], [1.0] * 3)
    low, high = Rate(0.999, mean).limits(0.9) or (1.0, 0.0)
    assert (low < 0.5, high) == (True, 0.999)
    low, high = Rate(0.001, mean).limits(0.9) or (1.0, 0.0)
    assert (low, high > 0.5) == (0.001, True)


def test_whichever_form_is_the_right_one_is_held() -> None:
    plain = rate_of([1.0, 0.0, 1.0, 1.0], [1.0] * 4)
    other = rate_of([0.0, 0.0, 1.0, 0.0], [1.0] * 4)
    single = rate_of([1.0], [1.0])
    doubted = Rate(plain.value, plain.mean, otherwise=(other, single))
    assert doubted.limits(0.05) == ((other.limits(0.05) or (9, 9))[0], (plain.limits(0.05) or (9, 9))[1])
    assert doubted.at_most_half() == other.at_most_half() > plain.at_most_half()  # type: ignore[operator]


def test_a_jackknife_by_hand() -> None:
    """Of three units that weigh 1, 2 and 1: pseudo-values 0.9, 1.0 and 0.6, which come to 2.5 of the 2.4 that there are."""
    found = left_out_rate(0.6, [1.0, 2.0, 1.0], [0.5, 0.7, 0.6])
    parts = [0.9 - 0.025, 1.0 - 0.05, 0.6 - 0.025]
    assert list(found.mean.sums) == pytest.approx([2 * parts[0] - 1, 2 * parts[1] - 2, 2 * parts[2] - 1])
    assert list(found.mean.sizes) == [1.0, 2.0, 1.0]
    odds = [logit(each) for each in (0.5, 0.7, 0.6)]
    assert found.error == pytest.approx(math.sqrt(2 / 3 * sum((each - sum(odds) / 3) ** 2 for each in odds)))
    assert (found.value, found.odds, list(found.without)) == (0.6, pytest.approx(logit(0.6)), [0.5, 0.7, 0.6])
    assert left_out_rate(0.6, [1.0], [0.6]).error == 0.0
    assert jackknife_error([0.3]) is None
    assert jackknife_error([1.0, 3.0]) == pytest.approx(1.0)


def test_a_share_that_lies_elsewhere_moves_with_each_unit() -> None:
    rate = left_out_rate(0.6, [1.0, 2.0, 1.0], [0.5, 0.7, 0.6])
    moved = rate.moved(0.1, [0.2, 0.4, -0.1])
    assert moved == left_out_rate(0.7, [1.0, 2.0, 1.0], [0.7, 1.0, 0.5])
    assert rate.moved(-0.9, [0.0] * 3).value == 0.0


def test_odds_are_those_of_a_share_that_is_not_wholly_sure() -> None:
    assert odds_of(0.8) == pytest.approx(math.log(4))
    assert (odds_of(1.0), odds_of(0.0)) == pytest.approx((-math.log(1e-10), math.log(1e-10)))
    assert logistic(1.3) == pytest.approx(sigmoid(1.3))


@pytest.mark.parametrize(
    ("words", "others", "found"), [(100, 100, 0), (200, 100, 1), (100, 200, -1), (0, 2, -1), (999, 1, 2), (1, 999, -2)]
)
def test_doublings(words: int, others: int, found: float) -> None:
    assert doublings(words, others) == pytest.approx(found)


# --- the fit ----------------------------------------------------------------------------------------------------------


def a_world() -> list[PreferenceWord]:
    """Two pairs and two judges, one of whom saw texts of different length; some words that needed no judge."""
    draw = np.random.default_rng(11)
    said = []
    for n in range(24):
        for pair, theta in ((PAIR, 0.8), (OTHER, -0.4)):
            for judge, first, taste in (("ivy", 0.6, 0.5), ("jim", -0.2, 0.0)):
                longer = 0.0 if judge == "jim" else 0.5 * (n % 5 - 2)
                for place in (1, -1):
                    liked = float(draw.random() < sigmoid(theta + first * place + taste * longer))
                    said.append(PreferenceWord(f"q{n}", pair, 0, judge, liked, place, longer))
    return [*said, *(PreferenceWord(f"e{n}", PAIR, 0, None, 1.0 - n / 4) for n in range(3))]


def design(said: Sequence[PreferenceWord]) -> np.ndarray:
    """Of each word that a judge said: the pair, the judge's place, the first judge's doublings."""
    return np.array(
        [
            [
                float(word.pair == PAIR),
                float(word.pair == OTHER),
                word.place * (word.judge == "ivy"),
                word.place * (word.judge == "jim"),
                word.doublings,
            ]
            for word in said
            if word.judge
        ]
    )


def fitted_by_scipy(said: Sequence[PreferenceWord], weight: float) -> np.ndarray:
    rows, liked = design(said), np.array([word.liked for word in said if word.judge])

    def height(at: np.ndarray) -> float:
        odds = rows @ at
        return float(weight * (np.logaddexp(0, odds) - liked * odds).sum() + RIDGE / 2 * at @ at)

    return optimize.minimize(height, np.zeros(5), method="BFGS", options={"gtol": 1e-9}).x


def test_it_fits_as_scipy_does() -> None:
    said = a_world()
    fitted, expected = Preferences(said), fitted_by_scipy(said, 0.25)
    assert np.append(fitted._found.pairs, fitted._found.habits) == pytest.approx(expected, abs=1e-5)
    ivy, jim = fitted.habits
    assert (ivy.judge, jim.judge) == ("ivy", "jim")
    assert (ivy.first, jim.first, ivy.longer, jim.longer) == pytest.approx((*expected[2:], 0.0), abs=1e-5)
    settled = (1.0 + 0.75 + 0.5, 0.0)
    for pair, place, equal in ((PAIR, 0, 3), (OTHER, 1, 0)):
        rate = fitted._plain(pair)
        assert rate is not None
        assert rate.value == pytest.approx((settled[place] + 24 * sigmoid(expected[place])) / (24 + equal), abs=1e-6)


def test_each_unit_is_left_out_by_one_step_of_newtons() -> None:
    said = a_world()
    fitted, rows = Preferences(said), design(said)
    asked = [word for word in said if word.judge]
    at = np.append(fitted._found.pairs, fitted._found.habits)
    expected = 1 / (1 + np.exp(-rows @ at))
    liked = np.array([word.liked for word in asked])
    for place, unit in enumerate(fitted.units):
        here = np.array([word.question == unit for word in asked])
        slope = 0.25 * rows[here].T @ (liked - expected)[here]
        left = rows[~here]
        bend = 0.25 * left.T @ (left * (expected * (1 - expected))[~here, None]) + RIDGE * np.eye(5)
        moved = at - np.linalg.solve(bend, slope)
        found = np.append(fitted._found.pairs_without[place], fitted._found.habits_without[place])
        assert found == pytest.approx(moved, abs=1e-9)
    ivy, jim = fitted.habits
    without = fitted._found.habits_without
    assert ivy.first_error == pytest.approx(jackknife_error(without[:, 0].tolist()))
    assert ivy.longer_error == pytest.approx(jackknife_error(without[:, 2].tolist()))
    assert (jim.longer, jim.longer_error) == (0.0, None)
    rate = fitted._plain(PAIR)
    assert rate is not None
    ends = {"e0": 1.0, "e1": 0.75, "e2": 0.5}
    for place, (unit, other) in enumerate(zip(fitted.units, rate.without, strict=True)):
        here = float(sigmoid(fitted._found.pairs_without[place, 0]))
        settled, judged = 2.25 - ends.get(unit, 0.0), 24 - (unit not in ends)
        assert other == pytest.approx((settled + judged * here) / 26)


def test_height_slope_and_bend_are_each_others_derivatives() -> None:
    table = Preferences(a_world()).table
    at, step = np.array([0.3, -0.2, 0.1, 0.4, -0.3]), 1e-5

    def height(point: np.ndarray) -> float:
        return table.height(point[:2], point[2:])

    def slope(point: np.ndarray) -> np.ndarray:
        whole = table.slopes(point[:2], point[2:]).summed(point[:2], point[2:])
        return np.append(whole.of_pairs[0], whole.of_habits[0])

    ways = np.eye(5) * step
    assert slope(at) == pytest.approx([(height(at + way) - height(at - way)) / (2 * step) for way in ways], rel=1e-6)
    whole = table.slopes(at[:2], at[2:]).summed(at[:2], at[2:])
    bend = np.block([[np.diag(whole.bend_pairs[0]), whole.between[0]], [whole.between[0].T, whole.bend_habits[0]]])
    found = np.array([(slope(at - way) - slope(at + way)) / (2 * step) for way in ways])
    assert bend == pytest.approx(found, rel=1e-5, abs=1e-7)
    pairs, habits = whole.solved()
    assert np.append(pairs[0], habits[0]) == pytest.approx(np.linalg.solve(bend, slope(at)))
    known = table.slopes(at[:2], at[2:]).within()
    inner = bend[2:, 2:] - RIDGE * np.eye(3) - bend[2:, :2] @ np.linalg.solve(bend[:2, :2], bend[:2, 2:])
    assert known == pytest.approx(inner)


# --- what cannot be told ----------------------------------------------------------------------------------------------


def test_why_there_is_no_share() -> None:
    mixed = [(1.0, 1.0), (0.0, 0.0), (1.0, 0.0), (1.0, 1.0)] * 10
    told = Preferences(both(mixed))
    assert (told.why_not(PAIR), told.why_not(OTHER)) == (None, UNHEARD)
    assert told.rate(OTHER) is None
    assert Preferences(both([(1.0, 0.0)] * 40)).why_not(PAIR) == BY_PLACE
    assert Preferences(both([(0.0, 1.0)] * 40)).why_not(PAIR) == BY_PLACE
    assert Preferences([word for word in both(mixed) if word.place == 1]).why_not(PAIR) == ONE_ORDER
    assert Preferences([word for word in both(mixed) if word.place == -1]).why_not(PAIR) == ONE_ORDER
    longer = [PreferenceWord(w.question, w.pair, 0, w.judge, w.liked, w.place, 1.0) for w in both(mixed)]
    untold = Preferences(longer)
    assert untold.why_not(PAIR) == NOT_TOLD_APART
    assert [(habit.longer, habit.longer_error) for habit in untold.habits] == [(None, None)]
    hardly = [PreferenceWord(w.question, w.pair, 0, w.judge, w.liked, w.place, 0.02) for w in both(mixed)]
    assert Preferences(hardly).why_not(PAIR) is None, "a difference of no more than that is none"
    assert Preferences(hardly).habits[0].longer == 0.0


@pytest.mark.parametrize(("turned", "told"), [(9, False), (10, True)])
def test_a_quarter_of_the_words_in_the_rarer_order_are_enough(turned: int, told: bool) -> None:
    """Of 40 words."""
    mixed = [(1.0, 1.0), (0.0, 0.0), (1.0, 0.0), (0.0, 1.0)] * 10
    first = [word for word in both(mixed) if word.place == 1][: 40 - turned]
    second = [word for word in both(mixed) if word.place == -1][40 - turned :]
    assert len(first) + len(second) == 40
    assert (Preferences([*first, *second]).why_not(PAIR) is None) is told


def test_whoever_said_little_of_a_pair_hides_nothing_of_it() -> None:
    """Ivy's 36 words are told; Jim's four are a tenth of all, his fifth is more than that."""
    mixed = [(1.0, 1.0), (0.0, 0.0), (1.0, 0.0)] * 6
    of_one_order = [PreferenceWord(f"q{n}", PAIR, 0, "jim", float(n % 2), 1) for n in range(5)]
    assert Preferences([*both(mixed), *of_one_order[:4]]).why_not(PAIR) is None
    assert Preferences([*both(mixed), *of_one_order]).why_not(PAIR) == ONE_ORDER


def test_a_pair_is_told_by_its_own_words() -> None:
    """Beside it stand texts that a judge read in one order, texts that another always took for what is longer, and a side that
    always wins: each says of itself that nothing is told, or little, and nothing of the others."""
    mixed = [(1.0, 1.0), (0.0, 0.0), (1.0, 0.0), (1.0, 1.0)] * 10
    told = both(mixed)
    one_order = [word for word in both(mixed, judge="jim", pair=OTHER) if word.place == 1]
    alike = [
        PreferenceWord(w.question, ("team", "cat"), 0, "kim", w.liked, w.place, 1.0)
        for w in both(mixed, pair=("team", "cat"))
    ]
    always = both([(1.0, 1.0)] * 20, judge="lea", pair=("team", "dee"))
    alone, beside = Preferences(told), Preferences([*told, *one_order, *alike, *always])
    assert [beside.why_not(pair) for pair in beside.pairs] == [None, ONE_ORDER, NOT_TOLD_APART, None]
    rate, of_all = alone.rate(PAIR), beside.rate(PAIR)
    assert rate is not None
    assert of_all is not None
    assert (of_all.value, of_all.limits(0.05)) == (pytest.approx(rate.value), pytest.approx(rate.limits(0.05)))
    won, won_alone = beside.rate(("team", "dee")), Preferences(always).rate(("team", "dee"))
    assert won is not None
    assert won_alone is not None
    assert (won.value, won.limits(0.05)) == (1.0, pytest.approx(won_alone.limits(0.05)))


# --- what questions may be like -------------------------------------------------------------------------------------------


def test_a_small_difference_is_what_three_of_four_have_or_more() -> None:
    assert small_difference([]) is None
    assert small_difference([-0.7]) == 0.7
    assert small_difference([0.4, -0.1, 0.3, -0.2]) == 0.1
    assert small_difference([0.4, -0.1, 0.3, -0.2, 0.5]) == 0.2
    assert small_difference([0.1 * n for n in range(1, 10)]) == pytest.approx(0.3)
    assert [up_to(each, 0.5) for each in (0.25, -0.25, 3.0, -3.0)] == [0.5, -0.5, 1.0, -1.0]


def mix(sure: float, odds: float, by_place: float) -> dict[tuple[float, float], float]:
    """Some questions are won for sure, of all others the side is preferred with these log-odds."""
    first, second = sigmoid(odds + by_place), sigmoid(odds - by_place)
    alike = {(1.0, 1.0): first * second, (1.0, 0.0): first * (1 - second)}
    alike |= {(0.0, 1.0): (1 - first) * second, (0.0, 0.0): (1 - first) * (1 - second)}
    return {said: (1 - sure) * part + sure * (said == (1.0, 1.0)) for said, part in alike.items()}


@pytest.mark.parametrize("won", [True, False])
def test_an_end_is_where_some_questions_are_sure_and_all_others_alike(won: bool) -> None:
    """The words of such a world: the truth is where the share may lie at the farthest, below it or above."""
    sure, odds, by_place = 0.3, -0.7, 1.1
    said = [
        BothOrders(*(liked if won else (1 - liked[1], 1 - liked[0])))
        for liked, part in mix(sure, odds, by_place).items()
        for _ in range(round(5_000 * part))
    ]
    ((below, above),) = reaches({"ivy": said}, {"ivy": said})
    first, second = (sum(each[place] for each in said) / len(said) for place in (0, 1))
    fitted = sigmoid((logit(first) + logit(second)) / 2)
    truth = sure + (1 - sure) * sigmoid(odds)
    assert fitted + (below if won else above) == pytest.approx(truth if won else 1 - truth, abs=1e-3)
    assert (-below if won else above) > 0.03, "the example shows it"


def test_the_reach_without_each_unit_is_that_of_the_others() -> None:
    said = [
        BothOrders(1, 1, "a"),
        *[BothOrders(1, 0, "b")] * 2,
        BothOrders(0, 0, "c"),
        *[BothOrders(1, 1, "d")] * 5,
        BothOrders(0, 1, "d"),
        BothOrders(1, 0, "e"),
    ]
    found = reaches({"ivy": said}, {"ivy": said}, ["a", "c", "d"])
    assert found[0] == reaches({"ivy": said}, {"ivy": said})[0]
    for place, unit in enumerate(("a", "c", "d"), 1):
        rest = [each for each in said if each.unit != unit]
        assert found[place] == pytest.approx(reaches({"ivy": rest}, {"ivy": rest})[0])
    assert reaches({}, {}, ["a", "b"]) == [Reach(0.0, 0.0)] * 3
    assert reaches({"ivy": [BothOrders(1, 1)] * 9}, {"ivy": [BothOrders(1, 1)] * 9}) == [Reach(0.0, 0.0)]


def test_the_habit_of_place_is_that_of_all_a_judge_said() -> None:
    """Half a one is added to those that go over to the first, and to those that go over to the second."""
    said = [BothOrders(1, 1)] * 6 + [BothOrders(1, 0)] * 2 + [BothOrders(0, 0)] * 2
    elsewhere = [*said, *[BothOrders(1, 0)] * 5, *[BothOrders(0, 1)] * 2]
    by_place = math.cosh(math.log(7.5 / 2.5) / 2)
    lost, won, flips = 0.2, 0.6, 0.2
    fitted = sigmoid((logit(0.8) + logit(0.6)) / 2)
    odds = flips / (2 * lost * by_place)
    others = flips / (2 * by_place * odds / (1 + 2 * by_place * odds + odds**2))
    top = 1 - others + others * odds / (1 + odds)
    odds = flips / (2 * won * by_place)
    others = flips / (2 * by_place * odds / (1 + 2 * by_place * odds + odds**2))
    bottom = others * (1 - odds / (1 + odds))
    ((below, above),) = reaches({"ivy": said}, {"ivy": elsewhere})
    gaps = top - fitted, bottom - fitted
    assert (below, above) == pytest.approx((min(0.0, *gaps), max(0.0, *gaps)))
