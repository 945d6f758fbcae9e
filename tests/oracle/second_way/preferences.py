"""Whose long answers are preferred: "Which of two is better" in docs/long-answers.md, from the tables, with dense algebra.

The curve is fitted by a general optimiser, and what each question adds is found by solving the whole system of equations
without it, one question at a time.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from scipy import optimize, stats

from second_way.bounded import BoundedMean, spline_chance
from second_way.compare import Near
from second_way.raw import Cell, Raw

Row = dict[str, Any]
RIDGE = 0.01
CLOSE = 2e-6
"""How near two ways to find the top of a curve come."""
DRAWS = 1_500
SAYS_NOTHING = (
    "at equal length and without a place it could be nearly any share from 0 to 100 %: texts differ in length too much alike, or "
    "too few were compared"
)


NO_END = "what was said of these texts bounds no rating: too few questions, or nearly every judgement goes one way"


@dataclass(frozen=True)
class Said:
    question: str
    pair: tuple[str, str]
    play: tuple[str, int]
    judge: str | None
    liked: float
    place: int = 0
    longer: float = 0.0
    supposed: bool = False
    """Put in as what no habit touches."""

    @property
    def by(self) -> str | None:
        return None if self.supposed else self.judge


@dataclass(frozen=True)
class Play:
    question: str
    side: Cell
    other: Cell
    repeat: int
    text: str | None
    against: str | None


def mark(text: str) -> str:
    return hashlib.sha256(json.dumps(text.strip(), ensure_ascii=False).encode()).hexdigest()[:32]


def title(cell: Cell) -> str:
    who = cell.player or cell.captain
    return f"{cell.label}@{who}" if who else cell.label


def plays_of(raw: Raw) -> list[Play]:
    texts = {(row["cell"], row["question_id"], row["repeat"]): row["answer"] for row in raw.tables["episodes"]}
    found = []
    for side in (cell for cell in raw.cells if cell.player is None):
        members = [player["name"] for player in side.spec["players"]]
        against = [cell for name in members for cell in raw.cells if cell.player == name]
        if baseline := raw.config.get("baseline"):
            against = [cell for cell in raw.cells if baseline in (cell.player, title(cell)) and cell is not side]
        for (cell, question, repeat), text in texts.items():
            for other in against if cell == side.id else ():
                drafted = repeat // int(side.traits.get("repeats", 1))
                found.append(Play(question, side, other, repeat, text, texts[other.id, question, drafted]))
    order = {question: number for number, question in enumerate(raw.questions)}
    return sorted(found, key=lambda play: order[play.question])


def settled(play: Play) -> float | None:
    if play.text is None or play.against is None:
        return 0.5 if play.text == play.against else float(play.against is None)
    return 0.5 if play.text.strip() == play.against.strip() else None


def heard_in(raw: Raw) -> dict[tuple[str, str, str], dict[str, str]]:
    heard: dict[tuple[str, str, str], dict[str, str]] = defaultdict(dict)
    for row in raw.tables["preferences"]:
        if row["preferred"] is not None:
            heard[row["question_id"], row["first"], row["second"]][row["judge_name"]] = row["preferred"]
    return heard


def words_of(plays: Sequence[Play], heard: Mapping[tuple[str, str, str], Mapping[str, str]]) -> list[Said]:
    words = []
    for play in plays:
        pair, which = (title(play.side), title(play.other)), (play.side.id, play.repeat)
        if (known := settled(play)) is not None:
            words.append(Said(play.question, pair, which, None, known))
            continue
        one, other = play.text or "", play.against or ""
        longer = min(2.0, max(-2.0, math.log2(len(one.split()) / len(other.split()))))
        for place, shown in ((1, (mark(one), mark(other))), (-1, (mark(other), mark(one)))):
            for judge, said in heard[play.question, *shown].items():
                liked = {"tie": 0.5, "first": float(place == 1), "second": float(place == -1)}[said]
                words.append(Said(play.question, pair, which, judge, liked, place, longer))
    return words


def missing_in(plays: Sequence[Play], heard: Mapping[Any, Any], judges: Sequence[str]) -> list[Said]:
    """Of each judge, and in each order, what it has not said of two texts."""
    gone = []
    for play in plays:
        if settled(play) is None:
            one, other = mark(play.text or ""), mark(play.against or "")
            longer = math.log2(len((play.text or "").split()) / len((play.against or "").split()))
            for place, shown in ((1, (one, other)), (-1, (other, one))):
                for judge in judges:
                    if judge not in heard[play.question, *shown]:
                        pair, which = (title(play.side), title(play.other)), (play.side.id, play.repeat)
                        said = Said(play.question, pair, which, judge, 0.5, place, min(2.0, max(-2.0, longer)))
                        gone.append(said)
    return gone


class Imputed:
    """Curves with every missing word put in: as what its judge would have said, and as what no habit touches."""

    def __init__(self, words: Sequence[Said], gone: Sequence[Said]) -> None:
        self.gone = gone
        self.curves = {
            liked: [Curve([*words, *(replace(one, liked=liked, supposed=so) for one in gone)]) for so in (True, False)]
            for liked in ((0.0, 1.0) if gone else ())
        }

    def number(self, pair: tuple[str, str]) -> int:
        return sum(word.pair == pair for word in self.gone)

    def ends(self, curve: Curve, pair: tuple[str, str], liked: float, alpha: float = 0.05) -> tuple[float, ...]:
        """The share that is further away, and what holds the intervals of both."""
        curves = self.curves[liked] if self.number(pair) else [curve]
        found = [one.mean(pair) for one in curves]
        every = [ends(*one, alpha) for one in found]
        value = (max if liked else min)(value for value, _ in found)
        return value, min(low for low, _ in every), max(high for _, high in every)


def weighed(words: Sequence[Said]) -> np.ndarray[Any, Any]:
    by_question, by_play, by_judge = (
        Counter(key for key, *_ in sorted({how(word) for word in words}, key=str))
        for how in (
            lambda word: ((word.pair, word.question), word.play),
            lambda word: ((word.pair, word.question, word.play), word.judge or ""),
            lambda word: ((word.pair, word.question, word.play, word.judge), id(word)),
        )
    )
    parts = [
        by_question[word.pair, word.question]
        * by_play[word.pair, word.question, word.play]
        * by_judge[word.pair, word.question, word.play, word.judge]
        for word in words
    ]
    return 1 / np.array(parts, dtype=float)


def logistic(odds: Any) -> Any:
    return 1 / (1 + np.exp(-odds))


class Curve:
    """Parameters: of each pair, then of each judge its place, then its length."""

    def __init__(self, words: Sequence[Said]) -> None:
        self.words, self.weights = words, weighed(words)
        self._means: dict[tuple[str, str], tuple[float, BoundedMean]] = {}
        self.pairs = list(dict.fromkeys(word.pair for word in words))
        self.judges = sorted({word.by for word in words if word.by is not None})
        self.asked = np.array([word.by is not None for word in words])
        size = len(self.pairs) + 2 * len(self.judges)
        self.rows = np.zeros((len(words), size))
        for row, word in zip(self.rows, words, strict=True):
            row[self.pairs.index(word.pair)] = 1
            if word.by is not None:
                judge = len(self.pairs) + 2 * self.judges.index(word.by)
                row[judge : judge + 2] = word.place, word.longer
        self.liked = np.array([word.liked for word in words])
        self.questions = list(dict.fromkeys(word.question for word in words))
        found = optimize.minimize(self._cost, np.zeros(size), jac=True, method="BFGS", options={"gtol": 1e-9})
        self.top = found.x
        for _ in range(5):  # the last digits
            slopes, bends = self._parts(self.top)
            self.top = self.top + np.linalg.solve(sum(bends) + RIDGE * np.eye(size), sum(slopes) - RIDGE * self.top)
        slopes, bends = self._parts(self.top)
        whole = sum(bends) + RIDGE * np.eye(size)
        self.without = [
            self.top - np.linalg.solve(whole - bend, slope) for slope, bend in zip(slopes, bends, strict=True)
        ]

    def _cost(self, at: Any) -> tuple[float, Any]:
        odds, weights = self.rows @ at, self.weights * self.asked
        cost = float(weights @ (np.logaddexp(0, odds) - self.liked * odds)) + RIDGE / 2 * float(at @ at)
        return cost, self.rows.T @ (weights * (logistic(odds) - self.liked)) + RIDGE * at

    def _parts(self, at: Any) -> tuple[list[Any], list[Any]]:
        chances, weights = logistic(self.rows @ at), self.weights * self.asked
        slopes, bends = [], []
        for question in self.questions:
            here = [number for number, word in enumerate(self.words) if word.question == question]
            rows, chance, weight = self.rows[here], chances[here], weights[here]
            slopes.append(rows.T @ (weight * (self.liked[here] - chance)))
            bends.append((rows * (weight * chance * (1 - chance))[:, None]).T @ rows)
        return slopes, bends

    def mean(self, pair: tuple[str, str]) -> tuple[float, BoundedMean]:
        """The share, and what each question adds: by the curve, by one that length bends up to a small difference, and as far
        off as questions that differ may take it."""
        if pair not in self._means:
            self._means[pair] = self._mean(pair)
        return self._means[pair]

    def _mean(self, pair: tuple[str, str]) -> tuple[float, BoundedMean]:
        value, plain = self.plain(pair)
        differ = [abs(word.longer) for word in self.words if word.by is not None and abs(word.longer) > 0.02]
        others = [plain]
        if differ:
            most = float(np.quantile(differ, 0.25, method="lower"))
            bent = [replace(word, longer=float(np.clip(word.longer / most, -1, 1))) for word in self.words]
            others.append(Curve(bent).plain(pair)[1])
        own = [(word, weight) for word, weight in zip(self.words, self.weights, strict=True) if word.pair == pair]
        asked = sum(weight for word, weight in own if word.by is not None) / sum(weight for _, weight in own)
        questions = list(dict.fromkeys(word.question for word, _ in own))
        far = _far(self.words, pair)
        if any(far):
            apart = [_far([word for word in self.words if word.question != q], pair) for q in questions]
            ends = [
                curve.moved(asked * far[side], [asked * each[side] for each in apart])
                for curve in others
                for side in (0, 1)
                if far[side]
            ]
            others += ends
        return value, Doubted(others)

    def plain(self, pair: tuple[str, str]) -> tuple[float, Fitted]:
        """The share, and what each question adds."""
        here = [number for number, word in enumerate(self.words) if word.pair == pair]
        words = [self.words[number] for number in here]
        asked = [word for word in words if word.by is not None]
        if asked and {word.liked for word in asked} in ({0.0}, {1.0}):
            longer = float(np.mean([word.longer for word in asked]))
            judges = dict.fromkeys(word.judge for word in asked)
            more = [
                Said("other way", pair, ("", 0), judge, 1 - asked[0].liked, p, longer)
                for judge in judges
                for p in (1, -1)
            ]
            plain = math.fsum(self.weights[here] * self.liked[here]) / math.fsum(self.weights[here])
            return plain, Curve([*self.words, *more]).plain(pair)[1]
        place = self.pairs.index(pair)

        def share(at: Any, left_out: str | None) -> float:
            chance = float(logistic(at[place]))
            kept = [n for n in here if self.words[n].question != left_out]
            total = math.fsum(self.weights[kept])
            return math.fsum(self.weights[n] * (chance if self.asked[n] else self.liked[n]) for n in kept) / total

        value, questions = share(self.top, None), list(dict.fromkeys(word.question for word in words))
        without = [share(self.without[self.questions.index(q)], q) for q in questions]
        return value, Fitted(value, without)


class Fitted(BoundedMean):
    """With the log-odds of the share: the interval holds Student's of these too, and p is the larger one."""

    def __init__(self, value: float, without: Sequence[float]) -> None:
        """`without`: the share without each question."""
        n = len(without)
        adds = [n * value - (n - 1) * other for other in without]
        super().__init__([2 * (add + value - math.fsum(adds) / n) - 1 for add in adds])
        logits = np.array([math.log(other / (1 - other)) for other in without])
        self.share, self.without, self.df = value, without, n - 1
        self.odds = math.log(value / (1 - value))
        self.error = math.sqrt((n - 1) / n * float(((logits - logits.mean()) ** 2).sum()))

    def moved(self, far: float, apart: Sequence[float]) -> Fitted:
        """What lies so far off, and so far without each question."""
        return Fitted(self.share + far, [other + each for other, each in zip(self.without, apart, strict=True)])

    def limits(self, alpha: float) -> tuple[float, float]:
        low, high = super().limits(alpha)
        away = float(stats.t.isf(alpha / 2, self.df)) * self.error
        return min(low, 2 * float(logistic(self.odds - away)) - 1), max(high, 2 * float(logistic(self.odds + away)) - 1)

    def surely_no_more(self, threshold: float) -> float:
        odds = self.odds - math.log((1 + threshold) / (1 - threshold))
        by_odds = float(stats.t.sf(odds / self.error, self.df)) if self.error else 0.0
        return max(self.no_more(threshold), by_odds)


