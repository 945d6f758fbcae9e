"""A verdict looked at where it comes in: a strategy that comes to something else has a bug, which costs its question only."""

from __future__ import annotations

import json
from collections.abc import Iterator

from moot.models.border import unstorable
from moot.plugins import in_one_line
from moot.team import Team
from moot.traces import Trace, misfit, trace_json
from moot.types import OUTCOMES, Answer, Verdict


def checked_verdict(verdict: object, lineup: Team) -> Verdict:
    """The verdict, or a `TypeError` or `ValueError` that says what was expected."""
    if not isinstance(verdict, Verdict):
        raise TypeError(f"expected a Verdict, found {type(verdict).__name__}")
    for problem in _odd_parts(verdict, lineup):
        raise TypeError(problem)
    for problem in _odd_texts(verdict):
        raise ValueError(problem)
    if verdict.outcome not in OUTCOMES:
        raise ValueError(f"expected one of {', '.join(OUTCOMES)} as the outcome, found {verdict.outcome!r}")
    if verdict.answer is None and verdict.outcome == "answered":
        raise ValueError("expected an answer where the outcome is 'answered', found None")
    if verdict.answer is not None and verdict.outcome == "abstained":
        raise ValueError(f"expected no answer where the outcome is 'abstained', found {verdict.answer!r:.40}")
    if verdict.answer is not None and not verdict.answer.strip():
        raise ValueError(f"expected words as the answer, or None, found {verdict.answer!r:.20}")
    seated = {player.name for player in lineup.players} | lineup.officers.keys()
    if strangers := [name for name in verdict.who if name not in seated]:
        raise ValueError(f"expected players or officers of the line-up as who, found {strangers[0]!r}")
    _check_players(verdict, lineup)
    return verdict


def _check_players(verdict: Verdict, lineup: Team) -> None:
    """A draft of somebody who does not play, or a second one of somebody who does, would count in the team's figures."""
    players = {player.name for player in lineup.players}
    heard: set[str] = set()
    for answer in verdict.answers:
        if answer.player not in players:
            raise ValueError(f"expected answers of players of the line-up, found one of {answer.player!r}")
        if answer.player in heard:
            raise ValueError(f"expected one answer of each player, found two of {answer.player!r}")
        heard.add(answer.player)


def _odd_parts(verdict: Verdict, lineup: Team) -> Iterator[str]:
    """What would be found out by whoever writes it down or reads it, far from here."""
    if not isinstance(verdict.answer, str | None):
        yield f"expected a text or None as the answer, found {type(verdict.answer).__name__}"
    if not isinstance(verdict.reasoning, str):
        yield f"expected a text as the reasoning, found {verdict.reasoning!r:.60}"
    if not isinstance(verdict.cause, str | None):
        yield f"expected a text or None as the cause, found {verdict.cause!r:.60}"
    if type(verdict.turns) is not int:
        yield f"expected a whole number as turns, found {verdict.turns!r:.60}"
    for part in ("who", "absent"):
        names: object = getattr(verdict, part)
        if not isinstance(names, tuple | list) or not all(isinstance(name, str) for name in names):
            yield f"expected a tuple of names as {part}, found {names!r:.60}"
    answers: object = verdict.answers
    if not isinstance(answers, tuple | list) or not all(isinstance(answer, Answer) for answer in answers):
        yield f"expected a tuple of Answer as answers, found {answers!r:.60}"
    else:
        yield from (problem for answer in answers for problem in _odd_answer(answer))
    try:
        yield from filter(None, map(_odd_record, verdict.traces))
    except Exception as error:  # noqa: BLE001  whatever is no record of a trace
        yield f"expected a tuple of traces, found {verdict.traces!r:.60} ({in_one_line(error)})"


def _odd_record(record: Trace) -> str | None:
    """Why it would not come back from a store as it is: one such made the reports of a whole store fail."""
    written = json.dumps(trace_json(record), ensure_ascii=False)
    return misfit(record) or (
        f"the record {type(record).__name__} {problem}" if (problem := unstorable(written)) else None
    )


def _odd_texts(verdict: Verdict) -> Iterator[str]:
    """The same of the words."""
    texts = {"the answer": verdict.answer, "the reasoning": verdict.reasoning, "the cause": verdict.cause}
    for answer in verdict.answers:
        texts |= {f"{answer.player}'s {part}": getattr(answer, part) for part in ("text", "reasoning", "cause")}
    for name, text in texts.items():
        if text is not None and (problem := unstorable(text)):
            yield f"{name} {problem}"


def _odd_answer(answer: Answer) -> Iterator[str]:
    """Which part of it does not fit: whoever gave a tuple of good ones and one that is odd looks for that one."""
    if not isinstance(answer.player, str):
        yield f"expected a name as the player of an answer, found {answer.player!r:.60}"
    for part in ("text", "cause"):
        if not isinstance(text := getattr(answer, part), str | None):
            yield f"expected a text or None as the {part} of {answer.player}'s answer, found {text!r:.60}"
    if not isinstance(answer.reasoning, str):
        yield f"expected a text as the reasoning of {answer.player}'s answer, found {answer.reasoning!r:.60}"
    if answer.outcome not in OUTCOMES:
        expected = f"expected one of {', '.join(OUTCOMES)} as the outcome"
        yield f"{expected} of {answer.player}'s answer, found {answer.outcome!r:.60}"
