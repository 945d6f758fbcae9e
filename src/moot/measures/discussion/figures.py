"""Discussions, from their store: what each protocol reached, how long it took, what it cost, and what varying did.

One option is varied at a time, so cells that differ in nothing but their agents, their rounds, their drafting or their
decision are put beside each other here, on the same questions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from moot.measures.discussion.ballot_order import Paper
from moot.measures.discussion.challenges import Round, challenge_rows
from moot.measures.discussion.cost import cost_rows, drafted_at_once, way_alone
from moot.measures.discussion.options import DEFAULTS, apart_from, ballot_kind, family_of, options_of, varied
from moot.measures.discussion.similarity import similarity_figures
from moot.measures.discussion.talks import Talk, by_question, fitted, mean_rounds, score, turns_to_decide
from moot.measures.position.bias import position_bias
from moot.measures.source import Source, Stored, right_of
from moot.stats.estimates import with_holm
from moot.stats.paired import FEW_QUESTIONS, compare
from moot.store.rows import verdict_of
from moot.strategies.discuss.discuss import Discuss
from moot.types import Case, Verdict

Row = dict[str, Any]

COUNTING = "solution-counting"
_AXES = (
    ("agents", "agents", ("agents",)),
    ("rounds", "vote_from", ("vote_from",)),
    ("rounds", "max_turns", ("max_turns",)),
    ("rounds", "vote_from", ("vote_from", "max_turns")),
)
"""What scores are drawn along: by which option, and which options may differ."""
_PARTS: Sequence[tuple[str, tuple[str, ...], str]] = (
    *((part, (part,), DEFAULTS[part]) for part in ("drafting", "style", "paradigm", "step_by_step")),
    ("decision", ("decision", "judge", "budget"), COUNTING),
)
"""What is compared by itself: an option, those that come and go with it, and what it is compared with."""


@dataclass(frozen=True, slots=True)
class Discussion:
    """One cell: its options, and all its episodes as far as the figures need them."""

    cell: Stored
    options: Mapping[str, str]
    talks: list[Talk] = field(default_factory=list)
    answers: dict[str, list[list[str]]] = field(default_factory=dict)
    """By question, for each repeat: where every agent stood in the end."""
    papers: list[Paper] = field(default_factory=list)
    rounds: list[Round] = field(default_factory=list)

    @property
    def protocol(self) -> str:
        return self.options["decision"]

    @property
    def table(self) -> tuple[str, str | None]:
        return self.cell["team"], self.cell.get("cohort")


def discussion_figures(source: Source, cells: Sequence[Stored]) -> Row:
    """The keys of the discussions; only those that there is something to say under."""
    held = [_read(source, cell) for cell in cells if cell["strategy"] == Discuss.name]
    held = [each for each in held if each.talks]
    if not held:
        return {}
    names = _names(held)
    alone = [cell for cell in cells if cell["strategy"] == "solo" and drafted_at_once(cell)]
    shown: Row = {
        "protocols": [*_scores_alone(source, alone), *_scores(source, held, names)],
        "protocol_turns": [_turns(source, each, names) for each in held],
        "protocol_rounds": list(_rounds(source, held)),
        "protocol_cost": list(cost_rows(source, [(each.cell, names[id(each)]) for each in held], alone)),
        "protocol_differences": with_holm(list(_differences(source, held))),
        "scaling": list(_scaling(source, held)),
        "similarity": similarity_figures(source, [(names[id(each)], each.talks, each.answers) for each in held]),
        "position_bias": list(_positions(source, held, names)),
        "challenges": list(_challenges(source, held)),
    }
    return {key: value for key, value in shown.items() if value}


def _read(source: Source, cell: Stored) -> Discussion:
    found = Discussion(cell, options_of(cell["label"]))
    kind = ballot_kind(found.protocol)
    for row in source.results(cell):
        question = row["question"]
        case, verdict = source.cases[question], verdict_of(row["verdict"])
        right = right_of(row)
        found.talks.append(
            Talk(question, right, row["outcome"], verdict.turns, row["repeat"], case.category or case.package)
        )
        found.answers.setdefault(question, []).append(_stood(case, verdict))
        for ballot in verdict.ballots:
            choice = ballot["choice"]
            filled = None if choice is None else {int(option): value for option, value in choice.items()}
            lot = (row["repeat"], ballot["player"])
            found.papers.append(Paper(question, ballot["order"], filled, kind, lot))
        if notes := verdict.notes.get("challenge"):
            found.rounds.append(Round(question, right, notes))
    return found


def _stood(case: Case, verdict: Verdict) -> list[str]:
    """The agents' final answers in words: a letter says nothing about likeness, so it is the option that it names."""
    named = dict(zip(case.question.letters, case.question.choices, strict=False))
    return [named.get(each.text.strip(), each.text) for each in verdict.answers if each.text is not None]


