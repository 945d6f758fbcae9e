"""Warnings of libraries, without their words: a library that warns of what it was given repeats it, and what a model says may
hold a key, or what somebody asked.

So it is in a process of our own: a command, a server. In somebody else's, such as a notebook, warnings are theirs.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable

from moot.models.wordless_line import wordless_line

_NEVER_AWAITED = re.compile(r"coroutine '(\w{1,100})\.[\w.<>]{1,200}' was never awaited")


def tell_warnings_without_words(tell: Callable[[str], object]) -> None:
    """From now on in this process."""

    def told(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: object = None,
        line: object = None,
    ) -> None:
        if not _is_left_by_litellm(message, category):
            tell(wordless_line(category.__name__, (filename, lineno)))

    warnings.showwarning = told


def _is_left_by_litellm(message: object, category: type[Warning]) -> bool:
    """It makes a call ready in a thread. Who gives the call up meanwhile leaves what was made, of which nothing was sent."""
    made = _NEVER_AWAITED.fullmatch(str(message)) if category is RuntimeWarning else None
    if made is None:
        return False
    places = (module for name, module in list(sys.modules.items()) if name.startswith("litellm."))
    return any(getattr(module.__dict__.get(made[1]), "__module__", "").startswith("litellm.") for module in places)
