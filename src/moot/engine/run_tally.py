"""Where a run is: what is done, what failed and why, what endpoints do, and what was found out about strategies."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from moot.engine.call_bounds import ExceededBound, exceeded_words
from moot.engine.failed_by import Cause, cause_of
from moot.engine.grading import Graded
from moot.engine.matching import Matched
from moot.engine.missing_drafts import missing_words
from moot.engine.not_applied import not_applied_words
from moot.engine.preferences import Compared
from moot.engine.undeclared_prompts import undeclared_words
from moot.models.budget import Purse
from moot.models.cut_out import was_cut
from moot.models.limit import Turnstile
from moot.store.calls import ExperimentCalls
from moot.store.ledger import Ledger
from moot.team.attempts import unreached_in
from moot.traces import hanging
from moot.types import Episode

State = Literal["running", "done", "failed", "budget", "interrupted"]
AfterPlay = Literal["grades", "comparisons", "groups"]


@dataclass
class RunTally:
    """Where the run is. Progress bars read it; nothing else does."""

    total: int
    skipped: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    causes: Counter[Cause] = field(default_factory=Counter)
    unreached: Counter[tuple[str, ...]] = field(default_factory=Counter)
    """Episodes that came to an end without somebody whose call failed, by who that is: they are played again."""
    cut_out: int = 0
    """Answers that have lost a part which equals a key."""
    retries: Counter[str] = field(default_factory=Counter)
    hedges: Counter[str] = field(default_factory=Counter)
    calls: ExperimentCalls | None = None
    limiters: Mapping[str, Turnstile] = field(default_factory=dict)
    started_at: float = field(default_factory=time.monotonic)
    elsewhere: dict[str, str] = field(default_factory=dict)
    """How endpoints are doing where the calls are made, if that is not here."""
    purse: Ledger | Purse | None = None
    exceeded: dict[str, ExceededBound] = field(default_factory=dict)
    """By the strategy's label: who made more calls than it declared."""
    undeclared: dict[str, frozenset[str]] = field(default_factory=dict)
    """By the strategy's label: prompts that it uses and did not declare."""
    undrafted: dict[str, int] = field(default_factory=dict)
    """By the strategy's label: episodes without the drafts that it promises."""
    not_applied: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """By model, what of its parameters its server did not take."""
    graded: Graded | None = None
    ungraded: set[str] = field(default_factory=set)
    """Cases that were played already, and not graded by the reference that they have now."""
    matched: Matched | None = None
    compared: Compared | None = None
    """Long answers, two by two."""
    to_ask: list[AfterPlay] = field(default_factory=list)
    """What is asked for once all is played, and has not been asked for to its end."""

    def add(self, episode: Episode) -> None:
        """One that was played."""
        self.outcomes[episode.verdict.outcome] += 1
        self.cut_out += was_cut(episode.verdict.answer) or hanging(episode.verdict.traces)
        if episode.verdict.outcome == "failed":
            self.causes[cause_of(episode)] += 1
        elif names := unreached_in(episode.calls):
            self.unreached[names] += 1

    def add_matched(self, matched: Matched, made_before: int) -> None:
        """What was asked to match answers, after so many calls."""
        assert self.calls is not None, "a run has begun"
        matched.calls = self.calls.made - made_before
        self.matched = matched if self.matched is None else self.matched + matched

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was found out, although nothing went wrong with an answer."""
        found = (*exceeded_words(self.exceeded), *undeclared_words(self.undeclared), *missing_words(self.undrafted))
        return (*found, *not_applied_words(self.not_applied))

    @property
    def endpoints(self) -> dict[str, str]:
        """How each is doing, in a word."""
        return {endpoint: limiter.state for endpoint, limiter in self.limiters.items()} | self.elsewhere

    @property
    def lost_usd(self) -> float:
        """The most that attempts can have cost which gave no reply."""
        return 0.0 if self.purse is None else self.purse.lost_usd

    @property
    def unpriced(self) -> int:
        """Attempts without a reply of which nobody knows what they cost."""
        return 0 if self.calls is None else self.calls.unpriced

    @property
    def played(self) -> int:
        return sum(self.outcomes.values())

    @property
    def anything_new(self) -> bool:
        """Whether anything was asked, be it of players, judges or who groups."""
        return bool(self.played or self.retries or (self.calls is not None and self.calls.made))

    @property
    def anything_failed(self) -> bool:
        """Whether the same run would ask somebody again: who failed in an episode, be it without its failing, or in grading."""
        ungraded = self.graded is not None and self.graded.failed
        return bool(self.outcomes["failed"] or self.unreached or ungraded)

    @property
    def done(self) -> int:
        return self.skipped + self.played

    @property
    def kept(self) -> int:
        """A failed episode is asked again: it is in the store, and nothing that anybody would call kept."""
        return self.done - self.outcomes["failed"]
