"""`moot advise`: how near its search comes to the best there is, what its intervals hold, and what it takes.

    python bench/advise.py worlds [WORLDS] [quick]  null worlds and others: false claims, coverage; quick: nothing is learnt
    python bench/advise.py choices WORLDS QUESTIONS… [KIND…]  which point is taken, and what it is really worth (quick)
    python bench/advise.py least WORLDS QUESTIONS… [KIND…]  how true what is said of a least accuracy is (quick)
    python bench/advise.py many WORLDS QUESTIONS… [KIND…]  the same for 2, 6, 12 and 34 players
    python bench/advise.py races [WORLDS]         twelve options over the same questions: calls of a race and of playing all
    MOOT_DATA=FOLDER python bench/advise.py mmlu  34 models × 12,032 questions of MMLU-Pro: time, memory, the exact optimum

The data are not part of moot: MOOT_DATA names the folder that holds mmlu_pro_answers.parquet.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np

import moot.advise.advice as advising
import moot.advise.find as finding
import moot.advise.frontier as weighing
import moot.advise.search as searching
from moot.advise.advice import Advice, advise
from moot.advise.find import find_options
from moot.advise.frontier import AdviceWanted
from moot.advise.known import KnownDrafts, parted_in_two
from moot.advise.led import led_teams
from moot.advise.options import SINGLE
from moot.advise.search import Costs, grown
from moot.advise.tallies import Tallies
from moot.decide.learning import best_player, learn_rule
from moot.decide.one_coin import dawid_skene, naive_bayes
from moot.decide.rules import Leader, Plurality, WeightedSum, expected_worth
from moot.decide.weights import weights_by_accuracy
from moot.select.files import read_labels
from moot.select.voting import names_of
from moot.stats.binomial import at_most
from moot.stats.racing import raced

DATA = Path(os.environ.get("MOOT_DATA") or Path(__file__).parents[2] / "shared" / "data") / "mmlu_pro_answers.parquet"
MANY = 40_000
"""Fresh questions on which it is told what an option is really worth."""

World = Callable[[np.random.Generator, int, int], np.ndarray]
"""From a generator, players and questions to codes; 0 is right."""


def coins(draw: np.random.Generator, players: int, questions: int) -> np.ndarray:
    """Four in ten are known to all; of the rest everybody tosses a coin between the right answer and one other: no rule over any
    players is better than any of them."""
    known = draw.random(questions) < 0.4
    tossed = draw.integers(0, 2, size=(players, questions))
    return np.where(known, 0, tossed)


def echoes(draw: np.random.Generator, players: int, questions: int) -> np.ndarray:
    """The first is right seven times in ten; the others are right only where it is, and err apart."""
    first = np.where(draw.random(questions) < 0.7, 0, draw.integers(1, 4, size=questions))
    others = draw.integers(1, 10, size=(players - 1, questions))
    others = np.where((first == 0) & (draw.random(others.shape) < 0.6), 0, others)
    return np.vstack([first, np.where((first != 0) & (draw.random(others.shape) < 0.7), first, others)])


def twins(draw: np.random.Generator, players: int, questions: int) -> np.ndarray:
    """Two equally good players on either of two halves of a coin, and echoes of both: which is best cannot be known."""
    both = draw.random(questions) < 0.5
    pair = draw.integers(0, 2, size=(2, questions))
    pair = np.where(both, 0, pair)
    rest = draw.integers(1, 9, size=(players - 2, questions))
    return np.vstack([pair, np.where(both & (draw.random(rest.shape) < 0.5), 0, rest)])


def able(draw: np.random.Generator, players: int, questions: int) -> np.ndarray:
    """From 45 to 75 % right, apart from each other: here teams are better."""
    right = np.linspace(0.45, 0.75, players)[:, None]
    return np.where(draw.random((players, questions)) < right, 0, draw.integers(1, 5, size=(players, questions)))


WORLDS: dict[str, tuple[World, int, int]] = {
    "coins, 6 players, 60 questions": (coins, 6, 60),
    "coins, 12 players, 200 questions": (coins, 12, 200),
    "echoes, 6 players, 100 questions": (echoes, 6, 100),
    "twins, 6 players, 100 questions": (twins, 6, 100),
    "able, 6 players, 100 questions": (able, 6, 100),
}
NULL = ("coins", "echoes", "twins", "far ahead")


def drafts_of(codes: np.ndarray) -> KnownDrafts:
    players, questions = codes.shape
    names = tuple(f"p{place}" for place in range(players))
    return KnownDrafts(names, codes.astype(np.int16), (codes == 0) * 1.0, tuple(map(str, range(questions))), 10)


MOST_ACCURATE = AdviceWanted(min_accuracy=0.99)
"""What nobody reaches: so the most accurate is taken, which is a team where any looks better."""


@dataclass(slots=True)
class Count:
    worlds: int = 0
    claims: int = 0
    taken_held: int = 0
    points: int = 0
    points_held: int = 0

    def add(self, advice: Advice, fresh: KnownDrafts) -> None:
        self.worlds += 1
        self.claims += advice.over_singles is not None and advice.over_singles.better
        for point in advice.points:
            truth = float(point.option.played(fresh).worth.mean())
            assert point.accuracy.low is not None
            assert point.accuracy.high is not None
            held = point.accuracy.low <= truth <= point.accuracy.high
            self.points += 1
            self.points_held += held
            self.taken_held += held and point is advice.recommended

    def words(self) -> str:
        return (
            f"claimed better than every player {self.claims} of {self.worlds}, the interval of the one to take holds in"
            f" {100 * self.taken_held / self.worlds:.1f} %, those of {self.points} points in"
            f" {100 * self.points_held / self.points:.1f} %"
        )


def worlds(number: int, *, learning: bool) -> None:
    if not learning:
        finding.FEWEST = 10**6
    for name, (world, players, questions) in WORLDS.items():
        cheapest, best, started = Count(), Count(), time.process_time()
        for seed in range(number):
            draw = np.random.default_rng([18, seed])
            drafts = drafts_of(world(draw, players, questions))
            found = find_options(drafts.at(parted_in_two(drafts.units).search))
            fresh = drafts_of(world(draw, players, MANY))
            cheapest.add(advise(drafts, AdviceWanted(), found), fresh)
            best.add(advise(drafts, MOST_ACCURATE, found), fresh)
        what = "no team is better" if name.startswith(NULL) else "teams are better"
        print(f"{name} ({what}), {(time.process_time() - started) / number:.2f} s of CPU each")
        print(f"  nothing asked for: {cheapest.words()}")
        print(f"  the most accurate asked for: {best.words()}", flush=True)


def far_ahead(draw: np.random.Generator, players: int, questions: int) -> np.ndarray:
    """The first is right 85 times in a hundred; each of the others on about half of that, and nowhere else: no team is better."""
    first = np.where(draw.random(questions) < 0.85, 0, 1)
    others = draw.integers(2, 12, size=(players - 1, questions))
    others = np.where((first == 0) & (draw.random(others.shape) < 0.55), 0, others)
    return np.vstack([first, others])


def lone(draw: np.random.Generator, players: int, questions: int) -> np.ndarray:
    """One is right 85 times in a hundred, the others 55, apart from each other."""
    right = np.array([0.85, *([0.55] * (players - 1))])[:, None]
    return np.where(draw.random((players, questions)) < right, 0, draw.integers(1, 5, size=(players, questions)))


CHOICES: dict[str, tuple[World, int]] = {
    "coins, 4 equal players": (coins, 4),
    "far ahead, 6 players": (far_ahead, 6),
    "lone, 6 players": (lone, 6),
    "able, 6 players": (able, 6),
}
NEAR_THE_BEST = 0.02
SOME = 8_000
"""Fresh questions where there are many worlds."""


@dataclass(slots=True)
class Chosen:
    """What the points that were taken are really worth."""

    better: int = 0
    held: int = 0
    all_held: int = 0
    near: int = 0
    points: int = 0
    true: float = 0.0
    usd_per_1000: float = 0.0

    def add(self, advice: Advice, fresh: KnownDrafts) -> None:
        taken = advice.recommended
        assert taken is not None
        worth = {id(point): float(point.option.played(fresh).worth.mean()) for point in advice.points}
        held = {
            id(point): (point.accuracy.low or 0.0) <= worth[id(point)] <= (point.accuracy.high or 0.0)
            for point in advice.points
        }
        over = advice.over_singles
        self.better += over is not None and over.better
        self.held += held[id(taken)]
        self.all_held += all(held.values())
        self.near += worth[id(taken)] >= max(worth.values()) - NEAR_THE_BEST
        self.points += len(advice.points)
        self.true += worth[id(taken)]
        self.usd_per_1000 += taken.option.played(fresh).usd_per_1000 or 0.0

    def words(self, number: int) -> str:
        return (
            f"really right {100 * self.true / number:.2f} for ${self.usd_per_1000 / number:.3f}, within 2 points of the best of"
            f" {self.points / number:.1f} points {100 * self.near / number:.1f} %, its interval holds"
            f" {100 * self.held / number:.1f} %, all of them {100 * self.all_held / number:.1f} %,"
            f" said to be better than every player {self.better} of {number}"
        )


def choices(number: int, sizes: Sequence[int], kinds: Sequence[str] = ()) -> None:
    """Prices are drawn from 0.2 to 2 USD for 1,000 questions, whoever is able. Nothing is learnt."""
    finding.FEWEST = 10**6
    for name, (world, players) in CHOICES.items():
        if kinds and not name.startswith(tuple(kinds)):
            continue
        null = "no team is better" if name.startswith(NULL) else "teams are better"
        for questions in sizes:
            usual, best = Chosen(), Chosen()
            for seed in range(number):
                draw = np.random.default_rng([81, seed])
                prices = np.exp(draw.uniform(np.log(0.2), np.log(2.0), size=players)) / 1000
                drafts = priced(drafts_of(world(draw, players, questions)), prices)
                found = find_options(drafts.at(parted_in_two(drafts.units).search))
                fresh = priced(drafts_of(world(draw, players, SOME)), prices)
                usual.add(advise(drafts, AdviceWanted(), found), fresh)
                best.add(advise(drafts, AdviceWanted(most_accurate=True), found), fresh)
            print(f"{name}, {questions} questions ({null})")
            print(f"  nothing asked for: {usual.words(number)}")
            print(f"  the most accurate asked for: {best.words(number)}", flush=True)


LEAST = tuple(round(each / 100, 2) for each in range(-15, 6))
"""What is asked for, from the really best option weighed: from 15 points below it to 5 above."""


def pair(draw: np.random.Generator, players: int, questions: int) -> np.ndarray:
    """One is right 92 times in a hundred, the other 50, apart from each other."""
    right = np.array([0.92, *([0.5] * (players - 1))])[:, None]
    return np.where(draw.random((players, questions)) < right, 0, draw.integers(1, 5, size=(players, questions)))


def peers(draw: np.random.Generator, players: int, questions: int) -> np.ndarray:
    """All are right seven times in ten, apart from each other: the best on any questions is so by chance."""
    return np.where(draw.random((players, questions)) < 0.7, 0, draw.integers(1, 5, size=(players, questions)))


LEAST_ASKED: dict[str, tuple[World, int]] = {**CHOICES, "pair, 2 players": (pair, 2)}
MANY_PLAYERS: dict[str, tuple[World, int]] = {
    f"{name}, {players} players": (world, players)
    for name, world in {"coins": coins, "peers": peers, "able": able, "lone": lone}.items()
    for players in (2, 6, 12, 34)
}
SHARE, PAIRED = weighing.share, weighing._paired
TEAMS_OF_MANY = 3
"""Of more than six players teams of up to so many are looked for: the weighed options are as many as with larger ones."""


def remembered(told: Callable[..., Any]) -> Callable[..., Any]:
    """The same, reckoned once: one goal after another asks for the same figures of the same questions."""
    known: dict[tuple[Any, ...], Any] = {}

    def again(*given: Any) -> Any:
        key = tuple(each.tobytes() if isinstance(each, np.ndarray) else each for each in given)
        if key not in known:
            known[key] = told(*given)
        return known[key]

    return again


def least(
    number: int, sizes: Sequence[int], kinds: Sequence[str] = (), among: dict[str, tuple[World, int]] = LEAST_ASKED
) -> None:
    """Of every answer to `--min-accuracy` how often it is given, and how often the one to take really reaches what was asked."""
    finding.FEWEST = 10**6
    advising.next_stages = lambda *_: []  # type: ignore[assignment]  # which takes most of the time, and tells nothing here
    sums: dict[str, Counter[str]] = {}
    for name, (world, players) in among.items():
        if kinds and not name.startswith(tuple(kinds)):
            continue
        for questions in sizes:
            said, true, below, asked = Counter[str](), Counter[str](), Counter[float](), Counter[float]()
            false = Counter[float]()
            for seed in range(number):
                weighing.share, weighing._paired = remembered(SHARE), remembered(PAIRED)
                draw = np.random.default_rng([77, seed])
                prices = np.exp(draw.uniform(np.log(0.2), np.log(2.0), size=players)) / 1000
                drafts = priced(drafts_of(world(draw, players, questions)), prices)
                largest = TEAMS_OF_MANY if players > searching.MOST_PLAYERS else searching.MOST_PLAYERS
                found = find_options(drafts.at(parted_in_two(drafts.units).search), largest)
                fresh = priced(drafts_of(world(draw, players, SOME)), prices)
                points = advise(drafts, AdviceWanted(), found).points
                worth = {id(point.option): float(point.option.played(fresh).worth.mean()) for point in points}
                best = max(worth.values())
                for gap in LEAST:
                    wanted = AdviceWanted(min_accuracy=best + gap)
                    if not 0.3 < best + gap < 0.99:
                        continue
                    advice = advise(drafts, wanted, found)
                    assert advice.recommended is not None
                    taken, reached = advice.recommended.option, str(advice.least)
                    if id(taken) not in worth:  # a limit may keep another point of the frontier
                        worth[id(taken)] = float(taken.played(fresh).worth.mean())
                    said[reached] += 1
                    true[reached] += worth[id(taken)] >= best + gap
                    asked[gap] += 1
                    false[gap] += reached == "likely" and worth[id(taken)] < best + gap
                    below[gap] += reached == "not reached"
            words = ", ".join(
                f"{each} {said[each]} (true {100 * true[each] / said[each]:.1f} %)" for each in sorted(said)
            )
            none = ", ".join(
                f"{-100 * gap:g} below {100 * below[gap] / asked[gap]:.1f} %"
                for gap in (-0.02, -0.03, -0.05)
                if asked[gap]
            )
            print(
                f"{name}, {questions} questions: {words}; likely and false of one goal in"
                f" {100 * max(false[gap] / asked[gap] for gap in asked):.0f} % at most;"
                f" not reached where it is asked so many points {none}",
                flush=True,
            )
            for each, counted in (("said", said), ("true", true)):
                sums.setdefault(each, Counter()).update(counted)
    if sums:
        print({each: f"{sums['true'][each]} of {sums['said'][each]}" for each in sums["said"]})


def priced(drafts: KnownDrafts, prices: np.ndarray) -> KnownDrafts:
    return replace(drafts, usd=np.repeat(prices[:, None], drafts.size, axis=1))


def mmlu() -> None:
    _command()
    labels = read_labels(DATA, ["same_version"])
    drafts = KnownDrafts(tuple(names_of(labels)), labels.codes, labels.worth, tuple(labels.units()), labels.choices)
    parts = parted_in_two(drafts.units)
    search, claim = drafts.at(parts.search), drafts.at(parts.claim)
    found = find_options(search, 4)
    print(f"looked at up to four players: {found.looked_at:,}")
    best = {
        kind: max((float(each.searched.mean()) for each in found.options if each.kind == kind), default=0.0)
        for kind in ("single", "plurality", "weighted", "leader", "learnt", "cascade")
    }
    exact = _exact(search)
    for kind, value in exact.items():
        print(
            f"  {kind}: found {100 * best[kind]:.3f}, exact {100 * value:.3f}, gap {100 * (value - best[kind]):.3f} points"
        )
    print(f"  all kinds: found {100 * max(best.values()):.3f}, exact of these {100 * max(exact.values()):.3f}")
    _learnt_exact(search)
    _beside(search, claim)


def _command() -> None:
    began = time.monotonic()
    command = [sys.executable, "-m", "moot", "advise", str(DATA), "--where", "same_version", "--json"]
    told = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(
        f"moot advise, 34 × 12,032, up to six: {time.monotonic() - began:.0f} s, {used.ru_utime + used.ru_stime:.0f} s of CPU,"
        f" {used.ru_maxrss / 1e6:.2f} GB"
    )
    for row in told["frontier"]:
        print(
            f"  {100 * row['accuracy']:.2f} ({100 * row['low']:.2f}–{100 * row['high']:.2f}) {row['calls']:.2f} {row['option']}"
        )
    print(f"  {told['recommended']['sentence']}")


def _exact(search: KnownDrafts) -> dict[str, float]:
    """Every team of up to four, by the rules' own words for all that come near the best."""
    everybody = search.candidates(range(len(search.players)))
    costs = Costs.of(search)
    before = searching.AT_MOST_LOOKED, searching.WIDTH
    searching.AT_MOST_LOOKED = float("inf")
    try:
        from moot.advise.find import _weights_across

        votes = grown(Tallies.of(everybody), costs, 4)
        weighted = grown(Tallies.of(everybody, _weights_across(everybody, search)), costs, 4)
        import moot.advise.led as leading

        leading.LEADERS = 6
        led, _ = led_teams(Tallies.of(everybody), costs, 4)
    finally:
        searching.AT_MOST_LOOKED, searching.WIDTH = before
    return {
        "plurality": max(value for size, each in votes.items() if size > 2 for value in each.value.values()),
        "weighted": max(value for size, each in weighted.items() if size > 2 for value in each.value.values()),
        "leader": max(led.values()),
    }


