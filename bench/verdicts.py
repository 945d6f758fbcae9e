"""Hypotheses: ratios, products and money, held against the truth: is any settled? python bench/verdicts.py [EXPERIMENTS [NAME]].

Every threshold is the truth, so 5 % of experiments may have any of a family settled. A family is of independent hypotheses: what
one of them is at its level in a family says what any of so many is. Judged by the functions that reports call.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np

from moot.experiment.claims import Term, parse
from moot.measures.claims.figure import Ratio
from moot.measures.claims.hypothesis import Judged, judge, with_holm
from moot.stats.clusters import clustered

FAMILIES = (1, 3, 10)
RESAMPLES = 2_000
Columns = dict[str, np.ndarray]


@dataclass(frozen=True)
class World:
    name: str
    text: str
    columns: Callable[[np.random.Generator, int], Columns]
    """What each figure of the text is on every question."""
    cluster: int = 1


def right(drawn: np.random.Generator, n: int, **shares: float) -> Columns:
    """Half of the questions are hard or easy for all alike."""
    alike, hardness = drawn.random(n) < 0.5, drawn.random(n)
    return {name: (np.where(alike, hardness, drawn.random(n)) < share) * 1.0 for name, share in shares.items()}


def paid(drawn: np.random.Generator, n: int, spread: float, **means: float) -> Columns:
    """Lognormal, and half of what they differ by is the question's own."""
    alike = drawn.standard_normal(n)
    own = {name: math.sqrt(0.5) * (alike + drawn.standard_normal(n)) for name in means}
    return {name: means[name] * np.exp(spread * own[name] - spread**2 / 2) for name in means}


def independent_costs(drawn: np.random.Generator, n: int, spread: float, **means: float) -> Columns:
    return {name: mean * np.exp(spread * drawn.standard_normal(n) - spread**2 / 2) for name, mean in means.items()}


