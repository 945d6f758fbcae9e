"""YAML that a program wrote: as long as a log is, so read faster than a file that somebody is told the mistakes of."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import yaml

from moot.config.key_lines import check_expansion
from moot.config.yaml_file import NOT_MADE, BadValue, PlainLoader
from moot.errors import FileError
from moot.foreign_files import text_of

MOST_YAML = 5_000_000
"""Bytes. This takes some ten seconds, and JSON of the same length less than one."""
MOST_WRITTEN_OUT = 10 * MOST_YAML
"""Characters, every alias in full."""
DEEPEST = 200


def _fastest() -> Any:
    """What a file of ours may say, parsed by a library in C where there is one."""
    try:
        parser: Any = import_module("yaml.cyaml").CParser
    except ImportError:
        return PlainLoader

    class FastLoader(parser, PlainLoader):  # type: ignore[misc]
        def __init__(self, stream: str) -> None:
            parser.__init__(self, stream)
            yaml.constructor.SafeConstructor.__init__(self)
            yaml.resolver.Resolver.__init__(self)

    return FastLoader


_Loader = _fastest()


def foreign_yaml(path: Path, way_out: str) -> Any:
    """What a document says. `way_out`: what to do where it is too long, as an end of a sentence."""
    try:
        size = path.stat().st_size
        if size > MOST_YAML:
            raise FileError(f"is longer than {MOST_YAML:,} bytes, for which YAML is too slow; {way_out}", file=path)
        words = text_of(path, MOST_YAML)
        _check_depth(words)
        loader = _Loader(words)
        node = loader.get_single_node()
        check_expansion(node, most=MOST_WRITTEN_OUT)
        return None if node is None else loader.construct_document(node)
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror or error}", file=path) from None
    except (yaml.YAMLError, *NOT_MADE) as error:
        mark = getattr(error, "problem_mark", None)
        problem = error.words if isinstance(error, BadValue) else getattr(error, "problem", None) or error
        raise FileError(f"is no YAML ({problem})", file=path, line=mark.line + 1 if mark else None) from None


def _check_depth(words: str) -> None:
    """Before it is put together, which a library in C does without a bound."""
    depth = 0
    for event in yaml.parse(words, Loader=_Loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST:
            raise ValueError(f"nested deeper than {DEEPEST} levels")
