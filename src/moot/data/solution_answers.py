r"""The answer within a reference that is a whole solution: behind a last `####` (GSM8K), or in its last \boxed{…} (MATH).

Nobody who is right says the whole solution, so by match everybody would be wrong. Files of questions and logs of other tools have
such references alike, and what is in them is found here for both.
"""

from __future__ import annotations

import re

from moot.grade.tex import spellings

MARK = "####"
BOX = "\\boxed{…}"

LONGEST_WITHIN = 300
"""Characters. A longer one is no answer that anybody repeats."""
_BEHIND_MARK = re.compile(r"(?:\A|\n|\\n)[ \t]*####([^\n]+)\Z")
r"""On a line of its own, which some tables write as \n in so many letters."""
_BOXED = re.compile(r"\\f?boxed[ \t]*(?:\{|(?=[^\s{]))")
_BARE = re.compile(r"[^\s$.,;\\]+")
r"""What \boxed takes without braces: 5 of "\boxed 5$"."""


def answers_within(reference: str) -> tuple[str, ...] | None:
    r"""The answer within a solution, and as it is written without TeX: \frac{1}{2} is 1/2, and \text{even} is even."""
    found = within_by(reference)
    if found is None:
        return None
    sign, answer = found
    return (answer, *(spellings(answer) if sign == BOX else ()))


def answer_within(reference: str) -> str | None:
    """What stands behind the last mark of a solution, or in its last box. None: it is no solution of such a form."""
    found = within_by(reference)
    return found[1] if found is not None else None


def within_by(reference: str) -> tuple[str, str] | None:
    """The sign that tells the answer within a solution, `MARK` or `BOX`, and the answer."""
    whole = reference.strip()
    marked = _BEHIND_MARK.search(whole)
    sign, found = (MARK, marked[1].strip()) if marked else (BOX, _boxed(whole))
    return (sign, found) if found and found != whole and len(found) <= LONGEST_WITHIN else None


def _boxed(text: str) -> str | None:
    boxes = [*_BOXED.finditer(text)]
    if not boxes:
        return None
    last = boxes[-1]
    if not last.group().endswith("{"):
        bare = _BARE.match(text, last.end())
        return bare.group() if bare else None
    depth = 1
    for place, sign in enumerate(text[last.end() : last.end() + LONGEST_WITHIN + 1], start=last.end()):
        depth += (sign == "{") - (sign == "}")
        if not depth:
            return text[last.end() : place].strip()
    return None
