"""Where templates are filled in: a part of Jinja that shows inputs, and can do nothing else.

A template is a text, and may come from a stranger with the rest of an experiment's folder. So it runs no code (Jinja's
sandbox, and beyond it a list of what a template may hold at all), reads no file, changes no input, and what it may spend on
one prompt has an end: every step of a loop and every character that is handled is counted.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Mapping
from itertools import chain, islice
from typing import Any

from jinja2 import StrictUndefined, Template, TemplateSyntaxError, Undefined, nodes, pass_context
from jinja2.exceptions import SecurityError
from jinja2.filters import FILTERS as USUAL_FILTERS
from jinja2.runtime import Context, LoopContext
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.tests import TESTS as USUAL_TESTS

from moot.prompts.bounds import (
    CHARACTERS_A_STEP,
    MOST_BITS,
    MOST_PARTS,
    MOST_PATH,
    MOST_SOURCE,
    MOST_TEXT,
    PARTS_A_STEP,
    counted,
    counting,
    number,
    paid_for,
    short_enough,
    spend,
    weight,
)
from moot.prompts.counted_filters import OURS, check_separator, flat, of_a_number

_METHODS = frozenset(
    (
        *("strip", "lstrip", "rstrip", "lower", "upper", "title", "capitalize", "casefold", "startswith", "endswith"),
        *("split", "rsplit", "splitlines", "partition", "rpartition", "removeprefix", "removesuffix"),
        *("isdigit", "isalpha", "isupper", "islower", "find", "count"),
    )
)
"""What may be asked of a text. None makes it longer than it was."""
_EACH_AGAINST_EACH = frozenset(("strip", "lstrip", "rstrip", "rsplit", "rpartition"))
"""What is given to these is held against every place of the text. Python finds and splits from the front in fewer steps."""
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
    *("title", "trim", "truncate", "unique", "upper", "wordcount"),
)
_ONE_BY_ONE = frozenset(
    (
        *("list", "map", "max", "min", "reject", "rejectattr", "reverse", "select", "selectattr", "sort", "unique"),
        *("title", "wordcount"),
    )
)
"""Filters that go through what they are given, or word by word, each step of which is paid for."""
_WORD_BY_WORD = frozenset(("title", "wordcount"))
"""Those of them that write down first what they are given."""
_AT_ONCE = ("count", "length", "first", "last", "default", "d")
"""Filters that take one step, however long what they are given is: `drafts | length` may stand in any loop."""
_TESTS = (
    *("boolean", "defined", "divisibleby", "eq", "equalto", "even", "false", "float", "ge", "greaterthan", "gt", "in"),
    *("integer", "iterable", "le", "lessthan", "lower", "lt", "mapping", "ne", "none", "number", "odd", "sequence"),
    *("string", "true", "undefined", "upper", "==", "!=", ">", ">=", "<", "<="),
)
_TESTS_AT_ONCE = (
    *("boolean", "defined", "undefined", "none", "mapping", "sequence", "string", "iterable", "number", "integer"),
    *("float", "true", "false"),
)
_ALLOWED = (
    nodes.Template, nodes.Output, nodes.TemplateData, nodes.Name, nodes.Const, nodes.If, nodes.For, nodes.Assign,
    nodes.Filter, nodes.Test, nodes.Getattr, nodes.Getitem, nodes.Slice, nodes.Compare, nodes.Operand, nodes.And,
    nodes.Or, nodes.Not, nodes.CondExpr, nodes.Concat, nodes.Add, nodes.Sub, nodes.Mul, nodes.Div, nodes.FloorDiv,
    nodes.Mod, nodes.Neg, nodes.Pos, nodes.Tuple, nodes.List, nodes.Call, nodes.Keyword,
)  # fmt: skip
_PLAIN = (str, int, float, Undefined)
PIECES_AT_ONCE = 256
"""Of a prompt that is made: after so many it is looked at how long it is by now."""
_SPECIAL = frozenset(("self", "super", "caller", "varargs", "kwargs"))


def fill(template: Template, inputs: Mapping[str, Any]) -> str:
    """The prompt that the template makes of these inputs.

    By hand, because Jinja's own way copies its global functions, which a prompt has no use for, at every render.
    """
    with counting(inputs) as spent:
        context = Context(template.environment, dict(inputs), template.name, template.blocks)
        pieces: list[str] = []
        characters = 0
        made = template.root_render_func(context)
        while some := list(islice(made, PIECES_AT_ONCE)):
            characters += sum(map(len, some))
            if characters > MOST_TEXT and characters > MOST_TEXT + spent.more:
                raise SecurityError(f"makes a prompt of more than {MOST_TEXT + spent.more} characters")
            pieces += some
        return "".join(pieces).strip()


@pass_context
def _shown(_: Context, value: Any) -> Any:
    """What stands in a prompt: a text or a number, or a plain list of them.

    The context is asked for because Jinja computes what is constant while it compiles, where nobody counts, unless this
    needs one.
    """
    if type(value) is str or value is None or isinstance(value, _PLAIN):
        spend(1)
        return value
    if isinstance(value, list | tuple):
        spend(1 + len(value))
        short_enough(weight(value))
        return flat(value)
    raise SecurityError(f"shows a {type(value).__name__}; expected a text, a number or a list of them")


def _check_paths(name: str, given: tuple[Any, ...], options: Mapping[str, Any]) -> None:
    """`0.1,2`: what each item is gone by takes as many steps as it has parts. `given`: behind the items."""
    if name in ("selectattr", "rejectattr"):
        given = given[:1]  # the others are what is compared with
    elif name == "map":
        given = ()  # a filter, and what it is given
    for path in (*given, options.get("attribute")):
        if isinstance(path, str) and path.count(".") + path.count(",") >= MOST_PATH:
            raise SecurityError(f"goes by {path[:20]!r}…; expected at most {MOST_PATH} parts")


def _paid(name: str, does: Callable[..., Any]) -> Callable[..., Any]:
    """A filter or a test that costs what it is given, and gives no number out of bounds."""

    one_by_one, by_word = name in _ONE_BY_ONE, name in _WORD_BY_WORD

    @functools.wraps(does)
    def paid(*args: Any, **options: Any) -> Any:
        if len(args) == 1 and type(text := args[0]) is str and not options:  # by far the most of them, so in few steps
            spend(1 + len(text) // CHARACTERS_A_STEP + (len(text) if one_by_one else 0))
            return _grown(does(text), len(text))
        weighs = sum(map(weight, (*args, *options.values())))
        spend(1 + weighs // CHARACTERS_A_STEP)
        if one_by_one:
            _check_paths(name, args[2:], options)
            args = tuple(counted(each) if isinstance(each, Iterator) else each for each in args)
            through = next((len(value) for value in args if isinstance(value, str | list | tuple | dict)), 0)
            spend(weighs if by_word else through)
        return _grown(does(*args, **options), weighs)

    return paid


def _one_step(does: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(does)
    def paid(*args: Any, **options: Any) -> Any:
        spend(1)
        return does(*args, **options)

    return paid


def _grown(made: Any, paid: int) -> Any:
    """What a filter makes: where it is longer than what was paid for, the rest is paid too."""
    if isinstance(made, str):
        if len(made) > paid:
            spend((len(made) - paid) // CHARACTERS_A_STEP)
        return made
    return number(made)


class PromptEnvironment(ImmutableSandboxedEnvironment):
    """Jinja with less in it."""

    intercepted_binops = frozenset(("+", "-", "*", "/", "//", "%"))

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
        usual: dict[str, Any] = {name: USUAL_FILTERS[name] for name in _FILTERS}
        tests: dict[str, Any] = {name: USUAL_TESTS[name] for name in _TESTS}
        tests |= {name: of_a_number(tests[name]) for name in ("even", "odd", "divisibleby")}
        self.filters = {name: _paid(name, filter_) for name, filter_ in {**usual, **OURS, **filters}.items()}
        self.filters |= {name: _one_step(usual[name]) for name in _AT_ONCE}
        self.tests = {name: _paid(name, test) for name, test in tests.items()}
        self.tests |= {name: _one_step(tests[name]) for name in _TESTS_AT_ONCE}
        self._inserted = {"moot counted": counted, "moot paid for": paid_for}
        self.filters.update(self._inserted)

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        if len(source) > MOST_SOURCE:
            raise TemplateSyntaxError(f"is longer than {MOST_SOURCE} characters", 1)
        tree = super()._parse(source, name, filename)
        for parts, node in enumerate(chain((tree,), tree.find_all(nodes.Node))):
            if parts > MOST_PARTS:
                raise TemplateSyntaxError(f"has more than {MOST_PARTS} parts", node.lineno or 1)
            self._check(node)
        for loop in list(tree.find_all(nodes.For)):
            parts = sum(1 for _ in loop.find_all(nodes.Node))
            loop.iter = _through("moot counted", loop.iter, nodes.Const(1 + parts // PARTS_A_STEP))
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
        elif isinstance(node, nodes.Const) and isinstance(node.value, int) and node.value.bit_length() > MOST_BITS:
            problem = f"a number of more than {MOST_BITS} bits may not stand in a prompt"
        elif isinstance(node, nodes.Const) and node.value in (math.inf, -math.inf):
            problem = "a number without an end may not stand in a prompt"
        elif isinstance(node, nodes.Test) and node.name not in self.tests:
            problem = f"there is no test {node.name!r} here"
        elif isinstance(node, nodes.Filter) and (node.name not in self.filters or node.name in self._inserted):
            problem = f"there is no filter {node.name!r} here"
        elif isinstance(node, nodes.Call):
            method = node.node.attr if isinstance(node.node, nodes.Getattr) else None
            if method not in _METHODS | {"cycle", "changed"} or node.dyn_args or node.dyn_kwargs:
                problem = "only what a text knows of itself may be called, such as question.strip()"
        if problem:
            raise TemplateSyntaxError(problem, node.lineno or 1)

    def _charge(self, tree: nodes.Node) -> None:
        """What Jinja does without asking anybody is made to ask: comparing, joining, cutting out."""
        for comparison in tree.find_all(nodes.Compare):
            comparison.expr = _through("moot paid for", comparison.expr)
            for operand in comparison.ops:
                operand.expr = _through("moot paid for", operand.expr)
        for part in tree.find_all(nodes.Getitem):
            if isinstance(part.arg, nodes.Slice):
                part.node = _through("moot paid for", part.node)
        for several in tree.find_all(nodes.Concat):
            several.nodes = [_through("moot paid for", node) for node in several.nodes]

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        if isinstance(obj, LoopContext):
            return attr in _LOOP
        return isinstance(obj, str) and attr in _METHODS

    def call_filter(self, name: str, *args: Any, **options: Any) -> Any:
        """What a template names in a text, as `map` does."""
        if name in self._inserted:
            raise SecurityError(f"there is no filter {name!r} here")
        return super().call_filter(name, *args, **options)

    def call(__self, __context: Context, __obj: Any, *args: Any, **options: Any) -> Any:
        given = (getattr(__obj, "__self__", None), *args, *options.values())
        if getattr(__obj, "__name__", None) in _EACH_AGAINST_EACH:
            for text in given[1:]:
                check_separator(text)
        spend(1 + sum(map(weight, given)) // CHARACTERS_A_STEP)
        return paid_for(super().call(__context, __obj, *args, **options))

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        texts = (str, list, tuple)
        if operator == "+":
            short_enough(weight(left) + weight(right))
        elif isinstance(left, texts) or isinstance(right, texts):
            words = "formats with %; expected the filter format" if operator == "%" else "repeats a text"
            raise SecurityError(words)
        return number(super().call_binop(context, operator, number(left), number(right)))


def _through(name: str, expression: nodes.Node, *given: nodes.Const) -> nodes.Filter:
    return nodes.Filter(expression, name, list(given), [], None, None, lineno=expression.lineno)
