"""A package of somebody else's: one thing of every kind that can be plugged in."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

from annotated_types import Ge

from moot import Case, Model, Question, Reply, Request, Score, ScriptedModel, Team, Traits, Verdict
from moot.ballots import Ballot, Tally
from moot.data.logs.log import LogEntry, LoggedReply, QuestionInLog
from moot.data.published import Published
from moot.errors import FileError
from moot.measures.section import Column, Section
from moot.measures.source import Source
from moot.models.model import messages_json
from moot.needs import Needs
from moot.types import FREE, Price


@dataclass(frozen=True, slots=True)
class First:
    """The first player who has an answer."""

    skip: Annotated[int, Ge(0)] = 0

    name: ClassVar[str] = "first"
    traits: ClassVar[Traits] = Traits(prompts=("draft",), drafts="single-call", word="player", asks="nobody")

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return (team,)

    async def play(self, question: Question, team: Team) -> Verdict:
        drafts = await team.drafts(question)
        absent = tuple(draft.player for draft in drafts if draft.text is None)
        for draft in drafts[self.skip :]:
            if draft.text is not None:
                return Verdict(draft.text, "answered", draft.reasoning, (draft.player,), drafts, absent=absent)
        return Verdict(None, "unanswered", answers=drafts, absent=absent, cause="nobody said anything")


@dataclass(frozen=True)
class Parrot:
    """A model whose options are the fields of a dataclass."""

    name: str
    word: str
    times: int = 1
    price: Price = FREE

    def shape(self, request: Request) -> Mapping[str, Any]:
        return {"provider": "parrot", "word": self.word, "times": self.times, "messages": messages_json(request)}

    async def generate(self, request: Request) -> Reply:
        return Reply(json.dumps({"reasoning": "squawk", "answer": " ".join([self.word] * self.times)}), cost_usd=0.0)

    async def close(self) -> None:
        pass


def echo(name: str, *, answer: str, upper: bool = False) -> Model:
    """A model whose options are the typed parameters of a function."""
    word = answer.upper() if upper else answer
    return ScriptedModel(name, lambda request: {"reasoning": "echo", "answer": word})


@dataclass(frozen=True, slots=True)
class Prefix:
    """Right is what begins as the reference does; an answer with a question mark is left to the judges."""

    name: ClassVar[str] = "prefix"

    async def grade(self, case: Case, verdict: Verdict) -> Score:
        answer, reference = (verdict.answer or "").casefold(), (case.answer or "").casefold()
        if "?" in answer:
            return Score(None, "ungraded", "it asks")
        return Score(float(answer[:2] == reference[:2]), "prefix")


@dataclass(frozen=True, slots=True)
class Dictator:
    """Whatever the first voter wants."""

    name: ClassVar[str] = "dictator"

    def problem(self, ballot: Mapping[int, float], options: int) -> str | None:
        return None if len(ballot) == 1 and all(0 <= option < options for option in ballot) else "expected one option"

    def count(self, ballots: Sequence[Ballot], options: int) -> Tally:
        fitting = [ballot for ballot in ballots if ballot is not None and self.problem(ballot, options) is None]
        winners = tuple(fitting[0]) if fitting else ()
        points = tuple(float(option in winners) for option in range(options))
        return Tally(points, winners, len(ballots) - len(fitting), len(ballots))


@dataclass(frozen=True, slots=True)
class Pairs:
    """A published set of rows with `q` and `a`."""

    name: ClassVar[str] = "pairs"
    columns: ClassVar[tuple[str, ...]] = ()

    def cases(self, row: Published) -> Iterable[Mapping[str, Any]]:
        yield {"id": f"pair-{row.line}", "text": row.needed("q"), "answer": row.needed("a")}


class Minutes:
    """Logs of lines such as ``ann: Capital of France? Paris``."""

    name: ClassVar[str] = "minutes"
    endings: ClassVar[tuple[str, ...]] = (".txt",)

    def read(self, files: Sequence[Path]) -> Iterable[LogEntry]:
        for path in files:
            for number, line in enumerate(path.read_text(errors="replace").splitlines(), start=1):
                who, colon, rest = line.partition(": ")
                asked, mark, said = rest.partition("? ")
                if not colon or not mark:
                    raise FileError("expected WHO: QUESTION? ANSWER", file=path, line=number)
                yield LoggedReply(who, QuestionInLog(asked, f"{asked}?", answer="Paris"), path, number, text=said)


@dataclass(frozen=True, slots=True)
class Parroted:
    """How many episodes there are on record."""

    name: ClassVar[str] = "parroted"
    needs: ClassVar[Needs] = Needs()

    def figures(self, run: Source) -> dict[str, Any]:
        return {"parroted": sum(1 for cell in run.cells for _ in run.seen(cell))}

    def sections(self, figures: Mapping[str, Any]) -> Iterator[Section]:
        row = {"episodes": figures.get("parroted")}
        yield Section("parroted", "How much was said", (), (Column("episodes", "episodes"),), [row])
