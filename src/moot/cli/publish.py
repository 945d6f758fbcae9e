"""`moot report FILE ... --publish FOLDER`: a leaderboard over many runs, with reports and recorded replies, for any web space."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from moot.cli.file_graders import FileGraders
from moot.cli.interrupts import ends_on_ctrl_c
from moot.cli.outputs import refuse_inputs
from moot.cli.report import open_existing
from moot.cli.safe_text import json_text, say
from moot.engine.export_calls import recorded_calls
from moot.errors import FileError, UsageError
from moot.experiment.spec import ExperimentFile, read_experiment
from moot.pasted import pasted
from moot.report.figures import Figures, figures
from moot.report.page.run import read_run, write_page
from moot.report.page.run_page import RunPage
from moot.report.publish.board import BOARD, BOARD_SCHEMA, PAGE, SCHEMA, is_board_schema, read_board
from moot.report.publish.board_page import board_html
from moot.report.publish.board_rows import BoardRow, PublishedRun, board_rows, cases_of, date_of
from moot.report.publish.experiment_again import (
    EXPERIMENT,
    REPLIES,
    as_yaml,
    experiment_again,
    files_beside,
    question_rows,
    recorded_names,
)
from moot.report.publish.hidden import HiddenWords, plain_json
from moot.report.publish.repeating import repeated
from moot.report.side_by_side import graders_of
from moot.report.wanted_plan import FoundPlan
from moot.stats.counted_words import count
from moot.store.examined import opened_to_read
from moot.store.rows import config_of
from moot.store.statements import Row
from moot.store.store import Store
from moot.whole_files import written_whole

RUNS = "runs"
REPORT = "report.html"
OURS = '<meta name="generator" content="moot">'
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class ReadToPublish:
    """One run, as it is to be published."""

    experiment: Row
    figures: Figures
    page: RunPage
    run: PublishedRun
    rows: Sequence[BoardRow]


def publish_command(paths: Sequence[Path], folder: Path, *, store: str | None) -> int:
    if not paths:
        raise UsageError("--publish: expected the experiment files whose runs are to be published")
    if store is not None and len(paths) > 1:
        raise UsageError("--store goes with one file: several files are read from their own stores")
    if len({path.resolve() for path in paths}) < len(paths):
        raise UsageError("--publish: one file stands there twice, and is one run; expected each once")
    new = list(takewhile(lambda each: not each.exists(), (folder, *folder.parents)))
    try:
        return _published(paths, folder, store)
    except BaseException:
        with suppress(OSError):  # what something was written into stays
            for each in new:
                each.rmdir()
        raise


def _published(paths: Sequence[Path], folder: Path, store: str | None) -> int:
    _check_folder(folder, paths, store)
    board = read_board(folder)
    files = [read_experiment(path) for path in paths]
    for file in files:
        if file.spec.kind != "production":
            raise file.error(("kind",), "a calibration is no result to be published; expected kind: production")
    rows: list[BoardRow] = []
    for file in files:
        published = asyncio.run(_publish(file, folder, store, paths))
        _refuse_twice(file, rows, published)
        rows += published
    board = board.joined(rows)
    _write(folder / SCHEMA, json.dumps(BOARD_SCHEMA, indent=1) + "\n")
    _write(folder / BOARD, board.written())
    _write(folder / PAGE, board_html(board.fitting))
    if board.problems:
        many = count(len(board.problems), "row does", "rows do")
        told = "; ".join(board.problems[:5]) + ("; …" if len(board.problems) > 5 else "")
        say(f"moot: {folder / BOARD}: {many} not fit {SCHEMA} and {_stay(board.problems)}: {told}", file=sys.stderr)
    say(f"moot: {folder / PAGE} ({count(len(board.fitting), 'row')})", file=sys.stderr)
    return 0


def _stay(problems: Sequence[str]) -> str:
    return "stays there unshown" if len(problems) == 1 else "stay there unshown"


async def _publish(file: ExperimentFile, folder: Path, url: str | None, paths: Sequence[Path]) -> list[BoardRow]:
    """Everything of one run but its rows, which are joined with the others'. `paths`: of all runs that are published."""
    hidden = HiddenWords(file)
    store, wanted = open_existing(file.path, url)
    graders = FileGraders(file)

    def read(connection: Connection) -> ReadToPublish:
        found = wanted.found(connection)
        _refuse_another(file, found)
        return _read(connection, graders.follow(connection, found.plan), file, hidden)

    async with opened_to_read(store):
        with ends_on_ctrl_c():
            reading = await store.read(read)
        if not reading.rows or reading.figures.get("headline") is None:
            raise UsageError(
                f"{file.path}: nothing was played that could be published; run it first: moot run {pasted(file.path)}"
            )
        place = folder / RUNS / _place(reading.run)
        files = dict(_files(file, reading, hidden))
        _refuse_inputs((place / name for name in (*files, REPLIES, REPORT)), paths, url)
        place.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            _write(place / name, content)
        await _write_replies(store, reading.experiment, file, place / REPLIES, hidden)
    graders.say()
    write_page(place / REPORT, reading.page.figures, reading.page.sections, reading.page.questions)
    again = await repeated(place / EXPERIMENT, reading.figures["headline"])
    where = f"{RUNS}/{place.name}"
    repeat: dict[str, Any] = {"file": f"{where}/{EXPERIMENT}", "same": again.same}
    if again.why is not None:
        repeat["why"] = hidden.text(again.why)
    said = "played again from what is published: the same verdict" if again.same else f"cannot be repeated: {again.why}"
    say(f"moot: {place}: {count(len(reading.rows), 'row')}; {said}", file=sys.stderr)
    return [{**row, "report": f"{where}/{REPORT}", "repeat": repeat} for row in reading.rows]


