"""How often something is claimed where there is nothing: python bench/null_worlds.py [REPETITIONS [PART]].

Worlds in which no team, no method and no hypothesis is better or worse than another, judged by the functions that
reports, `moot select` and `moot compare` call. Each with questions that stand alone, with questions that hang together in
clusters of five, and with means over three repeats; beside them a world with a true gain, so that a rule which never
claims anything would be noticed. Parts: headline, families, select, frontier, strength. Through the commands: null_commands.py.
"""

from __future__ import annotations

import asyncio
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.special import ndtri

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.stats.test_families import judged_on, null_ratios

from headline import World, better_worlds, ours, worlds
from moot.measures.claims.figure import Ratio
from moot.measures.claims.hypothesis import with_holm as verdicts_of
from moot.measures.safety.pairs import Pair, gain_by_strength
from moot.measures.selection.figures import method_rows
from moot.select.labels import Floats, Halves, LabelMatrix, Places, Proposer
from moot.select.registry import selector
from moot.select.trial import Summarisers, Trial, trials
from moot.stats.clusters import clustered
from moot.stats.estimates import with_holm
from moot.stats.frontier import Option, frontier
from moot.stats.graded import Value
from moot.stats.graded_pairs import family_row

Generator = np.random.Generator
CLUSTER = 5
REPEATS = 3
ALIKE = 0.5
"""The chance that a question, or a repeat, is like its cluster's, or its question's, first one."""
FAMILIES = (1, 3, 10)
PER_SIDE, TWO_SIDED = 2.5, 5.0


