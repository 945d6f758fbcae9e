"""Which file has the questions, and what its columns are: proposed, and asked about where it could be two things."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from moot.cli.choosing import one, typed
from moot.cli.safe_text import say
from moot.config.flow import flow
from moot.data import Dataset, builtin, load
from moot.data.tables.known_names import ColumnNames
from moot.data.tables.likely import likely_questions
from moot.data.tables.proposal import NOTHING_STATED, Doubt, Proposal, Stated, propose_columns, stated_too
from moot.data.tables.table import ENDINGS as TABLE_ENDINGS
from moot.errors import FileError
from moot.experiment.starter_file import StarterQuestions

LOOKED_AT = 1000
"""Questions by which is told what kind the others are, and in which language."""
BUILTIN, EASY = "general-en", "facts-en"
_CYRILLIC, _LATIN = re.compile("[а-яё]", re.IGNORECASE), re.compile("[a-z]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class QuestionsFound:
    """What to write of the questions, and what still keeps them from being read."""

    written: StarterQuestions
    unsettled: FileError | None = None


def find_questions(named: Path | None, output: Path, *, yes: bool, small: bool) -> QuestionsFound:
    """`output`: the experiment file, which paths are relative to. `small`: that only small models will answer."""
    path, notes = (named, ()) if named is not None else _in_this_folder(yes=yes)
    if path is None:
        return _builtin(EASY if small else BUILTIN, notes)
    place = _from(output.parent, path)
    if path.suffix.lower() not in TABLE_ENDINGS:
        return QuestionsFound(_described({"file": place}, load(path)))
    stated, proposal = _settled(path, yes=yes)
    keys = {"file": place, **_keys(stated, proposal)}
    if proposal.doubts:
        asked = tuple(note for doubt in proposal.doubts for note in _of_doubt(doubt))
        return QuestionsFound(StarterQuestions(keys, (*asked, *notes)), proposal.error())
    for reason in proposal.reasons:
        say(f"  {reason}")
    return QuestionsFound(_described(keys, load(path, stated=stated)))


def _from(folder: Path, path: Path) -> str:
    """Paths in a file are relative to it."""
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:  # on another drive
        return path.resolve().as_posix()


def _in_this_folder(*, yes: bool) -> tuple[Path | None, tuple[str, ...]]:
    """The only file here that looks like questions, or the one that is chosen; None, and why, where there is neither."""
    likely = [path.relative_to(Path.cwd()) for path in likely_questions(Path.cwd())]
    if len(likely) == 1:
        say(f"Questions: {likely[0]}, the only file here that looks like some")
        return likely[0], ()
    if not likely:
        note = "no file here looks like questions: these come with moot; --questions FILE takes yours"
        say(f"Questions: {note}")
        return None, (note,)
    if yes:
        names = ", ".join(map(str, likely[:8])) + (" and more" if len(likely) > 8 else "")
        note = f"several files here look like questions ({names}): --questions FILE takes one"
        say(f"Questions: those that come with moot, since {note}")
        return None, (note,)
    say("Questions: several files here look like some")
    for place, path in enumerate(likely):
        say(f"  {place + 1:3}  {path}")
    return likely[one("Which?", len(likely))], ()


def _builtin(name: str, notes: tuple[str, ...]) -> QuestionsFound:
    return QuestionsFound(_described({"builtin": name}, load(builtin(name)), notes))


def _settled(path: Path, *, yes: bool) -> tuple[Stated, Proposal]:
    """Ask until there is no doubt left, or none that words could settle."""
    stated = NOTHING_STATED
    say(f"Columns of {path}:")
    while True:
        proposal = propose_columns(path, stated)
        doubt = next((each for each in proposal.doubts if each.ways), None)
        if doubt is None:
            if proposal.doubts and not yes:
                raise proposal.error()
            return stated, proposal
        if doubt.about == "unused":  # kept, and shown to nobody
            stated = stated_too(stated, doubt.ways[0])
        elif yes:
            return stated, proposal
        else:
            stated = stated_too(stated, _asked(doubt))


def _asked(doubt: Doubt) -> Stated:
    where = f"line {doubt.line}: " if doubt.line is not None and doubt.about == "other" else ""
    say(f"  {where}{doubt.problem}")
    for place, way in enumerate(doubt.ways):
        say(f"  {place + 1:3}  {_in_yaml(way)}")
    if len(doubt.ways) == 1:
        typed("That is the only way it can be read; enter goes on, Ctrl-C stops")
        return doubt.ways[0]
    return doubt.ways[one("Which?", len(doubt.ways))]


def _of_doubt(doubt: Doubt) -> tuple[str, ...]:
    ways = " or ".join(_in_yaml(way) for way in doubt.ways[:8])
    return (f"TO BE SETTLED: {doubt.problem}", *((f"below, one of: {ways}",) if ways else ()))


def _in_yaml(stated: Stated) -> str:
    keys = _stated_keys(stated)
    return ", ".join(f"{key}: {flow(value)}" for key, value in keys.items())


def _keys(stated: Stated, proposal: Proposal) -> dict[str, Any]:
    """All that is known of the columns, with those that are known to be none."""
    ours = _stated_keys(stated)
    keys = {**ours, **proposal.keys}
    if columns := {**ours.get("columns", {}), **proposal.keys.get("columns", {})}:
        keys["columns"] = columns
    return {key: value for key, value in keys.items() if value}


def _stated_keys(stated: Stated) -> dict[str, Any]:
    columns = {key: _listed(names) for key, names in stated.columns.items()}
    return ({"columns": columns} if columns else {}) | ({"answers": stated.answers} if stated.answers else {})


def _listed(names: ColumnNames | None) -> str | list[str] | None:
    return list(names) if isinstance(names, tuple) else names


def _described(keys: dict[str, Any], dataset: Dataset, notes: tuple[str, ...] = ()) -> StarterQuestions:
    questions = [case.question for case in islice(dataset, LOOKED_AT)]
    text = " ".join(question.text for question in questions)
    return StarterQuestions(
        keys=keys,
        notes=notes,
        count=len(dataset),
        open_answers=any(question.kind == "open" for question in questions),
        language="ru" if len(_CYRILLIC.findall(text)) > len(_LATIN.findall(text)) else "en",
    )
