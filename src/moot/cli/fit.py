"""`moot fit`: learn a rule from the graded drafts that a store holds, and write it down for `learnt: {from: rule.json}`."""

from __future__ import annotations

import asyncio
import json
import shlex
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from sqlalchemy import Connection

from moot import __version__
from moot.cli.outputs import checked_output
from moot.cli.report import open_existing, tell_whose
from moot.cli.safe_text import say
from moot.config.flow import flow
from moot.decide.candidates import Candidates
from moot.decide.drift import Drift
from moot.decide.learning import FOLDS, LearntRule, learn_rule
from moot.decide.rule_file import DIGITS, FittedRule, RuleSeat, rule_content, rule_of
from moot.decide.rules import Leader, Plurality, expected_worth
from moot.decide.studied import Studied, studied
from moot.errors import FileError, UsageError
from moot.experiment.build import build
from moot.experiment.fitted import mark_of_hashes, prompts_mark, read_rule, rule_named, seat_of, seat_of_spec
from moot.experiment.part_of_file import with_other_play
from moot.experiment.selected import CHOSEN_ON, ChosenOn
from moot.experiment.spec import ExperimentFile, read_experiment
from moot.foreign_files import text_of
from moot.foreign_json import read_json
from moot.measures.graded_drafts import GradedDrafts, graded_drafts
from moot.measures.source import Source, Stored
from moot.models.closest import closest
from moot.report.wanted_plan import FoundPlan, WantedPlan
from moot.stats.clusters import clustered
from moot.stats.counted_words import count
from moot.stats.estimates import estimate, estimate_row
from moot.store import queries
from moot.store.examined import opened_to_read
from moot.strategies import baseline
from moot.team import Team
from moot.types import Estimate

MISSING = 0.5
"""Who said nothing to so many of the questions is told of."""


@dataclass(frozen=True, slots=True)
class FittedTeam:
    """Whom a rule is learnt of, as the file has them now."""

    name: str
    seats: tuple[RuleSeat, ...]
    prompts: str

    @property
    def players(self) -> tuple[str, ...]:
        return tuple(seat.name for seat in self.seats)

    def recognised(self) -> Callable[[Stored, str], bool]:
        """Whether a player of a stored cell is one of these: the same model, asked in the same words."""
        seats = {seat.name: (seat.model_mark, seat.asked_mark) for seat in self.seats}

        @cache
        def there(spec: str) -> frozenset[str]:
            kept = orjson.loads(spec)
            if mark_of_hashes(kept["prompts"], kept["language"]) != self.prompts:
                return frozenset()
            stored = map(seat_of_spec, kept["players"])
            return frozenset(seat.name for seat in stored if seats.get(seat.name) == (seat.model_mark, seat.asked_mark))

        return lambda cell, player: player in there(cell["spec"])


def fit_command(path: Path, output: Path, *, served: bool, team: str | None, store: str | None) -> int:
    if str(output) == "-":
        raise UsageError("-o: expected the name of a file, such as rule.json; what is learnt is told on stdout already")
    file = read_experiment(path, with_questions=False)
    output = checked_output(output, [path], store, replaceable=_is_rule)
    if output.exists() and not _is_rule(output):
        raise UsageError(f"-o: {output} is there already and is no rule; expected another name")
    table, served = _team(file, team), served or file.spec.questions is None
    before = _rule_before(file, table) if served else None
    drafts, origin = asyncio.run(_drafts(path, store, table, served=served))
    if (why := drafts.why_unfair()) is not None:
        raise UsageError(f"nothing is learnt: {why}")
    taught = studied(drafts.lessons, table.players)
    try:
        learnt = learn_rule(taught.candidates, taught.units)
    except UsageError as error:
        raise UsageError(f"nothing is learnt: {error}") from None
    figures = _figures(learnt, drafts, taught)
    notes = [*_notes(learnt, drafts, taught), *origin["notes"]]
    told: dict[str, Any] = {
        "figures": {name: _rounded(estimate_row(figure)) for name, figure in figures.items()},
        "ahead": _rounded({"value": learnt.ahead, "standard_error": learnt.error}),
        "notes": notes,
        "learnt_from": {"experiment": origin["name"], "team": table.name, "questions": learnt.questions},
        "moot": __version__,
        "made": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }
    drift = None if before is None else _drift(*before, drafts)
    if drift is not None:
        told["drift"] = {"of": str(before[0]) if before else "", **_drift_row(drift)}
    chosen = sorted({drafts.cases[place].question.wording for place in learnt.settled})
    accuracy = taught.candidates.accuracy.tolist()
    content = rule_content(learnt, table.seats, table.prompts, accuracy=accuracy, told=told)
    kept_before = _kept_before(output)
    _write(output, {**content, CHOSEN_ON: chosen})
    for line in _shown(content, learnt, figures, notes, drift):
        say(line)
    for line in _next(file, output, learnt):
        say(line)
    if kept_before is not None:
        say(f"The rule that stood there is kept: {kept_before}")
    return 0


