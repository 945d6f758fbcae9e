"""The HTML file: static sources put into one document, the data beside them, and a policy that lets nothing else run."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from importlib.resources import files
from typing import Any

from moot.measures.points_words import in_points
from moot.measures.reserved import SERVED
from moot.measures.section import Section
from moot.report.page.pack import packed
from moot.report.page.picture import picture
from moot.report.page.questions import QuestionData
from moot.report.page.run_page import RunPage
from moot.report.page.served_opening import served_lead, served_verdict, served_warnings
from moot.report.page.verdict import lead, verdict, warnings

SCRIPTS = (
    *("dom", "format", "data", "axis", "series", "scroll", "chart", "drawn", "picture", "sections", "reply", "records"),
    *("points", "steps", "transcript", "filters", "list", "theme", "main"),
)
"""In the order in which they need each other."""

_MINUS = re.compile(r"(?<![\w.–-])-(?=\d)")
"""A hyphen that stands for a minus; in words a terminal shows it is a hyphen."""
_IMPORT = re.compile(r"^import\s[^;]*;\n", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const|let)\b)", re.MULTILINE)


def page_html(
    figures: Mapping[str, Any],
    sections: Sequence[Section],
    questions: QuestionData,
    *,
    beside: RunPage | None = None,
    between: Sequence[Section] = (),
) -> str:
    """The page of a run, or of two side by side, `between` them what is said of both at once.

    The same input gives the same page, to the letter.
    """
    runs = [(figures, sections, questions)]
    if beside is not None:
        runs.append((beside.figures, beside.sections, beside.questions))
    index = {
        "runs": [_run(*run) for run in runs],
        "between": [asdict(section) for section in between],
        "asked": any(run[2].cells for run in runs),
    }
    script, style = bundled(SCRIPTS), static("page.css")
    blocks = [f'<script type="application/octet-stream" id="index">{packed(index)}</script>']
    for number, run in enumerate(runs):
        blocks += _blocks(number, run[2])
    title = " beside ".join(str(run[0]["experiment"]) for run in runs)
    filled = {
        "policy": policy(script, style),
        "title": html.escape(f"{title}: report"),
        "style": style,
        "lead": "\n".join(_opening(run[0], number, len(runs), run[2].thinned) for number, run in enumerate(runs)),
        "data": "\n".join(blocks),
        "script": script,
    }
    return filled_in(static("page.html"), filled)


def policy(script: str, style: str) -> str:
    """Nothing is fetched, framed or sent; one script and one style run, known by their hashes."""
    allowed = f"script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data:"
    return f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"


def _hash(content: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()


@cache
def static(name: str) -> str:
    return (files("moot.report.page") / "static" / name).read_text(encoding="utf-8")


@cache
def bundled(names: tuple[str, ...]) -> str:
    """The modules as one: within one script their names are in reach without being imported."""
    return "\n".join(as_part(static(f"{name}.js")) for name in names)


def as_part(module: str) -> str:
    """A module as a part of one script."""
    return _EXPORT.sub("", _IMPORT.sub("", module))


def filled_in(template: str, parts: Mapping[str, str]) -> str:
    """In one pass: what a part holds is never taken for a place."""
    return re.sub(r"\{\{(\w+)\}\}", lambda placeholder: parts[placeholder.group(1)], template)


def _run(figures: Mapping[str, Any], sections: Sequence[Section], questions: QuestionData) -> dict[str, Any]:
    return {
        "name": figures["experiment"],
        "sections": [asdict(section) for section in sections],
        "picture": _picture(figures),
        "cells": questions.cells,
        "columns": questions.columns,
        "points": in_points(figures),
    }


def _picture(figures: Mapping[str, Any]) -> dict[str, Any] | None:
    """A served team has one of its own, by day."""
    return None if SERVED in figures else picture(figures)


def _blocks(run: int, questions: QuestionData) -> Iterator[str]:
    for number, part in enumerate(questions.parts):
        yield f'<script type="application/octet-stream" id="part-{run}-{number}">{part}</script>'


def _opening(figures: Mapping[str, Any], number: int, runs: int, thinned: str | None) -> str:
    """The first screen needs no script: whoever prints or reads aloud the file has the verdict.

    The picture beside it is drawn by the script, in a place that is kept for it.
    """
    told, above, notes_on = (
        (served_verdict(figures), served_lead(figures), served_warnings(figures))
        if SERVED in figures
        else (verdict(figures), lead(figures), warnings(figures))
    )
    first, *rest = (html.escape(_MINUS.sub("−", sentence)) for sentence in told)
    warned = "".join(f"<li>{html.escape(warning)}</li>" for warning in notes_on)
    notes = f'<ul class="warnings" role="note" aria-label="Before you believe it">{warned}</ul>' if warned else ""
    beside = "".join(f'<p class="beside">{sentence}</p>' for sentence in (*rest, *([thinned] if thinned else ())))
    name = html.escape(str(figures["experiment"]))
    heading = f"<h1>{name}</h1>" if runs == 1 else f"<h2>{name}</h2>"
    place = f'<figure class="picture" id="picture-{number}"></figure>' if _picture(figures) else ""
    return (
        f'<article class="run"><div class="told">{heading}<p class="lead">{html.escape(above)}</p>'
        f'<p class="verdict">{first}</p>{beside}{notes}</div>{place}</article>'
    )
