"""Points of long answers, counted again: by criterion, between judges, by length, and of a judge that plays."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from second_way.bounded import BoundedMean
from second_way.compare import ANY_TEXT, Near
from second_way.intervals import mean, share_interval
from second_way.raw import Cell, Raw
from second_way.resampling import drawn_sums, ends
from second_way.shares import Grade, Judged, NeverCame, Ungraded, accuracy_row

Row = dict[str, Any]
Given = Mapping[tuple[str, str], Mapping[str, Sequence[float]]]
"""By question and text: what each judge gave by criterion, as shares of what the criterion gives."""


def rubric(raw: Raw) -> Row:
    judged = {question: row["rubric"] for question, row in raw.questions.items() if row.get("rubric")}
    if not judged:
        return {}
    judges = list((raw.config.get("judge") or {}).get("models", ()))
    given = _given(raw, judged)
    whole = {
        place: {judge: _whole(judged[place[0]], shares) for judge, shares in by_judge.items()}
        for place, by_judge in given.items()
    }
    figures: Row = {
        "questions": len(judged),
        "judges": judges,
        "criteria": [row for cell in raw.cells for row in _criteria(raw, cell, judged, given, len(judges))],
        "agreement": [_agreement(whole, *pair) for pair in combinations(judges, 2)],
        "length": _length(whole, len(judges)),
    }
    own = [_own(raw, whole, judge, judges) for judge in judges if _plays_as(raw, judge)]
    return {"in_points": len(judged), "rubric": {**figures, **({"self_preference": own} if own else {})}}


def _folded(text: str) -> str:
    return " ".join(text.split())


def _given(raw: Raw, judged: Mapping[str, Any]) -> Given:
    said = [(row["question_id"], row["answer"]) for row in raw.tables["verdicts"]]
    said += [(row["question_id"], row["text"]) for row in raw.tables["drafts"]]
    answered = {(question, _folded(text)) for question, text in said if text is not None}
    given: dict[tuple[str, str], dict[str, list[float]]] = {}
    for row in raw.tables["judgements"]:
        place = row["question_id"], row["answer"]
        if row["points"] is not None and place in answered:
            most = [points for _, points, _ in judged[place[0]]]
            points = [number for number, _ in json.loads(row["points"])]
            shares = [number / top for number, top in zip(points, most, strict=True)]
            given.setdefault(place, {})[row["judge_name"]] = shares
    return given


def _whole(criteria: Sequence[Sequence[Any]], shares: Sequence[float]) -> float:
    most = [points for _, points, _ in criteria]
    return sum(share * top for share, top in zip(shares, most, strict=True)) / sum(most)


def _criteria(raw: Raw, cell: Cell, judged: Mapping[str, Any], given: Given, judges: int) -> Iterator[Row]:
    grades: dict[str, dict[str, list[Grade]]] = {}
    tops: dict[str, set[float]] = {}
    for episode in raw.episodes(cell):
        for place, (name, points, _) in enumerate(judged.get(episode.question, ())):
            tops.setdefault(name, set()).add(points)
            plays = grades.setdefault(name, {}).setdefault(episode.question, [])
            by_judge = {} if episode.answer is None else given.get((episode.question, _folded(episode.answer)), {})
            if episode.answer is None:
                plays.append(NeverCame(0.0) if episode.never_came else 0.0)
            elif episode.stage == "person":
                plays.append(Ungraded.NOBODY)
            else:
                all_gave = len(by_judge) == judges
                plays.append(Judged(mean([shares[place] for shares in by_judge.values()])) if all_gave else None)
    named: Row = {"strategy": cell.strategy, "label": cell.label}
    named |= {"player": cell.player} if cell.player else {"team": cell.team, "captain": cell.captain}
    named |= {"cohort": cell.cohort} if cell.cohort and not cell.player else {}
    for name, by_question in grades.items():
        points = tops[name].pop() if len(tops[name]) == 1 else None
        yield {**named, "criterion": name, "points": points, **accuracy_row(by_question)}


def _by_question(pairs: Mapping[tuple[str, str], tuple[float, float]]) -> dict[str, list[tuple[float, float]]]:
    questions: dict[str, list[tuple[float, float]]] = {}
    for (question, _), pair in pairs.items():
        questions.setdefault(question, []).append(pair)
    return questions


def _agreement(whole: Mapping[tuple[str, str], Mapping[str, float]], one: str, other: str) -> Row:
    both = {place: (said[one], said[other]) for place, said in whole.items() if one in said and other in said}
    questions = _by_question(both)
    apart = [(sum(abs(a - b) for a, b in several), float(len(several))) for several in questions.values()]
    low, high = share_interval(apart)
    gaps = BoundedMean([mean([a - b for a, b in several]) for several in questions.values()])
    gap_low, gap_high = gaps.limits(0.05)
    value, *limits = _correlation(list(questions.values()))
    return {
        "judges": [one, other],
        "answers": len(both),
        "questions": len(questions),
        "apart": sum(top for top, _ in apart) / sum(n for _, n in apart),
        "apart_low": low,
        "apart_high": high,
        "difference": gaps.value,
        "difference_low": gap_low,
        "difference_high": gap_high,
        "correlation": value,
        "correlation_low": limits[0],
        "correlation_high": limits[1],
    }


def _length(whole: Mapping[tuple[str, str], Mapping[str, float]], judges: int) -> Row:
    """Each text against the mean of the others to its question."""
    pairs = {
        place: (mean(list(said.values())), float(len(place[1].split())))
        for place, said in whole.items()
        if len(said) == judges
    }
    centred = []
    for several in _by_question(pairs).values():
        if len(several) > 1:
            middle = [mean([pair[side] for pair in several]) for side in (0, 1)]
            centred.append([(one - middle[0], other - middle[1]) for one, other in several])
    value, low, high = _correlation(centred)
    row = {"correlation": value, "low": low, "high": high, "n": sum(map(len, centred)), "questions": len(centred)}
    return row if value is not None else {**row, "n": 0, "why": ANY_TEXT}


def _correlation(questions: Sequence[Sequence[tuple[float, float]]]) -> tuple[float | None, Any, Any]:
    """By the formula of the books on all pairs; the ends from questions drawn anew."""
    every = np.array([pair for several in questions for pair in several])
    if len(every) < 2 or float(every.std(axis=0).min()) < 1e-6:
        return None, None, None
    value = float(np.corrcoef(every.T)[0, 1])
    if len(questions) < 5:
        return value, None, None
    rows = [[len(several), *np.sum([(a, b, a * a, b * b, a * b) for a, b in several], axis=0)] for several in questions]
    n, a, b, aa, bb, ab = drawn_sums(rows, seed=5).T
    drawn = (n * ab - a * b) / np.sqrt((n * aa - a * a) * (n * bb - b * b))
    return value, *ends(drawn[~np.isnan(drawn)], len(questions))


def _plays_as(raw: Raw, judge: str) -> list[str]:
    return sorted(name for name, spec in raw.config["players"].items() if spec["model"] == judge)


def _own(raw: Raw, whole: Mapping[tuple[str, str], Mapping[str, float]], judge: str, judges: Sequence[str]) -> Row:
    own = _plays_as(raw, judge)
    row: Row = {"judge": judge, "players": own}

    def beyond(wanted: Callable[[Cell], bool]) -> dict[str, float]:
        gaps: dict[str, dict[tuple[str, str], float]] = {}
        for cell in raw.cells:
            for episode in raw.episodes(cell) if cell.player is not None and wanted(cell) else ():
                said = {} if episode.answer is None else whole.get((episode.question, _folded(episode.answer)), {})
                if len(said) == len(judges):
                    rest = mean([share for other, share in said.items() if other != judge])
                    place = cell.id, _folded(episode.answer or "")
                    gaps.setdefault(episode.question, {})[place] = said[judge] - rest
        return {question: mean(list(several.values())) for question, several in gaps.items()}

    if len(judges) < 2:
        return {**row, "value": None, "low": None, "high": None, "n": 0, "why": ANY_TEXT}
    mine, others = beyond(lambda cell: cell.player in own), beyond(lambda cell: cell.player not in own)
    values = [mine[question] - others[question] for question in mine if question in others]
    low, high = _resampled(values)
    return {**row, "value": mean(values), "low": low, "high": high, "n": len(values)}


def _resampled(values: Sequence[float]) -> tuple[Near | None, Near | None]:
    if len(values) < 2 or max(values) - min(values) < 1e-12:
        return None, None
    return ends(drawn_sums([[value] for value in values], seed=7)[:, 0] / len(values), len(values))
