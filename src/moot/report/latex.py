"""Tables for a paper: each section as LaTeX, with figures and intervals as the terminal writes them.

What changes how a table is to be read goes into its caption, for a table is copied without what stood around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from moot.measures.claims.words import claims_nothing_words
from moot.measures.columns import Figures
from moot.measures.section import Column, Section
from moot.report.names import shortened
from moot.report.remarks import simulated_words
from moot.report.section_terminal import cell, in_words
from moot.report.sections import all_sections
from moot.report.tables import write_whole
from moot.report.whose_figures import whose_words

ONE_PAGE = 40
"""Of more rows a table goes on on the next page."""
LONG_WORDS = 40
"""A column of longer texts has a width, in which they are folded."""

_NEEDED = "% In the preamble: \\usepackage{booktabs,longtable}\n"
_SPECIAL = {
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\char34{}",  # in some languages it changes the letter behind it
    "`": r"\textasciigrave{}",
    "'": r"{'}",
    "-": r"{-}",  # two of them would be a dash
    "[": "{[}",  # at the begin of a row it would be an option of the row before
    "]": "{]}",
    "*": "{*}",
    "–": "--",
    "×": r"$\times$",
    "…": r"\ldots{}",
    "−": "$-$",
}
_MINUS = re.compile(r"(?<![\w.–-])-(?=\d)")
_UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def escaped(text: str) -> str:
    """A text as LaTeX shows it to the letter: names and messages are anybody's words, and none of them is a command."""
    plain = _UNSEEN.sub(" ", _MINUS.sub("−", text)).strip()
    return "".join(_SPECIAL.get(letter, letter) for letter in plain)


def latex_table(section: Section, remarks: Iterable[str] = ()) -> str:
    """A `table`, or a `longtable` where it would not fit on a page."""
    caption = " ".join((f"{section.title}.", *section.words, *remarks))
    named = f"\\caption{{{escaped(caption)}}}\\label{{tab:{_label(section.id)}}}"
    shape = "".join(_shape(section, column) for column in section.columns)
    head = ["\\toprule", _line(column.title for column in section.columns), "\\midrule"]
    rows = [_line(cell(row, column) for column in section.columns) for row in section.rows]
    if len(rows) > ONE_PAGE:
        begin = [f"\\begin{{longtable}}{{{shape}}}", f"{named}\\\\", *head, "\\endfirsthead", *head, "\\endhead"]
        lines = [*begin, *rows, "\\bottomrule", "\\end{longtable}"]
    else:
        begin = ["\\begin{table}", "\\centering", named, f"\\begin{{tabular}}{{{shape}}}"]
        lines = [*begin, *head, *rows, "\\bottomrule", "\\end{tabular}", "\\end{table}"]
    return _NEEDED + "\n".join(lines) + "\n"


def _caption_remarks(figures: Figures) -> Iterator[str]:
    """What must not be lost with the page around a table."""
    yield from whose_words(figures)
    yield from claims_nothing_words(figures.get("headline") or {})
    if figures.get("simulated"):
        yield simulated_words(figures)


def write_run_latex(folder: Path, figures: Figures) -> list[Path]:
    """Every section of a run, under the short names that people read."""
    shortly = shortened(figures)
    return write_latex(folder, all_sections(shortly), _caption_remarks(shortly))


def run_latex(figures: Figures) -> dict[str, str]:
    """The same as texts, by the section's id."""
    shortly = shortened(figures)
    beside = tuple(_caption_remarks(shortly))
    return {section.id: latex_table(section, beside) for section in all_sections(shortly)}


def write_latex(folder: Path, sections: Iterable[Section], remarks: Iterable[str] = ()) -> list[Path]:
    """One file a section, named by its id."""
    beside = tuple(remarks)
    texts = {f"{section.id}.tex": latex_table(section, beside) for section in sections}
    return write_whole(
        folder, {name: partial(Path.write_text, data=text, encoding="utf-8") for name, text in texts.items()}
    )


def _line(cells: Iterable[str]) -> str:
    return " & ".join(map(escaped, cells)) + r" \\"


def _shape(section: Section, column: Column) -> str:
    if not in_words(section.rows, column):
        return "r"
    longest = max((len(cell(row, column)) for row in section.rows), default=0)
    return "p{0.35\\textwidth}" if longest > LONG_WORDS else "l"


def _label(section: str) -> str:
    """A label is no text: what is special there has no place in it."""
    return re.sub(r"[^A-Za-z0-9:.-]", "-", section)