def _learnt_exact(search: KnownDrafts, pool: int = 6) -> None:
    """Of the best few players every team of up to four, each with a rule learnt across folds."""
    order = np.argsort(-search.worth.mean(axis=1), kind="stable")[:pool]
    part = search.at(np.arange(0, search.size, 6))
    chosen = KnownDrafts(
        tuple(part.players[seat] for seat in order), part.codes[order], part.worth[order], part.units, part.choices
    )
    found = find_options(chosen, 4)
    best = max(float(each.searched.mean()) for each in found.options)
    exact = max(float(each.searched.mean()) for each in found.options if each.kind == SINGLE)
    for size in (2, 3, 4):
        for team in combinations(range(pool), size):
            learnt = learn_rule(chosen.candidates(team), chosen.units)
            exact = max(exact, *(float(values.mean()) for values in learnt.tried.values()))
    told = f"found of any kind {100 * best:.2f}, exact of learnt {100 * exact:.2f}"
    print(f"  learnt, the {pool} best players, {part.size:,} questions: {told}")


def _beside(search: KnownDrafts, claim: KnownDrafts) -> None:
    """On the questions kept apart: what others would take."""
    everybody = range(len(search.players))
    taught, told = search.candidates(everybody), claim.candidates(everybody)
    rules = {
        "best single, the vote of the others where it is silent": Leader(best_player(taught)),
        "plurality of all": Plurality(),
        "accuracy-weighted vote of all": WeightedSum(weights_by_accuracy(taught, search.choices)),
        "naive Bayes of all": naive_bayes(taught),
        "Dawid–Skene of all": dawid_skene(told),
    }
    alone = search.players.index(best_player(taught))
    print(f"  best single: {100 * float(claim.worth[alone].mean()):.2f}")
    for name, rule in rules.items():
        print(f"  {name}: {100 * float(expected_worth(rule, told).mean()):.2f}")
    print(f"  skyline, somebody is right: {100 * float(claim.worth.max(axis=0).mean()):.2f}")


