"""A person at `moot grade --settle`, who has a word on some of what is shown and skips the rest."""

from __future__ import annotations

import io
from collections.abc import Callable
from unittest import mock

ASKED = "right? y / n / s(kip) / q(uit):"
MANY = 10_000


def settle(grade: Callable[[], str], right: Callable[[str], bool | None]) -> int:
    """`grade`: the command, and what it prints; `right`: of a question and an answer as they are shown, None to skip it. How
    many were settled."""
    with mock.patch("sys.stdin", io.StringIO("s\n" * MANY)):
        *shown, _ = grade().split(ASKED)
    words = [{True: "y", False: "n", None: "s"}[right(" ".join(each.split()))] for each in shown]
    with mock.patch("sys.stdin", io.StringIO("\n".join([*words, ""]))):
        grade()
    return len(words) - words.count("s")
