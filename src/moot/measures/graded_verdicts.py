"""What strategies made of the drafts that a rule is learnt from, graded: how sure each of them is, is learnt from it.

Only of plays that gave all their answers, and that learnt nothing: what was held back nobody has graded. Nor of plays without
somebody who could not be reached, which are played again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import orjson

from moot.decide.talk_chance import end_of
from moot.measures.episodes import Key, Recorded
from moot.measures.graded_drafts import Fits
from moot.measures.missing_words import missing_words, way_out
from moot.measures.source import Source, Stored
from moot.stats.graded import FEW_WAITING
from moot.strategies.natives import SINGLE_CALL, Drafts
from moot.team.lessons import LessonVerdict
from moot.types import WITH_ANSWER

COPY = ":"
"""Between the name of a player and the number of a copy."""


@dataclass(frozen=True, slots=True)
class PlayedVerdicts:
    """Of one strategy with one captain, or of one player alone."""

    mark: str
    strategy: str
    label: str
    captain: str | None
    players: tuple[str, ...]
    by_place: Mapping[int, LessonVerdict]
    """By the place of the question among those that are learnt from."""
    drafted: bool = True
    """Whether its players draft alone; else how it ended tells how sure it is."""
    without: list[int] = field(default_factory=list)
    """Places of the questions that it was played on without somebody who is missing."""
    unrecorded: list[int] = field(default_factory=list)
    """Those of them where a recording has no reply."""

    @property
    def why_unfair(self) -> str | None:
        """Why nothing may be learnt from these; None: it may."""
        plays = len(self.by_place) + len(self.without)
        if len(self.without) <= FEW_WAITING * plays:
            return None
        told = missing_words(self.without, self.unrecorded), way_out(self.without, self.unrecorded)
        return f"in {len(self.without):,} of {plays:,} plays {told[0]}; {told[1]}"

    @property
    def title(self) -> str:
        return self.label if self.captain is None else f"{self.label}@{self.captain}"


def graded_verdicts(
    places: Sequence[tuple[Source, Key]],
    players: Sequence[str],
    fits: Fits,
    mark_of: Callable[[str], str],
    way: Drafts | None = SINGLE_CALL,
) -> list[PlayedVerdicts]:
    """`places`: the experiment and the play of each question that is learnt from: its verdicts rest on the same drafts.

    `way`: None for those whose players draft nothing alone.
    """
    found: dict[str, PlayedVerdicts] = {}
    verdicts: dict[str, dict[int, LessonVerdict]] = {}
    without: dict[str, tuple[list[int], list[int]]] = {}
    for source in dict.fromkeys(source for source, _ in places):
        here = {key: place for place, (of, key) in enumerate(places) if of is source}
        for cell in source.cells:
            seats = _seats(cell, players, way)
            if not seats or not all(fits(cell, name) for name in seats):
                continue
            mark = mark_of(cell["spec"])
            by_place = verdicts.setdefault(mark, {})
            captain = None if cell["player"] else cell["captain"]
            label = f"{cell['label']}@{cell['player']}" if cell["player"] else cell["label"]
            missing, recorded = without.setdefault(mark, ([], []))
            found[mark] = PlayedVerdicts(
                mark, cell["strategy"], label, captain, seats, by_place, way is not None, missing, recorded
            )
            for episode in source.whole.episodes(cell):
                if episode.key not in here:
                    continue
                if episode.unreached and not source.served:
                    missing.append(here[episode.key])
                    recorded += [here[episode.key]] if episode.unrecorded else []
                else:
                    by_place.setdefault(here[episode.key], _verdict(source.whole, episode))
    return list(found.values())


def _seats(cell: Stored, players: Sequence[str], way: Drafts | None) -> tuple[str, ...]:
    """Whose drafts it rests on; nobody: it is no play of this table that its verdicts can be learnt from."""
    traits = cell["traits"]
    if traits.drafts != way or traits.learns or traits.weighs:
        return ()
    seats = {player["name"] for player in orjson.loads(cell["spec"])["players"]}
    if way is None:
        # A player may sit there several times, under names of its own: the mark of what was played knows them.
        seats = {name.partition(COPY)[0] if name not in players else name for name in seats}
    if not (seats <= set(players) if traits.alone or way is None else seats == set(players)):
        return ()
    return tuple(name for name in players if name in seats)


def _verdict(source: Source, episode: Recorded) -> LessonVerdict:
    verdict = episode.verdict
    if verdict.outcome not in WITH_ANSWER or verdict.answer is None:
        return LessonVerdict(answered=False, holders=None, right=None)
    if episode.cell["traits"].drafts is None:
        return LessonVerdict(True, verdict.who, episode.right, end_of(verdict))
    if episode.cell["traits"].word in ("group", "player"):
        holders: tuple[str, ...] | None = verdict.who
    else:
        held = source.holders(episode, verdict.answer)
        holders = None if held is None else tuple(sorted(held))
    return LessonVerdict(answered=True, holders=holders, right=episode.right)
