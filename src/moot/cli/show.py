"""`moot show`: one question, whole: every prompt, reply and grade, as it is in the store. Without an id: which there are."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from moot.data.documents import parts_in_words
from moot.errors import UsageError
from moot.grade.match import NOT_KNOWN_YET
from moot.pasted import pasted
from moot.report.question_list import ListedQuestion, listed_questions
from moot.report.transcript import Transcript, named_side, transcripts
from moot.report.wanted_plan import FoundPlan
from moot.store.examined import opened_to_read
from moot.traces import trace_json

UNGRADED = NOT_KNOWN_YET.stage
"""The stage of a grade that says no more than that there is none."""

LONGEST_ID, LONGEST_TEXT = 24, 60
"""Of a question in the list; where there is no terminal, which has a width of its own."""
BETWEEN = "  "


def show_command(
    path: Path,
    question_id: str | None,
    *,
    strategy: str | None,
    store: str | None,
    as_json: bool,
    by_the_page: bool = True,
) -> int:
    if question_id is None:
        return _list(path, strategy, store, as_json=as_json, by_the_page=by_the_page)
    stored_transcripts = asyncio.run(_read(path, question_id, strategy, store))
    if as_json:
        print_json([transcript.json() for transcript in stored_transcripts])
        return 0
    with paged(wanted=by_the_page) as console:
        for transcript in stored_transcripts:
            print_transcript(transcript, console)
    return 0


def _list(path: Path, strategy: str | None, url: str | None, *, as_json: bool, by_the_page: bool) -> int:
    listed = asyncio.run(_read_list(path, strategy, url))
    if as_json:
        print_json([question.json() for question in listed])
        return 0
    with paged(wanted=by_the_page) as console:
        for line in _lines_of(listed, console.width if console.is_terminal else None):
            console.print(line, soft_wrap=True)
        console.print(Text(f"\nmoot show {pasted(path)} {pasted(listed[0].id)} shows one whole", "dim"))
    return 0


def _lines_of(listed: Sequence[ListedQuestion], width: int | None) -> Iterator[Text]:
    """A line each. `width`: of the terminal; without one those who were right are all named."""
    rows = [(Text("id", "dim"), Text("question", "dim"), Text("right", "dim"))]
    for question in listed:
        asked = Text(" ".join(question.text.split()))
        rows.append((Text(question.id), asked, Text(_who_was_right(question))))
    longest = [max(cell.cell_len for cell in column) for column in zip(*rows, strict=True)]
    first, last = min(longest[0], LONGEST_ID), longest[2]
    if width is not None:
        last = min(last, (width - first - 2 * len(BETWEEN)) // 2)
    middle = min(longest[1], LONGEST_TEXT if width is None else width - first - last - 2 * len(BETWEEN))
    for ident, asked, right in rows:
        ident.truncate(first, overflow="ellipsis", pad=True)
        asked.truncate(middle, overflow="ellipsis", pad=True)
        right.truncate(last, overflow="ellipsis")
        yield Text(BETWEEN).join((ident, asked, right))


def _who_was_right(question: ListedQuestion) -> str:
    """Nobody is said to be wrong who is not graded."""
    if not question.scores:
        return "not played"
    names = ", ".join(question.right) or ("nobody" if not question.ungraded else "nobody yet")
    return f"{names} ({question.ungraded} ungraded)" if question.ungraded else names


async def _read_list(path: Path, strategy: str | None, url: str | None) -> list[ListedQuestion]:
    store, wanted = open_existing(path, url)
    side = named_side(strategy)

    def read(connection: Connection) -> tuple[FoundPlan, list[ListedQuestion]]:
        found = wanted.found(connection)
        return found, listed_questions(connection, found.plan, side)

    async with opened_to_read(store):
        found, listed = await store.read(read)
    tell_whose(found)
    if not any(question.scores for question in listed):
        raise UsageError(f"no episode of {strategy or 'any strategy'} is stored yet")
    return listed


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
    if transcript.documents:
        _print_block("documents", "\n".join(parts_in_words(transcript.documents)), console)
    for call in transcript.calls:
        heading = f"{call['player']} · {call['stage']} · turn {call['turn']} · attempt {call['attempt'] + 1}"
        console.print(Text(heading, style="bold"))
        _print_messages(call["messages"], console)
        if call["text"] is not None:
            took = "" if call["latency_s"] is None else f", {call['latency_s']:.2f} s"
            _print_block(f"reply ({call['finish']}{took})", call["text"], console)
        for name in ("error", "problem"):
            if call[name]:
                _print_block(name, call[name], console)
    verdict = transcript.verdict
    _print_block("verdict", f"{verdict.answer if verdict.answer is not None else '–'} ({verdict.outcome})", console)
    if verdict.cause:
        _print_block("cause", verdict.cause, console)
    if verdict.note:
        _print_block("note", verdict.note, console)
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
    if transcript.value is None and transcript.reference is None:
        return grade  # nobody has given one: that is not the reference that says that there is no answer
    return f"{grade}; the reference is {transcript.reference!r}"


def _print_messages(messages: Iterable[Mapping[str, Any]], console: Console) -> None:
    for message in messages:
        _print_block(str(message["role"]), str(message["content"]), console)


def _print_block(name: str, text: str, console: Console) -> None:
    console.print(Text(name, style="cyan"))
    console.print(Padding(Text(text), (0, 0, 0, 2)))
