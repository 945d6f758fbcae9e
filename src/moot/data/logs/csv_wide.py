"""Tables with a column for each model: which columns are models', which tell something of a model's replies, and which neither.

A column that is no part of a question may be anything. Were costs taken for a model's replies, all of these would be wrong: so
numbers, dates and verdicts beside references that are words are nobody's replies, and whoever knows better names the models.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from moot.data.logs.csv_columns import FoundColumns, ReplyColumns
from moot.data.logs.csv_names import NAMES
from moot.data.logs.csv_stems import (
    EXTRACTED,
    REPLY,
    UNREAD,
    NamedPart,
    about_models,
    may_say_how_it_thinks,
    names_no_model,
    parts_of,
    says_more_of,
)
from moot.data.logs.csv_verdicts import verdict_column
from moot.data.logs.csv_words import Cells, answer_columns, are_words, cells_of, is_verdict_word, says_words
from moot.data.logs.fields import text
from moot.data.logs.log import QuestionInLog, by_models
from moot.data.logs.verdict_evidence import says_reference
from moot.data.tables.known_names import plain
from moot.data.tables.table import QuestionTable
from moot.errors import FileError
from moot.models.closest import closest
from moot.types import LETTERS

_FEWEST_NUMBERED = 3
"""Rows, below which 1, 2 may be anything."""
_FEWEST_WRONG = 5
"""Replies, of which a model may have all wrong."""
_RATE = re.compile(r"\d{1,9} ?/ ?\d{1,9}|\{[^{}]*\}")
_RUN = re.compile(
    r"[\s_\-(\[]{1,3}(?:run|try|trial|sample|attempt|repeat|rep|iteration|iter|seed|lauf|durchlauf|versuch|прогон|запуск|попытка)"
    r"[\s_\-#]{0,3}\d{1,6}[)\]]?\Z",
    re.IGNORECASE,
)
_VERDICT = "verdict"
"""What a column is called here that says by its cells that it holds some."""


def wide_columns(table: QuestionTable, ours: Collection[str], wanted: str | None, named: Sequence[str]) -> FoundColumns:
    """`ours`: the columns that a question is made of, or may be; `named`: the models, where somebody says which they are."""
    cells = cells_of(table, table.names)
    said = _columns_named(table, named)
    free = [name for name in table.names if (name not in ours or name in said) and name not in table.nameless]
    free = [name for name in free if name in said or not _is_rate_of_people(name, cells[name])]
    right = answer_columns([name for name in table.names if name in ours])
    thinking = {name for name in free if may_say_how_it_thinks(name) and _are_answers(cells, name, right)}
    about = {name: part for name, part in _through(about_models(free, thinking)).items() if name not in said}
    could = said or [name for name in free if name not in about and not names_no_model(name) and cells[name]]
    if not said:
        models = {*could, *(part.stem for part in about.values())}
        could = [name for name in could if name in thinking or not says_more_of(name, models - {name})]
    spoken = {name: part.stem for name, part in about.items() if part.key in (REPLY, EXTRACTED) and cells[name]}
    seen = _seen(cells, right, [*could, *spoken])
    judged = [name for name in could if plain(name) in map(plain, spoken.values()) and _are_verdicts(cells[name])]
    bases = said or [name for name in could if name in (*judged, *thinking) or not seen.is_no_reply(name)]
    stems = {plain(name): name for name in bases}
    stems |= {plain(part.stem): part.stem for part in about.values() if plain(part.stem) not in stems}
    columns = [_of_model(table, stem, stem in bases, about, cells, wanted) for stem in stems.values()]
    if named:
        found = [each for each in columns if each is not None and _is_named(each, named)]
    else:
        found = [each for each in columns if each is not None and not seen.are_no_words(each.reply)]
    if missing := [name for name in named if not any(_is_named(each, [name]) for each in found)]:
        there = ", ".join(table.names)
        problem = f"{by_models(missing[0])}: no column is called so; there is {there}{closest(missing[0], table.names)}"
        raise FileError(problem, file=table.path, line=table.header)
    used = {name for each in found for name in (each.reply, *each.about)}
    rest = tuple(name for name in free if name not in used and cells[name])
    if not found:
        raise _nothing(table, rest, cells)
    found.sort(key=lambda each: table.names.index(each.reply))
    return FoundColumns(
        found, [name for name in table.names if name in ours and name not in used], () if named else rest
    )


def _columns_named(table: QuestionTable, named: Sequence[str]) -> list[str]:
    exact = {name: name for name in table.names}
    alike = {plain(name): name for name in reversed(table.names)}
    found = [exact.get(name) or alike.get(plain(name)) for name in named]
    return [name for name in found if name is not None]


def _is_named(columns: ReplyColumns, named: Sequence[str]) -> bool:
    return bool({plain(columns.called), plain(columns.reply)} & {*map(plain, named)})


def _through(about: Mapping[str, NamedPart]) -> dict[str, NamedPart]:
    """gpt-4o_response_cost is about gpt-4o, whose reply gpt-4o_response is."""
    replies = {plain(name): part.stem for name, part in about.items() if part.key in (REPLY, EXTRACTED)}
    return {name: replace(part, stem=replies.get(plain(part.stem), part.stem)) for name, part in about.items()}


@dataclass(frozen=True, slots=True)
class _Seen:
    """What stands in the columns of a table."""

    cells: Cells
    could: Sequence[str]
    """Those that could be replies."""
    words: bool
    """Whether answers are words; where nothing is right, whether any column of replies is."""
    numbered: bool
    """Whether right answers are 1, 2, 3."""

    def are_no_words(self, name: str) -> bool:
        return self.words and not any(map(says_words, self.cells[name]))

    def is_no_reply(self, name: str) -> bool:
        own = self.cells[name]
        keys = {part.key for part in parts_of(name)} - {REPLY, EXTRACTED}
        if keys and (UNREAD in keys or not any(map(says_words, own))):
            return True  # it is called so, whosever it is
        others = [other for other in self.could if other != name]
        models = {plain(stem) for other in others for stem in (other, *(part.stem for part in parts_of(other)))}
        numbers_rows = _numbers_rows(own) and not self.numbered
        return numbers_rows or self.are_no_words(name) or {plain(cell) for cell in own} <= models


def _seen(cells: Cells, answers: Sequence[str], could: Sequence[str]) -> _Seen:
    right = [cell for name in answers for cell in cells[name]]
    words = are_words(right) if right else any(are_words(cells[name]) for name in could)
    return _Seen(cells, could, words, any(_numbers_rows(cells[name]) for name in answers))


def _are_answers(cells: Cells, name: str, answers: Sequence[str]) -> bool:
    """Whether one in ten is an answer as it stands, or the letter of one: no thoughts are so short."""
    right = {cell.casefold() for column in answers for cell in cells[column]}
    said = [cell.casefold() in right or cell.upper() in LETTERS for cell in cells[name]]
    return 10 * sum(said) >= max(1, len(said))


def _is_rate_of_people(name: str, cells: Sequence[str]) -> bool:
    """How many people solved a question, as questions of ours say it. Under the same name there may be what one said."""
    return plain(name) == "human" and bool(cells) and all(map(_RATE.fullmatch, cells))


def _are_verdicts(cells: Sequence[str]) -> bool:
    return all(map(is_verdict_word, cells))


def _numbers_rows(cells: Sequence[str]) -> bool:
    numbers = [int(cell) for cell in cells if cell.isdecimal() and len(cell) < 10]
    consecutive = all(after == before + 1 for before, after in itertools.pairwise(numbers))
    return len(numbers) == len(cells) >= _FEWEST_NUMBERED and numbers[0] in (0, 1) and consecutive


def _of_model(
    table: QuestionTable, stem: str, has_own: bool, about: Mapping[str, NamedPart], cells: Cells, wanted: str | None
) -> ReplyColumns | None:
    """`has_own`: whether a column has no other name than the model. None: nothing that it said is there."""
    parts = {name: part for name, part in about.items() if plain(part.stem) == plain(stem)}
    said = [name for key in (REPLY, EXTRACTED) for name, part in parts.items() if part.key == key and cells[name]]
    said = [stem, *said] if has_own else said
    judging = [name for name in said if _are_verdicts(cells[name])]
    if len(judging) < len(said):
        said = [name for name in said if name not in judging]
    else:
        judging = []
    if not said:
        return None
    raw = [name for name in said if name in parts and parts[name].key == REPLY]
    reply = raw[0] if raw else said[0]
    short = [name for name in said if name != reply and (name not in parts or parts[name].key == EXTRACTED)]
    beside = {name: _VERDICT if name in judging else part.bare for name, part in parts.items() if name != reply}
    beside |= dict.fromkeys(judging, _VERDICT)
    more: dict[str, str] = {}
    for name, part in parts.items():
        if part.key not in (REPLY, EXTRACTED, UNREAD, "worth"):
            more.setdefault(part.key, name)
    if short:
        more[EXTRACTED] = short[0]
    judged = verdict_column(table, {name: bare for name, bare in beside.items() if name not in short}, wanted)
    if judged.column is not None:
        more["worth"] = judged.column
    return ReplyColumns(reply, more, called=stem.strip(), verdicts=judged, is_wide=True, about=beside)


def _nothing(table: QuestionTable, rest: Sequence[str], cells: Cells) -> FileError:
    expected = "expected a column for each model, or columns such as model and reply"
    if not rest:
        return FileError(f"no replies in it; {expected}", file=table.path, line=table.header)
    judged = [name for name in rest if _are_verdicts(cells[name])]
    hold = "verdicts" if judged else "numbers, dates or the like"
    which = ", ".join(judged or rest)
    problem = f"no replies in it: under {which} are {hold}, and answers are words; {expected} that say what was said"
    return FileError(f"{problem}, or {by_models()} if these are replies", file=table.path, line=table.header)


def none_named(aside: Sequence[str]) -> str | None:
    """What is told of columns that are taken for no model's replies; None: there are none."""
    if not aside:
        return None
    are = "is" if len(aside) == 1 else "are"
    return f"{', '.join(aside)} {are} taken for no model's replies; {by_models()} names those that are models"


