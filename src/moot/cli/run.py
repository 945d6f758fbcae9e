"""`moot run`: play an experiment, show where it is, and print the table."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.text import Text

from moot.cli.closed_endpoint import line_of, told_with_what_is_kept
from moot.cli.console import Console, print_lines
from moot.cli.exit import INTERRUPTED
from moot.cli.heard import only_played
from moot.cli.interrupts import ends_on_ctrl_c, leave_at_once, tell_unfinished
from moot.cli.loop import run_to_end
from moot.cli.outputs import files_named
from moot.cli.progress import watch
from moot.cli.safe_text import say
from moot.cli.said_once import not_said_yet, say_warnings
from moot.cli.settled import Rerun
from moot.engine.failed_by import AlikeCauses, alike_causes
from moot.engine.preferences import LeftToCompare, left_to_compare
from moot.engine.run_tally import AfterPlay, RunTally, State
from moot.engine.runner import Runner
from moot.engine.stopping import Stopping
from moot.engine.trial_play import try_out
from moot.errors import EndpointClosed, UsageError
from moot.experiment.build import build
from moot.experiment.plan import Plan
from moot.experiment.short_keys import places_in_words
from moot.experiment.spec import read_experiment
from moot.measures import NOT_AT_THE_END, needs
from moot.models.cut_out import CUT_FROM_ANSWER
from moot.pasted import pasted
from moot.report.figures import Figures, figures, find_experiment, headline_of
from moot.report.next_commands import NextCommands
from moot.report.nothing_played import all_failed, next_words, nothing_words
from moot.report.short_ending import short_ending, short_ending_lengths
from moot.stats.counted_words import count, few_names
from moot.store import from_here
from moot.store.as_read import StoreAsRead
from moot.store.store import Store

PROGRESS = " "
"""The line that the progress leaves on the screen."""
MOST_CAUSES = 5
CAUSES_LINES = 2
"""So many causes of failures are told after a run, and below an ending so many lines of them: all words are a section."""
SET_IN = 6
"""So many characters of a cause are lost where a line of it goes on in a second."""
ENGINES = ("local", "ray")
_CUT: dict[State, str] = {"interrupted": "interrupted", "budget": "stopped by its budget"}
"""Runs that ended before their end and go on when they are run again: of what there is nobody wants a page yet."""
_NOT_ASKED: dict[AfterPlay, str] = {
    "grades": "grading was not finished",
    "groups": "putting drafts together that mean the same was not finished",
}
EXIT_CODES: dict[State, int] = {"done": 0, "failed": 1, "budget": 3, "interrupted": INTERRUPTED}


@dataclass(frozen=True, slots=True)
class Engine:
    """Where episodes are played: in this process, or by the workers of a Ray cluster."""

    name: str = "local"
    ray_address: str | None = None
    workers: int | None = None

    def __post_init__(self) -> None:
        if self.name not in ENGINES:
            raise UsageError(f"--engine: {self.name!r} is unknown; expected {' or '.join(ENGINES)}")
        for option, value in (("--ray-address", self.ray_address), ("--workers", self.workers)):
            if self.name != "ray" and value is not None:
                raise UsageError(f"{option} belongs to a Ray cluster; expected --engine ray with it")

    def runner(self, experiment: Plan, store: Store, limit: int | None) -> Runner:
        if self.name == "local":
            return Runner(experiment, store, needs=needs())
        from moot.engine.ray.cluster import RayCluster
        from moot.engine.ray.engine import RayRunner

        for name, model in experiment.spec.models.items():
            if model.provider == "local":
                say(f"moot: every worker loads its own copy of the local model {name!r}", file=sys.stderr)
        return RayRunner(experiment, store, RayCluster(self.ray_address, self.workers), limit=limit, needs=needs())


def run_command(
    path: Path,
    *,
    store: str | None,
    limit: int | None,
    budget_usd: float | None,
    quiet: bool,
    engine: Engine,
    rerun: Rerun | None = None,
) -> int:
    """`rerun`: who remembers, where nothing is left to do, what is told then."""
    file = read_experiment(path).with_budget(budget_usd)
    experiment = build(file, limit=limit, store_url=from_here(store) if store else None)
    following = NextCommands.of(path, store)
    ended = run_to_end(_run(experiment, engine, limit=limit, quiet=quiet, following=following))
    if ended.read is not None and rerun is not None:
        rerun.keep(ended.settled, ended.read, files_named(file))
    elif ended.read is not None:
        ended.read.close()
    return ended.code


@dataclass(frozen=True, slots=True)
class Ended:
    """What a run came to."""

    code: int
    settled: tuple[Sequence[str], ...] = ()
    """What the same command would tell now, where that is nothing but that nothing is left to do: each line in all its
    lengths."""
    read: StoreAsRead | None = None
    """The store that this was read from."""


async def _run(experiment: Plan, engine: Engine, *, limit: int | None, quiet: bool, following: NextCommands) -> Ended:
    tried = say_warnings(await try_out(experiment))
    store = experiment.store()
    runner = engine.runner(experiment, store, limit)
    await store.open()
    with Stopping(runner, tell_unfinished, leave_at_once).listening():  # to the end: what comes twice may come late
        try:
            warned = say_warnings(await not_said_yet(experiment, store))
            async with watch(runner.tally, title=experiment.name, quiet=quiet):
                with only_played():
                    state = await _played(runner)
            if quiet:
                _last_word(runner, state, shown=False, left=await _left_to_ask(runner, state))
                if state != "done" or runner.tally.anything_new:
                    return Ended(EXIT_CODES[state])
                with ends_on_ctrl_c(_kept_words(runner.tally)):
                    told: Figures | None = await _headline(experiment, store)
            else:
                told = await _report(experiment, store, runner, state, following, [*tried, *warned])
                if told is not None:
                    _last_word(runner, state, shown=True)
            if told is None:
                _nothing_played(runner)
                return Ended(EXIT_CODES[state])
            if tried or state != "done" or not _is_settled(runner):
                return Ended(EXIT_CODES[state])
            lines = short_ending_lengths(told, *_nothing_to_do(runner.tally, following))
            return Ended(EXIT_CODES[state], tuple(lines), await StoreAsRead.of(store))
        finally:
            await store.close()


async def _played(runner: Runner) -> State:
    try:
        return await runner.run()
    except EndpointClosed as error:
        raise await told_with_what_is_kept(error, runner) from error


async def _report(
    experiment: Plan, store: Store, runner: Runner, state: State, following: NextCommands, warned: Sequence[str]
) -> Figures | None:
    """What it came to; None: to nothing, and nothing is printed. `warned`: the lines that stand above the progress.

    All of it is kept by now: whoever interrupts this has lost nothing but the sight of it.
    """
    tally, report = runner.tally, f"moot report {following.source}"
    nothing_new = state == "done" and not tally.anything_new
    with ends_on_ctrl_c(_kept_words(tally)):
        if nothing_new or state in _CUT:
            stands = await _headline(experiment, store)
            lines = short_ending(stands, Console().width, *_nothing_to_do(tally, following))
            if not nothing_new:
                goes_on = "a larger budget_usd" if state == "budget" else f"moot run {following.source}"
                after = f"{goes_on} resumes it; {report} shows the results so far"
                left = await _left_to_ask(runner, state)
                if tally.kept == tally.total and not tally.outcomes["failed"] and not left:
                    after = f"nothing is left to play; {report} shows the results"
                lines = short_ending(stands, Console().width, f"{_cut_words(tally, _CUT[state])}{left}", after)
            print_lines(lines)
            return stands
        run_figures = await store.read(
            lambda connection: figures(
                connection, find_experiment(connection, ident=experiment.id), without=NOT_AT_THE_END
            )
        )
        if all_failed(run_figures):
            return None
        from moot.report.ending import height, print_ending  # where nothing was played nobody waits for it

        console = Console()
        above = sum(height(Text(line), console) for line in (*warned, PROGRESS))
        below = sum(height(Text(line), console) for line in _failed_lines(runner, state, console))
        print_ending(run_figures, console, following, above=above, below=below)
    return run_figures


async def _headline(experiment: Plan, store: Store) -> Figures:
    return await store.read(
        lambda connection: headline_of(connection, find_experiment(connection, ident=experiment.id))
    )


def _kept_words(tally: RunTally) -> str:
    return f"interrupted; {tally.kept} of {tally.total} episodes are kept, moot report shows their figures"


async def _left_to_compare(runner: Runner) -> LeftToCompare:
    """Comparisons of what is played that have no word yet."""
    plan = runner.experiment
    return await left_to_compare(runner.store, plan.comparing, plan.id, plan.dataset or ())


async def _left_to_ask(runner: Runner, state: State) -> str:
    """What a run that ended before its end was at though all of it is played, to stand after what is kept; "": nothing."""
    tally = runner.tally
    if state not in _CUT or tally.kept < tally.total:
        return ""
    for stage in tally.to_ask:
        if words := _NOT_ASKED.get(stage) or (await _left_to_compare(runner)).words:
            return f"; {words}"
    return ""


def _nothing_to_do(tally: RunTally, following: NextCommands) -> tuple[str, str]:
    """The first and the last line of that."""
    return _nothing_new_words(tally), f"moot report {following.source} shows more"


def _is_settled(runner: Runner) -> bool:
    """Whether the same run would play, ask and grade nothing, and have nothing more to say. Who was asked after the play and
    gave no usable word is asked again; what a grader of somebody else's says the next time, and what is learnt then, only that
    run can tell."""
    plan, tally = runner.experiment, runner.tally
    if runner.warnings or tally.ungraded or plan.grading.reused or plan.grading.broken:
        return False
    if tally.purse is not None and tally.purse.overbilled:
        return False
    if not tally.anything_new:
        return True
    unanswered = (
        tally.graded is not None and tally.graded.unusable,
        tally.matched is not None and tally.matched.failed,
        tally.compared is not None and tally.compared.without,
    )
    return not any(unanswered) and not plan.grading.asked and not plan.learners


def _nothing_new_words(tally: RunTally) -> str:
    """Where references were changed the figures are others than before: that is said, or nobody would know why."""
    there = f"all {tally.total:,} episodes are done"
    if not tally.ungraded or tally.graded is None:
        return f"nothing to do: {there}"
    anew = f"{count(len(tally.ungraded), 'question')} graded again, since the reference or the grader has changed"
    return f"nothing to play, {there}; {anew} ({count(tally.graded.scores, 'grade')})"


def _cut_words(tally: RunTally, how: str) -> str:
    """How it ended before its end, and what is kept of it: that and what is left to play are all episodes of the plan."""
    failed, left = tally.outcomes["failed"], tally.total - tally.kept
    words = f"{how}: {tally.kept:,} of {tally.total:,} episodes are kept"
    if left:
        words += f", {left:,} {'is' if left == 1 else 'are'} left to play"
    if not failed:
        return words
    which = "which" if failed == left else f"{failed:,} of them"
    return f"{words}; {which} failed, for example: {_plainest(tally) or 'an error'}"


def _nothing_played(runner: Runner) -> None:
    """Three lines: that it came to nothing, why, and what to type next."""
    tally = runner.tally
    say(f"moot: {nothing_words(tally.outcomes['failed'])}", file=sys.stderr)
    say(f"  {_plainest(tally)}", file=sys.stderr)
    say(f"  {next_words(pasted(runner.experiment.file.path))}", file=sys.stderr)


def _plainest(tally: RunTally) -> str:
    """Of one model: a team's cause tells those of all its players."""
    return min((cause.words for cause in tally.causes), key=len, default="")


