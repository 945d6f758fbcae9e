"""The rows of a leaderboard as JSON with a schema, so that others can add theirs; and how new rows join those that are there."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from moot.errors import FileError
from moot.foreign_files import text_of
from moot.foreign_json import read_json

BOARD = "leaderboard.json"
SCHEMA = "leaderboard.schema.json"
PAGE = "index.html"
MOST_BYTES = 64 * 1024 * 1024

_SHARE = {"type": ["number", "null"], "minimum": 0, "maximum": 1}
_DIFFERENCE = {"type": ["number", "null"], "minimum": -1, "maximum": 1}
_MOST = 10**12
"""Of what is counted or paid: what is larger has no room in a table."""
_COUNT = {"type": "integer", "minimum": 0, "maximum": _MOST}
_AMOUNT = {"type": ["number", "null"], "minimum": 0, "maximum": _MOST}
_WHY = {"type": "string", "maxLength": 2_000, "description": "Why a figure is not known"}
_NAME = {"type": "string", "maxLength": 500}
_MAYBE_NAME = {"type": ["string", "null"], "maxLength": 500}
_LINK = {
    "type": ["string", "null"],
    "maxLength": 2_000,
    # Others read it as ECMA-262 has it, which knows no \" even in a class.
    "pattern": r"""^(https://[^\s"'<>\\]+|(?![/.])(?!.*\.\.)[A-Za-z0-9._~/-]+)$""",
    "description": "Below this folder, or an https address",
}


def _object(properties: Mapping[str, Any], required: Sequence[str], says: str = "") -> dict[str, Any]:
    said = {"description": says} if says else {}
    return {
        "type": "object",
        **said,
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


ROW: dict[str, Any] = _object(
    {
        "id": {
            "type": "string",
            "minLength": 1,
            "maxLength": 200,
            "description": "A row with the same id takes its place",
        },
        "experiment": {**_NAME, "minLength": 1},
        "played": _object(
            {
                "title": {**_NAME, "minLength": 1, "description": "In short: talkative@ann"},
                "strategy": _NAME,
                "label": _NAME,
                "team": _MAYBE_NAME,
                "captain": _MAYBE_NAME,
                "player": {**_MAYBE_NAME, "description": "Of a player alone"},
                "cohort": _MAYBE_NAME,
                "players": {
                    "type": "array",
                    "maxItems": 1_000,
                    "items": {"type": "array", "items": _NAME, "minItems": 2, "maxItems": 2},
                    "description": "Each with its model",
                },
            },
            ["title", "strategy", "players"],
            "What was played",
        ),
        "set": _object(
            {
                "name": _NAME,
                "digest": {
                    "type": "string",
                    "pattern": "^[0-9a-f]{16,128}$",
                    "description": "Of questions and references",
                },
                "questions": _COUNT,
            },
            ["name", "digest", "questions"],
            "The set of questions: rows are beside each other only where the digest is the same",
        ),
        "graded_by": {"type": "array", "items": _NAME, "maxItems": 100},
        "n": {**_COUNT, "description": "Questions that the accuracy is over"},
        "accuracy": _object(
            {
                "value": _SHARE,
                "low": _SHARE,
                "high": _SHARE,
                "ungraded": _COUNT,
                "why": _WHY,
            },
            ["value", "low", "high"],
            "With a 95 % interval of its own",
        ),
        "gain": {
            "oneOf": [
                {"type": "null"},
                _object(
                    {"over": _MAYBE_NAME, "value": _DIFFERENCE, "low": _DIFFERENCE, "high": _DIFFERENCE, "why": _WHY},
                    ["over", "value", "low", "high"],
                ),
            ],
            "description": "Over the best single player of the run; its interval allows for all options of the run",
        },
        "headline": {"type": "boolean", "description": "What the run's own verdict is about"},
        "chosen": {**_MAYBE_NAME, "description": "Of a headline: declared, declared late, after the fact, only"},
        "interim": {"type": "boolean", "description": "The run had not ended"},
        "usd_per_1000": {**_AMOUNT, "description": "USD for 1,000 questions; null where nobody knows"},
        "costs_known": {
            **_object(
                {"known": {"type": "integer", "minimum": 0}, "calls": {"type": "integer", "minimum": 0}},
                ["known", "calls"],
            ),
            "description": "Of how many calls the cost is known, where that is some of them",
        },
        "calls_per_question": _AMOUNT,
        "simulated": {"type": "boolean", "description": "By models of models: it says nothing of any real one"},
        "learnt_in_run": {
            "type": "boolean",
            "description": "What was played learnt from the questions of this figure: its interval is too narrow",
        },
        "caveats": {
            "type": "array",
            "maxItems": 100,
            "items": {"type": "string", "maxLength": 2_000},
            "description": "What the run's report says of this row before it is believed",
        },
        "date": {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"},
        "moot": {**_NAME, "description": "The version"},
        "report": _LINK,
        "repeat": {
            "oneOf": [
                {"type": "null"},
                _object(
                    {"file": _LINK, "same": {"type": ["boolean", "null"]}, "why": _WHY},
                    ["file", "same"],
                    "The experiment with recorded replies; whether its verdict was the same when it was published",
                ),
            ]
        },
    },
    [
        "id",
        "experiment",
        "played",
        "set",
        "n",
        "accuracy",
        "gain",
        "usd_per_1000",
        "calls_per_question",
        "date",
        "report",
    ],
)
BOARD_SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "A leaderboard of moot",
    **_object({"$schema": {"type": "string"}, "rows": {"type": "array", "items": ROW}}, ["rows"]),
}


@dataclass(frozen=True, slots=True)
class Board:
    """The rows of a folder."""

    fitting: Sequence[Mapping[str, Any]] = ()
    others: Sequence[Any] = ()
    """Those that do not fit the schema: they stay in the file as they are, and on no page."""
    problems: Sequence[str] = ()
    """What is wrong with each of those."""

    def joined(self, rows: Sequence[Mapping[str, Any]]) -> Board:
        """With these; what has the same id goes, and what leads to the same report, which no longer tells of it."""
        ids, reports = {row["id"] for row in rows}, {row["report"] for row in rows}
        kept = [row for row in self.fitting if row["id"] not in ids and row["report"] not in reports]
        return Board([*kept, *rows], self.others, self.problems)

    def written(self) -> str:
        return _written({"$schema": f"./{SCHEMA}", "rows": [*self.fitting, *self.others]}, indent=1) + "\n"


@dataclass(frozen=True, slots=True)
class NumberAsWritten:
    """A number that nothing here holds: it fits no schema, and stays in the file as it is."""

    digits: str

    def __repr__(self) -> str:
        return self.digits if len(self.digits) <= 40 else f"{self.digits[:20]}…"


def _written(value: Any, *, indent: int | None = None) -> str:
    """As JSON. `ValueError`: it holds what JSON has not."""
    kept: list[str] = []

    def in_its_place(number: Any) -> str:
        kept.append(number.digits)
        return f"{mark}{len(kept) - 1}"

    mark = "\x00number "  # JSON writes what a stranger wrote in such a way too, but for one that was looked for
    options: dict[str, Any] = {"ensure_ascii": False, "indent": indent, "allow_nan": False}
    while f'"{json.dumps(mark)[1:-1]}' in json.dumps(value, default=lambda number: None, **options):
        mark += "\x00"
    text = json.dumps(value, default=in_its_place, **options)
    return re.sub(f'"{re.escape(json.dumps(mark)[1:-1])}([0-9]+)"', lambda found: kept[int(found[1])], text)


def read_board(folder: Path) -> Board:
    """What is there already; nothing, where nobody has published yet."""
    path = folder / BOARD
    if not path.exists():
        return Board()
    try:
        content = read_json(text_of(path, MOST_BYTES), exact=False, unheld=NumberAsWritten)
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror or error}", file=path) from None
    except ValueError as error:
        raise FileError(f"expected JSON ({error}); nothing was published", file=path) from None
    if not isinstance(content, dict) or not isinstance(content.get("rows"), list):
        raise FileError(f'expected {{"rows": [...]}}, as {SCHEMA} says; nothing was published', file=path)
    if others := sorted(content.keys() - {"$schema", "rows"}):
        named = ", ".join(repr(name)[:40] for name in others[:5])
        problem = f"holds more than a leaderboard ({named}), which would be lost; expected another folder"
        raise FileError(f"{problem}; nothing was published", file=path)
    _refuse_unwritable(content["rows"], path)
    return _checked(content["rows"])


