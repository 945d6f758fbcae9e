"""`moot advise --buy USD`: what is worth trying is played, as a race, on the questions kept apart.

It is an experiment of its own beside that of the file, in the same store: its plays and calls are kept as those of any run, what
any run has asked already is not paid again, and a second purchase goes on where the first stopped. Its cap is kept in the
store's books, as that of every run.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from moot.advise.advice import Advice
from moot.advise.known import parted_in_two
from moot.advise.staged import STAGES, StagedOption, StagedOptions, named_stage, staged_options
from moot.cli.advise_input import AdviceInput
from moot.cli.advise_next import who_can_be_asked
from moot.cli.advised_team import TEAM
from moot.cli.interrupts import leave_at_once, tell_unfinished
from moot.cli.loop import run_to_end
from moot.cli.progress import watch
from moot.cli.run import EXIT_CODES
from moot.cli.safe_text import say
from moot.data import given_cases
from moot.engine.failed_by import alike_causes
from moot.engine.run_tally import State
from moot.engine.stage_race import IN_A_WAVE, INCUMBENT, StageRace
from moot.engine.stopping import Stopping
from moot.engine.wave_runner import WaveRunner
from moot.errors import UsageError
from moot.estimate.estimate import RunEstimate, estimate
from moot.experiment.build import build
from moot.experiment.plan import Plan
from moot.experiment.providers import check_payable
from moot.experiment.spec import ExperimentFile
from moot.experiment.spec_parts import TeamSpec
from moot.needs import NOTHING_MORE
from moot.stats.counted_words import count
from moot.stats.racing import RACE_ALPHA
from moot.stats.written_numbers import dollars_alike
from moot.store import from_here
from moot.store.ledger import Ledger, open_account
from moot.store.money import bought_account, lost_usd, settled_usd


@dataclass(frozen=True, slots=True)
class Purchase:
    """What was typed."""

    usd: float
    stages: tuple[str, ...] = STAGES

    def __post_init__(self) -> None:
        if not 0 < self.usd < float("inf"):
            raise UsageError(f"--buy: expected more than 0 USD, found {self.usd:g}")
        if not self.stages:
            raise UsageError("--try: expected strategies, such as talkative,peer-review; found none")
        for stage in self.stages:
            try:
                named_stage(stage)
            except UsageError as error:
                raise UsageError(f"--try: {str(error).removeprefix('then: ')}") from None


def purchase_typed(usd: float | None, stages: str | None) -> Purchase | None:
    """None: nothing is bought."""
    if usd is None:
        if stages is not None:
            raise UsageError("--try says what to buy; expected --buy USD with it")
        return None
    if stages is None:
        return Purchase(usd)
    return Purchase(usd, tuple(name.strip() for name in stages.split(",") if name.strip()))


@dataclass(frozen=True, slots=True)
class PlayedNow:
    """What was done by this purchase."""

    state: State
    calls: int
    spent_usd: float
    before_usd: float
    """In earlier purchases for the same file, at the most: what was under way when one was killed may have cost less."""
    lost_usd: float = 0.0
    """Of what was spent now: booked at the most it can be for calls whose reply never came."""
    lost_before_usd: float = 0.0
    """The same of earlier purchases, such as what was under way when one of them was killed."""


NOTHING_PLAYED = PlayedNow("done", 0, 0.0, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Bought:
    """The race as it stands, and what it took."""

    players: tuple[str, ...]
    staged: StagedOptions
    race: StageRace
    names: tuple[str, ...]
    """Of the incumbent, and of those that are paid for."""
    played: PlayedNow
    raced_on: tuple[str, ...]
    """The questions heard, by their marks."""

    @property
    def winner(self) -> int | None:
        """Who is left alone."""
        return self.race.race.left[0] if self.race.race.over else None

    @property
    def to_take(self) -> int:
        """The winner; of several the one that costs nothing more, or else whoever gained most so far."""
        left = self.race.race.left
        return INCUMBENT if INCUMBENT in left else max(left, key=lambda option: self.race.gained[option])

    @property
    def exit_code(self) -> int:
        """Money that went with the last question has stopped nothing."""
        state = self.played.state
        return EXIT_CODES["done" if state == "budget" and self.winner is not None else state]

    @property
    def staged_to_take(self) -> StagedOption | None:
        return None if self.to_take == INCUMBENT else self.staged.options[self.to_take - 1]


def buy(purchase: Purchase, advice: Advice, reading: AdviceInput, store_url: str | None) -> Bought:
    """Plays the race as far as the money goes."""
    taken, file = advice.recommended, reading.file
    assert taken is not None, "there is something to go on from"
    assert file is not None, "looked at before"
    parts = parted_in_two(reading.drafts.units)
    claim = reading.drafts.at(parts.claim)
    askable = who_can_be_asked(file, advice.players)
    try:
        staged = staged_options(advice, reading.drafts.at(parts.search), purchase.stages, askable)
    except UsageError as error:
        raise UsageError(f"{'--buy' if purchase.stages == STAGES else '--try'}: {error}") from None
    unsure, free = staged.unsure(claim)
    # These questions had a say in which point is the incumbent: the race pays for every point that might have been.
    alpha = RACE_ALPHA / len(advice.points)
    race = StageRace(len(staged.options), taken.played.worth, free, unsure, claim.units, file.spec.seed, alpha)
    race.without = claim.without_one_of(range(len(claim.players)))
    plan = _plan(file, staged, advice.players, from_here(store_url) if store_url else None)
    plan = _asked(plan, [reading.digests[parts.claim[place]] for place in race.questions])
    racing = _racing(race, staged, claim.size)
    if race.questions:
        played = run_to_end(_played(plan, race, purchase.usd, racing))
    else:
        say(f"moot: {racing}", file=sys.stderr)
        played = NOTHING_PLAYED
    names = (taken.option.words(advice.players), *(option.name for option in staged.options))
    marks = tuple(reading.questions[parts.claim[place]] for place in race.heard)
    return Bought(advice.players, staged, race, names, played, marks)


def _plan(file: ExperimentFile, staged: StagedOptions, players: Sequence[str], store_url: str | None) -> Plan:
    """The last stages alone, for the team that they are of."""
    names = staged.options[0].at_table(players, file.spec.players)
    spec = file.spec.model_copy(
        update={
            "name": bought_account(file.spec.name),
            "teams": {TEAM: TeamSpec(players=names)},
            "strategies": [option.entry for option in staged.options],
            "hypotheses": [],
            "primary": None,
            "repeats": 1,
            "budget_usd": None,
        }
    )
    plan = build(ExperimentFile(file.path, spec, file.places), store_url=store_url or file.store_url)
    asked = {player.model.name for team in plan.teams.values() for player in team.players}
    asked |= {judge.model.name for judge in plan.grading.judges}
    asked |= set(spec.extract.models if spec.extract is not None else ())
    if spec.grouping is not None and spec.grouping.model is not None:
        asked.add(spec.grouping.model)
    check_payable(file, {name: built for name, built in plan.models.items() if name in asked})
    return plan


def _asked(plan: Plan, digests: Sequence[str]) -> Plan:
    """On these questions, in this order."""
    cases = {case.question.digest: case for case in plan.dataset or ()}
    if gone := [digest for digest in digests if digest not in cases]:
        words = count(len(gone), "question is", "questions are")
        raise UsageError(
            f"{plan.file.path}: {words} in the store and not in the file any more; moot run, then buy again"
        )
    asked = given_cases(tuple(cases[each] for each in digests), language=plan.spec.language)
    return replace(plan, dataset=asked, raced=True)


def _racing(race: StageRace, staged: StagedOptions, questions: int) -> str:
    names = ", ".join(option.name for option in staged.options)
    return (
        f"racing {names} against the recommended option, on {len(race.questions):,} of the {questions:,} held-out"
        f" questions; on the others the answer is sure enough (p ≥ {staged.below:g}) without a call"
    )


async def _played(plan: Plan, race: StageRace, usd: float, racing: str) -> PlayedNow:
    """`racing`: what is raced, in words, which are said when it is known what was paid before."""
    store = plan.store()
    await store.open()
    try:
        # What another purchase holds for calls under way is not counted as before this one: it will settle at less, and the
        # difference would be money that nobody has given.
        await store.run(partial(open_account, experiment=plan.name))  # what the dead held is settled first
        before = await store.run(partial(settled_usd, experiment=plan.name))
        lost_before = await store.run(partial(lost_usd, experiment=plan.name))
        if before:
            spent, anew = dollars_alike(before, usd)
            at_most = ", at most" if lost_before else ""
            words = f"earlier commands have spent {spent} on this{at_most}; this one may spend {anew} anew"
            say(f"moot: {words}", file=sys.stderr)
        say(f"moot: {racing}", file=sys.stderr)
        foretold = await estimate(plan, store, NOTHING_MORE)
        say(f"moot: {_at_most(foretold, usd)}", file=sys.stderr)
        spec = plan.spec.model_copy(update={"budget_usd": before + usd})
        plan = replace(plan, file=ExperimentFile(plan.file.path, spec, plan.file.places))
        runner = WaveRunner(plan, store, race)
        race.affordable = partial(_affordable, runner, _most_usd_a_question(foretold, race))
        with Stopping(runner, tell_unfinished, leave_at_once).listening():
            async with watch(runner.tally, title=plan.name):
                state = await runner.run()
        for alike in alike_causes(runner.tally.causes)[:3]:
            say(f"moot: {alike.times} × {alike.words}", file=sys.stderr)
        made = runner.tally.calls.made if runner.tally.calls is not None else 0
        purse = runner.tally.purse
        paid, lost = (purse.paid_usd, purse.lost_usd) if isinstance(purse, Ledger) else (0.0, 0.0)
        return PlayedNow(state, made, paid, before, lost, lost_before)
    finally:
        await store.close()


def _at_most(foretold: RunEstimate, usd: float) -> str:
    """Before the first call: were nobody put out."""
    most_calls, most_usd = foretold.calls_range.high, foretold.most_usd
    calls = "an unbounded number of calls" if most_calls is None else count(int(np.ceil(most_calls)), "call")
    *most, never = dollars_alike(*([] if most_usd is None else [most_usd]), usd)
    return f"at most {' and '.join([calls, *most])} if no option is eliminated; never more than {never}"


def _most_usd_a_question(foretold: RunEstimate, race: StageRace) -> float:
    """What all options together can cost. Of what is stored already nothing is foretold: then by the dearest call."""
    most = foretold.most_usd or 0.0
    by_call = most / foretold.calls * race.paid if foretold.calls else 0.0
    return max(most / len(race.questions), by_call)


def _affordable(runner: WaveRunner, most_usd_a_question: float) -> int:
    purse = runner.tally.purse
    if purse is None or not most_usd_a_question:
        return IN_A_WAVE
    return int((purse.cap_usd - purse.spent_usd) / most_usd_a_question)
