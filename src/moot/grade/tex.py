r"""What is written in TeX, as it is written without: \frac{1}{2} is 1/2, \text{even} is even, 1\frac{1}{2} is 1 1/2.

Public sets of mathematics keep their references so, and models answer in either way. Only what has one plain spelling is read;
of anything else, such as a matrix, no more than the size and the spaces of its signs is left out. So a text that only looks like
TeX, a path or a regular expression, stays what it is.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager

from moot.grade.formula_tokens import are_quantities

DEEPEST = 20
"""Braces within braces. Nobody's answer has more."""

_HINTS = ("\\", "^{", "_{", "{,}")
_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|.", re.DOTALL)
_SKIPPED = frozenset(
    ("left", "right", "displaystyle", "textstyle", "limits", "rm", "bf", "it", "(", ")", "[", "]", "!")
)
_SIZE = re.compile(r"[bB]igg?[lrm]?")
_KEPT_INSIDE = frozenset(
    (
        *("text", "textbf", "textit", "textrm", "textnormal", "mathrm", "mathbf", "mathit", "mathbb", "mathsf"),
        *("mbox", "hbox", "operatorname", "boxed", "fbox", "emph"),
    )
)
_FRACTIONS = frozenset(("frac", "dfrac", "tfrac", "cfrac"))
_THIN_SPACES = frozenset(",:;")
_SPACES = frozenset((" ", "quad", "qquad", "enspace", "thinspace"))
_DEGREES = frozenset((r"\circ", r"\degree"))
_SIGNS = {
    **{sign: sign for sign in "%#&_{}"},
    "$": "",
    "cdot": "*",
    "times": "*",
    "ast": "*",
    "div": "÷",
    "pm": "±",
    "mp": "∓",
    "le": "≤",
    "leq": "≤",
    "leqslant": "≤",
    "ge": "≥",
    "geq": "≥",
    "geqslant": "≥",
    "lt": "<",
    "gt": ">",
    "ne": "≠",
    "neq": "≠",
    "approx": "≈",
    "equiv": "≡",
    "infty": "infinity",
    "cup": "∪",
    "cap": "∩",
    "in": "∈",
    "notin": "∉",
    "subset": "⊂",
    "subseteq": "⊆",
    "emptyset": "∅",
    "varnothing": "∅",
    "to": "→",
    "rightarrow": "→",
    "Rightarrow": "⇒",
    "mid": "|",
    "vert": "|",
    "lvert": "|",
    "rvert": "|",
    "lbrace": "{",
    "rbrace": "}",
    "ldots": "...",
    "dots": "...",
    "cdots": "...",
    "prime": "'",
    "degree": "°",
    "triangle": "triangle ",
    "angle": "angle ",
}
_GREEK = {
    **dict(zip(("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"), "αβγδεζηθ", strict=True)),
    **dict(zip(("lambda", "mu", "nu", "xi", "rho", "sigma", "tau", "phi", "chi", "psi"), "λμνξρστφχψ", strict=True)),
    **dict(zip(("omega", "varepsilon", "varphi", "Delta", "Sigma", "Omega", "Gamma"), "ωεφΔΣΩΓ", strict=True)),
}
_NAMES_OF_GREEK = {letter: name.lower() for name, letter in _GREEK.items() if name not in ("varepsilon", "varphi")}
_FUNCTIONS = frozenset(
    (
        "sin",
        "cos",
        "tan",
        "cot",
        "sec",
        "csc",
        "arcsin",
        "arccos",
        "arctan",
        "log",
        "ln",
        "exp",
        "gcd",
        "lcm",
        "min",
        "max",
    )
)
_QUANTITIES = frozenset(("pi", "sqrt", *_FRACTIONS, *_FUNCTIONS, *_GREEK)) - {"Omega"}
"""Commands that are a factor where they follow a fraction; ohms are a unit."""

