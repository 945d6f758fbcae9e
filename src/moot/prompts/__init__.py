"""Prompts: one template a file, in English and Russian, overridable by the user; every template lists its inputs.

A template says what it needs in its first line, ``{# inputs: question, choices #}``, and gets exactly that. Values are
inserted once and never read as template text again, so braces in a question are only braces. Text that somebody else
wrote (a question, a player's answer) goes through the `block` filter into a block of its own, whose end it cannot forge.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any

from jinja2 import Environment, Template, TemplateError, UndefinedError, meta

from moot.errors import FileError, UsageError
from moot.models.closest import closest
from moot.prompts.bounds import MOST_SOURCE
from moot.prompts.sandbox import PromptEnvironment, fill
from moot.types import Message, Question, digest

LANGUAGES = ("en", "ru")
Own = Path | Mapping[str, str]
"""Where a strategy's own templates are: a folder with one for each language in it, or their texts by name."""
SETS = ("small",)
"""Prompt sets of ours beside the usual one."""
_EXAMPLE: dict[str, Any] = {
    "question": "Who?",
    "choices": (("A", "Ann"), ("B", "Bob")),
    "context": "Ann came.",
    "kind": "choice",
    "problem": "empty",
    "letters": "A, B",
    "fields": "reasoning, answer",
    "instruction": "Think.",
    "persona": "Ann",
    "answers": ("Ab", "Bc"),
    "reference": "Ann",
    "accepted": ("Anna",),
    "rejected": ("Bob",),
    "comment": "She came.",
    "messages": (("user", "Hello."), ("assistant", "Hello yourself.")),
    "answer": "Ann",
    "reasoning": "She came.",
    "schema": "{}",
    "place": 1,
    "role": "botanist",
    "taken": ("botanist (knows plants)",),
    "title": "Agent 1",
    "style": "simple",
    "step_by_step": True,
    "remarks": (("Agent 1", "It is Ann.", "Ann"), ("Agent 2", "I see.", None)),
    "solutions": ("Ann", "Bob"),
    "own": ("It is Ann.", "Ann"),
    "ballot": "ranking",
    "most": 2,
    "budget": 25,
    "facts": "Ann came.",
    "disagreed": False,
    "plant": "wrong",
    "responses": (("Ann", "Ab", "She came."), (None, "Bc", "")),
    "answered": True,
    "previous": "Ab",
    "positions": (("Ab", 2, ("She came.", "So it is.")), ("Bc", None, ())),
    "transcript": ((("Ab", ("She came.",)),), (("Bc", ()),)),
    "number": 1,
    "proposals": (("Ab", "She came.", 0.7), ("Bc", "", None)),
    "response": "It is Ann.",
    "left_out": 0,
}
"""What a user's template is tried out with."""
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
_HERE = Path(__file__).parent
_UNDEFINED = re.compile(r"'(\w+)' is undefined")
_INPUTS = re.compile(r"\{#\s*inputs:\s*([^#]*?)\s*#\}")
_TAG = re.compile(
    r"question|options?|context|answers?|reasoning|reference|positions?|documents?|messages?|solutions?|responses?"
    r"|proposals?|transcript|discussion|arguments?|facts?"
)
_UNSEEN = (
    r"\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u0300-\u036f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    r"\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff"
)
"""Characters that show nothing, or sit on the one before them: a tag with some in it still looks like a tag."""
_BRACKETS = "<＜﹤"
_OPENS = re.compile(rf"[{_BRACKETS}](?=[\s{_UNSEEN}]*(?:[/／⁄∕⧸\\][\s{_UNSEEN}]*)?((?:\w|[{_UNSEEN}])+))")
"""A bracket and the word it opens. Nothing in it can be matched in two ways, so its time is that of the text."""
_NOT_SEEN = re.compile(rf"[{_UNSEEN}]")
_LOOKALIKES = str.maketrans("аеіјорсѕԁԛѡхуνοαιρτυκмтпɡɑıℓ", "aeijopcsdqwxyvoaiptukmtngail")


def block(text: object) -> str:
    """Text made safe to stand inside a block: what looks like one of our tags loses its bracket, all else is kept."""
    written = str(text)
    if not any(bracket in written for bracket in _BRACKETS):
        return written
    return _OPENS.sub(_shut, written)


def _shut(bracket: re.Match[str]) -> str:
    """The bracket as it was, unless the word after it is one of our tags to whoever reads it."""
    word = bracket[1]
    if not word.isascii() or not word.isalpha():
        word = _NOT_SEEN.sub("", unicodedata.normalize("NFKD", word))
    seen = word.casefold().translate(_LOOKALIKES)
    return "‹" if _TAG.fullmatch(seen) else bracket[0]