class Doubted(BoundedMean):
    """Whichever of several shares is the right one."""

    def __init__(self, curves: Sequence[Fitted]) -> None:
        self.curves = curves

    def limits(self, alpha: float) -> tuple[float, float]:
        every = [curve.limits(alpha) for curve in self.curves]
        return min(low for low, _ in every), max(high for _, high in every)

    def no_more(self, threshold: float) -> float:
        return max(curve.surely_no_more(threshold) for curve in self.curves)


def _far(words: Sequence[Said], pair: tuple[str, str]) -> tuple[float, float]:
    """How far off the share may be where questions differ: some are sure, and all others alike, found by bisection."""
    both: dict[str, dict[Any, dict[int, float]]] = defaultdict(lambda: defaultdict(dict))
    for word in words:
        if word.by is not None:
            both[word.by][word.pair, word.question, word.play][word.place] = word.liked
    below, above = [], []
    for said in both.values():
        whole = [seen for seen in said.values() if len(seen) == 2]
        mine = np.array([(seen[1], seen[-1]) for place, seen in said.items() if place[0] == pair and len(seen) == 2])
        if not len(mine):
            continue
        to_first = 0.5 + math.fsum(max(0.0, seen[1] - seen[-1]) for seen in whole)
        to_second = 0.5 + math.fsum(max(0.0, seen[-1] - seen[1]) for seen in whole)
        beta = 0.5 * math.log(to_first / to_second)
        flips, gain = float(np.abs(mine[:, 0] - mine[:, 1]).mean()), float((mine.sum(axis=1) - 1).mean())
        shares = np.clip(mine.mean(axis=0), 1e-6, 1 - 1e-6)
        alike = float(logistic(np.log(shares / (1 - shares)).mean()))
        top, bottom = _sure(flips, gain, beta), _sure(flips, -gain, beta)
        above.append(0.0 if top is None else top - alike)
        below.append(0.0 if bottom is None else 1 - bottom - alike)
    if not below:
        return 0.0, 0.0
    ends_of = float(np.mean(below)), float(np.mean(above))
    return min(0.0, *ends_of), max(0.0, *ends_of)