def _names(held: Sequence[Discussion], *told: str) -> dict[int, Row]:
    """What a row is called: its protocol, and those other options that are not the same everywhere, nor `told` apart."""
    keys = [key for key in varied(each.options for each in held) if key not in ("planted_by", "facts", *told)]
    return {
        id(each): {
            "protocol": each.protocol,
            "with": _alone(each.options) or ", ".join(_told(each.options, keys)) or None,
            "label": each.cell["label"],
            "team": each.cell["team"],
            "cohort": each.cell.get("cohort"),
        }
        for each in held
    }


def _alone(options: Mapping[str, str]) -> str | None:
    """One agent and one turn are no discussion, but a baseline."""
    if (options["agents"], options["max_turns"]) != ("1", "1"):
        return None
    return "alone, step by step" if options["step_by_step"] == "True" else "alone"


def _told(options: Mapping[str, str], keys: Iterable[str]) -> Iterator[str]:
    return (_said(key, options[key]) for key in keys if options[key] != DEFAULTS[key])


def _said(key: str, value: str) -> str:
    """``5 agents``, ``relay``, ``critical``: the value alone where it says what it is."""
    match key:
        case "agents":
            return f"{value} agent{'s' * (value != '1')}"
        case "step_by_step":
            return "step by step"
        case "drafting" | "style" | "paradigm":
            return value
        case "vote_from":
            return f"vote from {value}"
        case "max_turns":
            return f"{value} turn{'s' * (value != '1')}"
        case _:
            return f"{key.replace('_', ' ')} {value}"


def _scores(source: Source, held: Iterable[Discussion], names: Mapping[int, Row]) -> Iterator[Row]:
    for each in held:
        yield from _by_dataset(names[id(each)], each.talks, source.seed)


def _scores_alone(source: Source, alone: Iterable[Stored]) -> Iterator[Row]:
    """Players by themselves: what a protocol has to be better than."""
    for cell in alone:
        talks = [
            Talk(each.key[0], each.right, each.outcome, 1, each.key[1], _dataset(source.cases[each.key[0]]))
            for each in source.seen(cell)
        ]
        named = {"protocol": f"solo@{cell['player']}", "with": way_alone(cell), "label": cell["label"]}
        yield from _by_dataset({**named, "team": None, "cohort": None}, talks, source.seed)


def _dataset(case: Case) -> str | None:
    return case.category or case.package


def _by_dataset(named: Row, talks: Sequence[Talk], seed: int) -> Iterator[Row]:
    """All questions together (`whole`); and each set of them, where there are several."""
    parts: dict[str | None, list[Talk]] = {}
    for talk in talks:
        parts.setdefault(talk.dataset, []).append(talk)
    if parts:
        only = next(iter(parts)) if len(parts) == 1 else None
        yield {**named, "dataset": only, "whole": True, **score(talks, seed=seed)}
    if len(parts) > 1:
        for dataset, part in parts.items():
            yield {**named, "dataset": dataset, "whole": False, **score(part, seed=seed)}