LEAD = 0.08
RACERS = 12
RACES: dict[str, tuple[float, float, float]] = {
    "eleven alike, 8 points behind": (LEAD, 0.0, 0.0),
    "eleven alike, 8 points behind, questions hard for all": (LEAD, 0.0, 0.5),
    "from 8 to 28 points behind": (LEAD, 0.2, 0.0),
    "from 8 to 28 points behind, questions hard for all": (LEAD, 0.2, 0.5),
    "all alike": (0.0, 0.0, 0.5),
}
"""By how much the best is ahead, how far the others are apart, and how much of how hard a question is they share."""


def races(number: int) -> None:
    """Beside each race: playing all to the same question; the fixed number of questions from which on 90 %, and 99 %, of such
    experiments tell the best from all others (exact McNemar, one-sided, paid for eleven comparisons); and the fewest calls that
    any race with the same certainty can take on the mean."""
    for name, (lead, apart, shared) in RACES.items():
        most = 6_000 if lead else 1_500
        found = [raced(_racers(seed, lead, apart, shared, most)) for seed in range(number)]
        plays, of_all = (sum(getattr(each, key) for each in found) for key in ("plays", "plays_of_all"))
        kept = sum(0 in each.left for each in found) / number
        alone = sum(each.left == (0,) for each in found) / number
        told = f"{name}: best kept {100 * kept:.1f} %, alone {100 * alone:.1f} %,"
        told += f" {plays / number:,.0f} calls, {100 * plays / of_all:.1f} % of playing all to the same question"
        if lead:
            for share in (0.9, 0.99):
                fixed = _fixed(lead, apart, shared, share)
                told += (
                    f", {100 * plays / number / (RACERS * fixed):.1f} % of {fixed:,} questions for {100 * share:g} %"
                )
            told += f", at the least {_fewest_calls(lead, apart, shared):,.0f} calls"
        print(told, flush=True)


