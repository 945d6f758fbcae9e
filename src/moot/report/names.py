"""Short names for people: strategies by what tells them apart, tables by what their names do not share.

A label holds every option that differs from its default, so twelve mixtures of one file are alike for hundreds of
characters. A view shows only the options in which the rows of one strategy differ, and says once what they share. The
figures themselves, and so the JSON and the tables as files, keep the labels whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from moot.decide.rule_file import RuleContent, is_rule
from moot.experiment.side_names import every_name
from moot.measures.claims.words import sentences as headline_sentences
from moot.strategies import list_told, value_told
from moot.strategies.option_values import ABSTAIN
from moot.types import canonical_json

_AS_WRITTEN = ("hypothesis", "note", "text")
"""What somebody wrote, and what is said about it, is not rewritten."""
_SIDES = ("a", "b", "of")
"""Cells that name who is compared: a label, behind it perhaps a captain or player, and before it a team."""

_TABLES = ("team", "table")
"""Cells that name a table, by which rows of one are found from those of another."""


@dataclass(frozen=True, slots=True)
class LabelledStrategy:
    """What a label stands for: a strategy, and its options that differ from their defaults, as far as the label tells them.

    `options` None: nobody says, and the label is all that there is.
    """

    strategy: str
    options: Mapping[str, Any] | None = field(default_factory=dict)
    untold: Mapping[str, Any] = field(default_factory=dict)
    """Options that the label does not tell, such as what serving turns on: what is served goes by the name it is asked by."""


def ways_of(rows: Iterable[Mapping[str, Any]], options: str = "options") -> dict[str, LabelledStrategy]:
    """By label, from rows or cells; `options` is the key under which they have the options that were given."""
    ways: dict[str, LabelledStrategy] = {}
    for row in rows:
        if row["label"] not in ways:
            ways[row["label"]] = _way(row["label"], row["strategy"], row.get(options))
    return ways


def _way(label: str, strategy: str, given: Mapping[str, Any] | None) -> LabelledStrategy:
    if given is None:
        return LabelledStrategy(strategy, None)
    told = {name: value for name, value in given.items() if _tells(label, name)}
    # A captain that a line-up is made by stands after the @, and not in the label.
    untold = {name: value for name, value in given.items() if name not in told and name != "captain"}
    return LabelledStrategy(strategy, told, untold)


def _tells(label: str, option: str) -> bool:
    return any(f"{before}{option}=" in label for before in ("(", ", "))


def short_names(ways: Mapping[str, LabelledStrategy]) -> dict[str, str]:
    """Each label as it is shown. Different labels stay different."""
    shared = _shared(ways)
    names = {label: label if way.options is None else _named(way, shared[way.strategy]) for label, way in ways.items()}
    taken = Counter([*names.values(), *names])  # a label is nobody else's name
    return {label: name if taken[name] == 1 else label for label, name in names.items()}


def options_left(ways: Mapping[str, LabelledStrategy]) -> dict[str, str]:
    """By label, only the options of its short name."""
    shared = _shared(ways)
    return {label: ", ".join(_kept(way, shared[way.strategy])) for label, way in ways.items()}


def left_out(ways: Mapping[str, LabelledStrategy]) -> list[str]:
    """What the short names do not say, a sentence for each strategy; and what a label does not say itself."""
    names = short_names(ways)
    alike = [f"Every {strategy} here has {_listed(options)}." for strategy, options in _shared(ways).items() if options]
    return alike + [
        f"{names[label]} was played with {_listed(way.untold)}." for label, way in ways.items() if way.untold
    ]


def _listed(options: Mapping[str, Any]) -> str:
    return ", ".join(_plain(*option) for option in options.items())


def shortened(figures: Mapping[str, Any]) -> dict[str, Any]:
    """The same figures with short names in every cell that names a label or a table; sentences are said anew from these.

    A label is never looked for inside of a text: another may end or begin like it.
    """
    ways = ways_of(figures["accuracy"])
    names = {label: name for label, name in short_names(ways).items() if name != label}
    tables = table_names(figures["accuracy"]) if figures.get("teams") else {}
    sides = _sides_renamed(figures["accuracy"], names)
    renamed: dict[str, Any] = _renamed(dict(figures), _NewNames(names, sides, tables))
    if (headline := figures.get("headline")) and "words" in headline:
        renamed["headline"] |= _told_anew(headline, renamed["headline"])
    if sentences := left_out(ways):
        renamed["left_out"] = sentences
    return renamed


def _told_anew(headline: Mapping[str, Any], renamed: Mapping[str, Any]) -> dict[str, Any]:
    """The words of the headline with short names. What else is said there is no sentence about a label, and stays."""
    about_labels = headline_sentences(headline)
    words = [*headline_sentences(renamed), *headline["words"][len(about_labels) :]]
    return {"words": words, "sentence": " ".join(words)}


def table_names(rows: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """``nine/open (double-call)`` is ``open`` where all are tables of nine, and all drafted in that way.

    `rows`: those of accuracy, which say of which team and cohort a table is, and how it drafted.
    """
    tables = {row.get("table", row["team"]): row for row in rows if row.get("team") is not None}
    if len(tables) < 2:
        return {}
    one_team = len({row["team"] for row in tables.values()}) == 1
    one_way = len({row.get("drafts") for row in tables.values()}) == 1
    names = {table: _table_name(row, team=not one_team, drafts=not one_way) for table, row in tables.items()}
    return names if len(set(names.values())) == len(tables) else {}


def _table_name(row: Mapping[str, Any], *, team: bool, drafts: bool) -> str:
    cohort, kind = row.get("cohort"), row.get("drafts")
    name = row["team"] if not cohort else f"{row['team']}/{cohort}" if team else cohort
    return f"{name} ({kind})" if drafts and kind else str(name)


def _shared(ways: Mapping[str, LabelledStrategy]) -> dict[str, dict[str, Any]]:
    """By strategy, the options that all its labels have alike; a strategy with one label shares nothing with anybody."""
    together: dict[str, list[dict[str, Any]]] = {}
    for way in ways.values():
        together.setdefault(way.strategy, []).append(dict(way.options or {}))
    return {strategy: _alike(every) if len(every) > 1 else {} for strategy, every in together.items()}


def _alike(every: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    first, *others = every
    return {name: value for name, value in first.items() if all(_same(other, name, value) for other in others)}


def _same(options: Mapping[str, Any], name: str, value: Any) -> bool:
    return name in options and canonical_json(options[name]) == canonical_json(value)


def _named(way: LabelledStrategy, shared: Mapping[str, Any]) -> str:
    kept = _kept(way, shared)
    return f"{way.strategy}({', '.join(kept)})" if kept else way.strategy


def _kept(way: LabelledStrategy, shared: Mapping[str, Any]) -> list[str]:
    return [_plain(name, value) for name, value in (way.options or {}).items() if name not in shared]


def _plain(name: str, value: Any) -> str:
    """``proposers=ann+bob``: a list as people write it; of a table, how long it is; of a learnt rule, its mark."""
    if is_rule(value):
        return f"{name}={RuleContent(value)}"
    if name == ABSTAIN and isinstance(value, Mapping):
        return f"{name}={{{', '.join(f'{key}: {value_told(part)}' for key, part in value.items())}}}"
    if isinstance(value, Mapping):
        return f"{name} ({len(value)} given)"
    if isinstance(value, list | tuple):
        return f"{name}={list_told(value)}"
    return f"{name}={value_told(value)}"


@dataclass(frozen=True, slots=True)
class _NewNames:
    """By the old one."""

    labels: Mapping[str, str]
    sides: Mapping[str, str]
    tables: Mapping[str, str]

    def of(self, text: str, key: str) -> str:
        if key in _AS_WRITTEN:
            return text
        known = self.tables if key in _TABLES else self.sides if key in _SIDES else self.labels
        return known.get(text, text)


def _renamed(value: Any, names: _NewNames, key: str = "") -> Any:
    if isinstance(value, str):
        return names.of(value, key)
    if isinstance(value, Mapping):
        return {names.labels.get(name, name): _renamed(item, names, name) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_renamed(item, names, key) for item in value]
    return value


def _sides_renamed(rows: Iterable[Mapping[str, Any]], names: Mapping[str, str]) -> dict[str, str]:
    """By all that a side may be called, ``TEAM/LABEL@WHO`` or less: the same with the label as it is shown."""
    return {
        str(name): str(replace(name, strategy=names[row["label"]]))
        for row in rows
        if row["label"] in names
        for name in every_name(row)
    }
