"""`moot report`: the figures of a store, as tables in the terminal, as JSON, as a page, or as files."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from sqlalchemy import Connection

from moot.cli.conditions import checked_conditions, judged
from moot.cli.file_graders import FileGraders
from moot.cli.interrupts import ends_on_ctrl_c
from moot.cli.outputs import checked_output, refuse_inputs
from moot.cli.safe_text import print_json, say
from moot.cli.since import read_since
from moot.errors import UsageError
from moot.experiment.spec import read_experiment
from moot.measures import NOT_AT_THE_END
from moot.measures.asked_cases import CasesOnce
from moot.measures.claims.words import claims_nothing_words
from moot.measures.reserved import SERVED
from moot.measures.source import Source
from moot.pasted import pasted
from moot.report.figures import figures
from moot.report.frames import RAW, stored_columns
from moot.report.sections import all_sections
from moot.report.served import served_report, without_unasked
from moot.report.side_by_side import Run, graders_of, run_of, run_with_pairs, side_by_side, side_by_side_sections
from moot.report.story import FEW, stories
from moot.report.tables import TableFormat, needs_polars, rows_columns, section_columns, write_tables
from moot.report.wanted_plan import FoundPlan, WantedPlan, refuse_one_run_twice
from moot.store import from_here, store_at
from moot.store.examined import opened_to_read
from moot.store.rows import config_of
from moot.store.store import Store

STORES = ("sqlite:", "postgresql:", "postgresql+", "postgres:")
"""So the address of a store begins, whatever reading it as a path has made of its slashes."""


@dataclass(frozen=True, slots=True)
class ReportWanted:
    """What is read of each run: all of it needs the figures, little of it the rest."""

    page: bool = False
    tables: bool = False
    pairs: bool = False
    stories: bool = False
    ending: bool = False
    """Only what a run ends with."""


@dataclass(frozen=True, slots=True)
class ReadRun:
    """One run as it was asked for."""

    run: Run
    page: Any = None
    raw: Mapping[str, Any] = field(default_factory=dict)
    """What the store holds, as tables by name."""
    stories: Sequence[str] = ()
    """A few questions told in words."""
    found: FoundPlan | None = None
    graded_by: tuple[str, ...] = ()
    store: str = ""
    """By its name."""


def report_command(
    paths: Sequence[Path],
    *,
    store: str | None,
    as_json: bool,
    output: Path | None = None,
    table_format: str | None = None,
    served: bool = False,
    since: str | None = None,
    sections: Sequence[str] = (),
    everything: bool = False,
    conditions: Sequence[str] = (),
    plan: str | None = None,
) -> int:
    kind = _checked(paths, store, as_json, output, table_format)
    told = _told_in_terminal(paths, as_json or output is not None or kind is not None, sections, everything)
    checked_conditions(conditions)
    from_when = _since(since, served, told, kind, len(paths))
    if conditions and len(paths) > 1:
        raise UsageError("--fail-under goes with one file")
    if plan is not None and len(paths) > 1:
        raise UsageError("--plan goes with one file")
    if output is not None and kind is None:
        output = checked_output(output, paths, store)
    as_columns = kind is not None and kind != "latex"
    wanted = ReportWanted(
        output is not None and kind is None,
        as_columns,
        len(paths) > 1,
        stories=everything,
        ending=told == "ending" and output is None and kind is None and not (as_json or conditions),
    )
    runs = [asyncio.run(read_report(path, store, wanted, served, plan, since=from_when)) for path in (paths or (None,))]
    if len(runs) > 1:
        _refuse_one_run_twice(paths, runs)
    told_of = judged(conditions, runs[0].run.figures)  # before anything is shown: a figure may not be there
    both = side_by_side(runs[0].run, runs[1].run) if len(runs) > 1 else None
    if output is not None or kind is not None:  # else it stands on top of the figures, or is a key of them
        for reading in runs:
            tell_whose(reading.found)
    if kind is not None:
        folder = output or Path("report")
        refuse_inputs(_table_files(folder, kind, runs, both), paths, store)
        _write_tables(folder, kind, runs, both)
    elif output is not None:
        write_report_page(output, runs, both)
    elif as_json:
        print_json(both or runs[0].run.figures)
    else:
        _tell(told, runs, both, sections, (paths[0] if paths else None, store, served, since))
    for condition in told_of:
        say(f"moot: {'met' if condition.holds else 'not met'}: {condition.words}", file=sys.stderr)
    return 0 if all(condition.holds for condition in told_of) else 1


def _tell(
    told: str,
    runs: Sequence[ReadRun],
    both: dict[str, Any] | None,
    sections: Sequence[str],
    asked_with: tuple[Path | None, str | None, bool, str | None],
) -> None:
    """In the terminal. `asked_with`: file, store, --served and --since, for the commands that come next."""
    from moot.cli.console import Console

    figures = runs[0].run.figures
    if told == "ending":
        from moot.report.ending import print_ending
        from moot.report.next_commands import NextCommands
        from moot.report.served_terminal import print_served

        path, store, served, since = asked_with
        following = NextCommands.of(path, store, served=served, since=since)
        if (asked := figures.get(SERVED)) is not None:
            print_served(figures["experiment"], asked, Console(), following)
        else:
            print_ending(dict(figures), Console(), following)
    elif told == "sections":
        from moot.report.terminal import print_sections

        print_sections(without_unasked(figures), Console(), sections)
    elif both is not None and told == "beside":
        from moot.report.two_runs import print_two_runs

        print_two_runs(both, Console())
    else:
        _print(runs, both, str(asked_with[0] or "FILE"))


def _since(since: str | None, served: bool, told: str, kind: str | None, files: int) -> float | None:
    """As seconds of the clock. The tables of a run are over all that it was asked, so they do not go with it."""
    if since is None:
        return None
    if not served:
        raise UsageError("--since goes with --served: a run has no days; expected moot report FILE --served --since 7d")
    if files > 1:
        raise UsageError("--since goes with one file")
    if told != "ending" or kind is not None:
        raise UsageError(
            "--since goes with what --served tells by itself, --json and -o; expected it without --section, --all and --format,"
            " whose tables are over all that was asked"
        )
    return read_since(since, time.time())


def _told_in_terminal(
    paths: Sequence[Path], elsewhere: bool, sections: Sequence[str], everything: bool
) -> Literal["ending", "sections", "beside", "all"]:
    """Two runs beside each other are told in short: what is asked there is how they differ."""
    if elsewhere and (sections or everything):
        raise UsageError("--section and --all are for the terminal: expected them without -o, --json and --format")
    if sections and everything:
        raise UsageError("--all shows every section: expected it without --section")
    if len(paths) > 1:
        if sections:
            raise UsageError("--section goes with one file")
        return "all" if everything else "beside"
    return "sections" if sections else "all" if everything else "ending"


def _checked(
    paths: Sequence[Path], store: str | None, as_json: bool, output: Path | None, table_format: str | None
) -> TableFormat | Literal["latex"] | None:
    """Everything that can be wrong with the command itself, before a store is opened."""
    if len(paths) > 2:
        raise UsageError(f"expected one experiment file or two side by side, found {len(paths)}")
    if len(paths) == 2 and store is not None:
        raise UsageError("--store goes with one file: two files are read from their own stores")
    if table_format not in (None, "csv", "parquet", "latex"):
        raise UsageError(f"--format: expected csv, parquet or latex, found {table_format!r}")
    if as_json and (output is not None or table_format is not None):
        raise UsageError("--json prints on stdout: expected it without -o and --format")
    if output is not None and table_format is None and output.suffix not in (".html", ".htm"):
        raise UsageError(f"-o: expected a name that ends in .html, or a folder with --format; found {str(output)!r}")
    if table_format == "parquet":
        needs_polars("--format parquet")
    match table_format:
        case "csv" | "parquet" | "latex":
            return table_format
    return None


async def read_report(
    path: Path | None,
    url: str | None,
    wanted: ReportWanted,
    served: bool = False,
    plan: str | None = None,
    *,
    since: float | None = None,
) -> ReadRun:
    """`since`: seconds of the clock; only what a served team was asked from then on."""
    store, wanted_plan = open_existing(path, url, served=served)
    file = read_experiment(path, with_questions=False) if path is not None else None
    as_served = served or (file is not None and file.spec.questions is None)
    hypotheses = file.spec.hypotheses if file is not None else []
    graders = FileGraders(file) if file is not None and not served else None  # what was served goes by what people said

    def read(connection: Connection) -> ReadRun:
        asked: dict[str, Any] = {}
        if as_served and not wanted.pairs:
            week = served_report(connection, wanted_plan.name, file, since=since, plan=plan)
            asked[SERVED] = week.figures
            if since is not None or wanted.ending:  # the tables of a run are over all that was ever asked
                return _of_served(week.name, asked, wanted.page)
        read_once = CasesOnce(connection)
        found = wanted_plan.found_once(connection, plan, read_once)
        experiment = found.plan if graders is None else graders.follow(connection, found.plan)
        left = NOT_AT_THE_END if wanted.ending else ()
        run_figures = (
            found.noted(figures(connection, experiment, hypotheses=hypotheses, without=left, asked=read_once)) | asked
        )
        page = None
        if wanted.page:
            from moot.report.page.run import read_run

            page = read_run(connection, experiment, without_unasked(run_figures))
        raw: dict[str, Any] = {}
        if wanted.tables:
            raw = {kind: stored_columns(connection, kind, experiment["name"]) for kind in RAW}
        run = run_of(run_figures, {})
        if wanted.pairs:
            run = run_with_pairs(run_figures, Source(connection, experiment))
        told = stories(connection, experiment) if wanted.stories and run_figures["questions"] <= FEW else ()
        return ReadRun(run, page, raw, told, found, graders_of(config_of(experiment)), store.name)

    async with opened_to_read(store):
        with ends_on_ctrl_c():
            found = await store.read(read)
    if graders is not None:
        graders.say()
    return found


def _of_served(name: str, asked: Mapping[str, Any], page: bool) -> ReadRun:
    """Nothing but what was asked within some time."""
    shown = {"experiment": name, "questions": asked[SERVED]["questions"], **asked}
    found = None
    if page:
        from moot.report.page.served_page import served_page

        found = served_page(shown)
    return ReadRun(run_of(shown, {}), found)


def _print(runs: Sequence[ReadRun], both: dict[str, Any] | None, source: str) -> None:
    from rich.text import Text

    from moot.cli.console import Console
    from moot.report.section_terminal import section_parts
    from moot.report.terminal import print_report

    console = Console()
    for number, reading in enumerate(runs):
        if both:
            title = f"{('First', 'Second')[number]} run: {reading.run.figures['experiment']}"
            console.print(Text(title, style="bold"))
        print_report(without_unasked(reading.run.figures), console, source="FILE" if both else source)
        for story in reading.stories:
            console.print(f"\n{story}", highlight=False)
    for section in side_by_side_sections(both) if both else ():
        for part in section_parts(section):
            console.print(part)


def write_report_page(output: Path, runs: Sequence[ReadRun], both: dict[str, Any] | None) -> None:
    from moot.report.page.run import write_page

    first = runs[0].page
    beside = runs[1].page if len(runs) > 1 else None
    try:
        between = side_by_side_sections(both) if both else ()
        write_page(output, first.figures, first.sections, first.questions, beside=beside, between=between)
    except OSError as error:
        raise UsageError(f"-o: {output}: {error.strerror}") from None
    say(f"moot: {output} ({output.stat().st_size / 1e6:.1f} MB)", file=sys.stderr)


def _table_files(folder: Path, kind: str, runs: Sequence[ReadRun], both: dict[str, Any] | None) -> Iterator[Path]:
    """Every file that may be written."""
    ids = {section.id for reading in runs for section in all_sections(reading.run.figures)}
    ids |= {section.id for section in (side_by_side_sections(both) if both else ())}
    names = {*RAW, "accuracy", *ids, *map(_file_name, ids)}
    ending = "tex" if kind == "latex" else kind
    for place in (folder, folder / "run-1", folder / "run-2"):
        yield from (place / f"{name}.{ending}" for name in sorted(names))


def _write_tables(
    folder: Path, kind: TableFormat | Literal["latex"], runs: Sequence[ReadRun], both: dict[str, Any] | None
) -> None:
    headlines = [reading.run.figures.get("headline") or {} for reading in runs]
    for sentence in dict.fromkeys(words for headline in headlines for words in claims_nothing_words(headline)):
        say(f"moot: {sentence}", file=sys.stderr)
    written: list[Path] = []
    between = side_by_side_sections(both) if both else ()
    places = [folder / f"run-{number}" if both else folder for number in range(1, len(runs) + 1)]
    try:
        if kind == "latex":
            from moot.report.latex import write_latex, write_run_latex

            for place, reading in zip(places, runs, strict=True):
                written += write_run_latex(place, reading.run.figures)
            written += write_latex(folder, between)
        else:
            for place, reading in zip(places, runs, strict=True):
                sections = all_sections(reading.run.figures)
                tables = {_file_name(section.id): section_columns(section) for section in sections}
                tables |= {"accuracy": rows_columns(reading.run.figures["accuracy"]), **reading.raw}
                written += write_tables(place, kind, tables)
            for section in between:
                written += write_tables(folder, kind, {section.id: section_columns(section)})
    except OSError as error:
        raise UsageError(f"-o: {folder}: {error.strerror}") from None
    say(f"moot: {len(written)} tables in {folder}", file=sys.stderr)


def _file_name(section: str) -> str:
    """A section of somebody's measure does not stand in the place of what the store holds."""
    return f"section-{section}" if section in RAW else section


