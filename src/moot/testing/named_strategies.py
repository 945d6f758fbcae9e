"""Strategies' names in the code of a measure: what it knows by a name it cannot know of a strategy from elsewhere."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Collection, Iterator, Sequence


def names_known_to(measure: object, more: Collection[str] = ()) -> list[str]:
    """Names by which a measure, or whatever of its module it uses, knows strategies; none where there is no source to read.

    Only where what a cell says of its strategy is held against them: as a key of a figure, a stage or a title the same
    word means something else.
    """
    found: list[str] = []
    for kind in type(measure).__mro__:
        if kind.__module__ != "builtins" and not kind.__module__.startswith(("typing", "moot.measures.measure")):
            found += [f"{kind.__module__}, {place}" for place in _names_used_by(kind, more)]
    return list(dict.fromkeys(found))


def _names_used_by(kind: type, more: Collection[str]) -> list[str]:
    from moot.strategies import registered

    try:
        lines, start = inspect.getsourcelines(kind)
        module = ast.parse(inspect.getsource(inspect.getmodule(kind) or kind))
    except (OSError, TypeError, SyntaxError):  # written where no file is kept of it
        return []
    own = ast.parse(textwrap.dedent("".join(lines)))
    ast.increment_lineno(own, start - 1)
    return Recognised((own, *_used_with(own, module)), {*registered(), *more}).places()


SAYS_STRATEGY = frozenset(("strategy", "strategies", "label"))
"""What a cell or a row has its strategy under."""
LOOKS = frozenset(("get", "startswith", "endswith", "__contains__", "__eq__"))


class Recognised:
    """The strings of some code that what a cell says of its strategy is compared with, or looked up among."""

    def __init__(self, code: Sequence[ast.AST], known: Collection[str]) -> None:
        self._nodes = [node for part in code for node in ast.walk(part)]
        self._known = known
        self._values: dict[str, list[ast.expr]] = {}
        """What a name stands for, wherever it is given: by an assignment, a loop or a call."""
        for node in self._nodes:
            self._note(node)
        self._told: set[str] = set()
        """Names that hold what a cell says of its strategy."""
        while more := {name for name in self._values if name not in self._told and self._holds_strategy(name)}:
            self._told |= more

    def places(self) -> list[str]:
        strings = [
            string for node in self._nodes for side in self._held_against(node) for string in self._strings(side)
        ]
        return list(dict.fromkeys(f"line {string.lineno}: {string.value!r}" for string in strings))

    def _note(self, node: ast.AST) -> None:
        match node:
            case ast.Assign(targets=targets, value=value):
                given = [(target, value) for target in targets]
            case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.NamedExpr(target=target, value=value):
                given = [(target, value)]
            case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value):
                given = [(target, value)]
            case ast.Call(func=ast.Name(id=called)) | ast.Call(func=ast.Attribute(attr=called)):
                given = self._arguments(called, node)
            case _:
                return
        for target, value in given:
            for name in ast.walk(target):
                if isinstance(name, ast.Name):
                    self._values.setdefault(name.id, []).append(value)

    def _arguments(self, called: str, call: ast.Call) -> list[tuple[ast.expr, ast.expr]]:
        """The parameters of a function that is defined in this code, with what it is called with."""
        given: list[tuple[ast.expr, ast.expr]] = []
        for node in self._nodes:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == called:
                names = [
                    part.arg for part in (*node.args.posonlyargs, *node.args.args) if part.arg not in ("self", "cls")
                ]
                given += [(ast.Name(name), value) for name, value in zip(names, call.args, strict=False)]
                given += [(ast.Name(word.arg), word.value) for word in call.keywords if word.arg is not None]
        return given

    def _holds_strategy(self, name: str) -> bool:
        return any(map(self._says_strategy, self._values[name]))

    def _says_strategy(self, value: ast.AST) -> bool:
        for node in ast.walk(value):
            match node:
                case ast.Subscript(slice=ast.Constant(value=str(key))) if key in SAYS_STRATEGY:
                    return True
                case ast.Call(func=ast.Attribute(attr="get"), args=[ast.Constant(value=str(key)), *_]):
                    if key in SAYS_STRATEGY:
                        return True
                case ast.Attribute(attr=name) | ast.Name(id=name) if name in SAYS_STRATEGY or name in self._told:
                    return True
        return False

    def _held_against(self, node: ast.AST) -> list[ast.AST]:
        """What stands on the other side of something that says a strategy."""
        sides: list[ast.AST]
        match node:
            case ast.Compare(left=left, comparators=others):
                sides = [left, *others]
            case ast.Subscript(value=base, slice=index):
                sides = [base, index]
            case ast.Call(func=ast.Attribute(value=base, attr=look), args=[first, *_]) if look in LOOKS:
                sides = [base, first]
            case ast.Match(subject=subject, cases=cases):
                sides = [subject, *(case.pattern for case in cases)]
            case _:
                return []
        beside = [side for side in sides if not self._says_strategy(side)]
        return beside if len(beside) < len(sides) else []

    def _strings(self, side: ast.AST, seen: frozenset[str] = frozenset()) -> Iterator[ast.Constant]:
        for node in ast.walk(side):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in self._known:
                yield node
            elif isinstance(node, ast.Name) and node.id not in seen:
                for value in self._values.get(node.id, ()):
                    yield from self._strings(value, seen | {node.id})


def _used_with(own: ast.AST, module: ast.Module) -> Iterator[ast.AST]:
    """Functions, classes and constants of the module that the class uses, and those that these use."""
    defined = {name: node for node in module.body for name in _defines(node)}
    waiting: list[ast.AST] = [own]
    used: set[int] = set()
    while waiting:
        for name in _mentioned(waiting.pop()):
            node = defined.get(name)
            if node is not None and id(node) not in used:
                used.add(id(node))
                waiting.append(node)
                yield node


def _defines(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _mentioned(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)}
