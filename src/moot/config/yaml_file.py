"""YAML files that people write: read with the line of every key, checked against a form, and every mistake said in words.

The experiment file and the config of `moot simulate` are read here, so that both complain alike. YAML's own surprises
are kept out: equal keys are an error, dates are texts, 1e-3 is a number, and only what JSON can say is taken.
"""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, NamedTuple, NoReturn, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from moot.config.key_lines import KeyLines, KeyPath, Repeated, check_expansion, duplicate_key
from moot.config.mistakes import Mistake, mistakes
from moot.errors import FileError
from moot.foreign_files import opened
from moot.models.closest import closest

Form = TypeVar("Form", bound=BaseModel)

_PLAIN_TAGS = ("null", "bool", "int", "float", "seq", "map", "str")
_EXPONENT = re.compile(r"^[-+]?[0-9][0-9_]*(?:\.[0-9_]*)?[eE][-+]?[0-9]+$")


MOST_CHARACTERS = 500_000
"""Of a file. Questions and prompts stand in files of their own; and reading YAML takes its time."""

NOT_MADE = (ValueError, LookupError, AttributeError, OverflowError)
"""What the library raises for a value that is not what its own tag says, such as `!!bool x`, or a letter by too high a number."""

KEPT_CHARACTERS = 20_000
"""What a text says is kept for the next who reads the same, up to this length."""

Text = Annotated[str, Field(min_length=1)]
ZeroToOne = Annotated[float, Field(ge=0, le=1)]


