"""Several accepted answers in one cell: a list, as JSON, Python or NumPy writes it, or an object that holds one.

Open sets are published so: nq_open and popqa with a list of all that is right, TriviaQA with a value and its aliases, SQuAD with
texts and where they start. Nobody answers with the list itself.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from typing import Any

from moot.foreign_json import read_json

LONGEST_LIST = 100_000
"""Characters of a cell that are taken apart,"""
LONGEST_PRINTED = 10_000
"""and of one that is no JSON."""
MOST_LISTED = 1_000

_QUOTED = re.compile(r"""'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+\"""", re.DOTALL)
_FLAT = re.compile(rf"\[\s*(?:{_QUOTED.pattern})(?:[\s,]++(?:{_QUOTED.pattern}))*+[\s,]*\]", re.DOTALL)
"""As Python writes a list, or NumPy with white space alone between texts, which Python would join."""
_ARRAY = re.compile(rf"\barray\(({_FLAT.pattern}|\[[-\d.\s,]*\])(?:,\s*dtype=[\w.<>'|]+)?\)", re.DOTALL)
"""And within a table that pandas saved."""
_UNDER = ("text", "texts", "value", "answer", "answers", "spans")
"""Keys of an object under which its right answers stand, the first that is there."""
_ALSO = ("aliases",)
"""And those under which there are others."""


def listed_texts(value: object) -> tuple[str, ...] | None:
    """Each answer once, in the order of the list. None: it is no list of texts, nor one in writing.

    A written list of numbers is none: [1, 2] may be an interval, or the answer itself. In a list that a file of objects has there
    may be one number, which is the answer.
    """
    if isinstance(value, str):
        found = _written(value.strip())
        return _texts(found, numbers=False) if found is not None else None
    return _texts(value, numbers=True)


def _texts(value: object, *, numbers: bool) -> tuple[str, ...] | None:
    if isinstance(value, Mapping):
        return _of_object(value)
    if not isinstance(value, list | tuple) or not 0 < len(value) <= MOST_LISTED:
        return None
    if numbers and len(value) == 1 and isinstance(value[0], int | float) and not isinstance(value[0], bool):
        return (str(value[0]),)
    if all(isinstance(item, list | tuple) for item in value):
        value = [part for item in value for part in item]
    if not all(isinstance(item, str) for item in value):
        return None
    return tuple(dict.fromkeys(text for item in value if (text := item.strip()))) or None


def _of_object(value: Mapping[Any, Any]) -> tuple[str, ...] | None:
    under = next((key for key in _UNDER if key in value), None)
    if under is None:
        return None
    given = [value[under], *(value[key] for key in _ALSO if key in value)]
    texts = [item for each in given for item in (each if isinstance(each, list | tuple) else [each])]
    return _texts(texts, numbers=False)


def _written(text: str) -> Sequence[Any] | Mapping[str, Any] | None:
    if text[:1] + text[-1:] not in ("[]", "{}") or len(text) > LONGEST_LIST:
        return None
    try:
        value = read_json(text)
    except ValueError:
        value = _of_python(text) if len(text) <= LONGEST_PRINTED else None
    return value if isinstance(value, list | Mapping) else None


def _of_python(text: str) -> Any:
    plain = _ARRAY.sub(lambda array: array[1] if array[1][1:2].isdigit() else repr(_flat(array[1])), text)
    if _FLAT.fullmatch(plain):
        return _flat(plain)
    return _literal(plain)


def _flat(text: str) -> list[str]:
    return [_literal(item) for item in _QUOTED.findall(text)]


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
