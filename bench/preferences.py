"""Whether the corrected win rate of long answers holds what it says, in worlds whose truth is known:
python bench/preferences.py [WORLDS [WORD]].

Simulated players write texts of known quality and length; simulated judges, with habits of known size, compare a team's with each
player's in both orders. The truth is what judges without a habit would prefer, in the mean over all questions there could be. In
null worlds the team is as good as the best of its members and no better, and its texts are longer. In worlds of habits one judge
has none for length, beside one who has: how often it is told to have one. With a word, only worlds that have it in their name
are played.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from moot.simulate.long_text import draft_quality, expected_preference, long_text, preferred
from moot.simulate.mind import Mind
from moot.simulate.roles import MARK
from moot.simulate.simulated import SimulatedModel
from moot.simulate.world import World as SimulatedWorld
from moot.simulate.world import uniform
from moot.stats.paired import holm
from moot.stats.preference import Preferences, PreferenceWord, doublings, raw_rate
from moot.stats.quantiles import ALPHA, student_quantile
from moot.types import Case, Question

MANY = 20_000
"""Questions that the truth is taken from."""
LEAST = 0.93
MOST = 0.025
MOST_HABITS = 0.075
"""Nominal is 5 %, and of 200 worlds as many more may be chance."""


@dataclass(frozen=True)
class World:
    name: str
    players: Mapping[str, Mapping[str, Any]]
    judges: Mapping[str, Mapping[str, Any]]
    gain: float = 0.0
    """What a team's text is better than its writer's own draft would be, in the mean."""
    reads: bool = False
    """The team writes the best of what was drafted in every third question, and the mean in others."""
    words: int = 40
    """Of the team's texts."""
    options: int = 1
    questions: int = 100
    null: bool = False
    habits: bool = False
    """Whether it is looked at what judges are told to like."""


BIASED = {"ivy": {"position_bias": 0.8, "length_bias": 0.8}, "jim": {"position_bias": -0.4, "length_bias": 0.5}}
THREE = {"ann": {"accuracy": 0.6}, "bob": {"accuracy": 0.55}, "cat": {"accuracy": 0.5, "words": 20}}
ONE_FAIR = {**BIASED, "jim": {"position_bias": -0.4}}
SHARP_ONE_FAIR = {name: {**habits, "blur": 0.15} for name, habits in ONE_FAIR.items()}
SHARP = {name: {**habits, "blur": 0.15} for name, habits in BIASED.items()}
WORLDS = (
    World("a team twice as long", THREE, BIASED, gain=0.05, words=80),
    World("a team half as long", THREE, BIASED, gain=0.05, words=20),
    World("one judge", THREE, {"ivy": BIASED["ivy"]}, gain=0.05, words=80),
    World("judges who hardly err", THREE, SHARP, gain=0.05, words=80),
    World("a team that reads", THREE, BIASED, reads=True, gain=0.02, words=80),
    World("far better", THREE, BIASED, gain=0.4, words=80),
    World("sixty questions", THREE, BIASED, gain=0.05, words=80, questions=60),
    World("null, one option", THREE, BIASED, words=80, null=True),
    World("null, eight options", THREE, BIASED, words=80, options=8, questions=60, null=True),
    World("null, thirty questions, eight options", THREE, BIASED, words=80, options=8, questions=30, null=True),
    World("null, three equal members", {name: {"accuracy": 0.6} for name in THREE}, BIASED, words=80, options=4, null=True),
    World("null, one judge who hardly errs", THREE, {"ivy": {**BIASED["ivy"], "blur": 0.15}}, words=80, options=4, null=True),
    World("habits, thirty questions", THREE, ONE_FAIR, words=80, questions=30, habits=True),
    World("habits, sixty questions", THREE, ONE_FAIR, gain=0.1, words=80, questions=60, habits=True),
    World("habits, judges who hardly err", THREE, SHARP_ONE_FAIR, gain=0.1, words=80, questions=60, habits=True),
)  # fmt: skip


def members(world: World, seed: int, questions: int) -> tuple[list[str], dict[str, SimulatedModel]]:
    ids = [f"q{number}" for number in range(questions)]
    cases = [Case(Question(name, f"Write a plan, number {name}.", kind="text"), None) for name in ids]
    simulated = SimulatedWorld(cases, seed)
    every = {"accuracy": 0.6, "correlation": 0.3, "words": 40}
    team = {f"team {number}": {"words": world.words} for number in range(world.options)}
    named = {**world.players, **team, **world.judges}
    return ids, {name: SimulatedModel(name, world=simulated, **{**every, **keys}) for name, keys in named.items()}


