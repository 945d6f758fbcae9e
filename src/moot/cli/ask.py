"""`moot ask`: one question, one team, watched live. The answer comes last; into a file or a pipe it goes alone."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from rich.live import Live

from moot.cli.ask_log import Keeping, Log, earlier_question
from moot.cli.console import Console
from moot.cli.piped_question import piped_question
from moot.cli.safe_text import print_json, say, say_as_it_is
from moot.cli.watched import Watched, chance_of
from moot.data.documents import parts_in_words, shown_files
from moot.engine.cashbook import Cashbook
from moot.engine.chain import chain, limiters
from moot.engine.stopping import land
from moot.engine.trial_play import try_out
from moot.errors import BudgetReached, FileError, UsageError
from moot.experiment.build import build
from moot.experiment.embedded_team import NAME as EMBEDDED_TEAM
from moot.experiment.embedded_team import embedded_few
from moot.experiment.learning import askable, refuse_learners
from moot.experiment.long_answers import free_model, groups_by_meaning, long_answer_problem
from moot.experiment.part_of_file import with_other_play
from moot.experiment.plan import Cell, Plan
from moot.experiment.side_names import ClaimError, cells_named, parse_side
from moot.experiment.spec import ExperimentFile, read_experiment
from moot.live.asked_question import question_of
from moot.live.asked_with import AskedWith
from moot.live.file_kind import kind_of_file
from moot.live.offer import left_out_words
from moot.live.question_log import LoggedQuestion, Utterance, log_file
from moot.live.served import asked_name
from moot.live.served_names import learners_named
from moot.models.flights import Flights
from moot.models.local import LocalModel
from moot.pasted import pasted
from moot.store.calls import ExperimentCalls
from moot.store.sqlite import SqliteStore
from moot.strategies import strategy as strategy_named
from moot.types import Question, QuestionKind, Verdict

USUALLY = ("talkative", "vote")
"""What one question is played by where the file declares no primary, the first of them that it has."""
STDIN = "-"
SHORT = 30
"""Characters of an answer that surely stand whole in a cell of the table."""


EMBEDDED_TAKES = (
    "moot: three players of a small model inside moot read some 200 tokens each, which may take half a minute on a slow"
    " or busy machine; --team FILE asks others"
)
"""Said where nobody sees the table fill up."""


@dataclass(frozen=True, slots=True)
class AskOptions:
    """How a question is put: to whom, and after what."""

    team: Path | None = None
    strategy: str | None = None
    choices: tuple[str, ...] = ()
    every: bool = False
    last: bool = False
    """Go on from the last question,"""
    after: str | None = None
    """or from the one with this id."""
    log: bool = True
    kind: QuestionKind | None = None
    """What kind of answer is wanted; None: what the file's questions say, else a short one."""
    files: tuple[Path, ...] = ()
    """Documents that the question is about."""

    def going_on_from(self, earlier: LoggedQuestion) -> AskOptions:
        """The same team and strategy, unless others are named. Another file has strategies of its own."""
        put = earlier.asked_with
        if put is None:
            return self
        file = Path(put["team"]) if put.get("team") else None
        if self.team is not None and (file is None or self.team.resolve() != file.resolve()):
            return self
        strategy = put.get("strategy") if self.strategy is None and not self.every else self.strategy
        return replace(self, team=self.team or file, strategy=strategy)


def one_question(words: Sequence[str], team: Path | None) -> str:
    """What is asked. Most commands take the file first; whoever does so here is told how this one takes it.

    Without a word it is what comes by a pipe. At a terminal nobody would know that they are waited for.
    """
    if not words:
        if sys.stdin is not None and not sys.stdin.isatty():
            return STDIN
        behind = f" --team {pasted(team)}" if team is not None else ""
        raise UsageError(f'expected a question: moot ask "…"{behind}, or - in its place to type it here')
    files = [word for word in words if Path(word).suffix in (".yaml", ".yml") and len(word.split()) == 1]
    if files and team is None:
        asked = " ".join(word for word in words if word not in files) or "…"
        raise UsageError(f'the file goes after --team: moot ask --team {pasted(files[0])} "{asked}"')
    if len(words) > 1:
        behind = f" --team {pasted(team)}" if team is not None else ""
        raise UsageError(f'expected one question, in quotes: moot ask "{" ".join(words)}"{behind}')
    return words[0]


