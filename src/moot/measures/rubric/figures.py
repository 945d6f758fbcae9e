"""Points by criterion, how far judges agree, whether length pays, and whether a judge that plays favours itself.

What a team gets is its mean share of all points, which the accuracy rows hold. Here is what it is made of. A text counts once
for agreement and length, whoever answered with it; questions are the unit of every interval.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from moot.measures.cells import Stored
from moot.measures.episodes import name_if_none_came
from moot.measures.rubric.judged_texts import JudgedText, JudgedTexts
from moot.measures.source import Source
from moot.stats.correlation import centred, correlation
from moot.stats.estimates import estimate_row, named_estimate
from moot.stats.graded import Value, accuracy_row, ended_value, graded_value, mean_value
from moot.stats.paired import mean_difference, mean_of
from moot.stats.proportion import share_over_questions

Row = dict[str, Any]

NO_OTHER_JUDGE = "there is no other judge to hold it against"
NOT_VARIED = "points or lengths of the answers to one question do not differ"
BOTH_NEEDED = "nobody else gave points both for its own answers and for those of others"


def rubric_figures(source: Source) -> Row:
    texts = JudgedTexts(source)
    figures: Row = {
        "questions": source.in_points,
        "judges": texts.judges,
        "criteria": [row for cell in source.cells for row in _criteria(source, cell, texts)],
        "agreement": [_agreement(source, texts, *pair) for pair in combinations(texts.judges, 2)],
        "length": _length(source, texts),
    }
    if own := list(_own(source, texts)):
        figures["self_preference"] = own
    return figures


def _criteria(source: Source, cell: Stored, texts: JudgedTexts) -> Iterator[Row]:
    """Of each criterion the mean share of its points, by question; who gave no answer got none."""
    values: dict[str, dict[str, list[Value]]] = {}
    most: dict[str, set[float]] = {}
    never_came = name_if_none_came(source.seen(cell))
    for row in source.results(cell):
        question, case = row["question"], source.cases[row["question"]]
        found = None if row["answer"] is None else texts.of(question, case, row["answer"])
        for place, criterion in enumerate(case.rubric):
            most.setdefault(criterion.name, set()).add(criterion.points)
            value = ended_value(_value(source, row, found, place), row["outcome"], never_came)
            values.setdefault(criterion.name, {}).setdefault(question, []).append(value)
    for name, by_question in values.items():
        points = min(most[name]) if len(most[name]) == 1 else None
        figure = accuracy_row({question: mean_value(several) for question, several in by_question.items()})
        yield {**_named(cell), "criterion": name, "points": points, **figure}


def _value(source: Source, row: Any, found: JudgedText | None, place: int) -> Value:
    """Known where every judge gave points. A person's word is on the whole, and on no criterion."""
    if row["answer"] is None:
        return graded_value(0.0)
    if row["stage"] == "person":
        return graded_value(None, "nobody")
    if found is None or len(found.words) < len(source.grades.judges):
        return graded_value(None, "waiting")
    most = found.case.rubric[place].points
    given = [(word.points or ())[place] / most for word in found.words.values()]
    return graded_value(math.fsum(given) / len(given), "judge")


def _named(cell: Stored) -> Row:
    named: Row = {"strategy": cell["strategy"], "label": cell["label"]}
    if cell["player"]:
        return {**named, "player": cell["player"]}
    cohort = {"cohort": cell["cohort"]} if cell["cohort"] else {}
    return {**named, "team": cell["team"], "captain": cell["captain"], **cohort}


def _agreement(source: Source, texts: JudgedTexts, one: str, other: str) -> Row:
    """Of two judges: how far apart their shares are, who gives more, and whether they rank texts alike."""
    pairs: dict[str, list[tuple[float, float]]] = {}
    for text in texts:
        shares = text.shares
        if one in shares and other in shares:
            pairs.setdefault(text.question, []).append((shares[one], shares[other]))
    answers = sum(map(len, pairs.values()))
    apart = share_over_questions((question, abs(a - b)) for question, several in pairs.items() for a, b in several)
    gaps = {question: math.fsum(a - b for a, b in several) / len(several) for question, several in pairs.items()}
    together = correlation(pairs, seed=source.seed) if pairs else None
    return {
        "judges": [one, other],
        "answers": answers,
        "questions": len(pairs),
        **named_estimate(apart, "apart"),
        **named_estimate(mean_difference(gaps) if gaps else None, "difference"),
        **named_estimate(together, "correlation"),
        **({} if together is not None else {"why": "nothing was judged by both, or the points of one do not differ"}),
    }


def _length(source: Source, texts: JudgedTexts) -> Row:
    """Whether, of several answers to one question, the longer ones get more: what a question does to all is taken off."""
    pairs: dict[str, list[tuple[float, float]]] = {}
    for text in texts:
        if len(text.shares) == len(texts.judges):
            share = math.fsum(text.shares.values()) / len(text.shares)
            pairs.setdefault(text.question, []).append((share, float(text.length)))
    apart = centred(pairs)
    found = correlation(apart, seed=source.seed) if apart else None
    row = estimate_row(found, "correlation")
    return (
        {**row, "questions": len(apart)} if found is not None else {**row, "questions": len(apart), "why": NOT_VARIED}
    )


def _own(source: Source, texts: JudgedTexts) -> Iterator[Row]:
    """Of a judge that plays: what it gives its own answers beyond what the other judges give them, less the same of the answers
    of other players, on the same questions. All of them are answers given alone."""
    players: dict[str, Any] = source.config.get("players", {})
    for judge in texts.judges:
        own = {name for name, spec in players.items() if spec.get("model") == judge}
        mine = [cell for cell in source.cells if cell["player"] in own]
        others = [cell for cell in source.cells if cell["player"] and cell["player"] not in own]
        if not own:
            continue
        row: Row = {"judge": judge, "players": sorted(own)}
        if len(texts.judges) < 2:
            yield {**row, **estimate_row(None), "why": NO_OTHER_JUDGE}
            continue
        gaps = [_beyond_others(source, texts, judge, cells) for cells in (mine, others)]
        values = {question: gaps[0][question] - gaps[1][question] for question in gaps[0] if question in gaps[1]}
        found = mean_of(values, seed=source.seed)
        yield {**row, **estimate_row(found), **({} if found is not None else {"why": BOTH_NEEDED})}


def _beyond_others(source: Source, texts: JudgedTexts, judge: str, cells: Sequence[Stored]) -> dict[str, float]:
    """By question: what a judge gives these players' answers beyond the mean of the other judges."""
    gaps: dict[str, list[float]] = {}
    for cell in cells:
        for text in texts.alone(source, cell):
            shares = text.shares
            if judge in shares and len(shares) == len(texts.judges):
                rest = [share for other, share in shares.items() if other != judge]
                gaps.setdefault(text.question, []).append(shares[judge] - math.fsum(rest) / len(rest))
    return {question: math.fsum(several) / len(several) for question, several in gaps.items()}
