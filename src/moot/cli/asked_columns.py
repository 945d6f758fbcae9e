"""Which file has the questions, and what its columns are: proposed, and asked about where it could be two things."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from moot.cli.choosing import one, taken, typed
from moot.cli.column_menu import ColumnMenu, cut
from moot.cli.safe_text import say
from moot.config.flow import flow
from moot.data import Dataset, builtin, load
from moot.data.case import MissingReference
from moot.data.tables.advised_columns import WHICH_COLUMN
from moot.data.tables.choice_columns import likely_choices
from moot.data.tables.encodings import not_utf8
from moot.data.tables.known_names import COLUMN_KEYS, WRONG, ColumnNames, several
from moot.data.tables.left_out_choices import NAMES_THEM
from moot.data.tables.likely import broken_tables, likely_questions, undecoded_tables, unknown_tables
from moot.data.tables.likely_columns import likely_id, names_an_id
from moot.data.tables.listed_names import unused_words
from moot.data.tables.proposal import NOTHING_STATED, Doubt, Proposal, Stated, listed, propose_columns, stated_too
from moot.data.tables.table import ENDINGS as TABLE_ENDINGS
from moot.data.tables.which_sheet import sheet_of_questions
from moot.errors import FileError
from moot.experiment.starter_file import StarterQuestions
from moot.pasted import pasted
from moot.stats.counted_words import few_names

LOOKED_AT = 1000
"""Questions by which is told what kind the others are, and in which language."""
LONGEST_SHOWN = 300
"""Letters of a question, of its choices and of its answer."""
MOST_WAYS = 8
"""Of a doubt, that a file names."""
_MOSTLY = 0.9
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
        return _written({"file": place}, path, NOTHING_STATED, yes=yes, ours=True)
    stated, proposal = _settled(path, yes=yes)
    keys = {"file": place, **_keys(stated, proposal)}
    if proposal.doubts:
        if any(doubt.about == "choices" for doubt in proposal.doubts):  # without them it would be played as it stands
            keys["columns"] = {**keys.get("columns", {}), "choices": WHICH_COLUMN}
        asked = (*map(_of_doubt, proposal.doubts), *_as_it_might_stand(proposal, keys.get("columns", {})))
        return QuestionsFound(StarterQuestions(keys, (*asked, *notes)), proposal.error())
    for reason in _said_of(proposal):
        say(f"  {reason}")
    return _written(keys, path, stated, yes=yes, ours=proposal.ours)


def _written(keys: dict[str, Any], path: Path, stated: Stated, *, yes: bool, ours: bool) -> QuestionsFound:
    """Rows without a reference are left out if somebody says so: nobody should go through all this again for them. `ours`: of a
    file whose columns needed no word it is said here what was understood."""
    try:
        dataset = load(path, stated=stated)
    except MissingReference as error:
        if yes:
            raise
        say(f"  {error.problem}")
        if not taken("  Leave such rows out?"):
            raise
        keys = {**keys, "skip_blank": True}
        dataset = load(path, stated=stated, skip_blank=True)
    for note in dataset.notes if ours else ():
        say(f"  {note.removeprefix(f'{path.name}: ')}")
    return QuestionsFound(_described(keys, _shown(dataset)))


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
        say(f"Questions: {likely[0]}, the only question file here")
        return likely[0], ()
    if not likely:
        unknown = unknown_tables(Path.cwd())
        if len(unknown) == 1 and not yes:
            name = unknown[0].name
            if taken(f"Questions: {name}: use it? You will be asked what its columns are."):
                return unknown[0].relative_to(Path.cwd()), ()
        if len(unknown) == 1 and yes and _all_proposed(unknown[0]):
            say(f"Questions: {unknown[0].name}, the only table here")
            return unknown[0].relative_to(Path.cwd()), ()
        notes = ("no question file here; these come with moot", _how_to_take_yours(unknown))
        for path in undecoded_tables(Path.cwd()):
            say(f"{path.name} is skipped: {not_utf8(path.relative_to(Path.cwd()), 'it is none')}")
        for error in broken_tables(Path.cwd()):
            line = f"line {error.line}: " if error.line is not None else ""
            say(
                f"{Path(str(error.file)).name} is skipped: {line}{f'{error.key}: ' if error.key else ''}{error.problem}"
            )
        return None, _said(notes)
    if yes:
        names = few_names([str(path) for path in likely])
        several_files = "several question files here; these come with moot"
        return None, _said((several_files, f"--questions FILE picks one of {names}"))
    say("Questions: several question files here")
    for place, path in enumerate(likely):
        say(f"  {place + 1:3}  {path}")
    return likely[one("Which?", [[place] for place in range(len(likely))])], ()


def _all_proposed(path: Path) -> bool:
    """Whether something would be proposed for each column that is needed."""
    sheet = sheet_of_questions(path)
    stated = NOTHING_STATED if sheet is None else Stated(sheet=sheet.name)
    while doubts := propose_columns(path, stated).doubts:
        way = next((way for doubt in doubts if (way := _proposed_for(doubt)) is not None), None)
        if way is None:
            return False
        stated = stated_too(stated, way)
    return True


def _said(notes: tuple[str, str]) -> tuple[str, str]:
    """Each on a line of its own, here as in the file."""
    first, second = notes
    say(f"Questions: {first}")
    say(f"  {second}")
    return notes


def _how_to_take_yours(unknown: Sequence[Path]) -> str:
    """A table whose columns nobody has heard of may well be them, so it is named."""
    if len(unknown) != 1:
        return "--questions FILE uses yours"
    return f"--questions {pasted(unknown[0].name)} asks which of its columns is what"


def _builtin(name: str, notes: tuple[str, ...]) -> QuestionsFound:
    return QuestionsFound(_described({"builtin": name}, load(builtin(name)), notes))


def _said_of(proposal: Proposal) -> list[str]:
    """Also of the columns that nobody asked for: what is left out without a word is missed too late."""
    unused = f"not used: {unused_words(proposal.unused)}"
    return [*proposal.reasons, *([unused] if proposal.unused and unused not in proposal.reasons else [])]


def _settled(path: Path, *, yes: bool) -> tuple[Stated, Proposal]:
    """Ask until there is no doubt left, or none that words could settle."""
    stated = NOTHING_STATED
    say(f"Columns of {path}:")
    if (sheet := sheet_of_questions(path)) is not None:
        say(f"  {sheet.words}")
        stated = Stated(sheet=sheet.name)
    menu = ColumnMenu(path, stated.sheet)
    while True:
        proposal = propose_columns(path, stated)
        doubt = next((each for each in proposal.doubts if each.ways), None)
        if any(each.about == "choices" for each in proposal.doubts):
            more = _with_choices(menu, stated, proposal, yes=yes)
            if not isinstance(more, Stated):
                return stated, proposal
            stated = more
        elif doubt is None:
            if proposal.doubts and not yes:
                raise proposal.error()
            if proposal.doubts:
                return stated, proposal
            more = _with_choices(menu, stated, proposal, yes=yes) or _with_id(menu, stated, proposal)
            if more is None:
                return stated, proposal
            if isinstance(more, Doubt):
                return stated, replace(proposal, doubts=(more,))
            stated = more
        elif doubt.about == "unused":  # kept, and shown to nobody
            stated = stated_too(stated, doubt.ways[0])
        elif not yes:
            stated = stated_too(stated, _asked(menu, doubt))
        elif (way := _proposed_for(doubt)) is not None:
            say(f"  {doubt.brief or doubt.problem}: using {_in_yaml(way)}")
            stated = stated_too(stated, way)
        else:
            return stated, proposal


def _proposed_for(doubt: Doubt) -> Stated | None:
    """What enter would take; or the only way there is, of which nobody has to be asked."""
    if doubt.about == "other":
        return doubt.ways[0] if len(doubt.ways) == 1 else None
    if doubt.likely is None:
        return None
    way = doubt.ways[doubt.likely]
    return None if any(map(names_an_id, _columns_of(way))) else way


def _with_choices(menu: ColumnMenu, stated: Stated, proposal: Proposal, *, yes: bool) -> Stated | Doubt | None:
    """With columns of choices that no name told of, or with the word that there are none; None: nothing more to say. A doubt
    where there must be some and nobody is asked which: without them every question would be graded against a letter."""
    if proposal.ours or {"choices", WRONG} & {*proposal.columns, *stated.columns}:
        return None
    free = _free(stated, proposal)
    columns = {key: names for key, names in proposal.columns.items() if key != "meta"}
    for likely in likely_choices(menu.table, columns, free):
        proposed = _as_choices(stated, likely.columns)
        if likely.columns and _undecided(menu.path, proposed):
            continue
        if likely.columns:
            say(f"  {listed(likely.columns)} could be choices: {likely.why}")
        else:
            say(f"  no column is known to be choices, though {likely.why}")
        if yes:
            return proposed if likely.columns else _which_choices(menu, likely.why)
        return _as_choices(
            stated, menu.several("Which are the choices, such as 2-5? Enter accepts", free, likely.columns)
        )
    return None


def _which_choices(menu: ColumnMenu, why: str) -> Doubt:
    problem = f"no column is known to be choices, though {why}; {NAMES_THEM}"
    return Doubt(problem, menu.table.header, about="choices")


def _with_id(menu: ColumnMenu, stated: Stated, proposal: Proposal) -> Stated | None:
    """With a column that tells the rows apart: numbered by their rows they would be asked again when one is put on top."""
    if proposal.ours or "id" in {*proposal.columns, *stated.columns}:
        return None
    found = likely_id(menu.table, _free(stated, proposal), several(proposal.columns["text"])[0])
    if found is None:
        return None
    say(f"  {listed([found])} is used as the id: it is short and different in every row")
    return _as(stated, "id", (found,))


def _free(stated: Stated, proposal: Proposal) -> list[str]:
    """What is nothing yet, or only kept; a column that a CSV file leaves without a name cannot be written down."""
    return [name for name in (*proposal.unused, *several(stated.columns.get("meta") or ())) if name.strip()]


def _as_choices(stated: Stated, names: tuple[str, ...]) -> Stated:
    return _as(stated, "choices", names)


def _as(stated: Stated, key: str, names: tuple[str, ...]) -> Stated:
    """No column is two things: those are no longer kept as something else."""
    columns = dict(stated.columns)
    if kept := tuple(name for name in several(columns.pop("meta", None) or ()) if name not in names):
        columns["meta"] = kept
    named = (names[0] if len(names) == 1 else names) if names else None
    return replace(stated, columns={**columns, key: named})


def _undecided(path: Path, stated: Stated) -> bool:
    """Whether with these choices there would be an answer that is none of them."""
    return any(not doubt.ways for doubt in propose_columns(path, stated).doubts)


def _asked(menu: ColumnMenu, doubt: Doubt) -> Stated:
    where = f"line {doubt.line}: " if doubt.line is not None and doubt.about == "other" else ""
    say(f"  {where}{doubt.brief or doubt.problem}")
    if doubt.about != "other":
        return doubt.ways[menu.one([_columns_of(way) for way in doubt.ways], doubt.likely)]
    for place, way in enumerate(doubt.ways):
        say(f"  {place + 1:3}  {_in_yaml(way)}")
    if len(doubt.ways) == 1:
        typed("That is the only way to read it; Enter continues, Ctrl-C stops")
        return doubt.ways[0]
    return doubt.ways[one("Which?", [[place] for place in range(len(doubt.ways))], doubt.likely)]


def _columns_of(way: Stated) -> tuple[str, ...]:
    (names,) = way.columns.values()
    return several(names) if names is not None else ()


def _of_doubt(doubt: Doubt) -> str:
    if doubt.about == "other" or not doubt.ways:
        ways = " or ".join(_in_yaml(way) for way in doubt.ways[:MOST_WAYS])
        return f"TO SETTLE: {doubt.problem}{f'; below, one of: {ways}' if ways else ''}"
    named = [listed(_columns_of(way)) or "null for none" for way in doubt.ways[:MOST_WAYS]]
    return f"TO SETTLE: {doubt.brief or doubt.problem}: one of {', '.join(named)}"


def _as_it_might_stand(proposal: Proposal, known: Mapping[str, Any]) -> Iterator[str]:
    """One line to be pasted, for all doubts that columns settle: a key stands only once."""
    taken = {name for names in known.values() for name in several(_columns(names))}
    columns: dict[str, Any] = dict(known)
    for doubt in (each for each in proposal.doubts if each.about != "other" and each.ways):
        columns |= {key: _listed(names) for key, names in doubt.too.items()}
        if doubt.likely is None and "answer" in doubt.ways[0].columns:  # a guess would be played as it stands
            columns["answer"] = WHICH_COLUMN
            continue
        ways = [doubt.ways[doubt.likely]] if doubt.likely is not None else list(doubt.ways)
        named = [each for each in ways if not any(map(names_an_id, _columns_of(each)))] or ways
        way = next((each for each in named if not {*_columns_of(each)} & taken), named[0])
        columns |= _stated_keys(way)["columns"]
        taken.update(_columns_of(way))
    if columns != dict(known):
        example = flow({key: columns[key] for key in COLUMN_KEYS if key in columns})
        yield f"so that the lines below contain, for example, columns: {example}"


def _columns(names: str | list[str]) -> ColumnNames:
    return names if isinstance(names, str) else tuple(names)


def _in_yaml(stated: Stated) -> str:
    keys = _stated_keys(stated)
    return ", ".join(f"{key}: {flow(value)}" for key, value in keys.items())


def _keys(stated: Stated, proposal: Proposal) -> dict[str, Any]:
    """All that is known of the columns, with those that are known to be none."""
    ours = _stated_keys(stated)
    keys = {**ours, **proposal.keys}
    if columns := {**ours.get("columns", {}), **proposal.keys.get("columns", {})}:
        keys["columns"] = {key: columns[key] for key in COLUMN_KEYS if key in columns}
    return {key: value for key, value in keys.items() if value}


def _stated_keys(stated: Stated) -> dict[str, Any]:
    columns = {key: _listed(names) for key, names in stated.columns.items()}
    more = {"answers": stated.answers or stated.references, "sheet": stated.sheet, "kind": stated.kind}
    return ({"columns": columns} if columns else {}) | {key: value for key, value in more.items() if value}


def _listed(names: ColumnNames | None) -> str | list[str] | None:
    return list(names) if isinstance(names, tuple) else names


def _shown(dataset: Dataset) -> Dataset:
    """With its first question said, and whether others are the same: a wrong column is seen there at a glance."""
    first = next(iter(dataset))
    asked, right = first.question, first.answer
    say(f"  first question: {cut(' '.join(asked.text.split()), LONGEST_SHOWN)}")
    if asked.choices:
        lettered = zip(asked.letters, asked.choices, strict=True)
        say(f"    {cut('  '.join(f'{letter}) {choice}' for letter, choice in lettered), LONGEST_SHOWN)}")
    if asked.context is not None:  # an explanation that gives the answer away is seen here, and nowhere later
        say(f"    shown with it: {cut(' '.join(asked.context.split()), LONGEST_SHOWN)}")
    say(f"    right: {cut(right, LONGEST_SHOWN) if right is not None else 'none (the question cannot be answered)'}")
    questions = [case.question for case in islice(dataset, LOOKED_AT)]
    different = len({(question.text, question.choices, question.context) for question in questions})
    if different < _MOSTLY * len(questions):
        say(f"  only {different} of these {len(questions)} questions are different; is this the right column?")
    return dataset


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
