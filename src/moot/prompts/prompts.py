"""The prompts of a language as a strategy asks with them: ours, the user's over them, and those that a strategy brings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from jinja2 import Template, UndefinedError

from moot.errors import FileError, UsageError
from moot.models.closest import closest
from moot.prompts.example_inputs import check_inputs
from moot.prompts.template import (
    NameNotGiven,
    check_names,
    compiled,
    declared_inputs,
    filled,
    names_used,
    read_examples,
    read_template,
)
from moot.prompts.used_prompts import note
from moot.types import Message, Question, digest

LANGUAGES = ("en", "ru")
Own = Path | Mapping[str, str]
"""Where a strategy's own templates are: a folder with one for each language in it, or their texts by name."""
SETS = ("small",)
"""Prompt sets of ours beside the usual one."""
_HERE = Path(__file__).parent
_UNDEFINED = re.compile(r"'(\w+)' is undefined")


class NoSuchPrompt(UsageError):
    """A prompt that is asked for by a name and is nowhere."""

    def __init__(self, name: str, problem: str) -> None:
        self.name = name
        super().__init__(problem)


class Prompts:
    """The templates of one language, with the user's own files over ours.

    `folder` holds the user's templates, or is the name of a set of ours: `small` has short prompts with worked
    examples, for models that copy what they are shown.

    >>> Prompts("en").render("draft", question="Who?", choices=(), context=None, kind="open")
    """

    def __init__(self, language: str = "en", folder: Path | str | None = None, own: tuple[Own, ...] = ()) -> None:
        if language not in LANGUAGES:
            raise UsageError(f"language: {language!r} has no prompts; expected one of {', '.join(LANGUAGES)}")
        self.language = language
        self.own = own
        """Templates that a strategy brings, and those of what it plays inside: each a folder, with one for each language in it,
        or their texts by name."""
        self._beside: dict[str, Prompts] = {}
        self._bringing: dict[Path, Prompts] = {}
        self._checked_own = False
        self.folder = _HERE / folder / language if folder in SETS else Path(folder) if folder is not None else None
        self._templates: dict[str, Template] = {}
        self._sources: dict[str, str] = {}
        self._examples: dict[str, tuple[Message, ...]] = {}
        # The players of a team are asked the same thing within moments of each other: it is written once.
        self._written_draft = lru_cache(maxsize=1024)(self._draft)
        self.introduction = lru_cache(maxsize=1024)(self._introduction)

    def beside(self, module: str) -> Prompts:
        """These prompts and those in the folder ``prompts`` beside a module, which says so by its ``__file__``.

        A strategy's own prompts stand beside it. Ours go before them, so that a draft is a draft for every strategy;
        the user's go before all.
        """
        if module not in self._beside:
            folder = Path(module).parent / "prompts"
            self._beside[module] = self.bringing(folder)
        return self._beside[module]

    def bringing(self, own: Own) -> Prompts:
        """These prompts and those that a strategy brings. One of a name that ours have would never be asked with."""
        if own in self.own:
            return self
        if isinstance(own, Path) and own in self._bringing:
            return self._bringing[own]
        self._check_apart(own)
        for name, place in own_templates(own, self.language).items():
            if (ours := _HERE / self.language / f"{name}.j2").is_file():
                problem = f"there is a prompt {name!r} for all strategies already, {ours}; expected another name"
                raise UsageError(f"{place}: {problem}")
        brought = Prompts(self.language, None, (*self.own, own))
        brought.folder = self.folder
        if isinstance(own, Path):  # a strategy with other options brings the same: it is looked through once
            self._bringing[own] = brought
        return brought

    def _check_apart(self, own: Own) -> None:
        """Which of two prompts of one name was asked with, nobody could tell by the name."""
        places, sources = own_templates(own, self.language), _sources_of(own, self.language)
        for other in self.own:
            others = _sources_of(other, self.language)
            for name in sorted(sources.keys() & others.keys()):
                if sources[name]() != others[name]():
                    there = own_templates(other, self.language)[name]
                    problem = f"there is another prompt {name!r} within the same play, {there}; expected another name"
                    raise UsageError(f"{places[name]}: {problem}")

    def draft(self, question: Question) -> str:
        """What a player is asked when it is alone with the question."""
        note(_draft_template(question))
        return self._written_draft(question)

    def render(self, name: str, **inputs: Any) -> str:
        note(name)
        template = self._templates.get(name)
        if template is None:
            template = self._templates[name] = compiled(self.path(name), self.source(name))
        try:
            return filled(self.path, name, template, inputs)
        except FileError as error:
            if isinstance(undefined := error.__cause__, UndefinedError):
                self._blame_caller(name, inputs, undefined)
            raise

    def _blame_caller(self, name: str, inputs: Mapping[str, Any], undefined: UndefinedError) -> None:
        """An input that the template names and was not given is no mistake of the template's."""
        missing = _UNDEFINED.fullmatch(str(undefined))
        declared = declared_inputs(self.source(name))
        if missing is not None and missing[1] in declared - inputs.keys():
            raise NameNotGiven(self.path(name), name, missing[1], given=inputs, declared=declared) from undefined

    def _draft(self, question: Question) -> str:
        choices = tuple(zip(question.letters, question.choices, strict=True))
        inputs: dict[str, Any] = {"question": question.text, "context": question.context}
        if not question.is_long:
            inputs |= {"choices": choices, "kind": question.kind}
        return self.render(_draft_template(question), **inputs)

    def _introduction(self, instruction: str, persona: str) -> tuple[Message, ...]:
        """Who the player is, as a system message; a player without instruction and persona has none."""
        if not instruction and not persona:
            return ()
        return (Message("system", self.render("player", instruction=instruction, persona=persona)),)

    def path(self, name: str) -> Path:
        """The user's file if there is one, else ours, else the strategy's own."""
        if self.folder is not None and (written := self.folder / f"{name}.j2").is_file():
            return written
        ours = _HERE / self.language / f"{name}.j2"
        if ours.is_file():
            return ours
        for own in self.own:
            if isinstance(own, Path) and (brought := own / self.language / f"{name}.j2").is_file():
                return brought
            if isinstance(own, Mapping) and name in own:
                return Path(f"{name}.j2")
        beside = "".join(f" nor in {own / self.language}" for own in self.own if isinstance(own, Path))
        raise NoSuchPrompt(name, f"there is no prompt {name!r} in {self.language}{beside}")

    def examples(self, name: str) -> tuple[Message, ...]:
        """Worked examples that go before a prompt, from ``NAME.examples.yaml`` beside the template; most have none."""
        if name not in self._examples:
            file = self.path(name).with_suffix(".examples.yaml")
            self._examples[name] = read_examples(file) if file.is_file() else ()
        return self._examples[name]

    def source(self, name: str) -> str:
        if name not in self._sources:
            path = self.path(name)
            given = [own[name] for own in self.own if isinstance(own, Mapping) and name in own]
            self._sources[name] = given[0] if given and path == Path(f"{name}.j2") else read_template(path)
        return self._sources[name]

    def hashes(self, names: Iterable[str]) -> dict[str, str]:
        """What a run records of its prompts, so that a changed wording is a different experiment."""
        return {name: digest([self.source(name), *map(str, self.examples(name))])[:12] for name in names}

    def instruction(self, text: str) -> str:
        """A named instruction (`break-down`) in words; anything with a space in it is taken as the words themselves."""
        if not text or re.search(r"\s", text):
            return text
        names = self.instructions()
        if text not in names:
            expected = f"words of your own or one of {', '.join(names)}"
            raise UsageError(f"instruction {text!r} is unknown; expected {expected}{closest(text, names)}")
        return self.render(f"instructions/{text}")

    def instructions(self) -> list[str]:
        """The names of all instructions, ours and the user's."""
        folders = [_HERE / self.language, *([self.folder] if self.folder else [])]
        return sorted({path.stem for folder in folders for path in (folder / "instructions").glob("*.j2")})

    def check(self, brought: Iterable[Own] = ()) -> None:
        """Find mistakes in the user's templates before any model is called. `brought`: those of the strategies."""
        if self.folder is None:
            return
        if not self.folder.is_dir():
            raise FileError("expected a folder of .j2 templates", file=self.folder, key="prompts")
        templates = sorted(path for path in self.folder.rglob("*.j2") if path.is_file())
        if not templates:
            raise FileError("expected .j2 templates in this folder, found none", file=self.folder, key="prompts")
        sources = [
            _sources_in(_HERE / self.language),
            *(_sources_of(bundle, self.language) for bundle in brought),
        ]
        prompt_names = sorted({name for named in sources for name in named if "/" not in name})
        for path in templates:
            name = path.relative_to(self.folder).with_suffix("").as_posix()
            replaced = [named[name]() for named in sources if name in named]
            if not replaced and name.rpartition("/")[0] != "instructions":
                expected = f"expected one of {', '.join(prompt_names)}, or instructions/NAME"
                raise FileError(f"no prompt has this name; {expected}{closest(path.stem, prompt_names)}", file=path)
            for source in replaced or [""]:  # strategies of several packages may have a prompt of one name
                check_inputs(path, declared_inputs(source))
            self.examples(name)

    def check_own(self) -> None:
        """Find mistakes in the templates that a strategy brings before any model is called."""
        if not self._checked_own:
            for own in self.own:
                self._check_brought(own)
        self._checked_own = True

    def _check_brought(self, own: Own) -> None:
        for name, read in _sources_of(own, self.language).items():  # and not what a user has in their place
            path = own / self.language / f"{name}.j2" if isinstance(own, Path) else Path(f"{name}.j2")
            source = read()
            compiled(path, source)
            allowed = declared_inputs(source)
            if not allowed and (used := names_used(source)):
                names = ", ".join(sorted(used))
                problem = f"uses {names} and names no inputs; expected {{# inputs: {names} #}} in its first line"
                raise FileError(problem, file=path)
            check_names(path, source, allowed)


def _draft_template(question: Question) -> str:
    return "draft-text" if question.is_long else "draft"


def own_templates(brought: Own, language: str) -> dict[str, str]:
    """The templates that a strategy brings in a language, by name: where each of them stands."""
    if isinstance(brought, Mapping):
        return {name: f"the strategy's own prompts: {name}" for name in brought}
    return {name: str(brought / language / f"{name}.j2") for name in _sources_in(brought / language)}


def _sources_of(brought: Own, language: str) -> dict[str, Callable[[], str]]:
    if isinstance(brought, Mapping):
        return {name: partial(str, text) for name, text in brought.items()}
    return _sources_in(brought / language)


def _sources_in(folder: Path) -> dict[str, Callable[[], str]]:
    """By name, as a prompt is asked for: how the text of each template in a folder is read."""
    paths = sorted(path for path in folder.rglob("*.j2") if path.is_file())
    return {path.relative_to(folder).with_suffix("").as_posix(): partial(read_template, path) for path in paths}
