"""Who played what: the cells of an experiment as they are on record, and which of them are measured together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict

import orjson

from moot.decide.last_stage import GivenStage, stage_of
from moot.errors import UsageError
from moot.experiment.plan import alone_as
from moot.foreign_json import read_json
from moot.store.same_options import without_surroundings
from moot.strategies.natives import SINGLE_CALL
from moot.strategies.option_meanings import Meaning, Role, meanings_kept, meanings_named
from moot.strategies.option_values import option_json
from moot.strategies.traits import Traits

Row = Mapping[str, Any]
"""A row of the store."""


class PlayedInside(TypedDict):
    """A strategy that another one plays."""

    strategy: str
    options: Mapping[str, Any]
    """All options."""


class Stored(TypedDict):
    """A cell as it is on record: who played what, and what the strategy says of itself."""

    id: str
    strategy: str
    label: str
    team: str | None
    captain: str | None
    player: str | None
    cohort: str | None
    spec: str
    given: Mapping[str, Any]
    """Options that differ from their defaults."""
    options: Mapping[str, Any]
    """All options."""
    traits: Traits
    plays: Sequence[PlayedInside]
    """Strategies that are played inside it, such as in the end."""
    meanings: Mapping[str, Meaning]
    """What the options of somebody else's strategy are for: see `meanings_in`."""


def stored_cell(row: Row) -> Stored:
    """A cell from its row. Options and traits are JSON there."""
    kept = read_json(row["options"] or "{}")
    given_options, default = kept.get("given", {}), kept.get("default", {})
    traits = orjson.loads(row["traits"] or "{}")
    return Stored(
        id=row["id"],
        strategy=row["strategy"],
        label=row["label"],
        team=row["team"],
        captain=row["captain"],
        player=row["player"],
        cohort=row["cohort"],
        spec=row["spec"],
        given=given_options,
        options={**default, **given_options},
        traits=Traits.of_json(traits),
        plays=_plays(traits.get("plays"), given_options),
        meanings=meanings_kept(traits.get("meanings")),
    )


def _plays(stored: object, given: Mapping[str, Any]) -> list[PlayedInside]:
    """As it is on record. What is not as moot writes it is left out, as of all traits."""
    if isinstance(stored, list):
        written = [each for each in stored if isinstance(each, Mapping)]
        return [
            PlayedInside(strategy=each["strategy"], options=each["options"])
            for each in written
            if isinstance(each.get("strategy"), str) and isinstance(each.get("options"), Mapping)
        ]
    return _played_before_plays(given.get("then"))


def _played_before_plays(then: Any) -> list[PlayedInside]:
    """Stores of before have no such record: there a cascade's option is all that tells its last stage. None where the package
    is gone that brings it: what cannot be told from others of its name stands beside nothing."""
    if not isinstance(then, str | Mapping):
        return []
    try:
        stage = stage_of(then if isinstance(then, str) else GivenStage(then), None)
    except UsageError:
        return []
    options = option_json(stage)
    return [PlayedInside(strategy=stage.name, options={**options["default"], **options["given"]})]


def stored_cells(rows: Iterable[Row]) -> list[Stored]:
    """All of an experiment; a player of two teams is alone once, also where it was kept under the captain of each."""
    cells: dict[str | bytes, Stored] = {}
    for row in rows:
        cells.setdefault(alone_as(row["spec"]) if row["player"] else row["id"], stored_cell(row))
    return list(cells.values())


def identity_of(cell: Stored) -> str | bytes:
    """Cells that have one are one team, or one player: alone the same under whichever captain it was kept, what learns whichever
    questions it learnt from, a model whichever others there were beside the one that it was asked, also where it was told of none
    of them, and a team whatever it is called."""
    made_of = without_surroundings(cell["spec"])
    return alone_as(made_of) if cell["player"] else made_of


def meanings_in(cell: Stored) -> Mapping[str, Meaning]:
    """What its options are for, by name: as it was kept with it, else as the strategy of its name declares here."""
    return cell.get("meanings") or meanings_named(cell["strategy"])


def option_of(cell: Stored, role: Role) -> Any:
    """The value of the option that its strategy declares to be for this; None where there is none."""
    meanings = meanings_in(cell)
    return next((cell["options"].get(name) for name, meaning in meanings.items() if meaning.role == role), None)


def has_option(cell: Stored, role: Role) -> bool:
    """Whether its strategy has an option that is for this, whatever its value is."""
    return any(meaning.role == role for meaning in meanings_in(cell).values())


def table_of(cell: Stored) -> str:
    """What may be measured together: a team; a cohort of one, whose players hear nobody else; native answers of one kind.

    Whether it is hangs on the calls of the drafts: see `draft_calls`.
    """
    cohort = f"/{cell['cohort']}" if cell.get("cohort") else ""
    drafts = f" ({unusual_drafts(cell)})" if unusual_drafts(cell) else ""
    return f"{cell['team']}{cohort}{drafts}"


def unusual_drafts(cell: Stored) -> str | None:
    """How native answers were asked for, where it is not in the usual way."""
    kind = cell["traits"].drafts
    return None if kind == SINGLE_CALL else kind


def named_whole(rows: Iterable[Mapping[str, Any]], cells: Iterable[Stored]) -> list[dict[str, Any]]:
    """Rows that go by a label, with the strategy's name beside it: everywhere `strategy` is the name, `label` the name with
    its options."""
    names = {cell["label"]: cell["strategy"] for cell in cells}
    return [{"strategy": names.get(row["label"], row["label"]), **row} for row in rows]


def playing_alone(cells: Iterable[Stored], like: Stored) -> list[Stored]:
    """The cells of players by themselves whose native answers were asked for as many times as in this one."""
    return [cell for cell in cells if cell["player"] is not None and unusual_drafts(cell) == unusual_drafts(like)]
