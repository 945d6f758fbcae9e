"""What kind of question a team is asked, where whoever asks does not say: that of its file's questions."""

from __future__ import annotations

from collections.abc import Callable, Collection

from moot.errors import MootError
from moot.experiment.questions import questions_of
from moot.experiment.spec import ExperimentFile
from moot.types import QuestionKind

OTHERWISE: QuestionKind = "open"


def kind_of_file(file: ExperimentFile, warn: Callable[[str], None], *, fetch: bool = True) -> QuestionKind:
    """The one kind that all questions of the file are of; open where they are of several kinds."""
    return only_kind(kinds_of_file(file, warn, fetch=fetch))


def kinds_of_file(file: ExperimentFile, warn: Callable[[str], None], *, fetch: bool = True) -> frozenset[QuestionKind]:
    """All kinds that its questions are of. A file without questions may say it by itself.

    A team is often asked where its questions are not: `warn` is told so, and what the file says of them is taken.
    `fetch`: whether questions of the hub are worth waiting for.
    """
    named = file.spec.questions
    if named is None:
        return frozenset({file.spec.asked_kind or OTHERWISE})
    sets = named if isinstance(named, list) else [named]
    said = frozenset(each.kind or OTHERWISE for each in sets)
    if not fetch and any(each.hub is not None for each in sets):
        return said
    try:
        return frozenset(case.question.kind for case in questions_of(file))
    except (MootError, ImportError, OSError) as error:
        words, taken = str(error).partition("\n")[0], only_kind(said)
        warn(f"the questions of {file.path} cannot be read here, so those that are asked are taken as {taken}: {words}")
        return said


def only_kind(kinds: Collection[QuestionKind]) -> QuestionKind:
    """The one that there is; of several the usual one."""
    return next(iter(kinds)) if len(kinds) == 1 else OTHERWISE