def _team(file: ExperimentFile, wanted: str | None) -> FittedTeam:
    """The team that the rule is for, built as it is now: nobody is asked."""
    unheard: dict[str, Any] = {"questions": None, "grouping": None, "judge": None, "extract": None}
    plan = build(with_other_play(file, strategies=[baseline()], **unheard), asked=False)
    tables = {_table_name(table): table for declared in plan.teams.values() for table in declared.tables()}
    if wanted is None and len(tables) > 1:
        raise UsageError(f"{file.path} has several teams; expected --team with one of {', '.join(tables)}")
    name = next(iter(tables)) if wanted is None else wanted
    if name not in tables:
        expected = f"expected one of {', '.join(tables)}{closest(name, tables)}"
        raise UsageError(f"--team: {file.path} has no team {name!r}; {expected}")
    players = tables[name].players
    if len(players) < 2:
        raise UsageError(f"team {name!r} has one player; expected two or more, whose answers a rule decides between")
    return FittedTeam(name, tuple(map(seat_of, players)), prompts_mark(tables[name].prompts))


def _table_name(table: Team) -> str:
    return table.name if table.cohort is None else f"{table.name}/{table.cohort}"


async def _drafts(
    path: Path, url: str | None, table: FittedTeam, *, served: bool
) -> tuple[GradedDrafts, Mapping[str, Any]]:
    store, wanted = open_existing(path, url, served=served)
    async with opened_to_read(store):
        drafts, origin, found = await store.read(partial(_read, wanted=wanted, table=table, served=served))
    tell_whose(found)
    return drafts, origin


def _read(
    connection: Connection, wanted: WantedPlan, table: FittedTeam, served: bool
) -> tuple[GradedDrafts, Mapping[str, Any], FoundPlan]:
    found = wanted.found(connection)
    name = found.plan["name"]
    plans = queries.experiments_named(connection, name) if served else [found.plan]
    sources = [Source(connection, plan) for plan in plans]
    drafts = graded_drafts(sources, table.players, table.recognised())
    if not drafts.lessons and not drafts.not_heard:
        raise UsageError(_why_none(sources, table, drafts.not_asked, served=served))
    notes = []
    if any(source.cut_short for source in sources):
        notes.append("the run is not over, and of what it has begun the slowest is missing, which is more often wrong")
    return drafts, {"name": name, "notes": notes}, found


def _why_none(sources: Sequence[Source], table: FittedTeam, left_out: int, *, served: bool) -> str:
    known = table.recognised()
    cells = [cell for source in sources for cell in source.cells if any(known(cell, name) for name in table.players)]
    named = f"{', '.join(table.players)} of team {table.name!r}"
    if not cells:
        return f"nothing is learnt: the store has no drafts of {named} with these models and prompts; play them first"
    if left_out:
        words = count(left_out, "question", "questions")
        return f"nothing is learnt: no question has been put to all of {named}, and {words} to some; run it to its end"
    what = "feedback on what was served: POST /v1/feedback" if served else "references, or grades: moot grade FILE"
    return f"nothing is learnt: of no draft of {named} it is known whether it is right; expected {what}"


