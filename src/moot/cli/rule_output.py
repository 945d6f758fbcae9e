"""Where `moot fit` writes a rule, what of an earlier one is kept, and what to type next."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from moot.cli.outputs import checked_output
from moot.config.flow import flow
from moot.decide.candidates import Candidates
from moot.decide.learning import LearntRule
from moot.decide.promise import Promise
from moot.decide.rules import Leader, Plurality
from moot.errors import FileError, UsageError
from moot.experiment.spec import ExperimentFile
from moot.foreign_files import text_of
from moot.foreign_json import read_json
from moot.pasted import pasted
from moot.whole_files import written_whole

WrittenRule = Mapping[str, Any] | Sequence[Mapping[str, Any]]


def rule_output(output: Path, path: Path, store: str | None) -> Path:
    """The file to write: a new one, or a rule that is learnt anew."""
    if str(output) == "-":
        raise UsageError("-o: expected the name of a file, such as rule.json; what is learnt is told on stdout already")
    output = checked_output(output, [path], store, replaceable=_is_rule)
    if output.exists() and not _is_rule(output):
        raise UsageError(f"-o: {output} is there already and is no rule; expected another name")
    kept = _before(output)
    if kept.is_symlink() or (os.path.lexists(kept) and not _is_rule(kept)):
        raise UsageError(
            f"-o: {kept}, where the rule until now would be kept, is no rule; expected another name for the rule"
        )
    return output


def _before(output: Path) -> Path:
    return output.with_name(f"{output.name}.before")


def _is_rule(path: Path) -> bool:
    """Also of an older form, or a newer: whatever is learnt anew."""
    try:
        content = read_json(text_of(path))
    except (OSError, ValueError, FileError):
        return False
    return isinstance(content, dict) and "form" in content


def keep_rule_before(output: Path, content: WrittenRule) -> Path | None:
    """The rule until now, under another name: with it its figures, and the questions that it was learnt from. One that is the
    same is not: what stands under that name is worth more."""
    if not output.exists() or output.read_bytes() == _written(content):
        return None
    kept = _before(output)
    try:
        with written_whole(kept) as draft:
            shutil.copyfile(output, draft)
    except OSError as error:
        raise FileError(f"cannot be written: {error.strerror or error}", file=kept) from None
    return kept


def _written(content: WrittenRule) -> bytes:
    return (json.dumps(content, ensure_ascii=False, indent=1) + "\n").encode()


def write_rule(output: Path, content: WrittenRule) -> None:
    """Beside and moved: a server may begin at any moment."""
    try:
        with written_whole(output) as draft:
            draft.write_bytes(_written(content))
    except OSError as error:
        raise FileError(f"cannot be written: {error.strerror or error}", file=output) from None


def next_lines(
    file: ExperimentFile,
    output: Path,
    learnt: LearntRule,
    wanted: Sequence[Promise],
    known: Candidates,
    *,
    used: bool,
) -> Iterator[str]:
    """`used`: whether the file goes by this rule already. `wanted`: what was asked to be promised of the rule that was kept. Who
    took a target that cannot be would answer nothing, so the strictest is told that can. `known`: what it was learnt from."""
    kept = max((promise.target for promise in wanted if promise.threshold is not None), default=None)
    try:
        beside = str(output.resolve().relative_to(file.path.resolve().parent))
    except ValueError:
        beside = str(output.resolve())
    if not wanted and used:
        yield f"Written: {output}, which {file.path.name} already uses; its figures leave these questions out."
    else:
        yield f"Written: {output}. To use it (figures will leave these questions out):"
        abstain = {} if kept is None else {"abstain": {"target": kept}}
        yield f"  strategies: {flow([{'learnt': {'from': beside, **abstain}}])}"
    if wanted and kept is None:
        yield "  It never abstains: no such promise can be made, and with that target it would answer nothing."
    if not wanted:  # who wants to abstain needs all of them
        yield from _cheaper(learnt, known)
    yield f"Next: moot serve {pasted(file.path)}"


def _cheaper(learnt: LearntRule, known: Candidates) -> Iterator[str]:
    """Where no weights were kept something simpler says the same, and asks less: whoever serves pays for every question. Of a
    leader who is silent the rule has the others' answer, which it is right by and the leader alone is not."""
    match learnt.rule:
        case Leader(player=player):
            spoke = known.support[:, :, known.players.index(player)].any(axis=1)
            silent = len(known) - int(spoke.sum())
            often = f", as on {silent:,} of {len(known):,} questions" if silent else ""
            alone = f"{player} alone says the same in one call, unless {player} has no answer{often}"
            yield f"Cheaper: {alone}. Served as solo@{player}:"
            yield f"  strategies: {flow(['solo'])}"
        case Plurality():
            yield "Cheaper: a vote says the same, and when served it stops as soon as its result is settled:"
            yield f"  strategies: {flow(['vote'])}"
