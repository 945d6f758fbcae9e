"""Long answers that are compared two by two: who compares them, with what, and what is refused before anybody is asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from moot.data import Dataset
from moot.experiment.baseline import baseline_cell, matchups, plays_alone
from moot.experiment.providers import BuiltModel, model_named
from moot.experiment.side_names import ClaimError
from moot.experiment.spec import ExperimentFile
from moot.grade.prefer import Comparing
from moot.team import Player, Team
from moot.types import TEXT

if TYPE_CHECKING:
    from moot.experiment.plan import Cell

_ALONE = "solo"


def with_players_alone(file: ExperimentFile) -> ExperimentFile:
    """The file with the players alone among its strategies, where texts are compared with theirs."""
    spec, judging = file.spec, file.spec.judge
    named = [entry if isinstance(entry, str) else next(iter(entry), "") for entry in spec.strategies]
    if judging is None or not judging.pairwise or spec.questions is None or _ALONE in named:
        return file
    if spec.baseline is not None and not plays_alone(spec.baseline, list(spec.players)):
        return file
    return ExperimentFile(file.path, spec.model_copy(update={"strategies": [*spec.strategies, _ALONE]}), file.places)


def comparing_of(
    file: ExperimentFile,
    models: Mapping[str, BuiltModel],
    team: Team,
    cells: Sequence[Cell],
    dataset: Dataset | None,
) -> Comparing | None:
    """Who compares, checked; None where nobody does."""
    judging, baseline = file.spec.judge, file.spec.baseline
    if judging is None or not judging.pairwise:
        if baseline is not None:
            problem = (
                "says what long answers are compared with, and nobody compares them; expected judge: {pairwise: true}"
            )
            raise file.error(("baseline",), problem)
        return None
    _check_judges(file)
    if dataset is not None:
        _check_questions(file, dataset)
        _check_sides(file, [cell.row() for cell in cells])
    judges = [
        Player(name, model_named(file, models, ("judge", "models", position), name))
        for position, name in enumerate(judging.models)
    ]
    return Comparing(team, tuple(judges), baseline)


def judges_who_play(file: ExperimentFile) -> list[str]:
    """Those whose model a player has too, under whichever name."""
    judging = file.spec.judge
    if judging is None or not judging.pairwise:
        return []
    played = {player.model for player in file.spec.players.values()}
    known = [_same_as(file, name) for name in played]
    return [name for name in judging.models if name in played or _same_as(file, name) in known]


def judges_who_play_words(file: ExperimentFile) -> Iterator[str]:
    """Told where it is allowed: who judges its own texts may prefer them."""
    if named := judges_who_play(file):
        plays = "plays too, and compares" if len(named) == 1 else "play too, and compare"
        yield f"judge: {', '.join(named)} {plays} texts that may be its own: read its preferences with that in mind"


def _same_as(file: ExperimentFile, name: str) -> Any:
    """What tells a model from others, whatever it is called in the file; its name, where nothing else does."""
    spec = file.spec.models.get(name)
    model = getattr(spec, "model", None)
    if spec is None or not isinstance(model, str):
        return name
    return (spec.provider, getattr(spec, "base_url", None), getattr(spec, "file", None), model)


def _check_judges(file: ExperimentFile) -> None:
    judging = file.spec.judge
    assert judging is not None, "there are judges"
    if judging.players is None and (named := judges_who_play(file)):
        key = ("judge", "models", judging.models.index(named[0]))
        why = f"{named[0]!r} is a player's model too, and would compare texts that may be its own"
        raise file.error(key, f"{why}; expected a model that nobody plays with, or players: allowed beside it")


def _check_questions(file: ExperimentFile, dataset: Dataset) -> None:
    if TEXT not in dataset.kinds:
        raise file.error(("judge", "pairwise"), "only long answers are compared, and no question is of kind text")


def _check_sides(file: ExperimentFile, rows: Sequence[Mapping[str, Any]]) -> None:
    baseline = file.spec.baseline
    try:
        if baseline is not None:
            baseline_cell(baseline, rows)
        pairs = matchups(rows, baseline)
    except ClaimError as error:
        raise file.error(("baseline",), str(error)) from None
    if not pairs:
        why = "there is nothing to compare: no team plays" if baseline is None else "no other team plays"
        raise file.error(("judge", "pairwise"), f"{why}; expected a strategy of a team, such as council or talkative")
