"""Where templates are filled in: a part of Jinja that shows inputs, and can do nothing else.

A template is a text, and may come from a stranger with the rest of an experiment's folder. So it runs no code (Jinja's
sandbox, and beyond it a list of what a template may hold at all), reads no file, changes no input, and what it may spend on
one prompt has an end: every step of a loop and every character that is handled is counted.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from itertools import islice
from typing import Any

from jinja2 import StrictUndefined, Template, TemplateSyntaxError, Undefined, nodes
from jinja2.exceptions import SecurityError
from jinja2.filters import FILTERS as USUAL_FILTERS
from jinja2.runtime import Context, LoopContext
from jinja2.sandbox import ImmutableSandboxedEnvironment

MOST_STEPS = 400_000
"""For one prompt: steps of loops, and filters and comparisons, a hundred characters of a text being one as well."""
CHARACTERS_A_STEP = 100
MOST_TEXT = 20_000_000
"""Characters of a prompt, and of any text on the way to it."""
TIMES_INPUTS = 4
"""Inputs may be large, such as replies of many megabytes: a template may show them, so many times beyond these bounds."""
MOST_BITS = 256
"""Of a whole number."""
MOST_SOURCE = 200_000
MOST_INDENT = 80

_METHODS = frozenset(
    (
        *("strip", "lstrip", "rstrip", "lower", "upper", "title", "capitalize", "casefold", "startswith", "endswith"),
        *("split", "rsplit", "splitlines", "partition", "rpartition", "removeprefix", "removesuffix"),
        *("isdigit", "isalpha", "isupper", "islower", "find", "count"),
    )
)
"""What may be asked of a text. None makes it longer than it was."""
_LOOP = frozenset(
    (
        *("index", "index0", "revindex", "revindex0", "first", "last", "length", "depth", "depth0"),
        *("previtem", "nextitem", "cycle", "changed"),
    )
)
_FILTERS = (
    *("abs", "capitalize", "count", "d", "default", "e", "escape", "first", "float", "int", "last", "length", "list"),
    *(
        "lower",
        "map",
        "max",
        "min",
        "reject",
        "rejectattr",
        "reverse",
        "round",
        "select",
        "selectattr",
        "sort",
        "string",
    ),
    *("title", "tojson", "trim", "truncate", "unique", "upper", "wordcount"),
)
_ALLOWED = (
    nodes.Template, nodes.Output, nodes.TemplateData, nodes.Name, nodes.Const, nodes.If, nodes.For, nodes.Assign,
    nodes.Filter, nodes.Test, nodes.Getattr, nodes.Getitem, nodes.Slice, nodes.Compare, nodes.Operand, nodes.And,
    nodes.Or, nodes.Not, nodes.CondExpr, nodes.Concat, nodes.Add, nodes.Sub, nodes.Mul, nodes.Div, nodes.FloorDiv,
    nodes.Mod, nodes.Neg, nodes.Pos, nodes.Tuple, nodes.List, nodes.Call, nodes.Keyword,
)  # fmt: skip
_SPECIAL = frozenset(("self", "super", "caller", "varargs", "kwargs"))


class _Spent:
    """What one prompt has taken so far, and what its inputs allow beyond the usual."""

    __slots__ = ("_characters", "_inputs", "steps")

    def __init__(self, inputs: Mapping[str, Any]) -> None:
        self.steps = 0
        self._inputs = inputs
        self._characters: int | None = None

    @property
    def more(self) -> int:
        """Characters; counted only by who needs them."""
        if self._characters is None:
            self._characters = TIMES_INPUTS * _characters(self._inputs)
        return self._characters


def _characters(value: Any) -> int:
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Mapping):
        return sum(map(_characters, value.values()))
    if isinstance(value, list | tuple):
        return sum(map(_characters, value))
    return sum(_characters(getattr(value, name)) for name in getattr(type(value), "__dataclass_fields__", ()))


_spent: ContextVar[_Spent] = ContextVar("spent")


def fill(template: Template, inputs: Mapping[str, Any]) -> str:
    """The prompt that the template makes of these inputs.

    By hand, because Jinja's own way copies its global functions, which a prompt has no use for, at every render.
    """
    spent = _Spent(inputs)
    counted = _spent.set(spent)
    try:
        context = Context(template.environment, dict(inputs), template.name, template.blocks)
        pieces: list[str] = []
        characters = 0
        for piece in template.root_render_func(context):
            characters += len(piece)
            if characters > MOST_TEXT and characters > MOST_TEXT + spent.more:
                raise SecurityError(f"makes a prompt of more than {MOST_TEXT + spent.more} characters")
            pieces.append(piece)
        return "".join(pieces).strip()
    finally:
        _spent.reset(counted)


def _spend(steps: int) -> None:
    spent = _spent.get(None)
    if spent is None:  # while a template is compiled
        return
    spent.steps += steps
    if spent.steps > MOST_STEPS and spent.steps > (most := MOST_STEPS + spent.more // CHARACTERS_A_STEP):
        raise SecurityError(f"takes more than {most} steps")


def _length(value: object) -> int:
    return len(value) if isinstance(value, str | list | tuple) else 0


def _charged(value: Any) -> Any:
    """The value, its length paid for."""
    _spend(1 + _length(value) // CHARACTERS_A_STEP)
    return value


def _counted(values: Any) -> Any:
    """What a loop goes through, every step of it paid for beforehand."""
    if isinstance(values, Undefined):
        return values
    sized = values if isinstance(values, str | list | tuple | dict) else list(islice(values, MOST_STEPS + 1))
    _spend(1 + len(sized))
    return sized


def _short_enough(length: int) -> None:
    _spend(1 + length // CHARACTERS_A_STEP)
    spent = _spent.get(None)
    most = MOST_TEXT if length <= MOST_TEXT or spent is None else MOST_TEXT + spent.more
    if length > most:
        raise SecurityError(f"makes a text of more than {most} characters")


def _concat(text: Any) -> Any:
    _short_enough(_length(text))
    return text


def _format(pattern: Any, *values: Any) -> str:
    """``"%.1f" | format(x)``: a width or precision has two digits at most."""
    text, digits = str(pattern), 0
    for part in text.split("%")[1:]:
        digits = len(part) - len(part.lstrip("0123456789.+- #"))
        if digits > 4 or "*" in part[: digits + 1] or part[digits : digits + 1] == "(":
            raise SecurityError(f"formats with {text[:40]!r}; expected a width of two digits at most")
    _short_enough(len(text) + sum(_length(value) for value in values))
    return text % values


def _join(values: Any, between: Any = "", attribute: Any = None) -> str:
    if attribute is not None:
        raise SecurityError("joins by an attribute; expected map before join")
    texts = [str(value) for value in _flat(_counted(values))]
    _short_enough(sum(map(len, texts)) + len(texts) * len(str(between)))
    return str(between).join(texts)


def _replace(text: Any, old: Any, new: Any, count: Any = None) -> str:
    whole, before, after = str(text), str(old), str(new)
    times = whole.count(before) if count is None else min(int(count), whole.count(before))
    _short_enough(len(whole) + max(0, len(after) - len(before)) * times)
    return whole.replace(before, after, times)


def _indent(text: Any, width: Any = 4, first: Any = False, blank: Any = False) -> str:
    whole = str(text)
    if not isinstance(width, str) and int(width) > MOST_INDENT:
        raise SecurityError(f"indents by more than {MOST_INDENT}")
    pad = width if isinstance(width, str) else " " * int(width)
    lines = whole.splitlines() or [""]
    _short_enough(len(whole) + len(lines) * len(pad))
    padded = [pad + line if number and (line or blank) else line for number, line in enumerate(lines)]
    return (pad if first else "") + "\n".join(padded)


def _flat(values: Any) -> Any:
    for value in values:
        if isinstance(value, list | tuple | dict | Undefined):
            raise SecurityError("shows a list of lists; expected a loop over it")
    return values


def _shown(value: Any) -> Any:
    """What stands in a prompt: a text or a number, or a plain list of them."""
    if value is None or isinstance(value, str | int | float | Undefined):
        _spend(1)
        return value
    if isinstance(value, list | tuple):
        _spend(1 + len(value))
        return _flat(value)
    raise SecurityError(f"shows a {type(value).__name__}; expected a text, a number or a list of them")


def _paid(filter_: Callable[..., Any]) -> Callable[..., Any]:
    """A filter that costs what it is given."""

    @functools.wraps(filter_)
    def paid(*args: Any, **options: Any) -> Any:
        _spend(1 + sum(map(_length, args)) // CHARACTERS_A_STEP)
        return filter_(*args, **options)

    return paid


class PromptEnvironment(ImmutableSandboxedEnvironment):
    """Jinja with less in it."""

    intercepted_binops = frozenset(("+", "*", "%"))

    def __init__(self, filters: Mapping[str, Callable[..., Any]]) -> None:
        super().__init__(
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            autoescape=False,
            optimized=False,  # it would compute what is constant before anybody counts
            finalize=_shown,
        )
        self.globals.clear()
        ours = {"format": _format, "join": _join, "replace": _replace, "indent": _indent}
        usual = {name: USUAL_FILTERS[name] for name in _FILTERS}
        self.filters = {name: _paid(filter_) for name, filter_ in {**usual, **ours, **filters}.items()}
        self._inserted = {"moot counted": _counted, "moot charged": _charged, "moot concat": _concat}
        self.filters.update(self._inserted)

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        if len(source) > MOST_SOURCE:
            raise TemplateSyntaxError(f"is longer than {MOST_SOURCE} characters", 1)
        tree = super()._parse(source, name, filename)
        for node in (tree, *tree.find_all(nodes.Node)):
            self._check(node)
        for loop in tree.find_all(nodes.For):
            loop.iter = _through("moot counted", loop.iter)
        self._charge(tree)
        return tree

    def _check(self, node: nodes.Node) -> None:
        """Whether a template may hold this at all."""
        problem = None
        if not isinstance(node, _ALLOWED):
            problem = f"{type(node).__name__.lower()} may not stand in a prompt"
        elif isinstance(node, nodes.For) and node.recursive:
            problem = "a recursive loop may not stand in a prompt"
        elif isinstance(node, nodes.Name) and (node.name in _SPECIAL or node.name.startswith("_")):
            problem = f"{node.name!r} may not stand in a prompt"
        elif isinstance(node, nodes.Tuple | nodes.List) and getattr(node, "ctx", "load") == "load":
            if not all(isinstance(item, nodes.Const) for item in node.items):
                problem = "a list may hold only values that are written out"
        elif isinstance(node, nodes.Filter) and (node.name not in self.filters or node.name in self._inserted):
            problem = f"there is no filter {node.name!r} here"
        elif isinstance(node, nodes.Call):
            method = node.node.attr if isinstance(node.node, nodes.Getattr) else None
            if method not in _METHODS | {"cycle", "changed"} or node.dyn_args or node.dyn_kwargs:
                problem = "only what a text knows of itself may be called, such as question.strip()"
        if problem:
            raise TemplateSyntaxError(problem, node.lineno or 1)

    def _charge(self, tree: nodes.Node) -> None:
        """What Jinja does without asking anybody is made to ask: comparing, joining, taking a part."""
        for comparison in tree.find_all(nodes.Compare):
            comparison.expr = _through("moot charged", comparison.expr)
            for operand in comparison.ops:
                operand.expr = _through("moot charged", operand.expr)
        for part in tree.find_all(nodes.Getitem):
            part.node = _through("moot charged", part.node)
        for parent in (tree, *tree.find_all(nodes.Node)):
            for field, value in parent.iter_fields():
                if isinstance(value, nodes.Concat):
                    setattr(parent, field, _through("moot concat", value))
                elif isinstance(value, list):
                    joined = [
                        _through("moot concat", each) if isinstance(each, nodes.Concat) else each for each in value
                    ]
                    setattr(parent, field, joined)

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        if isinstance(obj, LoopContext):
            return attr in _LOOP
        return isinstance(obj, str) and attr in _METHODS

    def call(__self, __context: Context, __obj: Any, *args: Any, **options: Any) -> Any:
        _spend(1 + _length(getattr(__obj, "__self__", None)) // CHARACTERS_A_STEP)
        return super().call(__context, __obj, *args, **options)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        texts = (str, list, tuple)
        if operator == "+":
            _short_enough(_length(left) + _length(right))
        elif isinstance(left, texts) or isinstance(right, texts):
            words = "formats with %; expected the filter format" if operator == "%" else "repeats a text"
            raise SecurityError(words)
        elif operator == "*" and _bits(left) + _bits(right) > MOST_BITS:
            raise SecurityError(f"makes a number of more than {MOST_BITS} bits")
        return super().call_binop(context, operator, left, right)


def _bits(value: Any) -> int:
    return value.bit_length() if isinstance(value, int) else 0


def _through(name: str, expression: nodes.Node) -> nodes.Filter:
    return nodes.Filter(expression, name, [], [], None, None, lineno=expression.lineno)