def _failed_lines(runner: Runner, state: State, console: Console | None) -> list[str]:
    """That episodes failed, by what, and what to type next. Below an ending in a few lines of this console, the most usual
    causes first; else each cause in all its words."""
    if state != "failed":
        return []
    tally, experiment = runner.tally, runner.experiment
    by_judges = tally.graded.causes.most_common() if tally.graded is not None and tally.graded.failed else []
    found = [*alike_causes(tally.causes), *(AlikeCauses(times, words) for words, times in by_judges)]
    shown = found[: MOST_CAUSES if console is None else CAUSES_LINES]
    room = None if console is None else console.width * (CAUSES_LINES // len(shown)) if shown else None
    causes = [_cause_line(alike.times, alike.told, line_of(alike.words, experiment), room) for alike in shown]
    rest = len(found) - len(causes)
    more = f"; {count(rest, 'other cause')} (--section failures)" if rest else ""
    failed = f"{tally.outcomes['failed']} of {tally.total} episodes failed" if tally.outcomes["failed"] else ""
    without = _without_words(tally)
    of = f" of {count(tally.total, 'episode')}" if without and not failed else ""
    told = ", ".join(filter(None, (failed, f"{without}{of}", _no_grade_words(runner))))
    return [
        f"moot: {told}{more}{':' if causes else ''}",
        *causes,
        *([f"  {next_words(pasted(experiment.file.path))}"] if console is not None else []),
    ]


def _without_words(tally: RunTally) -> str:
    """How many episodes have an end, and are played again all the same; "" where there are none."""
    who = few_names(sorted({name for names in tally.unreached for name in names}), room=20)
    return f"{tally.unreached.total():,} went on without {who} (unreachable)" if who else ""


def _no_grade_words(runner: Runner) -> str:
    """How many answers somebody should have graded who did not, and is asked again; "" where there are none."""
    graded = runner.tally.graded
    if graded is None or not graded.failed:
        return ""
    judges = [judging.name for judging in runner.experiment.grading.judges]
    by = f" by the {'judge' if len(judges) == 1 else 'judges'} {few_names(judges, room=20)}" if judges else ""
    have = "has" if graded.failed == 1 else "have"
    return f"{graded.failed:,} of {count(graded.scores, 'answer')} {have} no grade{by}"


def _cause_line(times: int, words: str, where: str, room: int | None) -> str:
    """`where`: the line of the file that it is about, which stays where the rest is cut to fit the room."""
    before = f"  {times} × "
    kept = len(words) if room is None else max(room - len(before) - len(where) - SET_IN, 1)
    return f"{before}{words if len(words) <= kept else words[: kept - 1] + '…'}{where}"


def _cut_out_words(runner: Runner, times: int) -> str:
    """Answers that have no grade since a key was cut out of them, and which keys that may have been."""
    places = places_in_words(runner.experiment.models.values())
    have = "has" if times == 1 else "have"
    which = f" ({places})" if places else ""
    return f"{count(times, 'answer')} {have} no grade: {CUT_FROM_ANSWER}{which}"


def _last_word(runner: Runner, state: State, *, shown: bool, left: str = "") -> None:
    """What the exit code means, in words. `shown`: that it was interrupted stands there already. `left`: what is not asked."""
    tally = runner.tally
    if runner.experiment.grading.reused:
        say(f"moot: {runner.experiment.grading.reused_told}", file=sys.stderr)
    for told in runner.experiment.grading.broken:
        say(f"moot: {told}", file=sys.stderr)
    for warning in runner.warnings:
        say(f"moot: {warning}", file=sys.stderr)
    if cut := max(tally.cut_out, 0 if tally.graded is None else tally.graded.cut):
        say(f"moot: {_cut_out_words(runner, cut)}", file=sys.stderr)
    if state == "interrupted" and not shown:
        kept = f"{tally.kept} of {tally.total} episodes are kept"
        say(f"moot: interrupted; {kept}{left}; run again to resume", file=sys.stderr)
    elif state == "budget":
        say(f"moot: {runner.stopped_by}{left}", file=sys.stderr)
    for line in _failed_lines(runner, state, Console() if shown else None):
        say(line, file=sys.stderr)
    if tally.purse is not None and tally.purse.overbilled and state != "budget":
        say(f"moot: {tally.purse.overcharge_words()}", file=sys.stderr)
