"""`moot show`: one question, whole: every prompt, reply and grade, as it is in the store."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from rich.padding import Padding
from rich.rule import Rule
from rich.text import Text
from sqlalchemy import Connection

from moot.cli.console import Console
from moot.cli.pager import paged
from moot.cli.report import open_existing, tell_whose
from moot.cli.safe_text import print_json
from moot.errors import UsageError
from moot.grade.match import NOT_KNOWN_YET
from moot.report.transcript import Transcript, transcripts
from moot.report.wanted_plan import FoundPlan
from moot.store.examined import opened_to_read
from moot.traces import trace_json

UNGRADED = NOT_KNOWN_YET.stage
"""The stage of a grade that says no more than that there is none."""


def show_command(
    path: Path, question_id: str, *, strategy: str | None, store: str | None, as_json: bool, by_the_page: bool = True
) -> int:
    stored_transcripts = asyncio.run(_read(path, question_id, strategy, store))
    if as_json:
        print_json([transcript.json() for transcript in stored_transcripts])
        return 0
    with paged(wanted=by_the_page) as console:
        for transcript in stored_transcripts:
            print_transcript(transcript, console)
    return 0


async def _read(path: Path, question_id: str, strategy: str | None, url: str | None) -> list[Transcript]:
    store, wanted = open_existing(path, url)

    def read(connection: Connection) -> tuple[FoundPlan, list[Transcript]]:
        found = wanted.found(connection)
        return found, transcripts(connection, found.plan, question_id, strategy)

    async with opened_to_read(store):
        found, stored_transcripts = await store.read(read)
    tell_whose(found)
    if not stored_transcripts:
        raise UsageError(f"no episode of {strategy or 'any strategy'} on question {question_id!r} is stored yet")
    return stored_transcripts


def print_transcript(transcript: Transcript, console: Console) -> None:
    console.print(Rule(f"{transcript.title} · repeat {transcript.repeat}", align="left"))
    for call in transcript.calls:
        heading = f"{call['player']} · {call['stage']} · turn {call['turn']} · attempt {call['attempt'] + 1}"
        console.print(Text(heading, style="bold"))
        _print_messages(call["messages"], console)
        if call["text"] is not None:
            _print_block(f"reply ({call['finish']}, {call['latency_s']:.2f} s)", call["text"], console)
        for name in ("error", "problem"):
            if call[name]:
                _print_block(name, call[name], console)
    verdict = transcript.verdict
    _print_block("verdict", f"{verdict.answer if verdict.answer is not None else '–'} ({verdict.outcome})", console)
    if verdict.cause:
        _print_block("cause", verdict.cause, console)
    for record in verdict.traces:
        stored = trace_json(record)
        _print_block(stored.pop("kind"), "\n".join(_lines(stored)), console)
    _print_block("grade", _grade(transcript), console)


def _lines(record: Mapping[str, Any]) -> Iterator[str]:
    """A record as it is stored, a line for each part; those who stand behind one thing are joined by a plus."""
    for name, value in record.items():
        yield f"{name.replace('_', ' ')}: {_words(value)}"


def _words(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {_words(part)}" for key, part in value.items()) or "none"
    if isinstance(value, list | tuple):
        return ", ".join(
            "+".join(map(_words, part)) if isinstance(part, list | tuple) else _words(part) for part in value
        )
    return {True: "yes", False: "no", None: "–"}[value] if value is None or isinstance(value, bool) else str(value)


def _grade(transcript: Transcript) -> str:
    if transcript.stage is None:
        return "not graded yet"
    if transcript.value is None:
        why = transcript.detail or "whoever grades left it open"
        left_open = "" if transcript.stage == UNGRADED else f", {transcript.stage}"
        grade = f"ungraded{left_open}: {why}"
    else:
        beside = f": {transcript.detail}" if transcript.detail else ""
        grade = f"{transcript.value:g} (by {transcript.stage}{beside})"
    return f"{grade}; the reference is {transcript.reference!r}"


def _print_messages(messages: Iterable[Mapping[str, Any]], console: Console) -> None:
    for message in messages:
        _print_block(str(message["role"]), str(message["content"]), console)


def _print_block(name: str, text: str, console: Console) -> None:
    console.print(Text(name, style="cyan"))
    console.print(Padding(Text(text), (0, 0, 0, 2)))
