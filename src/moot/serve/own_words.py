"""What a follow-up itself asks. The question that a team is asked begins with all that was said before, which may be long.

As `prompts/*/chat.j2` writes it: each that was said stands under a line such as `[user]`, every line of it behind a ">". The last
such line has none of it below: an empty line follows, one that says what comes, an empty one, and what is asked now. The
page reads it in the same way (`page/turns.js`).
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, and_, case, func, null

BREAK = "\\n"
"""The end of a line, as it is written in JSON."""


def is_begun(text: str) -> bool:
    """Whether something was said before, by the beginning of a text."""
    lines = text.split("\n")
    first = next((here for here, line in enumerate(lines) if _is_head(line)), None)
    return first is not None and _is_quoted(lines[first + 1 : first + 2])


def own_words(text: str) -> str | None:
    """None: nothing was said before."""
    lines = text.split("\n")
    said = False
    for here, line in enumerate(lines):
        if not _is_head(line):
            continue
        below = lines[here + 1 : here + 4]
        if _is_quoted(below):
            said = True
        elif said and len(below) == 3 and not below[0] and not below[2]:
            return "\n".join(lines[here + 4 :]).strip()
        else:
            return None
    return None


def _is_head(line: str) -> bool:
    return len(line) > 2 and line[0] == "[" and line.find("]") == len(line) - 1


def _is_quoted(lines: list[str]) -> bool:
    return bool(lines) and lines[0].startswith(">")


def written_own_words(content: ColumnElement[Any], dialect: str, most: int) -> ColumnElement[str | None]:
    """The same in the database, of a text within JSON where something was said before: what lies before is not read, and of its
    own words so many letters. None: there are none."""
    place = func.instr if dialect == "sqlite" else func.strpos
    # Brackets that end a line of what was said are no heads, nor are those that stand above it. Nothing changes its place.
    heads: ColumnElement[Any] = content
    for behind in (f"{BREAK}>", f"{BREAK}{BREAK}["):
        heads = func.replace(heads, f"]{behind}", f"){behind}")
    last = place(heads, f"]{BREAK}{BREAK}")
    below = func.substr(content, last + 1 + 2 * len(BREAK))
    asked = place(below, BREAK + BREAK)
    return case((and_(last > 0, asked > 0), func.substr(below, asked + 2 * len(BREAK), most)), else_=null())