def _racers(seed: int, lead: float, apart: float, shared: float, questions: int) -> np.ndarray:
    draw = np.random.default_rng([18, seed])
    able = np.concatenate([[0.7], 0.7 - lead - np.linspace(0, apart, RACERS - 1)])
    hard = shared**0.5 * draw.standard_normal(questions) + (1 - shared) ** 0.5 * draw.standard_normal(
        (RACERS, questions)
    )
    return (hard < np.array([NormalDist().inv_cdf(each) for each in able])[:, None]) * 1.0


FIXED_WORLDS = 200


def _fixed(lead: float, apart: float, shared: float, share: float) -> int:
    """So many questions, all played by all. The best is put out by mistake where any of the eleven seems better by chance: so
    each comparison is one-sided, at an eleventh of 5 %."""
    sizes = np.arange(200, 4_000, 100)
    told = np.zeros(len(sizes))
    for seed in range(FIXED_WORLDS):
        worth = _racers(1_000_000 + seed, lead, apart, shared, int(sizes[-1]))
        better, worse = (np.cumsum(each, axis=1)[:, sizes - 1] for each in (worth[0] > worth[1:], worth[0] < worth[1:]))
        chance = at_most(worse.ravel() * 1.0, (better + worse).ravel() * 1.0, 0.5).reshape(worse.shape)
        told += (chance <= 0.05 / (RACERS - 1)).all(axis=0)
    return int(sizes[np.argmax(told >= share * FIXED_WORLDS)])


