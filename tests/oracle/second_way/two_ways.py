"""The same players on the same questions asked in two ways; and how debates ended."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from second_way.compare import ANY_TEXT
from second_way.intervals import Difference, Waiting, mean
from second_way.paired_scores import mean_difference, rate, share
from second_way.pairs import drafting
from second_way.quiz_pairs import TESTED, extremes, paid
from second_way.raw import Cell, Episode, Raw
from second_way.shares import Grade, Value, graded, mean_value, never_came, rights, unfair, value_of

Row = dict[str, Any]
Play = tuple[str, str]
"""A question, and who answered."""
Grades = Mapping[Play, Sequence[Grade]]
Words = Sequence[Mapping[Play, Sequence[str | None]]]
"""Of both sides: what was said in each of these plays."""


def two_ways(raw: Raw) -> Row:
    figures: Row = {
        "formatting_tax": _tax(raw),
        "authority_bias": paid(list(_authority(raw))),
        "consensus": list(_consensus(raw)),
    }
    return {key: value for key, value in figures.items() if value}


def _tax(raw: Raw) -> Row | None:
    """Right with two calls less right with one."""
    pairs = both_ways(raw)
    every = [_grades(raw, [pair[place] for pair in pairs], lambda c: (c.player, _elsewise(c))) for place in (1, 0)]
    asked, missing = _whole([play for play in every[0] if play in every[1]])
    if missing and not asked:
        nothing = dict.fromkeys(("double", "single", "difference", "low", "high", "p"))
        (row,) = paid([{**nothing, "n": 0, "small": True, "n_pairs": 0, "ungraded": 0, "why": ANY_TEXT}])
        return {**row, "left_out": missing}
    sides = [{play: own for play, own in side.items() if play in asked} for side in every]
    both = sides[0].keys() & sides[1].keys()
    grades = [[*sides[0][play], *sides[1][play]] for play in both]
    flattering = never_came(grades) or unfair(grades)
    words = [_said(raw, [pair[place] for pair in pairs], lambda c: (c.player, _elsewise(c))) for place in (1, 0)]
    repeated = raw.repeats > 1
    row = _paired("double", sides[0], "single", sides[1], sides, words, flattering=flattering, repeated=repeated)
    if row is None:
        return None
    ungraded = sum(not graded(grade) for side in sides for grades in side.values() for grade in grades)
    labels = list(dict.fromkeys(one.label for one, _ in pairs))
    row |= {"labels": labels} if len(labels) > 1 else {}
    (finished,) = paid([_turned({**row, "ungraded": ungraded, **_bounds(sides[0], sides[1], words)})])
    return {**finished, **({"left_out": missing} if missing else {})}


def _whole(plays: Sequence[tuple[Any, ...]]) -> tuple[set[Any], int]:
    """Those that everybody has, who stands last in each; and how many questions are left without one."""
    who, there = {play[-1] for play in plays}, set(plays)
    whole = {play for play in plays if all((*play[:-1], name) in there for name in who)}
    return whole, len({play[0] for play in plays} - {play[0] for play in whole})


def both_ways(raw: Raw) -> list[tuple[Cell, Cell]]:
    """Of each player alone, in one call and in two: cells that are the same but for that."""
    alone = [cell for cell in raw.cells if cell.traits.get("alone")]
    return [
        (one, two)
        for one in alone
        for two in alone
        if drafting(one) == "single-call"
        and drafting(two) == "double-call"
        and one.player == two.player
        and _elsewise(one) == _elsewise(two)
    ]


def _elsewise(cell: Cell) -> str:
    """What it is but for the number of calls."""
    return json.dumps([cell.strategy, {key: value for key, value in cell.options.items() if key != "drafts"}])


def _turned(row: Row) -> Row:
    """Where the ungraded answers could turn the interval round, that is said."""
    if row["low"] is None or row["low"] <= 0 <= row["high"] or "bounds" not in row:
        return row
    turned = row["bounds"]["low"] <= 0 if row["low"] > 0 else row["bounds"]["high"] >= 0
    return {**row, "why": ANY_TEXT} if turned else row


def _grades(raw: Raw, cells: Iterable[Cell], who: Any) -> dict[Play, list[Grade]]:
    grades: dict[Play, list[Grade]] = {}
    for cell in cells:
        for episode in raw.episodes(cell):
            grades.setdefault((episode.question, str(who(cell))), []).append(episode.right)
    return grades


def _said(raw: Raw, cells: Iterable[Cell], who: Any) -> dict[Play, list[str | None]]:
    said: dict[Play, list[str | None]] = {}
    for cell in cells:
        for episode in raw.episodes(cell):
            said.setdefault((episode.question, str(who(cell))), []).append(episode.answer)
    return said


def _known(grades: Grades) -> dict[Play, float]:
    known = {play: rights(several) for play, several in grades.items()}
    return {play: mean(several) for play, several in known.items() if several}


def _paired(
    name: str,
    ours: Grades,
    other: str,
    theirs: Grades,
    whole: Sequence[Grades],
    words: Words,
    *,
    flattering: bool,
    repeated: bool,
) -> Row | None:
    """Over the questions and players that both have; a question counts once, by its mean over players. `whole`: both sides
    with what is not graded, play beside play."""
    if not ours.keys() & theirs.keys():
        return None
    one, two = _known(ours), _known(theirs)
    both = [] if flattering else sorted(one.keys() & two.keys())
    if not both:
        nothing = dict.fromkeys((name, other, "difference", "low", "high", "p"))
        return {**nothing, "n": 0, "small": True, "n_pairs": 0, "why": ANY_TEXT}
    by_question: dict[str, list[Play]] = {}
    for play in both:
        by_question.setdefault(play[0], []).append(play)
    sides = [
        {question: mean([values[play] for play in plays]) for question, plays in by_question.items()}
        for values in (one, two)
    ]
    gains = {question: sides[0][question] - sides[1][question] for question in by_question}
    once = len({player for _, player in ours.keys() & theirs.keys()}) == 1 and not repeated
    value, low, high, p = mean_difference(gains, once=once)
    of_values = Difference.of_pairs if once else Difference
    tested: Difference | Waiting = of_values([*gains.values()])
    if any(grade is None for side in whole for play in whole[0].keys() & whole[1].keys() for grade in side[play]):
        tested = Waiting(tested, *(of_values(_at_end(whole, words, place=place)) for place in (0, 1)))
        (low, high), p = tested.limits(), tested.p
    differ = sum(abs(gain) > 1e-12 for gain in gains.values())
    return {
        name: mean([*sides[0].values()]),
        other: mean([*sides[1].values()]),
        "difference": value,
        "low": low,
        "high": high,
        "p": p,
        "n": len(gains),
        "small": len(gains) < 30 or differ < 10,
        "n_pairs": len(both),
        TESTED: tested,
    }


def _at_end(whole: Sequence[Grades], words: Words, *, place: int) -> list[float]:
    """The least (0) or the most (1) that the difference of each question can be, however the words of both sides are graded;
    without what will never be."""
    by_question: dict[str, list[tuple[Value, Value]]] = {}
    for play in sorted(whole[0].keys() & whole[1].keys()):
        kept = [
            [value_of([grade], [said]) for grade, said in both]
            for both in zip(
                *(zip(whole[side][play], words[side][play], strict=True) for side in (0, 1)),
                strict=True,
            )
            if all(grade is None or graded(grade) for grade, _ in both)
        ]
        if kept:
            first, second = (mean_value([both[side] for both in kept]) for side in (0, 1))
            by_question.setdefault(play[0], []).append((first, second))
    return [extremes(several)[place] for several in by_question.values()]


def _bounds(ours: Grades, theirs: Grades, words: Words) -> Row:
    """Over all questions that both have, however the words of both sides are graded."""
    both = ours.keys() & theirs.keys()
    if all(graded(grade) for side in (ours, theirs) for play in both for grade in side[play]):
        return {}
    by_question: dict[str, list[tuple[Value, Value]]] = {}
    for play in sorted(both):
        first, second = value_of(ours[play], words[0][play]), value_of(theirs[play], words[1][play])
        by_question.setdefault(play[0], []).append((first, second))
    ends = [extremes(several) for several in by_question.values()]
    return {
        "bounds": {end: mean([both_ends[place] for both_ends in ends]) for place, end in enumerate(("low", "high"))}
    }


def _authority(raw: Raw) -> Iterable[Row]:
    """Reviews that differ in nothing but that names are shown: each cohort, and all together where there are several."""
    stages: dict[tuple[str | None, str], list[Cell]] = {}
    for cell in raw.cells:
        if cell.captain is not None and "names" in cell.traits:
            stages.setdefault((cell.team, cell.label), []).append(cell)
    for (team, label), shown in stages.items():
        hidden = next((cells for (other, _), cells in stages.items() if other == team and _masked(cells, shown)), None)
        if hidden is None:
            continue
        cohorts = list(dict.fromkeys(cell.cohort for cell in shown))
        for cohort in (*cohorts, None) if len(cohorts) > 1 else cohorts:
            sides = [[cell for cell in side if cohort is None or cell.cohort == cohort] for side in (shown, hidden)]
            if row := _bias(raw, *sides):
                yield {"stage": label, "team": team, "cohort": cohort, **row}


def _masked(hidden: Sequence[Cell], shown: Sequence[Cell]) -> bool:
    one, other = dict(hidden[0].options), dict(shown[0].options)
    names = one.pop("names", None), other.pop("names", None)
    return names == ("hidden", "shown") and one == other and hidden[0].strategy == shown[0].strategy


def _bias(raw: Raw, shown: Sequence[Cell], hidden: Sequence[Cell]) -> Row | None:
    plays = [_plays(raw, cells) for cells in (shown, hidden)]
    shared = [play for play in plays[0] if play in plays[1]]
    whole_plays, missing = _whole(shared)
    both = [play for play in shared if play in whole_plays]
    beside = {"left_out": missing} if missing else {}
    if shared and not both:
        nothing = ("shown", "hidden", "difference", "low", "high", "p", "changed", "changed_low", "changed_high")
        empty = {"n": 0, "small": True, "n_pairs": 0, "ungraded": 0, "why": ANY_TEXT}
        return {**dict.fromkeys(nothing), **empty, **beside}
    known = [play for play in both if all(graded(side[play].right) for side in plays)]
    sides: list[dict[Play, list[Grade]]] = [{}, {}]
    whole: list[dict[Play, list[Grade]]] = [{}, {}]
    words: list[dict[Play, list[str | None]]] = [{}, {}]
    for number, side in enumerate(plays):
        for play in both:
            whole[number].setdefault((play[0], play[2]), []).append(side[play].right)
            words[number].setdefault((play[0], play[2]), []).append(side[play].answer)
            if play in known:
                sides[number].setdefault((play[0], play[2]), []).append(side[play].right)
    if not both:
        return None
    grades = [[side[play].right for side in plays] for play in both]
    flattering = never_came(grades) or unfair(grades)
    ours, theirs = sides[0] or whole[0], sides[1] or whole[1]
    repeated = raw.repeats > 1
    row = _paired("shown", ours, "hidden", theirs, whole, words, flattering=flattering, repeated=repeated)
    assert row is not None, "both have played"
    moved: dict[str, tuple[float, float]] = {}
    for play in both:
        answers = [side[play].answer for side in plays]
        if None not in answers:
            top, bottom = moved.get(play[0], (0.0, 0.0))
            moved[play[0]] = (top + (_plain(answers[0]) != _plain(answers[1])), bottom + 1)
    changed = dict(zip(("changed", "changed_low", "changed_high"), share(moved), strict=True))
    row |= {**changed, "ungraded": len(both) - len(known), **beside}
    return _turned({**row, **_bounds(whole[0], whole[1], words)})


def _plays(raw: Raw, cells: Iterable[Cell]) -> dict[tuple[str, int, str], Episode]:
    return {
        (episode.question, episode.repeat, str(cell.captain)): episode
        for cell in cells
        for episode in raw.episodes(cell)
    }


def _plain(words: str | None) -> str:
    """Words as such: neither case nor punctuation, but for the point and the stroke of a number."""
    folded = unicodedata.normalize("NFKC", words or "").casefold()
    folded = re.sub(r"(?<=\d)[./](?=\d)", lambda sign: " point " if sign.group() == "." else " over ", folded)
    return " ".join("".join(letter if letter.isalnum() else " " for letter in folded).split())


def _consensus(raw: Raw) -> Iterable[Row]:
    """Of the debates: in how many all agreed. A debate has one course, whoever of the debaters is the row's captain."""
    told: set[tuple[str, str | None, str | None]] = set()
    for cell in raw.cells:
        place = cell.label, cell.team, cell.cohort
        endings: dict[str, list[Mapping[str, Any]]] = {}
        for episode in raw.episodes(cell):
            for record in episode.traces:
                if record["kind"] == "ending":
                    choices = raw.questions[episode.question]["question"].get("choices")
                    endings.setdefault(episode.question, []).append(_course(episode) if choices else record)
        if not endings or place in told:
            continue
        told.add(place)
        if any(record.get("unknown") for several in endings.values() for record in several):
            raise NotImplementedError("no world of the second way has answers that lost a part")
        debated = {q: [record for record in several if record["how"] != "unanimous"] for q, several in endings.items()}
        every = [record for several in debated.values() for record in several]
        if not every:
            continue
        ways = Counter(record["how"] for record in every)
        value, low, high = rate(
            {q: (sum(record["agreed"] for record in several), len(several)) for q, several in debated.items()},
            max(map(len, endings.values())),
        )
        yield {
            "stage": cell.label,
            "team": cell.team,
            "cohort": cell.cohort,
            "value": value,
            "low": low,
            "high": high,
            "n": sum(bool(several) for several in debated.values()),
            "in_rounds": ways["consensus"] / len(every),
            "agreed_in_resolution": sum(record["agreed"] and record["how"] != "consensus" for record in every),
            "unanimous_before": sum(map(len, endings.values())) - len(every),
            "endings": dict(ways),
        }


def _course(episode: Episode) -> Mapping[str, Any]:
    """How a debate ended, from where everybody stood after each round; letters are the same or not."""
    native = {player: text for player, text, *_ in episode.verdict["answers"]}
    if _agree(native):
        return {"how": "unanimous", "agreed": True}
    rounds = [record for record in episode.traces if record["kind"] == "round"]
    stood = [native, *(record["positions"] for record in rounds)]
    everybody_heard = bool(rounds) and not rounds[-1].get("absent") and not rounds[-1].get("late")
    if everybody_heard and _agree(stood[-1]):
        return {"how": "consensus", "agreed": True}
    still = len(stood) > 2 and stood[-1] == stood[-2] == stood[-3]
    last = [record["answers"] for record in episode.traces if record["kind"] == "resolution"]
    return {"how": "stuck" if still else "max-rounds", "agreed": bool(last) and _agree(last[-1])}


def _agree(answers: Mapping[str, str | None]) -> bool:
    """All of them, and nobody's is missing."""
    return None not in answers.values() and len(set(answers.values())) == 1
