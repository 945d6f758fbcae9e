"""What kind of question a served team is asked: that of its file's questions, on which it was measured."""

from __future__ import annotations

from collections.abc import Callable

from moot.errors import MootError
from moot.experiment.questions import questions_of
from moot.experiment.spec import ExperimentFile
from moot.types import QuestionKind

OTHERWISE: QuestionKind = "open"


def kind_of_file(file: ExperimentFile, warn: Callable[[str], None]) -> QuestionKind:
    """The one kind that all questions of the file are of; open where there are none, or of several kinds.

    A team is often served where its questions are not: `warn` is told so, and it is served all the same.
    """
    if file.spec.questions is None:
        return OTHERWISE
    try:
        kinds = {case.question.kind for case in questions_of(file)}
    except (MootError, ImportError, OSError) as error:
        words = str(error).partition("\n")[0]
        warn(f"the questions of {file.path} cannot be read here, so those that are asked are taken as open: {words}")
        return OTHERWISE
    return kinds.pop() if len(kinds) == 1 else OTHERWISE
