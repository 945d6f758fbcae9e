"""Whether figures of what learns within a run hold: in worlds that are known, by the functions that reports and `moot fit` use.

    nice -5 python bench/learnt_in_the_run.py [surest] [fit] [rows]

Players answer independently; who errs takes a wrong answer of its own, or, on a share of the questions, one that lures all.

`surest`: probabilities that were learnt on other parts of the same questions: how right the surest answers are said to be and
are, and whether the interval of the calibration error holds it. What is true of an answer is told by who agrees with whom.

`fit`: the figure of the rule that `moot fit` keeps beside what that rule is worth, and how often it is said to have got worse
or better by 300 new questions of the same world. The penalty of players' weights is 3: choosing it anew in every part takes
thirty times as long.

`rows`: what a strategy that learns in the run gets right of it, in ten folds as a run deals them: how often the interval of its
row misses what the strategy gets right on the average over such runs, and what the rules of this run are worth; how often it is
told apart from a vote or from the best player, and called more than every player; how much it varies beside what is told.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from moot.decide import learning
from moot.decide.candidates import Candidates, Floats, Places, candidates_of
from moot.decide.choice_model import ChoiceModel, learn
from moot.decide.drift import Drift
from moot.decide.leader import LedVote
from moot.decide.reliability import BINS, reliability
from moot.decide.rule_figures import mean_of_places, rule_figures
from moot.decide.rules import DraftRule, Leader, MostProbable, Plurality, WeightedSum, expected_worth, taken
from moot.decide.verdict_chance import RestingVerdicts, surest_first, table_chances, verdict_chances
from moot.decide.weights import weights_by_accuracy
from moot.errors import UsageError
from moot.measures.trust.figures import surest_limits
from moot.stats.choice import claim
from moot.stats.paired import mcnemar_exact
from moot.stats.proportion import accuracy
from moot.types import digest


@dataclass(frozen=True)
class World:
    right: tuple[float, ...]
    choices: int
    lured: float
    """The share of questions on which all who err say the same."""

    @property
    def players(self) -> tuple[str, ...]:
        return tuple(f"p{seat}" for seat in range(len(self.right)))

    def codes(self, draw: np.random.Generator, size: int) -> Places:
        """Players × questions; 0 is right."""
        lures, shape = draw.integers(1, self.choices, size), (len(self.right), size)
        wrong = np.where(draw.random(size) < self.lured, lures, draw.integers(1, self.choices, shape))
        return np.where(draw.random(shape) < np.array(self.right)[:, None], 0, wrong)

    def candidates(self, codes: Places) -> Candidates:
        return candidates_of(self.players, codes, (codes == 0).astype(float))

    def __str__(self) -> str:
        return f"{', '.join(f'{each:g}' for each in self.right)}; {self.choices} choices, lured {self.lured:g}"


def names(world: int, size: int) -> list[str]:
    return [f"{world}-{place}" for place in range(size)]


def share(rights: Floats) -> tuple[float, float, float]:
    found = accuracy({str(place): [float(right)] for place, right in enumerate(rights)})
    assert found.low is not None
    assert found.high is not None
    return found.value, found.low, found.high


def percent(values: Sequence[bool] | Floats) -> str:
    """With its standard error."""
    part = float(np.mean(values))
    return f"{100 * part:4.1f} ± {100 * np.sqrt(part * (1 - part) / len(values)):.1f}"


# ---------------------------------------------------------------- how right the surest are

SURE = (World((0.7, 0.7, 0.7), 2, 0.0), World((0.8, 0.8), 4, 0.0), World((0.75, 0.65, 0.6, 0.6), 4, 0.3))


def patterns(codes: Places, chosen: Places) -> Places:
    """Who agrees with whom, and who with the answer taken, as one number."""
    found = np.zeros(codes.shape[1], dtype=np.intp)
    for seat, row in enumerate(codes):
        for other in (*codes[:seat], chosen):
            found = 2 * found + (row == other)
    return found


def surest() -> None:
    print("surest answers            questions (worlds)  surest   shown   true   low end above   high end below, %")
    for number, world in enumerate(SURE):
        draw = np.random.default_rng([31, number])
        many = world.codes(draw, 400_000)
        of_many = taken_codes(world, many, draw)
        kinds, place = np.unique(patterns(many, of_many), return_inverse=True)
        truth = dict(zip(kinds.tolist(), np.bincount(place, weights=of_many == 0) / np.bincount(place), strict=True))
        for size, worlds in ((100, 300), (300, 150), (1_000, 60)):
            curves, errors = [], []
            for one in range(worlds):
                codes = world.codes(draw, size)
                candidates = world.candidates(codes)
                chosen = taken(Plurality(), candidates, draw)
                rights, units = candidates.worth_of(chosen), names(one, size)
                table = table_chances(candidates, units)
                said = verdict_chances([table], RestingVerdicts(np.arange(size), chosen, rights))
                true = np.array(
                    [truth[kind] for kind in patterns(codes, code_taken(codes, candidates, chosen)).tolist()]
                )
                order = surest_first(said, table.fold_of, [(unit, 0) for unit in units])
                curves.append(
                    [beside(rights[at], true[at]) for at in (order[: size * tenths // 10] for tenths in TENTHS)]
                )
                found = reliability(said, rights, units, seed=one)
                bins = np.clip((said * BINS).astype(int), 0, BINS - 1)
                real = float(np.abs(np.bincount(bins, weights=said - true)).sum() / size)
                errors.append([found.error, found.by_chance, real, found.low > real, found.high < real, found.low > 0])
            for tenths, rows in zip(TENTHS, np.array(curves).swapaxes(0, 1), strict=True):
                shown, real = 100 * rows[:, :2].mean(axis=0)
                ends = f"{percent(rows[:, 2]):>15} {percent(rows[:, 3]):>15}"
                print(
                    f"{world!s:45} {size:5,} ({worlds}) {10 * tenths:4} % {shown:6.1f} {real:6.1f} {ends}", flush=True
                )
            told = np.array(errors)
            shown, chance, real = 100 * told[:, :3].mean(axis=0)
            ends = f"low end above it {percent(told[:, 3])}, high end below {percent(told[:, 4])}, above 0 {percent(told[:, 5])}"
            print(
                f"  calibration error: shown {shown:.1f}, by chance {chance:.1f}, true {real:.1f}; {ends}", flush=True
            )


TENTHS = (1, 2, 5, 8)


def beside(rights: Floats, true: Floats) -> tuple[float, float, bool, bool]:
    low, high = surest_limits({str(place): float(right) for place, right in enumerate(rights)})
    assert low is not None
    assert high is not None
    return float(rights.mean()), float(true.mean()), low > true.mean(), high < true.mean()


def code_taken(codes: Places, candidates: Candidates, chosen: Places) -> Places:
    """Of each question the answer that was taken, by somebody who gave it."""
    every = np.arange(codes.shape[1])
    return codes[candidates.support[every, chosen].argmax(axis=1), every]


def taken_codes(world: World, codes: Places, draw: np.random.Generator) -> Places:
    """What a plurality takes, ties by lot."""
    counts = (codes[:, :, None] == np.arange(world.choices)).sum(axis=0)
    return np.where(counts == counts.max(axis=1, keepdims=True), draw.random(counts.shape), -1).argmax(axis=1)


# ---------------------------------------------------------------- the figure of the rule that is kept

LURED = World((0.7, 0.6, 0.5), 4, 1.0)
EQUALS = World((0.6,) * 6, 4, 1.0)
PAIR = World((0.6, 0.6), 4, 0.0)
FITTED = (
    (LURED, 30, 600),
    (LURED, 60, 400),
    (LURED, 300, 150),
    (EQUALS, 30, 400),
    (EQUALS, 60, 400),
    (EQUALS, 100, 300),
)
NEWER = 300


def one_penalty() -> None:
    learning.learn_best = lambda candidates, folds: learn(candidates, 3.0, category_pull=None)


def fit() -> None:
    one_penalty()
    print(
        "\nmoot fit          questions (worlds)  too high by  low end above  unpaid  worse  unpaid  better  lead: sd, told"
    )
    for world, size, worlds in (*FITTED, (PAIR, 60, 300)):
        draw = np.random.default_rng([32, size, len(world.right)])
        many, rows = world.candidates(world.codes(draw, 100_000)), []
        for one in range(worlds):
            candidates, units = world.candidates(world.codes(draw, size)), names(one, size)
            learnt = learning.learn_rule(candidates, units)
            truth = float(expected_worth(learnt.rule, many).mean())
            paid = rule_figures(learnt, candidates, units)[learnt.kept]
            plain = mean_of_places(range(size), learnt.tried[learnt.kept].tolist(), units)
            newer = expected_worth(learnt.rule, world.candidates(world.codes(draw, NEWER)))
            now = mean_of_places(range(NEWER), newer.tolist(), names(one, NEWER))
            told = [Drift(now, before).words() for before in (paid, plain)]
            worse = [words == "it has got worse" for words in told]
            ends = [before.low is not None and before.low > truth for before in (paid, plain)]
            rows.append([paid.value - truth, *ends, *worse, "better" in told[0], learnt.ahead, learnt.error])
        found = np.array(rows, dtype=float)
        rates = "  ".join(percent(found[:, place]) for place in range(1, 6))
        lead = f"{100 * found[:, 6].std():.1f}, {100 * found[:, 7].mean():.1f}"
        print(f"{world!s:45} {size:5,} ({worlds}) {100 * found[:, 0].mean():+6.1f}  {rates}  {lead}", flush=True)


# ---------------------------------------------------------------- rows of what learns within the run

ONE_BETTER = World((0.6, 0.5, 0.5, 0.5, 0.5, 0.5), 4, 1.0)
LEARNERS: dict[str, Callable[[Candidates, Sequence[str]], DraftRule] | None] = {
    "leader": LedVote()._learnt,
    "weighted": lambda candidates, units: WeightedSum(weights_by_accuracy(candidates, 4)),
    "learnt": None,
}
EMPTY = ChoiceModel((), np.zeros(0), 0.0, (0.0, 0.0, 0.0), 3.0)
WORLDS = (LURED, PAIR, ONE_BETTER)
ROWS = {"leader": (300, 150, 80), "weighted": (150, 150, 80), "learnt": (150, 60, 30)}
"""Worlds of 30, 100 and 300 questions."""


def in_folds(kind: str, candidates: Candidates, units: Sequence[str], truths: Callable[[DraftRule], float]) -> InFolds:
    """Of each question what its fold's rule makes of it, and what these rules are worth."""
    fold = np.array([int(digest(["fold", unit]), 16) % 10 for unit in units])
    values, worth = np.zeros(len(candidates)), 0.0
    for number in np.unique(fold):
        inside, outside = np.flatnonzero(fold == number), np.flatnonzero(fold != number)
        rule: DraftRule = Plurality()
        with suppress(UsageError):  # lessons that are too few leave it at that
            names_outside = [units[place] for place in outside]
            rule = learning.learn_rule(candidates.at(outside), names_outside, kind=kind, learner=LEARNERS[kind]).rule
        values[inside] = expected_worth(rule, candidates.at(inside))
        worth += truths(rule) * len(inside) / len(candidates)
    return InFolds(values, worth)


