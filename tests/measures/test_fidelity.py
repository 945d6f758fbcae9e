"""The paper's own arithmetic: its counts in, its printed figures out.

Every percentage of tables 1 and 2 has exactly one integer count behind it on 572 questions, and the two tables agree:
140 + 103 right of the silent team are its 243 in table 1, 146 + 107 of the talkative its 253.
"""

from __future__ import annotations

from itertools import product

import pytest

from moot.measures.quiz.diversity import difficulty
from moot.measures.quiz.played import Played, accuracy_of, gains, human_comparison
from moot.measures.quiz.self_preference import self_preference
from moot.measures.quiz.skyline import guessing, skyline
from moot.stats.estimates import with_holm
from moot.stats.rank import of_rho

N = 572
QUESTIONS = [f"q{number:03}" for number in range(N)]
CAPTAIN = "qwen-thinking"
TABLE_1 = {  # captain: counts right of single, vote, silent, talkative; and as printed
    "qwen": ((191, 242, 229, 242), (33.39, 42.31, 40.03, 42.31)),
    "qwen-thinking": ((214, 246, 243, 253), (37.41, 43.01, 42.48, 44.23)),
    "deepseek": ((201, 245, 207, 238), (35.14, 42.83, 36.19, 41.61)),
    "deepseek-r1": ((167, 234, 213, 226), (29.20, 40.91, 37.24, 39.51)),
    "kimi": ((113, 235, 204, 213), (19.76, 41.08, 35.66, 37.24)),
    "kimi-thinking": ((176, 248, 241, 212), (30.77, 43.36, 42.13, 37.06)),
}
STRATEGIES = ("solo", "vote", "silent", "talkative")


def percent(value: float | None, digits: int = 2) -> float:
    assert value is not None
    return round(100 * value, digits)


def cell(strategy: str, captain: str, right: int) -> list[Played]:
    who = {"player": captain} if strategy == "solo" else {"captain": captain}
    return [Played(question, strategy, right=float(number < right), **who) for number, question in enumerate(QUESTIONS)]


def table_1() -> list[Played]:
    return [
        play
        for captain, (counts, _) in TABLE_1.items()
        for strategy, right in zip(STRATEGIES, counts, strict=True)
        for play in cell(strategy, captain, right)
    ]


@pytest.mark.parametrize(("captain", "column"), list(product(TABLE_1, range(4))))
def test_table_1(captain: str, column: int) -> None:
    counts, printed = TABLE_1[captain]
    found = accuracy_of(cell(STRATEGIES[column], captain, counts[column]))
    assert found is not None
    assert percent(found.value) == printed[column]
    assert found.n == N


def test_one_count_only_gives_each_printed_figure() -> None:
    for counts, printed in TABLE_1.values():
        for count, figure in zip(counts, printed, strict=True):
            assert [each for each in range(N + 1) if round(100 * each / N, 2) == figure] == [count]


def test_gains_over_the_captain_alone_run_from_1_05_to_21_32() -> None:
    rows = [row for row in with_holm(gains(table_1())) if row["captain"] is not None]
    assert len(rows) == 18
    least, most = min(rows, key=lambda row: row["difference"]), max(rows, key=lambda row: row["difference"])
    assert (least["label"], least["captain"]) == ("silent", "deepseek")
    assert (most["label"], most["captain"]) == ("vote", "kimi")
    assert percent(least["difference"]) == 1.05
    # 122 of 572 is 21.33; 21.32 is the difference of the two printed, already rounded, percentages.
    assert percent(most["difference"]) == 21.33
    assert round(41.08 - 19.76, 2) == 21.32
    assert (most["rescues"] - most["regressions"], most["n"], most["family"]) == (122, N, 21)
    assert least["low"] <= least["difference"] <= least["high"]


def test_gains_between_variants_of_one_family() -> None:
    single = {captain: counts[0] for captain, (counts, _) in TABLE_1.items()}
    assert percent((single["qwen-thinking"] - single["qwen"]) / N) == 4.02
    assert percent((single["kimi-thinking"] - single["kimi"]) / N) == 11.01


