"""Parts of somebody's JSON, taken as what they should be: whatever is something else is told with its place, or is nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from moot.data.tables.answer_forms import place_of
from moot.errors import FileError
from moot.foreign_files import check_unpacked, lines_of, opened, unpacked, whole_of
from moot.foreign_json import read_json
from moot.models.billed_tokens import as_billed
from moot.models.border import count, usd
from moot.models.recorded import json_object
from moot.types import MOST_CHOICES, Usage

PACKED = ".gz"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def json_document(path: Path) -> Any:
    try:
        with opened(path) as file:
            return read_json(whole_of(file, path))
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror or error}", file=path) from None
    except ValueError as error:
        raise FileError(f"is no JSON ({error})", file=path) from None


def json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        with unpacked(path) as file:
            packed, unpacked_so_far = path.stat().st_size, 0
            for number, line in enumerate(lines_of(file, path), start=1):
                if path.suffix.lower() == PACKED:
                    unpacked_so_far += len(line)
                    check_unpacked(unpacked_so_far, packed, path)
                if line.strip():
                    yield number, json_object(line, path, number)
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror or error}", file=path) from None


def text(value: Any) -> str | None:
    """What it says, where it is a text that is not blank, or a number."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(value)
    return value if isinstance(value, str) and value.strip() else None


def spoken(content: Any) -> str | None:
    """The words of a message: a text, or parts of which some are text."""
    if isinstance(content, list):
        parts = [part.get("text") if isinstance(part, dict) else part for part in content]
        content = "\n".join(part for part in parts if isinstance(part, str))
    return text(content)


def last_asked(messages: Any) -> str | None:
    """What the user said last."""
    if not isinstance(messages, list):
        return None
    asked = [message for message in messages if isinstance(message, dict) and message.get("role") == "user"]
    return spoken(asked[-1].get("content")) if asked else None


def with_others(references: Sequence[str]) -> tuple[str | None, tuple[str, ...]]:
    """The first of them, and what is right besides."""
    return (references[0], tuple(references[1:])) if references else (None, ())


def mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def number(value: Any) -> float | None:
    """A share or a count; None for what is none, also for NaN, and for what is larger than any."""
    if not isinstance(value, int | float) or value != value:
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def share(value: Any) -> float | None:
    found = number(value)
    return found if found is not None and 0 <= found <= 1 else None


def amount(value: Any) -> float | None:
    """Dollars or seconds: a finite number from 0 on."""
    return usd(value)


def tokens(
    prompt: Any, completion: Any, *more_prompt: Any, total: Any = None, reasoning: Any = None, cached: Any = None
) -> Usage:
    """As they were billed. `more_prompt`: tokens of the prompt that a tool counts apart, such as cached ones."""
    asked = count(prompt)
    if asked is not None:
        asked += sum(count(each) or 0 for each in more_prompt)
    billed = as_billed(Usage(asked, count(completion), count(reasoning), count(cached)), count(total))
    return Usage(billed.prompt, billed.completion)


def letter_of(reference: Any, choices: Sequence[str], forms: Sequence[str] = ("letters", "texts")) -> str | None:
    """The letter of the choice that a reference means. None: it means none, or by its letter another than by its words.

    A number is no place: whether it is counted from 0 or from 1 cannot be told of it.
    """
    written = text(reference)
    if written is None or not 2 <= len(choices) <= MOST_CHOICES:
        return None
    places = {place for form in forms if (place := place_of(written, choices, form)) is not None}
    return LETTERS[places.pop()] if len(places) == 1 else None


_OPTION = re.compile(r"^[ \t]*\(?([A-Z])[).:][ \t]+(\S.*)$", re.MULTILINE)


def options_in(prompt: str, letters: Sequence[str]) -> tuple[str, ...]:
    """The choices that stand in a prompt under these letters, the last time that all do; none: they do not."""
    found: dict[str, str] = dict(_OPTION.findall(prompt))
    return tuple(found[letter].strip() for letter in letters) if all(letter in found for letter in letters) else ()
