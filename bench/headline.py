"""How often the headline says "more than the best single model" where nothing is more, and where something is:
python bench/headline.py [REPETITIONS [WORD]].

Six players and the options that teams of them make, on questions whose truth is known. Beside the report's own rule
stand others that were tried: Bonferroni with the exact test of McNemar, half of the questions held out for the claim, a
bootstrap of the whole choice, joint flips of signs. In all of them the team must beat every single player. With a word,
only worlds that have it in their name are played.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import bdtrc, ndtr, ndtri

from moot.stats.choice import ALPHA, chosen_interval, claim, highest
from moot.stats.proportion import wilson
from moot.stats.quantiles import Z_95
from moot.stats.score import differences

Generator = np.random.Generator
Table = np.ndarray
"""Rows × questions, right or wrong."""
Drawn = tuple[Table, Table]
"""Options, singles."""
PLAYERS = 6
OPTIONS = 36
SIZES = (30, 100, 300)
DRAWS = 2_000
"""Of luck; the report takes ten times as many. A quarter of it for bootstraps and flips."""
SEEDS = 8
"""Draws of luck that are used again and again, since making them takes longer than all the rest."""
FEWER = 4
"""Rules that are known to fail, and coverage, are played in one of so many repetitions."""


@dataclass(frozen=True, slots=True)
class World:
    name: str
    truth: Sequence[float]
    """What each option reaches more than the best single player; none is less."""
    draw: Callable[[Generator, int], Drawn]


def right(generator: Generator, shares: Sequence[float], n: int, alike: float) -> Table:
    """Rows × questions; what is hard is hard for all, as far as they are alike (correlation of the latent normal)."""
    hard = generator.standard_normal(n)
    own = generator.standard_normal((len(shares), n))
    return math.sqrt(alike) * hard + math.sqrt(1 - alike) * own < ndtri(np.array(shares))[:, None]


def alike_world(
    name: str, best: float, others: float, gains: Sequence[float], alike: float, closer: float = 0.0
) -> World:
    """Options as alike as the players are, or closer to each other than to any player (they share their drafts)."""

    def draw(generator: Generator, n: int) -> Drawn:
        shares = [best, *[others] * (PLAYERS - 1)]
        hard = generator.standard_normal(n)
        single = math.sqrt(alike) * hard + math.sqrt(1 - alike) * generator.standard_normal((PLAYERS, n))
        common = math.sqrt(alike) * hard + math.sqrt(closer) * generator.standard_normal(n)
        option = common + math.sqrt(1 - alike - closer) * generator.standard_normal((len(gains), n))
        return option < ndtri(best + np.array(gains))[:, None], single < ndtri(np.array(shares))[:, None]

    return World(name, gains, draw)


def repairs_world(name: str, best: float, moved: float, options: int, *, common: bool) -> World:
    """All options start from the best player's answer, repair some of its errors and make as many new ones.

    `common`: they repair the same errors and make different ones. The others are far below.
    """

    def draw(generator: Generator, n: int) -> Drawn:
        first = generator.random(n) < best
        chances = generator.random((1 if common else options, n))
        repaired = np.broadcast_to(chances < moved / (1 - best), (options, n))
        spoilt = generator.random((options, n)) < moved / best
        option = np.where(first, ~spoilt, repaired)
        return option, np.vstack([first, right(generator, [best - 0.3] * (PLAYERS - 1), n, 0.3)])

    return World(name, [0.0] * options, draw)


def worlds(options: int) -> Iterator[World]:
    """In none of them is an option better than the best single player."""
    none = [0.0] * options
    yield alike_world("others far below, options as players", 0.7, 0.4, none, 0.5)
    yield alike_world("others far below, options independent", 0.5, 0.2, none, 0.0)
    yield alike_world("others far below, options share drafts", 0.7, 0.4, none, 0.3, 0.6)
    yield alike_world("others far below, all nearly copies", 0.7, 0.4, none, 0.9)
    yield repairs_world("own repairs, own errors on 10 %", 0.8, 0.1, options, common=False)
    yield repairs_world("same repairs, own errors on 10 %", 0.7, 0.1, options, common=True)
    yield repairs_world("same repairs, own errors on 25 %", 0.5, 0.25, options, common=True)
    yield alike_world("near-equal players", 0.55, 0.55, none, 0.5)
    yield alike_world("near-equal players, options share drafts", 0.55, 0.53, none, 0.3, 0.6)


def better_worlds() -> Iterator[World]:
    all_better, one_better = [0.06] * OPTIONS, [0.08] + [0.0] * (OPTIONS - 1)
    for closer, name in ((0.0, "options as players"), (0.3, "options share drafts")):
        yield alike_world(f"all better by 6, {name}", 0.6, 0.4, all_better, 0.6, closer)
        yield alike_world(f"one of 36 better by 8, {name}", 0.6, 0.4, one_better, 0.6, closer)
    yield alike_world("one option, better by 6", 0.6, 0.4, [0.06], 0.6)


def exact(table: Table) -> np.ndarray:
    """One-sided p of each row of differences, that it is better."""
    better, worse = (table > 0).sum(axis=-1), (table < 0).sum(axis=-1)
    return np.where(better > 0, bdtrc(np.maximum(better, 1) - 1, better + worse, 0.5), 1.0)


def unclear(options: Table, singles: Table, p: np.ndarray | None = None) -> Table | None:
    """The singles that the choice's price decides about; None where one is not beaten even without any price.

    Who is beaten at Bonferroni's price is beaten at a lower one (`tests/stats/test_choice.py`), which spares the time.
    """
    p = exact(options[highest(options)] - singles) if p is None else p
    return None if (p > ALPHA).any() else singles[p * len(options) > ALPHA]


def ours(
    options: Table,
    singles: Table,
    generator: Generator,
    *,
    clusters: Sequence[object] | None = None,
    pooled: bool = False,
) -> bool:
    """What the report calls; `clusters` of questions, and whether values are means, as there."""
    p = None
    if clusters is not None or pooled:
        chosen = options[highest(options)]
        p = ndtr([-differences(chosen - single, clusters, pooled=pooled).above for single in singles])
    left = unclear(options, singles, p)
    if left is None or not len(left):
        return left is not None
    seed = int(generator.integers(SEEDS))
    found = claim(options, left, clusters=clusters, pooled=pooled, draws=DRAWS, seed=seed)
    return found is not None and found.more


def bonferroni(options: Table, singles: Table, _: Generator) -> bool:
    return bool((exact(options[highest(options)] - singles) * len(options) <= ALPHA).all())


def held_out(options: Table, singles: Table, _: Generator) -> bool:
    """Chosen on one half, claimed on the other."""
    half = options.shape[1] // 2
    chosen = highest(options[:, :half])
    return bool((exact(options[chosen, half:] - singles[:, half:]) <= ALPHA).all())


def bootstrap(options: Table, singles: Table, generator: Generator) -> bool:
    """The highest of all options in resamples, about their own means, in units of their standard errors."""
    chosen, n = highest(options), options.shape[1]
    left = unclear(options, singles)
    if left is None:
        return False
    counts = generator.multinomial(n, [1 / n] * n, size=DRAWS // FEWER).astype(np.float32)
    for single in left:
        table = (options - single).astype(np.float32)
        errors = np.maximum(table.std(axis=1) / math.sqrt(n), 1e-9)
        means = table.mean(axis=1)
        top = (((counts @ table.T) / n - means) / errors).max(axis=1)
        if means[chosen] / errors[chosen] <= np.quantile(top, 1 - ALPHA):
            return False
    return True


def flips(options: Table, singles: Table, generator: Generator) -> bool:
    """One sign a question over all options, and of each flip the highest score of any option (Westfall and Young)."""
    chosen, n = highest(options), options.shape[1]
    left = unclear(options, singles)
    if left is None:
        return False
    signs = generator.integers(0, 2, size=(DRAWS // FEWER, n), dtype=np.int8).astype(np.float32) * 2 - 1
    for single in left:
        table = (options - single).astype(np.float32)
        roots = np.sqrt(np.maximum(1.0, np.abs(table).sum(axis=1)))
        top = ((signs @ table.T) / roots).max(axis=1)
        if (top >= table[chosen].sum() / roots[chosen] - 1e-5).mean() > ALPHA:
            return False
    return True


RULES: dict[str, Callable[[Table, Table, Generator], bool]] = {
    "ours": ours,
    "Bonferroni": bonferroni,
    "half held out": held_out,
    "bootstrap": bootstrap,
    "flips": flips,
}
SLOW = ("bootstrap", "flips")


def rates(world: World, n: int, repetitions: int, rules: Sequence[str], seed: int = 0) -> list[float]:
    """How often each rule says "more"."""
    generator, chance = np.random.default_rng(seed), np.random.default_rng(seed + 1)
    said, played = np.zeros(len(rules)), np.zeros(len(rules))
    for repetition in range(repetitions):
        options, singles = (table.astype(float) for table in world.draw(generator, n))
        for place, rule in enumerate(rules):
            if rule not in SLOW or repetition % FEWER == 0:
                said[place] += RULES[rule](options, singles, chance)
                played[place] += 1
    return (said / played).tolist()


def coverage(world: World, n: int, repetitions: int, seed: int = 0) -> tuple[float, float, float, float]:
    """How often the interval of the gain, and of the chosen option's accuracy, has its truth below, and above it."""
    generator = np.random.default_rng(seed)
    missed = np.zeros(4)
    many = world.draw(np.random.default_rng(99), 400_000)
    reached = many[0].mean(axis=1)
    gains = reached - many[1].mean(axis=1).max()
    for _ in range(repetitions):
        options, singles = (table.astype(float) for table in world.draw(generator, n))
        found = claim(options, singles, draws=DRAWS)
        assert found is not None
        usual = wilson(float(options[found.option].sum()), n, Z_95)
        own = chosen_interval(options, found.option, usual, draws=DRAWS)
        truths, ends = (gains[found.option], reached[found.option]), ((found.low, found.high), (own.low, own.high))
        missed += [
            side
            for truth, (low, high) in zip(truths, ends, strict=True)
            for side in (truth < (low or 0.0) - 1e-3, truth > (high or 0.0) + 1e-3)
        ]
    below, above, own_below, own_above = (missed / repetitions).tolist()
    return below, above, own_below, own_above


