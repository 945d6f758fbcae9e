"""One template: its text read and compiled, the inputs that it declares, and a prompt made of it, or what is wrong with it."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from traceback import walk_tb
from typing import Any

from jinja2 import Environment, Template, TemplateError, meta

from moot.errors import FileError
from moot.foreign_files import opened
from moot.models.closest import closest
from moot.prompts.bounds import LETTERS_A_STEP, LINES_A_STEP, MOST_SOURCE, look_at, spend
from moot.prompts.foreign_text import block, has_brackets, line, most_lines, quoted
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
    AssertionError,
)
"""What filling in a template may raise."""
TOO_DEEP = "too much stands within each other; expected fewer nested blocks and brackets, and shorter expressions"
MOST_SAID = 300
_TOO_DEEP = (RecursionError, MemoryError)
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
    try:
        return frozenset(meta.find_undeclared_variables(_environment().parse(source)))
    except _TOO_DEEP:  # it takes more steps within each other than to compile it does
        raise _too_deep(source) from None


def check_names(path: Path, source: str, allowed: frozenset[str]) -> None:
    if unknown := sorted(names_used(source) - allowed):
        expected = ", ".join(sorted(allowed)) or "none"
        hint = closest(unknown[0], allowed)
        raise FileError(
            f"uses {shortened(', '.join(unknown))}; the inputs of this prompt are: {expected}{hint}", file=path
        )


@cache
def _environment() -> Environment:
    return PromptEnvironment({"block": _looking(block), "line": _by_words, "quoted": _by_lines})


def _looking(made_safe: Callable[[str], str]) -> Callable[[object], str]:
    """A filter that counts the characters it looks at."""

    def counted(text: object) -> str:
        written = str(text)
        if has_brackets(written):
            look_at(len(written))
        return made_safe(written)

    return counted


_looked_at_line = _looking(line)


def _by_words(text: object) -> str:
    written = str(text)
    spend(len(written) // LETTERS_A_STEP)
    return _looked_at_line(written)


def _by_lines(text: object) -> str:
    written = str(text)
    spend(most_lines(written) // LINES_A_STEP)
    return quoted(written)


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
    from moot.config.yaml_file import yaml_values

    listed = yaml_values(read_template(path), path)
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
        raise FileError(
            f"not a valid template: {shortened(error)}", file=path, line=getattr(error, "lineno", None)
        ) from None
    except _TOO_DEEP:
        raise _too_deep(source, path) from None
    except (SyntaxError, ValueError) as error:  # Python's own, of what Jinja made of it
        if "too many" in str(error):  # such as "statically nested blocks"
            raise _too_deep(source, path) from None
        raise FileError(f"not a valid template: {shortened(error)}", file=path) from None


def shortened(said: object) -> str:
    """What a template is refused for may repeat a word of it, of any length."""
    whole = str(said)
    return whole if len(whole) <= MOST_SAID else f"{whole[:MOST_SAID]}…"


def _too_deep(source: str, path: Path | None = None) -> FileError:
    return FileError(f"not a valid template: {TOO_DEEP}", file=path, line=deepest_line(source))


def filled(place: Callable[[str], Path], name: str, template: Template, inputs: Mapping[str, Any]) -> str:
    try:
        return fill(template, inputs)
    except _BREAKS as error:
        said = TOO_DEEP if isinstance(error, RecursionError) else shortened(error)
        raise FileError(f"cannot be filled in: {said}", file=place(name), line=_line_of(error, template)) from error


def _line_of(error: BaseException, template: Template) -> int | None:
    """Where in the template it arose."""
    within = [number for frame, number in walk_tb(error.__traceback__) if frame.f_globals is _globals_of(template)]
    return template.get_corresponding_lineno(within[-1]) if within else None


def _globals_of(template: Template) -> Mapping[str, Any]:
    made: Any = template.root_render_func
    return made.__globals__  # type: ignore[no-any-return]


def deepest_line(source: str) -> int | None:
    """Where most stands within each other: blocks, brackets, and what is joined to one expression."""
    blocks, brackets, joined = 0, 0, 0
    most, deepest, begins = 0, None, False
    with suppress(TemplateError):
        for line, kind, value in _environment().lex(source):
            if kind in ("block_begin", "variable_begin"):
                brackets, joined, begins = 0, 0, kind == "block_begin"
            elif kind == "operator":
                brackets += (value in "([{") - (value in ")]}")
                joined += 1
            elif kind == "name":
                blocks += begins and (value in ("if", "for")) - value.startswith("end")
                joined += value in ("not", "and", "or", "if", "is")
                begins = False
            if blocks + brackets + joined > most:
                most, deepest = blocks + brackets + joined, line
    return deepest