def lost_clusters(drawn: np.random.Generator, n: int) -> Columns:
    """A gain on most clusters, and some that are lost as a whole: none on average."""
    base, up, down = 0.7, 0.10, 0.03
    lost = np.repeat(drawn.random(n // 5) < (up - down) / (up - down + base), 5)
    before, luck = drawn.random(n) < base, drawn.random(n)
    after = np.where(before, luck >= down / base, luck < up / (1 - base)) & ~lost
    return {"accuracy(a)": after * 1.0, "accuracy(b)": before * 1.0}


def turned(drawn: np.random.Generator, n: int, **rates: tuple[float, float]) -> Columns:
    """Rescues and regressions on as many of the questions; half of the questions are such for all alike."""
    alike, luck = drawn.random(n) < 0.5, drawn.random(n)
    columns = {}
    for name, (rescues, regressions) in rates.items():
        own = np.where(alike, luck, drawn.random(n))
        columns |= {f"{name}, rescued": (own < rescues) * 1.0, f"{name}, regressed": (own > 1 - regressions) * 1.0}
    return columns


def named(function: str, columns: Columns) -> Columns:
    return {f"{function}({name})": values for name, values in columns.items()}


def worlds() -> Iterator[World]:
    for a, b in ((0.97, 0.95), (0.9, 0.8), (0.6, 0.5)):
        text = f"accuracy(a) / accuracy(b) > {a / b!r}"
        yield World(f"ratio, {a} by {b}", text, lambda g, n, a=a, b=b: named("accuracy", right(g, n, a=a, b=b)))
    for a, b, c, d in ((0.97, 0.95, 0.97, 0.95), (0.9, 0.8, 0.72, 0.64)):
        text = "accuracy(a) / accuracy(b) > accuracy(c) / accuracy(d)"
        shares = {"a": a, "b": b, "c": c, "d": d}
        name = f"two ratios, {a} by {b}, {c} by {d}"
        yield World(name, text, lambda g, n, shares=shares: named("accuracy", right(g, n, **shares)))
    for a, b, n_differ in ((0.05, 0.002, 0.048), (0.1, 0.02, 0.08)):
        yield World(
            f"difference of {n_differ}, {a} better and {b} worse",
            f"accuracy(a) - accuracy(b) > {n_differ}",
            lambda g, n, a=a, b=b: few_better(g, n, a, b),
        )
    for x in (0.2, 0.5, 0.9):
        yield World(
            f"square of {x}",
            f"accuracy(a) * accuracy(a) > {x * x!r}",
            lambda g, n, x=x: named("accuracy", right(g, n, a=x)),
        )
    for a, b in ((0.1, 0.05), (0.6, 0.5), (0.9, 0.8)):
        text = f"accuracy(a) * accuracy(b) > {a * b!r}"
        yield World(f"product of {a} and {b}", text, lambda g, n, a=a, b=b: named("accuracy", right(g, n, a=a, b=b)))
    for a, b in (((0.2, 0.05), (0.2, 0.05)), ((0.3, 0.1), (0.1, 0.1))):
        times = a[0] / a[1] / (b[0] / b[1])
        yield World(
            f"multiples of {a[0] / a[1]:g} and {b[0] / b[1]:g}",
            f"safety_multiple(a) > {times!r} * safety_multiple(b)",
            lambda g, n, a=a, b=b: turned(g, n, a=a, b=b),
        )
    yield World(
        "a difference of 0.05 by itself, squared",
        "(accuracy(a) - accuracy(b)) * (accuracy(a) - accuracy(b)) < 0.0025",
        lambda g, n: named("accuracy", right(g, n, a=0.75, b=0.7)),
    )
    for spread in (0.6, 1.0):
        yield World(
            f"mean cost, sigma {spread}",
            "cost(a) < 1",
            lambda g, n, spread=spread: named("cost", paid(g, n, spread, a=1.0)),
        )
        yield World(
            f"product of two costs, sigma {spread}",
            "cost(a) * cost(b) < 2",
            lambda g, n, spread=spread: named("cost", independent_costs(g, n, spread, a=2.0, b=1.0)),
        )
        yield World(
            f"cost of a by that of b, sigma {spread}",
            "cost(a) / cost(b) < 2",
            lambda g, n, spread=spread: named("cost", paid(g, n, spread, a=2.0, b=1.0)),
        )
        yield World(
            f"right for a dollar, a against b, sigma {spread}",
            "accuracy(a) / cost(a) > accuracy(b) / cost(b)",
            lambda g, n, spread=spread: (
                named("accuracy", right(g, n, a=0.9, b=0.8)) | named("cost", paid(g, n, spread, a=0.9, b=0.8))
            ),
        )
    yield World("ratio, clusters of 5, some lost", "accuracy(a) / accuracy(b) > 1", lost_clusters, 5)


def few_better(drawn: np.random.Generator, n: int, better: float, worse: float) -> Columns:
    luck, before = drawn.random(n), drawn.random(n) < 0.6
    up, down = luck < better, luck > 1 - worse
    return {"accuracy(a)": (up | (before & ~down)) * 1.0, "accuracy(b)": (down | (before & ~up)) * 1.0}


def _ratio(columns: Columns, term: Term) -> Ratio:
    if term.function == "safety_multiple":
        tops, bottoms = (_by_question(columns[f"{term.side}, {how}"]) for how in ("rescued", "regressed"))
        return Ratio(tops, bottoms)
    return Ratio(_by_question(columns[f"{term.function}({term.side})"]))


def _by_question(values: np.ndarray) -> dict[str, float]:
    return {f"q{place}": float(value) for place, value in enumerate(values)}


def judged(world: World, generator: np.random.Generator, n: int, resamples: int = RESAMPLES) -> Judged:
    columns, hypothesis = world.columns(generator, n), parse(world.text)
    ratios = {term: _ratio(columns, term) for term in hypothesis.terms}
    together = {f"q{place}": str(place // world.cluster) for place in range(n)}
    with clustered(together) if world.cluster > 1 else nullcontext():
        return judge(hypothesis, ratios, seed=int(generator.integers(2**31)), resamples=resamples)


def settled(world: World, n: int, experiments: int, seed: int = 7, resamples: int = RESAMPLES) -> dict[int, float]:
    """In which share of experiments any of so many is confirmed or refuted."""
    generator = np.random.default_rng([seed, n])
    every = [judged(world, generator, n, resamples) for _ in range(experiments)]
    beside = Judged(parse("cost(z) > 0"), None, 0.0, None, None, 0, None, "none", True)
    shares = {}
    for family in FAMILIES:
        rows = [with_holm([one, *[beside] * (family - 1)], [True] * family)[0] for one in every]
        first = sum(row["verdict"] != "open" for row in rows) / experiments
        shares[family] = 1 - (1 - first) ** family
    return shares


def main(experiments: int, name: str) -> None:
    for world in worlds():
        if name not in world.name:
            continue
        for n in (30, 60, 100, 200):
            if world.cluster > 1 and n == 30:
                continue
            found = settled(world, n, experiments)
            print(
                f"{world.name}, n = {n}:", ", ".join(f"any of {k} {100 * v:.1f}" for k, v in found.items()), flush=True
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 600, sys.argv[2] if len(sys.argv) > 2 else "")