def rows_alike(n: int, rows: int, share: float, alike: float, repetitions: int, seed: int = 0) -> tuple[float, float]:
    """Rows of one truth, of which the highest is told of: how often its low end is above that truth, by the interval of its
    own row and by the one that pays for the choice (`headline.after_the_fact`)."""
    generator = np.random.default_rng(seed)
    above = np.zeros(2)
    for _ in range(repetitions):
        table = right(generator, [share] * rows, n, alike).astype(float)
        top = int(table.mean(axis=1).argmax())
        usual = wilson(float(table[top].sum()), n, Z_95)
        ends = usual.low, chosen_interval(table, top, usual, draws=DRAWS).low
        above += [(low or 0.0) > share for low in ends]
    unpaid, paid = (above / repetitions).tolist()
    return unpaid, paid


AFTER_THE_FACT, LOOKS, PRUNED = "after-the-fact", "looks", "taken-out"
"""The words that play these alone."""
ROWS_ALIKE = ((100, 4, 0.7, 0.3), (100, 12, 0.7, 0.3), (100, 36, 0.7, 0.3), (300, 12, 0.7, 0.5), (60, 8, 0.75, 0.2))
"""Questions, rows, what each gets right, how alike they are."""


def looked_at(looks: Sequence[int], differ: float, repetitions: int, seed: int = 0) -> tuple[float, float]:
    """How often one option that equals the single is called more, and more or less, by the first look that calls it so.
    `looks`: after how many questions; `differ`: on how many the two do."""
    generator = np.random.default_rng(seed)
    said = np.zeros(2)
    for start in range(0, repetitions, 2_000):
        drawn = generator.random((min(2_000, repetitions - start), looks[-1]))
        better, worse = np.cumsum(drawn < differ / 2, axis=1), np.cumsum(drawn > 1 - differ / 2, axis=1)
        up, down = (side[:, np.array(looks) - 1] for side in (better, worse))
        more, less = ((wins > 0) & (bdtrc(np.maximum(wins, 1) - 1, up + down, 0.5) <= ALPHA) for wins in (up, down))
        first = (more | less).argmax(axis=1)
        said += more[np.arange(len(more)), first].sum(), (more | less).any(axis=1).sum()
    called_more, called = (said / repetitions).tolist()
    return called_more, called


