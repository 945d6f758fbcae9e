"""What happens at the table, as it happens: for those who watch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from moot.experiment.plan import Cell
from moot.foreign_json import read_json
from moot.live.answered_question import AnsweredQuestion
from moot.team.final_line import spoken_whole
from moot.team.watching import BegunCall, doing_at
from moot.traces import trace_json
from moot.types import Call


def seated_event(cell: Cell, model: str) -> dict[str, Any]:
    """Who sits where, before anybody speaks."""
    return {
        "kind": "seated",
        "model": model,
        "strategy": cell.label,
        "captain": cell.captain,
        "players": [
            {"name": player.name, "model": player.model.name, "persona": player.persona} for player in cell.team.players
        ],
    }


def begins_event(call: BegunCall) -> dict[str, Any]:
    """Who has been asked for what, as what."""
    return {
        "kind": "begins",
        "player": call.player,
        "office": call.office,
        "stage": call.stage,
        "doing": call.doing,
        "turn": call.turn,
        "attempt": call.attempt,
        "whole": call.whole,
    }


def call_event(call: Call, *, whole: bool = False) -> dict[str, Any]:
    """Who said what, at which stage, and how long it took. `whole`: the reply is the answer as it is."""
    reply = call.reply
    fields = _object(reply.text) if reply is not None and not whole else None
    refused = reply is not None and reply.refused
    taken = reply is not None and whole and call.usable and not refused
    return {
        "kind": "call",
        "player": call.player,
        "stage": call.stage,
        "doing": doing_at(call.stage),
        "turn": call.turn,
        "said": fields,
        "answer": spoken_whole(reply.text.strip()) if reply is not None and taken else None,
        "text": reply.text if reply is not None and fields is None else None,
        "refused": refused,
        "problem": call.problem,
        "error": call.error,
        "seconds": _known_s(call),
        "version": None if reply is None else reply.version,
        "cost_usd": None if reply is None else reply.cost_usd,
    }


def _known_s(call: Call) -> float | None:
    known = None if call.reply is None else call.reply.known_latency_s
    return None if known is None else round(known, 3)


def verdict_event(asked: AnsweredQuestion) -> dict[str, Any]:
    """The end: who said the same, the ballots, the team's word."""
    verdict = asked.verdict
    return {
        "kind": "verdict",
        "episode": asked.id,
        "answer": verdict.answer,
        "outcome": verdict.outcome,
        **asked.chance.json(),
        "reasoning": verdict.reasoning,
        "cause": verdict.cause,
        "note": verdict.note,
        "who": list(verdict.who),
        "absent": list(verdict.absent),
        "answers": [
            {"player": answer.player, "answer": answer.text, "reasoning": answer.reasoning, "outcome": answer.outcome}
            for answer in verdict.answers
        ],
        "groups": [list(group) for group in asked.groups],
        "ballots": [trace_json(ballot) for ballot in verdict.ballots],
        "turns": verdict.turns,
        "traces": [trace_json(record) for record in verdict.traces],
        "calls": asked.episode.calls_made,
        "cost_usd": asked.cost_usd,
        "seconds": round(asked.episode.seconds, 3),
    }


def _object(text: str) -> Mapping[str, Any] | None:
    """The structured reply, where the text is one; models that talk around it are shown as they are."""
    try:
        data = read_json(text)
    except ValueError:
        return None
    return data if isinstance(data, dict) else None
