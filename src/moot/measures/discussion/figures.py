"""Discussions, from their store: what each protocol reached, how long it took, what it cost, and what varying did.

One option is varied at a time, so cells that differ in nothing but their agents, their rounds, their drafting or their
decision are put beside each other here, on the same questions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from moot.measures.cells import Stored, meanings_in
from moot.measures.discussion.baselines import Held, baseline_rows, baselines_left_out, family_rows, round_rows
from moot.measures.discussion.by_themselves import drafted_at_once, shares_of_models, shares_of_told, told_alone
from moot.measures.discussion.cost import cost_rows
from moot.measures.discussion.graded_challenges import ChallengeRound, challenge_rows
from moot.measures.discussion.naming import (
    apart_from,
    family_of,
    is_discussion,
    is_usual,
    meaning_of,
    most_turns,
    names_of,
    options_of,
    protocol_of,
    varied,
    with_role,
)
from moot.measures.discussion.similarity import similarity_figures
from moot.measures.discussion.talks import Talk, fitted, score, slope_bounds, turns_to_decide, values_of
from moot.measures.source import Source
from moot.stats.estimates import with_holm
from moot.stats.graded import known, why_no_interval, why_unfair_together
from moot.stats.graded_pairs import apart_row
from moot.stats.paired import rests_on_few
from moot.store.rows import verdict_of
from moot.strategies.option_meanings import Meaning, in_words
from moot.traces import Challenge, Objection, of_kind
from moot.types import Case, Verdict

Row = dict[str, Any]
ON_ALL_QUESTIONS = " on all questions"
"""Behind the key of a table that has one part for all questions and one for single sets of them: the former."""


@dataclass(frozen=True, slots=True)
class DiscussedCell:
    """One cell: its options, and all its episodes as far as the figures need them."""

    cell: Stored
    options: Mapping[str, Any]
    talks: list[Talk] = field(default_factory=list)
    answers: dict[str, list[list[str]]] = field(default_factory=dict)
    """By question, for each repeat: where every agent stood in the end."""
    rounds: list[ChallengeRound] = field(default_factory=list)

    @property
    def protocol(self) -> str:
        return protocol_of(self.cell)

    @property
    def table(self) -> tuple[str | None, str | None]:
        return self.cell["team"], self.cell.get("cohort")

    def is_like(self, option: str, value: str | None) -> bool:
        """Whether an option has this value; None: its default."""
        return is_usual(self.cell, option) if value is None else self.options[option] == value


def discussion_figures(source: Source, cells: Sequence[Stored]) -> Row:
    """The keys of the discussions; only those that there is something to say under."""
    held = [_read(source, cell) for cell in cells if is_discussion(cell)]
    held = [discussion for discussion in held if discussion.talks]
    if not held:
        return {}
    names = _names(held)
    alone = [cell for cell in cells if cell["traits"].alone and drafted_at_once(cell)]
    named = [(names[discussion.cell["id"]], discussion) for discussion in held]
    talking = [Held(discussion.cell, discussion.talks) for discussion in held]
    by_themselves = [Held(cell, _talks_alone(source, cell)) for cell in alone]
    figures: Row = {
        "protocols": [*_scores_alone(source, alone), *_scores(named)],
        "protocol_turns": [_turns(source, *pair) for pair in named],
        "protocol_rounds": list(round_rows(talking, seed=source.seed)),
        "protocol_cost": list(cost_rows(source, [(discussion.cell, row) for row, discussion in named], alone)),
        "protocol_differences": with_holm(
            list(difference_rows(held)), beside=source.unlisted_rows["protocol_differences"]
        ),
        "protocol_baselines": _families_apart(source, "protocol_baselines", baseline_rows(talking, by_themselves)),
        "protocol_baselines_left_out": list(baselines_left_out(talking, by_themselves)),
        "protocol_families": _families_apart(source, "protocol_families", family_rows(talking)),
        "scaling": list(_scaling(source, held)),
        "similarity": similarity_figures(
            source, [(row, discussion.talks, discussion.answers) for row, discussion in named]
        ),
        "challenges": list(_challenges(source, held)),
    }
    return {key: value for key, value in figures.items() if value}


def _families_apart(source: Source, key: str, rows: Iterable[Row]) -> list[Row]:
    """What is over all questions is one family of comparisons, and what is on single sets another: each has its table."""
    every = list(rows)
    on_all, on_sets = ([row for row in every if row["whole"] is whole] for whole in (True, False))
    gone = source.unlisted_rows
    return [*with_holm(on_all, beside=gone[f"{key}{ON_ALL_QUESTIONS}"]), *with_holm(on_sets, beside=gone[key])]


def _names(held: Sequence[DiscussedCell], *told_apart: str) -> dict[str, Row]:
    return names_of([discussion.cell for discussion in held], *told_apart)


def _read(source: Source, cell: Stored) -> DiscussedCell:
    read = DiscussedCell(cell, options_of(cell))
    never_came = next((episode.never_came for episode in source.seen(cell)), None)
    for row in source.results(cell):
        question = row["question"]
        case, verdict = source.cases[question], verdict_of(row["verdict"])
        right, way = source.graded_as(row)
        words = None if way == "again" else source.grades.open_words_of(right, row)
        ended = (row["outcome"], verdict.turns, row["repeat"], case.question_set, way, words, never_came)
        read.talks.append(Talk(question, right, *ended))
        read.answers.setdefault(question, []).append(_stood(case, verdict))
        objections = tuple(of_kind(verdict.traces, Objection))
        read.rounds.extend(
            ChallengeRound(question, right, way, put, objections) for put in of_kind(verdict.traces, Challenge)
        )
    return read


def _stood(case: Case, verdict: Verdict) -> list[str]:
    """The agents' final answers in words: a letter says nothing about likeness, so it is the option that it names."""
    named = dict(zip(case.question.letters, case.question.choices, strict=False))
    return [named.get(answer.text.strip(), answer.text) for answer in verdict.answers if answer.text is not None]


