r"""The answer within a reference that is a whole solution: behind a last `####` (GSM8K), or in its last \boxed{…} (MATH).

Nobody who is right says the whole solution, so by match everybody would be wrong. Files of questions and logs of other tools have
such references alike, and what is in them is found here for both.
"""

from __future__ import annotations

import re

MARK = "####"
BOX = "\\boxed{…}"

LONGEST_WITHIN = 300
"""Characters. A longer one is no answer that anybody repeats."""
_BEHIND_MARK = re.compile(r"(?:\A|\n|\\n)[ \t]*####([^\n]+)\Z")
r"""On a line of its own, which some tables write as \n in so many letters."""
_BOXED = re.compile(r"\\f?boxed[ \t]*(?:\{|(?=[^\s{]))")
_BARE = re.compile(r"[^\s$.,;\\]+")
r"""What \boxed takes without braces: 5 of "\boxed 5$"."""

_KEPT_INSIDE = re.compile(r"\\(?:text|textbf|textit|textrm|mathrm|mathbf|mathit|mbox)\s?\{([^{}]*)\}")
_FRACTION = re.compile(r"\\[dtc]?frac\s?(?:\{([^{}]*)\}|(\w))\s?(?:\{([^{}]*)\}|(\w))")
_ROOT = re.compile(r"\\sqrt\s?\{([^{}]*)\}")
_LEFT_OUT = re.compile(r"\\(?:left|right|[!,;:]|displaystyle|quad)(?![a-z])|\^\{?\\circ\}?|\\degree|\$")
_PLAIN = {
    **{rf"\{sign}": sign for sign in "%#&_{}"},
    r"\cdot": "*",
    r"\times": "*",
    r"\pi": "pi",
    r"\infty": "infinity",
    r"\pm": "±",
    r"\le": "≤",
    r"\leq": "≤",
    r"\ge": "≥",
    r"\geq": "≥",
    r"\neq": "≠",
    r"\cup": "∪",
    r"\in": "∈",
}
_COMMAND = re.compile(r"\\(?:[a-zA-Z]+|.)")
_SIMPLE = re.compile(r"-?[\w.]+")


def answers_within(reference: str) -> tuple[str, ...] | None:
    r"""The answer within a solution, and as it is written without TeX: \frac{1}{2} is 1/2, and \text{even} is even."""
    found = within_by(reference)
    if found is None:
        return None
    sign, answer = found
    spellings = (answer, _with_plain_fractions(answer), _without_tex(answer)) if sign == BOX else (answer,)
    return tuple(dict.fromkeys(filter(None, spellings)))


def _with_plain_fractions(tex: str) -> str:
    return re.sub(r"\\[dtc]frac(?![a-z])", r"\\frac", tex)


def _without_tex(tex: str) -> str | None:
    """None: it has commands for which there is no sign."""
    text = _KEPT_INSIDE.sub(r"\1", _LEFT_OUT.sub("", tex.replace(r"\$", "")))
    text = _FRACTION.sub(_fraction, _ROOT.sub(r"sqrt(\1)", text))
    if any(command not in _PLAIN for command in _COMMAND.findall(text)):
        return None
    text = _COMMAND.sub(lambda command: _PLAIN[command.group()], text)
    return " ".join(re.sub(r"\^\{(-?\w+)\}", r"^\1", text).split())


def _fraction(found: re.Match[str]) -> str:
    parts = (found[1] or found[2] or "", found[3] or found[4] or "")
    return "/".join(part if _SIMPLE.fullmatch(part) else f"({part})" for part in parts)


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