class Strict(BaseModel):
    """A part of a file: unknown keys are errors, and "3" is not 3."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


@dataclass(frozen=True, slots=True)
class YamlFile:
    """What a file says, and where."""

    path: Path
    values: Mapping[str, Any]
    places: KeyLines


def read_yaml(path: Path) -> YamlFile:
    """The values of a file whose outermost level is keys; an empty file has none of them."""
    return parsed_yaml(_read_text(path), path)


def parsed_yaml(text: str, path: Path) -> YamlFile:
    """The same of a text that is to stand in this file."""
    said = _said_in(text, path)
    if said.values is not None and not isinstance(said.values, dict):
        raise FileError("expected keys and values, such as name: spring-cup", file=path, line=1)
    _refuse_repeated(said, path)
    return YamlFile(path, {} if said.values is None else deepcopy(said.values), said.places)


def yaml_values(text: str, path: Path) -> Any:
    """The same, whatever its outermost level is."""
    said = _said_in(text, path)
    _refuse_repeated(said, path)
    return deepcopy(said.values)


def _said_in(text: str, path: Path) -> _Said:
    try:
        return _kept(text) if len(text) <= KEPT_CHARACTERS else _said(text)
    except BadValue as error:
        dotted = KeyLines.dotted(error.key) if error.key else None
        raise FileError(error.words, file=path, line=error.mark.line + 1, key=dotted) from None
    except yaml.YAMLError as error:
        _raise_yaml(path, text, error)
    except NOT_MADE as error:
        raise FileError(f"not valid YAML: {error}", file=path) from None
    except RecursionError:
        raise FileError("nested deeper than any file of ours needs to be", file=path) from None


def _refuse_repeated(said: _Said, path: Path) -> None:
    if repeated := said.repeated:
        problem = f"stands here a second time; the first one is in line {repeated.first}"
        raise FileError(problem, file=path, line=repeated.line, key=KeyLines.dotted(repeated.key))


class _Said(NamedTuple):
    """Of a text, in whichever file it stands."""

    values: Any
    places: KeyLines
    repeated: Repeated | None


def _said(text: str) -> _Said:
    loader = PlainLoader(text)
    node = loader.get_single_node()  # for places and values: nearly all the time goes into this
    places = KeyLines(node)
    check_expansion(node, most=10 * MOST_CHARACTERS)
    repeated = duplicate_key(node)
    try:
        return _Said(None if node is None else loader.construct_document(node), places, repeated)
    except BadValue as error:
        error.key = places.key(error.mark.index)
        raise


_kept = lru_cache(32)(_said)
"""Who plans, runs and reports reads the same file several times over, and that takes longer than what is done with it."""


def checked(
    form: type[Form], values: Mapping[str, Any], *, file: object = None, places: KeyLines | None = None
) -> Form:
    """The values in their form, or a `FileError` for the first mistake and a list of the others."""
    try:
        return form.model_validate(values)
    except ValidationError as error:
        raise first_mistake(form, error, file=file, places=places) from None


def first_mistake(
    form: type[BaseModel], error: ValidationError, *, file: object = None, places: KeyLines | None = None
) -> FileError:
    """The first mistake in words, with a list of the others."""
    first, *others = mistakes(form, error)
    problem = first.problem
    if others:
        keys = list(dict.fromkeys(KeyLines.dotted(mistake.key) for mistake in others))
        problem += f" (and {len(others)} more: {', '.join(keys[:5])}{', …' if len(keys) > 5 else ''})"
    return FileError(problem, file=file, line=_line(places, first), key=KeyLines.dotted(first.key) or None)


def _line(places: KeyLines | None, mistake: Mistake) -> int | None:
    return places.line(mistake.key) if places is not None else None


def _read_text(path: Path) -> str:
    try:
        with opened(path) as content, io.TextIOWrapper(content, encoding="utf-8-sig") as file:
            text = file.read(MOST_CHARACTERS + 1)
    except FileNotFoundError:
        ours = names_beside(path, (".yaml", ".yml"))
        raise FileError(f"no such file{closest(path.name, ours)}", file=path) from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise FileError(f"expected UTF-8 text ({error.reason})", file=path, line=line) from None
    except (OSError, ValueError) as error:
        raise FileError(f"cannot be read: {getattr(error, 'strerror', None) or error}", file=path) from None
    if len(text) > MOST_CHARACTERS:
        raise FileError(f"is longer than {MOST_CHARACTERS:,} characters, which no file of ours needs", file=path)
    return text


def names_beside(path: Path, suffixes: Collection[str] = ()) -> list[str]:
    """Files in the same folder, as far as it can be read; of these kinds, where some are named."""
    try:
        return sorted(each.name for each in path.parent.iterdir() if not suffixes or each.suffix in suffixes)
    except OSError:
        return []


def _raise_yaml(path: Path, text: str, error: yaml.YAMLError) -> NoReturn:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    words = [part for part in (getattr(error, "context", None), getattr(error, "problem", None)) if part]
    problem = ", ".join(words) or str(error).splitlines()[0]
    if mark and text[mark.index : mark.index + 1] == "\t":  # which nobody sees
        before = text[: mark.index].rpartition("\n")[2]
        problem = "a tab: put a space there" if before.strip() else "a tab: indent with spaces"
    raise FileError(f"not valid YAML: {problem}", file=path, line=mark.line + 1 if mark else None) from None


class BadValue(yaml.constructor.ConstructorError):
    """Good YAML that says what nothing here can take."""

    def __init__(self, words: str, mark: yaml.Mark) -> None:
        super().__init__(None, None, words, mark)
        self.words, self.mark = words, mark
        self.key: KeyPath | None = None
        """Whose value it is, once that is known."""


class PlainLoader(yaml.SafeLoader):
    """Only what JSON can say, so that everything in a file can be stored, hashed and sent."""

    yaml_implicit_resolvers = {  # noqa: RUF012
        first: [resolver for resolver in resolvers if resolver[0] != "tag:yaml.org,2002:timestamp"]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    yaml_constructors = {  # noqa: RUF012
        tag: make
        for tag, make in yaml.SafeLoader.yaml_constructors.items()
        if tag is None or tag.removeprefix("tag:yaml.org,2002:") in _PLAIN_TAGS
    }

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """A number as key is its digits, as in JSON (`logit_bias: {50256: -100}`); what else is no text is a slip."""
        mapping: dict[Any, Any] = super().construct_mapping(node, deep)
        for key, _ in node.value:
            if key.tag not in ("tag:yaml.org,2002:str", "tag:yaml.org,2002:int"):
                problem = f"expected a text as key, found {key.value!r:.40}; put it in quotes"
                raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
        return {str(key): value for key, value in mapping.items()}

    def number(self, node: yaml.ScalarNode) -> int:
        try:
            value = int(self.construct_yaml_int(node))
        except ValueError:  # thousands of digits, which Python does not count either
            value = 2**64
        if not -(2**63) <= value < 2**63:
            problem = f"expected a number of at most 64 bits, found {node.value:.40}{'…' * (len(node.value) > 40)}"
            raise BadValue(problem, node.start_mark)
        return value

    def fraction(self, node: yaml.ScalarNode) -> float:
        try:
            return float(self.construct_yaml_float(node))
        except OverflowError:  # in base sixty, as 1:59:59 is
            raise BadValue(f"expected a number, found {node.value:.40}…", node.start_mark) from None

    def text(self, node: yaml.ScalarNode) -> str:
        value = str(self.construct_scalar(node))
        if "\x00" in value or any("\ud800" <= character <= "\udfff" for character in value):
            problem = "expected text, found half of a surrogate pair or a NUL, which no store or model can take"
            raise BadValue(problem, node.start_mark)
        return value


PlainLoader.add_implicit_resolver("tag:yaml.org,2002:float", _EXPONENT, list("-+0123456789"))
PlainLoader.add_constructor("tag:yaml.org,2002:int", PlainLoader.number)
PlainLoader.add_constructor("tag:yaml.org,2002:float", PlainLoader.fraction)
PlainLoader.add_constructor("tag:yaml.org,2002:str", PlainLoader.text)