def _refuse_one_run_twice(paths: Sequence[Path], runs: Sequence[ReadRun]) -> None:
    """One run by two graders is no run against itself: that the graders differ is told."""
    plans = [(reading.store, reading.found.plan["id"]) for reading in runs if reading.found is not None]
    found = [reading.found for reading in runs if reading.found is not None]
    graded_otherwise = len({reading.graded_by for reading in runs}) > 1 and not any(plan.not_of_file for plan in found)
    if len(set(plans)) == 1 and not graded_otherwise:
        refuse_one_run_twice([read_experiment(path, with_questions=False) for path in paths], found)


def tell_whose(found: FoundPlan | None) -> None:
    """On the other stream than what was asked for: that this is not the run of the file as it is now."""
    if found is not None and found.not_of_file is not None:
        say(f"moot: {found.not_of_file}", file=sys.stderr)


def open_existing(path: Path | None, url: str | None, *, served: bool = False) -> tuple[Store, WantedPlan]:
    """The store of an experiment file or of a URL, which must be there: a report creates nothing. And which plan of it is meant.

    `served`: what the file's team was asked when served, and not its runs. A team file has nothing else.
    """
    if path is None and url is None:
        raise UsageError("expected an experiment file or --store URL; moot runs lists what there is here")
    wanted, beside = WantedPlan(), None
    if path is not None:
        if str(path).startswith(STORES):
            raise UsageError(f"{path}: expected an experiment file; a store goes after --store, as sqlite:///PATH")
        file = read_experiment(path, with_questions=False)
        wanted, beside = WantedPlan(file.spec.kept_as, file), path.parent
        if served or file.spec.questions is None:
            from moot.live.served import served_name

            wanted = WantedPlan(served_name(file.spec.kept_as))
        url = from_here(url) if url else file.store_url
    assert url is not None
    store = store_at(url, beside=beside)
    first = f"there is no store at {store.name} yet; run the experiment first: moot run {pasted(path)}"
    return store.needed(first), wanted
