"""What a template may spend on one prompt: steps, characters, the size of numbers. One count for all of it.

Whatever Jinja would do without asking is made to ask here first (`sandbox`). A value is weighed by what it would take to
write it out, a list with all that is in it: a list of ten thousand names of one long text is small only as long as nobody
shows it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import islice
from time import thread_time
from typing import Any

from jinja2 import Undefined
from jinja2.exceptions import SecurityError

MOST_STEPS = 400_000
"""For one prompt: steps of loops, and filters and comparisons, a hundred characters of a text being one as well."""
PARTS_A_STEP = 4
"""What stands in a loop takes time at each of its turns, be it only a name."""
CHARACTERS_A_STEP = 100
LINES_A_STEP = 10
LETTERS_A_STEP = 25
"""Of a text that is taken apart into its words."""
MOST_SECONDS = 10
"""Of work, for a step that takes longer than it is thought to. Whatever is known to is bounded by steps, the same everywhere."""
CHARACTERS_A_SECOND = 100_000
LOOKS_AT_THE_CLOCK = 64
"""So often something is paid for from one look at the clock to the next."""
MOST_TEXT = 4_000_000
"""Characters of a prompt, and of any text on the way to it: what takes it apart holds many times as much."""
TIMES_INPUTS = 4
"""Inputs may be large, such as replies of many megabytes: a template may show them, so many times beyond these bounds."""
MORE_A_STEP = 25
"""Of those characters: inputs bring the steps that any filter of ours takes on them, once, be they nothing but ends of lines."""
MOST_BITS = 256
"""Of a whole number."""
MOST_SOURCE = 200_000
MOST_PARTS = 5_000
"""Of a template, as Jinja takes it apart: texts, names, operations. Compiling takes time too."""
MOST_INDENT = 80
MOST_PLACES = 20
"""Before or behind the point, where a number is rounded."""
MOST_PATH = 8
"""Parts of what items are sorted or chosen by."""
MOST_LOOKED_AT = 400_000
"""Characters of texts in which a bracket stands: each of them is looked at by itself, which takes as long as a step."""
LONGEST_SEPARATOR = 100
"""Characters of what is stripped off a text, or parts it from its end: each is held against each of the text."""
LONGEST_NUMERAL = 80
"""Characters of a text that is read as a number. A longer one is none."""
LONGEST_PLACE = 420
"""Characters of a number that is formatted, 99 of them behind its point."""
LONGEST_IN_JSON = 12
"""Characters that one may be there: two halves, each by its number."""
AN_ITEM = 10
"""Characters that something in a list weighs beside its text: so a list is dearer than a text of its length."""
A_NUMBER = 80
"""Characters that one in a list weighs: it takes longer to write than a text does."""


_HOLDERS = (list, tuple, dict)
_NUMBERS = (int, float)
_SIZED = (str, list, tuple, dict)
"""Written down once: `list | tuple` is made anew wherever it stands, and this is asked for every word that is shown."""


class PromptSpending:
    """What one prompt has taken so far, and what its inputs allow beyond the usual."""

    __slots__ = ("_began", "_characters", "_inputs", "_paid", "looked_at", "steps")

    def __init__(self, inputs: Mapping[str, Any]) -> None:
        self.steps = 0
        self.looked_at = 0
        self._inputs = inputs
        self._characters: int | None = None
        self._paid = 0
        self._began = thread_time()

    @property
    def more(self) -> int:
        """Characters; counted only by who needs them."""
        if self._characters is None:
            self._characters = TIMES_INPUTS * _characters(self._inputs)
        return self._characters

    def look_at_the_clock(self) -> None:
        self._paid += 1
        if self._paid % LOOKS_AT_THE_CLOCK or thread_time() - self._began <= MOST_SECONDS:
            return
        if thread_time() - self._began > (most := MOST_SECONDS + self.more // CHARACTERS_A_SECOND):
            raise SecurityError(f"takes more than {most} seconds")


def _characters(value: Any) -> int:
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Mapping):
        return sum(map(_characters, value.values()))
    if isinstance(value, list | tuple):
        return sum(map(_characters, value))
    return sum(_characters(getattr(value, name)) for name in getattr(type(value), "__dataclass_fields__", ()))


_spent: ContextVar[PromptSpending] = ContextVar("spent")


@contextmanager
def counting(inputs: Mapping[str, Any]) -> Iterator[PromptSpending]:
    """From here on all that is spent is spent on one prompt."""
    spent = PromptSpending(inputs)
    counted = _spent.set(spent)
    try:
        yield spent
    finally:
        _spent.reset(counted)


def spend(steps: int) -> None:
    spent = _spent.get(None)
    if spent is None:  # while a template is compiled
        return
    spent.steps += max(0, steps)
    spent.look_at_the_clock()
    if spent.steps > MOST_STEPS and spent.steps > (most := MOST_STEPS + spent.more // MORE_A_STEP):
        raise SecurityError(f"takes more than {most} steps")


def look_at(characters: int) -> None:
    """One by one."""
    spent = _spent.get(None)
    if spent is None:
        return
    spent.looked_at += characters
    if spent.looked_at > MOST_LOOKED_AT and spent.looked_at > (most := MOST_LOOKED_AT + spent.more):
        raise SecurityError(f"looks for brackets in more than {most} characters")


def weight(value: object) -> int:
    """The characters of a text; of a list, of all that is in it. One that is past all bounds is not weighed to its end."""
    if isinstance(value, str):
        return len(value)
    if not isinstance(value, _HOLDERS):
        return 0
    most = MOST_TEXT + (spent.more if (spent := _spent.get(None)) is not None else 0)
    weighed, left = 0, [iter(value.values() if isinstance(value, dict) else value)]
    while left:
        for item in left[-1]:
            weighed += AN_ITEM + (len(item) if isinstance(item, str) else A_NUMBER if isinstance(item, _NUMBERS) else 0)
            if weighed > most:
                raise SecurityError(f"makes a list of more than {most} characters")
            if isinstance(item, _HOLDERS):
                left.append(iter(item.values() if isinstance(item, dict) else item))
                break
        else:
            left.pop()
    return weighed


def paid_for(value: Any) -> Any:
    """The value, its weight paid for."""
    spend(1 + weight(value) // CHARACTERS_A_STEP)
    return value


def counted(values: Any, steps: int = 1) -> Any:
    """What is gone through one by one, so many steps for each of it paid for beforehand."""
    if isinstance(values, Undefined):
        return values
    sized = values if isinstance(values, _SIZED) else list(islice(values, MOST_STEPS + 1))
    spend(1 + steps * len(sized))
    return sized


def short_enough(length: int) -> None:
    """Whether a text of this length may be made; it is paid for."""
    spend(1 + length // CHARACTERS_A_STEP)
    spent = _spent.get(None)
    most = MOST_TEXT if length <= MOST_TEXT or spent is None else MOST_TEXT + spent.more
    if length > most:
        raise SecurityError(f"makes a text of more than {most} characters")


def number(value: Any) -> Any:
    """The value, which is no number that takes long to count with."""
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        raise SecurityError(f"makes a number of more than {MOST_BITS} bits")
    return value