def _read(connection: Connection, experiment: Row, file: ExperimentFile, hidden: HiddenWords) -> ReadToPublish:
    all_figures = figures(connection, experiment, hypotheses=file.spec.hypotheses)

    def hiding(value: Any) -> Any:
        return hidden.value(plain_json(value))

    names = recorded_names(file)
    questions = file.spec.questions
    titles = [each.title for each in (questions if isinstance(questions, list) else [questions]) if each is not None]
    run = PublishedRun(
        file.spec.kept_as,
        cases_of(connection, experiment),
        {name: names.get(player.model, player.model) for name, player in file.spec.players.items()},
        {name: team.players for name, team in file.spec.teams.items()} or {"all": list(file.spec.players)},
        ", ".join(titles),
        graders_of(config_of(experiment)),
        date_of(connection, experiment),
    )
    page = read_run(connection, experiment, all_figures, hiding=hiding)
    rows = [hidden.value(row) for row in board_rows(connection, experiment, all_figures, run)]
    return ReadToPublish(experiment, all_figures, page, run, rows)


def _files(file: ExperimentFile, reading: ReadToPublish, hidden: HiddenWords) -> Iterator[tuple[str, str]]:
    """What stands beside the replies, by name."""
    yield EXPERIMENT, as_yaml(experiment_again(file, reading.run.cases, hidden))
    for name, rows in question_rows(reading.run.cases).items():
        yield name, "".join(json_text(row) + "\n" for row in rows)
    for name, path in files_beside(file).items():
        yield name, hidden.text(path.read_text(encoding="utf-8"))


async def _write_replies(store: Store, experiment: Row, file: ExperimentFile, path: Path, hidden: HiddenWords) -> None:
    names = recorded_names(file)
    if not names:
        return
    with _written(path) as draft, draft.open("w", encoding="utf-8") as lines:
        async for record in recorded_calls(store, experiment, names):
            lines.write(json_text(hidden.value(record)) + "\n")


def _written(path: Path) -> Any:
    path.parent.mkdir(parents=True, exist_ok=True)
    return written_whole(path)


def _write(path: Path, content: str) -> None:
    try:
        with _written(path) as draft:
            draft.write_text(content, encoding="utf-8")
    except OSError as error:
        raise FileError(f"cannot be written: {error.strerror or error}", file=path) from None


def _place(run: PublishedRun) -> str:
    """A name that any web space can hold."""
    return f"{_NOT_IN_A_NAME.sub('-', run.name).strip('-')[:40] or 'run'}-{run.ident[:8]}"


def _check_folder(folder: Path, paths: Sequence[Path], store: str | None) -> None:
    """Nobody's own page is written over, and nothing that the runs are made from."""
    try:
        if folder.exists() and not folder.is_dir():
            raise UsageError(f"--publish: {folder} is a file; expected a folder")
        folder.mkdir(parents=True, exist_ok=True)
        page = folder / PAGE
        if page.exists() and (
            not page.is_file() or OURS not in page.read_text(encoding="utf-8", errors="replace")[:5_000]
        ):
            raise UsageError(f"--publish: {page} was not written by moot and would be lost; expected another folder")
        schema = folder / SCHEMA
        if schema.exists() and not is_board_schema(schema):
            raise UsageError(f"--publish: {schema} was not written by moot and would be lost; expected another folder")
    except OSError as error:
        raise UsageError(f"--publish: {folder}: {error.strerror or error}") from None
    _refuse_inputs((folder / name for name in (PAGE, BOARD, SCHEMA)), paths, store)


def _refuse_inputs(targets: Iterable[Path], paths: Sequence[Path], store: str | None) -> None:
    try:
        refuse_inputs(targets, paths, store)
    except UsageError as error:
        raise UsageError(str(error).replace("-o: ", "--publish: ", 1)) from None


def _refuse_another(file: ExperimentFile, found: FoundPlan) -> None:
    """What is published as the run of a file is that run."""
    if found.not_of_file is not None:
        raise UsageError(
            f"--publish: {found.not_of_file}; expected the run of the file as it is: moot run {pasted(file.path)}"
        )


def _refuse_twice(file: ExperimentFile, rows: Sequence[Mapping[str, Any]], more: Sequence[Mapping[str, Any]]) -> None:
    if {row["id"] for row in rows} & {row["id"] for row in more}:
        problem = f"two files are one run of {file.spec.name!r}: the same models on the same questions"
        raise UsageError(f"--publish: {problem}; expected names (the key name) that tell them apart")