def _sure(flips: float, gain: float, beta: float) -> float | None:
    """The share where some questions are won whatever the place, and the others are alike."""
    if flips <= 0 or 1 - flips - gain <= 1e-12:
        return None

    def parts(theta: float) -> tuple[float, float]:
        first, second = logistic(theta + beta), logistic(theta - beta)
        return first * (1 - second) + second * (1 - first), first + second - 1

    def gained(theta: float) -> float:
        flip, gains = parts(theta)
        return 1 - flips / flip + flips / flip * gains - gain

    theta = optimize.brentq(gained, -25, 25, xtol=1e-13)
    others = flips / parts(theta)[0]
    return None if others >= 1 else float(1 - others + others * logistic(theta))


def ends(value: float, mean: BoundedMean, alpha: float = 0.05) -> tuple[float, float]:
    low, high = mean.limits(alpha)
    return max(0.0, min(value, (low + 1) / 2)), min(1.0, max(value, (high + 1) / 2))


def of_values(values: Mapping[str, Sequence[float]]) -> tuple[float, tuple[float, float]]:
    sums = [2 * math.fsum(several) - len(several) for several in values.values()]
    mean = BoundedMean(sums, [len(several) for several in values.values()])
    value = (mean.value + 1) / 2
    return value, ends(value, mean)


