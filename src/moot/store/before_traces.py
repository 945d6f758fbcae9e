"""Stores written before strategies left traces: what they noted under keys of a dictionary, as the records of today.

Used once, when such a store is first opened. The calls and the verdicts themselves are untouched, so nothing is asked
or paid again.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from moot.store.old_strategies import OldStrategy, old_record, old_strategy
from moot.types import dense_json

Record = dict[str, Any]

_ROLES = {"peer-review": "reviewer", "mixture": "summariser"}
"""Who read the drafts, by strategy; in all others that wrote down an order it was the captain."""
_BALLOTS = {
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


def played_by_label(config: Mapping[str, Any]) -> dict[str, list[OldStrategy]]:
    """The strategies of an experiment's file, by the label that their cells had: a label tells no values of a mapping.

    Those as which they are served stand behind them. What nobody knows any more is left out.
    """
    by_label: dict[str, list[OldStrategy]] = {}
    for entry in config.get("strategies", ()):
        ((name, options),) = entry.items() if isinstance(entry, Mapping) else ((entry, {}),)
        played = old_strategy(name, options)
        for variant in () if played is None else (played, played.served()):
            for written in set(variant.labels()):
                by_label.setdefault(written, []).append(variant)
    return by_label


def options_and_traits(cell: Mapping[str, Any], named: Sequence[OldStrategy]) -> dict[str, str]:
    """What a cell of today says of its options and traits, for one that had only a label.

    `named`: the strategies with this label in the files that the cell was played for.
    """
    for played in named:
        if played.captain in (None, cell["captain"]):
            return _columns(played.stored_options(), played.traits())
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
    played = old_strategy(cell["strategy"], options)
    if played is None:  # of another package
        traits: dict[str, Any] = {"alone": True, "drafts": "single-call"} if cell["player"] else {}
        kept: dict[str, Any] = {"given": options, "default": {}}
    else:
        traits, kept = played.traits(), played.stored_options()
    if marked:
        kept["given"]["shown_accuracies"] = marked
    if "repeats" in spec:
        traits["repeats"] = spec["repeats"]
    return _columns(kept, traits)


def options_in_label(written: str) -> dict[str, str]:
    """The options that a label tells, as texts."""
    inside = written.partition("(")[2].removesuffix(")")
    starts = [match for match in _OPTION.finditer(inside) if not _within(inside[: match.start()])]
    if not starts:
        return {}
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
        verdict["traces"] = records
    return orjson.dumps(verdict).decode()


def _records(
    notes: Mapping[str, Any], ballots: Sequence[Mapping[str, Any]], verdict: Mapping[str, Any], cell: OldCell
) -> Iterator[Record]:
    yield from _talk(notes)
    yield from _votes(notes, ballots, verdict, cell)
    yield from _decider(notes, verdict, cell)
    yield from _rounds(notes)
    if "consensus" in notes:
        reached = notes["consensus"]
        behind = tuple(reached["supporters"])
        yield old_record(
            "agreement",
            turn=reached["turn"],
            messages=reached["messages"],
            solution=reached["solution"],
            supporters=behind,
        )
    yield from _challenge(notes.get("challenge"))
    if notes.get("not_needed"):
        yield old_record("not-needed", players=tuple(notes["not_needed"]))
    if "deadline_s" in notes:
        yield old_record("deadline", seconds=notes["deadline_s"])
    yield from (old_record("remarked", text=text) for text in notes.get("warnings", ()))


def _talk(notes: Mapping[str, Any]) -> Iterator[Record]:
    for persona in notes.get("personas", ()):
        yield old_record(
            "persona",
            player=persona["player"],
            title=persona["title"],
            persona=persona["persona"],
            origin=persona["origin"],
        )
    proposed: dict[str, int] = {}
    for message in notes.get("messages", ()):
        backs = message["backs"]
        yield old_record(
            "remark",
            number=message["number"],
            speaker=message["player"],
            turn=message["turn"],
            part=message.get("part", 0),
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
) -> Iterator[Record]:
    if "groups" in notes:
        groups = _tuples(notes["groups"])
        yield old_record(
            "grouped", groups=groups, stages=tuple(notes.get("stages", ())), fell_back=notes.get("fell_back")
        )
        if "tied" in notes:
            words = {answer[0]: answer[1] or "" for answer in verdict.get("answers", ())}
            yield from (
                old_record("ballot", voter=player, choice={n: 1.0})
                for n, group in enumerate(groups)
                for player in group
            )
            most = max(map(len, groups), default=0)
            winners = tuple(n for n, group in enumerate(groups) if len(group) == most)
            points = tuple(float(len(group)) for group in groups)
            yield old_record(
                "counted", options=tuple(words.get(group[0], "") for group in groups), points=points, winners=winners
            )
    decision = cell.options.get("decision", "simple-voting")
    for vote in notes.get("votes", ()):
        turn = vote["turn"]
        yield old_record(
            "grouped",
            groups=_tuples(vote["groups"]),
            stages=tuple(vote["stages"]),
            fell_back=vote.get("fell_back"),
            turn=turn,
        )
        for ballot in ballots:
            if ballot.get("turn") == turn:
                yield _ballot(ballot, decision)
        options = tuple(text or "" for text in vote["options"])
        yield old_record(
            "counted",
            options=options,
            points=tuple(vote["points"]),
            winners=tuple(vote["winners"]),
            turn=turn,
            solutions=vote["solutions"],
        )


def _ballot(ballot: Mapping[str, Any], decision: str) -> Record:
    choice = None if ballot["choice"] is None else {int(option): value for option, value in ballot["choice"].items()}
    role = "judge" if ballot["player"] == "judge" and decision == "judge" else "voter"
    kind = _BALLOTS.get(decision, "ranking")
    return old_record(
        "ballot",
        voter=ballot["player"],
        choice=choice,
        form=kind,
        order=tuple(ballot["order"]),
        turn=ballot["turn"],
        role=role,
        cause=ballot.get("cause"),
    )


def _decider(notes: Mapping[str, Any], verdict: Mapping[str, Any], cell: OldCell) -> Iterator[Record]:
    """Whoever read drafts in an order, and what it then said."""
    if "order" in notes:
        role = _ROLES.get(cell.strategy, "captain")
        reader = cell.captain or role
        drawn = cell.options.get("order", "random") == "random"
        order = tuple((player,) for player in notes["order"])
        yield old_record("shown", to=reader, role=role, order=order, drawn=drawn, answer=verdict.get("answer"))
        parts = {name: notes[name] for name in ("strongest", "weakest") if name in notes}
        if role == "reviewer" and verdict.get("answer") is not None:
            yield old_record("review", by=reader, parts=parts)
    if "cut_to" in notes:
        yield old_record("cut", characters=notes["cut_to"], players=tuple(notes["cut"]))


def _rounds(notes: Mapping[str, Any]) -> Iterator[Record]:
    for turn, noted_round in enumerate(notes.get("rounds", ()), 2):
        yield from _readers(noted_round.get("orders"), noted_round.get("sides"), noted_round["positions"], turn)
        yield old_record(
            "round",
            turn=turn,
            positions=noted_round["positions"],
            changed=tuple(noted_round["changed"]),
            absent=tuple(noted_round["absent"]),
            late=tuple(noted_round.get("late", ())),
        )
    if "resolution" in notes:
        turn = 2 + len(notes["rounds"])
        orders, sides = notes.get("resolution_orders"), notes.get("resolution_sides")
        yield from _readers(orders, sides, notes["resolution"], turn)
        yield old_record("resolution", turn=turn, answers=notes["resolution"])
    if "ending" in notes:
        yield old_record("ending", how=notes["ending"], agreed=bool(notes.get("agreed")))
        if notes.get("fell_back"):
            yield old_record("remarked", text=f"{_FELL_BACK}: {notes['fell_back']}")


def _readers(orders: Any, sides: Any, answers: Mapping[str, Any], turn: int) -> Iterator[Record]:
    for name, order in (orders or {}).items():
        places = tuple(sides[name]) if sides and name in sides else None
        answer = answers.get(name) if places is not None else None
        yield old_record(
            "shown", to=name, role="debater", order=_tuples(order), turn=turn, answer=answer, places=places
        )


def _challenge(noted: Mapping[str, Any] | None) -> Iterator[Record]:
    if not noted:
        return
    details = {name: noted.get(name) for name in ("shown", "planted", "facts", "cause")}
    yield old_record("challenge", setting=noted["setting"], **details)
    for reply in noted.get("replies", ()):
        yield old_record(
            "objection", player=reply["player"], agree=reply["agree"], answer=reply["answer"], cause=reply.get("cause")
        )


def _tuples(groups: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(group) for group in groups)
