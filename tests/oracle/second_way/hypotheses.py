"""Hypotheses of a file: each figure as docs/hypotheses.md defines it, its test, Holm's correction, and the verdict."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from second_way.absent import lacking
from second_way.accuracy import interim
from second_way.again import nothing_flatters, played_again
from second_way.cohort_gap import _best, _graded_only, _players, somebody_waits, surely_no_gap, whoever_is_best
from second_way.compare import ANY_TEXT, Holds, Near
from second_way.hanging import together as in_units
from second_way.hypothesis_tests import (
    Figure,
    Sums,
    adds_up,
    at,
    divides,
    drawn_figure,
    is_linear,
    linear_figure,
    multiplied_out,
    one_figure,
    paired_figure,
    power_figure,
)
from second_way.intervals import (
    ALPHA,
    holm,
    mean,
)
from second_way.options import left_behind, mended, named, option, tried_before
from second_way.pairs import Pair, drafting, stages, unfair_pairs
from second_way.quiz_pairs import extremes
from second_way.ranked import Ranked
from second_way.raw import Cell, Raw
from second_way.safety import multiple_withheld
from second_way.shares import Value, flattering, mean_value, never_came, unfair, unfair_together
from second_way.skyline import graded_only, single, tops
from second_way.tables import Play, parts, table_of

Row = dict[str, Any]
_TERM = re.compile(r"(accuracy|skyline|net|safety_multiple|gap_closure|cost)\(((?:[^()]|\([^()]*\))*)\)")
NOTE = Holds(lambda note: note is None or (isinstance(note, str) and bool(note)), "a note or none")


def hypotheses(raw: Raw) -> Row:
    texts = raw.config.get("hypotheses", ())
    if not texts:
        return {}
    judged = [_Hypothesis(raw, text) for text in texts]
    tries = [tried_before(raw, [inside for _, inside in _TERM.findall(text)]) for text in texts] if raw.beside else None
    out, tries = left_behind(raw), tries or [0] * len(judged)
    late = [bool(out or each) for each in tries]
    rows: dict[int, Row] = {}
    for exploratory in (False, True):
        places = [place for place, each in enumerate(late) if each == exploratory]
        extra = sum(tries[place] for place in places)
        # One without a p was declared all the same, and so was what was changed: each has 1.
        paid = holm([*(judged[place].verdict_p for place in places), *[1.0] * extra])
        for place, each in zip(places, paid, strict=False):
            one = judged[place]
            rows[place] = one.row(each if one.tested else None, len(paid)) | {"frozen": not exploratory}
            rows[place] |= {"earlier_versions": tries[place]} if tries[place] else {}
            rows[place] |= {"taken_out": out} if out else {}
            rows[place] |= {"keys_changed": keys} if (keys := mended(raw)) else {}
    opened = [{**rows[place], **_unreached(raw, texts[place], rows[place]["n"])} for place in range(len(judged))]
    if (again := played_again(raw)) is not None:
        with nothing_flatters():
            others = hypotheses(again)["hypotheses"]
        opened = [_held_against(row, other) for row, other in zip(opened, others, strict=True)]
    return {"hypotheses": [{**row, **interim(raw)} for row in opened]}


def _held_against(row: Row, other: Row) -> Row:
    """Open, where the verdict is another once plays without somebody may come to anything."""
    if row["verdict"] == other["verdict"] or row["verdict"] == "open":
        return row
    if isinstance(row["verdict"], Holds) or isinstance(other["verdict"], Holds):
        return row | dict.fromkeys((*CLAIMED, "verdict", "note"), Holds(lambda _: True, "too near to call"))
    return {**row, **dict.fromkeys(CLAIMED), "verdict": "open", "note": ANY_TEXT}


CLAIMED = ("low", "high", "p", "p_holm", "low_holm", "high_holm")


def _unreached(raw: Raw, text: str, n: int) -> Row:
    """Open, where in more than one of twenty plays of what it names a call failed, or in any where what it counts is rare; a gap
    is closed to the other cohorts' best, so that theirs are plays of it as well."""
    for function, inside in _TERM.findall(text):
        side, cohort = _apart(inside)
        rare = function in ("safety_multiple", "gap_closure")
        for cell in _of_cohort(raw, named(raw, side), None if function == "gap_closure" else cohort):
            any_missing = any(play.unreached for play in raw.episodes(cell))
            if (rare and any_missing) or lacking(raw, [cell], n):
                return {**dict.fromkeys(CLAIMED), "verdict": "open", "note": ANY_TEXT}
    return {}