def says_nothing(low: float, high: float) -> bool:
    """More than nineteen twentieths of the line: then there is no corrected share."""
    return high - low > 0.95


def near(value: float | None, within: float = CLOSE) -> Near:
    return Near(value, within)


def preferences(raw: Raw) -> dict[str, Any]:
    judges = (raw.config.get("judge") or {}).get("models", ())
    plays, heard = plays_of(raw), heard_in(raw)
    words = words_of(plays, heard)
    curve, imputed = Curve(words), Imputed(words, missing_in(plays, heard, judges))
    opponents = {(play.side.id, play.other.id): (play.side, play.other) for play in _sorted(raw, plays)}
    pairs = [_pair(curve, plays, heard, pair, imputed) for pair in opponents.values()]
    shown = _shown(plays)
    count = sum(len(heard[place]) for place in shown)
    figures = {
        "baseline": raw.config.get("baseline") and pairs[0]["against"],
        "judges": list(judges),
        "persons": [],
        "voted": 0,
        "judges_who_play": [],
        "questions": len(raw.questions),
        "compared": len(shown),
        "words": count,
        "without_word": len(judges) * len(shown) - count,
        "settled": sum(settled(play) is not None for play in plays),
        "pairs": pairs,
        "options": _options(curve, pairs, imputed),
        "ratings": _ratings(curve, list(dict.fromkeys(title(play.other) for play in plays))),
        "habits": _habits(curve, shown, heard, judges),
        "agreement": _agreement(shown, heard, judges),
    }
    return {"preferences": figures}


