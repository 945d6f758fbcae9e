"""What stands in a reply in the place of a secret that it said.

Nobody else writes so, and it stays in the text wherever that goes: so everybody behind the border where a reply is read can
tell that something is missing. A short key may be a right answer (`100`, `test`), and what was cut out of an answer is not
known to be wrong.
"""

from __future__ import annotations

from collections.abc import Iterable

CUT_OUT = "⟨…✂…⟩"
"""Without letters: no secret stands in it, and nobody reads a choice out of it."""

SHORT_KEY = 8
"""Characters. A shorter key may well be a word of a reply, or a number."""

CUT_FROM_ANSWER = "part of the answer equals a key of its model and was cut out"
HANGS_ON_CUT = "the count hangs on an answer of which part equals a key of its model and was cut out"
CUT_FROM_REPLY = "part of the reply equals a key of its model and was cut out, and what is left is in no form"


def was_cut(text: str | None) -> bool:
    """Whether a part of it is missing."""
    return text is not None and CUT_OUT in text


def keys_in_words(places: Iterable[str]) -> str:
    """Where keys are that are so short: "HOSTED_KEY and the file hosted.key"."""
    *others, last = dict.fromkeys(places)
    return f"{', '.join(others)} and {last}" if others else last
