"""`--fail-under`: a condition on a report's figures, so that a pipeline can stop on it."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from moot.errors import UsageError
from moot.measures.claims.words import withheld_for
from moot.measures.preferences.options import BUT_FOR_UNGRADED
from moot.measures.reserved import SERVED
from moot.models.closest import closest

COMPARED: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
CLAIMED = ("value", "difference", "low", "high", "raw", "p", "low_holm", "high_holm", "p_holm")
"""Of a figure beside which it says why nothing is claimed: what no condition can rest on."""
COUNTED = ("clusters", "measurement")
"""Keys of a report with several figures that say what was done, and nothing of how good it is."""
OF_THE_HEADLINE = (
    *("value", "low", "high", "bounds", "over_best_single", "over_captain", "after_the_fact", "best_single", "skyline"),
    *("preferred", "preferences"),
)
"""Whose `SHARES` are parts of one, or what two such differ by, of points of a rubric as well."""
SHARES = (*CLAIMED, "share")
ALWAYS_SHARES = ("share", "p", "p_holm")
_FORM = re.compile(r"\s*([A-Za-z_][\w.]*)\s*(>=|<=|>|<)\s*(\S+)\s*")


def checked_conditions(conditions: Sequence[str]) -> None:
    """That each can be read, and that a figure could fail it as well as meet it; before a store is opened."""
    for condition in conditions:
        keys, _, number = _parts(condition)
        if abs(number) > 1 and _is_share(keys):
            raise UsageError(
                f"--fail-under: {condition}: {'.'.join(keys)} is a share or a difference of shares, from -1 to 1; expected"
                f" {number / 100:g} for {number:g} points or percent"
            )


def _is_share(keys: Sequence[str]) -> bool:
    keys = keys[1:] if keys[0] == "headline" else keys
    return bool(keys) and (keys[-1] in ALWAYS_SHARES or (keys[0] in OF_THE_HEADLINE and keys[-1] in SHARES))


class CheckedFigure(NamedTuple):
    """Whether a condition holds, and in words what the figure is."""

    holds: bool
    words: str


def judged(conditions: Sequence[str], figures: Mapping[str, Any]) -> list[CheckedFigure]:
    """Each condition. What is not known holds nowhere: nobody is let through on it."""
    return [_judged(condition, figures) for condition in conditions]


def _parts(condition: str) -> tuple[list[str], str, float]:
    form = _FORM.fullmatch(condition)
    wanted = "a figure, one of > >= < <= and a number, such as over_best_single.low>0"
    expected = f"--fail-under: expected {wanted}; found {condition!r}"
    if form is None:
        raise UsageError(expected)
    try:
        number = float(form[3])
    except ValueError:
        raise UsageError(expected) from None
    if not math.isfinite(number):
        raise UsageError(expected)
    return form[1].split("."), form[2], number


def _numbers_in(keys: Sequence[str], place: object, headline: Mapping[str, Any]) -> str:
    """What may be asked instead: the numbers below it, or else those that stand for the run."""
    if isinstance(place, Mapping):
        inside = [f"{'.'.join(keys)}.{key}" for key, value in place.items() if type(value) in (int, float)]
        return f"; expected one within it, such as {', '.join(inside[:3])}" if inside else ""
    over = [f"over_best_single.{key}" for key in ("low", "p") if headline.get("over_best_single")]
    whole = [key for key in ("value", "low") if key in headline]
    return f"; expected one, such as {', '.join([*whole, *over])}" if whole or over else ""


def _judged(condition: str, figures: Mapping[str, Any]) -> CheckedFigure:
    keys, compared, number = _parts(condition)
    value, why = _value(keys, figures)
    if value is None:
        return CheckedFigure(False, f"{condition}: {'.'.join(keys)} is not known{f' ({why})' if why else ''}")
    return CheckedFigure(COMPARED[compared](value, number), f"{condition}: it is {value:g}")


def _value(keys: Sequence[str], figures: Mapping[str, Any]) -> tuple[float | None, str | None]:
    """From the headline where it has the first key, else from the report; null with its reason, where one stands beside."""
    headline = figures.get("headline") or {}
    place: Any = headline if keys[0] in headline else figures
    why, turned = None, False
    for number, key in enumerate(keys):
        if place is None:
            return None, why
        if not number and key not in figures and key not in headline and _nothing_played(figures):
            return None, "nothing was played"
        if not isinstance(place, Mapping) or key not in place:
            known = _known(place, top=not number, headline=headline)
            raise UsageError(f"--fail-under: {'.'.join(keys)}: there is no {key!r}{closest(key, known)}")
        why = place.get("why") or why
        # What is told of a part of the words is turned by the missing ones as well.
        turned = turned or BUT_FOR_UNGRADED in place
        place = None if (place.get("why") or turned) and key in CLAIMED else place[key]
    claims = keys[0] in headline or (len(keys) > 1 and keys[0] not in COUNTED)
    if claims and not isinstance(place, str | Mapping | list) and (withheld := withheld_for(headline)):
        return None, withheld
    if place is not None and (isinstance(place, bool) or not isinstance(place, int | float)):
        raise UsageError(f"--fail-under: {'.'.join(keys)} is no number{_numbers_in(keys, place, headline)}")
    return place, why


def _nothing_played(figures: Mapping[str, Any]) -> bool:
    """Whether there is no figure of a run, and none of what was served: then none is known, whatever it is called."""
    if SERVED in figures or figures.get("headline"):
        return False
    return all({*row.get("outcomes", ())} <= {"failed"} for row in figures.get("accuracy") or ())


def _known(place: Any, *, top: bool, headline: Mapping[str, Any]) -> list[str]:
    return [*(place if isinstance(place, Mapping) else ()), *(headline if top else ())]
