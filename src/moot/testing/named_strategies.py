"""Strategies' names in the code of a measure: what it knows by a name it cannot know of a strategy from elsewhere."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Collection, Iterator


def names_in(tree: ast.AST, more: Collection[str] = ()) -> list[str]:
    """Strings that equal a strategy's name, with their lines. What only says something to a reader is no string of code.

    `more`: names of strategies that are not registered.
    """
    from moot.strategies import registered

    known = {*registered(), *more}
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return [
        f"line {node.lineno}: {node.value!r}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and node.value in known and id(node) not in docstrings
    ]


def names_known_to(measure: object, more: Collection[str] = ()) -> list[str]:
    """Names in the class of a measure, and in whatever of its module it uses; nothing where there is no source to read."""
    found: list[str] = []
    for kind in type(measure).__mro__:
        if kind.__module__ != "builtins" and not kind.__module__.startswith(("typing", "moot.measures.measure")):
            found += [f"{kind.__module__}, {place}" for place in _names_used_by(kind, more)]
    return list(dict.fromkeys(found))


def _names_used_by(kind: type, more: Collection[str]) -> list[str]:
    try:
        lines, start = inspect.getsourcelines(kind)
        module = ast.parse(inspect.getsource(inspect.getmodule(kind) or kind))
    except (OSError, TypeError, SyntaxError):  # written where no file is kept of it
        return []
    own = ast.parse(textwrap.dedent("".join(lines)))
    ast.increment_lineno(own, start - 1)
    return [name for node in (own, *_used_with(own, module)) for name in names_in(node, more)]


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
