"""One template: its text read and compiled, the inputs that it declares, and a prompt made of it, or what is wrong with it."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Collection, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, Template, TemplateError, meta

from moot.errors import FileError
from moot.foreign_files import opened
from moot.models.closest import closest
from moot.prompts.bounds import MOST_SOURCE
from moot.prompts.foreign_text import block, line, quoted
from moot.prompts.sandbox import PromptEnvironment, fill
from moot.types import Message

_BREAKS = (
    TemplateError,
    TypeError,
    ValueError,
    ArithmeticError,
    LookupError,
    AttributeError,
    RecursionError,
    MemoryError,
)
"""What filling in a template may raise."""
_INPUTS = re.compile(r"\{#\s*inputs:([^#]*+)#\}")


class NameNotGiven(FileError):
    """A template that was filled in without one of its inputs: the mistake of whoever calls `render`."""

    def __init__(
        self, path: Path, prompt: str, missing: str, *, given: Collection[str], declared: Collection[str]
    ) -> None:
        gives = f"gives {', '.join(sorted(given)) or 'nothing'}"
        inputs = f"the inputs of this prompt are {', '.join(sorted(declared))}"
        problem = f"cannot be filled in: {missing!r} is undefined: render({prompt!r}, ...) {gives}; {inputs}"
        super().__init__(problem, file=path)


def declared_inputs(source: str) -> frozenset[str]:
    match = _INPUTS.search(source)
    return frozenset(name.strip() for name in match.group(1).split(",") if name.strip()) if match else frozenset()


@cache
def names_used(source: str) -> frozenset[str]:
    return frozenset(meta.find_undeclared_variables(_environment().parse(source)))


def check_names(path: Path, source: str, allowed: frozenset[str]) -> None:
    if unknown := sorted(names_used(source) - allowed):
        expected = ", ".join(sorted(allowed)) or "none"
        hint = closest(unknown[0], allowed)
        raise FileError(f"uses {', '.join(unknown)}; the inputs of this prompt are: {expected}{hint}", file=path)


@cache
def _environment() -> Environment:
    return PromptEnvironment({"block": block, "line": line, "quoted": quoted})


def read_template(path: Path) -> str:
    try:
        with opened(path) as content, io.TextIOWrapper(content, encoding="utf-8-sig") as file:
            source = file.read(MOST_SOURCE + 1)
    except UnicodeDecodeError as error:
        raise FileError(f"expected UTF-8 text ({error.reason})", file=path) from None
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror or error}", file=path) from None
    if len(source) > MOST_SOURCE:
        raise FileError(f"is longer than {MOST_SOURCE} characters", file=path)
    return source


def read_examples(path: Path) -> tuple[Message, ...]:
    """A list of ``{user: ..., assistant: ...}``."""
    import yaml

    try:
        listed = yaml.safe_load(read_template(path))
    except yaml.YAMLError as error:
        raise FileError(f"not valid YAML: {error}", file=path) from None
    whole = isinstance(listed, list) and all(
        isinstance(example, dict) and set(example) == {"user", "assistant"} for example in listed
    )
    if not whole or not all(isinstance(text, str) for example in listed for text in example.values()):
        raise FileError("expected a list of {user: TEXT, assistant: TEXT}", file=path)
    pairs = ((Message("user", example["user"]), Message("assistant", example["assistant"])) for example in listed)
    return tuple(message for pair in pairs for message in pair)


@cache
def compiled(path: Path, source: str) -> Template:
    try:
        return _environment().from_string(source)
    except TemplateError as error:
        raise FileError(f"not a valid template: {error}", file=path, line=getattr(error, "lineno", None)) from None
    except (SyntaxError, RecursionError, MemoryError, ValueError) as error:  # Python's own, of what Jinja made of it
        raise FileError(f"not a valid template: {error}", file=path) from None


def filled(place: Callable[[str], Path], name: str, template: Template, inputs: Mapping[str, Any]) -> str:
    try:
        return fill(template, inputs)
    except _BREAKS as error:
        raise FileError(f"cannot be filled in: {error}", file=place(name)) from error