@dataclass(frozen=True, slots=True)
class Kind:
    """Of the questions."""

    name: str
    cluster: int = 1
    repeats: int = 1

    def clusters(self, n: int) -> dict[str, str]:
        return {key: str(number // self.cluster) for number, key in enumerate(keys(n))} if self.cluster > 1 else {}


ALONE, TOGETHER, MEANS = (
    Kind("questions alone"),
    Kind("clusters of 5", cluster=CLUSTER),
    Kind("3 repeats", repeats=REPEATS),
)
KINDS = (ALONE, TOGETHER, MEANS)


def keys(n: int) -> list[str]:
    return [f"q{number:04}" for number in range(n)]


def columns(generator: Generator, n: int, kind: Kind) -> tuple[int, np.ndarray]:
    """How many columns to draw, and which of them each repeat of each question takes (repeats × questions).

    A column is as likely to be right whoever takes it, so a world keeps its truth.
    """
    groups = math.ceil(n / kind.cluster)
    own = np.arange(n * kind.repeats).reshape(kind.repeats, n)
    firsts = n * kind.repeats + (np.arange(n) // kind.cluster if kind.cluster > 1 else np.arange(n))
    if kind == ALONE:
        return n, own
    taken = np.where(generator.random(own.shape) < ALIKE, firsts, own)
    return n * kind.repeats + (groups if kind.cluster > 1 else n), taken


def drawn(world: World, generator: Generator, n: int, kind: Kind) -> tuple[np.ndarray, np.ndarray]:
    """Options and singles on n questions of this kind."""
    size, taken = columns(generator, n, kind)
    options, singles = (table.astype(float) for table in world.draw(generator, size))
    return options[:, taken].mean(axis=1), singles[:, taken].mean(axis=1)


@dataclass(frozen=True, slots=True)
class Counted:
    """How often something was said."""

    what: str
    kind: str
    n: int
    said: int
    times: int
    nominal: float | None
    """In %; None: there is something to find."""

    @property
    def rate(self) -> float:
        return 100 * self.said / self.times

    @property
    def error(self) -> float:
        return math.sqrt(self.rate * (100 - self.rate) / self.times)

    def line(self) -> str:
        nominal = "power" if self.nominal is None else f"{self.nominal:g}"
        return f"| {self.what} | {self.kind} | {self.n} | {self.rate:.1f} ± {self.error:.1f} | {nominal} |"


def headlines(times: int) -> Iterator[Counted]:
    """36 options, or one that was declared, beside six players: "more than the best single model".

    Of questions that stand alone headline.py plays the same worlds, at three sizes and beside other rules.
    """
    better = next(world for world in better_worlds() if world.name.startswith("all better"))
    for nominal, several in ((PER_SIDE, [*worlds(36), *worlds(1)]), (None, [better])):
        for world in several:
            options = "36 options" if len(world.truth) > 1 else "one option"
            for kind, n in ((TOGETHER, 300), (MEANS, 100)):
                generator, chance = np.random.default_rng(7), np.random.default_rng(8)
                said = 0
                for _ in range(times):
                    table, singles = drawn(world, generator, n, kind)
                    clusters = list(kind.clusters(n).values()) or None
                    said += ours(table, singles, chance, clusters=clusters, pooled=kind.repeats > 1)
                yield Counted(f"headline, {options}: {world.name}", kind.name, n, said, times, nominal)


def families(times: int) -> Iterator[Counted]:
    """Hypotheses, and comparisons as reports make them (`moot compare` one by itself): any that is said to be so."""
    for kind in (ALONE, TOGETHER):
        for n in (30, 100) if kind == ALONE else (150,):
            generator = np.random.default_rng(9)
            said = dict.fromkeys(FAMILIES, 0)
            for _ in range(times):
                with clustered(kind.clusters(n)):
                    judged = judged_on(_ratios(generator, n, kind), generator)
                for size in FAMILIES:
                    rows = verdicts_of(judged[:size], [True] * size)
                    said[size] += any(row["verdict"] != "open" for row in rows)
            for size in FAMILIES:
                yield Counted(f"hypotheses, {size}", kind.name, n, said[size], times, TWO_SIDED)
    for gain in (0.0, 0.1):
        for kind in KINDS:
            for n in (30, 100) if kind == ALONE and not gain else (100,):
                yield from _compared(times if not gain else times // 4, kind, n, gain)


def _ratios(generator: Generator, n: int, kind: Kind) -> dict[str, Ratio]:
    size, (taken,) = columns(generator, n, kind)
    ratios = {}
    for name, ratio in null_ratios(generator, size).items():
        tops = list(ratio.tops.values())
        ratios[name] = Ratio({key: tops[place] for key, place in zip(keys(n), taken, strict=True)})
        if ratio.bottoms is not None:
            ratios[name] = Ratio(ratios[name].tops, dict.fromkeys(keys(n), 1 / n))
    return ratios


def _compared(times: int, kind: Kind, n: int, gain: float) -> Iterator[Counted]:
    """`gain`: of the first of them, over what all are compared with."""
    generator = np.random.default_rng(10)
    said = dict.fromkeys(FAMILIES, 0)
    for _ in range(times):
        size, taken = columns(generator, n, kind)
        hard = generator.standard_normal(size)
        latent = math.sqrt(0.6) * hard + math.sqrt(0.4) * generator.standard_normal((max(FAMILIES) + 1, size))
        shares = np.full(len(latent), 0.6)
        shares[1] += gain
        right = (latent < ndtri(shares)[:, None])[:, taken].astype(float).mean(axis=1)
        with clustered(kind.clusters(n)):
            rows = [family_row(_pairs(row, right[0], n), pooled=kind.repeats > 1) for row in right[1:]]
            for members in FAMILIES:
                compared = with_holm([dict(row) for row in rows[:members]])
                said[members] += any(_outside(row, "_holm") for row in (compared[:1] if gain else compared))
    nominal = None if gain else TWO_SIDED
    for members in FAMILIES:
        title = f"comparisons, {members}{', of which one is better by 10' if gain else ''}"
        yield Counted(title, kind.name, n, said[members], times, nominal)


def _pairs(first: np.ndarray, second: np.ndarray, n: int) -> dict[str, list[tuple[Value, Value]]]:
    both = zip(keys(n), first.tolist(), second.tolist(), strict=True)
    return {key: [(Value(one, one, one), Value(other, other, other))] for key, one, other in both}


def _outside(row: dict[str, object], ending: str) -> bool:
    """Whether zero is left out; p must say the same."""
    low, high, p = row[f"low{ending}"], row[f"high{ending}"], row[f"p{ending}"]
    if low is None or high is None:
        return False
    assert isinstance(low, float)
    assert isinstance(high, float)
    assert isinstance(p, float)
    assert (not low <= 0 <= high) == (p <= 0.05), row
    return not low <= 0 <= high


METHODS = ("input-all", "top-accuracy", "best-model", "per-model-top", "greedy", "model-first")
PROPOSERS = 8


@dataclass(frozen=True, slots=True)
class Words:
    """A summariser that is as often right whatever team it reads; teams that share members say alike. `gain`: what the
    first two proposers are worth to it, each."""

    hard: Floats
    own: Floats
    """Proposers × questions."""
    gain: float
    calls_each: int = 0
    words: str = "made up"

    async def right(self, teams: Places, questions: Places) -> Floats:
        said = self.own[teams, questions[:, None]].sum(axis=1) / math.sqrt(teams.shape[1])
        latent = math.sqrt(0.5) * (self.hard[questions] + said)
        better = self.gain * (teams < 2).sum(axis=1)
        right: Floats = (latent < ndtri(0.6) + better).astype(float)
        return right


def _selected(generator: Generator, n: int, splits: int, kind: Kind, gain: float) -> list[dict[str, object]]:
    """The rows of `moot select` on questions of which half are chosen on."""
    size, (taken,) = columns(generator, n, kind)
    hard, own = generator.standard_normal(size)[taken], generator.standard_normal((PROPOSERS, size))[:, taken]
    able = np.full(PROPOSERS, 0.6)
    able[:2] += gain
    knows = math.sqrt(0.5) * (hard + own) < ndtri(able)[:, None]
    truth = generator.integers(4, size=n).astype(np.int16)
    codes = np.where(knows, truth, (truth + generator.integers(1, 4, size=knows.shape)) % 4).astype(np.int16)
    proposers = tuple(Proposer(f"m{number // 2}", f"p{number % 2}") for number in range(PROPOSERS))
    labels = LabelMatrix(proposers, tuple(keys(n)), tuple("abcd"), codes, truth, clusters=kind.clusters(n))

    def maker(halves: Halves) -> Summarisers:
        sides = [Words(hard[places], own[:, places], gain) for places in (halves.selected, halves.tested)]
        return Summarisers(*sides)

    async def played() -> list[Trial]:
        methods = [selector(name) for name in METHODS]
        seed = int(generator.integers(2**31))
        return [
            trial async for trial in trials(labels, methods, 3, m=n // 2, splits=splits, seed=seed, summarisers=maker)
        ]

    return method_rows(labels, asyncio.run(played()))


def selections(times: int) -> Iterator[Counted]:
    """Six methods that choose three of eight proposers: any difference from `top-accuracy`, and any that is beaten."""
    for gain, kind, splits in (
        (0.0, ALONE, 1),
        (0.0, ALONE, 5),
        (0.0, TOGETHER, 5),
        (0.3, ALONE, 5),
    ):
        n, generator = (200 if kind == ALONE else 300), np.random.default_rng(11)
        differs = beaten = 0
        for _ in range(times if not gain else times // 4):
            rows = _selected(generator, n, splits, kind, gain)
            differs += any(_outside(row["over"], "_holm") for row in rows if row["over"])  # type: ignore[arg-type]
            beaten += any(row["beaten_by"] is not None for row in rows)
        played, nominal = (times, TWO_SIDED) if not gain else (times // 4, None)
        better = ", two proposers are better" if gain else ""
        name = f"{kind.name}, {splits} split{'s' * (splits > 1)}"
        yield Counted(f"select, any difference{better}", name, n, differs, played, nominal)
        yield Counted(f"select, any method beaten{better}", name, n, beaten, played, nominal)


def frontiers(times: int) -> Iterator[Counted]:
    """Eight options at different costs, as good as each other: any that is said to be beaten by one as cheap."""
    for gain, kind in ((0.0, ALONE), (0.0, TOGETHER), (0.15, ALONE)):
        generator, n, said = np.random.default_rng(12), 100, 0
        for _ in range(times if not gain else times // 4):
            size, taken = columns(generator, n, kind)
            latent = math.sqrt(0.5) * generator.standard_normal(size)
            latent = latent + math.sqrt(0.5) * generator.standard_normal((8, size))
            shares = np.full(8, 0.6)
            shares[0] += gain
            right = (latent < ndtri(shares)[:, None])[:, taken].mean(axis=1).tolist()
            options = {
                f"o{place:02}": Option(
                    dict(zip(keys(n), row, strict=True)), dict.fromkeys(keys(n), float(place // 2)), kind.repeats == 1
                )
                for place, row in enumerate(right)
            }
            with clustered(kind.clusters(n)):
                said += any(row["beaten_by"] is not None for row in frontier(options, keys(n)))
        nominal, played = (None, times // 4) if gain else (TWO_SIDED, times)
        title = f"frontier, any option beaten{', one better by 15' if gain else ''}"
        yield Counted(title, kind.name, n, said, played, nominal)


EQUAL, APART, BOUNDED = "equal models", "models far apart", "models far apart, all gain 8"
SPREAD = {EQUAL: (0.6, 0.6, 0.0), APART: (0.3, 0.9, 0.0), BOUNDED: (0.3, 0.9, 0.08)}
"""From which accuracy to which, and what each gains in truth."""


def strengths(times: int) -> Iterator[Counted]:
    """Whether weak models gain more (`gain_by_strength`), where strength has nothing to do with it: p < .05. Questions are
    hard or easy for all of them. Beside it a world in which those below the middle do come up to it."""
    for what, models, n in (
        *((what, 6, n) for what in (EQUAL, APART) for n in (30, 100, 300)),
        (APART, 9, 100),
        (BOUNDED, 9, 300),
    ):
        yield _correlated(what, models, n, times, come_up=False)
    yield _correlated(APART, 9, 300, times // 4, come_up=True)


def _correlated(what: str, models: int, n: int, times: int, *, come_up: bool) -> Counted:
    generator, said = np.random.default_rng(13), 0
    weakest, strongest, gain = SPREAD[what]
    alone = np.linspace(weakest, strongest, models)
    after = np.maximum(alone, 0.6) if come_up else alone + gain
    for world in range(times):
        hard = math.sqrt(0.5) * generator.standard_normal(n)
        own = math.sqrt(0.5) * generator.standard_normal((2, models, n))
        native, then = ((hard + own[side]) < ndtri(able)[:, None] for side, able in enumerate((alone, after)))
        pairs = [
            Pair(key, f"m{model}", float(native[model, place]), float(then[model, place]))
            for model in range(models)
            for place, key in enumerate(keys(n))
        ]
        row = gain_by_strength(pairs, seed=world)
        said += row is not None and row["p"] is not None and row["p"] < TWO_SIDED / 100
    title = f"strength against gain, {models} {what}{', those below 60 % come up to it' if come_up else ''}"
    return Counted(title, ALONE.name, n, said, times, None if come_up else TWO_SIDED)


PARTS: dict[str, Callable[[int], Iterator[Counted]]] = {
    "headline": headlines,
    "families": families,
    "select": selections,
    "frontier": frontiers,
    "strength": strengths,
}


def main(times: int, parts: Sequence[str]) -> None:
    print("| claim | questions | n | said, in % | nominal |\n| --- | --- | --- | --- | --- |")
    for part in parts:
        for counted in PARTS[part](times):
            print(counted.line(), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2_000, sys.argv[2:] or list(PARTS))