_SIMPLE_POWER = re.compile(r"-?(?:[0-9]+|[^\W\d_])|'+")
"""What needs no brackets above a quantity or below it: e^2x is not e^(2x)."""
_ONE_FACTOR = re.compile(r"-?[0-9]+(?:\.[0-9]+)?|[^\W\d_]+|(?:[0-9]+|[^\W\d_])\^\w+|(?:sqrt)?\([^()]*\)")
"""A denominator that needs no brackets, unless its letters are quantities beside each other: h/mv may be h/m times v."""
_LENGTHS = re.compile(r"[A-HK-OX-Z]{2}/[A-HK-OX-Z]{2}")
"""Of AB to CD, which are lines between points and never written with brackets."""
_WHOLE = re.compile(r"(?:(?<=[^\w.,^_/*)\]])|\A)[0-9]+ *\Z")
"""A whole number that is no part of anything else, at the end."""
_NEAR = 40
"""Characters in which it is looked for."""
_FACTOR_BEFORE = re.compile(
    r"(?:[0-9] *|[)\]}]|(?:(?<=[\W\d_])|\A)[^\W\d_]|pi|(?:sin|cos|tan|cot|sec|csc|log|ln|exp) *|[/÷^] *)\Z"
)
_BARE_NUMBER = re.compile(r" ?[0-9]{2,}")
_BARE_POWER = re.compile(r"-?[0-9]+|-[^\W\d_](?![^\W\d_])")
_UNIT = re.compile(r"(?!(?:st|nd|rd|th|[ide])(?![^\W\d_]))[^\W\d_]")
"""What stands apart from the number before it."""
_FUNCTION_BEFORE = re.compile(r"(?:sin|cos|tan|cot|sec|csc|log|ln)(?:[_^][0-9a-z]+)?\Z")
_FACTOR_BEHIND = re.compile(r"[^\W\d_]| *(?:[0-9(]|[^\W\d_](?![^\W\d_])|[^\W\d_]{2,3}[\^_]|\\(?P<name>[A-Za-z]+))")
_OTHER_SIZES = re.compile(r"\\[dtc]frac(?= ?[{0-9])")
_SIZES = re.compile(r"\\(?:left|right|displaystyle|[bB]igg?[lrm]?)(?![A-Za-z])|\\[!,;:]")
_MIXED = re.compile(r"(?P<sign>-?)(?P<whole>[0-9]{1,12}) (?P<part>[0-9]{1,12})/(?P<of>[0-9]{1,12})%?")


def may_be_tex(text: str) -> bool:
    """Whether there is anything in it that only TeX is written with."""
    return any(hint in text for hint in _HINTS)


def name_of_greek(text: str) -> str:
    """The name of a Greek letter that is all there is; any other text as it is."""
    return _NAMES_OF_GREEK.get(unicodedata.normalize("NFKC", text.strip()), text)


def spellings(tex: str) -> tuple[str, ...]:
    """How else it can be written: with other commands, without any, and a mixed number as a fraction too."""
    bare = plain(tex)
    others = (_OTHER_SIZES.sub(r"\\frac", tex), bare, improper(bare) if bare is not None else None)
    return tuple(dict.fromkeys(each for each in others if each is not None and each != tex))


def without_tex(text: str) -> str:
    """A text as it is written without TeX, as far as it can be."""
    return plain(text) or like_others(text)


def like_others(tex: str) -> str:
    r"""TeX without the size and the spaces of its signs: \dfrac is \frac, and \left( is (."""
    return _SIZES.sub("", _OTHER_SIZES.sub(r"\\frac", tex))


def plain(tex: str) -> str | None:
    """None: it has commands for which there is no sign, or it is nothing but signs, which may be what is asked for."""
    try:
        text = _Reader(tex).text()
    except _NotPlainError:
        return None
    return text if re.search(r"[^\W_]", text) else None


