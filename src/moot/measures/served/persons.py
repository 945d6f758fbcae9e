"""What people said of two answers side by side: which team they prefer, how far, and what the place of an answer is worth.

A vote is told as it is kept: which two answers, in which order they stood, and the word. The page draws the sides by lot and
tells who is who only after the word; of votes that came in another way nobody knows whether who voted knew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from moot.grade.prefer import PERSON, text_digest
from moot.live.beside_episodes import PersonsVote, votes_of
from moot.measures.served.plays import CellName, LivePlay
from moot.stats.preference import Preferences, PreferenceWord, doublings, raw_rate
from moot.stats.preference_reasons import ONE_QUESTION
from moot.stats.preference_share import Rate, share
from moot.stats.quantiles import ALPHA
from moot.store.same_options import line_up

Row = dict[str, Any]
WORTH = {"first": 1.0, "tie": 0.5, "second": 0.0}


@dataclass(frozen=True, slots=True)
class SeenVote:
    """A vote with the two plays that it is about."""

    vote: PersonsVote
    first: LivePlay
    second: LivePlay

    def of(self, side: CellName) -> PreferenceWord:
        """As a word on the pair, by the side that it is told of."""
        ahead = self.first.named == side
        one, other = (self.first, self.second) if ahead else (self.second, self.first)
        worth = WORTH[self.vote.preferred]
        longer = doublings(_words(one), _words(other)) if one.long else 0.0
        return PreferenceWord(
            one.wording,
            (side, other.named),
            (self.vote.first, self.vote.second),
            self.vote.judge,
            worth if ahead else 1 - worth,
            1 if ahead else -1,
            longer,
            PERSON,
        )


def _line_up(play: LivePlay) -> str:
    return line_up(play.cell["spec"], alone=play.cell["player"] is not None)


def _words(play: LivePlay) -> int:
    return len((play.answer or "").split())


def persons_preferences(
    connection: Connection, plays: Sequence[LivePlay], order: Sequence[CellName], names: Mapping[CellName, str]
) -> Row:
    """Of votes on two of these plays. `order`: who answered, whoever is told first in front; `names`: how they are called."""
    by_episode = {play.episode: play for play in plays}
    seen = [
        SeenVote(vote, by_episode[vote.first], by_episode[vote.second])
        for vote in votes_of(connection)
        if vote.first in by_episode and vote.second in by_episode
    ]
    # Earlier versions kept votes on what came to no answer, of which nobody can say that it is better.
    seen = [one for one in seen if one.first.answer is not None and one.second.answer is not None]
    # Beside itself a team is neither better nor worse, by whichever names it went.
    seen = [one for one in seen if one.first.named != one.second.named and _line_up(one.first) != _line_up(one.second)]
    asked_of = len(seen)  # of two that are equal word for word nobody can say which is better
    seen = [one for one in seen if text_digest(one.first.answer or "") != text_digest(one.second.answer or "")]
    firsts = share([(one.first.wording, WORTH[one.vote.preferred]) for one in seen])
    by_pair: dict[tuple[CellName, CellName], list[SeenVote]] = {}
    for one in seen:
        side, other = sorted((one.first.named, one.second.named), key=order.index)
        by_pair.setdefault((side, other), []).append(one)
    fitted = Preferences([one.of(side) for (side, _), several in by_pair.items() for one in several])
    return {
        "votes": len(seen),
        "equal": asked_of - len(seen),
        "persons": len({one.vote.person for one in seen}),
        "questions": len({one.first.wording for one in seen}),
        "ties": sum(one.vote.preferred == "tie" for one in seen),
        "first": firsts and firsts.value,
        **_ends("first_low", "first_high", firsts),
        "pairs": [_pair(pair, several, fitted, names) for pair, several in by_pair.items()],
    }


def _pair(
    pair: tuple[CellName, CellName], several: Sequence[SeenVote], fitted: Preferences, names: Mapping[CellName, str]
) -> Row:
    words = [one.of(pair[0]) for one in several]
    said, corrected = raw_rate(words), fitted.rate(pair)
    questions = len({word.question for word in words})
    row: Row = {
        "of": names[pair[0]],
        "against": names[pair[1]],
        "value": said.value,
        **_ends("low", "high", said),
        "n": questions,
        "corrected": corrected and corrected.value,
        **_ends("corrected_low", "corrected_high", corrected),
        "votes": len(words),
        "wins": sum(word.liked == 1 for word in words),
        "ties": sum(word.liked == WORTH["tie"] for word in words),
        "losses": sum(word.liked == 0 for word in words),
        "stood_first": sum(word.place == 1 for word in words),
        "persons": len({word.judge for word in words}),
        "doublings": sum(word.doublings for word in words) / len(words),
    }
    why = ONE_QUESTION if questions < 2 else fitted.why_not(pair)
    return {**row, "why": why} if why else row


def _ends(low: str, high: str, rate: Rate | None) -> Row:
    limits = rate.limits(ALPHA) if rate is not None else None
    return dict(zip((low, high), limits or (None, None), strict=True))
