"""Where each key of a YAML file stands, so that a mistake can be shown at its line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import yaml

KeyPath = tuple[str | int, ...]

MOST_PLACES = 200_000
"""A few lines of aliases to aliases can stand for billions of keys."""


@dataclass(frozen=True, slots=True)
class Repeated:
    key: KeyPath
    line: int
    first: int


class KeyLines:
    """Lines by path of keys, such as ("models", "qwen", "price")."""

    def __init__(self, node: yaml.Node | None) -> None:
        self._lines: dict[KeyPath, int] = {}
        self._keys: dict[int, KeyPath] = {}
        for key, line, start in _walk(node, ()) if node is not None else ():
            self._lines.setdefault(key, line)
            self._keys.setdefault(start, key)
            if len(self._lines) > MOST_PLACES:
                raise ValueError("it has more keys than a file can need; are there aliases of aliases?")

    def line(self, key: KeyPath) -> int | None:
        """The line of a key; of the nearest one above it where it is missing."""
        while key and key not in self._lines:
            key = key[:-1]
        return self._lines.get(key)

    def key(self, start: int) -> KeyPath | None:
        """Whose value begins at this character of the file."""
        return self._keys.get(start)

    @staticmethod
    def dotted(key: KeyPath) -> str:
        return ".".join(str(step) for step in key)


def check_expansion(node: yaml.Node | None, most: int) -> None:
    """A `ValueError` where the file, its aliases written out, is longer than `most`: it is stored and sent written out."""
    sizes: dict[int, int | None] = {}

    def size(part: yaml.Node) -> int:
        known = sizes.get(id(part), -1)
        if known is None:
            raise ValueError("an alias stands within what it is an alias of")
        if known >= 0:
            return known
        sizes[id(part)] = None
        if isinstance(part, yaml.MappingNode):
            total = sum(size(name) + size(value) for name, value in part.value)
        elif isinstance(part, yaml.SequenceNode):
            total = sum(map(size, part.value))
        else:
            total = len(part.value)
        sizes[id(part)] = total + 1
        return total + 1

    if node is not None and size(node) > most:
        raise ValueError(f"with its aliases written out it is longer than {most:,} characters")


def _walk(node: yaml.Node, path: KeyPath) -> Iterator[tuple[KeyPath, int, int]]:
    """Each key, its line, and the character at which its value begins."""
    if isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            below = (*path, str(name.value))
            yield below, name.start_mark.line + 1, value.start_mark.index
            yield from _walk(value, below)
    elif isinstance(node, yaml.SequenceNode):
        for position, value in enumerate(node.value):
            below = (*path, position)
            yield below, value.start_mark.line + 1, value.start_mark.index
            yield from _walk(value, below)


def duplicate_key(node: yaml.Node | None, path: KeyPath = ()) -> Repeated | None:
    """YAML readers take the last of two equal keys without a word; we do not."""
    if isinstance(node, yaml.MappingNode):
        seen: dict[str, int] = {}
        for name, value in node.value:
            line, below = name.start_mark.line + 1, (*path, str(name.value))
            if below[-1] in seen:
                return Repeated(below, line, seen[str(name.value)])
            seen[str(name.value)] = line
            if repeated := duplicate_key(value, below):
                return repeated
    elif isinstance(node, yaml.SequenceNode):
        for position, value in enumerate(node.value):
            if repeated := duplicate_key(value, (*path, position)):
                return repeated
    return None
