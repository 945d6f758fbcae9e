"""A formula in one spelling that keeps its structure: (3√2)/2 is 3√2/2, 10⁶ is 10^6, and √(x+1) is not √x + 1.

The words and signs of a text (`signs`) tell apart what its brackets do not hide; of a formula the brackets are half of what it
says. So a text in which there is one is read as such, by the grammar that everybody writes formulas by, and written again:
factors without a sign between them, what divides them behind one stroke, brackets only where they tell something. What could be
read in two ways, such as 1/2x, stays apart from both of them; what is no formula has none (None), and is compared by its words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from moot.grade.formula_evidence import hangs_on_brackets, shows_a_formula
from moot.grade.formula_product import ProductOfFactors, beside, is_wrapped
from moot.grade.formula_tokens import CLOSES, OPENS, NoFormulaError, Token, prepared, tokens_of

LONGEST = 300
"""Characters. Nobody answers with a longer formula."""
_DEEPEST = 12

_RELATIONS = frozenset("=≠<>≤≥≈≡→⇒∈∉⊂⊆∪∩∼|")
_ADDED = frozenset("+-±∓")


@lru_cache(maxsize=20_000)
def formula(text: str) -> str | None:
    """Written without TeX: its one spelling. None: it is none, or none that can be read."""
    if len(text) > LONGEST:
        return None
    plain = prepared(text)
    if not shows_a_formula(plain):
        return None
    try:
        tokens = tokens_of(plain)
        if any(token.kind == "word" for token in tokens) and not hangs_on_brackets(plain):
            return None
        return _Parser(tokens).text() or None
    except NoFormulaError:
        return None


_BEHIND_A_SIGN = frozenset((*CLOSES, *_RELATIONS, ",", ";"))
"""What ends a power that is a sign alone."""
_SIMPLE_EXPONENT = re.compile(r"-?[0-9.]+|[^\W\d_]|pi")


class _Parser:
    """From the first token to the last, once: every rule takes what it can and leaves the rest to the one that called it."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._place = 0
        self._depth = 0
        self._in_bars = False

    def text(self) -> str:
        members = self._members()
        if self._place < len(self._tokens):
            raise NoFormulaError
        return " ".join(self._written(member) for member in members)

    def _peek(self, ahead: int = 0) -> Token:
        place = self._place + ahead
        return self._tokens[place] if place < len(self._tokens) else _END

    def _at(self, *signs: str) -> bool:
        return self._peek().kind == "sign" and self._peek().text in signs

    def _take(self) -> str:
        token = self._peek()
        if token is _END:
            raise NoFormulaError
        self._place += 1
        return token.text

    @staticmethod
    def _written(terms: Sequence[ProductOfFactors | str]) -> str:
        """Terms with the signs between them, relations and words."""
        return "".join(term if isinstance(term, str) else term.written() for term in terms)

    def _members(self) -> list[list[ProductOfFactors | str]]:
        """What commas part, up to a bracket that closes."""
        members = [self._chain()]
        while self._at(",", ";"):
            before, mark, behind = self._peek(-1), self._take(), self._peek()
            if mark == "," and before.kind == behind.kind == "number" and not behind.spaced:
                raise NoFormulaError  # 3,4: a decimal comma, or two numbers
            members.append(self._chain())
        return members

    def _chain(self) -> list[ProductOfFactors | str]:
        """Sums, relations between them, and words."""
        parts: list[ProductOfFactors | str] = []
        apart = False
        while (token := self._peek()) is not _END:
            is_sign = token.kind == "sign"
            if is_sign and (token.text in CLOSES or token.text in ",;" or (token.text == "|" and self._in_bars)):
                break
            if is_sign and token.text in _RELATIONS and not (token.text == "|" and not apart):
                parts.append(self._take())
                apart = False
                continue
            if apart:
                parts.append(" ")
            if token.kind == "word":
                word = self._take()
                parts.append(word + self._power() if self._at("^") else word)
            else:
                parts += self._terms()
            apart = True
        if not parts:
            raise NoFormulaError
        return parts

    def _terms(self) -> list[ProductOfFactors | str]:
        """Terms with their signs; a first minus belongs to its product."""
        first = self._take() if self._at(*_ADDED) else ""
        product = self._product()
        terms: list[ProductOfFactors | str] = [first] if first in ("±", "∓") else []
        if first in ("±", "∓") and product.minus:
            raise NoFormulaError
        terms.append(replace(product, minus=product.minus != (first == "-")))
        while self._at(*_ADDED):
            terms.append(self._take())
            following = self._product()
            if following.minus:
                raise NoFormulaError
            terms.append(following)
        return terms

    def _product(self) -> ProductOfFactors:
        """Factors beside each other, with a star or a stroke between them."""
        mixed = self._mixed_number()
        if mixed is not None:
            return mixed
        product = self._factor()
        while True:
            if self._at("*"):
                self._take()
                product = self._times(product, self._signed_factor())
            elif self._at("/"):
                self._take()
                product = self._divided(product)
            elif self._is_factor_ahead():
                product = self._times(product, self._factor())
            else:
                return product

    def _times(self, one: ProductOfFactors, other: ProductOfFactors) -> ProductOfFactors:
        if one.unclear or other.unclear:
            raise NoFormulaError
        return ProductOfFactors(one.above + other.above, one.below + other.below, one.minus != other.minus)

    def _divided(self, product: ProductOfFactors) -> ProductOfFactors:
        divisor = self._signed_factor()
        if product.unclear or divisor.unclear:
            raise NoFormulaError
        if self._is_factor_ahead():
            if divisor.below or divisor.minus:
                raise NoFormulaError
            run = [*divisor.above] if len(divisor.above) == 1 else [f"({beside(divisor.above)})"]
            while self._is_factor_ahead():
                factor = self._factor()
                if factor.below or factor.minus or factor.unclear:
                    raise NoFormulaError
                run += factor.above
            return replace(product, unclear=beside(run))
        minus = product.minus != divisor.minus
        return ProductOfFactors(product.above + divisor.below, product.below + divisor.above, minus)

    def _mixed_number(self) -> ProductOfFactors | None:
        """1 1/2, of which nothing else is a factor."""
        ahead = [self._peek(place) for place in range(4)]
        if [token.kind for token in ahead] != ["number", "number", "sign", "number"] or ahead[2].text != "/":
            return None
        whole, part, of = (ahead[place].text for place in (0, 1, 3))
        if not (whole.isdigit() and part.isdigit() and of.isdigit() and ahead[1].spaced and int(part) < int(of)):
            raise NoFormulaError
        self._place += 4
        if self._is_factor_ahead() or self._at("*", "/", "^", "!"):
            raise NoFormulaError
        return ProductOfFactors((str(int(whole) * int(of) + int(part)),), (of,))

    def _signed_factor(self) -> ProductOfFactors:
        if not self._at("-"):
            return self._factor()
        self._take()
        factor = self._factor()
        return replace(factor, minus=not factor.minus)

    def _is_factor_ahead(self) -> bool:
        """Whether something begins that is multiplied with what stands before it."""
        token = self._peek()
        if token.kind == "number":
            before = self._peek(-1)
            if before.text == ")" and not token.spaced:
                return True
            raise NoFormulaError  # 2 3
        return token.kind in ("letter", "name", "function") or (token.kind == "sign" and token.text in OPENS)

    def _factor(self) -> ProductOfFactors:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise NoFormulaError
        token = self._peek()
        if token.kind == "function":
            factor = ProductOfFactors((self._function(),))
        elif token.kind in ("number", "letter", "name"):
            factor = ProductOfFactors((self._named(),))
        elif self._at("|"):
            factor = ProductOfFactors((self._absolute(),))
        elif token.kind == "sign" and token.text in OPENS:
            factor = self._group()
        elif self._at("..."):
            factor = ProductOfFactors((self._take(),))
        else:
            raise NoFormulaError
        factor = self._raised(factor)
        self._depth -= 1
        return factor

    def _named(self) -> str:
        """A number or a quantity with what hangs on it: x', a_n, f(x)."""
        is_letter = self._peek().kind == "letter"
        text = self._take()
        text += self._lowered()
        while is_letter and self._at("'"):
            text += self._take()
        if is_letter and self._at("(", "[") and not (self._peek().spaced and self._peek().text == "["):
            text += self._arguments()
        return text

    def _arguments(self) -> str:
        opening = self._take()
        members = self._inside()
        if self._take() != OPENS[opening]:
            raise NoFormulaError
        return opening + ",".join(map(self._written, members)) + OPENS[opening]

    def _inside(self) -> list[list[ProductOfFactors | str]]:
        bars, self._in_bars = self._in_bars, False
        members = self._members()
        self._in_bars = bars
        return members

    def _lowered(self) -> str:
        text = ""
        while self._at("_"):
            self._take()
            if (alone := self._sign_alone()) is not None:
                text += f"_{alone}"
            elif self._at("(", "{"):
                opening = self._take()
                inside = ",".join(map(self._written, self._inside()))
                if self._take() != OPENS[opening]:
                    raise NoFormulaError
                text += f"_{inside}" if _SIMPLE_EXPONENT.fullmatch(inside) else f"_({inside})"
            elif self._peek().kind in ("number", "letter", "name", "function"):
                text += f"_{self._take()}"
            else:
                raise NoFormulaError
        return text

    def _raised(self, base: ProductOfFactors) -> ProductOfFactors:
        while self._at("^", "!"):
            if self._at("!"):
                base = ProductOfFactors((f"{self._as_base(base)}{self._take()}",))
            else:
                base = ProductOfFactors((f"{self._as_base(base)}{self._power()}",))
        return base

    def _as_base(self, base: ProductOfFactors) -> str:
        if len(base.above) == 1 and not (base.below or base.minus or base.unclear) and "^" not in base.above[0]:
            return base.above[0]
        written = base.written()
        return f"({written})"

    def _power(self) -> str:
        self._take()
        if self._at("'"):
            raise NoFormulaError
        if (alone := self._sign_alone()) is not None:
            return f"^{alone}"
        exponent = self._signed_exponent()
        written = exponent.written()
        if _SIMPLE_EXPONENT.fullmatch(written):
            return f"^{written}"
        return f"^{written}" if is_wrapped(written) else f"^({written})"

    def _sign_alone(self) -> str | None:
        """Of R^+ and 0^(-), where it is all that is raised."""
        for opening in (0, 1):
            sign, behind = self._peek(opening), self._peek(opening + 1)
            ends = behind is _END or (behind.kind == "sign" and behind.text in _BEHIND_A_SIGN) or behind.spaced
            closes = behind.kind == "sign" and behind.text == ")"
            in_brackets = bool(opening) and self._at("(")
            if sign.kind == "sign" and sign.text in "+-*" and (closes if in_brackets else ends and not opening):
                self._place += 3 if in_brackets else 1
                return sign.text
        return None

    def _signed_exponent(self) -> ProductOfFactors:
        """One factor, which may have a power of its own."""
        if self._at("-", "+"):
            minus = self._take() == "-"
            exponent = self._signed_exponent()
            return replace(exponent, minus=exponent.minus != minus)
        token = self._peek()
        if token.kind in ("number", "name"):
            exponent = ProductOfFactors((self._take(),))
        elif token.kind == "letter":
            exponent = ProductOfFactors((self._take() + self._lowered(),))
        elif token.kind == "function" and token.text == "sqrt":
            exponent = ProductOfFactors((self._function(),))
        elif token.kind == "sign" and token.text in OPENS:
            exponent = self._group()
        else:
            raise NoFormulaError
        if self._at("^"):
            exponent = ProductOfFactors((f"{self._as_base(exponent)}{self._power()}",))
        return exponent

    def _function(self) -> str:
        """sin x, sin(x), sin^2 x, log_2 8: always with brackets, and a whole power behind them."""
        name = self._take()
        name += self._lowered() if name != "sqrt" else ""
        power = self._power() if self._at("^") else ""
        if power and not power[1:].isdigit():
            name, power = name + power, ""
        name += self._lowered() if "_" not in name and name != "sqrt" else ""
        if self._at("("):
            return name + self._arguments() + power
        if name == "sqrt":
            raise NoFormulaError
        factors: list[str] = []
        while (
            self._peek().kind in ("number", "letter", "name")
            or self._peek().text == "sqrt"
            or (self._at("|") and not factors)
        ):
            if factors and self._peek().kind == "number":
                raise NoFormulaError
            factor = self._factor()
            if factor.below or factor.minus:
                raise NoFormulaError
            factors += factor.above
        if not factors:
            raise NoFormulaError
        return f"{name}({beside(factors)}){power}"

    def _absolute(self) -> str:
        self._take()
        bars, self._in_bars = self._in_bars, True
        inside = self._written(self._chain())
        self._in_bars = bars
        if not self._at("|"):
            raise NoFormulaError
        self._take()
        return f"|{inside}|"

    def _group(self) -> ProductOfFactors:
        """In brackets: a product is its factors, a sum one factor, and several members are what their brackets make of them."""
        opening = self._take()
        members = self._inside()
        closing = self._take()
        if closing not in CLOSES:
            raise NoFormulaError
        if len(members) > 1:
            return ProductOfFactors((opening + ",".join(map(self._written, members)) + closing,))
        if closing != OPENS[opening]:
            raise NoFormulaError
        terms = members[0]
        if len(terms) == 1 and isinstance(terms[0], ProductOfFactors):
            return terms[0] if not terms[0].unclear else ProductOfFactors((f"({terms[0].written()})",))
        if opening == "{" and any(isinstance(term, str) and term not in _ADDED for term in terms):
            return ProductOfFactors((f"{{{self._written(terms)}}}",))
        return ProductOfFactors((f"({self._written(terms)})",))


_END = Token("", "", spaced=False)
