"""How often a 95 % interval holds the truth, and whether a p is honest: python bench/coverage.py [REPETITIONS [WORD]].

Pairs are drawn from known shares, so the truth is known; the functions are those that reports call. 94–96 % at 200
questions is what is promised; 30 and 20 questions stand beside it. With a word, only situations that have it in their
name are played, and nothing else.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from moot.experiment.claims import parse
from moot.measures.claims.figure import Ratio
from moot.measures.claims.hypothesis import judge
from moot.measures.position.bias import Look, position_bias
from moot.measures.selection.figures import method_rows
from moot.select.labels import LabelMatrix, Proposer
from moot.select.trial import Trial
from moot.stats import ratio
from moot.stats.bounded_mean import BoundedMean
from moot.stats.clusters import clustered
from moot.stats.guarded_share import rate
from moot.stats.paired import compare, mcnemar_exact, mean_difference
from moot.stats.power import needed, power, simulated_power
from moot.stats.proportion import mean_over_questions, wilson
from moot.types import Estimate

Generator = np.random.Generator
CAPTAINS = 6
SHOWN = 4
"""Drafts in front of each captain."""
POOL, CHOSEN, SPLITS = 8, 3, 20
"""Proposers to choose from, how many are chosen, and on how many splits of the questions."""
SIZES = (200, 30, 20)


@dataclass(frozen=True, slots=True)
class Situation:
    """One way in which pairs come about, its truth, and the interval that is asked about it."""

    name: str
    truth: float
    draw: Callable[[Generator, int], Estimate | None]


def paired(both: float, first: float, second: float) -> Situation:
    """One 0/1 pair a question: both right, only the first, only the second."""
    shares = [both, first, second, 1 - both - first - second]

    def draw(generator: Generator, n: int) -> Estimate | None:
        counts = generator.multinomial(n, shares)
        kinds = ((1, 1), (1, 0), (0, 1), (0, 0))
        return compare([kind for kind, times in zip(kinds, counts, strict=True) for _ in range(times)]).difference

    return Situation(f"paired difference, differ on {100 * (first + second):.0f} %", first - second, draw)


def share(truth: float) -> Situation:
    return Situation(
        f"share {truth:g} (Wilson)", truth, lambda generator, n: wilson(int(generator.binomial(n, truth)), n)
    )


def captained(shift: float, spread: float, concentration: float) -> Situation:
    """Six captains a question, alike in what the question is like: one cluster a question."""

    def questions(generator: Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        alone = generator.beta(0.8 * concentration, 1.2 * concentration, size=n)
        return alone, np.clip(alone + generator.normal(shift, spread, size=n), 0, 1)

    alone, team = questions(np.random.default_rng(99), 4_000_000)
    truth = float((team - alone).mean())

    def draw(generator: Generator, n: int) -> Estimate | None:
        before, after = questions(generator, n)
        moved = (generator.binomial(CAPTAINS, after) - generator.binomial(CAPTAINS, before)) / CAPTAINS
        return mean_difference(moved.tolist())

    return Situation(f"over {CAPTAINS} captains, beta {concentration:g}, shift {shift:g}", truth, draw)


def composite() -> Situation:
    """A hypothesis of its own arithmetic: one accuracy multiplied by another."""
    hypothesis = parse("accuracy(a) * accuracy(b) > 0.2")
    one, other = hypothesis.terms

    def draw(generator: Generator, n: int) -> Estimate | None:
        cells = generator.choice(4, size=n, p=[0.35, 0.15, 0.1, 0.4])
        first = {str(place): float(cell in (0, 1)) for place, cell in enumerate(cells)}
        second = {str(place): float(cell in (0, 2)) for place, cell in enumerate(cells)}
        seed = int(generator.integers(2**31))
        found = judge(hypothesis, {one: Ratio(first), other: Ratio(second)}, seed=seed, resamples=2_000)
        return None if found.value is None else Estimate(found.value, found.low, found.high, found.n)

    return Situation("product of accuracies (hypothesis)", 0.5 * 0.45, draw)


def repeated(name: str, truth: float, repeats: int, chances: Callable[[Generator, int], np.ndarray]) -> Situation:
    """The accuracy of one model over repeats; `chances`: how likely each question is to be answered right."""

    def draw(generator: Generator, n: int) -> Estimate | None:
        means = generator.binomial(repeats, chances(generator, n)) / repeats
        return mean_over_questions(means.tolist())

    return Situation(f"right {truth:g}, {repeats} repeats {name}", truth, draw)


def over_repeats() -> Iterator[Situation]:
    for truth in (0.1, 0.3, 0.5):
        yield repeated("that never differ", truth, 3, lambda drawn, n, truth=truth: drawn.random(n) < truth)

        def sometimes(drawn: Generator, n: int, truth: float = truth) -> np.ndarray:
            sure = drawn.random(n) < truth
            return np.where(drawn.random(n) < 0.1, drawn.beta(2 * truth, 2 - 2 * truth, n), sure)

        yield repeated("that differ on up to 10 %", truth, 3, sometimes)
        for repeats in (3, 10):
            yield repeated(
                "that often differ", truth, repeats, lambda drawn, n, truth=truth: drawn.beta(truth, 1 - truth, n)
            )


def scores() -> Situation:
    """F1: all words, some, or none."""

    def draw(generator: Generator, n: int) -> Estimate | None:
        drawn = generator.random(n)
        values = np.where(drawn < 0.36, 1.0, np.where(drawn < 0.66, generator.beta(2, 2, size=n), 0.0))
        return mean_over_questions(values.tolist())

    return Situation("scores between 0 and 1 (F1)", 0.51, draw)


def rarely(better: float, worse: float) -> Situation:
    """Over three captains, few questions move, mostly one way."""

    def draw(generator: Generator, n: int) -> Estimate | None:
        moved = generator.random(n)
        by = generator.integers(1, 4, size=n) / 3
        differences = np.where(moved < better, by, np.where(moved < better + worse, -by, 0.0))
        return mean_difference(differences.tolist())

    return Situation(
        f"over 3 captains, {100 * better:g} % better, {100 * worse:g} % worse", 2 / 3 * (better - worse), draw
    )


def changed(models: int, accuracy: float, changes: float, together: float, of: str) -> Situation:
    """Rescues of the wrong, or regressions of the right, by several models a question that hang together."""
    loose = 1 / together - 1

    def draw(generator: Generator, n: int) -> Estimate | None:
        right = generator.binomial(models, generator.beta(accuracy * loose, (1 - accuracy) * loose, size=n))
        out_of = right if of == "regression" else models - right
        times = generator.binomial(out_of, generator.beta(changes * loose, (1 - changes) * loose, size=n))
        return _rate_of(models, times.tolist(), out_of.tolist())

    return Situation(f"{of} rate {changes:g}, {models} models", changes, draw)


def one_or_all(models: int, one: float, everybody: float, repaired: float) -> Situation:
    """Rescues where one model is wrong now and then, and mostly repaired, and all at once seldom, and never repaired."""

    def draw(generator: Generator, n: int) -> Estimate | None:
        kind = generator.random(n)
        wrong = np.where(kind < everybody, models, kind < everybody + one)
        alone = (kind >= everybody) & (wrong == 1)
        rescued = alone & (generator.random(n) < repaired)
        return _rate_of(models, rescued.tolist(), wrong.tolist())

    truth = one * repaired / (one + models * everybody)
    return Situation(f"rescue rate, one or all of {models} models wrong", truth, draw)


def _rate_of(models: int, times: Sequence[float], out_of: Sequence[float]) -> Estimate | None:
    asked = [f"q{place}" for place in range(len(times))]
    rows = zip(times, out_of, strict=True)
    counts = {question: (float(top), float(bottom)) for question, (top, bottom) in zip(asked, rows, strict=True)}
    figure = rate(counts, dict.fromkeys(asked, float(models)))
    return None if figure is None else figure.estimate()


def gap(gap_share: float, closed: float, lost: float) -> Situation:
    """How much of the gap above a single player that is right on half of the questions a team closes."""

    def draw(generator: Generator, n: int) -> Estimate | None:
        kind = generator.random(n)
        single, open_gap = kind < 0.5, (kind >= 0.5) & (kind < 0.5 + gap_share)
        team = np.where(single, generator.random(n) >= lost, open_gap & (generator.random(n) < closed))
        rises = team.astype(float) - single
        figure = ratio.closed([(float(up), float(way)) for up, way in zip(rises, open_gap, strict=True)])
        found = None if figure is None else figure.estimate()
        if found is not None and found.low is None:  # nothing is ruled out
            return Estimate(found.value, -np.inf, np.inf, n)
        return found

    name = f"gap of {100 * gap_share:g} %, {100 * closed:g} % of it closed"
    return Situation(name, closed - 0.5 * lost / gap_share, draw)


def hanging(share: float, together: float, size: int | None, of: str) -> Situation:
    """Questions in clusters of five, or of one to nine: a share, or a paired difference of nothing."""
    loose = 1 / together - 1

    def draw(generator: Generator, n: int) -> Estimate | None:
        sizes = [size] * (n // size) if size else generator.integers(1, 10, size=n // 5).tolist()
        clusters = np.repeat(np.arange(len(sizes)), sizes)
        keys = [f"q{number}" for number in range(len(clusters))]
        sides = [
            (generator.random(len(keys)) < generator.beta(share * loose, (1 - share) * loose, len(sizes))[clusters])
            for _ in range(2)
        ]
        first, second = (side.astype(float).tolist() for side in sides)
        with clustered(dict(zip(keys, map(str, clusters), strict=True))):
            if of == "share":
                return mean_over_questions(dict(zip(keys, first, strict=True)))
            return compare(dict(zip(keys, zip(first, second, strict=True), strict=True))).difference

    several = f"{size}" if size else "1 to 9"
    return Situation(
        f"{of}, clusters of {several}, right {share:g}, rho {together:g}", share if of == "share" else 0.0, draw
    )


def places(bias: float) -> Situation:
    """Six captains a question, each with an order of its own; on every second question the first is favoured, or not."""

    def draw(generator: Generator, n: int) -> Estimate | None:
        found = position_bias(list(_looks(generator, n, bias)), places=False, seed=int(generator.integers(2**31)))
        return Estimate(found["first_difference"], found["first_low"], found["first_high"], found["n"])

    return Situation(f"position bias, first favoured by {bias:g}", bias / 2 * (1 - 1 / SHOWN), draw)


def _looks(generator: Generator, n: int, bias: float) -> Iterator[Look]:
    favoured = generator.random((n, CAPTAINS)) < bias * (generator.random(n) < 0.5)[:, None]
    popular = generator.integers(SHOWN, size=n)  # captains of one question like the same draft
    orders = generator.permuted(np.tile(np.arange(SHOWN), (n, CAPTAINS, 1)), axis=2)
    for question in range(n):
        for captain in range(CAPTAINS):
            order = orders[question, captain].tolist()
            taken = order[0] if favoured[question, captain] else int(popular[question])
            yield Look(str(question), order, [taken], lot=captain)


def selected() -> Situation:
    """The best three of eight by the questions of one half, voting on those of the other; the truth is what the teams
    that were chosen would reach on all questions there are, so each repetition has its own and it is taken off."""
    skills = np.linspace(-0.1, 0.1, POOL)
    population = np.random.default_rng(98)
    all_there_are = _answered(population, 20_000, skills)
    reached: dict[tuple[int, ...], float] = {}

    def truth_of(team: tuple[int, ...]) -> float:
        if team not in reached:
            reached[team] = float((all_there_are[list(team)].sum(axis=0) > CHOSEN / 2).mean())
        return reached[team]

    def draw(generator: Generator, n: int) -> Estimate | None:
        right = _answered(generator, n, skills)
        labels = LabelMatrix(
            tuple(Proposer(f"m{number}") for number in range(POOL)),
            tuple(map(str, range(n))),
            ("no", "yes"),
            right.astype(np.int32),
            np.ones(n, dtype=np.int32),
        )
        trials = []
        for split in range(SPLITS):
            order = generator.permutation(n)
            home, tested = order[: n // 2], np.sort(order[n // 2 :])
            team = tuple(sorted(np.argsort(-right[:, home].mean(axis=1), kind="stable")[:CHOSEN].tolist()))
            known = right[np.ix_(team, tested)].sum(axis=0).astype(float)
            voted = (known > CHOSEN / 2).astype(float)
            trials.append(Trial("best", CHOSEN, split, team, 0, (), None, voted, tested, known))
        (row,) = method_rows(labels, trials)
        truth = float(np.mean([truth_of(each.team) for each in trials]))
        low, high = (None if end is None else end - truth for end in (row["low"], row["high"]))
        return Estimate(row["test_accuracy"] - truth, low, high, row["n"])

    return Situation(f"selection, {SPLITS} splits", 0.0, draw)


def _answered(generator: Generator, n: int, skills: np.ndarray) -> np.ndarray:
    """Proposers × questions: who is right. What is hard is hard for all."""
    return generator.random((len(skills), n)) < np.clip(generator.beta(1.6, 1.4, size=n) + skills[:, None], 0, 1)


SITUATIONS = (
    share(0.4),
    paired(0.3, 0.15, 0.1),
    paired(0.25, 0.1, 0.1),
    paired(0.35, 0.1, 0.03),
    paired(0.4, 0.06, 0.04),
    paired(0.2, 0.3, 0.2),
    captained(0.06, 0.25, 1.0),
    captained(0.06, 0.25, 3.0),
    captained(0.0, 0.1, 3.0),
    composite(),
    *over_repeats(),
    scores(),
    rarely(0.1, 0.0),
    rarely(0.1, 0.02),
    changed(6, 0.7, 0.1, 0.3, "regression"),
    changed(6, 0.6, 0.3, 0.2, "rescue"),
    changed(1, 0.7, 0.1, 0.001, "regression"),
    changed(9, 0.75, 0.01, 0.3, "regression"),
    one_or_all(9, 0.27, 0.03, 1.0),
    one_or_all(6, 0.2, 0.02, 0.9),
    one_or_all(3, 0.3, 0.05, 0.9),
    gap(0.3, 0.5, 0.1),
    gap(0.15, 0.4, 0.08),
    gap(0.1, 0.9, 0.0),
    hanging(0.5, 0.3, 5, "share"),
    hanging(0.1, 0.3, 5, "share"),
    hanging(0.5, 0.3, None, "share"),
    hanging(0.5, 0.3, 5, "difference"),
    hanging(0.3, 0.3, None, "difference"),
    places(0.0),
    places(0.4),
    selected(),
)


def coverage(situation: Situation, n: int, repetitions: int, seed: int = 0) -> float:
    """No interval is no cover."""
    generator = np.random.default_rng(seed)
    held = 0
    for _ in range(repetitions):
        found = situation.draw(generator, n)
        if found is not None and found.low is not None and found.high is not None:
            held += found.low <= situation.truth <= found.high
    return held / repetitions


def false_alarms(n: int, repetitions: int, levels: Sequence[float], seed: int = 0) -> Iterator[tuple[str, list[float]]]:
    """How often p falls below each level when nothing is to be found."""
    generator = np.random.default_rng(seed)
    pairs = generator.multinomial(n, [0.1, 0.1, 0.8], size=repetitions)
    exact = np.array([mcnemar_exact(int(b), int(c)) for b, c, _ in pairs])
    yield "exact McNemar", [float((exact <= level).mean()) for level in levels]
    means = []
    for _ in range(repetitions // 4):
        base = generator.beta(0.8, 1.2, size=n)
        moved = (generator.binomial(CAPTAINS, base) - generator.binomial(CAPTAINS, base)) / CAPTAINS
        means.append(BoundedMean(moved.tolist(), [1.0] * n).p(0.0))
    yield "means over captains", [float((np.array(means) <= level).mean()) for level in levels]
    redrawn = np.array(
        [position_bias(list(_looks(generator, n, 0.0)), places=False)["first_p"] for _ in range(repetitions // 4)]
    )
    yield "orders drawn anew (position bias)", [float((redrawn <= level).mean()) for level in levels]


def main(repetitions: int, word: str = "") -> None:
    print(f"coverage of 95 % intervals, {repetitions:,} repetitions")
    print(f"{'':48}" + "".join(f"{f'n = {n}':>9}" for n in SIZES))
    for situation in SITUATIONS:
        if word in situation.name:
            found = [coverage(situation, n, repetitions) for n in SIZES]
            print(f"{situation.name:48}" + "".join(f"{100 * each:8.1f} " for each in found), flush=True)
    if word:
        return
    levels = (0.01, 0.05, 0.1, 0.5)
    print(f"\np below a level when there is nothing, n = 200{'':2}" + "".join(f"{level:>8g}" for level in levels))
    for name, rates in false_alarms(200, repetitions, levels):
        print(f"{name:48}" + "".join(f"{rate:8.3f}" for rate in rates), flush=True)
    print("\nplan: promised, computed and played power")
    for accuracy, gain, discordance in ((0.4, 0.03, 0.2), (0.4, 0.05, 0.1), (0.6, -0.08, 0.3), (0.4, 0.2, 0.2)):
        n = needed(accuracy, gain, discordance) or 0
        played = simulated_power(n, gain, discordance, repetitions=repetitions)
        said = f"{accuracy:g} {gain:+g}, differ on {discordance:g}: {n:,} questions"
        print(f"{said:48}    0.800 {power(n, gain, discordance):8.3f} {played:8.3f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000, *sys.argv[2:3])