def improper(text: str) -> str | None:
    """A mixed number as a fraction: 3/2 of 1 1/2. None: it is none."""
    mixed = _MIXED.fullmatch(text)
    if mixed is None or int(mixed["part"]) >= int(mixed["of"]):
        return None
    return f"{mixed['sign']}{int(mixed['whole']) * int(mixed['of']) + int(mixed['part'])}/{int(mixed['of'])}"


class _NotPlainError(Exception):
    """Something that has no plain spelling."""


class _Reader:
    """From the first token to the last, once."""

    def __init__(self, tex: str) -> None:
        self._tex = tex
        self._tokens = [(token.start(), token.group()) for token in _TOKEN.finditer(tex)]
        self._place = 0
        self._depth = 0

    def text(self) -> str:
        text = " ".join(self._sequence().split())
        if self._place < len(self._tokens):
            raise _NotPlainError  # a brace that closes nothing
        return text

    def _next(self) -> str | None:
        return self._tokens[self._place][1] if self._place < len(self._tokens) else None

    def _rest(self) -> int:
        """Where what is not read yet begins."""
        return self._tokens[self._place][0] if self._place < len(self._tokens) else len(self._tex)

    def _take(self) -> str:
        token = self._next()
        if token is None:
            raise _NotPlainError
        self._place += 1
        return token

    def _sequence(self) -> str:
        """What stands up to a brace that closes."""
        parts = _Written()
        with self._deeper():
            while self._next() not in (None, "}"):
                self._write(self._take(), parts)
        return parts.text

    @contextmanager
    def _deeper(self) -> Iterator[None]:
        self._depth += 1
        if self._depth > DEEPEST:
            raise _NotPlainError
        yield
        self._depth -= 1

    def _write(self, token: str, parts: _Written) -> None:
        if token == "{":
            group = self._group()
            divides = parts.text.rstrip()[-1:] == "/" and not _ONE_FACTOR.fullmatch(group)
            parts.add(f"({group})" if divides else group)
        elif token == "^":
            self._raised(parts)
        elif token == "_":
            self._hang("_", self._run(_BARE_POWER) or self._argument(), parts)
        elif token == "~":
            parts.add(" ")
        elif token == "$":
            parts.add(" " if parts.text[-1:].isdigit() and (self._next() or "").isdigit() else "")
        else:
            if len(token) == 1:
                parts.add(token)
            else:
                self._command(token[1:], parts)

    def _group(self) -> str:
        """Behind the brace that opens it."""
        text = self._sequence()
        if self._take() != "}":
            raise _NotPlainError
        return text

    def _argument(self) -> str:
        """What a command is about: a group, or one token."""
        token = self._take()
        while token.isspace():
            token = self._take()
        if token == "{":
            return self._group().strip()
        if token in ("}", "^", "_", "$"):
            raise _NotPlainError
        parts = _Written()
        with self._deeper():
            self._write(token, parts)
        return parts.text

    def _run(self, of: re.Pattern[str]) -> str:
        r"""A whole number without braces: \sqrt 13 is the root of thirteen to whoever writes it, and 10^14 is no 10^1 times 4."""
        run = of.match(self._tex, self._rest())
        if run is None:
            return ""
        self._place += len(run.group())
        return run.group().strip()

    def _raised(self, parts: _Written) -> None:
        ahead = "".join(token for _, token in self._tokens[self._place : self._place + 3])
        for degrees in _DEGREES:
            if ahead.startswith((degrees, f"{{{degrees}}}")):
                self._place += 1 if ahead.startswith(degrees) else 3
                if re.match(r" *(?:[A-Z]|\\(?:text|mathrm|mbox))", self._tex[self._rest() : self._rest() + 20]):
                    parts.add("°")
                return
        written = self._run(_BARE_POWER) or self._argument()
        if set(written) == {"'"}:
            parts.add(written)
        else:
            self._hang("^", written, parts)

    @staticmethod
    def _hang(sign: str, written: str, parts: _Written) -> None:
        """A power, or what stands below."""
        of_function = _FUNCTION_BEFORE.search(parts.text, max(0, len(parts.text) - _NEAR)) is not None
        parts.add(f"{sign}{written}" if _SIMPLE_POWER.fullmatch(written) else f"{sign}({written})")
        parts.hangs = " " if of_function else "*"

    def _command(self, name: str, parts: _Written) -> None:
        if name in _FRACTIONS:
            self._fraction(parts)
        elif name == "sqrt":
            if self._next() == "[":
                raise _NotPlainError
            parts.add_word(f"sqrt({self._run(_BARE_NUMBER) or self._argument()})")
        elif name in _KEPT_INSIDE:
            written = self._argument_of_text()
            apart = not parts.hangs and parts.text[-1:].isdigit() and _UNIT.match(written) is not None
            of_unit = (
                len(written) > 1 and written[0].islower() and re.search(r"[0-9] ?[^\W\d_]+\Z", parts.text[-_NEAR:])
            )
            parts.add(f" {written}" if apart or of_unit else written)
        elif name in _THIN_SPACES:
            parts.add("" if parts.text[-1:].isdigit() and (self._next() or "").isdigit() else " ")
        elif name in _SPACES:
            parts.add(" ")
        elif name == "pi" or name in _FUNCTIONS or name in _GREEK:
            parts.add_word(_GREEK.get(name, name))
            if name in _FUNCTIONS and ((following := self._next() or "").isalnum() or following == "{"):
                parts.add(" ")
        elif name in ("left", "right") and self._next() == ".":
            self._place += 1
        elif name in _SIGNS:
            parts.add(_SIGNS[name])
        elif name not in _SKIPPED and not _SIZE.fullmatch(name):
            raise _NotPlainError

    def _argument_of_text(self) -> str:
        """With its spaces at either end, which part words."""
        while (self._next() or "").isspace():
            self._place += 1
        return self._group() if self._next() == "{" and self._take() else self._argument()

    def _fraction(self, parts: _Written) -> None:
        above, below = self._argument(), self._argument()
        if not above or not below:
            raise _NotPlainError
        behind = _FACTOR_BEHIND.match(self._tex, self._rest())
        is_factor = behind is not None and (behind["name"] is None or behind["name"] in _QUANTITIES)
        written = f"{f'({above})' if _has_terms(above) else above}/"
        is_one = _LENGTHS.fullmatch(f"{above}/{below}") or (_ONE_FACTOR.fullmatch(below) and not are_quantities(below))
        written += below if is_one else f"({below})"
        before = parts.text
        near = max(0, len(before) - _NEAR)
        if above.isdecimal() and below.isdecimal() and _WHOLE.search(before, near):
            if is_factor:
                raise _NotPlainError
            parts.text = f"{before.rstrip()} {written}"
        elif _FACTOR_BEFORE.search(before, near):
            parts.text = f"{before.rstrip()}({written})"
        else:
            parts.add(f"({written})" if is_factor else written)
        while is_factor and (self._next() or "").isspace():
            self._place += 1


def _has_terms(text: str) -> bool:
    """Whether a numerator is more than one product, so that it has to stand in brackets."""
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign in "([") - (sign in ")]")
        if depth == 0 and (sign in "+/=<>,±≤≥≠" or (sign in "-−" and place)):
            return True
    return False


class _Written:
    """What has been read so far."""

    def __init__(self) -> None:
        self.text = ""
        self.hangs = ""
        """Behind a power: what parts it from digits, which would be a part of it."""
        self._by_name = False

    def add(self, more: str) -> None:
        if self.hangs and more[:1].isdigit():
            more = f"{self.hangs}{more}"
        if more:
            self.hangs = ""
        if self._by_name and more[:1].isalpha():
            more = f" {more}"
        self.text += more
        self._by_name = self._by_name and not more

    def add_word(self, word: str) -> None:
        """A name that letters beside it would be taken for a part of."""
        self.text += f" {word}" if self.text[-1:].isalpha() else word
        self._by_name = True
