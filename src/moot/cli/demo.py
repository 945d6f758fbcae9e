"""`moot demo`: a real run that this project recorded, told as a report tells it. No model, no key, no network.

What is shown is computed from the recorded store in the very way in which `moot report` and `moot compare` do it. The store
comes with the package, packed; it is unpacked into a folder of its own, since a package may lie where nobody may write.
"""

from __future__ import annotations

import asyncio
import gzip
import sys
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.text import Text

from moot.cli.compare import compared_in
from moot.cli.console import Console
from moot.cli.report import ReportWanted, read_report, write_report_page
from moot.cli.safe_text import print_json, say
from moot.errors import UsageError
from moot.measures.numbers import percent
from moot.report.compare import words
from moot.report.ending import print_verdict

FILE = "six-small.yaml"
STORE = "recorded.db"
LINES = 11
"""Of the verdict and its table: with all that stands around them they fit a screen of 24."""
RECORDED = (
    "A recording, nothing is played now: on 16 November 2026 six players of SmolLM2 135M, a very small local model, "
    "answered 40 easy questions (facts-en) at temperature 0. They differ by the worked examples each is shown."
)
VOTE, CAPTAIN = "vote@ann", "talkative@ann"


def demo_command(*, page: Path | None = None, folder: Path | None = None, as_json: bool = False) -> int:
    if page is not None and page.suffix not in (".html", ".htm"):
        raise UsageError(f"-o: expected a name that ends in .html, found {str(page)!r}")
    with TemporaryDirectory(prefix="moot-demo-") as unpacked:
        unpack(Path(unpacked))
        file = Path(unpacked) / FILE
        read = asyncio.run(read_report(file, None, ReportWanted(page=page is not None)))
        captain = asyncio.run(compared_in(str(file), CAPTAIN, VOTE))
    if folder is not None:
        _unpack_for_user(folder)
    if page is not None:
        write_report_page(page, [read], None)
    if as_json:
        print_json(read.run.figures)
        return 0
    console = Console()
    console.print(Text(RECORDED, style="italic"))
    print_verdict(dict(read.run.figures), console, lines=LINES, rest="-o")
    console.print(Text(_alone(read.run.figures)))
    console.print(Text(" ".join(words(captain))))
    for line in _next(page, folder):
        console.print(Text(line), soft_wrap=True)
    return 0


def unpack(folder: Path) -> None:
    """The recorded store, its experiment file, and how it was made."""
    kept = files("moot.cli") / "recorded"
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("README.md", "record.sh", FILE):
        (folder / name).write_bytes((kept / name).read_bytes())
    (folder / STORE).write_bytes(gzip.decompress((kept / f"{STORE}.gz").read_bytes()))


def _unpack_for_user(folder: Path) -> None:
    """Never over what is there: it may be somebody's own store."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"--unpack: {folder}: expected a folder that is empty or not there yet")
    try:
        unpack(folder)
    except OSError as error:
        raise UsageError(f"--unpack: {folder}: {error.strerror}") from None
    say(f"moot: {folder}: the store, its experiment file, and how it was made", file=sys.stderr)


def _alone(figures: Mapping[str, Any]) -> str:
    """What a team is up against: whoever picks one of them beforehand does not know which."""
    values = sorted(row["value"] for row in figures["accuracy"] if row.get("player"))
    span = f"{percent(values[0])} to {percent(values[-1])}"
    return f"Alone the {len(values)} answered {span}; who is best shows only afterwards."


def _next(page: Path | None, folder: Path | None) -> Iterator[str]:
    yield ""
    if page is None:
        yield "moot demo -o demo.html        the page, with every question and all replies"
    else:
        yield f"open {page}"
    if folder is None:
        yield "moot demo --unpack recorded   the store, for moot report, show and compare"
    else:
        yield f"moot report {folder / FILE} --all"
    yield "moot init                     an experiment with your own models and questions"
