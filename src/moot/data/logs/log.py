"""What a log of an evaluation holds, whichever tool wrote it: replies to questions, and the tool's own word on them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Protocol

from moot.models.recorded import NOT_COUNTED
from moot.pasted import pasted
from moot.types import REFUSALS, Usage

NOTHING_FOUND = ""
"""As the answer of a reply: the tool looked for one, and found none."""

NO_REFERENCE = "no reference is taken"
"""In a remark: why nothing is known to be right in a task."""

_OPTION, _KEY = "--metric ", "metric: "
_MODELS = "--models "


def by_metric(name: str = "NAME") -> str:
    """In a remark: how to say by which metric replies are right, as whoever imports logs types it."""
    return f"{_OPTION}{pasted(name)}"


def by_models(names: str = "NAME,NAME") -> str:
    """In a remark: how to say which columns of a table are models, as whoever imports it types it."""
    return f"{_MODELS}{pasted(names)}"


def in_a_file(remark: str) -> str:
    """The same for whoever names the logs in an experiment file, where it is a key or has to be said before."""
    return remark.replace(_OPTION, _KEY).replace(_MODELS, f"moot import csv with {_MODELS}")


@dataclass(frozen=True, slots=True)
class QuestionInLog:
    """As it stands in one log. `task`: what set it is of, where the tool names one; ids are unique within a task."""

    id: str
    text: str
    """Without words nobody can be asked it: it is left out, and told."""
    choices: tuple[str, ...] = ()
    answer: str | None = None
    """The reference, to choices a letter; None: the log has none."""
    accepted: tuple[str, ...] = ()
    context: str | None = None
    category: str | None = None
    task: str = ""
    compared: tuple[str, ...] = ()
    """What the tool compares in the place of a reference, where that is no more than a part of it."""

    @property
    def name(self) -> str:
        """The id that no question of another task has."""
        return f"{self.task}/{self.id}" if self.task else self.id


@dataclass(frozen=True, slots=True)
class LoggedReply:
    """What one model said to one question, once."""

    model: str
    question: QuestionInLog
    file: Path
    line: int | None = None
    text: str | None = None
    """The raw reply; None: there is none, or the tool keeps none."""
    answer: str | None = None
    """What the tool took from it; None: it takes nothing, so that we read the reply."""
    sample: int = 0
    worth: float | None = None
    """The tool's verdict, from 0 to 1; None: it has none."""
    usage: Usage = NOT_COUNTED
    cost_usd: float | None = None
    """0 is taken as unknown, since tools write it where they know no price, unless it is"""
    free: bool = False
    """by something else that the log says."""
    seconds: float | None = None
    problem: str | None = None
    """Why there is no reply."""
    finish: str = "stop"
    """How the reply ended, in the provider's words: a refusal has a text, and is no answer."""
    together: tuple[str, ...] = ()
    """Which of `tokens` and `seconds` the log has of all replies to one request together: they cannot be divided among them."""

    @property
    def refused(self) -> bool:
        return self.finish in REFUSALS

    @property
    def failed(self) -> bool:
        """Whether there is neither a reply nor a word on one: the call brought nothing."""
        return self.text is None and not self.answer and (self.problem is not None or self.worth is None)


@dataclass(frozen=True, slots=True)
class LoggedFigure:
    """What a log says of a model as a whole."""

    model: str
    task: str
    metric: str
    value: float
    of_more: bool = False
    """Whether it is of questions too on which no reply is read, so that no verdicts on these replies need to come to it."""


@dataclass(frozen=True, slots=True)
class LogRemark:
    """What whoever reads the figures should know of the log, in one line."""

    words: str
    task: str | None = None
    """Of which task, where it is of one: whoever wants another is not told."""
    unreferenced: frozenset[str] = frozenset()
    """The questions that it says are without a reference, so that nobody says it of them again."""


LogEntry = LoggedReply | LoggedFigure | LogRemark


class LogFormat(Protocol):
    name: ClassVar[str]
    endings: ClassVar[tuple[str, ...]]
    """Of the files that are read of a folder."""

    def read(self, files: Sequence[Path]) -> Iterable[LogEntry]:
        """All that these files say, which may belong together. `FileError`: what is wrong with one of them, and where."""
