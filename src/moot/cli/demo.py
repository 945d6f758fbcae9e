"""`moot demo`: real runs that this project recorded, told as a report tells them. No model, no key, no network.

In one the team helps, in the other it hurts. What is shown is computed from the recorded stores in the very way in which
`moot report` does it. The stores come with the package, packed; they are unpacked into a folder of their own, since a
package may lie where nobody may write.
"""

from __future__ import annotations

import asyncio
import gzip
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.text import Text

from moot.cli.console import Console
from moot.cli.outputs import checked_output
from moot.cli.report import ReportWanted, read_report, write_report_page
from moot.cli.safe_text import print_json, say
from moot.errors import UsageError
from moot.measures.numbers import percent
from moot.pasted import pasted
from moot.report.names import shortened
from moot.report.page.run_page import RunPage

PACKED = ".gz"
RECORDED = "Real local models, recorded on 16 and 17 November 2026; no model is called now."


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """A run that comes with the package: its experiment file, and who played what."""

    file: str
    told: str


HELPS = RecordedRun(
    "three-who-read.yaml",
    "Where the team helps. Three players, all Qwen2.5 Coder 1.5B, have each read two of three pages about a town that "
    "does not exist, and are asked about all three.",
)
HURTS = RecordedRun(
    "small-captain.yaml",
    "Where it hurts. One player of that model joins five of SmolLM2, a tenth of its size, on easy questions. A small one, "
    "made captain when all drafts were already known, reads them and decides.",
)
RECORDINGS = (HELPS, HURTS)


def demo_command(*, page: Path | None = None, folder: Path | None = None, as_json: bool = False) -> int:
    if page is not None and page.suffix not in (".html", ".htm"):
        raise UsageError(f"-o: expected a name that ends in .html, found {str(page)!r}")
    page = None if page is None else checked_output(page)
    wanted = ReportWanted(page=page is not None)
    with TemporaryDirectory(prefix="moot-demo-") as unpacked:
        unpack(Path(unpacked))
        reads = [asyncio.run(read_report(Path(unpacked) / each.file, None, wanted)) for each in RECORDINGS]
    if folder is not None:
        _unpack_for_user(folder)
    if page is not None:
        told = [replace(each, page=_introduced(each.page, of.told)) for each, of in zip(reads, RECORDINGS, strict=True)]
        write_report_page(page, told, None)
    figures = [read.run.figures for read in reads]
    if as_json:
        print_json(figures)
        return 0
    console = Console()
    console.print(Text(RECORDED, style="italic"))
    for recording, found in zip(RECORDINGS, figures, strict=True):
        console.print()
        console.print(Text(recording.told, style="italic"))
        console.print(Text(" ".join([*shortened(dict(found))["headline"]["words"], _alone(found)])))
    for line in _next(page, folder):
        console.print(Text(line), soft_wrap=True)
    return 0


def unpack(folder: Path) -> None:
    """The recorded stores, their experiment files and questions, and how they were made."""
    folder.mkdir(parents=True, exist_ok=True)
    for kept in (files("moot.cli") / "recorded").iterdir():
        content = kept.read_bytes()
        packed = kept.name.endswith(PACKED)
        (folder / kept.name.removesuffix(PACKED)).write_bytes(gzip.decompress(content) if packed else content)


def _unpack_for_user(folder: Path) -> None:
    """Never over what is there: it may be somebody's own store."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"--unpack: {folder}: expected a folder that is empty or not there yet")
    try:
        unpack(folder)
    except OSError as error:
        raise UsageError(f"--unpack: {folder}: {error.strerror}") from None
    say(f"moot: {folder}: the stores, their experiment files, and how they were made", file=sys.stderr)


def _introduced(page: RunPage, told: str) -> RunPage:
    """Whether the team helps there, and who they are, before its verdict."""
    headline = page.figures["headline"]
    words = {**headline, "words": [told, *headline["words"]]}
    return replace(page, figures={**page.figures, "headline": words})


def _alone(figures: Mapping[str, Any]) -> str:
    """What a team is up against."""
    values = sorted(row["value"] for row in figures["accuracy"] if row.get("player"))
    return f"Alone, the {len(values)} players got {_listed([percent(value) for value in values])} right."


def _listed(words: Sequence[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}"


def _next(page: Path | None, folder: Path | None) -> Iterator[str]:
    yield ""
    if page is None:
        yield "moot demo -o demo.html        write the page, with every question and reply"
    else:
        yield f"open {page}"
    if folder is None:
        yield "moot demo --unpack recorded   unpack the stores, for report, show and compare"
    else:
        yield f"moot report {pasted(folder / HELPS.file)} --all"
    yield "moot init                     an experiment with your own models and questions"
