"""`moot demo`: real runs that this project recorded, told as a report tells them. No model, no key, no network.

What is shown is computed from the recorded store in the very way in which `moot report` does it. The store comes with
the package, packed; it is unpacked into a folder of its own, since a package may lie where nobody may write.
"""

from __future__ import annotations

import asyncio
import gzip
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console as RichConsole
from rich.text import Text

from moot.cli.console import Console
from moot.cli.report import ReadRun, ReportWanted, read_report, write_report_page
from moot.cli.safe_text import print_json, say
from moot.errors import UsageError
from moot.report.ending import print_verdict
from moot.report.side_by_side import side_by_side

STORE = "recorded.db"
HOW = "README.md"
LINES = 15
"""Of each run."""
RECORDED = (
    "A recording, not played now: on 16 November 2026 two models answered 40 easy "
    "questions of moot's own (facts-en) on a machine with two cores, at temperature 0: "
    "SmolLM2 135M and Qwen2.5-Coder 1.5B, run by llama.cpp."
)


@dataclass(frozen=True, slots=True)
class Recorded:
    """An experiment of the recorded store, by its name, and what it is about."""

    name: str
    about: str

    @property
    def file(self) -> str:
        return f"{self.name}.yaml"


RUNS = (
    Recorded("six-small", "Six players of the small model, who differ by what they are shown first"),
    Recorded("one-large", "One player of the larger model, among four of the small one"),
)


def demo_command(*, page: Path | None = None, folder: Path | None = None, as_json: bool = False) -> int:
    if page is not None and page.suffix not in (".html", ".htm"):
        raise UsageError(f"-o: expected a name that ends in .html, found {str(page)!r}")
    with TemporaryDirectory(prefix="moot-demo-") as unpacked:
        unpack(Path(unpacked))
        wanted = ReportWanted(page=page is not None, pairs=True)
        runs = [asyncio.run(read_report(Path(unpacked) / run.file, None, wanted)) for run in RUNS]
    if folder is not None:
        _unpack_for_user(folder)
    if page is not None:
        write_report_page(page, runs, side_by_side(runs[0].run, runs[1].run))
    if as_json:
        print_json({run.name: read.run.figures for run, read in zip(RUNS, runs, strict=True)})
        return 0
    console = Console()
    _tell(runs, console)
    for line in _next(page, folder):
        console.print(Text(line), soft_wrap=True)
    return 0


def unpack(folder: Path) -> None:
    """The recorded store, its experiment files, and how it was made."""
    kept = files("moot.cli") / "recorded"
    folder.mkdir(parents=True, exist_ok=True)
    for name in (HOW, *(run.file for run in RUNS)):
        (folder / name).write_bytes((kept / name).read_bytes())
    with (
        (kept / f"{STORE}.gz").open("rb") as packed,
        gzip.open(packed) as source,
        (folder / STORE).open("wb") as target,
    ):
        shutil.copyfileobj(source, target)


def _unpack_for_user(folder: Path) -> None:
    """Never over what is there: it may be somebody's own store."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"--unpack: {folder}: expected a folder that is empty or not there yet")
    try:
        unpack(folder)
    except OSError as error:
        raise UsageError(f"--unpack: {folder}: {error.strerror}") from None
    say(f"moot: {folder}: the store, its experiment files, and how it was made", file=sys.stderr)


def _tell(runs: Sequence[ReadRun], console: RichConsole) -> None:
    console.print(Text(RECORDED, style="dim"))
    for number, (recorded, read) in enumerate(zip(RUNS, runs, strict=True), start=1):
        console.print(Text(f"\n{number}. {recorded.about}", style="bold"))
        print_verdict(dict(read.run.figures), console, lines=LINES)


def _next(page: Path | None, folder: Path | None) -> list[str]:
    first = RUNS[0].file
    beside = folder if folder is not None else Path("recorded")
    return [
        "",
        f"open {page}"
        if page
        else "moot demo -o demo.html         the page of both, with every question and all that was said",
        f"moot report {beside / first} --all"
        if folder
        else "moot demo --unpack recorded    the store itself, for report, show and compare",
        "moot init                      an experiment with your own models and questions",
    ]
