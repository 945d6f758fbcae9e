"""The numbers of the four papers, rebuilt from the counts behind them by the functions that make our own.

Where a paper's arithmetic does not hold, the figure by definition is expected and the printed one is named beside it.
`docs/papers.md` says which table is which section.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from moot.data.sample import sample_size
from moot.decide.weights import log_odds
from moot.measures.discussion.talks import Talk, mean_rounds, turns_to_decide
from moot.measures.quiz.played import Played, accuracy_figures, gains
from moot.measures.quiz.self_preference import self_preference
from moot.measures.quiz.skyline import guessing, skyline
from moot.measures.safety.by_model import average_rows
from moot.measures.safety.cohorts import coverage
from moot.measures.safety.gap import gap_closure
from moot.measures.safety.pairs import Pair
from moot.measures.safety.rescues import safety
from moot.select import LabelMatrix, Proposer, SelectionSplit, selector
from moot.select.oracle import AskedOracle
from moot.stats.graded import Value
from moot.stats.rank import of_rho

ASKED = 572


def percent(share: float) -> float:
    return round(100 * share, 2)


# Can LLM Teams Play What? Where? When?

CAPTAINS = ("qwen", "qwen-thinking", "deepseek-v3", "deepseek-r1", "kimi", "kimi-thinking")
TABLE_1 = {
    # right of 572 by captain, and what the paper prints
    "solo": ((191, 214, 201, 167, 113, 176), (33.39, 37.41, 35.14, 29.20, 19.76, 30.77)),
    "vote": ((242, 246, 245, 234, 235, 248), (42.31, 43.01, 42.83, 40.91, 41.08, 43.36)),
    "silent": ((229, 243, 207, 213, 204, 241), (40.03, 42.48, 36.19, 37.24, 35.66, 42.13)),
    "talkative": ((242, 253, 238, 226, 213, 212), (42.31, 44.23, 41.61, 39.51, 37.24, 37.06)),
}


def right_first(count: int, asked: int = ASKED) -> list[float]:
    return [float(number < count) for number in range(asked)]


def played(strategy: str, captain: str, count: int) -> list[Played]:
    who = {"player": captain} if strategy == "solo" else {"captain": captain}
    return [Played(f"q{n:03}", strategy, right=right, **who) for n, right in enumerate(right_first(count))]


@pytest.mark.parametrize("strategy", TABLE_1)
def test_chgk_table_1(strategy: str) -> None:
    for captain, count, printed in zip(CAPTAINS, *TABLE_1[strategy], strict=True):
        row = accuracy_figures(played(strategy, captain, count))
        assert (percent(row["value"]), row["n"]) == (printed, ASKED)


def test_chgk_gains_run_from_1_to_21_points() -> None:
    """The text says 8 to 20, which does not follow from its Table 1."""
    plays = [
        play
        for strategy, (counts, _) in TABLE_1.items()
        for captain, count in zip(CAPTAINS, counts, strict=True)
        for play in played(strategy, captain, count)
    ]
    differences = [percent(row["difference"]) for row in gains(plays) if row["captain"] is not None]
    assert len(differences) == 18
    assert (min(differences), max(differences)) == (1.05, 21.33), "21.32 from the rounded figures"


def test_chgk_skyline() -> None:
    """341 of 572 with at least one right: here each of the six is right on a part of them."""
    plays = [
        Played(f"q{n:03}", "solo", player=player, right=float(n < 341 and n % 6 == place))
        for place, player in enumerate(CAPTAINS)
        for n in range(ASKED)
    ]
    row = skyline(plays).row()
    assert (round(100 * row["value"], 1), row["n"]) == (59.6, ASKED)


@pytest.mark.parametrize(
    ("strategy", "own", "in_majority", "right_own", "right_else", "printed"),
    [
        ("silent", 272, 218, 140, 103, (47.55, 51.47, 34.33, 80.15)),
        ("talkative", 235, 196, 146, 107, (41.08, 62.13, 31.75, 83.40)),
    ],
)
def test_chgk_table_2(
    strategy: str, own: int, in_majority: int, right_own: int, right_else: int, printed: Sequence[float]
) -> None:
    plays = []
    for number in range(ASKED):
        chose_own = number < own
        right = number < right_own if chose_own else number - own < right_else
        groups = (("ann", "bob"), ("cat",)) if number < in_majority else (("bob", "cat"), ("ann",))
        plays.append(
            Played(
                f"q{number:03}",
                strategy,
                captain="ann",
                right=float(right),
                groups=groups,
                own_choice=chose_own,
                novel=False,
            )
        )
    (row,) = self_preference(plays)
    measures = ("self_choice", "accuracy_self", "accuracy_not_self", "self_and_majority")
    assert tuple(percent(row[name]) for name in measures) == tuple(printed)
    assert row["novel"] == 0, "none of the captains' words was new"
    counts = dict(zip(TABLE_1[strategy][1], TABLE_1[strategy][0], strict=True))
    assert right_own + right_else == counts[42.48 if strategy == "silent" else 44.23], "the two parts make Table 1's"


def test_chgk_people() -> None:
    """0.055 is printed for a rho of -0.0914: 0.0557 by Student's t."""
    assert of_rho(-0.0914, 439).p == pytest.approx(0.0557, abs=5e-5)
    best = [
        Played(f"q{n:03}", "talkative", captain="ann", right=right) for n, right in enumerate(right_first(209, 439))
    ]
    assert percent(accuracy_figures(best)["value"]) == 47.61


