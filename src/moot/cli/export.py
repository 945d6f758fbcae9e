"""`moot export`: the store as recorded replies, to play the experiment again without its models; or as questions."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TextIO

from moot.cli.outputs import checked_output
from moot.cli.report import open_existing, tell_whose
from moot.cli.safe_text import json_text, say
from moot.engine.export import recorded_replies
from moot.errors import FileError, UsageError
from moot.live.feedback import learnt_questions, loadable
from moot.stats.counted_words import count
from moot.store.examined import opened_to_read
from moot.store.statements import Row
from moot.store.store import Store
from moot.whole_files import written_whole

TABLES = (".csv", ".tsv", ".parquet", ".xlsx", ".xls", ".ods")
"""What is written is none of them, whatever it is called."""


def export_command(path: Path, output: Path, *, store: str | None, questions: bool, served: bool) -> int:
    if str(output) != "-":
        output = checked_output(output, [path], store)
    if output.suffix.lower() in TABLES:
        raise UsageError(
            f"-o: what is written is JSON lines; expected a name that ends in .jsonl, found {str(output)!r}"
        )
    written = asyncio.run(_export(path, output, store, questions=questions, served=served))
    told = count(written, "question") if questions else count(written, "reply", "replies")
    say(f"moot: {told}", file=sys.stderr)
    return 0


async def _export(path: Path, output: Path, url: str | None, *, questions: bool, served: bool) -> int:
    write = _write_questions if questions else _write
    store, wanted = open_existing(path, url, served=served)
    async with opened_to_read(store):
        found = await store.read(wanted.found)
        tell_whose(found)
        experiment = found.plan
        if str(output) == "-":
            return await write(store, experiment, sys.stdout)
        # Written beside and moved: a file of replies that ends in the middle would be taken for silence.
        try:
            with written_whole(output) as draft, draft.open("w", encoding="utf-8") as lines:
                return await write(store, experiment, lines)
        except OSError as error:
            raise FileError(f"cannot be written: {error.strerror or error}", file=output) from None


async def _write_questions(store: Store, experiment: Row, lines: TextIO) -> int:
    learnt = await store.read(lambda connection: list(learnt_questions(connection, experiment)))
    questions = list(loadable(learnt))
    if left_out := len(learnt) - len(questions):
        say(f"moot: {left_out} left out, with a text or an answer that no question file can hold", file=sys.stderr)
    if not questions:
        raise UsageError("nobody has said yet what was right, so there are no questions to export: POST /v1/feedback")
    lines.writelines(json_text(question) + "\n" for question in questions)
    return len(questions)


async def _write(store: Store, experiment: Row, lines: TextIO) -> int:
    written, together = 0, list[int]()
    async for recorded in recorded_replies(store, experiment["id"], together.append):
        lines.write(json_text(recorded) + "\n")
        written += 1
    if written == 0:
        raise UsageError("no usable draft of any player is stored, so there is nothing to export")
    if together:
        took = f"{count(len(together), 'reply', 'replies')} took {sum(together):,} calls with those that were of no use"
        say(f"moot: {took}: what these cost is in it, and played back each is one call", file=sys.stderr)
    return written
