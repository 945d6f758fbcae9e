"""Objects in place of names: strategies, models, questions, a grader and a format that exist in Python only.

An experiment that is built in code may hold them where a file has names. They are taken out here, and what stays in
their place is what a file would say, so the plan, the store and the report see the same either way: a strategy is its
name and options, a model is its shape, questions are their digests. No object is ever stored.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel

from moot.data.case import read_case
from moot.data.formats import Format
from moot.data.questions_spec import SOURCES
from moot.data.references_seen import ReferencesSeen
from moot.errors import FileError, UsageError
from moot.experiment.model_specs import ObjectSpec
from moot.experiment.spec_parts import options_alone
from moot.grade.graders import register as register_grader
from moot.models.answerable import check_model_object, shape_in_json
from moot.models.model import Model
from moot.plugins import PluginBroke, name_problem, place_of, problem_with_object
from moot.strategies import STRATEGIES, Strategy, with_inside
from moot.strategies import strategy as built_strategy
from moot.strategies.option_meanings import meanings_named
from moot.strategies.option_values import ABSTAIN, OptionError, checked_object, option_json, option_name
from moot.types import LETTERS, Case, Question, Request, canonical_json, digest


@dataclass(frozen=True, slots=True)
class Objects:
    """What was given as an object, by the name or the entry that stands for it."""

    strategies: Mapping[str, Strategy] = field(default_factory=dict)
    models: Mapping[str, Model] = field(default_factory=dict)
    cases: tuple[Case, ...] = ()
    format: Format | None = None

    def strategy(self, entry: str | Mapping[str, Mapping[str, Any] | None]) -> Strategy | None:
        """The strategy that an entry of `strategies` stands for, if it was given as an object."""
        return self.strategies.get(_entry_key(entry))


NO_OBJECTS = Objects()

_IN_A_FILE = (str, Mapping, bool, int, float, list, tuple, BaseModel, type(None))
"""What a file may have, or has been read from one: no object of somebody's, and a mistake if it is in the wrong place."""


def taken_apart(keys: Mapping[str, Any]) -> tuple[dict[str, Any], Objects]:
    """Keys as a file could have them, and the objects that stood among them."""
    plain = {key: _plain(value) for key, value in keys.items() if key not in _TAKERS}
    objects: dict[str, Any] = {}
    for key in _TAKERS:
        if key in keys:
            plain[key], taken = _TAKERS[key](keys[key], keys)
            objects |= taken
    return plain, Objects(**objects)


def _plain(value: Any) -> Any:
    """A tuple is a list and a path is a text, as in a file."""
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def _entry_key(entry: str | Mapping[str, Mapping[str, Any] | None]) -> str:
    options: Mapping[str, Any] | None
    name, options = (entry, {}) if isinstance(entry, str) else next(iter(entry.items()))
    return canonical_json([name, options_alone(options or {})]).decode()