def taken_out(world: World, n: int, seen: int, repetitions: int, seed: int = 0) -> tuple[float, float]:
    """How often the highest option on the first so many questions is called more on all of them, when the others have been
    taken out of the file and play no further: were only what is left paid for, and as reported, all that was played."""
    generator = np.random.default_rng(seed)
    said = np.zeros(2)
    for _ in range(repetitions):
        options, singles = (table.astype(float) for table in world.draw(generator, n))
        top = highest(options[:, :seen])
        if (exact(options[top] - singles) > ALPHA).any():
            continue
        options[[place for place in range(len(options)) if place != top], seen:] = np.nan
        found = claim(options, singles, option=top, draws=DRAWS, seed=int(generator.integers(SEEDS)))
        said += True, found is not None and found.more
    alone, paid = (said / repetitions).tolist()
    return alone, paid


TAKEN_OUT = (
    "others far below, options as players",
    "others far below, options share drafts",
    "own repairs, own errors on 10 %",
)
SEEN = ((100, 100), (300, 300), (300, 100), (300, 30))
"""All questions, and on how many of them the choice was made."""


LOOKED_AT = ((300,), (150, 300), range(60, 301, 60), range(30, 301, 30), range(50, 1_001, 50))


def shown(found: Sequence[float], played: Sequence[int]) -> str:
    return "".join(
        f"{100 * rate:9.1f} ± {100 * math.sqrt(rate * (1 - rate) / times):.1f}"
        for rate, times in zip(found, played, strict=True)
    )


