"""What to type after a run or a report, with the names that it has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.text import Text

from moot.pasted import pasted

NARROWEST = 20
"""What a command shows is told beside it where there is so much room."""


@dataclass(frozen=True, slots=True)
class NextCommands:
    """What a user would type next, with the names that this run has."""

    source: str
    """The experiment file, or the option that names the store."""
    page: str = "report.html"
    graded: str = "FILE"
    """What `moot grade` is given for the same answers."""
    runs: bool = False
    """Whether `moot run` can be given the source: it is a file, and not what a team was asked."""

    @classmethod
    def of(
        cls, path: Path | None, store: str | None, *, served: bool = False, since: str | None = None
    ) -> NextCommands:
        """As they were given, so that what is shown can be pasted."""
        named = [pasted(path)] if path is not None else []
        stored = [f"--store {pasted(store)}"] if store is not None else []
        window = [f"--since {pasted(since)}"] if since is not None else []
        past = ["--served"] if served else []
        source = " ".join([*named, *stored, *past, *window])
        # Beside the file: files of one name in two folders would else have one page between them.
        place = Path("report") if path is None else path.with_suffix("")
        page = f"{place}{'-served' if served else ''}.html"
        runs = path is not None and not served and since is None
        return cls(source, page, " ".join([*(named or ["FILE"]), *stored, *past]), runs)

    def lines(self, sections: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Each with what it shows; the page first."""
        report = f"moot report {self.source}"
        yield f"{report} -o {pasted(self.page)}", "the page: all of it, with pictures"
        yield f"{report} --section NAME", ", ".join(sections)
        yield f"{report} --all", "every table, here"


def command_lines(following: NextCommands, sections: Sequence[str], width: int) -> list[Text]:
    pairs = list(following.lines(sections))
    column = max((len(command) for command, _ in pairs if len(command) + 2 + NARROWEST <= width), default=0)
    lines = [Text("")]
    for command, shows in pairs:
        words = _cut(shows, width - max(column, len(command)) - 2)
        lines.append(
            Text.assemble((command, "bold"), (f"{'':{max(0, column - len(command))}}  {words}" if words else "", "dim"))
        )
    return lines


def _cut(words: str, room: int) -> str:
    """As many whole words as there is room for, and a sign that there are more; none where it is narrow."""
    if len(words) <= room:
        return words
    if room < NARROWEST:
        return ""
    kept = words[: room - 1].rpartition(" ")[0]  # a space and the sign stand behind it
    return f"{kept} …" if kept else ""
