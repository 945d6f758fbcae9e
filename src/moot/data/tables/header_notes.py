"""What templates of quiz tools write behind the name of a column: "(Optional)", "- max 75 characters", "(s)".

Only notes that tell how to fill the column in are left out. "(year)" or "(student)" say that it is another one.
"""

from __future__ import annotations

import re

_ABOUT_FILLING = frozenset(
    (
        *("optional", "required", "mandatory", "max", "maximum", "min", "minimum", "characters", "chars", "char"),
        *("choose", "select", "include", "only", "enter", "type", "write", "separate", "separated", "comma", "commas"),
        *("least", "most", "eg", "example", "leave", "blank", "empty", "necessary"),
        *("pflichtfeld", "freiwillig", "facultatif", "facultative", "obligatoire", "opcional", "obligatorio"),
        *("facoltativo", "facoltativa", "obbligatorio", "необязательно", "обязательно", "опционально"),
    )
)
_IN_BRACKETS = re.compile(r"(.*\S)\s*[(\[]([^()\[\]]{1,200})[)\]]\s*[*:]?\s*", re.DOTALL)
_BEHIND_A_DASH = re.compile(r"(.*?\S)(?:\s+[-–—]\s|\s*[:\n])\s*(\S.{0,200})", re.DOTALL)
_MARKED = re.compile(r"(.*[^\s*:])\s*[*:]+\s*", re.DOTALL)
_PLURAL = ("s", "es", "n", "en")
_MARKS = {*"([*:\n-–—"}
_LONGEST = 200


def without_notes(name: str) -> str:
    """The name as it would be without them; the same where there are none."""
    if len(name) > _LONGEST or not _MARKS & {*name}:
        return name
    left = name.strip()
    while (shorter := _shorter(left)) is not None:
        left = shorter
    return left if left != name.strip() else name


def _shorter(name: str) -> str | None:
    if (found := _IN_BRACKETS.fullmatch(name)) is not None and (_is_note(found[2]) or found[2].strip() in _PLURAL):
        return found[1]
    if (found := _BEHIND_A_DASH.fullmatch(name)) is not None and _is_note(found[2]):
        return found[1]
    return found[1] if (found := _MARKED.fullmatch(name)) is not None else None


def _is_note(text: str) -> bool:
    return bool(_ABOUT_FILLING & {*re.findall(r"[^\W\d_]+", text.replace("e.g.", "eg").casefold())})