def _scores(named: Iterable[tuple[Row, DiscussedCell]]) -> Iterator[Row]:
    for row, discussion in named:
        yield from _by_dataset(row, discussion.talks)


def _scores_alone(source: Source, alone: Iterable[Stored]) -> Iterator[Row]:
    """Players by themselves: what a protocol has to be better than."""
    for cell in alone:
        talks = _talks_alone(source, cell)
        named = {"protocol": f"{cell['strategy']}@{cell['player']}", "with": told_alone(cell), "label": cell["label"]}
        yield from _by_dataset({**named, "team": None, "cohort": None}, talks)


def _talks_alone(source: Source, cell: Stored) -> list[Talk]:
    """A player's plays by itself, as discussions of one turn."""
    return [
        Talk(
            episode.key[0],
            episode.right,
            episode.outcome,
            1,
            episode.key[1],
            source.cases[episode.key[0]].question_set,
            episode.way,
            episode.open_words,
            episode.never_came,
        )
        for episode in source.seen(cell)
    ]


def _by_dataset(named: Row, talks: Sequence[Talk]) -> Iterator[Row]:
    """All questions together (`whole`); and each set of them, where there are several."""
    parts: dict[str | None, list[Talk]] = {}
    for talk in talks:
        parts.setdefault(talk.dataset, []).append(talk)
    if parts:
        only = next(iter(parts)) if len(parts) == 1 else None
        yield {**named, "dataset": only, "whole": True, **score(talks)}
    if len(parts) > 1:
        for dataset, part in parts.items():
            yield {**named, "dataset": dataset, "whole": False, **score(part)}


def _turns(source: Source, named: Row, discussion: DiscussedCell) -> Row:
    turns = turns_to_decide(discussion.talks, most=most_turns([discussion.cell]), seed=source.seed)
    return {**named, "family": family_of(discussion.cell), **turns}


def difference_rows(held: Sequence[DiscussedCell]) -> Iterator[Row]:
    """Every way against the default, and every protocol against counting solutions, where nothing else differs."""
    names = {part: _names(held, *free) for part, free, _ in _compared(held)}
    for part, discussion, against in ways_compared(held):
        ours, theirs = values_of(discussion.talks), values_of(against.talks)
        pairs = {q: [(ours[q], theirs[q])] for q in ours if q in theirs}
        if not pairs:
            continue
        pooled = len(discussion.talks) > len(ours) or len(against.talks) > len(theirs)
        of, other = (in_words(side.options[part]) for side in (discussion, against))
        kind = {"protocol_part": True} if meaning_of(discussion.cell, part).role == "protocol" else {}
        named = {**names[part][discussion.cell["id"]], "part": part, "of": of, "against": other, **kind}
        yield {**named, **_flag(discussion, part), **apart_row(pairs, pooled=pooled)}


def ways_compared(held: Sequence[DiscussedCell]) -> Iterator[tuple[str, DiscussedCell, DiscussedCell]]:
    """By the option in which two discussions differ: the one that is unlike the default, and the other."""
    for part, free, standard in _compared(held):
        able = [discussion for discussion in held if part in discussion.options]
        usual = {
            (discussion.table, apart_from(discussion.cell, *free)): discussion
            for discussion in able
            if discussion.is_like(part, standard)
        }
        for discussion in able:
            against = usual.get((discussion.table, apart_from(discussion.cell, *free)))
            if against is not None and not discussion.is_like(part, standard):
                yield part, discussion, against


