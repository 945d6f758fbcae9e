"""A rule that a file decides by already: what takes its place must be one that the file can be used with.

A server reads its file when it begins. One that named a target, or a captain, and found a rule that tells nothing of it would not
come up again, long after whoever learnt the rule has gone.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from moot.cli.rule_output import WrittenRule, write_rule
from moot.errors import UsageError
from moot.experiment.build import build
from moot.experiment.fitted import rule_named
from moot.experiment.part_of_file import with_other_play
from moot.experiment.spec import ExperimentFile


def is_used(file: ExperimentFile, rule: Path) -> bool:
    """Whether a strategy of the file, or a team, goes by it."""
    return with_rule_at(file, rule, rule.with_name("another")) != (file.spec.strategies, file.spec.teams)


def refuse_unusable(file: ExperimentFile, output: Path, rule: WrittenRule) -> None:
    """Where the file can be used with the rule that stands there, and could not with this one."""
    if not output.exists() or not is_used(file, output) or _why_unusable(file) is not None:
        return
    with tempfile.TemporaryDirectory(prefix="moot-") as folder:
        tried = Path(folder) / "rule.json"
        write_rule(tried, rule)
        strategies, teams = with_rule_at(file, output, tried)
        why = _why_unusable(with_other_play(file, strategies=strategies, teams=teams))
    if why is not None:
        raise UsageError(f"{output} is not written: {file.path.name} could be used no longer: {why}")


def with_rule_at(file: ExperimentFile, rule: Path, other: Path) -> tuple[list[Any], dict[str, Any]]:
    """The strategies and the teams of the file, were this rule at another place."""
    return [_at(file, entry, rule, other) for entry in file.spec.strategies], {
        name: team.model_copy(update={"rule": str(other)})
        if team.rule is not None and _is(file.beside(team.rule), rule)
        else team
        for name, team in file.spec.teams.items()
    }


def _at(file: ExperimentFile, entry: str | Mapping[str, Any], rule: Path, other: Path) -> str | Mapping[str, Any]:
    if isinstance(entry, str):
        return entry
    strategy, options = next(iter(entry.items()))
    named = rule_named(file, strategy, options)
    return {strategy: {**options, named[0]: str(other)}} if named is not None and _is(named[1], rule) else entry


def _is(one: Path, other: Path) -> bool:
    return one.resolve() == other.resolve()


def _why_unusable(file: ExperimentFile) -> str | None:
    """As it is asked one question at a time, which is how a rule is used; None: it can be."""
    try:
        build(with_other_play(file, questions=None), asked=False)
    except UsageError as error:
        return str(error)
    return None