# Voting or Consensus?


@pytest.mark.parametrize(
    ("population", "by_formula", "printed"),
    [
        (14_042, 374, 375),
        (12_032, 373, 374),
        (546, 226, 250),
        (2_289, 330, 330),
        (250, 152, 152),
        (11_873, 373, 373),
    ],
)
def test_protocols_table_3(population: int, by_formula: int, printed: int) -> None:
    """Cochran's formula, which the paper names; its table differs from it in three rows."""
    assert sample_size(population) == by_formula
    assert by_formula <= printed


TABLE_2 = {
    # By protocol: the per cent of 600 discussions that ended in turns 1 to 5. Turn 5 ends all.
    "simple-voting": (0.00, 0.00, 99.33, 0.50, 0.17),
    "cumulative-voting": (0.00, 0.00, 94.00, 5.50, 0.50),
    "ranked-voting": (0.00, 0.00, 91.17, 7.83, 1.00),
    "approval-voting": (0.00, 0.00, 26.67, 14.33, 59.00),
    "majority-consensus": (80.00, 13.67, 4.83, 1.00, 0.50),
    "supermajority-consensus": (79.33, 14.33, 4.83, 1.00, 0.50),
    "unanimity-consensus": (59.50, 21.67, 12.67, 3.50, 2.67),
}


def talks(protocol: str) -> list[Talk]:
    counts = [round(6 * share) for share in TABLE_2[protocol]]
    assert sum(counts) == 600
    ended = [turn for turn, count in enumerate(counts, 1) for _ in range(count)]
    return [Talk(f"q{number // 3}", 1.0, turns=turn, repeat=number % 3) for number, turn in enumerate(ended)]


@pytest.mark.parametrize("protocol", TABLE_2)
def test_protocols_table_2(protocol: str) -> None:
    row = turns_to_decide(talks(protocol))
    shares = {part["turn"]: percent(part["share"]) for part in row["turns"]}
    assert [shares.get(turn, 0.0) for turn in range(1, 6)] == list(TABLE_2[protocol])


def test_protocols_mean_rounds() -> None:
    """3.38 for voting and 1.42 for consensus: 3.37 by Table 2."""
    families = {"voting": 3.37, "consensus": 1.42}
    for family, printed in families.items():
        every = [talk for protocol in TABLE_2 if protocol.endswith(family) for talk in talks(protocol)]
        assert round(mean_rounds(every)["rounds"], 2) == printed