def _apart(inside: str) -> tuple[str, str | None]:
    """A side, and the cohort behind it."""
    if re.search(r",\s*\w+$", inside) and ")" not in inside[inside.rfind(",") :]:
        side, cohort = (part.strip() for part in inside.rsplit(",", 1))
        return side, cohort
    return inside.strip(), None


class _Hypothesis:
    def __init__(self, raw: Raw, text: str) -> None:
        self.text, self.raw = text, raw
        self.sign = ">" if ">" in text else "<"
        names = dict.fromkeys(match[0] for match in _TERM.finditer(text))
        self.terms = {f"t{place}": name for place, name in enumerate(names)}
        plain = text
        for place, name in self.terms.items():
            plain = plain.replace(name, place)
        left, right = (side.strip() for side in plain.split(self.sign))
        if not re.search(r"\bt\d", left):
            left, right, self.sign = right, left, "<" if self.sign == ">" else ">"
        self.functions = {place: _TERM.match(name)[1] for place, name in self.terms.items()}  # type: ignore[index]
        self.threshold, self.left = 0.0, f"({left}) - ({right})"
        self.written: str | None = None
        self.below = "1"
        if divides(self.left) and set(self.functions.values()) <= {"accuracy", "skyline", "cost", "safety_multiple"}:
            # None of these is below nothing, so what stands above the line says on which side of nothing the whole is.
            self.written = self.left if re.search(r"\bt\d", right) else left
            self.left, self.below = multiplied_out(self.left)
            left, right = self.left, "0"
        if adds_up(self.left):
            self._plainest(left, right)
        elif not re.search(r"\bt\d", right):
            self.threshold, self.left = float(at(right, {})), left
        every = {place: _sums(raw, name) for place, name in self.terms.items()}
        self.every_sums = {place: sums for place, sums in every.items() if sums is not None}
        self.as_written: float | None = None
        self.terms = {place: name for place, name in self.terms.items() if re.search(rf"\b{place}\b", self.left)}
        self.functions = {place: self.functions[place] for place in self.terms}
        self.sums = {place: every[place] for place in self.terms}
        self.figure: Figure | None = None
        self.n, self.left_out, self.unsettled, self.bounds = 0, 0, 0, None
        if all(sums is not None for sums in self.sums.values()):
            self._read({place: sums for place, sums in self.sums.items() if sums is not None})

    def _plainest(self, left: str, right: str) -> None:
        """One figure, or one share less another, against a number, where it comes to that: what it changes by when one
        figure goes from 0 to 1 is how often that is in it."""
        nothing = dict.fromkeys(self.terms, 0.0)
        beside = float(at(self.left, nothing))
        times = {place: float(at(self.left, {**nothing, place: 1.0})) - beside for place in self.terms}
        there = sorted((place for place in times if abs(times[place]) > 1e-9), key=lambda place: -times[place])
        if len(there) == 1:
            if times[there[0]] < 0:
                self.sign = "<" if self.sign == ">" else ">"
            self.threshold, self.left = -beside / times[there[0]], there[0]
        elif (
            len(there) == 2
            and abs(times[there[0]] + times[there[1]]) < 1e-9
            and all(self.functions[place] in ("accuracy", "skyline") for place in there)
        ):
            self.threshold, self.left = -beside / times[there[0]], " - ".join(there)
        else:
            whole = self.left if re.search(r"\bt\d", right) else left
            added = float(at(whole, nothing))
            self.threshold, self.left = -beside, f"{whole} - ({added})" if added else whole

    def _read(self, sums: dict[str, Sums]) -> None:
        two = re.fullmatch(r"\(?(t\d+)\)? - \(?(t\d+)\)?", self.left)
        shares = two and {self.functions[place] for place in two.groups()} <= {"accuracy", "skyline"}
        if two and shares and {self.functions[place] for place in two.groups()} == {"accuracy"}:
            sums = _in_pairs(self.raw, sums, two[1], two[2])
        every = list(sums.values())
        played = set.intersection(*({*s.tops, *s.values, *s.turns, *s.unsettled} for s in every))
        asked = sorted(set.intersection(*(set(s.tops) for s in every)))
        self.n, self.left_out = len(asked), len(played) - len(asked)
        self.unsettled = sum(
            any(q in s.turns or q in s.unsettled or (q in s.values and s.values[q].open) for s in every) for q in played
        )
        self.bounds = self._bounds(sums, two if shares else None, sorted(played))
        if any(one.waiting for one in every):
            self.n = 0
            return
        seen = {
            place: _at_all(one, asked if place in sums else list(one.tops)) for place, one in self.every_sums.items()
        }
        if not asked or not at(self.below, seen):
            return
        self.as_written = None if self.written is None else float(at(self.written, seen))
        if not asked:
            return
        if two and shares:
            self.figure = paired_figure(sums[two[1]], sums[two[2]], asked)
        elif self.left in sums:
            self.figure = one_figure(self.functions[self.left], sums[self.left], asked)
        if self.figure is None and is_linear(self.left, self.functions):
            self.figure = linear_figure(self.left, self.functions, sums, asked)
        if self.figure is None and len(sums) == 1 and self.left not in sums:
            ((name, only),) = sums.items()
            self.figure = power_figure(self.left, name, self.functions[name], only, asked)
        elif self.figure is None:
            self.figure = drawn_figure(self.left, self.functions, sums, asked)

    def _bounds(self, sums: Mapping[str, Sums], two: re.Match[str] | None, played: Sequence[str]) -> Row | None:
        if two:
            one, other = (sums[place].values for place in two.groups())
            pairs = [(one[q], other[q]) for q in played if q in one and q in other]
            if not any(value.open for pair in pairs for value in pair):
                return None
            low, high = (mean([extremes([pair])[place] for pair in pairs]) for place in (0, 1))
            return {"low": low, "high": high}
        if self.left not in sums:
            return self._linear_bounds(sums, played) if is_linear(self.left, self.functions) else None
        only, function = sums[self.left], self.functions[self.left]
        if function in ("accuracy", "skyline"):
            values = [only.values[question] for question in played]
            if not any(value.open for value in values):
                return None
            return {"low": mean([value.least for value in values]), "high": mean([value.most for value in values])}
        if function == "gap_closure":
            return only.bounds
        if not only.turns:
            return None
        rescues, regressions = (sum(turn[place] for turn in only.turns.values()) for place in (0, 1))
        top = sum(only.tops.values())
        if function == "net":
            return {"low": top - regressions, "high": top + rescues}
        bottom = sum(only.bottoms.values())
        if not bottom + regressions:
            return None
        return {"low": top / (bottom + regressions), "high": (top + rescues) / bottom if bottom else None}

    def _linear_bounds(self, sums: Mapping[str, Sums], played: Sequence[str]) -> Row | None:
        """The least and the most of all corners of what each figure may be over all questions."""
        asked = set(played)
        if not any(
            asked & s.turns.keys() or any(s.values[q].open for q in asked & s.values.keys()) for s in sums.values()
        ):
            return None
        corners = []
        for place, one in sums.items():
            if self.functions[place] == "net":
                top = sum(one.tops.get(q, 0.0) for q in played)
                gained, lost = (sum(one.turns[q][side] for q in asked & one.turns.keys()) for side in (0, 1))
                corners.append((top - lost, top + gained))
            else:
                values = [one.values[q] for q in played]
                corners.append((mean([value.least for value in values]), mean([value.most for value in values])))
        reached = [at(self.left, dict(zip(sums, corner, strict=True))) for corner in product(*corners)]
        return {"low": min(reached), "high": max(reached)}

    @property
    def tested(self) -> bool:
        return self.figure is not None and self.figure.p(self.threshold) is not None

    @property
    def p(self) -> float:
        p = self.figure.p(self.threshold) if self.figure is not None else None
        return 1.0 if p is None else p

    @property
    def verdict_p(self) -> float:
        p = self.figure.verdict_p(self.threshold) if self.figure is not None else None
        return 1.0 if p is None else p

    def row(self, adjusted: tuple[float, float] | None, family: int) -> Row:
        row: Row = {"hypothesis": self.text, "value": None, "low": None, "high": None, "threshold": self.threshold}
        row |= {"verdict": "open", "p": None, "p_holm": None, "low_holm": None, "high_holm": None, "test": "none"}
        row |= {"n": self.n, "small": True, "note": NOTE, "frozen": True, "family": family}
        row["declared_at"] = Holds(lambda at: isinstance(at, float) and at > 1e9, "a time")
        row |= {"ungraded": self.left_out} if self.left_out else {}
        row |= {"bounds": self.bounds} if self.bounds else {}
        row |= {"as_written": self.as_written} if self.written is not None else {}
        if self.figure is None:
            return row
        figure = self.figure
        low, high = figure.limits(ALPHA)
        row |= {"value": figure.value, "low": low, "high": high, "small": figure.small}
        if adjusted is None:
            return row
        row |= {"p": figure.shown(self.p), "p_holm": figure.shown(adjusted[0])}
        if figure.drawn:
            row["p_holm"] = Near(adjusted[0], 0.02 * family)
        row["test"] = figure.at_zero if self.threshold == 0 and figure.at_zero else figure.test
        row["low_holm"], row["high_holm"] = figure.verdict_limits(adjusted[1])
        row["verdict"] = self._verdict(row, adjusted[0], figure)
        return row

    def _verdict(self, row: Row, p: float, figure: Figure) -> Any:
        if figure.drawn and abs(p - ALPHA) < 0.02 * row["family"]:
            return Holds(lambda word: word in ("open", "confirmed", "refuted"), "a verdict that is too near to call")
        low, high = (end.value if isinstance(end, Near) else end for end in (row["low_holm"], row["high_holm"]))
        above = p <= ALPHA and low is not None and low > self.threshold
        below = p <= ALPHA and high is not None and high < self.threshold
        if not above and not below:
            return "open"
        if self.unsettled:
            bounds = self.bounds
            end = bounds and bounds["low" if above else "high"]
            if end is None or (end <= self.threshold if above else end >= self.threshold):
                return "open"
        return "confirmed" if above == (self.sign == ">") else "refuted"