def _flag(discussion: DiscussedCell, part: str) -> Row:
    """An option that is on or off is told by what it does: "True" says nothing."""
    value = discussion.options[part]
    return {"does": meaning_of(discussion.cell, part).told(part, value)} if isinstance(value, bool) else {}


def _meanings(held: Sequence[DiscussedCell]) -> dict[str, Meaning]:
    """What the options of all strategies here are for, by name."""
    return {name: meaning for discussion in held for name, meaning in meanings_in(discussion.cell).items()}


def _compared(held: Sequence[DiscussedCell]) -> list[tuple[str, tuple[str, ...], Any]]:
    """What is compared by itself: an option, those that may differ with it, and what it is compared with; None: the
    default. How it is decided comes last."""
    meanings = sorted(_meanings(held).items(), key=lambda item: item[1].role == "protocol")
    return [(name, (name, *meaning.comes_with), meaning.against) for name, meaning in meanings if meaning.compared]


def _axes(held: Sequence[DiscussedCell]) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """What scores are drawn along: by which option, and which options may differ."""
    meanings = sorted(_meanings(held).items(), key=lambda item: not item[1].leads)
    axes: dict[str, list[str]] = {}
    for name, meaning in meanings:
        if meaning.along is not None:
            axes.setdefault(meaning.along, []).append(name)
    for along in sorted(axes):
        names = axes[along]
        yield from ((along, name, (name,)) for name in names)
        if len(names) > 1:
            yield along, names[0], tuple(names)


def _scaling(source: Source, held: Sequence[DiscussedCell]) -> Iterator[Row]:
    """Score by the number of agents, and by the number of rounds, with a line through it."""
    for along, key, free in _axes(held):
        alike: dict[Any, list[DiscussedCell]] = {}
        for discussion in held:
            if all(isinstance(discussion.options.get(name), int) for name in free):
                alike.setdefault((discussion.table, apart_from(discussion.cell, *free)), []).append(discussion)
        for group in alike.values():
            # Where two options go up together, each cell must have both of its own: else it is a grid, and no line.
            if len(group) > 1 and all(len({member.options[name] for member in group}) == len(group) for name in free):
                yield from _line(source, along, key, group, _names(held, *free)[group[0].cell["id"]])


def _seats_varied(group: Sequence[DiscussedCell]) -> list[str]:
    """Whether another number of agents makes other parts of the seats: of models, or of what one model is told."""
    for what, shares in (("models", shares_of_models), ("instructions", shares_of_told)):
        if len({shares(discussion.cell) for discussion in group}) > 1:
            return [what]
    return []


def _line(source: Source, along: str, key: str, group: Sequence[DiscussedCell], named: Row) -> Iterator[Row]:
    by_x = {
        discussion.options[key]: discussion
        for discussion in sorted(group, key=lambda discussion: discussion.options[key])
    }
    points = {float(x): values_of(discussion.talks) for x, discussion in by_x.items()}
    shared = set.intersection(*map(set, points.values()))
    if not shared:
        return
    together = [tuple(values[question] for values in points.values()) for question in sorted(shared)]
    unfair = why_unfair_together(together)
    waits = why_no_interval(together)
    line = None if unfair else fitted({x: known(values) for x, values in points.items()})
    yield {
        "along": along,
        "key": key,
        "step": meaning_of(group[0].cell, key).step or key.replace("_", " "),
        **{name: value for name, value in named.items() if name != "label"},
        "also_varied": [
            *(name for name in varied([discussion.cell for discussion in group]) if name != key),
            *_seats_varied(group),
        ],
        "slope": line and line.slope.value,
        "low": line.slope.low if line and not waits else None,
        "high": line.slope.high if line and not waits else None,
        "intercept": line and line.intercept,
        "n": line.slope.n if line else 0,
        "small": line is None or rests_on_few(line.slope),
        "points": [{"x": x, **score(discussion.talks), "line": line and line.at(x)} for x, discussion in by_x.items()],
        **slope_bounds(points),
        **({"why": waits} if line and waits else {}),
        **({} if line else {"why": unfair or "no question is graded for all of them"}),
    }


def _challenges(source: Source, held: Sequence[DiscussedCell]) -> Iterator[Row]:
    names = _names(held, *with_role([discussion.cell for discussion in held], "challenge"))
    for discussion in held:
        yield from challenge_rows(source, discussion.rounds, names[discussion.cell["id"]])