def _sorted(raw: Raw, plays: Sequence[Play]) -> list[Play]:
    order = {cell.id: number for number, cell in enumerate(raw.cells)}
    members = {
        name: n for n, name in enumerate(player["name"] for cell in raw.cells for player in cell.spec["players"])
    }
    return sorted(plays, key=lambda play: (order[play.side.id], members.get(play.other.player or "", 0)))


def _shown(plays: Sequence[Play]) -> list[tuple[str, str, str]]:
    shown = {}
    for play in plays:
        if settled(play) is None:
            one, other = mark(play.text or ""), mark(play.against or "")
            shown |= {(play.question, one, other): None, (play.question, other, one): None}
    return list(shown)


def _pair(curve: Curve, plays: Sequence[Play], heard: Any, pair: tuple[Cell, Cell], imputed: Imputed) -> Row:
    side, other = pair
    named = (title(side), title(other))
    here = [number for number, word in enumerate(curve.words) if word.pair == named]
    by_question = {question: value for question, (value,) in _by_question(curve, named).items()}
    mine = [play for play in plays if (play.side.id, play.other.id) == (side.id, other.id)]
    raw_share, raw_ends = of_values({question: [value] for question, value in by_question.items()})
    value, mean = curve.mean(named)
    low, high = ends(value, mean)
    open_ = sum(not words_of([play], heard) for play in mine)
    longer = [curve.words[number].longer for number in here if curve.asked[number]]
    row: Row = {
        "of": named[0],
        "strategy": side.strategy,
        "label": side.label,
        "team": side.team,
        "captain": side.captain,
    }
    row |= {"against": named[1], "against_player": other.player}
    row |= {"wins": sum(share > 0.5 + 1e-9 for share in by_question.values()), "plays": len(mine), "ungraded": open_}
    row |= {"losses": sum(share < 0.5 - 1e-9 for share in by_question.values()), "n": len(by_question)}
    row["ties"] = row["n"] - row["wins"] - row["losses"]
    row |= {"raw": near(raw_share), "raw_low": near(raw_ends[0]), "raw_high": near(raw_ends[1])}
    row |= {"value": near(value), "low": near(low), "high": near(high), "p": near(min(1.0, 2 * mean.no_more(0.0)))}
    if says_nothing(low, high):
        row |= {**dict.fromkeys(("value", "low", "high", "p")), "why": SAYS_NOTHING}
    row["doublings"] = float(np.mean(longer)) if longer else None
    if number := imputed.number(named):
        row["bounds"] = {
            key: of_values(_by_question(imputed.curves[liked][0], named))[0]
            for key, liked in (("low", 0.0), ("high", 1.0))
        }
        for key, liked in (("if_lost", 0.0), ("if_won", 1.0)):
            row[key] = dict(zip(("value", "low", "high"), map(near, imputed.ends(curve, named, liked)), strict=True))
    row["missing"] = number
    return row


def _by_question(curve: Curve, pair: tuple[str, str]) -> dict[str, list[float]]:
    found: dict[str, float] = defaultdict(float)
    for word, weight, liked in zip(curve.words, curve.weights, curve.liked, strict=True):
        if word.pair == pair:
            found[word.question] += weight * liked
    return {question: [value] for question, value in found.items()}


