"""Discussions set side by side: against the default, against their own models alone, family against family, along a number;
and how alike final answers are."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from second_way.alone import (
    Found,
    agent_alone,
    by_way,
    everybody,
    model_of,
    models_there,
    not_there,
    seats_by,
    thinking,
    voice_of,
    way,
)
from second_way.challenged import challenges
from second_way.compare import ANY_TEXT
from second_way.discussion import _mean_turns, _score
from second_way.hanging import together
from second_way.intervals import Difference, mean
from second_way.meanings import plain
from second_way.quiz_pairs import FEW_QUESTIONS, Pairs, adjusted, apart_on_both_sides, bounds, difference
from second_way.raw import Cell, Episode, Raw
from second_way.resampling import drawn_sums, ends
from second_way.shares import Grade, Value, accuracy_row, unfair_together, value_of, whole_mean

Row = dict[str, Any]
PARTS = ("paradigm", "style", "drafting", "personas", "step_by_step", "decision")
"""What is compared, each against the default; decisions against counting solutions."""
DETAILS = ("facts", "planted_by")
"""What comes with another option and says nothing by itself."""
DECIDING = ("decision", "judge", "budget")
AXES = (
    ("agents", "agents", ("agents",), "agent"),
    ("rounds", "vote_from", ("vote_from",), "turn before the vote"),
    ("rounds", "max_turns", ("max_turns",), "turn"),
    ("rounds", "vote_from", ("vote_from", "max_turns"), "turn before the vote"),
)


def talk_tables(raw: Raw) -> Row:
    talks = [cell for cell in raw.cells if cell.traits.get("hears") == "talk" and raw.episodes(cell)]
    if not talks:
        return {}
    figures: Row = {
        "protocol_differences": adjusted(list(_differences(raw, talks))),
        "protocol_baselines": _apart(_baselines(raw, talks)),
        "protocol_baselines_left_out": list(_no_baselines(raw, talks)),
        "protocol_families": _apart(_families(raw, talks)),
        "protocol_rounds": list(_rounds(raw, talks)),
        "scaling": list(_scaling(raw, talks)),
        "similarity": list(_similarity(raw, talks)),
        "challenges": challenges(raw, [(cell, _name(talks, cell, "challenge")) for cell in talks]),
    }
    return {key: value for key, value in figures.items() if value}


def _apart(rows: Iterable[Row]) -> list[Row]:
    """What is over all questions is one family, what is on single sets another."""
    every = list(rows)
    return [row for whole in (True, False) for row in adjusted([row for row in every if row["whole"] is whole])]


def _name(talks: Sequence[Cell], cell: Cell, *but: str) -> Row:
    varied = {
        name
        for name in cell.options
        if name not in ("decision", *DETAILS, *but)
        and len({json.dumps(other.options.get(name)) for other in talks}) > 1
    }
    told = _is_alone(cell) or bool((varied | _details_needed(talks, cell)) & cell.given.keys())
    return {
        "protocol": cell.options["decision"],
        "with": ANY_TEXT if told else None,
        "label": cell.label,
        "team": cell.team,
        "cohort": cell.cohort,
    }


def _details_needed(talks: Sequence[Cell], cell: Cell) -> set[str]:
    """Details in which another differs that has all else in common: both would be called the same without."""
    apart: set[str] = set()
    for other in talks:
        differs = {name for name in cell.options if cell.options[name] != other.options.get(name)}
        if (other.team, other.cohort) == (cell.team, cell.cohort) and differs <= set(DETAILS):
            apart |= differs
    return apart


def _is_alone(cell: Cell) -> bool:
    return bool(cell.options["agents"] == 1 and cell.options["max_turns"] == 1)


def _but(cell: Cell, *names: str) -> str:
    kept = {name: value for name, value in cell.options.items() if name not in names}
    return json.dumps([cell.strategy, cell.team, cell.cohort, kept], sort_keys=True)


def _values(raw: Raw, cell: Cell) -> dict[str, Value]:
    asked: dict[str, list[Episode]] = {}
    for episode in raw.episodes(cell):
        asked.setdefault(episode.question, []).append(episode)
    return {q: value_of([one.right for one in own], [one.answer for one in own]) for q, own in asked.items()}


def _repeated(raw: Raw, *cells: Cell) -> bool:
    return any(len(raw.episodes(cell)) > len({e.question for e in raw.episodes(cell)}) for cell in cells)


def _differences(raw: Raw, talks: Sequence[Cell]) -> Iterator[Row]:
    for part in PARTS:
        free = DECIDING if part == "decision" else (part,)

        def usual(cell: Cell, part: str = part) -> bool:
            return cell.options[part] == "solution-counting" if part == "decision" else part not in cell.given

        standard = {_but(cell, *free): cell for cell in talks if usual(cell)}
        for cell in talks:
            against = standard.get(_but(cell, *free))
            if against is None or usual(cell):
                continue
            ours, theirs = _values(raw, cell), _values(raw, against)
            pairs = {question: [(value, theirs[question])] for question, value in ours.items() if question in theirs}
            of, other = (_words(side.options[part]) for side in (cell, against))
            row = {**_name(talks, cell, *free), "part": part, "of": of, "against": other}
            row |= {"protocol_part": True} if part == "decision" else {}
            row |= {"does": ANY_TEXT} if isinstance(cell.options[part], bool) else {}
            yield {
                **row,
                **apart_on_both_sides(difference(pairs, means=_repeated(raw, cell, against)), pairs),
                **bounds(pairs),
            }


def _compared(pairs: Pairs, *, means: bool) -> Row:
    return {**apart_on_both_sides(difference(pairs, means=means), pairs), **bounds(pairs)}


def _words(value: Any) -> str:
    return "memory" if value is None else str(value)


# ---------------------------------------------------------------- alone, and families


def _baselines(raw: Raw, talks: Sequence[Cell]) -> Iterator[Row]:
    for cell, against, asked, found in _held_against(raw, talks):
        pairs = _beside_seats(raw, cell, found)
        if not_there(found) or not pairs:
            continue
        kept = everybody(found)
        named = {**_name(talks, cell), **_who(against, asked, kept)}
        yield from _on_sets(raw, named, pairs, means=len(kept) > 1 or _repeated(raw, cell, *kept))


def _no_baselines(raw: Raw, talks: Sequence[Cell]) -> Iterator[Row]:
    """Where a model of the table is missing, or all have answered no question in common."""
    for cell, against, asked, found in _held_against(raw, talks):
        missing = not_there(found)
        if missing or not _beside_seats(raw, cell, found):
            models = models_there(cell, found)
            counts = {"models": sum(there for _, there in models), "of_models": len(models), "missing": missing}
            yield {**_name(talks, cell), **_who(against, asked, everybody(found)), **counts, "why": ANY_TEXT}


def _who(against: Any, asked: str, kept: Sequence[Cell]) -> Row:
    players = list(dict.fromkeys(player["name"] for member in kept for player in member.spec["players"]))
    return {"against": against, "thinking": thinking(kept, asked), "players": players}


def _beside_seats(raw: Raw, cell: Cell, found: Found) -> Pairs:
    """A question that all have answered, beside the mean over seats of the mean over those who are it alone."""
    seats = {name: [_values(raw, member) for member in own] for name, own in found.items() if own}
    who = {tuple(member.id for member in own): name for name, own in found.items() if own}
    pairs = {}
    for question, value in _values(raw, cell).items():
        if all(question in values for own in seats.values() for values in own):
            means = {name: whole_mean([values[question] for values in own]) for name, own in seats.items()}
            alone = whole_mean([*means.values()])
            once = whole_mean([means[name] for name in who.values()])
            pairs[question] = [(value, alone._replace(grades=once.grades))]
    return pairs


def _held_against(raw: Raw, talks: Sequence[Cell]) -> Iterator[tuple[Cell, Any, str, Found]]:
    """Players by how they were told; then one agent in one turn of the same table. At least one of its models is among them."""
    alone = [
        cell
        for cell in raw.cells
        if cell.traits.get("alone") and cell.traits.get("drafts") == "single-call" and raw.episodes(cell)
    ]
    for cell in talks:
        if _is_alone(cell):
            continue
        agents = [one for one in talks if _is_alone(one) and (one.team, one.cohort) == (cell.team, cell.cohort)]
        held: list[tuple[Any, str, Found]] = [
            (", ".join(filter(None, (strategy, asked))), asked, found)
            for strategy in dict.fromkeys(member.strategy for member in alone)
            for asked, found in by_way(cell, [member for member in alone if member.strategy == strategy])
        ]
        held += [(ANY_TEXT, way(one), agent_alone(cell, one)) for one in agents]
        yield from ((cell, *each) for each in held if everybody(each[-1]))


def _families(raw: Raw, talks: Sequence[Cell]) -> Iterator[Row]:
    for group in _settings(talks):
        families: dict[str, list[Cell]] = {}
        for cell in group:
            families.setdefault(cell.traits["decides_by"], []).append(cell)
        for one, other in combinations(sorted(families, reverse=True), 2):
            sides = [[_values(raw, cell) for cell in families[name]] for name in (one, other)]
            asked = set.intersection(*(set(values) for side in sides for values in side))
            pairs = {
                q: [(whole_mean([v[q] for v in sides[0]]), whole_mean([v[q] for v in sides[1]]))] for q in sorted(asked)
            }
            if not pairs:
                continue
            both = [*families[one], *families[other]]
            name = _name(talks, group[0], *DECIDING)
            row = {key: name[key] for key in ("with", "team", "cohort")} | {"of": one, "against": other}
            for key, family in (("of_protocols", one), ("against_protocols", other)):
                row[key] = [cell.options["decision"] for cell in families[family]]
            yield from _on_sets(raw, row, pairs, means=len(both) > 2 or _repeated(raw, *both))


def _rounds(raw: Raw, talks: Sequence[Cell]) -> Iterator[Row]:
    """The mean turns of each family, over protocols that differ in nothing else; one by itself has its own row of turns."""
    for group in _settings(talks):
        name = _name(talks, group[0], *DECIDING)
        for family in dict.fromkeys(cell.traits["decides_by"] for cell in group) if len(group) > 1 else ():
            cells = [cell for cell in group if cell.traits["decides_by"] == family]
            protocols = list(dict.fromkeys(cell.options["decision"] for cell in cells))
            named = {key: name[key] for key in ("with", "team", "cohort")}
            yield {**named, "family": family, "protocols": protocols, **_mean_turns(raw, cells)}


def _settings(talks: Sequence[Cell]) -> list[list[Cell]]:
    """Those that differ in nothing but how they decide; one agent has nobody to decide with."""
    groups: dict[str, list[Cell]] = {}
    for cell in talks:
        if cell.options["agents"] != 1:
            groups.setdefault(_but(cell, *DECIDING), []).append(cell)
    return list(groups.values())


def _on_sets(raw: Raw, named: Row, pairs: Pairs, *, means: bool) -> Iterator[Row]:
    sets: dict[Any, dict[str, Any]] = {}
    for question, several in pairs.items():
        sets.setdefault(raw.questions[question]["set"], {})[question] = several
    only = next(iter(sets)) if len(sets) == 1 else None
    yield {
        **named,
        "dataset": only,
        "whole": True,
        **apart_on_both_sides(difference(pairs, means=means), pairs),
        **bounds(pairs),
    }
    if len(sets) > 1:
        for name, part in sets.items():
            yield {
                **named,
                "dataset": name,
                "whole": False,
                **apart_on_both_sides(difference(part, means=means), part),
                **bounds(part),
            }


# ---------------------------------------------------------------- along a number


def _scaling(raw: Raw, talks: Sequence[Cell]) -> Iterator[Row]:
    for along, key, free, step in AXES:
        groups: dict[str, list[Cell]] = {}
        for cell in talks:
            groups.setdefault(_but(cell, *free), []).append(cell)
        for group in groups.values():
            if len(group) < 2 or any(len({cell.options[name] for cell in group}) < len(group) for name in free):
                continue
            if (line := _line(raw, key, group)) is not None:
                name = _name(talks, group[0], *free)
                name.pop("label")
                also = [other for other in free if other != key]
                also += _seats_varied(group)
                yield {"along": along, "key": key, "step": step, **name, "also_varied": also, **line}


def _seats_varied(group: Sequence[Cell]) -> list[str]:
    """What other parts of the seats have: other models, or the same that are told something else."""
    for what, of in (("models", model_of), ("instructions", voice_of)):
        if any(seats_by(cell, of) != seats_by(group[0], of) for cell in group):
            return [what]
    return []


def _line(raw: Raw, key: str, group: Sequence[Cell]) -> Row | None:
    """Least squares through the mean scores, on the questions that all points have; the slope question by question."""
    by_x = {cell.options[key]: cell for cell in sorted(group, key=lambda cell: int(cell.options[key]))}
    values = {x: _values(raw, cell) for x, cell in by_x.items()}
    played = set.intersection(*(set(own) for own in values.values()))
    if not played:
        return None
    asked = [q for q in sorted(played) if all(own[q].known is not None for own in values.values())]
    ungraded = len(played) - len(asked)
    if unfair_together([[own[q] for own in values.values()] for q in played]):
        asked = []
    xs = np.array([*values], dtype=float)
    weights = (xs - xs.mean()) / ((xs - xs.mean()) ** 2).sum()
    row = _fitted(xs, weights, values, asked)
    line = row.pop("line")
    row["points"] = [{"x": x, **_score(raw.episodes(cell)), "line": line(x)} for x, cell in by_x.items()]
    if any(own[question].open for own in values.values() for question in played):
        row["ungraded"] = ungraded
        points = [*zip(weights, values.values(), strict=True)]
        row["bounds"] = {
            "low": math.fsum(w * mean([(own[q].least if w > 0 else own[q].most) for q in played]) for w, own in points),
            "high": math.fsum(
                w * mean([(own[q].most if w > 0 else own[q].least) for q in played]) for w, own in points
            ),
        }
    return row


def _fitted(xs: Any, weights: Any, values: Mapping[Any, Mapping[str, Value]], asked: Sequence[str]) -> Row:
    if not asked:
        nothing: Row = dict.fromkeys(("slope", "low", "high", "intercept"))
        return {**nothing, "n": 0, "small": True, "line": lambda x: None, "why": ANY_TEXT}
    slopes = []
    for question in asked:
        scores = [own[question].known or 0.0 for own in values.values()]
        slopes.append(float(np.polyfit(xs, scores, 1)[0]))
    means = [mean([own[question].known or 0.0 for question in asked]) for own in values.values()]
    slope, intercept = (float(part) for part in np.polyfit(xs, means, 1))
    steepest = float(np.abs(weights).sum()) / 2
    # Rounded: a fit leaves traces of a slope where there is none.
    low, high = Difference([round(one / steepest, 12) for one in slopes]).limits()
    return {
        "slope": slope,
        "low": None if low is None else low * steepest,
        "high": None if high is None else high * steepest,
        "intercept": intercept,
        "n": len(asked),
        "small": len(together(asked)) < FEW_QUESTIONS,
        "line": lambda x: intercept + slope * x,
    }


# ---------------------------------------------------------------- likeness


def _similarity(raw: Raw, talks: Sequence[Cell]) -> Iterator[Row]:
    """The mean cosine over all pairs of final answers, then over repeats, then over questions: by words in common, since
    experiments are played where no embedding is installed."""
    for cell in talks:
        likes: dict[str, list[float]] = {}
        for episode in raw.episodes(cell):
            stood = _stood(raw, episode)
            if len(stood) > 1:
                likes.setdefault(episode.question, []).append(
                    mean([by_words(*pair) for pair in combinations(stood, 2)])
                )
        if not likes:
            continue
        grades: dict[str, list[Grade]] = {}
        for episode in raw.episodes(cell):
            grades.setdefault(episode.question, []).append(episode.right)
        score = accuracy_row(grades)
        values = [mean(several) for several in likes.values()]
        low, high = _resampled(values)
        row = {
            **_name(talks, cell),
            "similarity": mean(values),
            "low": low,
            "high": high,
            "n": len(likes),
            "accuracy": score["value"],
            "accuracy_n": score["n"],
            "method": "words in common",
            "sampled": False,
            "small": len(together(likes)) < FEW_QUESTIONS,
        }
        yield row | {key: score[key] for key in ("ungraded", "bounds", "why") if key in score}


def _resampled(values: Sequence[float]) -> tuple[Any, Any]:
    if len(values) < 2 or max(values) - min(values) < 1e-9:
        return None, None
    sums = drawn_sums([[value] for value in values], seed=5)
    return ends(np.asarray(sums[:, 0] / len(values)), len(values))


def _stood(raw: Raw, episode: Episode) -> list[str]:
    """A letter says nothing about likeness: it is the option that it names."""
    choices = raw.questions[episode.question]["question"].get("choices", ())
    named = dict(zip("ABCDEFGHIJ", choices, strict=False))
    said = [answer[1] for answer in episode.verdict.get("answers", ()) if answer[1] is not None]
    return [named.get(text.strip(), text) for text in said]


def by_words(one: str, other: str) -> float:
    ours, theirs = Counter(plain(one).split()), Counter(plain(other).split())
    lengths = math.sqrt(sum(n * n for n in ours.values())) * math.sqrt(sum(n * n for n in theirs.values()))
    return sum(ours[word] * theirs[word] for word in ours) / lengths if lengths else float(ours == theirs)
