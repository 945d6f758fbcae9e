"""Right answers in logs of lm-evaluation-harness: it writes every target as a text, a list of several as Python spells it."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Sequence
from typing import Any

from moot.data.logs.fields import text
from moot.data.logs.lm_eval_sample import LmEvalSample
from moot.grade.normalise import normalise

LONGEST_LIST = 100_000
"""Characters. A name with a thousand others fits."""


def targets_of(sample: LmEvalSample, several: bool) -> list[str]:
    """What is right. `several`: whether a spelt list is a list in this task, or what a reply has to say to the letter."""
    target = sample.row.get("target")
    listed = target if isinstance(target, list) else spelt_list(target) if several else None
    references = map(text, [target] if listed is None else listed)
    return list(dict.fromkeys(each.strip() for each in references if each is not None))


def lists_are_several(samples: Sequence[LmEvalSample], metric: str | None) -> bool:
    """Whether the targets of a task that spell a list are several right answers each.

    So it is where the row of the set has this list, or where a reply is called right that says one of them, unless a reply
    is called right that says the whole list.
    """
    found = False
    for sample in samples:
        if (listed := spelt_list(sample.row.get("target"))) is None:
            continue
        said = normalise(str(sample.taken[0])) if sample.taken and sample.worth(metric) == 1 else None
        # Without its marks a list of one is that one, so what says one of them is looked for first.
        if said is not None and said in [normalise(str(each)) for each in listed]:
            found = True
        elif said is not None and said == normalise(sample.row["target"]):
            return False
        found = found or _holds(sample.row.get("doc"), listed)
    return found


def spelt_list(target: Any) -> list[Any] | None:
    """None: it is no list of texts and numbers, in the very words in which Python would write it."""
    if not isinstance(target, str) or not target.startswith("[") or len(target) > LONGEST_LIST:
        return None
    try:
        with warnings.catch_warnings():  # of escapes that are none, as in a pattern
            warnings.simplefilter("ignore")
            listed = ast.literal_eval(target)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    if not isinstance(listed, list) or not all(isinstance(each, str | int | float) for each in listed):
        return None
    return listed if str(listed) == target else None  # an array's ['a' 'b'] would be one text


def _holds(value: Any, listed: Sequence[Any]) -> bool:
    """Whether this list is a value of a row, at whatever depth."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, list) and each == listed:
            return True
        if isinstance(each, dict | list):
            waiting.extend(each.values() if isinstance(each, dict) else each)
    return False