def _options(curve: Curve, pairs: Sequence[Row], imputed: Imputed) -> list[Row]:
    known = [of for of in _sides(pairs) if all(pair["p"] is not None for pair in pairs if pair["of"] == of)]
    told = iter(_tested(curve, [pair for pair in pairs if pair["of"] in known], imputed))
    return [next(told) if of in known else _untested(of, pairs, len(known)) for of in _sides(pairs)]


def _sides(pairs: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(pair["of"] for pair in pairs))


def _untested(of: str, pairs: Sequence[Row], family: int) -> Row:
    """A side of whose share against somebody nothing is known."""
    mine = [pair for pair in pairs if pair["of"] == of]
    row: Row = {key: mine[0][key] for key in ("of", "strategy", "label", "team", "captain")}
    row |= dict.fromkeys(("against", "value", "low", "high", "p", "p_holm", "low_holm", "high_holm"))
    row |= dict.fromkeys(("better", "worse", "alone_better"), False)
    why = next(pair["why"] for pair in mine if pair["p"] is None)
    asked = max(pair["n"] for pair in mine)
    return {
        **row,
        "opponents": len(mine),
        "questions": asked,
        "ungraded": 0.0,
        "why": why,
        "family": family,
        "missing": max(pair["missing"] for pair in mine),
    }


def _tested(curve: Curve, pairs: Sequence[Row], imputed: Imputed) -> list[Row]:
    rows = []
    for of in _sides(pairs):
        mine = [pair for pair in pairs if pair["of"] == of]
        unsure = max(mine, key=lambda pair: pair["p"].value)
        share = max(pair["ungraded"] / pair["plays"] for pair in mine)
        lowest = min(imputed.ends(curve, (of, pair["against"]), 0.0)[1] for pair in mine)
        beats_all = unsure["p"].value <= 0.05 and min(lowest, *(pair["low"].value for pair in mine)) > 0.5
        hardest = min(mine, key=lambda pair: pair["value"].value) if beats_all else unsure
        row = {key: mine[0][key] for key in ("of", "strategy", "label", "team", "captain")}
        row |= {key: hardest[key] for key in ("against", "value", "low", "high")}
        row |= {"p": unsure["p"], "alone_better": beats_all}
        rows.append({**row, "opponents": len(mine), "questions": hardest["n"], "ungraded": share})
        rows[-1]["missing"] = max(pair["missing"] for pair in mine)
    order = sorted(range(len(rows)), key=lambda number: rows[number]["p"].value)
    highest, rejected, told = 0.0, 0, list(rows)
    for rank, number in enumerate(order):
        row, left = rows[number], len(rows) - rank
        highest = max(highest, min(1.0, left * row["p"].value))
        rejected = rank + 1 if highest <= 0.05 and rejected == rank else rejected
        told[number] = {**row, "p_holm": near(highest, 1e-5), "family": len(rows)}
    for rank, number in enumerate(order):
        row = told[number]
        value, mean = curve.mean((row["of"], row["against"]))
        level = 0.05 / (len(rows) - min(rank, rejected))
        low, _ = ends(value, mean, level)
        top = ends(value, mean, 0.05 / len(rows) / row["opponents"])[1]
        every = [ends(*curve.mean(pair), level)[0] for pair in curve.pairs if pair[0] == row["of"]]
        better = row["p_holm"].value <= 0.05 and min(every) > 0.5 and row["alone_better"]
        told[number] |= {"low_holm": near(low), "high_holm": near(top), "better": better}
        most = imputed.ends(curve, (row["of"], row["against"]), 1.0, 0.05 / len(rows) / row["opponents"])[2]
        told[number]["worse"] = max(top, most) < 0.5
    return told