# ---------------------------------------------------------------- the figures


def _at_all(sums: Sums, asked: Sequence[str]) -> float:
    below = math.fsum(sums.bottoms[q] for q in asked)
    return math.fsum(sums.tops[q] for q in asked) / below if below else math.nan


def _sums(raw: Raw, term: str) -> Sums | None:
    match = _TERM.match(term)
    assert match is not None
    function, inside = match.groups()
    side, cohort = _apart(inside)
    meant = _of_cohort(raw, named(raw, side), cohort)
    if not meant:  # a cohort without a captain plays nothing that has one
        return None
    whole = option(raw, meant, side)
    if not whole.values and function != "skyline":  # which is of the players alone, whoever leads them
        return None
    known = {question: value.known for question, value in whole.values.items() if value.known is not None}
    if not known and function in ("accuracy", "gap_closure"):
        return None
    if function == "accuracy":
        waiting = never_came(value.grades for value in whole.values.values()) or flattering(whole.values.values())
        return Sums(known, dict.fromkeys(known, 1.0), dict(whole.values), cells=meant, once=whole.once, waiting=waiting)
    if function == "cost":
        return None if not whole.cost_usd else Sums(dict(whole.cost_usd), dict.fromkeys(whole.cost_usd, 1.0))
    if function == "skyline":
        alone = _alone(raw, meant, _members(raw, cohort, meant))
        best = tops(alone)
        plays = parts(alone, lambda play: (play.question, play.repeat)).values()
        waiting = any(v.open for v in best.values()) and unfair([[play.right for play in several] for several in plays])
        tops_known = {question: value.known for question, value in best.items() if value.known is not None}
        return Sums(tops_known, dict.fromkeys(tops_known, 1.0), best, once=raw.repeats == 1, waiting=waiting)
    if function == "gap_closure":
        return _gap(raw, meant, whole.values) if cohort is None else _cohorts_gap(raw, meant, cohort)
    counts, turns, most, pairs = _changes(raw, meant)
    if not counts and not turns:
        return None
    if function == "net":
        net = {question: float(gained - lost) for question, (gained, lost) in counts.items()}
        waiting = unfair_pairs(pairs) or any(pair.uncounted for pair in pairs)
        return Sums(net, dict.fromkeys(net, 1 / max(1, len(net))), turns=turns, most=most, waiting=waiting)
    gained = {question: float(count[0]) for question, count in counts.items()}
    lost = {question: float(count[1]) for question, count in counts.items()}
    withheld, waits = unfair_pairs(pairs) or multiple_withheld(pairs), any(pair.waits for pair in pairs)
    return Sums(gained, lost, turns=turns, waiting=withheld, waits=waits)


