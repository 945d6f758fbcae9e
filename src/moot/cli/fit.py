"""`moot fit`: learn a rule from the graded drafts that a store holds, and write it down for `learnt: {from: rule.json}`."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from moot import __version__
from moot.cli.fit_kinds import TaughtByKind, of_kind, stages_for
from moot.cli.fit_lessons import OTHER_WAYS, FittedTeam, stored_lessons
from moot.cli.fit_told import TellingLessons, ToldByRule
from moot.cli.rule_in_use import is_used, refuse_unusable
from moot.cli.rule_output import keep_rule_before, next_lines, rule_output, write_rule
from moot.cli.safe_text import say
from moot.decide.asking_order import cheapest_first
from moot.decide.candidates import Candidates
from moot.decide.drift import Drift
from moot.decide.kinds_apart import without_kinds
from moot.decide.learning import FOLDS, LearntRule, learn_rule, most_probable
from moot.decide.odd_players import LOOK_AT_KEYS, never_right, odd_players
from moot.decide.rule_figures import mean_of_places, rule_figures
from moot.decide.rule_file import (
    BY_KIND,
    FORM_BY_KIND,
    FittedRule,
    part_content,
    rule_content,
    rule_of,
)
from moot.decide.rules import DIGITS, Plurality, expected_worth, winners
from moot.decide.studied import Studied, studied
from moot.errors import UsageError
from moot.experiment.build import build
from moot.experiment.fitted import (
    prompts_mark,
    read_rule,
    rule_named,
    seat_of,
)
from moot.experiment.model_specs import RecordedSpec
from moot.experiment.part_of_file import with_other_play
from moot.experiment.selected import CHOSEN_ON, ChosenOn
from moot.experiment.spec import ExperimentFile, read_experiment
from moot.measures.graded_drafts import GradedDrafts
from moot.models.closest import closest
from moot.pasted import pasted
from moot.stats.counted_words import count
from moot.stats.estimates import estimate_row
from moot.stats.written_numbers import of_hundred
from moot.strategies import baseline
from moot.team import Team
from moot.types import Estimate


def fit_command(
    path: Path, output: Path, *, served: bool, promises: Sequence[float], team: str | None, store: str | None
) -> int:
    targets = _targets(promises)
    file = read_experiment(path, with_questions=False)
    output = rule_output(output, path, store)
    table, served = _team(file, team), served or file.spec.questions is None
    before = _rule_before(file, table) if served else None
    stored = asyncio.run(stored_lessons(path, store, table, served=served))
    drafts = stored.drafts
    if (why := drafts.why_unfair(f"moot run {pasted(path)}")) is not None:
        raise UsageError(f"nothing is learnt: {why}")
    every = studied(drafts.lessons, table.players)
    taught = studied(every.parted()[0], table.players) if targets else every
    kinds = TaughtByKind.of(taught)
    taught = kinds.taught
    part = f" (of {len(drafts.lessons):,}: for a promise three of five are kept apart)" if targets else ""
    learnt = _learnt(taught, kinds, part)
    figures = rule_figures(learnt, taught.candidates, taught.units, kinds.learner)
    notes = [*_notes(learnt, drafts, taught), *stored.notes, *kinds.notes()]
    learnt_from = {"experiment": stored.name, "team": table.name, "questions": learnt.questions}
    told = told_beside(learnt, figures, notes, learnt_from)
    drift = None if before is None else _drift(*before, drafts)
    if drift is not None:
        told["drift"] = {"of": str(before[0]) if before else "", **_drift_row(drift)}
    used = [taught.lessons[place] for place in learnt.settled]
    accuracy = taught.candidates.accuracy.tolist()
    learnt, known = without_kinds(learnt), taught.candidates.graded(learnt.settled)
    stages = stages_for(replace(known, categories=()), learnt.model, learnt, known, table.cheapest)
    content = rule_content(
        learnt, table.seats, table.prompts, accuracy=accuracy, told=told, stages=stages, kinds=kinds.kinds
    )
    number = {id(lesson): place for place, lesson in enumerate(every.lessons)}
    teaching, kept_apart = ([number[id(lesson)] for lesson in part] for part in (taught.lessons, every.parted()[1]))
    parts = TellingLessons(every, teaching, kept_apart, stored, table, tables_of(file)[table.name], targets)
    found = _told_by_kind(content, kinds, parts, learnt, known, table)
    used += [lesson for other in stored.others for lesson in other.drafts.lessons]
    used += every.parted()[1] if targets else ()
    made = [promise for each in found.values() for promise in each.promises.get(content["kept"], ())]
    rule = {**content, CHOSEN_ON: sorted({lesson.question.wording for lesson in used})}
    refuse_unusable(file, output, rule)
    kept_before = keep_rule_before(output, rule)
    write_rule(output, rule)
    for line in (
        *_shown(content, learnt, figures, (*notes, *_ties(learnt, taught)), drift),
        *(f"{f'{kind}: ' if kinds.apart else ''}{words}" for kind, each in found.items() for words in each.words()),
        *stored.held_back,
        *next_lines(file, output, learnt, made, known, used=is_used(file, output)),
    ):
        say(line)
    if kept_before is not None:
        say(f"The rule that stood there is kept: {kept_before}")
    return 0


def _learnt(taught: Studied, kinds: TaughtByKind, part: str) -> LearntRule:
    """`part`: what of all there is these are, in words."""
    try:
        learnt = learn_rule(taught.candidates, taught.units, learner=kinds.learner)
    except UsageError as error:
        raise UsageError(f"nothing is learnt: {error}{part}") from None
    if (why := never_right(taught.candidates.graded(learnt.settled))) is not None:
        raise UsageError(f"nothing is learnt: {why}: {LOOK_AT_KEYS}")
    return learnt


def _told_by_kind(
    content: dict[str, Any],
    kinds: TaughtByKind,
    parts: TellingLessons,
    learnt: LearntRule,
    known: Candidates,
    table: FittedTeam,
) -> dict[str, ToldByRule]:
    """How sure an answer of each kind of questions is, which goes into `content`: by kind where they were learnt apart."""
    if not kinds.apart:
        (kind,) = kinds.kinds
        alone = parts.told(content, kind)
        content |= alone.content()
        return {kind: alone}
    content |= {"form": FORM_BY_KIND, BY_KIND: {}}
    found: dict[str, ToldByRule] = {}
    for kind in kinds.told():
        of_it, units = kinds.settled_of(kind)
        model = most_probable(of_it, units).model
        own = part_content(model, stages_for(of_it, model, learnt, known, table.cheapest), len(of_it))
        found[kind] = parts.told(of_kind(content, kind, own), kind)
        content[BY_KIND][kind] = {**own, **found[kind].content()}
    return found


def _targets(wanted: Sequence[float]) -> list[float]:
    for target in wanted:
        if not 0 < target < 1:
            raise UsageError(f"--promise: expected a share between 0 and 1, such as 0.95, found {target:g}")
    return sorted(set(wanted))


def tables_of(file: ExperimentFile) -> dict[str, Team]:
    """The tables of a file by name, built as they are now: nobody is asked. What recordings cost is of the file's questions."""
    unheard: dict[str, Any] = {"grouping": None, "judge": None, "extract": None}
    if not any(isinstance(model, RecordedSpec) for model in file.spec.models.values()):
        unheard["questions"] = None
    plan = build(with_other_play(file, strategies=[baseline()], **unheard), asked=False)
    return {_table_name(table): table for declared in plan.teams.values() for table in declared.tables()}