def _ratings(curve: Curve, anchors: Sequence[str]) -> list[Row]:
    """Each pair has one tied question more, of texts as long as the others; in the resamples too. Drawn with other numbers."""
    shares = {pair: ends(*curve.mean(pair)) for pair in curve.pairs}
    every = list(dict.fromkeys(name for pair in curve.pairs for name in pair))
    told_pairs = [
        pair
        for pair, (low, high) in shares.items()
        if not says_nothing(low, high)
        and len({word.question for word in curve.words if word.pair == pair and word.liked != 0.5}) > 1
        and low >= 1e-6
        and high <= 1 - 1e-6
    ]
    reached = _largest(told_pairs, anchors)
    names = [name for name in every if name in reached]

    def unrated(name: str) -> Row:
        own = _joined(told_pairs, name)
        leaving = [pair for pair in curve.pairs if pair not in told_pairs and own.intersection(pair)]
        nearest = next((pair for pair in leaving if reached.intersection(pair)), leaving[0])
        why = SAYS_NOTHING if says_nothing(*shares[nearest]) else NO_END
        return {"of": name, **dict.fromkeys(("value", "low", "high")), "anchor": False, "why": why}

    if not names:
        return [unrated(name) for name in every]
    columns = [*names, *(pair for pair in curve.pairs if not reached.issuperset(pair) or pair not in told_pairs)]
    places = np.zeros((len(curve.pairs), len(columns)))
    for row, pair in zip(places, curve.pairs, strict=True):
        for name, sign in [(pair, 1)] if pair in columns else zip(pair, (1, -1), strict=True):
            row[columns.index(name)] = sign
    number = np.array([curve.pairs.index(word.pair) for word in curve.words])
    of_judges = curve.rows[:, len(curve.pairs) :]
    asked = curve.weights * curve.asked
    alike = np.array(
        [(asked * (number == pair)) @ of_judges / max(1e-9, asked @ (number == pair)) for pair in range(len(places))]
    )
    rows = np.vstack([np.hstack([places[number], of_judges]), np.hstack([places, alike])])
    habits = of_judges.shape[1]
    ties = places
    liked = np.concatenate([curve.liked, np.full(len(ties), 0.5)])
    ridge = np.diag([1e-12] * len(columns) + [RIDGE] * habits)
    place = {question: number for number, question in enumerate(curve.questions)}
    unit = np.array([place[word.question] for word in curve.words])

    def fitted(times: Any, at: Any, steps: int) -> Any:
        weights = np.concatenate([curve.weights * times[unit], np.ones(len(ties))])
        for _ in range(steps):
            chances = logistic(rows @ at)
            slope = rows.T @ (weights * (liked - chances)) - ridge @ at
            bend = (rows * (weights * chances * (1 - chances))[:, None]).T @ rows + ridge
            step = np.linalg.lstsq(bend, slope, rcond=None)[0]
            at = at + step * min(1.0, 2 / max(1e-9, float(np.abs(step).max())))
        return at

    n = len(curve.questions)
    top = fitted(np.ones(n), np.zeros(rows.shape[1]), 60)
    anchor = max((name for name in anchors if name in names), key=lambda name: top[names.index(name)])
    draw = np.random.default_rng(17)
    drawn = np.array([fitted(draw.multinomial(n, np.full(n, 1 / n)), top, 1) for _ in range(DRAWS)])
    points, first = 400 / math.log(10), names.index(anchor)
    bounds = _chains({pair: shares[pair] for pair in told_pairs}, anchor)
    told = []
    for name in sorted(names, key=lambda name: (name != anchor, -round(top[names.index(name)], 9))):
        value = points * (top[names.index(name)] - top[first])
        row = {"of": name, "value": near(value, 1e-3), "low": None, "high": None, "anchor": name == anchor}
        if name != anchor:
            apart = points * (drawn[:, names.index(name)] - drawn[:, first])
            low, high = map(float, np.quantile(apart, [0.025, 0.975]))
            least, most = (points * end for end in bounds[name])
            drawn_within = 0.15 * (high - low) + 1
            row["low"] = near(min(low, least), drawn_within if low < least + drawn_within else 0.1)
            row["high"] = near(max(high, most), drawn_within if high > most - drawn_within else 0.1)
        told.append(row)
    return [*told, *(unrated(name) for name in every if name not in names)]


def _largest(pairs: Sequence[tuple[str, str]], anchors: Sequence[str]) -> set[str]:
    """Whom these pairs join, of the largest such set with an anchor in it."""
    sets = [_joined(pairs, start) for start in dict.fromkeys(name for pair in pairs for name in pair)]
    return max((one for one in sets if one.intersection(anchors)), key=len, default=set())


def _joined(pairs: Sequence[tuple[str, str]], start: str) -> set[str]:
    found = {start}
    for _ in pairs:
        found |= {name for pair in pairs if found.intersection(pair) for name in pair}
    return found


