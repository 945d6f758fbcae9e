"""Stores written before strategies left traces: what they noted under keys of a dictionary, as the records of today.

Used once, when such a store is first opened. The calls and the verdicts themselves are untouched, so nothing is asked
or paid again.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import orjson

from moot import traces
from moot.errors import UsageError
from moot.strategies import Strategy, label, served, strategy, traits_of
from moot.strategies.option_values import option_json, usual
from moot.types import dense_json

_ROLES = {"peer-review": "reviewer", "mixture": "summariser"}
"""Who read the drafts, by strategy; in all others that wrote down an order it was the captain."""
_BALLOTS: Mapping[str, traces.BallotForm] = {
    "simple-voting": "choice",
    "judge": "choice",
    "cumulative-voting": "points",
    "approval-voting": "approved",
}
_OPTION = re.compile(r"(?:^|, )(\w+)=")
_FELL_BACK = "the grouping model's word could not be used"


@dataclass(frozen=True, slots=True)
class OldCell:
    """What must be known of a cell to understand what its episodes noted."""

    strategy: str
    captain: str | None
    options: Mapping[str, Any]

    @classmethod
    def of_row(cls, row: Mapping[str, Any]) -> OldCell:
        """A cell whose options are written down already."""
        kept = orjson.loads(row["options"])
        return cls(row["strategy"], row["captain"], {**kept["default"], **kept["given"]})


def played_by_label(config: Mapping[str, Any]) -> dict[str, list[Strategy]]:
    """The strategies of an experiment's file, by the label that their cells had: a label tells no values of a mapping.

    Those as which they are served stand behind them. What cannot be built any more is left out.
    """
    by_label: dict[str, list[Strategy]] = {}
    for entry in config.get("strategies", ()):
        ((name, options),) = entry.items() if isinstance(entry, Mapping) else ((entry, {}),)
        try:
            played = strategy(name, options)
        except (UsageError, ImportError):
            continue  # such as one that refers to a file
        for variant in (played, served(played)):
            # 30 and 30.0 are one value today, and were two labels.
            for written in {_old_label(variant), label(variant)}:
                by_label.setdefault(written, []).append(variant)
    return by_label


def _old_label(played: Strategy) -> str:
    """As labels were written then: no value was quoted."""
    options = [option for option in fields(played) if option.name != "captain"]  # type: ignore[arg-type]
    values = ((option.name, getattr(played, option.name), usual(option)) for option in options)
    inside = ", ".join(f"{name}={value}" for name, value, default in values if value != default)
    return f"{played.name}({inside})" if inside else played.name


def options_and_traits(cell: Mapping[str, Any], named: Sequence[Strategy]) -> dict[str, str]:
    """What a cell of today says of its options and traits, for one that had only a label.

    `named`: the strategies with this label in the files that the cell was played for.
    """
    for played in named:
        if getattr(played, "captain", None) in (None, cell["captain"]):
            return _columns(option_json(played), traits_of(played).json())
    return _from_label(cell)


def _columns(options: Mapping[str, Any], traits: Mapping[str, Any]) -> dict[str, str]:
    return {"options": dense_json(options), "traits": dense_json(traits)}


def _from_label(cell: Mapping[str, Any]) -> dict[str, str]:
    """All that is left where the file is of no help: the label itself."""
    texts = options_in_label(cell["label"])
    options = {name: _value(text) for name, text in texts.items()}
    spec = orjson.loads(cell["spec"])
    if marked := texts.get("shown_accuracies"):  # a label tells their number and a mark, and no values
        options["shown_accuracies"] = {player["name"]: 0.5 for player in spec["players"]}
    try:
        played = strategy(cell["strategy"], options)
    except (UsageError, ImportError):  # of a package that is not installed
        traits: dict[str, Any] = {"alone": True, "drafts": "single-call"} if cell["player"] else {}
        kept: dict[str, Any] = {"given": options, "default": {}}
    else:
        traits, kept = traits_of(played).json(), option_json(played)
    if marked:
        kept["given"]["shown_accuracies"] = marked
    if "repeats" in spec:
        traits["repeats"] = spec["repeats"]
    return _columns(kept, traits)


def options_in_label(written: str) -> dict[str, str]:
    """The options that a label tells, as texts."""
    _, opened, rest = written.partition("(")
    if not opened:
        return {}
    inside = rest.removesuffix(")")
    starts = [match for match in _OPTION.finditer(inside) if not _within(inside[: match.start()])]
    ends = [match.start() for match in starts[1:]] + [len(inside)]
    return {match[1]: inside[match.end() : end] for match, end in zip(starts, ends, strict=True)}


def _within(text: str) -> bool:
    """Whether a text ends inside of brackets."""
    return sum((sign in "([{") - (sign in ")]}") for sign in text) > 0


def _value(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def verdict_with_traces(written: str, cell: OldCell) -> str | None:
    """The stored verdict with records in place of notes and ballots; None where it had neither."""
    verdict = orjson.loads(written)
    notes, ballots = verdict.pop("notes", None), verdict.pop("ballots", None)
    if notes is None and ballots is None:
        return None
    records = list(_records(notes or {}, ballots or (), verdict, cell))
    if records:
        verdict["traces"] = [traces.trace_json(record) for record in records]
    return orjson.dumps(verdict).decode()


def _records(
    notes: Mapping[str, Any], ballots: Sequence[Mapping[str, Any]], verdict: Mapping[str, Any], cell: OldCell
) -> Iterator[traces.Trace]:
    yield from _talk(notes)
    yield from _votes(notes, ballots, verdict, cell)
    yield from _decider(notes, verdict, cell)
    yield from _rounds(notes)
    if "consensus" in notes:
        reached = notes["consensus"]
        behind = tuple(reached["supporters"])
        yield traces.Agreement(reached["turn"], reached["messages"], reached["solution"], behind)
    yield from _challenge(notes.get("challenge"))
    if notes.get("not_needed"):
        yield traces.NotNeeded(tuple(notes["not_needed"]))
    if "deadline_s" in notes:
        yield traces.Deadline(notes["deadline_s"])
    yield from map(traces.Remarked, notes.get("warnings", ()))


def _talk(notes: Mapping[str, Any]) -> Iterator[traces.Trace]:
    for persona in notes.get("personas", ()):
        yield traces.Persona(persona["player"], persona["title"], persona["persona"], persona["origin"])
    proposed: dict[str, int] = {}
    for message in notes.get("messages", ()):
        backs = message["backs"]
        yield traces.Remark(
            message["number"],
            message["player"],
            message["turn"],
            message.get("part", 0),
            text=message["text"],
            solution=message["solution"],
            agree=message["agree"],
            # Whoever first stood behind it has proposed it.
            position=None if backs is None else proposed.setdefault(backs, message["number"]),
            backs=backs,
            heard_by=tuple(message["heard_by"]),
            outcome=message.get("outcome"),
            cause=message.get("cause"),
        )


def _votes(
    notes: Mapping[str, Any], ballots: Sequence[Mapping[str, Any]], verdict: Mapping[str, Any], cell: OldCell
) -> Iterator[traces.Trace]:
    if "groups" in notes:
        groups = _tuples(notes["groups"])
        yield traces.Grouped(groups, tuple(notes.get("stages", ())), notes.get("fell_back"))
        if "tied" in notes:
            words = {answer[0]: answer[1] or "" for answer in verdict.get("answers", ())}
            yield from (traces.Ballot(player, {n: 1.0}) for n, group in enumerate(groups) for player in group)
            most = max(map(len, groups), default=0)
            winners = tuple(n for n, group in enumerate(groups) if len(group) == most)
            points = tuple(float(len(group)) for group in groups)
            yield traces.Counted(tuple(words.get(group[0], "") for group in groups), points, winners)
    decision = cell.options.get("decision", "simple-voting")
    for vote in notes.get("votes", ()):
        turn = vote["turn"]
        yield traces.Grouped(_tuples(vote["groups"]), tuple(vote["stages"]), vote.get("fell_back"), turn)
        for ballot in ballots:
            if ballot.get("turn") == turn:
                yield _ballot(ballot, decision)
        options = tuple(text or "" for text in vote["options"])
        yield traces.Counted(options, tuple(vote["points"]), tuple(vote["winners"]), turn, vote["solutions"])


def _ballot(ballot: Mapping[str, Any], decision: str) -> traces.Ballot:
    choice = None if ballot["choice"] is None else {int(option): value for option, value in ballot["choice"].items()}
    role = "judge" if ballot["player"] == "judge" and decision == "judge" else "voter"
    kind = _BALLOTS.get(decision, "ranking")
    return traces.Ballot(
        ballot["player"], choice, kind, tuple(ballot["order"]), ballot["turn"], role, ballot.get("cause")
    )


def _decider(notes: Mapping[str, Any], verdict: Mapping[str, Any], cell: OldCell) -> Iterator[traces.Trace]:
    """Whoever read drafts in an order, and what it then said."""
    if "order" in notes:
        role = _ROLES.get(cell.strategy, "captain")
        reader = cell.captain or role
        drawn = cell.options.get("order", "random") == "random"
        order = tuple((player,) for player in notes["order"])
        yield traces.Shown(reader, role, order, drawn=drawn, answer=verdict.get("answer"))
        parts = {name: notes[name] for name in ("strongest", "weakest") if name in notes}
        if role == "reviewer" and verdict.get("answer") is not None:
            yield traces.Review(reader, parts)
    if "cut_to" in notes:
        yield traces.Cut(notes["cut_to"], tuple(notes["cut"]))


def _rounds(notes: Mapping[str, Any]) -> Iterator[traces.Trace]:
    for turn, noted_round in enumerate(notes.get("rounds", ()), 2):
        yield from _readers(noted_round.get("orders"), noted_round.get("sides"), noted_round["positions"], turn)
        yield traces.Round(
            turn,
            noted_round["positions"],
            tuple(noted_round["changed"]),
            tuple(noted_round["absent"]),
            tuple(noted_round.get("late", ())),
        )
    if "resolution" in notes:
        turn = 2 + len(notes["rounds"])
        orders, sides = notes.get("resolution_orders"), notes.get("resolution_sides")
        yield from _readers(orders, sides, notes["resolution"], turn)
        yield traces.Resolution(turn, notes["resolution"])
    if "ending" in notes:
        yield traces.Ending(notes["ending"], bool(notes.get("agreed")))
        if notes.get("fell_back"):
            yield traces.Remarked(f"{_FELL_BACK}: {notes['fell_back']}")


def _readers(orders: Any, sides: Any, answers: Mapping[str, Any], turn: int) -> Iterator[traces.Trace]:
    for name, order in (orders or {}).items():
        places = tuple(sides[name]) if sides and name in sides else None
        answer = answers.get(name) if places is not None else None
        yield traces.Shown(name, "debater", _tuples(order), turn, answer=answer, places=places)


def _challenge(noted: Mapping[str, Any] | None) -> Iterator[traces.Trace]:
    if not noted:
        return
    details = (noted.get(name) for name in ("shown", "planted", "facts", "cause"))
    yield traces.Challenge(noted["setting"], *details)
    for reply in noted.get("replies", ()):
        yield traces.Objection(reply["player"], reply["agree"], reply["answer"], reply.get("cause"))


def _tuples(groups: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(group) for group in groups)
