"""Choices that stand in one cell: what parts them, and the parts.

A bar or a semicolon in every row is what somebody put there. So are labels, where they stand in their order from the first, none
twice: "A) Mars B) Jupiter". Commas and slashes are in too many choices themselves, and a line may be half of one, or the words
above them all.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

from moot.data.tables.choice_labels import LATIN, RUSSIAN

LABELS = "labels"
SEPARATORS = ("|", ";", LABELS)
"""Those that somebody writes, and then what is only found."""
WRITTEN = SEPARATORS[:2]
SEPARATORS_IN_WORDS = "with | or ; between them, or with labels: A) one B) two"

_LABEL = re.compile(r"(?:(?<=[\s,;|])|^)[(\[]?([^\W\d_]|[0-9]{1,2})(\s?\)|[\].])(?=\s|[^\W\d_])")
_AT_ONCE = re.compile(r"[(\[]?([^\W\d_]|[0-9]{1,2})([)\].])\s*(\S.*)", re.DOTALL)
_AROUND = " \t\r\n,;|"
_LONGEST = 20_000


def separator_of(cut_nowhere: Collection[str]) -> str | None:
    """What parts the choices in all cells, by those that are missing from one; None: nothing does, or two that are written."""
    every = [each for each in SEPARATORS if each not in cut_nowhere]
    written = [each for each in every if each in WRITTEN]
    if written:
        return written[0] if len(written) == 1 else None
    return every[0] if every else None


def is_cut(cell: str, separator: str) -> bool:
    return len(parts(cell, separator)) > 1 if separator == LABELS else separator in cell


def parts(cell: str, separator: str, most: int = -1) -> list[str]:
    """`most`: cuts; what is behind the last stays together."""
    if separator == LABELS:
        return _behind_labels(cell)
    return [item.strip() for item in cell.split(separator, most)]


def without_labels(choices: list[Any]) -> list[Any]:
    """Without the labels of all of them, "A) Mars", "B) Jupiter": a model is shown letters of ours before each, and would see
    two. As they are where one has none, where these are not in order, or where something else may be meant: "1. May"."""
    found = [_AT_ONCE.fullmatch(choice.strip()) if isinstance(choice, str) else None for choice in choices]
    labels = [match[1].upper() for match in found if match is not None]
    texts = [match[3].strip() for match in found if match is not None]
    orders = (LATIN, RUSSIAN) + (
        ([str(number + 1) for number in range(len(labels))],) if _all_in_brackets(found) else ()
    )
    ordered = any(labels == list(order[: len(choices)]) for order in orders)
    clear = len(choices) > 2 or _all_in_brackets(found)
    return texts if ordered and clear and len(choices) > 1 and all(texts) and len({*texts}) == len(texts) else choices


def _all_in_brackets(found: Sequence[re.Match[str] | None]) -> bool:
    return all(match is not None and match[2] in ")]" for match in found)


def labels_within(text: str) -> list[str]:
    """Of choices that stand somewhere in it, from the first on and in their order; none where they are fewer than two."""
    labels = [match[1].upper() for match in _LABEL.finditer(text[:_LONGEST])]
    ordered = any(labels == list(order[: len(labels)]) for order in (LATIN, RUSSIAN))
    return labels if ordered and len(labels) > 1 else []


def _behind_labels(cell: str) -> list[str]:
    """Without their labels; the whole where these are not the first of an alphabet or of the numbers, in their order."""
    found = list(_LABEL.finditer(cell.strip()[:_LONGEST]))
    text = cell.strip()
    labels = [match[1].upper() for match in found]
    orders = (LATIN, RUSSIAN, [str(number + 1) for number in range(len(labels))])
    ordered = any(labels == list(order[: len(labels)]) for order in orders)
    if len(found) < 2 or not ordered or found[0].start() != 0 or len({match[2] for match in found}) > 1:
        return [text]
    ends = [*(match.start() for match in found[1:]), len(text)]
    return [text[match.end() : end].strip(_AROUND) for match, end in zip(found, ends, strict=True)]