def _chains(shares: Mapping[tuple[str, str], tuple[float, float]], anchor: str) -> dict[str, tuple[float, float]]:
    """By everybody the narrowest sum of the shares' ends, as log-odds, over every way that leads there from the anchor."""
    steps: dict[tuple[str, str], tuple[float, float]] = {}
    for pair, (low, high) in shares.items():
        one, other = (math.log(end / (1 - end)) for end in (low, high))
        steps[pair[::-1]], steps[pair] = (one, other), (-other, -one)
    found = {anchor: (0.0, 0.0)}
    for _ in steps:
        for (start, end), (low, high) in steps.items():
            if start in found:
                new = found[start][0] + low, found[start][1] + high
                if end not in found or new[1] - new[0] < found[end][1] - found[end][0] - 1e-12:
                    found[end] = new
    return found


def _habits(curve: Curve, shown: Sequence[Any], heard: Any, judges: Sequence[str]) -> list[Row]:
    worth = {"first": 1.0, "tie": 0.5, "second": 0.0}
    rows = []
    for judge in [*judges, *([None] if len(judges) > 1 else [])]:
        whose = list(judges) if judge is None else [judge]
        firsts, flips = defaultdict(list), defaultdict(list)
        for question, one, other in shown:
            for name in whose:
                said, back = heard[question, one, other].get(name), heard[question, other, one].get(name)
                if said is not None:
                    firsts[question].append(worth[said])
                if one < other and said is not None and back is not None:
                    flips[question].append(float(said == back and said != "tie"))
        first, first_ends = of_values(firsts)
        flip, flip_ends = of_values(flips)
        row: Row = {"judge": judge, "first": first, "first_low": near(first_ends[0]), "first_high": near(first_ends[1])}
        row |= {"flips": flip, "flips_low": near(flip_ends[0]), "flips_high": near(flip_ends[1])}
        row |= {"words": sum(map(len, firsts.values())), "questions": len(firsts)}
        row |= dict.fromkeys(("longer", "longer_low", "longer_high"))
        if judge is not None and len(firsts) >= 30:
            place = len(curve.pairs) + 2 * curve.judges.index(judge) + 1
            without = np.array([at[place] for at in curve.without])
            n = len(without)
            error = math.sqrt((n - 1) / n * float(((without - without.mean()) ** 2).sum())) * stats.t.ppf(0.975, n - 1)
            odds = dict(zip(("longer", "longer_low", "longer_high"), (0.0, -error, error), strict=True))
            row |= {key: near(float(logistic(curve.top[place] + by)) - 0.5) for key, by in odds.items()}
        rows.append(row)
    return rows


def _agreement(shown: Sequence[Any], heard: Any, judges: Sequence[str]) -> list[Row]:
    rows = []
    for one, other in combinations(judges, 2):
        both = defaultdict(list)
        for place in shown:
            if one in heard[place] and other in heard[place]:
                both[place[0]].append((heard[place][one], heard[place][other]))
        every = [pair for several in both.values() for pair in several]
        share, share_ends = of_values({q: [float(a == b) for a, b in several] for q, several in both.items()})
        row: Row = {"judges": [one, other], "n": len(every), "agreement": share}
        row |= {"low": near(share_ends[0]), "high": near(share_ends[1])}
        kappa, low, high = _kappa(both, every)
        rows.append({**row, "kappa": kappa, "kappa_low": near(low), "kappa_high": near(high)})
    return rows


def _kappa(
    both: Mapping[str, Sequence[tuple[str, str]]], every: Sequence[tuple[str, str]]
) -> tuple[float, float, float]:
    n, first, second = len(every), Counter(a for a, _ in every), Counter(b for _, b in every)
    seen = list(dict.fromkeys(word for pair in every for word in pair))
    differ = 1 - sum(first[word] * second[word] for word in seen) / n**2
    kappa = 1 - sum(a != b for a, b in every) / n / differ

    def part(a: str, b: str, at: float, end: float) -> float:
        chance = 2 - second[a] / n - first[b] / n - differ
        return end * (float(a != b) - (1 - at) * chance)

    def limit(end: float) -> float:
        def over(at: float) -> float:
            sums = [sum(part(a, b, at, end) for a, b in several) for several in both.values()]
            unseen = min(part(a, b, at, end) for a in seen for b in seen) * max(map(len, both.values()))
            return spline_chance([*sums, unseen]) - 0.025

        return end if over(end) >= 0 or over(kappa) <= 0 else float(optimize.brentq(over, kappa, end))

    return kappa, limit(-1.0), limit(1.0)