def _members(raw: Raw, cohort: str | None, meant: Sequence[Cell]) -> set[str] | None:
    """Of the team that is meant; whoever plays alone is of none."""
    if cohort is None:
        return None
    own = {cell.team for cell in meant if cell.player is None} or raw.config["teams"].keys()
    return {name for team in own for name in raw.config["teams"][team].get("cohorts", {}).get(cohort, ())}


def _of_cohort(raw: Raw, meant: Sequence[Cell], cohort: str | None) -> list[Cell]:
    if cohort is None:
        return list(meant)
    own = [cell for cell in meant if cell.cohort == cohort]
    members = _members(raw, cohort, meant) or set()
    return own or [cell for cell in meant if (cell.player or cell.captain) in members]


def _alone(raw: Raw, meant: Sequence[Cell], members: set[str] | None = None) -> list[Play]:
    """What the players of these cells did alone, each once: as the last table that has them has it."""
    plays: dict[str | None, list[Play]] = {}
    for cell in meant:
        if cell.player is None:
            plays |= parts(table_of(raw, cell).alone, lambda play: play.player)
        else:
            plays[cell.player] = [
                Play(episode.question, episode.repeat, cell.strategy, episode.right, player=cell.player)
                for episode in raw.episodes(cell)
            ]
    return [play for player, own in plays.items() if members is None or player in members for play in own]


