"""Figures for Prometheus: what is asked, how it ends, how long it takes, what it costs."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from moot.live.answered_question import AnsweredQuestion
from moot.models.cache import StoredCall
from moot.serve.admission import Admission
from moot.serve.figures_of_workers import WorkerFigure, figures_of
from moot.types import Usage

_SECONDS = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300)


class Metrics:
    """One server's figures, in a registry of their own."""

    def __init__(self, gate: Admission) -> None:
        self._registry = registry = CollectorRegistry()
        self.requests = Counter("moot_requests", "Requests by path and status.", ["path", "status"], registry=registry)
        self.episodes = Counter(
            "moot_episodes", "Questions by model and outcome.", ["model", "outcome"], registry=registry
        )
        self.seconds = Histogram(
            "moot_episode_seconds", "From question to verdict.", ["model"], buckets=_SECONDS, registry=registry
        )
        self.calls = Counter(
            "moot_calls",
            "Calls to players and officers that verdicts had, by who was asked; a stored one each time it is used.",
            ["player"],
            registry=registry,
        )
        self.tokens = Counter("moot_tokens", "Tokens of these calls by direction.", ["direction"], registry=registry)
        self.calls_uncounted = Counter(
            "moot_calls_uncounted",
            "Of these calls those whose tokens of a direction no server told: moot_tokens is without them.",
            ["direction"],
            registry=registry,
        )
        self.calls_made = Counter(
            "moot_calls_made",
            "Calls that were made and have a reply, each once, whether or not a verdict waited for them.",
            ["model"],
            registry=registry,
        )
        self.tokens_made = Counter(
            "moot_tokens_made", "Tokens of the calls that were made, by direction.", ["direction"], registry=registry
        )
        self.calls_made_uncounted = Counter(
            "moot_calls_made_uncounted",
            "Of the calls that were made those whose tokens of a direction no server told: moot_tokens_made is without them.",
            ["direction"],
            registry=registry,
        )
        self.calls_unanswered = Counter(
            "moot_calls_unanswered",
            "Calls that were made, have no reply and may be on the bill all the same.",
            registry=registry,
        )
        self.cost = Counter(
            "moot_cost_usd",
            "What calls cost that were made, each once, where prices are known and nowhere else; those without a reply, or with"
            " one that does not tell it, at the most it can be.",
            registry=registry,
        )
        self.calls_unpriced = Counter(
            "moot_calls_unpriced",
            "Calls that were made and of which nobody knows what they cost: moot_cost_usd has nothing of them where their model"
            " has no price, and where it has one the most it can be.",
            registry=registry,
        )
        self.feedback = Counter("moot_feedback", "What turned out to be right.", ["correct"], registry=registry)
        under_way = Gauge("moot_under_way", "Questions being answered.", registry=registry)
        under_way.set_function(lambda: gate.under_way)
        waiting = Gauge("moot_waiting", "Questions that wait for a place.", registry=registry)
        waiting.set_function(lambda: gate.waiting)

    def count(self, asked: AnsweredQuestion) -> None:
        self.episodes.labels(asked.model, asked.verdict.outcome).inc()
        self.seconds.labels(asked.model).observe(asked.episode.seconds)
        for call in asked.episode.calls:
            if call.reply is not None and call.reply.unrecorded:
                continue  # it was never asked
            self.calls.labels(call.player).inc()
            if call.reply is not None:
                _count_tokens(call.reply.usage, self.tokens, self.calls_uncounted)

    def count_call(self, usd: float | None, call: StoredCall | None) -> None:
        """What was paid, and for which call; None: for one that has no reply. A vote that is settled waits for nobody more, and
        pays for all who were asked. No sum: nobody knows what it cost."""
        if call is not None and call.reply.unrecorded:
            return
        if usd is None:
            self.calls_unpriced.inc()
        self.cost.inc(usd or 0.0)
        if call is None:
            self.calls_unanswered.inc(1 if usd is None or usd else 0)
            return
        self.calls_made.labels(call.model).inc()
        _count_tokens(call.reply.usage, self.tokens_made, self.calls_made_uncounted)

    @property
    def figures(self) -> list[WorkerFigure]:
        return figures_of(self._registry)


def _count_tokens(usage: Usage, tokens: Counter, uncounted: Counter) -> None:
    """What is known, and beside it the calls of which it is not: a sum without them is no count of all."""
    for direction, counted in (("prompt", usage.prompt), ("completion", usage.completion)):
        if counted is None:
            uncounted.labels(direction).inc()
        else:
            tokens.labels(direction).inc(counted)