def ask_command(text: str, asked: AskOptions, *, as_json: bool) -> int:
    if asked.every and asked.strategy is not None:
        raise UsageError("--all plays every strategy of the file, --strategy one; expected one of the two")
    if asked.last and asked.after is not None:
        raise UsageError("--continue goes on from the last question, --after from another; expected one of the two")
    earlier, named = None, asked
    if asked.last or asked.after is not None:
        earlier = asyncio.run(earlier_question(asked.team, asked.after))
        asked = asked.going_on_from(earlier)
    team = asked.team
    file = read_experiment(team, with_questions=False) if team else embedded_few(long_answer=asked.kind == "text")
    if named.team is not None and asked.strategy != named.strategy:
        asked = _where_still_played(file, asked)
    said = piped_question() if text == STDIN else text
    kind = asked.kind or (None if asked.choices else _kind_of_others(file))
    question = _about_files(question_of(said, asked.choices, file.spec.language, kind), asked.files)
    if asked.every:
        played = askable(every_strategy(file))
    else:
        played = one_strategy(file, asked.strategy, long_answer=question.is_long)
        refuse_learners(played)
    if asked.every or (asked.strategy is None and file.spec.primary is None):
        _tell_left_out(every_strategy(file))
    _refuse_unplayable(played, question)
    before: list[Utterance] = []
    if earlier is not None:
        before = earlier.talk
        in_talk = played.cells[0].team.prompts.render("chat", messages=before, question=said)
        question = question_of(in_talk, asked.choices, file.spec.language, kind, question.context)
    told = {"asked": said, "before": before} if before else {}
    own = AskedWith(str(asked.team.absolute()) if asked.team else None, asked.strategy)
    keeping = Keeping(file.spec.store is not None, log_file(), asked.log, own, told)
    return asyncio.run(_ask(played, question, as_json=as_json, keeping=keeping, every=asked.every))


def _tell_left_out(whole: Plan) -> None:
    """What nobody is asked by, although the file has it and nobody has named another."""
    if words := left_out_words(learners_named(whole)):
        say(f"moot: {words}", file=sys.stderr)


def _about_files(question: Question, files: Sequence[Path]) -> Question:
    """With what is shown of these documents, which is said: of a long one it is a few passages."""
    if not files:
        return question
    names = [path.name if [each.name for each in files].count(path.name) == 1 else str(path) for path in files]
    if len(set(names)) < len(names):
        raise UsageError("--file: one document is given twice; expected each once")
    shown = shown_files(list(zip(names, files, strict=True)), question, key="--file")
    say(f"moot: shown of {'; '.join(parts_in_words(shown.parts))}", file=sys.stderr)
    if not shown.found:
        say("moot: no passage shares a word with the question; the beginning is shown", file=sys.stderr)
    return question_of(question.text, question.choices, question.language, question.kind, shown.text)


def _kind_of_others(file: ExperimentFile) -> QuestionKind | None:
    """That of the file's questions; None: an open one, as every question is that comes without choices."""
    kind = kind_of_file(file, lambda words: say(f"moot: {words}", file=sys.stderr), fetch=False)
    return kind if kind in ("text", "yes-no") else None


def _refuse_unplayable(plan: Plan, question: Question) -> None:
    for cell in plan.cells if question.is_long else ():
        if (why := _problem(cell, free_model(plan.file, plan.teams))) is not None:
            raise UsageError(why)


def _problem(cell: Cell, free: str | None = None) -> str | None:
    return long_answer_problem(cell.strategy, by_meaning=groups_by_meaning(cell.team), free=free)


def _where_still_played(file: ExperimentFile, asked: AskOptions) -> AskOptions:
    """Whoever names the file goes on with what it says now, be it without the strategy of before."""
    try:
        one_strategy(file, asked.strategy)
    except UsageError as error:
        say(f"moot: {asked.strategy!r} is no longer played there, and the usual is: {error}", file=sys.stderr)
        return replace(asked, strategy=None)
    return asked


def every_strategy(file: ExperimentFile) -> Plan:
    return build(with_other_play(file, questions=None))


def one_strategy(file: ExperimentFile, named: str | None, *, long_answer: bool = False) -> Plan:
    """The plan with what is asked for, or the usual, alone: one line-up of a team, or each player where nobody decides.

    `long_answer`: one is wanted, so that the usual is the usual of those who can give one.
    """
    plan = every_strategy(file)
    if named is not None:
        return _only(*_named(file, plan, named))
    if file.spec.primary is not None:
        return _only(*_named(file, plan, file.spec.primary))
    if "strategies" not in file.spec.model_fields_set and len(plan.players) > 1:
        # The file says nothing of how to decide. A vote takes the same drafts, and ends in an answer.
        plan = build(with_other_play(file, questions=None, strategies=["vote"]))
    if long_answer and (able := tuple(cell for cell in plan.cells if _problem(cell) is None)):
        plan = replace(plan, cells=able)
    names = [cell.strategy.name for cell in plan.cells]
    usual = next((name for name in USUALLY if name in names), names[0])
    return _only(plan, [cell for cell in plan.cells if cell.strategy.name == usual])