def _team(file: ExperimentFile, wanted: str | None) -> FittedTeam:
    """The team that the rule is for."""
    tables = tables_of(file)
    if wanted is None and len(tables) > 1:
        raise UsageError(f"{file.path} has several teams; expected --team with one of {', '.join(tables)}")
    name = next(iter(tables)) if wanted is None else wanted
    if name not in tables:
        expected = f"expected one of {', '.join(tables)}{closest(name, tables)}"
        raise UsageError(f"--team: {file.path} has no team {name!r}; {expected}")
    players = tables[name].players
    if len(players) < 2:
        raise UsageError(f"team {name!r} has one player; expected two or more, whose answers a rule decides between")
    cheapest = None
    with suppress(UsageError):  # an order that a cascade could not take either
        cheapest = cheapest_first(tables[name])
    prompts = tables[name].prompts
    others = {way: prompts_mark(prompts, way) for way in OTHER_WAYS}
    return FittedTeam(name, tuple(map(seat_of, players)), prompts_mark(prompts), cheapest, others)


def _table_name(table: Team) -> str:
    return table.name if table.cohort is None else f"{table.name}/{table.cohort}"


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
        say(f"moot: {named[1]} was learnt for other players or models, so drift cannot be measured", file=sys.stderr)
    return None


def _drift(path: Path, rule: FittedRule, learnt_on: ChosenOn, drafts: GradedDrafts) -> Drift | None:
    taught = studied(drafts.lessons, rule.players)
    newer = [
        place for place in np.flatnonzero(taught.candidates.settled) if drafts.cases[place].question not in learnt_on
    ]
    if not newer:
        say(f"moot: no question is newer than {path}, so drift cannot be measured", file=sys.stderr)
        return None
    places = np.array(newer, dtype=np.intp)
    known, values = taught.candidates.graded(places), np.zeros(len(places))
    of_kinds = [taught.lessons[place].question.kind for place in places]
    for kind in dict.fromkeys(of_kinds):
        here = np.array([each == kind for each in of_kinds], dtype=np.bool_)
        values[here] = expected_worth(rule.for_kind(kind).kept_rule.rule, known.at(np.flatnonzero(here)))
    now = mean_of_places(places.tolist(), values.tolist(), taught.units)
    return None if rule.expected is None else Drift(now, rule.expected)