def _rule_before(file: ExperimentFile, table: FittedTeam) -> tuple[Path, FittedRule, ChosenOn] | None:
    """The rule that the file decides by now, where it is one of this team."""
    for entry in file.spec.strategies:
        strategy, options = (entry, None) if isinstance(entry, str) else next(iter(entry.items()))
        named = rule_named(file, strategy, options)
        if named is None or not named[1].exists():
            continue
        content, learnt_on = read_rule(named[1])
        rule = rule_of(content)
        here = {seat.name: (seat.model_mark, seat.asked_mark) for seat in table.seats}
        if here == {seat.name: (seat.model_mark, seat.asked_mark) for seat in rule.seats}:
            return named[1], rule, learnt_on
        say(f"moot: {named[1]} is of other players or models, so that no drift can be told", file=sys.stderr)
    return None


def _drift(path: Path, rule: FittedRule, learnt_on: ChosenOn, drafts: GradedDrafts) -> Drift | None:
    taught = studied(drafts.lessons, rule.players)
    newer = [
        place for place in np.flatnonzero(taught.candidates.settled) if drafts.cases[place].question not in learnt_on
    ]
    if not newer:
        say(f"moot: no question is newer than {path}, so that no drift can be told", file=sys.stderr)
        return None
    places = np.array(newer, dtype=np.intp)
    values = expected_worth(rule.kept_rule.rule, taught.candidates.graded(places))
    now = _estimate(places.tolist(), values.tolist(), taught)
    return None if rule.expected is None else Drift(now, rule.expected)


def _rounded(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: round(value, DIGITS) if isinstance(value, float) else value for key, value in row.items()}


def _drift_row(drift: Drift) -> dict[str, Any]:
    gap = drift.difference
    ends = {"difference": gap.value, "difference_low": gap.low, "difference_high": gap.high}
    return _rounded({**estimate_row(drift.now), "before": drift.before.value, **ends})


def _figures(learnt: LearntRule, drafts: GradedDrafts, taught: Studied) -> dict[str, Estimate]:
    places = learnt.settled.tolist()
    return {name: _estimate(places, values.tolist(), taught) for name, values in learnt.tried.items()}


def _estimate(places: Sequence[int], values: Sequence[float], taught: Studied) -> Estimate:
    with clustered({str(place): taught.units[place] for place in places}):
        found = estimate({str(place): value for place, value in zip(places, values, strict=True)})
    assert found is not None, "there are questions"
    return found


def _notes(learnt: LearntRule, drafts: GradedDrafts, taught: Studied) -> Iterator[str]:
    """What is odd about what it was learnt from, in words."""
    known = taught.candidates.graded(learnt.settled)
    if learnt.left_out:
        yield f"{count(learnt.left_out, 'question is', 'questions are')} left out: which answer is right is not known"
    if drafts.not_heard:
        words = count(drafts.not_heard, "question is", "questions are")
        yield f"{words} left out: not everybody was waited for"
    if drafts.not_asked:
        yield f"{count(drafts.not_asked, 'question is', 'questions are')} left out: not everybody has been asked yet"
    if drafts.by_words:
        words = count(drafts.by_words, "question was", "questions were")
        yield f"the answers to {words} grouped by their words alone"
    yield from _odd_players(known)


def _odd_players(known: Candidates) -> Iterator[str]:
    spoke = known.spoke.sum(axis=0)
    if (known.given.sum(axis=1) <= 1).all() and (spoke == len(known)).all():
        yield "all said the same to every question: no rule makes a difference, and nobody's weight can be told"
    for name, right, times in zip(known.players, known.accuracy, spoke, strict=True):
        if right >= 1.0:
            yield f"{name} was right on all {len(known):,}: nobody can be better, and how sure that is hangs on how many they are"
        if times <= MISSING * len(known):
            silent = len(known) - int(times)
            yield f"{name} said nothing to {silent:,} of {len(known):,}: its weight is made of the others"


