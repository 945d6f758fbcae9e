"""Where each key of a YAML file stands, so that a mistake can be shown at its line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import yaml

Key = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Repeated:
    key: str
    line: int


class Places:
    """Lines by path of keys, such as ("models", "qwen", "price")."""

    def __init__(self, node: yaml.Node | None) -> None:
        self._lines: dict[Key, int] = dict(_walk(node, ())) if node is not None else {}

    def line(self, key: Key) -> int | None:
        """The line of a key; of the nearest one above it where it is missing."""
        while key and key not in self._lines:
            key = key[:-1]
        return self._lines.get(key)

    def known(self, location: Key) -> Key:
        """A validator's location without the steps that are not in the file (the chosen branch of a union)."""
        path: Key = ()
        for n, step in enumerate(location):
            last = n == len(location) - 1
            if (*path, step) in self._lines or last:
                path = (*path, step)
        return path

    @staticmethod
    def dotted(key: Key) -> str:
        return ".".join(str(step) for step in key)


def _walk(node: yaml.Node, path: Key) -> Iterator[tuple[Key, int]]:
    if isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            below = (*path, name.value)
            yield below, name.start_mark.line + 1
            yield from _walk(value, below)
    elif isinstance(node, yaml.SequenceNode):
        for position, value in enumerate(node.value):
            below = (*path, position)
            yield below, value.start_mark.line + 1
            yield from _walk(value, below)


def duplicate_key(node: yaml.Node | None) -> Repeated | None:
    """YAML readers take the last of two equal keys without a word; we do not."""
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for name, value in node.value:
            if name.value in seen:
                return Repeated(name.value, name.start_mark.line + 1)
            seen.add(name.value)
            if found := duplicate_key(value):
                return found
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            if found := duplicate_key(value):
                return found
    return None