def _gap(raw: Raw, meant: Sequence[Cell], reached: Mapping[str, Value]) -> Sums | None:
    """From the best single player to the skyline."""
    alone = _alone(raw, meant)
    best, one = tops(alone), single(alone)
    if one.player is None or one.ranked is not None or one.rivals:
        return None
    triples = {q: (reached[q], start, best[q]) for q, start in one.values.items() if q in best and q in reached}
    sides = [{"": graded_only(reached)}, one.everyone, {"": graded_only(best)}]
    return _closure(triples, sides, ["", one.player, ""])


def _closure(triples: Mapping[str, tuple[Value, Value, Value]], sides: Sequence[Any], best: Sequence[str]) -> Sums:
    rises, ways = {}, {}
    for question, (reached, start, top) in triples.items():
        if reached.known is not None and start.known is not None and top.known is not None:
            rises[question], ways[question] = reached.known - start.known, top.known - start.known
    unsettled = {question for question, triple in triples.items() if any(value.open for value in triple)}
    bounds = None
    if unsettled:
        every = list(triples.values())
        most = [math.fsum(t.least - s.most for _, s, t in every), math.fsum(t.most - s.least for _, s, t in every)]
        up = [math.fsum(r.least - s.most for r, s, _ in every), math.fsum(r.most - s.least for r, s, _ in every)]
        if most[0] > 1e-12:
            ratios = [rise / way for rise in up for way in most]
            bounds = {"low": min(ratios), "high": max(ratios)}
    waiting = unfair_together([*triples.values()])
    waits = any(value.waits for triple in triples.values() for value in triple)
    return Sums(rises, ways, bounds=bounds, unsettled=unsettled, waiting=waiting, waits=waits, best_of=(sides, best))