def _fewest_calls(lead: float, apart: float, shared: float) -> float:
    """Each of the others must be shown not to be the best. Who knows in advance whom to bet on, and how much, wins on the mean so
    much a question as the two coins, that of the pairs that differ and a fair one, are apart (Kullback and Leibler); to win
    twenty times the stake takes so many questions (Wald). The best is asked as long as the last of them, at the least."""
    worth = _racers(2_000_000, lead, apart, shared, 400_000)
    better, worse = ((each).mean(axis=1) for each in (worth[0] > worth[1:], worth[0] < worth[1:]))
    differ = better + worse
    won = better * np.log(2 * better / differ) + worse * np.log(2 * worse / differ)
    questions = np.log(20) / won
    return float(questions.sum() + questions.max())


if __name__ == "__main__":
    if sys.argv[1:2] == ["mmlu"]:
        mmlu()
    elif sys.argv[1:2] == ["races"]:
        races(int(sys.argv[2]) if len(sys.argv) > 2 else 200)
    elif sys.argv[1:2] in (["choices"], ["least"], ["many"]):
        numbers = [int(each) for each in sys.argv[2:] if each.isdigit()]
        kinds = [each for each in sys.argv[2:] if not each.isdigit()]
        if sys.argv[1] == "choices":
            choices(numbers[0], numbers[1:], kinds)
        else:
            least(numbers[0], numbers[1:], kinds, MANY_PLAYERS if sys.argv[1] == "many" else LEAST_ASKED)
    else:
        worlds(int(sys.argv[2]) if len(sys.argv) > 2 else 100, learning="quick" not in sys.argv)
