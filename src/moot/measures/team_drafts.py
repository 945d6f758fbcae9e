"""What a team's players said before anybody heard anybody, and who said the same: once a question, whatever was played."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from moot.engine.match_record import Groups
from moot.measures.episodes import Key
from moot.types import Answer

WhoSaidWhat = tuple[tuple[str, str | None], ...]
"""A set of drafts by who said what: the same players may be heard or not, and be asked again after a failure."""


@dataclass(slots=True)
class TeamDrafts:
    """What a team's episodes hold beside themselves: the drafts and their groups, once a question.

    Groups are those of one set of drafts: a strategy that did not wait for all has groups of fewer, and they are no
    other strategy's.
    """

    drafts: dict[Key, tuple[Answer, ...]] = field(default_factory=dict)
    """The fullest set: another strategy may have asked fewer, or not waited for all."""
    groups: dict[tuple[Key, WhoSaidWhat], Groups] = field(default_factory=dict)
    grouping: dict[tuple[Key, WhoSaidWhat], tuple[str, ...]] = field(default_factory=dict)
    """The calls that grouping took, which a strategy without it would not have paid."""
    by_words: set[tuple[Key, WhoSaidWhat]] = field(default_factory=set)
    """Sets that words alone have grouped although the file names somebody who tells meanings: it was not asked, or failed."""
    spare: dict[Key, dict[str, Answer]] = field(default_factory=dict)
    """Drafts of players whom the fullest set lacks, from sets that are no fuller."""
    not_needed: dict[Key, set[str]] = field(default_factory=dict)
    """Players whom some strategy did not wait for."""

    def keep(self, key: Key, drafts: tuple[Answer, ...]) -> tuple[Answer, ...]:
        """Takes a set of drafts in, and gives it back: as the very object that is kept, where it is the same."""
        kept = self.drafts.get(key)
        if kept == drafts:
            return kept
        if kept is None or _fullness(kept) < _fullness(drafts):
            self.drafts[key] = drafts
            spare = kept or ()
        else:
            spare = drafts
        for draft in spare:
            self.spare.setdefault(key, {}).setdefault(draft.player, draft)
        return drafts

    def part(self, sets: Iterable[tuple[Key, tuple[Answer, ...]]], not_needed: dict[Key, set[str]]) -> TeamDrafts:
        """Only these sets of drafts, with what is known of their groups: those of others are another team's, as it were."""
        part = TeamDrafts(not_needed=not_needed)
        places = set()
        for key, drafts in sets:
            part.keep(key, drafts)
            places.add((key, said_of(drafts)))
        part.groups = {place: groups for place, groups in self.groups.items() if place in places}
        part.grouping = {place: calls for place, calls in self.grouping.items() if place in places}
        part.by_words = self.by_words & places
        return part

    def drafts_heard(self, key: Key) -> dict[str, Answer]:
        """By player: what it said alone. The fullest set stands; whoever it lacks may have been heard in another."""
        return {**self.spare.get(key, {}), **{draft.player: draft for draft in self.drafts.get(key, ())}}

    def not_heard(self, key: Key) -> set[str]:
        """Whom nobody waited for in any strategy: what they would have said is unknown."""
        return self.not_needed.get(key, set()) - self.drafts_heard(key).keys()

    def grouping_calls(self) -> dict[Key, tuple[str, ...]]:
        """What it took to group the fullest set of drafts; where it was never grouped, any other."""
        calls = {key: keys for (key, _), keys in self.grouping.items()}
        fullest = {key: self.grouping.get((key, said_of(drafts))) for key, drafts in self.drafts.items()}
        return calls | {key: keys for key, keys in fullest.items() if keys is not None}


def said_of(drafts: Iterable[Answer]) -> WhoSaidWhat:
    return tuple((draft.player, draft.text) for draft in drafts)


def _fullness(drafts: Sequence[Answer]) -> tuple[int, int, list[tuple[str, ...]]]:
    """How much a set of drafts tells. Of equals all that they say decides, so that the order of strategies does not."""
    words: list[tuple[str, ...]] = sorted(
        (draft.player, draft.text or "", draft.outcome, draft.reasoning, draft.cause or "") for draft in drafts
    )
    return len(drafts), sum(draft.text is not None for draft in drafts), words