def line(text: object) -> str:
    """Text made safe to stand on a line of its own."""
    return " ".join(block(text).split())


def quoted(text: object) -> str:
    """Text made safe inside of what will be a block itself, where no tag of ours would survive: no line is its own."""
    return "\n".join(f"> {text_line}" for text_line in str(text).splitlines())


FOR_ALL = frozenset(("player", "again", "extract"))
"""What any player may be told, whichever strategy is played: no strategy declares it."""


_NOTED: ContextVar[set[str] | None] = ContextVar("the prompts that are used meanwhile", default=None)


@contextmanager
def noting_prompts() -> Iterator[set[str]]:
    """The names of all prompts that are used meanwhile, in whatever tasks that starts: plays at the same time are apart."""
    used: set[str] = set()
    before = _NOTED.set(used)
    try:
        yield used
    finally:
        _NOTED.reset(before)


def _note(name: str) -> None:
    if (used := _NOTED.get()) is not None:
        used.add(name)


class NoSuchPrompt(UsageError):
    """A prompt that is asked for by a name and is nowhere."""

    def __init__(self, name: str, problem: str) -> None:
        self.name = name
        super().__init__(problem)


class NameNotGiven(FileError):
    """A template that was filled in without one of its inputs: the mistake of whoever calls `render`."""

    def __init__(
        self, path: Path, prompt: str, missing: str, *, given: Collection[str], declared: Collection[str]
    ) -> None:
        gives = f"gives {', '.join(sorted(given)) or 'nothing'}"
        inputs = f"the inputs of this prompt are {', '.join(sorted(declared))}"
        problem = f"cannot be filled in: {missing!r} is undefined: render({prompt!r}, ...) {gives}; {inputs}"
        super().__init__(problem, file=path)


class Prompts:
    """The templates of one language, with the user's own files over ours.

    `folder` holds the user's templates, or is the name of a set of ours: `small` has short prompts with worked
    examples, for models that copy what they are shown.

    >>> Prompts("en").render("draft", question="Who?", choices=(), context=None, kind="open")
    """

    def __init__(self, language: str = "en", folder: Path | str | None = None, own: Own | None = None) -> None:
        if language not in LANGUAGES:
            raise UsageError(f"language: {language!r} has no prompts; expected one of {', '.join(LANGUAGES)}")
        self.language = language
        self.own = own
        """Templates that a strategy brings: its folder, with one for each language in it, or their texts by name."""
        self._beside: dict[Path, Prompts] = {}
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
        folder = Path(module).parent / "prompts"
        if self.own == folder:
            return self
        if folder not in self._beside:
            self._beside[folder] = self.bringing(folder)
        return self._beside[folder]

    def bringing(self, own: Own) -> Prompts:
        """These prompts and those that a strategy brings. One of a name that ours have would never be asked with."""
        for name, place in own_templates(own, self.language).items():
            if (ours := _HERE / self.language / f"{name}.j2").is_file():
                problem = f"there is a prompt {name!r} for all strategies already, {ours}; expected another name"
                raise UsageError(f"{place}: {problem}")
        brought = Prompts(self.language, None, own)
        brought.folder = self.folder
        return brought

    def draft(self, question: Question) -> str:
        """What a player is asked when it is alone with the question."""
        _note("draft")
        return self._written_draft(question)

    def render(self, name: str, **inputs: Any) -> str:
        _note(name)
        template = self._templates.get(name)
        if template is None:
            template = self._templates[name] = _compiled(self.path(name), self.source(name))
        try:
            return _filled(self.path, name, template, inputs)
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
        return self.render(
            "draft", question=question.text, choices=choices, context=question.context, kind=question.kind
        )

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
        if isinstance(self.own, Path) and (brought := self.own / self.language / f"{name}.j2").is_file():
            return brought
        if isinstance(self.own, Mapping) and name in self.own:
            return Path(f"{name}.j2")
        beside = f" nor in {self.own / self.language}" if isinstance(self.own, Path) else ""
        raise NoSuchPrompt(name, f"there is no prompt {name!r} in {self.language}{beside}")

    def examples(self, name: str) -> tuple[Message, ...]:
        """Worked examples that go before a prompt, from ``NAME.examples.yaml`` beside the template; most have none."""
        if name not in self._examples:
            file = self.path(name).with_suffix(".examples.yaml")
            self._examples[name] = _read_examples(file) if file.is_file() else ()
        return self._examples[name]

    def source(self, name: str) -> str:
        if name not in self._sources:
            path = self.path(name)
            in_memory = isinstance(self.own, Mapping) and path == Path(f"{name}.j2")
            self._sources[name] = self.own[name] if in_memory and isinstance(self.own, Mapping) else _read(path)
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
                _check_inputs(path, declared_inputs(source))
            self.examples(name)

    def check_own(self) -> None:
        """Find mistakes in the templates that a strategy brings before any model is called."""
        own = self.own or {}
        for name, read in _sources_of(own, self.language).items():  # and not what a user has in their place
            path = own / self.language / f"{name}.j2" if isinstance(own, Path) else Path(f"{name}.j2")
            source = read()
            _compiled(path, source)
            allowed = declared_inputs(source)
            if not allowed and (used := _names_used(source)):
                names = ", ".join(sorted(used))
                problem = f"uses {names} and names no inputs; expected {{# inputs: {names} #}} in its first line"
                raise FileError(problem, file=path)
            _check_names(path, source, allowed)


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
    return {path.relative_to(folder).with_suffix("").as_posix(): partial(_read, path) for path in paths}