def is_board_schema(path: Path) -> bool:
    """Whether a file is what is written beside a leaderboard, by this version or another."""
    try:
        content = read_json(text_of(path, MOST_BYTES))
    except (OSError, ValueError):
        return False
    return isinstance(content, dict) and content.get("title") == BOARD_SCHEMA["title"]


def _refuse_unwritable(rows: Sequence[Any], path: Path) -> None:
    """A row stays in the file as it is, so it must be possible to write it as it is."""
    for place, row in enumerate(rows):
        try:
            _written(row).encode()
        except (ValueError, RecursionError) as error:  # half of a surrogate pair is one too
            what = "half of a surrogate pair" if isinstance(error, UnicodeError) else "a number that JSON has not"
            what = "too many levels" if isinstance(error, RecursionError) else what
            problem = f"row {place + 1} holds {what}, and cannot be written again; mend it or take it out"
            raise FileError(f"{problem}; nothing was published", file=path) from None


def _checked(rows: Sequence[Any]) -> Board:
    from jsonschema import Draft202012Validator

    validator = Draft202012Validator(ROW)
    fitting, others, problems, seen = [], [], [], set()
    for place, row in enumerate(rows):
        error = next(iter(sorted(validator.iter_errors(row), key=lambda each: len(each.path))), None)
        if error is not None:
            key = ".".join(map(str, error.absolute_path))
            problem: str | None = f"{key}: {error.message}" if key else error.message
        else:
            problem = _impossible(row) or (f"its id {row['id']!r} stands there twice" if row["id"] in seen else None)
        if problem is None:
            fitting.append(row)
            seen.add(row["id"])
        else:
            others.append(row)
            problems.append(f"row {place + 1}: {problem[:160]}")
    return Board(fitting, others, problems)


def _impossible(row: Mapping[str, Any]) -> str | None:
    """What a schema cannot say."""
    if row["n"] > row["set"]["questions"]:
        return f"n: {row['n']} of {row['set']['questions']} questions"
    for key in ("accuracy", "gain"):
        figure = row[key] or {}
        low, value, high = (figure.get(name) for name in ("low", "value", "high"))
        if value is None:
            continue
        if (low is not None and low > value) or (high is not None and high < value):
            return f"{key}: {value} is not within {low} to {high}"
    return None
