"""A file of which only a part is wanted: without all that plays, or with something else to play.

What it claims of its own experiment, such as hypotheses or the figures of vendors, is about that experiment. It goes with
it, and is not held against whatever is left.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from moot.experiment.spec import ExperimentFile, JudgeSpec

CLAIMED: dict[str, Any] = {"vendors": {}, "primary": None, "hypotheses": []}
"""Keys that say something of what the whole experiment shows, and what they are without it."""
OF_PLAY: dict[str, Any] = {
    "questions": None,
    "rubric": [],
    "players": {},
    "teams": {},
    "strategies": [],
    "grouping": None,
    **CLAIMED,
}
"""Keys that are about who plays what, and what they are without it."""


def without_players(
    file: ExperimentFile, models: Collection[str] = (), *, judge: JudgeSpec | None, reads: bool
) -> ExperimentFile:
    """For those who only read, judge or sum up what is stored: no player is built, so none of their keys and files are needed.

    What stays are these models, these judges, and, where somebody `reads` free replies, whom the file names for that.
    """
    extract = file.spec.extract if reads else None
    officers = {*models, *(judge.models if judge else ()), *(extract.models if extract else ())}
    kept = {name: model for name, model in file.spec.models.items() if name in officers}
    spec = file.spec.model_copy(update={**OF_PLAY, "models": kept, "judge": judge, "extract": extract})
    return ExperimentFile(file.path, spec, file.places, file.whole)


def with_other_play(file: ExperimentFile, **keys: Any) -> ExperimentFile:
    """The same file with other questions or strategies, for a game or a single question."""
    of_its_questions: dict[str, Any] = {"rubric": []} if "questions" in keys else {}
    spec = file.spec.model_copy(update={**CLAIMED, **of_its_questions, **keys})
    return ExperimentFile(file.path, spec, file.places, file.whole)