# Consistently not stupid

QUESTIONS = 198
CHANGES = {"proprietary": (3, 42, 15, 2.8), "open": (6, 234, 56, 4.2)}
"""Models, rescues, regressions, and the multiple as printed."""


def changed(cohort: str) -> list[Pair]:
    """As many pairs as models times questions, the changes spread over the questions."""
    models, rescues, regressions, _ = CHANGES[cohort]
    pairs = []
    for number in range(models * QUESTIONS):
        question, model = f"q{number % QUESTIONS:03}", f"{cohort} {number // QUESTIONS}"
        native, after = (0.0, 1.0) if number < rescues else (1.0, 0.0 if number < rescues + regressions else 1.0)
        pairs.append(Pair(question, model, native, after, cohort=cohort))
    return pairs


def test_safety_tables_5_and_11() -> None:
    for cohort, (models, rescues, regressions, printed) in CHANGES.items():
        row = safety(changed(cohort)).row()
        assert (row["rescues"], row["regressions"], row["net"]) == (rescues, regressions, rescues - regressions)
        assert round(row["multiple"], 1) == printed
        assert row["n_pairs"] == models * QUESTIONS
    every = safety([pair for cohort in CHANGES for pair in changed(cohort)]).row()
    assert (every["rescues"], every["regressions"], every["net"]) == (276, 71, 205)
    assert (round(every["multiple"], 1), every["n_pairs"]) == (3.9, 1_782)
    assert every["low"] < every["multiple"] < every["high"]


def test_safety_rates_of_all_are_no_mean_of_two_rates() -> None:
    """The paper's 40.0 % and 6.2 % are the means of its cohorts' rates; ours are over all pairs."""
    rates = {cohort: safety(changed(cohort)).row() for cohort in CHANGES}
    every = safety([pair for cohort in CHANGES for pair in changed(cohort)]).row()
    right = {cohort: models * QUESTIONS - rescues for cohort, (models, rescues, *_) in CHANGES.items()}
    assert every["regression_rate"] == pytest.approx(71 / sum(right.values()))
    means = sum(row["regression_rate"] for row in rates.values()) / 2
    assert every["regression_rate"] != pytest.approx(means)


def test_safety_coverage_ceilings() -> None:
    """Who covers which questions is such that the cohorts overlap as the combined ceiling says."""
    covered = {"proprietary": (range(189), range(183)), "open": (range(10, 194), range(19, 191))}
    pairs = [
        Pair(f"q{n:03}", cohort, float(n in native), float(n in after), cohort=cohort)
        for cohort, (native, after) in covered.items()
        for n in range(QUESTIONS)
    ]
    rows = {row["cohort"]: row for row in coverage(pairs)}
    printed: Mapping[str | None, tuple[float, float, float]] = {
        "proprietary": (95.5, 92.4, -3.0),
        "open": (92.9, 86.9, -6.1),
        None: (98.0, 96.5, -1.5),
    }
    for cohort, expected in printed.items():
        figures = (rows[cohort][key] for key in ("native", "after", "difference"))
        assert tuple(round(100 * figure, 1) for figure in figures) == expected
    assert round(100 * guessing(9, 4), 1) == 92.5, "nine guessers on four choices"


def test_safety_tables_7_and_12() -> None:
    """31.5 % by definition from the rounded accuracies; 31.3 is printed."""

    def everywhere(share: float) -> dict[str, Value]:
        return {f"q{n:03}": Value(share, share, share) for n in range(QUESTIONS)}

    closed = gap_closure(
        {"qwen-next": everywhere(0.791)}, {"qwen-next": everywhere(0.825)}, {"gemini": everywhere(0.899)}
    ).row()
    assert round(100 * closed["value"], 1) == 31.5
    assert closed["best"] == {"alone": "qwen-next", "after": "qwen-next", "stronger": "gemini"}