@dataclass(frozen=True)
class InFolds:
    values: Floats
    worth: float


@dataclass(frozen=True)
class Truths:
    """What a rule is worth, looked up where it comes again."""

    many: Candidates
    known: dict[str, float] = field(default_factory=dict)

    def __call__(self, rule: DraftRule) -> float:
        if isinstance(rule, MostProbable):
            return float(expected_worth(rule, self.many).mean())
        if repr(rule) not in self.known:
            self.known[repr(rule)] = float(expected_worth(rule, self.many).mean())
        return self.known[repr(rule)]


def rows() -> None:
    one_penalty()
    chance_model = learning.most_probable
    print(
        "\nrows of learners    questions (worlds)  right  misses the mean of runs, the rules' own worth, %   told apart: vote"
    )
    print(
        "from the vote (truly), the best (truly), points; told apart, %  more than all  sd beside told: share, to vote, to best"
    )
    for (number, world), (kind, several) in product(enumerate(WORLDS), ROWS.items()):
        # Which rule is kept does not hang on the model that tells probabilities beside it.
        learning.most_probable = chance_model if kind == "learnt" else lambda candidates, units: MostProbable(EMPTY)
        draw = np.random.default_rng([33, number])
        many = world.candidates(world.codes(draw, 20_000))
        truths = Truths(many)
        for size, worlds in zip((30, 100, 300), several, strict=True):
            found = []
            for one in range(worlds):
                candidates, units = world.candidates(world.codes(draw, size)), names(one, size)
                of_run = in_folds(kind, candidates, units, truths)
                lots = draw.random(size)  # a tie is broken once a question, for everybody alike
                own, vote = (
                    (lots < each).astype(float) for each in (of_run.values, expected_worth(Plurality(), candidates))
                )
                singles = np.array([expected_worth(Leader(name), candidates) for name in candidates.players])
                value, low, high = share(own)
                best = int(np.argmax(world.right))
                made = claim(own[None], singles)
                assert made is not None
                against = [value for other in (vote, singles[best]) for value in paired(own - other)]
                found.append([value, low, high, of_run.worth, *against, made.more])
            show(
                f"{kind:8} {world!s:45} {size:4} ({worlds})",
                np.array(found, dtype=float),
                truths(Plurality()),
                max(world.right),
            )