def declared_inputs(source: str) -> frozenset[str]:
    match = _INPUTS.search(source)
    return frozenset(name.strip() for name in match.group(1).split(",") if name.strip()) if match else frozenset()


@cache
def _environment() -> Environment:
    return PromptEnvironment({"block": block, "line": line, "quoted": quoted})


def _read(path: Path) -> str:
    try:
        with path.open(encoding="utf-8-sig") as file:
            source = file.read(MOST_SOURCE + 1)
    except UnicodeDecodeError as error:
        raise FileError(f"expected UTF-8 text ({error.reason})", file=path) from None
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror or error}", file=path) from None
    if len(source) > MOST_SOURCE:
        raise FileError(f"is longer than {MOST_SOURCE} characters", file=path)
    return source


def _read_examples(path: Path) -> tuple[Message, ...]:
    """A list of ``{user: ..., assistant: ...}``."""
    import yaml

    try:
        listed = yaml.safe_load(_read(path))
    except yaml.YAMLError as error:
        raise FileError(f"not valid YAML: {error}", file=path) from None
    whole = isinstance(listed, list) and all(
        isinstance(example, dict) and set(example) == {"user", "assistant"} for example in listed
    )
    if not whole or not all(isinstance(text, str) for example in listed for text in example.values()):
        raise FileError("expected a list of {user: TEXT, assistant: TEXT}", file=path)
    pairs = ((Message("user", example["user"]), Message("assistant", example["assistant"])) for example in listed)
    return tuple(message for pair in pairs for message in pair)


def _compile(path: Path) -> Template:
    return _compiled(path, _read(path))


@cache
def _compiled(path: Path, source: str) -> Template:
    try:
        return _environment().from_string(source)
    except TemplateError as error:
        raise FileError(f"not a valid template: {error}", file=path, line=getattr(error, "lineno", None)) from None
    except (SyntaxError, RecursionError, MemoryError, ValueError) as error:  # Python's own, of what Jinja made of it
        raise FileError(f"not a valid template: {error}", file=path) from None


def _check_inputs(path: Path, allowed: frozenset[str]) -> None:
    """A template that asks for what it never gets, or that never shows the question, would fail in the middle of a run."""
    template, source = _compile(path), _read(path)
    _check_names(path, source, allowed)
    if "question" in allowed - _names_used(source):
        raise FileError("never shows the question; expected {{ question | block }} in it", file=path)
    if allowed <= _EXAMPLE.keys():
        _try_out(path, template, allowed)


def _names_used(source: str) -> set[str]:
    return meta.find_undeclared_variables(_environment().parse(source))


def _check_names(path: Path, source: str, allowed: frozenset[str]) -> None:
    if unknown := sorted(_names_used(source) - allowed):
        expected = ", ".join(sorted(allowed)) or "none"
        hint = closest(unknown[0], allowed)
        raise FileError(f"uses {', '.join(unknown)}; the inputs of this prompt are: {expected}{hint}", file=path)


def _try_out(path: Path, template: Template, allowed: frozenset[str]) -> None:
    _filled(lambda name: path, path.stem, template, {name: _EXAMPLE[name] for name in allowed})


def _filled(place: Callable[[str], Path], name: str, template: Template, inputs: Mapping[str, Any]) -> str:
    try:
        return fill(template, inputs)
    except _BREAKS as error:
        raise FileError(f"cannot be filled in: {error}", file=place(name)) from error
