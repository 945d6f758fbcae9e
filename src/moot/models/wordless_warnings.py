"""Warnings of libraries, without their words: a library that warns of what it was given repeats it, and what a model says may
hold a key, or what somebody asked.

A process of our own (a command, a server) tells no warning's words. In a process of somebody else's, such as a notebook, the
warnings of others stay as they are, and so do its filters: there only what arises within a call is told so.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable, Coroutine, Generator
from functools import partial
from types import coroutine
from typing import Any, TypeVar, cast

from moot.models.meanwhile import Meanwhile
from moot.models.wordless_line import UNTOLD, folded, wordless_line
from moot.models.wordless_logs import hide_words_of_logs, within_call

_NEVER_AWAITED = re.compile(r"coroutine '(\w{1,100})\.[\w.<>]{1,200}' was never awaited")
T = TypeVar("T")


def tell_warnings_without_words(tell: Callable[[str], object]) -> None:
    """From now on in this process."""

    def told(message: object, category: type[Warning], filename: str, lineno: int, *_: object) -> None:
        if not _is_left_by_litellm(message, category):
            tell(wordless_line(category.__name__, (filename, lineno)))

    _show_by(told)


def _is_left_by_litellm(message: object, category: type[Warning]) -> bool:
    """It makes a call ready in a thread. Who gives the call up meanwhile leaves what was made, of which nothing was sent."""
    made = _NEVER_AWAITED.fullmatch(str(message)) if category is RuntimeWarning else None
    if made is None:
        return False
    places = (module for name, module in list(sys.modules.items()) if name.startswith("litellm."))
    return any(getattr(module.__dict__.get(made[1]), "__module__", "").startswith("litellm.") for module in places)


@coroutine
def call_without_words(call: Coroutine[Any, Any, T]) -> Generator[Any, Any, T]:
    """What a call of a library comes to, which warns and logs without words, also in tasks and `asyncio.to_thread` that begin
    there. What it hands to a thread in another way (`loop.run_in_executor`) without its context keeps its words, and so does
    what is told of a task that nobody has waited for: neither knows whose it is. How warnings are shown is one thing for the
    whole process, and whoever catches some for a while puts back what was there before: so it is looked after at every step."""
    step = partial(call.send, None)
    with Meanwhile(within_call, True):
        while True:
            _hide_words_of_warnings()
            hide_words_of_logs()
            try:
                waited_for = step()
            except StopIteration as done:
                return cast(T, done.value)
            try:
                came = yield waited_for
            except BaseException as error:  # noqa: BLE001  whatever ends the waiting is for the call to hear
                step = partial(call.throw, error)
            else:
                step = partial(call.send, came)


def _hide_words_of_warnings(shows: Any = warnings) -> None:
    """Where nobody has put anything in the place of what Python shows warnings with, that is left there: who replaces it is not
    told what a warning is about (the `source` of one of resources), and so nobody would be shown where that was made."""
    shown = shows.showwarning
    if getattr(shown, "tells_no_words", False):
        return
    if shown is not getattr(shows, "_showwarning_orig", None) or not hasattr(shows, "_showwarnmsg_impl"):
        _show_by(lambda *told, **more: shown(*_untold(*told, **more)) if within_call.get() else shown(*told, **more))
        return
    whole = shows._showwarnmsg_impl
    if getattr(whole, "tells_no_words", False):
        return

    def show_untold(told: warnings.WarningMessage) -> None:
        if within_call.get():
            told = warnings.WarningMessage(*_untold(told.message, told.category, told.filename, told.lineno, told.file))
        whole(told)

    show_untold.tells_no_words = True  # type: ignore[attr-defined]
    shows._showwarnmsg_impl = show_untold


def _untold(
    message: object, category: type[Warning], filename: object, lineno: int, file: Any = None, line: object = None
) -> tuple[Any, ...]:
    """As `showwarning` takes it."""
    kind = category if category.__name__ == folded(category.__name__) else UserWarning
    return UserWarning(UNTOLD), kind, folded(filename), lineno, file, None


def _show_by(show: Callable[..., None]) -> None:
    show.tells_no_words = True  # type: ignore[attr-defined]
    warnings.showwarning = show
