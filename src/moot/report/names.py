"""Short names for people: strategies by what tells them apart, tables by what their names do not share.

A label holds every option that differs from its default, so twelve mixtures of one file are alike for hundreds of
characters. A view shows only the options in which the rows of one strategy differ, and says once what they share. The
figures themselves, and so the JSON and the tables as files, keep the labels whole.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

_AN_OPTION = re.compile(r", (?=\w+=)")
_A_TABLE = re.compile(r"(\d+)#[0-9a-f]{6}")
_OPENING, _CLOSING = "([{", ")]}"
_AS_WRITTEN = ("hypothesis", "note", "text")
"""What somebody wrote, and what is said about it, is not rewritten."""


def short_names(labels: Iterable[str]) -> dict[str, str]:
    """Each label as it is shown. Different labels stay different."""
    every = list(dict.fromkeys(labels))
    shared = _shared(every)
    names = {label: _named(label, shared.get(_strategy(label), ())) for label in every}
    taken = list(names.values())
    return {label: name if taken.count(name) == 1 else label for label, name in names.items()}


def left_out(labels: Iterable[str]) -> list[str]:
    """What the short names do not say, a sentence for each strategy."""
    shared = _shared(list(dict.fromkeys(labels)))
    return [f"Every {strategy} here has {', '.join(map(_plain, each))}." for strategy, each in shared.items() if each]


def shortened(figures: Mapping[str, Any]) -> dict[str, Any]:
    """The same figures with short names wherever a label or a table is named, in rows and in sentences alike."""
    labels = list(dict.fromkeys(row["label"] for row in figures["accuracy"]))
    names = {label: name for label, name in short_names(labels).items() if name != label}
    tables = table_names(each["team"] for each in figures.get("teams", ()))
    longest_first = sorted(names.items(), key=lambda each: -len(each[0]))
    found: dict[str, Any] = _renamed(dict(figures), longest_first, tables)
    if said := left_out(labels):
        found["left_out"] = said
    return found


def table_names(tables: Iterable[str]) -> dict[str, str]:
    """``nine/open (double-call)`` is ``open`` where all are tables of nine, and all drafted in that way."""
    every = list(dict.fromkeys(tables))
    if len(every) < 2:
        return {}
    teams = {name.partition("/")[0] for name in every}
    names = {name: name.partition("/")[2] if len(teams) == 1 and "/" in name else name for name in every}
    endings = {name[name.rfind(" (") :] if name.endswith(")") and " (" in name else "" for name in every}
    if len(endings) == 1:
        names = {name: short.removesuffix(next(iter(endings))) for name, short in names.items()}
    return names if len(set(names.values())) == len(every) else {}


def options_in(label: str) -> list[str]:
    """``['agents=5', "proposers=('ann', 'bob')"]``: commas within brackets and quotation marks part nothing."""
    given = label.partition("(")[2].removesuffix(")")
    ends = [found.start() for found in _AN_OPTION.finditer(given) if not _within(given[: found.start()])]
    return [part.removeprefix(", ") for part in _cut(given, ends)] if given else []


def _within(text: str) -> bool:
    """Whether a text ends inside brackets. Quotation marks count only there: elsewhere they are letters."""
    depth, quote = 0, ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif depth and character in "'\"":
            quote = character
        else:
            depth += (character in _OPENING) - (character in _CLOSING)
    return depth > 0


def _cut(text: str, ends: Sequence[int]) -> list[str]:
    return [text[start:end] for start, end in zip([0, *ends], [*ends, len(text)], strict=True)]


def _strategy(label: str) -> str:
    return label.partition("(")[0]


def _shared(labels: Sequence[str]) -> dict[str, list[str]]:
    """By strategy, the options that all its labels have alike; a strategy with one label shares nothing with anybody."""
    found: dict[str, list[str]] = {}
    for strategy in dict.fromkeys(map(_strategy, labels)):
        options = [options_in(label) for label in labels if _strategy(label) == strategy]
        found[strategy] = [each for each in options[0] if all(each in other for other in options)] * (len(options) > 1)
    return found


def _named(label: str, shared: Sequence[str]) -> str:
    kept = [_plain(option) for option in options_in(label) if option not in shared]
    return f"{_strategy(label)}({', '.join(kept)})" if kept else _strategy(label)


def _plain(option: str) -> str:
    """``proposers=ann+bob``: a list as people write it; of a table, told apart by its digest, how long it is."""
    key, _, value = option.partition("=")
    if table := _A_TABLE.fullmatch(value):
        return f"{key} ({table[1]} given)"
    if not value.startswith(("(", "[")):
        return option
    try:
        parts = ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return option
    return f"{key}={'+'.join(map(str, parts))}" if isinstance(parts, tuple | list) else option


def _renamed(value: Any, names: Sequence[tuple[str, str]], tables: Mapping[str, str], key: str = "") -> Any:
    if isinstance(value, str):
        if key == "team":
            return tables.get(value, value)
        for label, name in names if "(" in value and key not in _AS_WRITTEN else ():
            value = value.replace(label, name)
        return value
    if isinstance(value, Mapping):
        return {_renamed(name, names, tables): _renamed(each, names, tables, name) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_renamed(each, names, tables, key) for each in value]
    return value