def runs_told(columns: Sequence[ReplyColumns]) -> str | None:
    """What is told of columns that are numbered as several samples of one model are; None: none are."""
    of_model: dict[str, list[str]] = {}
    for each in columns:
        if (found := _RUN.search(each.called)) is not None:
            of_model.setdefault(plain(each.called[: found.start()]), []).append(each.called)
    numbered = [names for names in of_model.values() if len(names) > 1]
    if not numbered:
        return None
    which = ", ".join(name for names in numbered for name in names)
    return f"{which} are a model each: samples of one would stand in rows of their own (question, model, reply)"


def never_right(
    columns: Sequence[ReplyColumns], rows: Mapping[int, Mapping[str, Any]], questions: Mapping[int, QuestionInLog]
) -> str | None:
    """What is told of columns in which no reply says a reference: they may be something else than replies."""
    never = []
    for each in columns:
        says = [says_reference(question, text(rows[line].get(each.reply))) for line, question in questions.items()]
        if says.count(False) >= _FEWEST_WRONG and not any(says) and "worth" not in each.more:
            never.append(each.reply)
    if not never or len(never) == len(columns):
        return None
    others = ",".join(each.reply for each in columns if each.reply not in never)
    return f"no reply under {', '.join(never)} says a reference: if that is no model, {by_models(others)}"


def is_score(name: str, columns: ReplyColumns) -> bool:
    """Whether it is called as verdicts on these replies are."""
    return columns.about.get(name, plain(name)) in (*NAMES["worth"], _VERDICT)
