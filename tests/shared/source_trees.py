"""Modules of the package as trees, for tests that look at the code: to parse them all takes seconds, each time."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import moot

ROOT = Path(moot.__file__).parent


def trees_with(pattern: str, *rooms: str) -> Iterator[tuple[Path, ast.Module]]:
    """Of these rooms, or of all, each module in whose text the pattern occurs; the others have nothing that is looked for."""
    seen = re.compile(pattern)
    for path in sorted(path for room in rooms or ("",) for path in (ROOT / room).rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if seen.search(text):
            yield path, ast.parse(text)


def imports_of(source: str) -> Iterator[ast.Import | ast.ImportFrom]:
    """Wherever they stand in a text, parsed one by one. Where something only reads like one, the whole text is parsed."""
    written = r"^[ \t]*(from [\w.]+ import (?:\([^)]*\)|[^\n]+)|import [^\n]+)"
    try:
        found = ast.parse("\n".join(each[1] for each in re.finditer(written, source, re.MULTILINE)))
    except SyntaxError:
        found = ast.parse(source)
    return (node for node in ast.walk(found) if isinstance(node, ast.Import | ast.ImportFrom))


def classes_in(tree: ast.Module) -> Iterator[ast.ClassDef]:
    """Wherever a statement may stand: expressions, which hold none, are nearly all of a tree."""
    left: list[ast.AST] = [tree]
    while left:
        node = left.pop()
        if isinstance(node, ast.ClassDef):
            yield node
        for inner in ("body", "orelse", "finalbody", "handlers", "cases"):
            held = getattr(node, inner, None)
            left += held if isinstance(held, list) else ()