def _turns(source: Source, each: Discussion, names: Mapping[int, Row]) -> Row:
    return {**names[id(each)], "family": family_of(each.protocol), **turns_to_decide(each.talks, seed=source.seed)}


def _rounds(source: Source, held: Sequence[Discussion]) -> Iterator[Row]:
    """Voting and consensus, each over all its protocols; one agent has nobody to decide with."""
    held = [each for each in held if each.options["agents"] != "1"]
    for family in dict.fromkeys(family_of(each.protocol) for each in held):
        own = [each for each in held if family_of(each.protocol) == family]
        talks = [talk for each in own for talk in each.talks]
        protocols = list(dict.fromkeys(each.protocol for each in own))
        yield {"family": family, "protocols": protocols, **mean_rounds(talks, seed=source.seed)}


def _differences(source: Source, held: Sequence[Discussion]) -> Iterator[Row]:
    """Every way against the default, and every protocol against counting solutions, where nothing else differs."""
    for part, free, default in _PARTS:
        names = _names(held, *free)
        usual = {(each.table, apart_from(each.options, *free)): each for each in held if each.options[part] == default}
        for each in held:
            against = usual.get((each.table, apart_from(each.options, *free)))
            if against is None or each.options[part] == default:
                continue
            ours, theirs = by_question(each.talks), by_question(against.talks)
            pairs = [(ours[q], theirs[q]) for q in ours if q in theirs]
            pooled = len(each.talks) > len(ours) or len(against.talks) > len(theirs)
            found = compare(pairs, pooled=pooled, seed=source.seed)
            yield {**names[id(each)], "part": part, "of": each.options[part], "against": default, **found.row()}


def _scaling(source: Source, held: Sequence[Discussion]) -> Iterator[Row]:
    """Score by the number of agents, and by the number of rounds, with a line through it."""
    for along, key, free in _AXES:
        alike: dict[Any, list[Discussion]] = {}
        for each in held:
            alike.setdefault((each.table, apart_from(each.options, *free)), []).append(each)
        for group in alike.values():
            # Where two options go up together, each cell must have both of its own: else it is a grid, and no line.
            if len(group) > 1 and all(len({each.options[name] for each in group}) == len(group) for name in free):
                yield from _line(source, along, key, group, _names(held, *free)[id(group[0])])


def _line(source: Source, along: str, key: str, group: Sequence[Discussion], named: Row) -> Iterator[Row]:
    by_x = {int(each.options[key]): each for each in sorted(group, key=lambda each: int(each.options[key]))}
    line = fitted({float(x): by_question(each.talks) for x, each in by_x.items()}, seed=source.seed)
    if line is None:
        return
    yield {
        "along": along,
        "key": key,
        **{name: value for name, value in named.items() if name != "label"},
        "also_varied": [name for name in varied(each.options for each in group) if name != key],
        "slope": line.slope.value,
        "low": line.slope.low,
        "high": line.slope.high,
        "intercept": line.intercept,
        "n": line.slope.n,
        "small": line.slope.n < FEW_QUESTIONS,
        "points": [{"x": x, **score(each.talks, seed=source.seed), "line": line.at(x)} for x, each in by_x.items()],
    }


def _positions(source: Source, held: Sequence[Discussion], names: Mapping[int, Row]) -> Iterator[Row]:
    """Voters and judges, by protocol; `position_figures` sets those beside them who read drafts."""
    for each in held:
        if each.papers:
            named = {"by": "judge" if each.protocol == "judge" else "voter", **names[id(each)]}
            yield {**named, **position_bias((paper.look for paper in each.papers), seed=source.seed)}


def _challenges(source: Source, held: Sequence[Discussion]) -> Iterator[Row]:
    names = _names(held, "challenge")
    for each in held:
        yield from challenge_rows(source, each.options["challenge"], each.rounds, names[id(each)])