def chosen(strategy: str, own: int, own_right: int, other_right: int, own_majority: int) -> list[Played]:
    """A captain who ends on its own draft in so many of 572 questions, as often right and as often in a largest group."""
    others = ("a", "b", "c")
    largest, small = ((CAPTAIN, "a"), ("b",), ("c",)), (others, (CAPTAIN,))
    plays = []
    for number, question in enumerate(QUESTIONS):
        is_own = number < own
        right = number < own_right if is_own else number - own < other_right
        groups = largest if number < own_majority else small
        plays.append(
            Played(question, strategy, CAPTAIN, right=float(right), groups=groups, own_choice=is_own, novel=False)
        )
    return plays


@pytest.mark.parametrize(
    ("strategy", "counts", "printed"),
    [
        ("silent", (272, 140, 103, 218), (47.55, 51.47, 34.33, 80.15)),
        ("talkative", (235, 146, 107, 196), (41.08, 62.13, 31.75, 83.40)),
    ],
)
def test_table_2(strategy: str, counts: tuple[int, ...], printed: tuple[float, ...]) -> None:
    own, own_right, other_right, majority = counts
    (row,) = self_preference(chosen(strategy, own, own_right, other_right, majority))
    names = ("self_choice", "accuracy_self", "accuracy_not_self", "self_and_majority")
    assert tuple(percent(row[name]) for name in names) == printed
    assert tuple(row[f"{name}_count"] for name in names) == (own, own_right, other_right, majority)
    assert tuple(row[f"{name}_n"] for name in names) == (N, own, N - own, own)
    assert row["novel"] == 0, "this never occurred in practice"
    assert all(row[f"{name}_low"] < row[name] < row[f"{name}_high"] for name in names)


def test_tables_1_and_2_agree() -> None:
    for strategy, counts in (("silent", (272, 140, 103, 218)), ("talkative", (235, 146, 107, 196))):
        found = accuracy_of(chosen(strategy, *counts))
        assert found is not None
        assert percent(found.value) == TABLE_1[CAPTAIN][1][STRATEGIES.index(strategy)]


def test_skyline() -> None:
    """Six players, 341 questions among them: the strongest has the first 214, the others reach on to 341."""
    plays = []
    for place, (player, (counts, _)) in enumerate(TABLE_1.items()):
        first = 0 if place != 5 else 341 - counts[0]
        plays += [
            Played(question, "solo", player=player, right=float(first <= number < first + counts[0]))
            for number, question in enumerate(QUESTIONS)
        ]
    found = skyline(plays)
    missing = 341 - len({play.question for play in plays if play.right})
    assert missing == 0
    assert found.estimate is not None
    assert percent(found.estimate.value, 1) == 59.6
    assert (found.estimate.n, found.players, found.guessing) == (N, 6, None)


def test_nine_guessers_on_four_choices() -> None:
    assert percent(guessing(9, 4), 1) == 92.5


def test_people_and_the_best_team_on_439() -> None:
    """439 questions with a human rate, of 400 teams each, 133 without: 49.83 % beside 47.61 %."""
    solved = [(37 * number) % 399 + 1 for number in range(439)]
    short = round(0.4983 * 400 * 439) - sum(solved)
    for number in range(abs(short)):  # spread what is missing to the mean over the questions, one team each
        place = number % 439
        solved[place] += 1 if short > 0 else -1
    plays = [
        Played(question, "talkative", CAPTAIN, right=float(number < 209), human=solved[number] / 400)
        if number < 439
        else Played(question, "talkative", CAPTAIN, right=float(number - 439 < 253 - 209))
        for number, question in enumerate(QUESTIONS)
    ]
    (row,) = human_comparison(plays)
    assert (percent(row["human"]), percent(row["accuracy"]), row["n"]) == (49.83, 47.61, 439)
    assert row["difference"] == pytest.approx(row["accuracy"] - row["human"])
    whole = accuracy_of(plays)
    assert whole is not None
    assert percent(whole.value) == 44.23, "the same plays on all 572"


def test_spearman_of_the_paper() -> None:
    found = of_rho(-0.0914, 439)
    assert found.p is not None
    assert round(found.p, 4) == 0.0557, "the paper prints 0.055"
    assert found.estimate.low is not None
    assert found.estimate.high is not None
    assert found.estimate.low < 0 < found.estimate.high < 0.005, "only marginally non-significant"


def test_thirds_of_439() -> None:
    people = {question: (7 * number % 439) / 439 for number, question in enumerate(QUESTIONS[:439])}
    levels = list(difficulty(people).values())
    assert sorted(levels.count(name) for name in ("easy", "medium", "hard")) == [146, 146, 147]