def _cohorts_gap(raw: Raw, meant: Sequence[Cell], cohort: str) -> Sums | None:
    """From the best of the cohort alone to the best of all others, by what each said alone for the same stage."""
    captains, teams = {cell.captain for cell in meant}, {cell.team for cell in meant}
    every = [
        pair
        for stage in stages(raw)
        if stage.label == meant[0].label and teams == {stage.team}
        for pair in stage.pairs
        if pair.cohort is not None
    ]
    own = [pair for pair in every if pair.cohort == cohort and pair.player in captains]
    beside = [pair for pair in every if pair.cohort != cohort]
    sides = [_players(own, "after"), _players(own, "native"), _players(beside, "native")]
    together = [Ranked(side) for side in sides]
    asked = [q for q in raw.questions if all(q in ranked.questions for ranked in together)]
    if len(in_units(asked)) < 2 or any(ranked.out for ranked in together):
        return None
    best = [_best(side, asked) for side in sides]
    picked = {q: [side[name][q] for side, name in zip(sides, best, strict=True)] for q in asked}
    triples = {
        q: tuple(Value(v.known, v.least, v.most, tuple(v.grades)) for v in values) for q, values in picked.items()
    }
    known = [{name: _graded_only(own) for name, own in side.items()} for side in sides]
    closure = _closure(triples, known, best)  # type: ignore[arg-type]
    if surely_no_gap(sides, asked):
        return None
    closure.unsettled, closure.bounds = whoever_is_best(sides, asked)
    closure.waits = somebody_waits(sides, asked)
    no_gap_yet = math.fsum(closure.bottoms.values()) <= 1e-12
    closure.waiting = closure.waiting or no_gap_yet or bool(closure.unsettled and closure.bounds is None)
    return closure


Counts = dict[str, tuple[int, int]]


def _changes(raw: Raw, meant: Sequence[Cell]) -> tuple[Counts, Counts, float, list[Pair]]:
    """Rescues and regressions of each question over captains; what ungraded pairs could be; how many pairs a question has at
    the most; and all pairs."""
    ours = {(cell.team, cell.label, cell.captain, cell.cohort, drafting(cell)) for cell in meant}
    counts: Counts = {}
    turns: Counts = {}
    seats = {}
    for stage in stages(raw):
        for pair in stage.pairs:
            seat = (stage.team, stage.label, pair.player, pair.cohort)
            if any(seat == (team, label, captain, cohort) for team, label, captain, cohort, _ in ours):
                seats[(*seat, pair.question, pair.repeat)] = pair
    who = {seat[:4] for seat in seats}
    if any(not raw.episodes(cell) for cell in meant):
        return {}, {}, 1.0, []  # whoever has not begun has no play that the others have
    every = [pair for seat, pair in seats.items() if all((*other, *seat[4:]) in seats for other in who)]
    for pair in every:
        if pair.graded:
            gained, lost = counts.get(pair.question, (0, 0))
            counts[pair.question] = (gained + pair.rescue, lost + pair.regression)
        else:
            gained, lost = turns.get(pair.question, (0, 0))
            turns[pair.question] = (gained + pair.may_be_rescue, lost + pair.may_be_regression)
    most = max(Counter(pair.question for pair in every).values(), default=1)
    return counts, turns, float(most), every


def _in_pairs(raw: Raw, sums: dict[str, Sums], one: str, other: str) -> dict[str, Sums]:
    """Captain by captain where both sides have the same ones; a single cell against all of the other side."""
    if one == other:
        return sums
    first, second = sums[one].cells, sums[other].cells
    every = [(a, b) for a in first for b in second]
    alike = [(a, b) for a, b in every if _same_seat(a, b)]
    chosen = every if len(first) == 1 or len(second) == 1 or not alike else alike
    pairs: dict[str, list[tuple[Value, Value]]] = {}
    for a, b in chosen:
        mine, theirs = option(raw, [a], "").values, option(raw, [b], "").values
        for question, value in mine.items():
            if question in theirs:
                pairs.setdefault(question, []).append((value, theirs[question]))
    waiting = unfair_together([pair for several in pairs.values() for pair in several])
    ours, beside = (Sums({}, {}, once=sums[place].once, waiting=waiting) for place in (one, other))
    for question, several in pairs.items():
        both = [(a.known, b.known) for a, b in several if a.known is not None and b.known is not None]
        if both:
            ours.tops[question], beside.tops[question] = mean([a for a, _ in both]), mean([b for _, b in both])
        ours.values[question] = mean_value([a for a, _ in several])
        beside.values[question] = mean_value([b for _, b in several])
    return {**sums, one: ours, other: beside}


def _same_seat(a: Cell, b: Cell) -> bool:
    if (a.player or a.captain) != (b.player or b.captain):
        return False
    return bool(a.player or b.player) or (a.team, a.cohort) == (b.team, b.cohort)
