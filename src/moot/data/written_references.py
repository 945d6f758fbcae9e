"""How the references of a file are written, and what a right answer to them looks like.

Public sets hold a whole solution, a list of all that is right, TRUE or 0: nobody who is right answers so, and by match everybody
would be wrong without a word. What can be told is read as what is answered, and said; what cannot be told is asked. A solution or
a list that stands as one in the file is what it is in any row; a list in writing, and words or numbers that stand for yes and no,
are read so only where the rows of the file agree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from moot.data.html_in_texts import without_html
from moot.data.listed_texts import listed_texts
from moot.data.parted_texts import BAR, SEMICOLON, parted
from moot.data.solution_answers import answers_within, beside_a_letter, within_by
from moot.data.tables.stated import ReferencesAs
from moot.team.final_line.letters import YES_NO
from moot.types import QuestionKind

AS_WRITTEN: Mapping[str, Any] = {"reference": "as-written"}
"""In the `meta` of a question: its reference is taken as it stands."""

LETTERS = {"y": "yes", "n": "no", "t": "yes", "f": "no"}
FLAGS = {"1": "yes", "0": "no", "1.0": "yes", "0.0": "no"}
YesNoAs = Literal["words", "letters", "flags"]


@dataclass(frozen=True, slots=True)
class WrittenReferences:
    """What is known of the references of a file: enough to read each."""

    taken: ReferencesAs | None = None
    """What the experiment file says."""
    lists: bool = False
    """Whether a list in writing is one;"""
    yes_no: YesNoAs | None = None
    """and what stands for yes and no."""
    padded: bool = False
    """Whether numbers have zeros before them, so that all are as long."""
    bars: bool = False
    """Whether what stands between bars is an answer."""
    html: bool = False
    """Whether they are as a page has them, with tags and &amp;."""

    def read(self, given: Mapping[str, Any], kind: QuestionKind | None = None) -> Mapping[str, Any]:
        """A row in our form with the reference as it is answered. `kind`: of a row that names none."""
        named = given.get("kind") or kind
        value = given.get("answer")
        if value is None or self.taken == "as-written" or not is_read(given, named):
            return given
        if isinstance(value, bool) or (named is None and self.yes_no is not None):
            word = yes_or_no(value, self.yes_no)
            if word is not None and named in (None, "yes-no"):
                return {**given, "kind": "yes-no", "answer": word}
            return given
        if named == "yes-no":
            return given
        if self.html:
            given = _as_shown(given)
            value = given["answer"]
        value, *others = self._listed(value) or (value,)
        accepted: tuple[str, ...] = (*others,)
        if isinstance(value, str) and (within := answers_within(value)):
            accepted = (*within[1:], *accepted)
            given = given if given.get("comment") else {**given, "comment": value.strip()}
            value = within[0]
        elif isinstance(value, str) and "\\" in value:
            accepted = (*beside_a_letter(value.strip()), *accepted)
        if self.padded and isinstance(value, str) and (bare := value.strip().lstrip("0") or "0") != value.strip():
            accepted = (*accepted, bare)
        if value == given["answer"] and not accepted:
            return given
        also = given.get("accepted")
        more = (
            [*accepted, *(each for each in also if each not in accepted)]
            if isinstance(also, list | tuple)
            else accepted
        )
        return {**given, "answer": value, **({"accepted": list(more)} if more else {})}

    def _listed(self, value: Any) -> tuple[str, ...] | None:
        """Answers of which there are several; None: it is one."""
        texts = listed_texts(value) if self.lists or not isinstance(value, str) else None
        if texts is not None or not isinstance(value, str) or within_by(value) is not None:
            return texts
        found = parted(value, BAR) if self.bars else None
        return parted(value, SEMICOLON) if found is None and self.taken == "lists" else found


def _as_shown(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """A row with what a page shows of its references."""
    answer, also = given["answer"], given.get("accepted")
    shown = {"answer": (isinstance(answer, str) and without_html(answer)) or answer}
    if isinstance(also, list | tuple):
        shown["accepted"] = [(isinstance(each, str) and without_html(each)) or each for each in also]
    return {**given, **shown}


AS_THEY_STAND = WrittenReferences()


def is_read(given: Mapping[str, Any], kind: object) -> bool:
    meta = given.get("meta")
    said = isinstance(meta, Mapping) and ("score" in meta or meta.get("reference") == AS_WRITTEN["reference"])
    return not said and not given.get("choices") and kind in (None, "open", "yes-no")


def yes_or_no(value: object, form: YesNoAs | None) -> str | None:
    text = plain_text(value)
    if form == "flags":
        return FLAGS.get(text)
    return YES_NO.get(text) or (LETTERS.get(text) if form == "letters" else None)


def plain_text(value: object) -> str:
    return str(value).strip().casefold() if isinstance(value, str | bool | int | float) else ""
