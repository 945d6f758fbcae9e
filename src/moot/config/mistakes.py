"""What a validator found, in our words: the key as it stands in the file, what was expected, what was found."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, Tag, ValidationError
from pydantic.fields import FieldInfo

from moot.config.key_lines import KeyPath
from moot.config.type_words import either, told
from moot.models.closest import closest

_WORDS: Mapping[str, str] = {
    "string_type": "expected a text",
    "int_type": "expected a whole number",
    "int_from_float": "expected a whole number",
    "int_parsing": "expected a whole number",
    "int_parsing_size": "expected a number that is not so large",
    "float_type": "expected a number",
    "float_parsing": "expected a number",
    "finite_number": "expected a finite number",
    "bool_type": "expected true or false",
    "bool_parsing": "expected true or false",
    "dict_type": "expected keys and values",
    "model_type": "expected keys and values",
    "model_attributes_type": "expected keys and values",
    "list_type": "expected a list",
    "tuple_type": "expected a list",
    "path_type": "expected a path",
    "greater_than_equal": "expected {ge} or more",
    "none_required": "expected nothing",
    "dataclass_type": "expected keys and values",
    "mapping_type": "expected keys and values",
    "greater_than": "expected more than {gt}",
    "less_than_equal": "expected {le} or less",
    "less_than": "expected less than {lt}",
    "string_too_short": "expected a text that is not empty",
    "string_too_long": "expected at most {max_length} characters",
    "string_pattern_mismatch": "expected letters, digits and . : _ - only",
}
_KINDS: Mapping[object, str] = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}


@dataclass(frozen=True, slots=True)
class Mistake:
    key: KeyPath
    problem: str


@dataclass(frozen=True, slots=True)
class Meant:
    """Beside the pattern of a field: in words, what is expected there."""

    words: str


def mistakes(form: type[BaseModel], error: ValidationError) -> list[Mistake]:
    """All of them, unknown keys first: a misspelt key is often why another one is missing."""
    problems = sorted(error.errors(include_url=False), key=lambda problem: problem["type"] != "extra_forbidden")
    return [mistake(form, problem) for problem in problems]


def mistake(form: type[BaseModel], detail: Any) -> Mistake:
    """One of them, as the validator lists it."""
    kind, context, value = detail["type"], detail.get("ctx", {}), detail.get("input")
    about_key = kind.startswith("string_") and detail["loc"][-1:] == ("[key]",)
    place = _walk(form, detail["loc"][:-1] if about_key else detail["loc"])
    if kind == "extra_forbidden":
        keys = list(place.owner.model_fields)
        name = place.key[-1]
        called = getattr(place.owner, "called_elsewhere", {}).get(name)
        hint = f"; did you mean {called!r}?" if called is not None else closest(name, keys)
        if (instead := getattr(place.owner, "written_otherwise", {}).get(name)) is not None:
            return Mistake(place.key, instead(value))
        if (below := getattr(place.owner, "stands_below", {}).get(name)) is not None:
            return Mistake(place.key, f"goes under {below}: {below}: {{{name}: {_in_yaml(value)}}}")
        return Mistake(place.key, f"unknown key; expected one of {', '.join(keys)}{hint}")
    if kind == "missing":
        return Mistake(place.key, f"Field required; expected {_expectation(place.owner, place.key[-1])}")
    if kind == "union_tag_not_found":
        tag = context["discriminator"].strip("'")
        return Mistake((*place.key, tag), f"Field required; expected {either(place.tags)}")
    if kind == "union_tag_invalid":
        tag, name = context["discriminator"].strip("'"), context["tag"]
        problem = f"{told(name)} is unknown; expected {either(place.tags)}{closest(name, place.tags)}"
        return Mistake((*place.key, tag), problem)
    if kind == "literal_error":
        words = context["expected"].replace("'", "").replace(" or ", ", ").split(", ")
        return Mistake(place.key, f"expected {either(words)}, found {told(value)}{closest(value, words)}")
    if kind == "too_short":
        return Mistake(
            place.key, f"expected at least {context['min_length']}, found {context['actual_length'] or 'none'}"
        )
    if kind == "too_long":
        return Mistake(place.key, f"expected at most {context['max_length']:,}, found more")
    if kind == "string_pattern_mismatch" and (words := _meant(place.owner.model_fields.get(str(place.key[-1])))):
        return Mistake(place.key, f"expected {words}, found {told(value)}")
    if kind == "value_error":
        return Mistake(place.key, str(context["error"]))
    if kind == "unknown_provider":
        return Mistake((*place.key, "provider"), str(context["problem"]))
    if kind == "invalid_key" or (kind == "string_type" and about_key):
        # The validator knows such a key by another name than the file does, so the complaint is about what is above it.
        return Mistake(place.key[:-1], f"expected texts as keys, found {told(value)}; put it in quotes")
    return Mistake(place.key, f"{_worded(detail)}, found {told(value)}")


def _in_yaml(value: object) -> str:
    return "…" if isinstance(value, Mapping | list | tuple) or value is None else told(value)


def _worded(detail: Any) -> str:
    if (words := _WORDS.get(detail["type"])) is None:
        return str(detail["msg"])
    return words.format(**{name: _number(value) for name, value in detail.get("ctx", {}).items()})


def _meant(field: FieldInfo | None) -> str | None:
    """What a text of a certain pattern is, where its field says so."""
    return next((note.words for note in field.metadata if isinstance(note, Meant)), None) if field is not None else None


def _number(value: object) -> object:
    return f"{value:g}" if isinstance(value, float) else value


def _expectation(owner: type[BaseModel], name: object) -> str:
    field = owner.model_fields.get(str(name))
    if field is None:
        return "a value"
    if words := _meant(field):
        return words
    if field.description:
        return field.description
    if get_origin(field.annotation) is Literal:
        return either(map(str, get_args(field.annotation)))
    kind: object = dict if _is_part(field.annotation) else get_origin(field.annotation) or field.annotation
    return _KINDS.get(kind, "a list" if kind in (list, tuple) else "keys and values")


@dataclass(frozen=True, slots=True)
class _Place:
    """A validator's location in terms of the file."""

    key: KeyPath
    owner: type[BaseModel]
    """The form whose key the last one is."""
    tags: tuple[str, ...]
    """Where a form is chosen by a key, the values that key may have."""


