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
_BEHIND_MARK = re.compile(r"(?:.*\\n)?[ \t]*####(.+)")
r"""On a line of its own, which is the last; some tables write \n in so many letters."""
_SAID_AGAIN = re.compile(r"####([^\n]++)\n\s*+The answer is:? *+([^\n]++)\Z")
"""As MetaMath ends them, from the last mark on; what is said of it again has to be the same."""
_BEHIND_MARK_IN_LINE = re.compile(r"[^\s#][ \t]*[ \t]####[ \t]*([-−]?[$€£]?[0-9][0-9.,]*+[%€£]?)\Z")
"""Behind the words of a solution that has lost the ends of its lines: a number, which no heading is."""
_BOXED = re.compile(r"\\f?boxed[ \t]*(?:\{|(?=[^\s{]))")
_BARE = re.compile(r"[^\s$.,;\\]+")
r"""What \boxed takes without braces: 5 of "\boxed 5$"."""

_LETTER = re.compile(r"\(([A-J])\) ?(\S.*)", re.DOTALL)
_LETTER_IN_TEX = re.compile(
    r"\\(?:text|math)[a-z]{0,6} ?\{ ?\(([A-J])\) ?\}(?:\\[ ,;:!]|\\q?quad(?![a-z])|[~\s])*(?![~\s])(.+)", re.DOTALL
)
"""A choice of AMC, as MATH and NuminaMath have it: its letter and what it says."""


def answers_within(reference: str) -> tuple[str, ...] | None:
    r"""The answer within a solution, and as it is written without TeX: \frac{1}{2} is 1/2, and \text{even} is even."""
    found = within_by(reference)
    if found is None:
        return None
    sign, answer = found
    if sign == MARK:
        return (answer,)
    return tuple(dict.fromkeys((answer, *spellings(answer), *beside_a_letter(answer))))


def beside_a_letter(answer: str) -> tuple[str, ...]:
    r"""Of an answer with the letter of its choice, \textbf{(B)} 12, what it says and the letter: whoever is right says either."""
    lettered = _LETTER_IN_TEX.fullmatch(answer)
    if lettered is None:
        lettered = next(filter(None, map(_LETTER.fullmatch, (*spellings(answer), answer))), None)
    if lettered is None:
        return ()
    letter, value = lettered.groups()
    return (value, *spellings(value), letter)


def answer_within(reference: str) -> str | None:
    """What stands behind the last mark of a solution, or in its last box. None: it is no solution of such a form."""
    found = within_by(reference)
    return found[1] if found is not None else None


def within_by(reference: str) -> tuple[str, str] | None:
    """The sign that tells the answer within a solution, `MARK` or `BOX`, and the answer."""
    if MARK not in reference and "boxed" not in reference:  # nearly always, and asked several times of each
        return None
    whole = reference.strip()
    again = _SAID_AGAIN.match(whole, max(whole.rfind(MARK), 0))
    if again is not None and again[1].strip().rstrip(".") == again[2].strip().rstrip("."):
        whole = whole[: again.end(1)].rstrip()
    marked = _BEHIND_MARK.match(whole, whole.rfind("\n") + 1) or _BEHIND_MARK_IN_LINE.search(whole)
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