def _rounded(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: round(value, DIGITS) if isinstance(value, float) else value for key, value in row.items()}


def _drift_row(drift: Drift) -> dict[str, Any]:
    gap = drift.difference
    ends = {"difference": gap.value, "difference_low": gap.low, "difference_high": gap.high}
    return _rounded({**estimate_row(drift.now), "before": drift.before.value, **ends})


def told_beside(
    learnt: LearntRule, figures: Mapping[str, Estimate], notes: Sequence[str], learnt_from: Mapping[str, Any]
) -> dict[str, Any]:
    """What a file has beside its rule."""
    return {
        "figures": {name: _rounded(estimate_row(figure)) for name, figure in figures.items()},
        "ahead": _rounded({"value": learnt.ahead, "standard_error": learnt.error}),
        "notes": list(notes),
        "learnt_from": dict(learnt_from),
        "moot": __version__,
        "made": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }


def _notes(learnt: LearntRule, drafts: GradedDrafts, taught: Studied) -> Iterator[str]:
    """What is odd about what it was learnt from, in words."""
    known = taught.candidates.graded(learnt.settled)
    if learnt.left_out:
        yield f"{count(learnt.left_out, 'question is', 'questions are')} left out: the right answer is not known"
    if drafts.not_heard:
        words = count(drafts.not_heard, "question is", "questions are")
        yield f"{words} left out: some players were not waited for"
    if drafts.not_asked:
        yield f"{count(drafts.not_asked, 'question is', 'questions are')} left out: some players have not been asked yet"
    yield from (f"{words}. They count as having given no answer there" for words in drafts.unreached_words())
    if drafts.by_words:
        words = count(drafts.by_words, "question was", "questions were")
        yield f"the answers to {words} grouped by wording alone"
    yield from odd_players(known)


def _ties(learnt: LearntRule, taught: Studied) -> Iterator[str]:
    tied = winners(Plurality(), taught.candidates.graded(learnt.settled)).sum(axis=1) > 1
    if tied.any():
        words = count(int(tied.sum()), "question is a tied vote", "questions are tied votes")
        yield f"{words}, here at what a lot comes to; as it is played or served, a tie goes to the answer of a captain who plays"


def _shown(
    content: Mapping[str, Any],
    learnt: LearntRule,
    figures: Mapping[str, Estimate],
    notes: Sequence[str],
    drift: Drift | None,
) -> Iterator[str]:
    yield f"Kept: {learnt.kept} ({learnt.rule.words()})."
    yield f"Accuracy on questions it did not learn from ({learnt.questions:,} in {FOLDS} parts):"
    for name, figure in figures.items():
        yield f"  {name:<12} {_told(figure)}"
    yield f"These chose {learnt.kept}, so its own figure comes from learning and choosing again for each part."
    yield f"{'; '.join(content['words'])}."
    yield f"{learnt.words().capitalize()}."
    for note in notes:
        yield f"Note: {note}."
    if drift is not None:
        gap, ends = drift.difference, ""
        if gap.low is not None and gap.high is not None:
            ends = f" ({of_hundred(gap.low, sign=True)} to {of_hundred(gap.high, sign=True)})"
        yield f"Drift: the current rule is right on {_told(drift.now)} of {drift.now.n:,} newer questions;"
        yield f"  when it was learnt, {_told(drift.before)}: {of_hundred(gap.value, sign=True)} points{ends}, {drift.words()}."


def _told(figure: Estimate) -> str:
    ends = "" if figure.low is None or figure.high is None else f" ({of_hundred(figure.low)}–{of_hundred(figure.high)})"
    return f"{of_hundred(figure.value)} %{ends}"
