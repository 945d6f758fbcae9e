"""How far an answer can be trusted: `probability` of docs/report.md, by another way to the same optimum.

The model is the documented one, written as one table of alternatives for each question, and SciPy's minimiser finds its
weights. Probabilities are therefore equal to about a millionth; what is drawn is drawn with other numbers.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

from second_way.any_share import AnyShare, wider
from second_way.bounded import BoundedMean
from second_way.compare import ANY_TEXT, Near
from second_way.hanging import CLUSTERS, unit_of
from second_way.intervals import Limits, mean, share_interval
from second_way.meanings import Draft, Groups, Meanings
from second_way.ranked import DEALT_AS
from second_way.raw import Cell, Episode, Raw, _short_hash
from second_way.shares import Grade, graded, unfair
from second_way.tables import Key, Table, drafts_of, tables

Row = dict[str, Any]
Floats = NDArray[np.float64]

FEWEST = 20
FOLDS = 5
PENALTY = 3.0
COMMON_PULL = 0.05
CATEGORY_PULL = 3.0
VERDICT_PULL = np.array([4.0, 4.0, 1.0])
REPORT_DRAWS, CHANCE_DRAWS = 400, 200
"""Of so many the report takes its ends, and what chance shows."""
DRAWN = 2_000
CLOSE = 1e-5


def trust(raw: Raw) -> Row:
    meanings = Meanings(raw)
    rows = [row for table in tables(raw) for row in _rows(raw, table, meanings)]
    return {"probability": rows} if rows else {}


def _rows(raw: Raw, table: Table, meanings: Meanings) -> Iterator[Row]:
    if not table.cells or len(table.cells[0].spec["players"]) < 2:
        return
    players = [player["name"] for player in table.cells[0].spec["players"]]
    asked: dict[str, list[_Asked]] = {}
    for key, drafts in sorted(_fullest(raw, table).items()):
        asked.setdefault(_kind(raw, key[0]), []).append(_Asked.of(raw, players, key, drafts, meanings))
    told = {
        kind: len({each.unit for each in several if each.settled}) >= FEWEST
        and not unfair([each.grades for each in several])
        for kind, several in asked.items()
    }
    learnt: dict[str, dict[Known, list[_Fold]]] = {kind: {} for kind in asked}
    for cell in table.cells:
        row: Row = {"strategy": cell.strategy, "label": cell.label, "team": cell.team, "captain": cell.captain}
        row |= {"cohort": cell.cohort} if cell.cohort else {}
        if cell.traits.get("drafts") is None:
            yield row | _by_ends(raw, cell)
            continue
        every = {each.key for several in asked.values() for each in several}
        given, left_out, without = _given(raw, cell, every, meanings)
        if not any(told.values()) or unfair([[episode.right] for episode, _ in given]):
            yield row | _nothing(without)
            continue
        known = [(episode, sayers) for episode, sayers in given if graded(episode.right)]
        plays: list[_Play] = []
        parts: list[int] = []
        untold: list[Row] = []
        for kind in dict.fromkeys(_kind(raw, episode.question) for episode, _ in known):
            here = [(episode, sayers) for episode, sayers in known if _kind(raw, episode.question) == kind]
            if not told[kind] or len({_unit(episode.question) for episode, _ in here}) < FEWEST:
                untold.append({"kind": kind, "n": len(here), "why": ANY_TEXT})
                continue
            said = _said(cell, here, asked[kind], learnt[kind])
            plays += [_Play(episode, chance) for (episode, _), chance in zip(here, said, strict=True)]
            units = folds([each.unit for each in asked[kind]], "probability")
            part_of = dict(zip((each.key for each in asked[kind]), units, strict=True))
            parts += [part_of[_key(cell, episode)] for episode, _ in here]
        if not plays:
            yield row | _nothing(without)
            continue
        found = _row_of(plays, parts, without, {"left_out": left_out, "ungraded": len(given) - len(known)})
        yield row | found | ({"untold": untold} if untold else {})


def _kind(raw: Raw, question: str) -> str:
    content = raw.questions[question]["question"]
    return str(content.get("kind") or ("choice" if content.get("choices") else "open"))


def _nothing(without: int) -> Row:
    nothing: Row = dict.fromkeys(("brier", "ece", "ece_low", "ece_high"))
    return nothing | {"without_answer": without, "n": 0, "why": ANY_TEXT, "bins": [], "coverage": []}


def _by_ends(raw: Raw, cell: Cell) -> Row:
    """Where nobody drafts alone: from how each talk ended."""
    every = list(raw.episodes(cell))
    given = [episode for episode in every if episode.outcome in ("answered", "undecided")]
    known = [episode for episode in given if graded(episode.right)]
    if unfair([[episode.right] for episode in given]):
        return _nothing(len(every) - len(given))
    plays: list[_Play] = []
    parts: list[int] = []
    untold: list[Row] = []
    for kind in dict.fromkeys(_kind(raw, episode.question) for episode in known):
        here = [episode for episode in known if _kind(raw, episode.question) == kind]
        units = [_unit(episode.question) for episode in here]
        if len(set(units)) < FEWEST:
            untold.append({"kind": kind, "n": len(here), "why": ANY_TEXT})
            continue
        part = folds(units, "probability")
        plays += [_Play(episode, chance) for episode, chance in zip(here, _said_by_end(here, part), strict=True)]
        parts += part
    if not plays:
        return _nothing(len(every) - len(given))
    row = _row_of(plays, parts, len(every) - len(given), {"ungraded": len(given) - len(known)})
    return row | ({"untold": untold} if untold else {})


def _said_by_end(known: Sequence[Episode], parts: Sequence[int]) -> list[float]:
    ends = np.array([_end_told(episode) for episode in known])
    right = np.array([float(episode.right) for episode in known])  # type: ignore[arg-type]
    said = np.zeros(len(known))
    for part in set(parts):
        inside = np.array(parts) == part
        middle, mean_right = ends[~inside].mean(axis=0), float(right[~inside].mean())
        table = np.column_stack([np.ones(len(ends)), ends - middle])
        centre = np.array([_log_odds(mean_right), 0.0, 0.0, 0.0])
        weights = _drawn_weights(table[~inside], right[~inside], centre, np.ones(4))
        said[inside] = np.minimum(special.expit(table[inside] @ weights), _surest(int((~inside).sum())))
    return [float(chance) for chance in said]


def _end_told(episode: Episode) -> list[float]:
    """How many of the table stand behind it, that it is a fall-back, how often its turns have doubled."""
    verdict = episode.verdict
    who = set(verdict.get("who", ()))
    seats = {answer[0] for answer in verdict.get("answers", ())} | who
    turns = max(verdict.get("turns") or 1, 1)
    return [len(who) / len(seats) if seats else 0.0, float(episode.outcome == "undecided"), math.log2(turns)]


def _unit(question: str) -> str:
    return unit_of(question) if question in CLUSTERS else DEALT_AS[question]


# ---------------------------------------------------------------- what was drafted, and what became of it


@dataclass(frozen=True)
class _Asked:
    """One set of drafts."""

    players: tuple[str, ...]
    """Who is told of."""
    heard: frozenset[str]
    """Who was heard at all."""
    key: Key
    unit: str
    category: str
    groups: Groups
    grades: list[Grade]
    worths: list[float | None]
    """Of each group: its best grade; None: it has none."""

    @classmethod
    def of(cls, raw: Raw, players: Sequence[str], key: Key, drafts: Sequence[Draft], meanings: Meanings) -> _Asked:
        grades = {who: 0.0 if text is None else raw.draft_grades[key[0], text] for who, text in drafts}
        groups = meanings.groups(*key, drafts)
        best = [max((grades[who] for who in group if graded(grades[who])), default=None) for group in groups]
        category = raw.questions[key[0]].get("category") or ""
        said = frozenset(who for who, _ in drafts)
        return cls(tuple(players), said, key, _unit(key[0]), category, groups, [*grades.values()], best)

    def as_known_to(self, players: frozenset[str], *, pooled: bool) -> _Asked:
        """Had nobody but these been asked: what only others said was never said."""
        part = [tuple(who for who in group if who in players) for group in self.groups]
        left = [(group, worth) for group, worth in zip(part, self.worths, strict=True) if group]
        return replace(
            self,
            players=tuple(who for who in self.players if who in players),
            category="" if pooled else self.category,
            groups=tuple(group for group, _ in left),
            worths=[worth for _, worth in left],
        )

    @property
    def settled(self) -> bool:
        return None not in self.worths or any(worth is not None and worth >= 1 for worth in self.worths)

    @cached_property
    def shares(self) -> Floats:
        """How right each group is, and last that none is; together 1."""
        worths = [worth or 0.0 for worth in self.worths]
        parts = [worth / max(1.0, sum(worths)) for worth in worths]
        return np.array([*parts, 1 - sum(parts)])

    @cached_property
    def features(self) -> Floats:
        """Of each group: who is in it, and how many. Of none: one, how many spoke, how many groups, as shares of players."""
        spoke, size = sum(map(len, self.groups)), len(self.players)
        rows = [
            [*(float(player in group) for player in self.players), float(len(group)), 0.0, 0.0, 0.0]
            for group in self.groups
        ]
        return np.array([*rows, [*[0.0] * (size + 1), 1.0, spoke / size, len(self.groups) / size]])


def _fullest(raw: Raw, table: Table) -> dict[Key, list[Draft]]:
    sets: dict[Key, list[list[Draft]]] = {}
    for cell in table.cells:
        for episode in raw.episodes(cell):
            if drafts := drafts_of(cell, episode):
                sets.setdefault(_key(cell, episode), []).append(drafts)
    return {
        key: max(each, key=lambda d: (len(d), sum(text is not None for _, text in d))) for key, each in sets.items()
    }


def _key(cell: Cell, episode: Episode) -> Key:
    return episode.question, episode.repeat // int(cell.traits.get("repeats", 1))


def _given(
    raw: Raw, cell: Cell, asked: set[Key], meanings: Meanings
) -> tuple[list[tuple[Episode, set[str]]], int, int]:
    """Plays with an answer and whose drafts say it; how many of which nobody knows that; how many have no answer."""
    given, left_out, without = [], 0, 0
    for episode in raw.episodes(cell):
        key, drafts = _key(cell, episode), drafts_of(cell, episode)
        if episode.outcome not in ("answered", "undecided"):
            without += 1
            continue
        sayers: set[str] | None = None
        if cell.traits.get("word") in ("group", "player"):
            sayers = set(episode.verdict.get("who", ()))
        elif drafts and episode.answer is not None:
            sayers = meanings.sayers(*key, drafts, episode.answer)
        if sayers is None or key not in asked:
            left_out += 1
        else:
            given.append((episode, sayers))
    return given, left_out, without


# ---------------------------------------------------------------- which of the answers is right


@dataclass(frozen=True)
class _Alternatives:
    """Every group of drafts of every question, and "none of them", as rows of one table."""

    features: Floats
    starts: list[int]
    shares: Floats

    @classmethod
    def of(cls, asked: Sequence[_Asked]) -> _Alternatives:
        sizes = [len(each.features) for each in asked]
        starts = [0, *np.cumsum(sizes)[:-1].tolist()]
        features = np.concatenate([each.features for each in asked])
        return cls(features, starts, np.concatenate([each.shares for each in asked]))

    @cached_property
    def sizes(self) -> NDArray[np.intp]:
        return np.diff([*self.starts, len(self.features)])

    def chances(self, weights: Floats) -> Floats:
        scores = self.features @ weights
        raised = np.exp(scores - np.repeat(np.maximum.reduceat(scores, self.starts), self.sizes))
        return np.asarray(raised / np.repeat(np.add.reduceat(raised, self.starts), self.sizes))

    def fitted(self, centre: Floats, pull: Floats) -> Floats:
        def loss(weights: Floats) -> tuple[float, Floats]:
            away = weights - centre
            chances = self.chances(weights)
            told = special.xlogy(self.shares, np.maximum(chances, 1e-300)).sum()
            slope = self.features.T @ (chances - self.shares) + pull * away
            return float((pull * away**2).sum() / 2 - told), slope

        return _lowest(loss, centre)


def _lowest(loss: Callable[[Floats], tuple[float, Floats]], start: Floats) -> Floats:
    found = optimize.minimize(loss, start, jac=True, method="BFGS", options={"gtol": 1e-9, "maxiter": 1000})
    assert np.abs(found.jac).max() < 1e-6, found.message
    return np.asarray(found.x)


@dataclass(frozen=True)
class _Choice:
    weights: Floats
    by_category: Mapping[str, Floats]
    questions: int

    @classmethod
    def learnt(cls, asked: Sequence[_Asked]) -> _Choice:
        pull = np.array([PENALTY] * len(asked[0].players) + [COMMON_PULL] * 4)
        weights = _Alternatives.of(asked).fitted(np.zeros(len(pull)), pull)
        own: dict[str, Floats] = {}
        for name, times in Counter(each.category for each in asked).items():
            if name and 5 <= times < len(asked):
                there = _Alternatives.of([each for each in asked if each.category == name])
                own[name] = there.fitted(weights, np.full(len(pull), CATEGORY_PULL))
        return cls(weights, own, len(asked))

    def chances(self, each: _Asked) -> Floats:
        """Of each group, and last of none."""
        weights = self.by_category.get(each.category, self.weights)
        told = _Alternatives.of([each]).chances(weights)
        told[:-1] = told[:-1].clip(max=_surest(self.questions))
        return told


def _surest(questions: int) -> float:
    """Had all of so many been right, one more would be with this probability, if any share of right ones was as likely before."""
    return (questions + 1) / (questions + 2)


def folds(units: Sequence[str], role: str) -> list[int]:
    """Whole units in the order of their hashes, each to the part that has fewest so far."""
    times = Counter(units)
    filled = [0] * min(FOLDS, len(times))
    found: dict[str, int] = {}
    for unit in sorted(times, key=lambda unit: (_short_hash([role, unit]), unit)):
        found[unit] = filled.index(min(filled))
        filled[found[unit]] += times[unit]
    return [found[unit] for unit in units]


@dataclass(frozen=True)
class _Fold:
    """What is said of drafts when the questions of one part are the ones that are told."""

    inside: set[Key]
    drafted: Mapping[Key, Floats]


Known = tuple[frozenset[str], bool]
"""Who was heard, and whether categories make no difference to it."""


def known_by(episode: Episode, cell: Cell) -> Known:
    paths = [trace for trace in episode.verdict.get("traces", ()) if trace["kind"] == "cascaded"]
    everybody = [player["name"] for player in cell.spec["players"]]
    return frozenset(who for who, _ in drafts_of(cell, episode)) or frozenset(everybody), bool(paths)


def _asked_on(episode: Episode) -> bool:
    traces = episode.verdict.get("traces", ())
    return any(trace["kind"] == "cascaded" and trace.get("then") is not None for trace in traces)


def _teaching(several: Sequence[_Asked], known: Known) -> list[_Asked]:
    """Where all of them were heard, if that was ever so."""
    settled = [each for each in several if each.settled]
    return [each for each in settled if known[0] <= each.heard] or settled


def _learnt(every: Sequence[_Asked], known: Known) -> list[_Fold]:
    asked = [each.as_known_to(known[0], pooled=known[1]) for each in every]
    part = folds([each.unit for each in asked], "probability")
    found = []
    for number in sorted(set(part)):
        inside = [each for each, own in zip(asked, part, strict=True) if own == number]
        outside = [each for each, own in zip(asked, part, strict=True) if own != number]
        model = _Choice.learnt(_teaching(outside, known))
        drafted = {each.key: model.chances(each) for each in inside}
        inner = folds([each.unit for each in outside], "verdicts")
        for own in sorted(set(inner)):
            others = [each for each, at in zip(outside, inner, strict=True) if at != own]
            again = _Choice.learnt(_teaching(others, known))
            drafted |= {e.key: again.chances(e) for e, at in zip(outside, inner, strict=True) if at == own}
        found.append(_Fold({each.key for each in inside}, drafted))
    return found


# ---------------------------------------------------------------- what a strategy makes of it


def _said(
    cell: Cell,
    given: Sequence[tuple[Episode, set[str]]],
    asked: Sequence[_Asked],
    learnt: dict[Known, list[_Fold]],
) -> list[float]:
    """Of each verdict. Its features: that it was drafted, the log-odds of its group, that nobody had drafted it."""
    by_key = {each.key: each for each in asked}
    knowing = [known_by(episode, cell) for episode, _ in given]
    places = []
    for (episode, sayers), known in zip(given, knowing, strict=True):
        if known not in learnt:
            learnt[known] = _learnt(asked, known)
        groups = by_key[_key(cell, episode)].as_known_to(known[0], pooled=known[1]).groups
        places.append(next((place for place, group in enumerate(groups) if sayers & set(group)), None))
    said = [math.nan] * len(given)
    asked_on = [_asked_on(episode) for episode, _ in given]
    for number in range(len(learnt[knowing[0]])):
        features = []
        for (episode, _), known, place in zip(given, knowing, places, strict=True):
            if place is None:
                features.append([0.0, 0.0, 1.0])
            else:
                chance = float(learnt[known][number].drafted[_key(cell, episode)][place])
                features.append([1.0, _log_odds(chance), 0.0])
        inside = [_key(cell, episode) in learnt[knowing[0]][number].inside for episode, _ in given]
        table, right = np.array(features), np.array([float(episode.right) for episode, _ in given])  # type: ignore[arg-type]
        others = ~np.array(inside)
        centre = np.array([0.0, 1.0, _log_odds(float(right[others].mean()))])
        weights = dict.fromkeys((False, True), _verdict_weights(table[others], right[others], centre))
        for kind in set(asked_on) if len({on for on, own in zip(asked_on, others, strict=True) if own}) > 1 else ():
            alike = others & (np.array(asked_on) == kind)
            weights[kind] = _verdict_weights(table[alike], right[alike], weights[kind])
        for place, own in enumerate(inside):
            if own:
                told = float(special.expit(table[place] @ weights[asked_on[place]]))
                said[place] = min(told, _surest(int(others.sum())))
    return said


def _verdict_weights(features: Floats, right: Floats, centre: Floats) -> Floats:
    return _drawn_weights(features, right, centre, VERDICT_PULL)


def _drawn_weights(features: Floats, right: Floats, centre: Floats, pull: Floats) -> Floats:
    def loss(weights: Floats) -> tuple[float, Floats]:
        scores, away = features @ weights, weights - centre
        told = (right * special.log_expit(scores) + (1 - right) * special.log_expit(-scores)).sum()
        slope = features.T @ (special.expit(scores) - right) + pull * away
        return float((pull * away**2).sum() / 2 - told), slope

    return _lowest(loss, centre)


def _log_odds(chance: float) -> float:
    return float(special.logit(min(max(chance, 1e-4), 1 - 1e-4)))


# ---------------------------------------------------------------- the figures


def _row_of(plays: Sequence[_Play], parts: Sequence[int], without: int, left: Mapping[str, int]) -> Row:
    units = [_unit(play.episode.question) for play in plays]
    coverage = _coverage(plays, parts)
    row: Row = {
        "accuracy": coverage[-1]["accuracy"],
        "brier": Near(mean([(play.said - play.right) ** 2 for play in plays]), CLOSE),
        "n": len({play.episode.question for play in plays}),
        "small": len(set(units)) < 100,
        "without_answer": without,
        "bins": _bins(plays),
        "coverage": coverage,
        **_drawn(plays, units),
    }
    return row | {key: many for key, many in left.items() if many}


@dataclass(frozen=True)
class _Play:
    episode: Episode
    said: float

    @property
    def right(self) -> float:
        assert graded(self.episode.right)
        return float(self.episode.right)

    @property
    def bin(self) -> int:
        return min(9, math.floor(10 * self.said))


def _bins(plays: Sequence[_Play]) -> list[Row]:
    rows = []
    for number in range(10):
        if here := [play for play in plays if play.bin == number]:
            told = {"said": mean([play.said for play in here]), "right": mean([play.right for play in here])}
            rows.append({key: Near(value, CLOSE) for key, value in told.items()} | {"n": len(here)})
    return rows


def _coverage(plays: Sequence[_Play], parts: Sequence[int]) -> list[Row]:
    surest = _surest_first(plays, parts)
    rows = []
    for tenths in range(1, 11):
        taken = surest[: max(1, math.floor(tenths * len(plays) / 10 + 0.5))]
        by_question: dict[str, list[float]] = {}
        for play in taken:
            by_question.setdefault(play.episode.question, []).append(play.right)
        counts: dict[str, list[float]] = {}
        for question, rights in by_question.items():
            counts.setdefault(_unit(question), []).append(mean(rights))
        low, high = share_interval([(math.fsum(values), float(len(values))) for values in counts.values()])
        value = mean([mean(rights) for rights in by_question.values()])
        if tenths < 10:
            low, high = wider((low, high), _whatever_it_is([mean(rights) for rights in by_question.values()], counts))
        limits = {"accuracy": value, "low": low, "high": high, "n": len(by_question)}
        rows.append({"coverage": tenths / 10, **limits})
    return rows


def _whatever_it_is(rights: Sequence[float], units: Mapping[str, Sequence[float]]) -> Limits:
    """Of values from 0 to 1 of which nothing else is known; of one value a unit, or of clusters."""
    if len(rights) < 2 or len(units) < 2:
        return None, None
    if len(units) == len(rights):
        seen = AnyShare(rights)
        return seen.low(0.025), seen.high(0.025)
    bounded = BoundedMean(
        [math.fsum(2 * value - 1 for value in values) for values in units.values()],
        [float(len(values)) for values in units.values()],
    )
    return 0.5 + bounded.low(0.025) / 2, 0.5 + bounded.high(0.025) / 2


def _surest_first(plays: Sequence[_Play], parts: Sequence[int]) -> list[_Play]:
    """By how large a share of its own part is surer: what is said in one part is not held against what is said in another."""
    by_part: dict[int, list[_Play]] = {}
    for play, part in zip(plays, parts, strict=True):
        by_part.setdefault(part, []).append(play)
    placed: list[tuple[Fraction, str, int, _Play]] = []
    for inside in by_part.values():
        inside.sort(key=lambda play: (-round(play.said, 7), DEALT_AS[play.episode.question], play.episode.repeat))
        for surer, play in enumerate(inside):
            middle = Fraction(2 * surer + 1, 2 * len(inside))
            placed.append((middle, DEALT_AS[play.episode.question], play.episode.repeat, play))
    return [play for *_, play in sorted(placed, key=lambda each: each[:3])]


def _error(said: Floats, right: Floats) -> float:
    return float(np.abs(_distances(said, right)).sum() / len(said))


def _distances(said: Floats, right: Floats) -> Floats:
    bins = np.minimum(9, np.floor(10 * said)).astype(int)
    distance = np.zeros(10)
    np.add.at(distance, bins, said - right)
    return distance


def _drawn(plays: Sequence[_Play], units: Sequence[str]) -> Row:
    """What is drawn: ends over units, and what chance alone would show. Held against the range of so few draws."""
    draw = np.random.default_rng(20_000 + len(plays))
    said, right = np.array([play.said for play in plays]), np.array([play.right for play in plays])
    by_unit: dict[str, list[int]] = {}
    for place, unit in enumerate(units):
        by_unit.setdefault(unit, []).append(place)
    members = [np.array(places) for places in by_unit.values()]
    errors, briers, moves = [], [], []
    seen = _distances(said, right)
    for _ in range(DRAWN):
        places = np.concatenate([members[unit] for unit in draw.integers(len(members), size=len(members))])
        errors.append(_error(said[places], right[places]))
        briers.append(float(((said - right)[places] ** 2).mean()))
        moves.append(float(np.abs(_distances(said[places], right[places]) - seen).sum() / len(places)))
    chance = [_error(said, (draw.random(len(said)) < said).astype(float)) for _ in range(DRAWN)]
    # Ends of the share that is right itself: what is nearly always right has mistakes that no sample of it shows.
    shares = share_interval([(float(right[places].sum()), float(len(places))) for places in members])
    moved = [float(((said - right) ** 2).mean() - (2 * said - 1).mean() * (end - right.mean())) for end in shares]
    error = _error(said, right)
    high = _beyond(_end(errors, 0.975, REPORT_DRAWS), max(abs(float(said.mean()) - end) for end in shares))
    brier_low, brier_high = (_end(briers, part, REPORT_DRAWS) for part in (0.025, 0.975))
    spread = float(np.std(chance)) / math.sqrt(CHANCE_DRAWS)
    return {
        "brier_low": _beyond(brier_low, max(0.0, min(moved)), largest=False),
        "brier_high": _beyond(brier_high, max(moved)),
        "ece": Near(error, CLOSE),
        "ece_low": _low(error, _end(chance, 0.975, CHANCE_DRAWS), _end(moves, 0.975, REPORT_DRAWS)),
        "ece_high": high,
        "ece_by_chance": Near(float(np.mean(chance)), 6 * spread + 1e-9),
    }


def _beyond(drawn: Near, other: float, *, largest: bool = True) -> Near:
    """The further of an end that was drawn and one that was not."""
    assert drawn.value is not None
    further = max(drawn.value, other) if largest else min(drawn.value, other)
    return Near(further, drawn.within + CLOSE)


def _low(error: float, *by_chance: Near) -> Near:
    """So much less than the error as chance adds to it, by either way, in all but 2.5 % of cases."""
    largest = max(by_chance, key=lambda end: end.value or 0.0)
    assert largest.value is not None
    return Near(max(0.0, error - largest.value), max(end.within for end in by_chance) + CLOSE)


def _end(drawn: Sequence[float], level: float, draws: int) -> Near:
    """By the percentiles on both sides of it, between which it stands in all but one of some ten thousand reports."""
    place, spread = level * draws, 4 * math.sqrt(draws * level * (1 - level)) + 1
    low, high = (min(1.0, max(0.0, (place + away) / draws)) for away in (-spread, spread))
    ends = [float(end) for end in np.quantile(drawn, (low, high))]
    away = float(np.ptp(drawn)) / 4 if low <= 0 or high >= 1 else 0.0  # the rarest of all may be rarer than any here
    return Near(mean(ends), (ends[1] - ends[0]) / 2 + away + 1e-9)
