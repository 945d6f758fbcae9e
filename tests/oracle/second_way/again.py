"""What is claimed after an outage: only what is claimed as well where the plays without somebody may come to anything.

"Who could not be reached" in docs/report.md: each such play is taken as an answer that waits for its grade, so that every figure
has it at its worst and at its best.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from second_way.compare import ANY_TEXT, Near
from second_way.raw import Raw
from second_way.shares import PLAYED_AGAIN

Row = dict[str, Any]
Way = Callable[[Raw], Mapping[str, Any]]
NOT_BY_GRADES = (
    "preferences",
    "position_bias",
    "headline",
    "frontier",
    "frontier_left_out",
    "hypotheses",
    "power",
    "unreached",
)
"""The first two claim nothing where anybody is missing; the others are held against such plays where they are made."""
FROM = {"difference": 0.0, "net": 0.0, "net_share": 0.0, "net_difference": 0.0, "lift": 0.0, "slope": 0.0, "rho": 0.0}
FROM |= {"multiple": 1.0, "with_recovered": 1.0}
"""What says more, or less, when its interval leaves this out. Anything else is a share."""
NUMBERS = (int, float)


@contextmanager
def nothing_flatters() -> Iterator[None]:
    PLAYED_AGAIN.append(True)
    try:
        yield
    finally:
        PLAYED_AGAIN.pop()


def played_again(raw: Raw) -> Raw | None:
    """None where everybody was reached, and where plays are open already."""
    if raw.again or not any(play.unreached for cell in raw.cells for play in raw.episodes(cell)):
        return None
    if "played again" not in vars(raw):
        vars(raw)["played again"] = replace(raw, again=True)
    again: Raw = vars(raw)["played again"]
    return again


def claimed_again(raw: Raw, figures: Mapping[str, Any], ways: Iterable[tuple[Way, Iterable[str]]]) -> Row:
    """The same figures, of which those that claim something are taken again. `ways`: each with the keys that it gave."""
    if (again := played_again(raw)) is None:
        return dict(figures)
    told = {key: figures[key] for key in figures if key not in NOT_BY_GRADES and _anything(figures[key])}
    with nothing_flatters():
        others = {
            key: value for way, keys in ways if not told.keys().isdisjoint(keys) for key, value in way(again).items()
        }
    return {**figures, **{key: held(value, others.get(key)) for key, value in told.items()}}


def _anything(value: Any) -> bool:
    """Whether something is claimed in it."""
    if isinstance(value, list):
        return any(map(_anything, value))
    if not isinstance(value, dict):
        return False
    here = any(_said(value, name, holm) is not None for name, _ in _ends(value) for holm in ("", "_holm"))
    return here or any(map(_anything, value.values()))


def held(told: Any, other: Any) -> Any:
    if isinstance(told, list):
        rest = list(other) if isinstance(other, list) else []
        return [held(row, _taken(rest, row)) for row in told]
    if not isinstance(told, dict):
        return told
    beside: Mapping[str, Any] = other if isinstance(other, dict) else {}
    row = {key: held(value, beside.get(key)) for key, value in told.items()}
    for name in dict.fromkeys(figure for figure, _ in _ends(row)):
        if any(
            (one := _said(row, name, holm)) is not None and one != _said(beside, name, holm) for holm in ("", "_holm")
        ):
            row |= {key: None for key in row if _of(key) == name} | {"why": row.get("why") or ANY_TEXT}
            row |= {key: None for key in ("p", "p_holm") if key in row and name == _tested(row)}
    return row


def _taken(rest: list[Any], row: Any) -> Any:
    """The first of them that is about the same, which is no more there then."""
    for place, other in enumerate(rest):
        if _about(other) == _about(row):
            return rest.pop(place)
    return None


def _about(row: Any) -> Any:
    """Whatever is words, a number of answers or a way of asking: no figure moves these."""
    if not isinstance(row, dict):
        return None
    told = {"why", "test", "note", "verdict", "equals", "beaten_by", "words", "small"}
    return {
        key: value
        for key, value in row.items()
        if key not in told and (isinstance(value, str) or key in ("d", "place"))
    }


def _of(key: str) -> str | None:
    """Whose end of an interval this is, or whose p; nothing: its row's own."""
    bare = key.removesuffix("_holm")
    for end in ("low", "high", "p"):
        if bare == end or bare.endswith(f"_{end}"):
            return bare[: -len(end) - 1] if bare != end else ""
    return None


def _ends(row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield from ((name, key) for key in row if (name := _of(key)) is not None)


def _tested(row: Mapping[str, Any]) -> str:
    return "difference" if "difference_low" in row else ""


def _said(row: Mapping[str, Any], name: str, holm: str) -> int | None:
    """1: more, -1: less, 0: one of them, by its p; None: neither."""
    before = f"{name}_" if name else ""
    low, high, p = (_number(row.get(f"{before}{end}{holm}")) for end in ("low", "high", "p"))
    if name and name == _tested(row):
        p = _number(row.get(f"p{holm}"))
    elif not name and _tested(row):
        p = None
    own = next((FROM[key] for key in ("multiple", "difference", "slope", "rho", "lift") if key in row), None)
    start = FROM.get(name) if name else None if _tested(row) else own
    if start is not None and low is not None and low > start:
        return 1
    if start is not None and high is not None and high < start:
        return -1
    return 0 if p is not None and p <= 0.05 else None


def _number(value: Any) -> float | None:
    value = value.value if isinstance(value, Near) else value
    return float(value) if isinstance(value, NUMBERS) and not isinstance(value, bool) else None