def _walk(form: type[BaseModel], location: KeyPath) -> _Place:
    """Follow a location through the forms; steps that a validator adds (the branch of a union) are not in the file."""
    key: KeyPath = ()
    owner, kind = form, _bare(form)
    for step in location:
        if (branch := _branches(kind).get(str(step))) is not None:
            owner, kind = branch if _is_part(branch) else owner, branch
            continue
        key = (*key, step if isinstance(step, int) and get_origin(kind) in (list, tuple) else str(step))
        if _is_part(kind):
            owner = kind
            field = kind.model_fields.get(str(step))
            kind = _bare(field.annotation) if field is not None else None
        else:
            arguments = get_args(kind)
            kind = _bare(arguments[1 if get_origin(kind) is dict else 0]) if arguments else None
    return _Place(key, owner, tuple(_branches(kind)))


def _is_part(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _bare(kind: Any) -> Any:
    """A type without its annotations and without None; of a form that a word may stand for, the form: it has the keys."""
    while get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    if get_origin(kind) in (Union, types.UnionType):
        left = [member for member in get_args(kind) if member is not type(None)]
        if len(left) == 1:
            return _bare(left[0])
        forms = [member for member in left if get_origin(member) is not Literal]
        return _bare(forms[0]) if len(forms) == 1 and _is_part(_bare(forms[0])) else kind
    return kind


def _notes(kind: Any) -> tuple[Any, ...]:
    return get_args(kind)[1:] if get_origin(kind) is Annotated else ()


def _branches(kind: Any) -> dict[str, Any]:
    """The forms of a union by what chooses between them: a tag, or the value of the key with a single possible one."""
    if get_origin(kind) not in (Union, types.UnionType):
        return {}
    if tagged := {note.tag: _bare(part) for part in get_args(kind) for note in _notes(part) if isinstance(note, Tag)}:
        return tagged
    forms = [part for part in map(_bare, get_args(kind)) if _is_part(part)]
    return {
        str(get_args(field.annotation)[0]): form
        for form in forms
        for field in form.model_fields.values()
        if get_origin(field.annotation) is Literal and len(get_args(field.annotation)) == 1
    }
