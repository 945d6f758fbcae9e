"""Cells that hold more than one text: lists and objects, as JSON has them or as tools write them into a CSV file.

A table of the hub that is saved as CSV has its lists as numpy prints them, `['a' 'b']`, which Python reads as one text `ab`, and
its objects with `array([...], dtype=object)` in them. They are data: nothing of them is run.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from moot.foreign_json import read_json

LONGEST = 100_000
_TEXT = r"(?:'(?:[^'\\]|\\.)*+'?|\"(?:[^\"\\]|\\.)*+\"?)"
"""One that does not end goes on to the end of the cell: Python will not read it, and nothing in it is looked at again."""
_PIECES = re.compile(rf"({_TEXT})|array\(|,\s*dtype=[\w<>|.'\"]+(?:\([^()]*\))?\s*\)|\)(?=\s*[,}}\]])", re.DOTALL)
_TEXT_AND_GAP = re.compile(rf"({_TEXT})(\s+(?=['\"]))?", re.DOTALL)
_NUMBERS = re.compile(r"\[\s*[-+0-9.eE]+(?:\s+[-+0-9.eE]+)*\s*\]")


def opened(cell: Any) -> Any:
    """The list or object that a text is; anything else, and a text that is none, as it is."""
    if not isinstance(cell, str) or len(cell) > LONGEST or cell.strip()[:1] not in ("[", "{"):
        return cell
    text = cell.strip()
    try:
        value = read_json(text)
    except ValueError:
        value = _literal(text)
    return value if isinstance(value, list | dict) else cell


def _literal(text: str) -> Any:
    try:
        value = ast.literal_eval(_as_python(text))
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None
    return list(value) if isinstance(value, tuple) else value


def _as_python(text: str) -> str:
    """Numpy's arrays as lists, with commas between what stands side by side."""
    if _NUMBERS.fullmatch(text):
        return ",".join(text.split()).replace("[,", "[").replace(",]", "]")
    if "array(" in text:
        text = _PIECES.sub(lambda found: found[1] or "", text)
    return _TEXT_AND_GAP.sub(lambda found: f"{found[1]}," if found[2] else found[1], text)


_LABELS = ("label", "labels", "key", "keys", "letter", "id")
_TEXTS = ("text", "texts", "value", "content", "option", "answer", "choice", "choices")


def choices_of(value: Any) -> list[Any] | None:
    """The choices that an object or a list of objects holds; None: it is something else."""
    found = _labelled(value)
    return _unlabelled(value) if found is None else list(found.values())


def labels_of(value: Any) -> list[str]:
    """The labels that such choices have in the file, in their order; none where they are only texts."""
    return list(_labelled(value) or ())


def _labelled(value: Any) -> dict[str, Any] | None:
    """By label. None where a label is missing, or is there twice."""
    pairs: list[tuple[Any, Any]] | None = None
    if isinstance(value, Mapping):
        labels, texts = _only(value, _LABELS), _only(value, _TEXTS)
        if isinstance(labels, list) and isinstance(texts, list) and len(labels) == len(texts):
            pairs = list(zip(labels, texts, strict=True))
        elif labels is None and _is_lettered(list(value)):
            pairs = list(value.items())
            while pairs and pairs[-1][1] is None:  # as Parquet writes that there is no E
                pairs.pop()
    elif isinstance(value, list) and value and all(isinstance(item, Mapping) for item in value):
        pairs = [(_only(item, _LABELS), _only(item, _TEXTS)) for item in value]
    if not pairs or not all(_is_text(label) and _is_text(text) for label, text in pairs):
        return None
    labelled = {str(label).strip(): text for label, text in pairs}
    return labelled if len(labelled) == len(pairs) else None


def _unlabelled(value: Any) -> list[Any] | None:
    """Of objects with a text each and no label, such as points for it; None: one has none, or a label that another has too."""
    if not isinstance(value, list) or len(value) < 2 or not all(isinstance(item, Mapping) for item in value):
        return None
    texts = [_only(item, _TEXTS) for item in value]
    labelled = any(_only(item, _LABELS) is not None for item in value)
    return texts if all(map(_is_text, texts)) and not labelled else None