def paired(values: Floats) -> tuple[float, float, float]:
    """The mean, its standard error, and the exact p."""
    better, worse = int((values > 0).sum()), int((values < 0).sum())
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values))), mcnemar_exact(better, worse)


def show(name: str, found: Floats, vote: float, best: float) -> None:
    value, low, high, worth, to_vote, vote_error, p_vote, to_best, best_error, p_best, more = found.T
    mean = value.mean()
    missed = f"{percent((low > mean) | (high < mean))}, {percent((low > worth) | (high < worth))}"
    apart = f"{percent(p_vote <= 0.05)} ({100 * (mean - vote):+.1f}), {percent(p_best <= 0.05)} ({100 * (mean - best):+.1f})"
    told = (high - low).mean() / 2 / 1.96
    spread = [value.std() / told, to_vote.std() / vote_error.mean(), to_best.std() / best_error.mean()]
    shown = ", ".join(f"{each:.2f}" for each in spread)
    print(f"{name}  {100 * mean:.1f}  {missed}  {apart}  {percent(more)}  {shown}", flush=True)


if __name__ == "__main__":
    started, parts = time.process_time(), {"surest": surest, "fit": fit, "rows": rows}
    for name in sys.argv[1:] or parts:
        parts[name]()
    print(f"\n{time.process_time() - started:.0f} s of CPU")
