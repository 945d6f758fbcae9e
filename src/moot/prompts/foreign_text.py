"""Text that somebody else wrote, made safe to stand in a prompt: it can forge neither the end of its block nor a line."""

from __future__ import annotations

import re
import unicodedata

_TAG = re.compile(
    r"question|options?|context|answers?|reasoning|reference|positions?|documents?|messages?|solutions?|responses?"
    r"|proposals?|transcript|discussion|arguments?|facts?|criterion|criteria"
)
UNSEEN = (
    r"\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u0300-\u036f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    r"\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff"
)
"""Characters that show nothing, or sit on the one before them: a tag with some in it still looks like a tag."""
_BRACKETS = "<＜﹤"
_OPENS = re.compile(rf"[{_BRACKETS}](?=[\s{UNSEEN}]*(?:[/／⁄∕⧸\\][\s{UNSEEN}]*)?((?:\w|[{UNSEEN}])+))")
"""A bracket and the word it opens. Nothing in it can be matched in two ways, so its time is that of the text."""
_NOT_SEEN = re.compile(rf"[{UNSEEN}]")
_LOOKALIKES = str.maketrans("аеіјорсѕԁԛѡхуνοαιρτυκмтпɡɑıℓ", "aeijopcsdqwxyvoaiptukmtngail")


def block(text: object) -> str:
    """Text made safe to stand inside a block: what looks like one of our tags loses its bracket, all else is kept."""
    written = str(text)
    if "<" not in written and (written.isascii() or not any(bracket in written for bracket in _BRACKETS)):
        return written
    return _OPENS.sub(_shut, written)


def _shut(bracket: re.Match[str]) -> str:
    """The bracket as it was, unless the word after it is one of our tags to whoever reads it."""
    word = bracket[1]
    if not word.isascii() or not word.isalpha():
        word = _NOT_SEEN.sub("", unicodedata.normalize("NFKD", word))
    seen = word.casefold().translate(_LOOKALIKES)
    return "‹" if _TAG.fullmatch(seen) else bracket[0]


def line(text: object) -> str:
    """Text made safe to stand on a line of its own."""
    return " ".join(block(text).split())


def quoted(text: object) -> str:
    """Text made safe inside of what will be a block itself, where no tag of ours would survive: no line is its own."""
    return "\n".join(f"> {text_line}" for text_line in str(text).splitlines())