def _named(file: ExperimentFile, plan: Plan, named: str) -> tuple[Plan, list[Cell]]:
    """By the name that a report or a served team has for it, or any strategy's without options, be it that the
    file does not play it."""
    try:
        side = parse_side(named)
        if "(" not in side.strategy and side.strategy not in {cell.strategy.name for cell in plan.cells}:
            strategy_named(side.strategy)  # else it is told what is played here, and not what there is
            own = {name: team for name, team in file.spec.teams.items() if name == side.team}
            teams = own or file.spec.teams  # another team may be without a captain, which is no matter here
            plan = build(with_other_play(file, questions=None, strategies=[side.strategy], teams=teams))
            plan = replace(plan, file=with_other_play(plan.file, teams=file.spec.teams))  # by which it is named
        rows = cells_named(named, [cell.row() for cell in plan.cells])
    except ClaimError as error:
        raise UsageError(str(error)) from None
    except FileError as error:
        if not (error.key or "").startswith("strategies.0"):
            raise
        raise UsageError(f"--strategy {named}: {error.problem}") from None  # no line of the file has it
    meant = {row["id"] for row in rows}
    return plan, [cell for cell in plan.cells if cell.id in meant]


def _only(plan: Plan, cells: Sequence[Cell]) -> Plan:
    """A team in its first line-up, as it is served: whoever wants another captain names it."""
    decided = [cell for cell in cells if cell.player is None]
    return replace(plan, cells=tuple(decided[:1] or cells))


async def _ask(experiment: Plan, question: Question, *, as_json: bool, keeping: Keeping, every: bool) -> int:
    for warning in (*experiment.strategy_warnings, *await try_out(experiment)):
        say(f"moot: {warning}", file=sys.stderr)
    store = experiment.store() if keeping.in_its_store else SqliteStore(None)
    await store.open()
    name = asked_name(experiment.name)
    calls = ExperimentCalls(store, name)
    books = Cashbook(experiment, store)
    log = Log(experiment, keeping, store)
    flights = Flights()
    try:
        purse = await books.purse(name, experiment.spec.budget_usd)
        models = chain(experiment.models, limiters(experiment.models), calls, purse, flights=flights)
        cells = experiment.with_models(models).cells
        table = Watched(cells, calls, experiment.spec.teams, partial(_loading, experiment))
        repeat = await log.repeat(question)
        console = Console() if Console().is_terminal else Console(stderr=True)
        watched = console.is_terminal and not as_json
        if watched:
            with Live(get_renderable=table.view, console=console, refresh_per_second=8):
                await table.play(question, repeat)
        else:
            if experiment.file.path.name == EMBEDDED_TEAM:
                say(EMBEDDED_TAKES, file=sys.stderr)
            try:
                await table.play(question, repeat)
            except BudgetReached:
                if table.anybody_heard and not as_json:
                    console.print(table.view())  # they are paid for
                raise
        await log.keep(table)  # before anything is printed: whoever reads may have gone
        if as_json:
            print_json(_json(table, keeping.told.get("asked", question.text), calls))
            return _status(table)
        if not watched:
            console.print(table.view())
        _print_answers(_answers(table, question), every=every)
    finally:
        await land(flights, sys.exception())
        for built in experiment.models.values():
            await built.model.close()
        await books.close()
        await store.close()
    return _status(table)


def _status(table: Watched) -> int:
    return 0 if any(episode.verdict.answer is not None for episode in table.episodes.values()) else 1


def _loading(experiment: Plan) -> bool:
    """Whether weights are on their way into memory, which can take longer than the answer."""
    return any(isinstance(built.model, LocalModel) and built.model.is_loading for built in experiment.models.values())


def _json(table: Watched, question: str, calls: ExperimentCalls) -> Mapping[str, Any]:
    if len(table.episodes) != 1:
        return {**table.json(question, calls), "answer": None}
    (episode,) = table.episodes.values()
    return {**table.json(question, calls), "answer": episode.verdict.answer, **chance_of(episode).json()}


def _answers(table: Watched, question: Question) -> Mapping[str, str]:
    """What each play ended in, by its name."""
    return {table.titles[cell.id]: _words(table.episodes[cell.id].verdict, question) for cell in table.cells}


def _print_answers(answers: Mapping[str, str], *, every: bool) -> None:
    """As they are, with their own line breaks and no others: what is copied or piped on is what was answered.

    In a terminal the table of `--all` is enough where its cells show all that was said.
    """
    terminal = Console().is_terminal
    lines = any("\n" in words for words in answers.values())
    if every and terminal and not lines and all(len(words) <= SHORT for words in answers.values()):
        return
    if terminal and lines:
        say()
    if len(answers) == 1:
        said = "".join(answers.values())
    elif lines:
        said = "\n\n".join(f"{title}:\n{words}" for title, words in answers.items())
    else:
        said = ("\n" if every else "; ").join(f"{title}: {words}" for title, words in answers.items())
    say_as_it_is(said)


def _words(verdict: Verdict, question: Question) -> str:
    if verdict.answer is None:
        return _in_one_line(f"{verdict.outcome}: {verdict.cause}" if verdict.cause else verdict.outcome)
    if question.choices and verdict.answer in tuple(question.letters):
        return _in_one_line(f"{verdict.answer}: {question.choices[question.letters.index(verdict.answer)]}")
    return verdict.answer.strip("\n") if verdict.answer.strip() else verdict.answer


def _in_one_line(words: str) -> str:
    return " ".join(words.split())