def _is_lettered(keys: Sequence[Any]) -> bool:
    """A, B, C or 0, 1, 2: and in this order."""
    if len(keys) < 2 or not all(isinstance(key, str) for key in keys):
        return False
    folded = [key.strip().casefold() for key in keys]
    letters = "abcdefghijklmnopqrstuvwxyz"
    numbers = [str(number) for number in range(len(folded) + 1)]
    return folded in ([*letters[: len(folded)]], numbers[:-1], numbers[1:])


def _only(value: Mapping[str, Any], names: Sequence[str]) -> Any:
    """What stands under the only one of these names that there is."""
    found = [value[name] for name in value if isinstance(name, str) and name.casefold() in names]
    return found[0] if len(found) == 1 else None


def _is_text(value: Any) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool) and str(value).strip() != ""


def answers_of(value: Any) -> list[str] | None:
    """What is right in an object, the first to be shown and then what is right as well: SQuAD's `{text: [...]}`, TriviaQA's
    `{value, aliases}`, or a list of `{text}`. An empty list: that it cannot be answered. None: it is something else."""
    found: list[Any] | None = None
    if isinstance(value, Mapping) and isinstance(value.get("text"), list):
        found = list(value["text"])
    elif isinstance(value, Mapping) and _is_text(value.get("value")) and isinstance(value.get("aliases", []), list):
        found = [value["value"], *value.get("aliases", [])]
    elif isinstance(value, list) and value and all(isinstance(item, Mapping) and "text" in item for item in value):
        # One that says of each whether it is right has what is wrong among them.
        flagged = any(isinstance(each, bool) for item in value for each in item.values())
        found = None if flagged else [item["text"] for item in value]
    if found is None or not all(isinstance(each, str) for each in found):
        return None
    return list(dict.fromkeys(each for each in found if each.strip()))


@dataclass(frozen=True, slots=True)
class Flagged:
    """Choices, and the texts of those that are said to be right: one, if all is well."""

    choices: list[str]
    right: list[str]


_FLAGS = ("correct", "iscorrect", "is_correct", "right", "isright", "is_right", "isanswer", "is_answer")


def flagged(value: Any) -> Flagged | None:
    """A list of objects that say each whether it is right; None: it is something else."""
    if not isinstance(value, list) or len(value) < 2 or not all(isinstance(item, Mapping) for item in value):
        return None
    said = [(_only(item, _TEXTS), _only(item, _FLAGS)) for item in value]
    if not all(isinstance(text, str) and text.strip() and isinstance(flag, bool) for text, flag in said):
        return None
    right = [text for text, flag in said if flag]
    texts = [text for text, _ in said]
    return Flagged(texts, right)


_TITLES = ("title", "titles", "heading")
_PROSE = (
    *("text", "texts", "paragraph_text", "passage_text", "contexts", "context", "sentences", "paragraphs", "passages"),
    *("content", "body", "passage", "paragraph"),
)


def prose_of(value: Any) -> str | None:
    """A passage that stands in several pieces, each on lines of its own; None: it is something else."""
    pieces = _pieces(value)
    return "\n\n".join(pieces) if pieces else None


def _pieces(value: Any) -> list[str] | None:
    if isinstance(value, str):
        return [value.strip()] if value.strip() else []
    if isinstance(value, list):
        each = [_pieces(item) for item in value]
        return None if None in each else [piece for pieces in each if pieces is not None for piece in pieces]
    if not isinstance(value, Mapping):
        return None
    prose, title = _only(value, _PROSE), _only(value, _TITLES)
    if isinstance(title, list) and isinstance(prose, list) and len(title) == len(prose):
        return [_titled(one, other) for one, other in zip(title, prose, strict=True)]
    if isinstance(title, str) and isinstance(prose, str | list):
        return [_titled(title, prose)]
    return _pieces(prose) if isinstance(prose, str | list) else None


def _titled(title: Any, prose: Any) -> str:
    text = "".join(map(str, prose)) if isinstance(prose, list) else str(prose)
    return f"{title}: {text.strip()}"
