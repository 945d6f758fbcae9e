"""Preferences between two texts, freed of what a judge likes for its place or its length: a fractional logistic of the words.

Of a pair (a side and an opponent) a judge prefers the side with log-odds

    theta(pair) + beta(judge) · (1 where the side stood first, -1 where second) + gamma(judge) · (its length in doublings)

where a tie is half a preference. What is told is the share at no place and equal length, ``1 / (1 + exp(-theta))``: the
mean over questions of what a judge without these two habits would say. Where texts differ from question to question in how
much better they are, the formula holds for that mean nearly as well as for each of them. Doublings are bounded: nobody reads a
text of ten times the length as ten times a reason.

Questions count alike, and in a question plays, in a play judges, and of a judge its words. What needs no judge (equal texts,
a text that is missing) is a word that no habit touches. Questions are the unit: each is left out in turn (a jackknife, in
which its own leverage is taken into account), and the interval is that of a mean of bounded values (`bounded_mean`) over what
each question then adds. So a side that always wins has an interval too; beside it stands one question more that it lost, since
nothing that it won says how much of that was length. The interval also holds Student's of the log-odds: where much hangs on a
taste for length that is hardly known, a share is far from straight in it. And it holds what comes out where a taste has another
form, and where questions differ otherwise: see `preference_doubts`. A trace of a ridge keeps what no word bounds finite.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from moot.stats.clusters import unit_of
from moot.stats.preference_doubts import BothOrders, Reach, reaches, small_difference, up_to
from moot.stats.preference_reasons import BY_PLACE, NOT_TOLD_APART, ONE_ORDER, SAYS_NOTHING, UNHEARD
from moot.stats.preference_share import Rate, jackknife_error, left_out_rate, rate_of
from moot.stats.preference_word import PreferenceWord as PreferenceWord
from moot.stats.quantiles import ALPHA
from moot.stats.word_table import WordTable, logistic

if TYPE_CHECKING:
    from moot.stats.bootstrap import Floats

MOST_DOUBLINGS = 2.0
"""Four times as long counts as much as any more."""
TOLD_APART = 0.25
"""The information on a judge's taste for length below which it cannot be told from how good texts are: a standard error of two
in the log-odds of a doubling."""
NO_DIFFERENCE = 0.02
"""Doublings: texts whose lengths differ by less are equally long."""
_OTHER_WAY = "\0a question that went the other way"
_STEPS = 60
_SMALL = 1e-10
WIDEST = 0.95
"""An interval that holds more of the line than this tells nothing of a share."""
SELDOM = 0.25
OF_LITTLE_WEIGHT = 0.1
MOST_BY_PLACE = 1.2
"""Log-odds: a judge that takes what stands first in three of four. Little of its words is about texts. Where many questions are
sure wins the habit looks smaller than it is and passes: then the ends of what the share may be are as unsure as they are."""


def _habit(word: PreferenceWord) -> str:
    return word.habit or word.judge or ""


def _says_nothing(rate: Rate) -> bool:
    """Whether hardly a share is left out by its interval. A figure before it would be taken for one."""
    limits = rate.limits(ALPHA)
    return limits is not None and limits[1] - limits[0] > WIDEST


def doublings(words: int, others: int) -> float:
    """How often one of so many words is twice as long as the other, at most `MOST_DOUBLINGS`."""
    ratio = math.log2(max(words, 1) / max(others, 1))
    return max(-MOST_DOUBLINGS, min(MOST_DOUBLINGS, ratio))


def raw_rate(words: Sequence[PreferenceWord]) -> Rate:
    """Of one pair, as the words are: each question counts alike."""
    weights = _weights(words)
    sums: dict[str, float] = defaultdict(float)
    sizes: dict[str, float] = defaultdict(float)
    for word, weight in zip(words, weights, strict=True):
        sums[unit_of(word.question)] += weight * word.liked
        sizes[unit_of(word.question)] += weight
    return rate_of([*sums.values()], [*sizes.values()])


def _weights(words: Sequence[PreferenceWord]) -> list[float]:
    """A question has one for each pair; plays, judges and words have equal parts of it."""
    plays: dict[Hashable, set[Hashable]] = defaultdict(set)
    judges: dict[Hashable, set[str | None]] = defaultdict(set)
    said: dict[Hashable, int] = defaultdict(int)
    for word in words:
        question = (word.pair, word.question)
        plays[question].add(word.play)
        judges[question, word.play].add(word.judge)
        said[question, word.play, word.judge] += 1
    return [
        1
        / len(plays[question := (word.pair, word.question)])
        / len(judges[question, word.play])
        / said[question, word.play, word.judge]
        for word in words
    ]


@dataclass(frozen=True, slots=True)
class Habit:
    """What a judge likes beside how good a text is, in log-odds."""

    judge: str
    first: float
    """For standing first."""
    longer: float | None
    """For a doubling; None: it cannot be told."""
    first_error: float | None
    longer_error: float | None
    """Standard errors over the units left out in turn."""


@dataclass(frozen=True)
class Preferences:
    """The words of all pairs, fitted together: judges have their habits wherever they judge."""

    words: Sequence[PreferenceWord]

    @cached_property
    def pairs(self) -> list[Hashable]:
        return list(dict.fromkeys(word.pair for word in self.words))

    @cached_property
    def judges(self) -> list[str]:
        return list(dict.fromkeys(_habit(word) for word in self.words if word.has_habit))

    @cached_property
    def habits(self) -> list[Habit]:
        found = self._found
        habits = []
        for place, judge in enumerate(self.judges):
            longer = self._longer_place(place)
            told = None if longer is None or not found.told_apart[place] else longer
            habits.append(
                Habit(
                    judge,
                    float(found.habits[place]),
                    (0.0 if longer is None else None) if told is None else float(found.habits[told]),
                    jackknife_error(found.habits_without[:, place].tolist()),
                    None if told is None else jackknife_error(found.habits_without[:, told].tolist()),
                )
            )
        return habits

    def rate(self, pair: Hashable) -> Rate | None:
        """At no place and equal length; None where that cannot be told: see `why_not`. With what it would be otherwise."""
        if pair not in self._rates:
            self._rates[pair] = self._rate(pair)
        return self._rates[pair]

    @cached_property
    def _rates(self) -> dict[Hashable, Rate | None]:
        """Those that were asked for: each is found once."""
        return {}

    def _rate(self, pair: Hashable) -> Rate | None:
        if self.counted_of(pair) is not self:
            return self.counted_of(pair).rate(pair)
        if (plain := self._plain(pair)) is None:
            return None
        other = None if self._up_to_small is None else self._up_to_small._plain(pair)
        forms = [plain, *([] if other is None else [other])]
        found = replace(plain, otherwise=(*forms[1:], *self._ends(pair, forms)))
        return None if _says_nothing(found) else found

    def _ends(self, pair: Hashable, forms: Sequence[Rate]) -> Iterator[Rate]:
        """Where the share of each form may lie as questions differ, each as sure as what it is made of."""
        words = [word for word in self.words if word.pair == pair]
        weights = _weights(words)
        asked = sum(weight for word, weight in zip(words, weights, strict=True) if word.has_habit)
        part = asked / sum(weights)  # what needed no judge hangs on no place
        there = {unit_of(word.question) for word in words}
        units = [unit for unit in self.units if unit in there]
        every = _both_orders(self.words)
        of_pair = every if len(words) == len(self.words) else _both_orders(words)
        whole, *without = reaches(of_pair, every, units)
        for form in forms:
            for name in Reach._fields:
                if far := part * getattr(whole, name):
                    yield form.moved(far, [part * getattr(each, name) for each in without])

    @cached_property
    def _up_to_small(self) -> Preferences | None:
        """The same words where length counts up to a small difference and no further; None: none differ in length."""
        lengths = [word.doublings for word in self.words if word.has_habit]
        most = small_difference([each for each in lengths if abs(each) > NO_DIFFERENCE])
        if most is None:
            return None
        return Preferences([replace(word, doublings=up_to(word.doublings, most)) for word in self.words])

    def _plain(self, pair: Hashable) -> Rate | None:
        if self._not_fitted(pair) is not None:
            return None
        if (always := self._always(pair)) is not None:
            return always
        import numpy as np

        table, found, place = self.table, self._found, self.pairs.index(pair)
        settled, open_, size = table.settled[:, place], table.open[:, place], table.size[:, place]
        there = size > 0
        total, here = float(size.sum()), float(logistic(found.pairs[place]))
        value = (float(settled.sum()) + float(open_.sum()) * here) / total
        left = total - size
        others = logistic(found.pairs_without[:, place])
        without = (settled.sum() - settled + (open_.sum() - open_) * others) / np.where(left > 0, left, 1.0)
        without = np.where(left > 0, without, value)  # of one unit alone
        return left_out_rate(value, size[there].tolist(), without[there].tolist())

    def _always(self, pair: Hashable) -> Rate | None:
        """Of a side whose every word is won, or lost: no habit is bounded by these. So one question more is added that went
        wholly the other way, with texts as long as the others', and the interval is that of both; None: it is not so."""
        words = [word for word in self.words if word.pair == pair and word.has_habit]
        if {word.liked for word in words} not in ({0.0}, {1.0}):
            return None
        longer = math.fsum(word.doublings for word in words) / len(words)
        heard = dict.fromkeys((word.judge, word.habit) for word in words)
        other_way = [
            PreferenceWord(_OTHER_WAY, pair, 0, judge, 1 - words[0].liked, place, longer, habit)
            for judge, habit in heard
            for place in (1, -1)
        ]
        beside = Preferences([*self.words, *other_way])._plain(pair)
        value = raw_rate([word for word in self.words if word.pair == pair]).value
        return None if beside is None else Rate(value, beside.mean, beside.odds, beside.error)

    def counted_of(self, pair: Hashable) -> Preferences:
        """The words that a share without habits is made of: not those of persons whose habits cannot be told or taken out, nor of
        a judge who said little and of whose taste for length nothing can be told. They would take with them what all others have
        said of these texts."""
        of_known = self._of_known_habits
        heard = any(word.pair == pair and word.has_habit for word in of_known.words)
        return of_known if heard else self

    @cached_property
    def _of_known_habits(self) -> Preferences:
        asked = Counter(_habit(word) for word in self.words if word.has_habit)
        shared = {_habit(word) for word in self.words if word.habit is not None}
        little = {judge for judge, said in asked.items() if said <= OF_LITTLE_WEIGHT * asked.total()}
        found = self._found
        unknown = {judge for place, judge in enumerate(self.judges) if not found.told_apart[place]}
        by_place = {
            judge
            for place, judge in enumerate(self.judges)
            if not found.placed[place] or abs(float(found.habits[place])) > MOST_BY_PLACE
        }
        if not (left_out := unknown & (shared | little) | by_place & shared):
            return self
        kept = [word for word in self.words if not word.has_habit or _habit(word) not in left_out]
        return Preferences(kept)._of_known_habits

    def why_not(self, pair: Hashable) -> str | None:
        """Why there is no share of a pair at no place and equal length; None: there is one."""
        if (why := self._not_fitted(pair)) is not None:
            return why
        return None if self.rate(pair) is not None else SAYS_NOTHING

    def _not_fitted(self, pair: Hashable) -> str | None:
        """What is missing for a curve."""
        if pair not in self.pairs:  # of a person's single vote, or of judges who were stopped: others have words
            return UNHEARD
        if self.counted_of(pair) is not self:
            return self.counted_of(pair)._not_fitted(pair)
        words = [word for word in self.words if word.pair == pair and word.has_habit]
        heard = set(map(_habit, words))
        much = Counter(map(_habit, words))  # whoever said little of it moves little
        places = [place for place, judge in enumerate(self.judges) if much[judge] > OF_LITTLE_WEIGHT * len(words)]
        if any(not self._found.placed[place] for place in places):
            return ONE_ORDER
        if any(abs(float(self._found.habits[place])) > MOST_BY_PLACE for place in places):
            return BY_PLACE
        if not any(abs(word.doublings) > NO_DIFFERENCE for word in words):
            return None
        untold = [judge for place, judge in enumerate(self.judges) if not self._found.told_apart[place]]
        return NOT_TOLD_APART if heard.intersection(untold) else None

    @cached_property
    def units(self) -> list[str]:
        return list(dict.fromkeys(unit_of(word.question) for word in self.words))

    @cached_property
    def lengthy(self) -> list[int]:
        """Places of the judges who saw texts of different length."""
        return [
            place
            for place, judge in enumerate(self.judges)
            if any(
                word.has_habit and _habit(word) == judge and abs(word.doublings) > NO_DIFFERENCE for word in self.words
            )
        ]

    def _longer_place(self, judge: int) -> int | None:
        """Where a judge's taste for length stands among the habits."""
        return len(self.judges) + self.lengthy.index(judge) if judge in self.lengthy else None

    @cached_property
    def table(self) -> WordTable:
        import numpy as np

        units = {unit: place for place, unit in enumerate(self.units)}
        pairs = {pair: place for place, pair in enumerate(self.pairs)}
        shape = (len(units), len(pairs))
        weights = np.array(_weights(self.words))
        unit = np.array([units[unit_of(word.question)] for word in self.words], dtype=int)
        pair = np.array([pairs[word.pair] for word in self.words], dtype=int)
        liked = np.array([word.liked for word in self.words])
        asked = np.array([word.has_habit for word in self.words], dtype=bool)
        size, settled, open_ = (np.zeros(shape) for _ in range(3))
        np.add.at(size, (unit, pair), weights)
        np.add.at(settled, (unit[~asked], pair[~asked]), (weights * liked)[~asked])
        np.add.at(open_, (unit[asked], pair[asked]), weights[asked])
        judges = {judge: place for place, judge in enumerate(self.judges)}
        habits = np.zeros((int(asked.sum()), len(judges) + len(self.lengthy)))
        for row, word in enumerate(word for word in self.words if word.has_habit):
            judge = judges[_habit(word)]
            habits[row, judge] = word.place
            if (longer := self._longer_place(judge)) is not None:
                habits[row, longer] = word.doublings
        return WordTable(unit[asked], pair[asked], liked[asked], weights[asked], habits, size, settled, open_)

    @cached_property
    def _found(self) -> _Found:
        """Newton's steps; then each unit is left out by one more step, with what is left of the information."""
        import numpy as np

        table = self.table
        pairs, habits = np.zeros(table.size.shape[1]), np.zeros(table.habits.shape[1])
        height = table.height(pairs, habits)
        for _ in range(_STEPS):
            slope = table.slopes(pairs, habits).summed(pairs, habits)
            step_pairs, step_habits = (part[0] for part in slope.solved())
            scale = 1.0
            while (
                newer := table.height(pairs + scale * step_pairs, habits + scale * step_habits)
            ) < height and scale > _SMALL:
                scale /= 2
            pairs, habits, before, height = pairs + scale * step_pairs, habits + scale * step_habits, height, newer
            if height - before <= _SMALL * (1 + abs(height)):
                break
        slopes = table.slopes(pairs, habits)
        moved_pairs, moved_habits = slopes.left_out().solved()
        spread = slopes.within()
        told = [
            (longer := self._longer_place(judge)) is None or float(spread[longer, longer]) >= TOLD_APART
            for judge in range(len(self.judges))
        ]
        placed = [self._seen_both_ways(judge) for judge in range(len(self.judges))]
        return _Found(pairs, habits, pairs + moved_pairs, habits + moved_habits, told, placed)

    def _seen_both_ways(self, judge: int) -> bool:
        """Whether a quarter of a judge's words, and one at the least, were given in the rarer order of the two."""
        places = [word.place for word in self.words if word.has_habit and _habit(word) == self.judges[judge]]
        rarer = min(places.count(1), places.count(-1))
        return rarer >= max(1.0, SELDOM * len(places))


@dataclass(frozen=True, slots=True)
class _Found:
    """What fits best, and what would without each unit."""

    pairs: Floats
    habits: Floats
    pairs_without: Floats
    """Units × pairs."""
    habits_without: Floats
    told_apart: Sequence[bool]
    placed: Sequence[bool]
    """Whether each judge saw texts in both orders."""


def _both_orders(words: Sequence[PreferenceWord]) -> dict[Hashable, list[BothOrders]]:
    """By whose habits they fall under: what was said of the same two texts in both orders."""
    seen: dict[tuple[Hashable, ...], dict[int, float]] = defaultdict(dict)
    for word in words:
        if word.has_habit:
            seen[_habit(word), word.judge, word.question, word.pair, word.play][word.place] = word.liked
    by_habit: dict[Hashable, list[BothOrders]] = defaultdict(list)
    for where, liked in seen.items():
        if len(liked) == 2:
            by_habit[where[0]].append(BothOrders(liked[1], liked[-1], unit_of(str(where[2]))))
    return by_habit