def _shown(
    content: Mapping[str, Any],
    learnt: LearntRule,
    figures: Mapping[str, Estimate],
    notes: Sequence[str],
    drift: Drift | None,
) -> Iterator[str]:
    yield f"{learnt.kept} is kept: {learnt.rule.words()}."
    yield f"Right on questions it was not learnt from ({learnt.questions:,} in {FOLDS} parts):"
    for name, figure in figures.items():
        yield f"  {name:<12} {_told(figure)}"
    yield f"{'; '.join(content['words'])}."
    yield f"{learnt.words().capitalize()}."
    for note in notes:
        yield f"Note: {note}."
    if drift is not None:
        gap = drift.difference
        ends = "" if gap.low is None or gap.high is None else f" ({100 * gap.low:+.1f} to {100 * gap.high:+.1f})"
        yield f"Drift: the rule until now is right on {_told(drift.now)} of {drift.now.n:,} newer questions;"
        yield f"  when it was learnt {_told(drift.before)}: {100 * gap.value:+.1f} points{ends}, {drift.words()}."


def _told(figure: Estimate) -> str:
    ends = "" if figure.low is None or figure.high is None else f" ({100 * figure.low:.1f}–{100 * figure.high:.1f})"
    return f"{100 * figure.value:.1f} %{ends}"


def _next(file: ExperimentFile, output: Path, learnt: LearntRule) -> Iterator[str]:
    try:
        beside = str(output.resolve().relative_to(file.path.resolve().parent))
    except ValueError:
        beside = str(output.resolve())
    if _decides_by(file, output):
        yield f"Written: {output}, which {file.path.name} decides by already; its figures leave these questions out."
    else:
        yield f"Written: {output}. In the file, whose figures leave these questions out:"
        yield f"  strategies: {flow([{'learnt': {'from': beside}}])}"
    yield from _cheaper(learnt)
    yield f"Then: moot serve {shlex.quote(str(file.path))}"


def _cheaper(learnt: LearntRule) -> Iterator[str]:
    """Where no weights were kept something simpler says the same, and asks less: whoever serves pays for every question."""
    match learnt.rule:
        case Leader(player=player):
            yield f"Cheaper: {player} alone says the same in one call, but where {player} is silent. Served as solo@{player}:"
            yield f"  strategies: {flow(['solo'])}"
        case Plurality():
            yield "Cheaper: a vote says the same, and when served it does not wait for who cannot change it:"
            yield f"  strategies: {flow(['vote'])}"


def _decides_by(file: ExperimentFile, output: Path) -> bool:
    entries = (next(iter(entry.items())) for entry in file.spec.strategies if not isinstance(entry, str))
    named = (rule_named(file, strategy, options) for strategy, options in entries)
    return any(rule is not None and rule[1].resolve() == output.resolve() for rule in named)


def _is_rule(path: Path) -> bool:
    """Also of an older form, or a newer: whatever is learnt anew."""
    try:
        content = read_json(text_of(path))
    except (OSError, ValueError, FileError):
        return False
    return isinstance(content, dict) and "form" in content


def _kept_before(output: Path) -> Path | None:
    """The rule until now, under another name: with it its figures, and the questions that it was learnt from."""
    if not output.exists():
        return None
    kept = output.with_name(f"{output.name}.before")
    checked_output(kept, replaceable=_is_rule)
    try:
        shutil.copyfile(output, kept)
    except OSError as error:
        raise FileError(f"cannot be written: {error.strerror or error}", file=kept) from None
    return kept


def _write(output: Path, content: Mapping[str, Any]) -> None:
    """Beside and moved: a server may begin at any moment."""
    unfinished = output.with_name(f"{output.name}.part")
    try:
        unfinished.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        unfinished.replace(output)
    except OSError as error:
        raise FileError(f"cannot be written: {error.strerror or error}", file=output) from None
    finally:
        unfinished.unlink(missing_ok=True)