def _strategies(entries: Any, keys: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    if not isinstance(entries, list | tuple):
        return _plain(entries), {}
    plain: list[Any] = []
    objects: dict[str, Strategy] = {}
    played: list[Strategy] = []
    for position, entry in enumerate(entries):
        key = ("strategies", position)
        given, abstain = _given(entry, key)
        if isinstance(given, _IN_A_FILE):
            plain.append(_plain(entry))
            continue
        strategy, written = _checked_strategy(given, key)
        plain.append(written if abstain is None else _abstaining(written, abstain.value))
        every = _played_within(strategy)
        if not all(map(STRATEGIES.is_registered, every)):
            for each in every:
                check_other_class(each, played, key)
            played += every
            objects[_entry_key(written)] = strategy
    names = {strategy.name for strategy in objects.values() if not STRATEGIES.is_registered(strategy)}
    for position, (entry, written) in enumerate(zip(entries, plain, strict=True)):
        if isinstance(written, str | Mapping) and isinstance(
            _given(entry, ("strategies", position)).played, _IN_A_FILE
        ):
            _check_entry(written, ("strategies", position), names)
    return plain, {"strategies": objects}


def _played_within(strategy: Strategy) -> list[Strategy]:
    """It and what it plays inside. What is wrong with its traits is said when the plan is made."""
    try:
        return list(with_inside(strategy))
    except UsageError:
        return [strategy]


class _Beside(NamedTuple):
    """What is written under `abstain`, be it nothing."""

    value: Any


class _Given(NamedTuple):
    """One entry of `strategies`: an object, or what a file could have, and what was written beside an object."""

    played: Any
    abstain: _Beside | None = None


def _given(entry: Any, key: tuple[str | int, ...]) -> _Given:
    """``{"strategy": Mine(), "abstain": {"below": 0.9}}`` is an object that may abstain, and ``{"cascade": {"then": Mine()}}``
    one of ours with another inside."""
    if not isinstance(entry, Mapping):
        return _Given(entry)
    beside = _Beside(entry[ABSTAIN]) if ABSTAIN in entry else None
    if not isinstance(strategy := entry.get("strategy"), _IN_A_FILE):
        if others := [name for name in entry if name not in ("strategy", ABSTAIN)]:
            made = f"{type(strategy).__name__}({others[0]}=...)"
            problem = f"{others[0]!r} stands beside an object, whose options are its own"
            raise FileError(f"{problem}; expected {made}, and {ABSTAIN} alone beside it", key=".".join(map(str, key)))
        return _Given(strategy, beside)
    named = [(name, options) for name, options in entry.items() if name != ABSTAIN]
    if len(named) != 1 or not isinstance(named[0][1], Mapping):
        return _Given(entry)
    ((name, options),) = named
    inside = {option: value for option, value in options.items() if isinstance(value, Strategy)}
    if not inside or (beside is not None and ABSTAIN in options):
        return _Given(entry)
    if ABSTAIN in options:
        beside = _Beside(options[ABSTAIN])
    return _Given(_with_objects(name, options_alone(options), inside, key), beside)


def _with_objects(name: str, options: Mapping[str, Any], inside: Mapping[str, Any], key: tuple[str | int, ...]) -> Any:
    """The strategy of this name, some of whose options are strategies themselves."""
    where = ".".join(map(str, key))
    try:
        around = built_strategy(name, {option: value for option, value in options.items() if option not in inside})
        by_option = {option_name(each.name): each.name for each in fields(around)}  # type: ignore[arg-type]
        unknown = [option for option in inside if str(option).replace("-", "_") not in by_option]
        if unknown:
            return built_strategy(name, {unknown[0]: None})
        values = {by_option[option.replace("-", "_")]: value for option, value in inside.items()}
        return replace(around, **values)  # type: ignore[type-var]
    except OptionError as error:
        place = f"{where}.{name}.{error.option}" if error.option is not None else where
        raise FileError(error.problem, key=place) from None
    except (UsageError, ValueError, TypeError) as error:
        raise FileError(str(error), key=f"{where}.{name}") from None


def _abstaining(written: str | dict[str, dict[str, Any]], abstain: Any) -> dict[str, dict[str, Any]]:
    name, options = (written, {}) if isinstance(written, str) else next(iter(written.items()))
    return {name: {**options, ABSTAIN: _plain(abstain)}}


def _check_entry(entry: Any, key: tuple[str | int, ...], given: Collection[str]) -> None:
    """A name with options, as a file has it. What has another form is refused with the rest of the keys.

    Options that are read from a file are checked when it is: `given` are the names of strategies that are objects.
    """
    if isinstance(entry, Mapping) and len(entry) != 1:
        return
    name, options = (entry, {}) if isinstance(entry, str) else next(iter(entry.items()))
    if not isinstance(name, str) or not isinstance(options, Mapping | None) or name in given:
        return
    where = ".".join(map(str, key))
    try:
        meanings = meanings_named(name)
        written = {str(option).replace("-", "_"): value for option, value in (options or {}).items()}
        if not any(isinstance(written.get(option), str) and meaning.selection for option, meaning in meanings.items()):
            built_strategy(name, options_alone(options or {}))
    except OptionError as error:
        place = f"{where}.{name}.{error.option}" if error.option is not None else where
        raise FileError(error.problem, key=place) from None
    except UsageError as error:
        raise FileError(str(error), key=where) from None


def check_other_class(strategy: Strategy, earlier: Iterable[Strategy], key: tuple[str | int, ...]) -> None:
    """Two classes of one name would be one entry, and one of them would not be played."""
    for other in earlier:
        if other.name == strategy.name and type(other) is not type(strategy):
            problem = f"{strategy.name!r} is the name of {place_of(type(other))} already, and only one of them would be played"
            raise FileError(f"{problem}; expected another name", key=".".join(map(str, key)))


def _checked_strategy(strategy: Any, key: tuple[str | int, ...]) -> tuple[Strategy, str | dict[str, dict[str, Any]]]:
    """The strategy, and what a file would say of it: its name, and the options that differ from their defaults."""
    where = ".".join(map(str, key))
    problem = problem_with_object(strategy, "strategy", methods=("lineups", "play"))
    if problem is None and not is_dataclass(strategy):
        problem = f"{type(strategy).__name__} is no dataclass; expected one, whose fields are the strategy's options"
    if problem is not None:
        raise FileError(problem, key=where)
    if (wrong := name_problem(strategy.name)) is not None:
        raise FileError(f"{type(strategy).__name__}: {wrong}", key=where)
    if (other := STRATEGIES.other_of_its_name(strategy)) is not None:
        problem = f"{strategy.name!r} is the name of {other} already, and results of the two would be mixed"
        raise FileError(f"{problem}; expected another name", key=where)
    try:
        checked = checked_object(strategy)
    except OptionError as error:
        place = f"{where}.{strategy.name}.{error.option}" if error.option is not None else where
        raise FileError(error.problem, key=place) from None
    options = option_json(checked)["given"]
    return checked, {strategy.name: options} if options else strategy.name


def _models(models: Any, keys: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    if not isinstance(models, Mapping):
        return models, {}
    plain: dict[str, Any] = {}
    objects: dict[str, Model] = {}
    for name, model in models.items():
        if isinstance(model, _IN_A_FILE):
            plain[name] = _plain(model)
            continue
        where = f"models.{name}"
        methods = ("shape", "generate", "close")
        if (problem := problem_with_object(model, "model", values=("name", "price"), methods=methods)) is not None:
            raise FileError(problem, key=where)
        if model.name != name:
            raise FileError(f"the model calls itself {model.name!r}; expected the same name", key=where)
        try:
            shape = shape_in_json(model, Request(()))
            check_model_object(model)
        except PluginBroke as error:
            raise FileError(str(error), key=where) from None
        plain[name] = ObjectSpec(provider="object", shape=dict(shape))
        objects[name] = model
    return plain, {"models": objects}


def _rows_of_frame(questions: Iterable[Any]) -> Iterable[Any]:
    """The rows of a data frame of pandas or polars, without the cells in which there is nothing; anything else as it is.

    Neither library is needed for that. Iterated, a frame would give the names of its columns.
    """
    if callable(rows := getattr(questions, "to_dicts", None)):
        return [{name: cell for name, cell in row.items() if cell is not None} for row in rows()]
    if callable(rows := getattr(questions, "to_dict", None)) and hasattr(questions, "columns"):
        return [{name: cell for name, cell in row.items() if not _is_nothing(cell)} for row in rows("records")]
    return questions


def _is_nothing(cell: Any) -> bool:
    """None, or what pandas writes where there is nothing: it is like nothing else, not even like itself."""
    return cell is None or (isinstance(cell, float) and cell != cell) or type(cell).__name__ in ("NAType", "NaTType")


def _numbered(questions: list[Any]) -> list[Any]:
    """By their rows, as those of a file are, where none of them has an id."""
    rows = [item for item in questions if isinstance(item, Mapping) and not any(key in item for key in SOURCES)]
    if len(rows) < len(questions) or any("id" in item for item in rows):
        return questions
    return [{"id": str(number), **item} for number, item in enumerate(rows, start=1)]


def _lettered(questions: list[Any]) -> list[Any]:
    """Right choices by their letters, where all of them are written as the text of one: a frame has no key that would say so."""
    rows = [item for item in questions if isinstance(item, Mapping) and _choices(item)]
    by_letter = all(str(row.get("answer", "")).strip().upper() in _letters(row) for row in rows)
    if not rows or by_letter or any(_choices(row).count(row.get("answer")) != 1 for row in rows):
        return questions
    return [
        {**item, "answer": LETTERS[_choices(item).index(item["answer"])]}
        if isinstance(item, Mapping) and _choices(item)
        else item
        for item in questions
    ]


def _choices(row: Mapping[str, Any]) -> list[Any]:
    """Also of a frame, whose cells may hold an array."""
    choices: Any = row.get("choices")
    choices = choices.tolist() if hasattr(choices, "tolist") else choices
    return list(choices) if isinstance(choices, list | tuple) and len(choices) <= len(LETTERS) else []


def _letters(row: Mapping[str, Any]) -> list[str]:
    return list(LETTERS[: len(_choices(row))])


def _answered(questions: list[Any]) -> list[Any]:
    """With references as they are answered, as those of a file are; a frame's cells may hold arrays."""
    rows = [_with_lists(item) if isinstance(item, Mapping) else item for item in questions]
    seen = ReferencesSeen(ours=True, has_cells=False)
    for number, row in enumerate(rows, start=1):
        if isinstance(row, Mapping):
            seen.see(number, row)
    if (doubt := seen.doubt) is not None and doubt.line is not None:
        problem = f"{doubt.brief or doubt.problem}; here lines are rows, and {_SAID_BY_META}"
        raise FileError(problem, key=f"questions.{doubt.line - 1}.answer")
    return [seen.form.read(row) if isinstance(row, Mapping) else row for row in rows]


_SAID_BY_META = '"meta": {"reference": "as-written"} in a row takes its reference as it stands'


def _with_lists(row: Mapping[str, Any]) -> Mapping[str, Any]:
    answer: Any = row.get("answer")
    return {**row, "answer": answer.tolist()} if hasattr(answer, "tolist") else row


def _questions(questions: Any, keys: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    if isinstance(questions, Mapping):
        written = questions.get("format")
        if not isinstance(written, _IN_A_FILE):
            if (
                problem := problem_with_object(written, "format", values=("name", "columns"), methods=["cases"])
            ) is not None:
                raise FileError(problem, key="questions.format")
            return _plain({**questions, "format": written.name}), {"format": written}
        return _plain(questions), {}
    if questions is None or isinstance(questions, str) or not isinstance(questions, Iterable):
        return questions, {}
    questions = _numbered(list(_rows_of_frame(questions)))
    if questions and all(isinstance(item, Mapping) and any(key in item for key in SOURCES) for item in questions):
        return _plain(questions), {}
    questions = _answered(_lettered(questions))
    language = keys.get("language", "en")
    cases = tuple(_case(item, position, str(language)) for position, item in enumerate(questions))
    _check_ids(cases)
    return {"given": len(cases), "digest": digest([case.digest for case in cases])}, {"cases": cases}


def _case(item: Any, position: int, language: str) -> Case:
    if isinstance(item, Case):
        return item
    if isinstance(item, Question):
        return Case(item, None, known=False)
    where = f"questions.{position}"
    if not isinstance(item, Mapping):
        problem = f"expected a Case, a Question or keys such as id, text and answer, found {type(item).__name__}"
        raise FileError(problem, key=where)
    try:
        return read_case(item, file="", line=0, language=language)
    except FileError as error:
        raise FileError(error.problem, key=f"{where}.{error.key}" if error.key else where) from None


def _check_ids(cases: Sequence[Case]) -> None:
    if not cases:
        raise FileError("expected at least one question, found none", key="questions")
    first_seen: dict[str, int] = {}
    for position, case in enumerate(cases):
        earlier = first_seen.setdefault(case.question.id, position)
        if earlier != position:
            problem = f"{case.question.id!r} is the question of questions.{earlier} already"
            raise FileError(problem, key=f"questions.{position}.id")


def _grader(grader: Any, keys: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    if grader is None or isinstance(grader, str):
        return grader, {}
    try:
        register_grader(grader)
    except UsageError as error:
        raise FileError(str(error), key="grader") from None
    return grader.name, {}


_TAKERS = {"strategies": _strategies, "models": _models, "questions": _questions, "grader": _grader}
