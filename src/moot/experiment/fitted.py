"""A learnt rule that a file refers to: what `moot fit` wrote, held against the team that is to decide by it.

What was learnt of one player says nothing of another of the same name: other models, other words to ask them with, or other
players at the table are refused before any call. With the rule come the questions that it was learnt from; like those of a
selection they are in no claim about it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import orjson

from moot.decide.rule_file import FittedRule, RuleContent, RuleSeat, rule_of
from moot.errors import FileError, UsageError
from moot.experiment.plan import player_spec
from moot.experiment.selected import CHOSEN_ON, NOT_CHOSEN, ChosenOn
from moot.experiment.spec import ExperimentFile
from moot.foreign_files import text_of
from moot.foreign_json import read_json
from moot.models.model import OF_A_REQUEST
from moot.pasted import pasted
from moot.prompts import Prompts
from moot.strategies import Strategy, prompts_for
from moot.strategies.alone import alone
from moot.strategies.natives import SINGLE_CALL, Drafts, draft_prompts
from moot.strategies.option_meanings import meanings_named, meanings_of
from moot.strategies.option_values import option_name
from moot.team import Player, Team
from moot.types import Case, digest

UNSAID = f"does not say which questions it was learnt from ({CHOSEN_ON})"
AGAIN = "moot fit FILE -o rule.json learns one anew"
MOST_RULE = 16 * 2**20
"""Bytes of a file. Nearly all of it are the questions that a rule was learnt from: room for more than 400,000."""
_MARK = re.compile(r"[0-9a-f]{32}")


def read_rule(path: Path) -> tuple[RuleContent, ChosenOn]:
    """A rule without the questions that it was learnt from, and these."""
    try:
        content = read_json(text_of(path, MOST_RULE))
    except OSError as error:
        problem = f"cannot be read: {error.strerror or error}; moot fit FILE -o {pasted(path)} writes it"
        raise FileError(problem, file=path) from None
    except ValueError:
        raise FileError("expected what moot fit writes: JSON", file=path) from None
    if not isinstance(content, dict):
        raise FileError("expected what moot fit writes: keys and values", file=path)
    if not content.get(CHOSEN_ON):
        raise FileError(f"{UNSAID}; {AGAIN}", file=path)
    try:
        rule_of(content)
        learnt_on = _marks(content)
    except UsageError as error:
        raise FileError(str(error), file=path) from None
    return RuleContent.made_use_of(content), learnt_on


def rule_named(file: ExperimentFile, strategy: str, options: object) -> tuple[str, Path] | None:
    """The option that names a rule, as it is written, and where the file is; None where none does."""
    if not isinstance(options, Mapping):
        return None
    parts = [name for name, meaning in meanings_named(strategy).items() if meaning.rule]
    for key, value in options.items():
        if str(key).replace("-", "_") in parts and isinstance(value, str):
            return str(key), file.beside(value)
    return None


def with_rule(file: ExperimentFile, strategy: str, options: Mapping[str, Any]) -> Mapping[str, Any]:
    """An option that says so may name a file that `moot fit` wrote: what is in it decides, and not where it is."""
    named = rule_named(file, strategy, options)
    return options if named is None else {**options, named[0]: read_rule(named[1])[0]}


def rule_learnt_on(file: ExperimentFile, position: int, played: Strategy, cases: Iterable[Case]) -> ChosenOn:
    """The questions that the rule of a strategy was learnt from; none where it has none.

    A rule that is given whole, in a file or from Python, says it itself.
    """
    entry = file.spec.strategies[position]
    if isinstance(entry, Mapping) and len(entry) == 1:
        strategy, options = next(iter(entry.items()))
        if (named := rule_named(file, str(strategy), options)) is not None:
            return read_rule(named[1])[1].among(cases)
    held = _content(played)
    if held is None:
        return NOT_CHOSEN
    option, content = held
    try:
        return _marks(content).among(cases)
    except UsageError as error:
        raise file.error(("strategies", position, played.name, option), str(error)) from None


def _marks(content: Mapping[str, Any]) -> ChosenOn:
    marks = content.get(CHOSEN_ON)
    if not marks:
        raise UsageError(f"{UNSAID}; {AGAIN}")
    known = isinstance(marks, list | tuple) and all(isinstance(mark, str) and _MARK.fullmatch(mark) for mark in marks)
    if not known:
        raise UsageError(f"expected what moot fit writes: {CHOSEN_ON}: expected marks of questions, 32 hex digits each")
    return ChosenOn(frozenset(marks))


def _content(played: Strategy) -> tuple[str, Mapping[str, Any]] | None:
    """The option of a strategy that holds a rule, and what it holds."""
    if not is_dataclass(played):
        return None
    meanings = meanings_of(type(played))
    for option in fields(played):
        name = option_name(option.name)
        if meanings[name].rule and (content := getattr(played, option.name)) is not None:
            return name, content
    return None


def fitted_rule(played: Strategy) -> tuple[str, FittedRule] | None:
    """The option of a strategy that holds a rule, and that rule."""
    held = _content(played)
    return None if held is None else (held[0], rule_of(held[1]))


def check_rule_players(file: ExperimentFile, position: int, played: Strategy, teams: Iterable[Team]) -> None:
    """Some team of the file must be the one that the rule is about."""
    fitted = fitted_rule(played)
    if fitted is None:
        return
    option, rule = fitted
    tables = {table.name: [player.name for player in table.players] for team in teams for table in team.tables()}
    if not any(set(names) == set(rule.players) for names in tables.values()):
        there = "; ".join(f"{name} has {', '.join(names)}" for name, names in tables.items())
        problem = f"the rule was learnt of {', '.join(rule.players)}, and no team here is these ({there})"
        raise _refused(file, position, played, option, problem)


def check_rule(file: ExperimentFile, position: int, played: Strategy, lineup: Team, prompts: Prompts) -> None:
    """The same models, asked in the same words."""
    fitted = fitted_rule(played)
    if fitted is None:
        return
    option, rule = fitted
    if (problem := rule_mismatch(rule, lineup, prompts)) is not None:
        raise _refused(file, position, played, option, problem)


def rule_mismatch(rule: FittedRule, lineup: Team, prompts: Prompts) -> str | None:
    """What was otherwise when the rule was learnt of these players; None: nothing."""
    here = {player.name: player for player in lineup.players}
    for seat in rule.seats:
        now = seat_of(here[seat.name])
        if now.model_mark != seat.model_mark:
            return f"the rule was learnt of {seat.name} with another model ({seat.model}), or with other parameters"
        if now.asked_mark != seat.asked_mark:
            return f"the rule was learnt of {seat.name} with another instruction, persona or worked examples"
    if prompts_mark(prompts) != rule.prompts:
        return "the rule was learnt with other prompts, or in another language"
    return None


def _refused(file: ExperimentFile, position: int, played: Strategy, option: str, problem: str) -> FileError:
    return file.error(("strategies", position, played.name, option), f"{problem}; {AGAIN}")


def seat_of(player: Player) -> RuleSeat:
    return seat_of_spec(player_spec(player), player.model.name)


def seat_of_spec(spec: Mapping[str, Any], model: str = "") -> RuleSeat:
    """From what a cell keeps of a player: see `plan.player_spec`."""
    shape = _shape(spec["model"])
    asked = {key: value for key, value in spec.items() if key not in ("name", "model")}
    return RuleSeat(spec["name"], model, digest(shape)[:12], digest(asked)[:12])


def played_mark(spec: str) -> str:
    """Of what a cell is, from what it was made of: whose verdicts are worth the same. Where it is kept and how its seats are
    drawn is no part of it, nor who groups its answers."""
    kept = orjson.loads(spec)
    seats = [[seat.name, seat.model_mark, seat.asked_mark] for seat in map(seat_of_spec, kept["players"])]
    officers = {name: _shape(shape) for name, shape in kept.get("officers", {}).items()}
    alone = len(seats) == 1  # whose captain it might be elsewhere is no matter
    captain = None if alone else kept["captain"]
    others = [kept.get(key) for key in ("language", "prompts", "facts", "extract", "extract_prompt")]
    return digest([kept["strategy"], seats, officers, captain, *others])[:16]


def _shape(shape: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in shape.items() if key not in OF_A_REQUEST}


def prompts_mark(prompts: Prompts, way: Drafts = SINGLE_CALL) -> str:
    native = alone(way)
    assert native is not None, "one of ours drafts so"
    return mark_of_hashes(prompts_for(native, prompts).hashes(_drafted_with(way)), prompts.language, way)


def mark_of_hashes(hashes: Mapping[str, str], language: str, way: Drafts = SINGLE_CALL) -> str:
    """From what a cell keeps of its prompts."""
    return digest([[hashes.get(name) for name in _drafted_with(way)], language])[:12]


def _drafted_with(way: Drafts) -> tuple[str, ...]:
    """The templates that a draft is asked for with."""
    return ("player", "again", *draft_prompts(way))