def qualities(world: World, models: Mapping[str, SimulatedModel], name: str, seed: int) -> dict[str, float]:
    """Of each player's draft and of each option's text."""
    minds = {
        who: Mind(model, model.world.by_id(name), "", 0.0) for who, model in models.items() if who not in world.judges
    }
    drafts = {who: draft_quality(mind) for who, mind in minds.items()}
    members_best = [drafts[player] for player in world.players]
    for option in (who for who in drafts if who not in world.players):
        if world.reads:
            best = uniform(seed, name, option, "reads") < 1 / 3
            drafts[option] = max(members_best) if best else sum(members_best) / len(members_best)
        drafts[option] += world.gain
    return drafts


@cache
def truths(name: str) -> dict[str, float]:
    """By opponent: what judges without a habit prefer, of very many questions."""
    world = next(world for world in WORLDS if world.name == name)
    ids, models = members(world, 2**40, MANY)
    sums = dict.fromkeys(world.players, 0.0)
    for question in ids:
        drafts = qualities(world, models, question, 2**40)
        for player in sums:
            better = drafts["team 0"] - drafts[player]
            shares = [expected_preference(better, models[judge].blur) for judge in world.judges]
            sums[player] += sum(shares) / len(shares)
    return {player: total / MANY for player, total in sums.items()}


def words_of(world: World, seed: int) -> list[PreferenceWord]:
    ids, models = members(world, seed, world.questions)
    words = []
    for name in ids:
        minds = {who: Mind(model, model.world.by_id(name), "", 0.0) for who, model in models.items()}
        drafts = qualities(world, models, name, seed)
        texts = {who: long_text(minds[who], quality, MARK) for who, quality in drafts.items()}
        for option in (who for who in texts if who not in world.players):
            for player in world.players:
                one, other = texts[option], texts[player]
                longer = doublings(len(one.split()), len(other.split()))
                for judge in world.judges:
                    for place, shown in ((1, (one, other)), (-1, (other, one))):
                        said = preferred(minds[judge], *shown)
                        liked = 0.5 if said == "tie" else float((said == "first") == (place == 1))
                        words.append(PreferenceWord(name, (option, player), 0, judge, liked, place, longer))
    return words


@dataclass
class Held:
    corrected: int = 0
    raw: int = 0
    intervals: int = 0
    width: float = 0.0
    claimed: int = 0
    withheld: int = 0


def played(world: World, count: int) -> Held:
    held = Held()
    for seed in range(count):
        words = words_of(world, seed)
        fitted = Preferences(words)
        p_values = []
        for option in dict.fromkeys(pair[0] for pair in fitted.pairs):  # type: ignore[index]
            ps = []
            for player in world.players:
                rate = fitted.rate((option, player))
                if rate is None:  # length cannot be told from quality
                    held.withheld += 1
                    ps.append(1.0)
                    continue
                ps.append(rate.at_most_half() or 0.0)
                if not world.null:
                    raw = raw_rate([word for word in words if word.pair == (option, player)])
                    truth, limits, plain = truths(world.name)[player], rate.limits(ALPHA), raw.limits(ALPHA)
                    assert limits is not None, "there are many questions"
                    assert plain is not None, "there are many questions"
                    held.corrected += limits[0] <= truth <= limits[1]
                    held.raw += plain[0] <= truth <= plain[1]
                    held.intervals += 1
                    held.width += limits[1] - limits[0]
            p_values.append(min(1.0, 2 * max(ps)))
        held.claimed += min(holm(p_values)) <= ALPHA
    return held


def told_a_habit(world: World, count: int) -> int:
    """In how many worlds a judge without a taste for length is told to have one, as a report tells it."""
    told = 0
    for seed in range(count):
        fitted = Preferences(words_of(world, seed))
        for habit in fitted.habits:
            if "length_bias" not in world.judges[habit.judge] and habit.longer is not None and habit.longer_error:
                told += abs(habit.longer) > habit.longer_error * student_quantile(len(fitted.units) - 1)
    return told


def main(count: int, word: str = "") -> bool:
    fine = True
    for world in (world for world in WORLDS if word in world.name):
        if world.habits:
            told = told_a_habit(world, count)
            print(
                f"{world.name}: a judge without a taste for length is told to have one in {told / count:.1%}",
                flush=True,
            )
            fine &= told / count <= MOST_HABITS
            continue
        held = played(world, count)
        if world.null:
            print(f"{world.name}: better than every member claimed in {held.claimed / count:.1%}", flush=True)
            fine &= held.claimed / count <= MOST
        else:
            covered, raw = held.corrected / held.intervals, held.raw / held.intervals
            width = held.width / held.intervals
            none = f", {held.withheld} withheld" if held.withheld else ""
            print(f"{world.name}: corrected {covered:.1%}, as judged {raw:.1%}, {width:.2f} wide{none}", flush=True)
            fine &= covered >= LEAST
    return fine


if __name__ == "__main__":
    sys.exit(0 if main(int(sys.argv[1]) if len(sys.argv) > 1 else 200, *sys.argv[2:3]) else 1)