def main(repetitions: int, word: str = "") -> None:
    print(f"said 'more than the best single model', in %, {repetitions:,} repetitions")
    print(f"{'':48}{'n':>5}" + "".join(f"{rule:>15}" for rule in RULES))
    for title, several in (
        (f"nothing is better, {OPTIONS} options", list(worlds(OPTIONS))),
        ("nothing is better, one option", list(worlds(1))),
        ("something is better", list(better_worlds())),
    ):
        chosen = [world for world in several if word in world.name]
        print(title if chosen else "", flush=True)
        for world in chosen:
            rules = list(RULES) if len(world.truth) > 1 else ["ours", "Bonferroni"]
            for n in SIZES:
                played = [repetitions // FEWER if rule in SLOW else repetitions for rule in rules]
                print(f"  {world.name:46}{n:5}   {shown(rates(world, n, repetitions, rules), played)}", flush=True)
    covered = repetitions // FEWER
    print(f"\ntruth below and above the interval of the gain, and of the chosen option's accuracy, in %, {covered:,}")
    for world in (*list(worlds(OPTIONS))[::2], *better_worlds()):
        if word in world.name:
            for n in SIZES:
                missed = coverage(world, n, covered)
                print(f"  {world.name:46}{n:5}   {shown(missed, [covered] * len(missed))}", flush=True)
    if word in (AFTER_THE_FACT, ""):
        print("\nthe low end of the highest of equal rows is above the truth, unpaid and paid for, in %")
        for world in ROWS_ALIKE:
            print(f"  {world!s:46}{'':5}   {shown(rows_alike(*world, repetitions), [repetitions] * 2)}", flush=True)
    if word in (PRUNED, ""):
        print("\nthe highest of 4 and of 12, the others taken out: claimed alone, and paid for what was played, in %")
        for several in (worlds(4), worlds(12)):
            for world in (world for world in several if world.name in TAKEN_OUT):
                for n, seen in SEEN:
                    name = f"{world.name}, {len(world.truth)}, on {seen}"
                    told = shown(taken_out(world, n, seen, repetitions), [repetitions] * 2)
                    print(f"  {name:46}{n:5}   {told}", flush=True)
    if word in (LOOKS, ""):
        print("\none option that equals the single, looked at several times: called more, and more or less, in %")
        for looks in LOOKED_AT:
            for differ in (0.2, 0.4):
                name = f"{len(looks)} to {looks[-1]:,}, {100 * differ:.0f} % differ"
                print(
                    f"  {name:46}{'':5}   {shown(looked_at(looks, differ, repetitions), [repetitions] * 2)}", flush=True
                )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2_000, *sys.argv[2:3])
