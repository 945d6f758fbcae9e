"""Prompts: one template a file, in English and Russian, overridable by the user; every template lists its inputs.

A template says what it needs in its first line, ``{# inputs: question, choices #}``, and gets exactly that. Values are
inserted once and never read as template text again, so braces in a question are only braces. Text that somebody else
wrote (a question, a player's answer) goes through the `block` filter into a block of its own, whose end it cannot forge.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined, Template, TemplateError, meta

from moot.errors import FileError, UsageError
from moot.types import digest

LANGUAGES = ("en", "ru")
_HERE = Path(__file__).parent
_INPUTS = re.compile(r"\{#\s*inputs:\s*([^#]*?)\s*#\}")
_BLOCK_TAG = re.compile(r"<(?=/?\s*(?:question|options|context|answers?|reasoning|position|document)\b)", re.IGNORECASE)


def block(text: object) -> str:
    """Text made safe to stand inside a block: what looks like one of our tags loses its bracket, all else is kept."""
    return _BLOCK_TAG.sub("‹", str(text))


class Prompts:
    """The templates of one language, with the user's own files over ours.

    >>> Prompts("en").render("draft", question="Who?", choices=(), context=None)
    """

    def __init__(self, language: str = "en", folder: Path | None = None) -> None:
        if language not in LANGUAGES:
            raise UsageError(f"language: {language!r} has no prompts; expected one of {', '.join(LANGUAGES)}")
        self.language = language
        self.folder = folder
        self._templates: dict[str, Template] = {}
        self._sources: dict[str, str] = {}

    def render(self, name: str, **inputs: Any) -> str:
        template = self._templates.get(name)
        if template is None:
            template = self._templates[name] = _compile(self.path(name))
        # shared: without a copy of Jinja's global functions, which a prompt has no use for
        return "".join(template.root_render_func(template.new_context(inputs, shared=True))).strip()

    def path(self, name: str) -> Path:
        """The user's file if there is one, else ours."""
        if self.folder is not None and (own := self.folder / f"{name}.j2").is_file():
            return own
        ours = _HERE / self.language / f"{name}.j2"
        if not ours.is_file():
            raise UsageError(f"there is no prompt {name!r} in {self.language}")
        return ours

    def source(self, name: str) -> str:
        if name not in self._sources:
            self._sources[name] = self.path(name).read_text(encoding="utf-8")
        return self._sources[name]

    def hashes(self, names: Iterable[str]) -> dict[str, str]:
        """What a run records of its prompts, so that a changed wording is a different experiment."""
        return {name: digest(self.source(name))[:12] for name in names}

    def instruction(self, text: str) -> str:
        """A named instruction (`break-down`) in words; anything with a space in it is taken as the words themselves."""
        if not text or re.search(r"\s", text):
            return text
        known = sorted(path.stem for path in (_HERE / self.language / "instructions").glob("*.j2"))
        own = self.folder is not None and (self.folder / "instructions" / f"{text}.j2").is_file()
        if text not in known and not own:
            raise UsageError(
                f"instruction {text!r} is unknown; expected words of your own or one of {', '.join(known)}"
            )
        return self.render(f"instructions/{text}")

    def check(self) -> None:
        """Find mistakes in the user's templates before any model is called."""
        if self.folder is None:
            return
        if not self.folder.is_dir():
            raise FileError("expected a folder of .j2 templates", file=self.folder, key="prompts")
        for path in sorted(self.folder.rglob("*.j2")):
            ours = _HERE / self.language / path.relative_to(self.folder)
            if not ours.is_file() and path.parent.name != "instructions":
                known = ", ".join(sorted(each.stem for each in (_HERE / self.language).glob("*.j2")))
                raise FileError(f"no prompt has this name; expected one of {known}", file=path)
            allowed = declared_inputs(ours.read_text(encoding="utf-8")) if ours.is_file() else frozenset()
            _check_inputs(path, allowed)


def declared_inputs(source: str) -> frozenset[str]:
    found = _INPUTS.search(source)
    return frozenset(name.strip() for name in found.group(1).split(",") if name.strip()) if found else frozenset()


@cache
def _environment() -> Environment:
    environment = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False)
    environment.filters["block"] = block
    return environment


@cache
def _compile(path: Path) -> Template:
    try:
        return _environment().from_string(path.read_text(encoding="utf-8"))
    except TemplateError as error:
        raise FileError(f"not a valid template: {error}", file=path, line=getattr(error, "lineno", None)) from None


def _check_inputs(path: Path, allowed: frozenset[str]) -> None:
    _compile(path)
    used = meta.find_undeclared_variables(_environment().parse(path.read_text(encoding="utf-8")))
    if unknown := sorted(used - allowed):
        expected = ", ".join(sorted(allowed)) or "none"
        raise FileError(f"uses {', '.join(unknown)}; the inputs of this prompt are: {expected}", file=path)
