"""What to know of the questions and answers that advice is from: what is left out, missing or odd."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from moot.advise.known import KnownDrafts
from moot.decide.odd_players import odd_players
from moot.measures.draft_costs import DraftCost
from moot.measures.graded_drafts import GradedDrafts
from moot.stats.counted_words import count, whose_words


def left_out_words(graded: GradedDrafts, unsettled: int, *, cut_short: bool) -> Iterator[str]:
    if unsettled:
        yield f"{count(unsettled, 'question is', 'questions are')} left out: which answer is right is not known"
    if graded.not_heard:
        yield f"{count(graded.not_heard, 'question is', 'questions are')} left out: not everybody was waited for"
    if graded.not_asked:
        yield f"{count(graded.not_asked, 'question is', 'questions are')} left out: not everybody has been asked yet"
    if cut_short:
        yield "the run is unfinished; slow answers, which are more often wrong, are still missing"


def filled_in(costs: int, times: int) -> Iterator[str]:
    """Of how many drafts that are not there money and time are taken from the player's others."""
    whats = {"cost and time are": costs} if costs == times else {"cost is": costs, "time is": times}
    for what, missing in whats.items():
        if missing:
            drafts = count(missing, "draft is", "drafts are")
            yield f"{drafts} missing: their {what} taken as the mean of the player's others"


def unknown_costs(
    costs: Mapping[tuple[str, str], DraftCost], players: Sequence[str], keys: Sequence[str]
) -> Iterator[str]:
    """Whose cost is known of some drafts alone. Of whom it is known of none there is nothing to say that is not seen."""
    for player in players:
        drafts = [cost for key in keys if (cost := costs.get((player, key))) is not None]
        known = sum(draft.usd is not None for draft in drafts)
        if 0 < known < len(drafts):
            yield f"the cost of {player} is known for {known:,} of {len(drafts):,} drafts only, and so taken as unknown"


def missing_words(drafts: KnownDrafts) -> Iterator[str]:
    """Of labels and recordings nobody knows whether who says nothing was silent or never asked."""
    gaps = (drafts.codes < 0).sum(axis=1)
    if gaps.any():
        whose = whose_words(dict(zip(drafts.players, map(int, gaps), strict=True)), of=drafts.size)
        yield f"{int(gaps.sum()):,} of {drafts.codes.size:,} answers are missing and count as not right: of {whose}"


def odd_words(drafts: KnownDrafts) -> Iterator[str]:
    if drafts.size and len(drafts.players) > 1:
        yield from odd_players(drafts.candidates(range(len(drafts.players))))
