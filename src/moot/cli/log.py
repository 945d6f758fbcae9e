"""`moot log`: what was asked before, by its words; one of them whole by its id."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from rich.text import Text
from sqlalchemy import Connection

from moot.cli.console import Console
from moot.cli.interrupts import ends_on_ctrl_c
from moot.cli.pager import paged
from moot.cli.report import open_existing
from moot.cli.safe_text import print_json
from moot.cli.show import print_transcript
from moot.errors import UsageError
from moot.live.question_log import PLACE, SHORT, LoggedQuestion, log_file, logged, logged_as
from moot.report.transcript import Transcript, transcripts
from moot.stats.counted_words import count
from moot.store import queries
from moot.store.examined import opened_to_read
from moot.store.sqlite import SqliteStore
from moot.store.store import Store

_ID = re.compile(f"[0-9a-f]{{4,{SHORT}}}")


@dataclass(frozen=True, slots=True)
class Found:
    """What was looked for: a list, or one of them whole."""

    entries: Sequence[LoggedQuestion]
    whole: Sequence[Transcript] = ()


def log_command(
    words: Sequence[str],
    *,
    team: Path | None,
    store: str | None,
    runs: bool,
    most: int,
    as_json: bool,
    by_the_page: bool = True,
) -> int:
    found = asyncio.run(_find(_store(team, store), words, runs=runs, most=most))
    if as_json:
        whole = [transcript.json() for transcript in found.whole]
        rows = [entry.json() for entry in found.entries]
        print_json({**rows[0], "episode": whole[0]} if whole else rows)
    elif found.whole:
        with paged(wanted=by_the_page) as console:
            _print_whole(found.entries[0], found.whole[0], console)
    else:
        _print(found.entries, words, Console(), most=most)
    return 0 if found.entries else 1


def _store(team: Path | None, url: str | None) -> Store:
    if team is not None or url is not None:
        return open_existing(team, url)[0]
    file = log_file()
    if file is None:
        raise UsageError(f"{PLACE} is off, and nothing is logged; expected --team FILE or --store URL")
    return SqliteStore(file).needed(f'nothing is logged at {file} yet: moot ask "..." logs what it is asked')


async def _find(store: Store, words: Sequence[str], *, runs: bool, most: int) -> Found:
    def read(connection: Connection) -> Found:
        if len(words) == 1 and _ID.fullmatch(words[0]):
            entry = logged_as(connection, words[0])
            if entry is not None:
                return Found([entry], transcripts_of(connection, entry))
        return Found(logged(connection, words, most=most, runs=runs))

    async with opened_to_read(store):
        with ends_on_ctrl_c():
            return await store.read(read)


def transcripts_of(connection: Connection, entry: LoggedQuestion) -> list[Transcript]:
    experiment = queries.experiment_of(connection, entry.experiment)
    return transcripts(connection, experiment, entry.case.question.id, play=(entry.cell["id"], entry.repeat))


def _print(entries: Sequence[LoggedQuestion], words: Sequence[str], console: Console, *, most: int) -> None:
    for entry in entries:
        _print_line(Text(f"  {_one_line(entry.text)}"), console, above=entry)
        answer = _one_line(entry.answer_words) if entry.answer is not None else entry.outcome
        _print_line(Text(f"  → {answer}"), console)
    if not entries:
        console.print(Text(f"nothing that was asked has {' and '.join(words)}" if words else "nothing has been asked"))
    elif len(entries) == most:
        console.print(Text(f"the newest {most:,}; --limit shows more", style="dim"))


def _print_line(line: Text, console: Console, above: LoggedQuestion | None = None) -> None:
    if above is not None:
        when = f"{datetime.fromtimestamp(above.asked_at):%Y-%m-%d %H:%M}"
        head = Text.assemble((above.id, "bold"), f"  {when}  ", (f"{_team(above)} · {above.title}", "dim"))
        if above.others:
            head.append(f" and {count(len(above.others), 'other')}", "dim")
        if above.outcome != "answered":
            head.append(f" · {above.outcome}")
        console.print(head, no_wrap=True, overflow="ellipsis")
    console.print(line, no_wrap=True, overflow="ellipsis")


def _team(entry: LoggedQuestion) -> str:
    return entry.name.removesuffix(":asked").replace(":served", ", served")


def _one_line(text: str | None) -> str:
    return " ".join((text or "").split())


def _print_whole(entry: LoggedQuestion, transcript: Transcript, console: Console) -> None:
    for role, said in entry.before:
        console.print(Text(f"{role}: {said}", style="dim"))
    console.print(Text(entry.text, style="bold"))
    print_transcript(transcript, console)
    if entry.asked_with is not None:
        command = f'moot ask --after {entry.id} "..."'
        console.print(Text.assemble((command, "bold"), "  goes on from here"))