def test_safety_table_10_averages() -> None:
    """Of the nearest counts of 198: some of the printed accuracies are none."""
    accuracies = {
        "proprietary": ((86.9, 89.9, 77.2), (86.3, 90.9, 88.4), (84.6, 88.5)),
        "open": ((36.4, 41.9, 69.2, 50.0, 61.6, 79.1), (65.8, 71.2, 71.8, 76.3, 68.7, 82.5), (56.4, 72.7)),
    }
    pairs = []
    for cohort, (natives, afters, _) in accuracies.items():
        for place, (native, after) in enumerate(zip(natives, afters, strict=True)):
            counts = [right_first(round(share * QUESTIONS / 100), QUESTIONS) for share in (native, after)]
            pairs += [
                Pair(f"q{n:03}", f"{cohort} {place}", counts[0][n], counts[1][n], cohort=cohort)
                for n in range(QUESTIONS)
            ]
    rows = {(row["cohort"], row["when"]): row for row in average_rows(pairs)}
    for cohort, (natives, _, printed) in accuracies.items():
        for when, share in zip(("alone", "after"), printed, strict=True):
            assert 100 * rows[cohort, when]["value"] == pytest.approx(share, abs=0.15)
            assert rows[cohort, when]["models"] == len(natives)


# Mixture of Complementary Agents

MODELS, PROMPTS, CHOSEN_ON, K = 8, 5, 400, 5


def proposers_answers() -> LabelMatrix:
    draw = np.random.default_rng(1)
    truth = draw.integers(5, size=CHOSEN_ON).astype(np.int16)
    knows = draw.random((MODELS * PROMPTS, CHOSEN_ON)) < draw.uniform(0.24, 0.58, size=(MODELS * PROMPTS, 1))
    codes = np.where(knows, truth, draw.integers(5, size=knows.shape)).astype(np.int16)
    proposers = tuple(Proposer(f"model {n // PROMPTS}", f"prompt {n % PROMPTS}") for n in range(MODELS * PROMPTS))
    return LabelMatrix(proposers, tuple(f"q{n:03}" for n in range(CHOSEN_ON)), tuple("abcde"), codes, truth)


@pytest.mark.parametrize(("method", "printed"), [("model-first", 16_000), ("oracle-surrogate", 1_200)])
async def test_complementary_table_3(method: str, printed: int) -> None:
    """Summariser calls at the paper's size: 8 models, 400 questions, k = 5, and 200 samples for each c."""
    labels, asked = proposers_answers(), []

    async def ask(team: tuple[Proposer, ...], question: str) -> float:
        asked.append(question)
        return float(len(asked) % 2)

    found = await selector(method).select(SelectionSplit(labels), K, AskedOracle(labels, ask))
    assert found.calls == len(asked) == printed
    assert len(found.team) == K


@pytest.mark.parametrize("method", ["input-all", "best-model", "top-accuracy", "per-model-top", "truth-prediction"])
async def test_complementary_table_3_without_calls(method: str) -> None:
    labels = proposers_answers()

    async def ask(team: tuple[Proposer, ...], question: str) -> float:
        raise AssertionError("no summariser is asked")

    found = await selector(method).select(SelectionSplit(labels), K, AskedOracle(labels, ask))
    assert found.calls == 0
    sizes = {"input-all": MODELS * PROMPTS, "best-model": PROMPTS, "per-model-top": MODELS}
    assert len(found.team) == sizes.get(method, K), "the sizes of Table 1"


def test_complementary_weights() -> None:
    """Log-odds of two of Table 5's accuracies, for two classes as the paper has them."""
    weights = log_odds(np.array([0.578, 0.236]), 500, 5, two_class=True)
    assert weights.tolist() == pytest.approx([math.log(0.578 / 0.422), 0.0]), "worse than chance has no voice"
