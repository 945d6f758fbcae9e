"""The figures of `moot advise --json` on labels a second time: from the labels alone, in plain Python.

Which option is best is not searched again: that is held against every team in tests/advise. What each option of the frontier
comes to on the questions kept apart, and on all, is computed from its words. Of rules that are learnt (`learnt`, a cascade by
probability) the bounds are checked.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from second_way.intervals import ALPHA, Difference, share_interval
from second_way.raw import _short_hash

Said = Mapping[str, Mapping[str, str | None]]
NEAR = 2e-6
FOLDS = 5


class Advised:
    """Labels by player and question, and the right ones."""

    def __init__(self, said: Said, right: Mapping[str, str], choices: int, least: float = 0.5) -> None:
        self.said, self.right, self.choices = said, right, choices
        order = sorted(right, key=lambda question: (_short_hash(["advise", question]), question))
        halves = [[question for place, question in enumerate(order) if place % 2 == side] for side in (0, 1)]
        self.search, self.claim = halves
        dealt = sorted(self.search, key=lambda question: (_short_hash(["advise weights", question]), question))
        self.fold = {question: place % FOLDS for place, question in enumerate(dealt)}
        self.least, self.level, self.teams = least, ALPHA, 1

    def wrong(self, told: Mapping[str, Any]) -> Iterator[str]:
        """What differs, in words."""
        yield from _unequal("n", told["n"], len(self.right))
        yield from _unequal("searched_on", told["searched_on"], len(self.search))
        yield from _unequal("claimed_on", told["claimed_on"], len(self.claim))
        weighed = [*told["frontier"], *told["beside"]]
        taken, points = told["recommended"], len(weighed)
        yield from _unequal("weighed", told["weighed"], points)
        yield from self._fixed_beforehand(weighed)
        self.level, self.teams = ALPHA / points, sum(row["rule"] != "single" for row in weighed)
        for row in (*weighed, taken, told["most_accurate"]):
            yield from self._row(row)
        if told["most_accurate"] not in weighed:
            yield "most_accurate: not weighed"
        yield from _unequal("most_accurate", told["most_accurate"]["pooled"], max(row["pooled"] for row in weighed))
        if told["run_verdict"] is not None:
            yield "run_verdict: labels have none"
        if "likely" not in taken:
            yield from self._near_the_best(taken, told["most_accurate"])
        else:
            yield from self._least(taken, weighed)
        values = self._values(taken, self.claim)
        if values is not None and told["over_every_single"] is not None:
            yield from self._over_singles(told["over_every_single"], values)
        if (more := told["surer"]) is not None:
            yield from self._surer(more, told, weighed)
        for stage in told["next"]:
            least, most = 0.0, 100 * (1 - taken["accuracy"])
            if not least <= stage["at_most_points"] <= most + 1e-3:
                yield f"at_most_points: {stage['at_most_points']} of {most}"
            if not 0 < stage["questions"] <= len(self.claim):
                yield f"questions: {stage['questions']}"

    def _row(self, row: Mapping[str, Any]) -> Iterator[str]:
        players = len(row["players"])
        if not row["low"] <= row["accuracy"] <= row["high"]:
            yield f"{row['option']}: {row['accuracy']} outside of {row['low']} to {row['high']}"
        values = self._values(row, self.claim)
        if values is None:
            if not 1 <= row["calls"] <= players:
                yield f"{row['option']}: calls {row['calls']}"
            return
        yield from _unequal(f"{row['option']}: accuracy", row["accuracy"], math.fsum(values) / len(values))
        both = [*(self._values(row, self.search) or ()), *values]
        yield from _unequal(f"{row['option']}: pooled", row["pooled"], math.fsum(both) / len(self.right))
        low, high = share_interval([(value, 1.0) for value in values], self.level)
        yield from _unequal(f"{row['option']}: low", row["low"], low)
        yield from _unequal(f"{row['option']}: high", row["high"], high)
        if row["rule"] != "cascade":
            yield from _unequal(f"{row['option']}: calls", row["calls"], players)

    def _fixed_beforehand(self, weighed: Sequence[Mapping[str, Any]]) -> Iterator[str]:
        """Every player alone is weighed, and the vote of all, whatever the search came to."""
        alone = [row["players"][0] for row in weighed if row["rule"] == "single"]
        if sorted(alone) != sorted(self.said):
            yield f"weighed alone: {alone}"
        if not any(row["rule"] == "plurality" and len(row["players"]) == len(self.said) for row in weighed):
            yield "weighed: no vote of all"

    def _least(self, taken: Mapping[str, Any], weighed: Sequence[Mapping[str, Any]]) -> Iterator[str]:
        """Shown by the interval that pays for all; likely by a one-sided one at 90 %, where nothing was picked, that pays for all
        who may be above by theirs, and by all questions; or by being as good, both there and on all, as another of which that is
        so."""
        every = [(row, self._told(row)) for row in weighed]
        told = self._told(taken)
        if told is None or any(values is None for _, values in every):
            return
        shown = taken["low"] >= self.least
        pairs = [(row, [(value, 1.0) for value in values or ()]) for row, values in every]
        may = [(row, values) for row, values in pairs if share_interval(values, 0.2)[1] >= self.least]
        sure = [
            row
            for row, values in may
            if share_interval(values, 0.2 / len(may))[0] >= self.least and row["pooled"] >= self.least - NEAR
        ]
        likely = any(
            taken["pooled"] >= row["pooled"] - NEAR and taken["accuracy"] >= row["accuracy"] - NEAR for row in sure
        )
        reached = max(row["pooled"] for row in weighed) >= self.least - NEAR
        state = "shown" if shown else "likely" if likely else "open" if reached else "not reached"
        if (taken["least_accuracy"], taken["promised"], taken["likely"]) != (state, shown, shown or likely):
            yield f"least_accuracy: {taken['least_accuracy']}, {taken['promised']}, {taken['likely']}, expected {state}"
        new, p = None, math.fsum(told) / len(told)
        if state == "likely":
            spread = 1.959964 * math.sqrt(self.least * (1 - self.least)) + 0.841621 * math.sqrt(p * (1 - p))
            new = math.ceil((spread / (p - self.least)) ** 2)
        if (new is None) != (taken["to_show"] is None) or (new is not None and abs(new - taken["to_show"]) > 1):
            yield f"to_show: {taken['to_show']}, expected {new}"

    def _told(self, row: Mapping[str, Any]) -> list[float] | None:
        """Of what was fixed beforehand on all questions; None: what it came to is not known here."""
        fixed = row["rule"] == "single" or (row["rule"] == "plurality" and len(row["players"]) == len(self.said))
        halves = [self._values(row, half) for half in ((self.search, self.claim) if fixed else (self.claim,))]
        return None if any(half is None for half in halves) else [value for half in halves for value in half or ()]

    def _near_the_best(self, taken: Mapping[str, Any], best: Mapping[str, Any]) -> Iterator[str]:
        """With nothing asked for: behind the most accurate by one standard error at most, and no dearer."""
        ours, theirs = ([self._values(row, half) for half in (self.search, self.claim)] for row in (taken, best))
        known = [half for half in (*ours, *theirs) if half is not None]
        if len(known) < 4:
            return
        gaps = [b - a for a, b in zip([*known[0], *known[1]], [*known[2], *known[3]], strict=True)]
        behind = math.fsum(gaps) / len(gaps)
        error = math.sqrt(math.fsum((gap - behind) ** 2 for gap in gaps) / (len(gaps) - 1) / len(gaps))
        if behind > error + 1e-9:
            yield f"recommended: {behind} behind the most accurate, of which the error is {error}"

    def _over_singles(self, row: Mapping[str, Any], values: Sequence[float]) -> Iterator[str]:
        found, lows, highs = {}, [], []
        for player in self.said:
            gaps = [value - self._worth(player, question) for value, question in zip(values, self.claim, strict=True)]
            found[player] = math.fsum(gaps) / len(gaps)
            lead = Difference.of_pairs(gaps)
            lows.append(lead.limits(ALPHA / self.teams)[0] or 0.0)
            highs.append(lead.limits(ALPHA / self.teams / len(self.said))[1] or 0.0)
        yield from _unequal("difference", row["difference"], found[row["player"]])
        yield from _unequal("low", row["low"], min(lows))
        yield from _unequal("high", row["high"], min(highs))
        yield from _unequal("the least lead", row["difference"], min(found.values()))
        if row["better"] != (min(lows) > 0):
            yield f"better: {row['better']}, expected {min(lows) > 0}"

    def _surer(
        self, more: Mapping[str, Any], told: Mapping[str, Any], weighed: Sequence[Mapping[str, Any]]
    ) -> Iterator[str]:
        taken, over = told["recommended"], told["over_every_single"]
        itself = {**told["most_accurate"]} == {key: taken[key] for key in told["most_accurate"]}
        compared = self.teams if itself and over is not None else math.comb(len(weighed), 2)
        if more["questions"] is not None:
            at_least = more["questions"] + more["questions"]
            if compared == 1:
                yield from _unequal("more_in_this_run", more["more_in_this_run"], at_least)
            elif more["more_in_this_run"] % 2 or more["more_in_this_run"] <= at_least:
                yield f"more_in_this_run: {more['more_in_this_run']} of {compared} pairs, alone {more['questions']}"
        if itself and over is not None:
            for key in ("difference", "low", "high"):
                yield from _unequal(f"surer: {key}", more[key], over[key])
            return
        rival = next(row for row in weighed if row["option"] == more["against"])
        ours, theirs = (self._values(row, self.claim) for row in (taken, rival))
        if ours is not None and theirs is not None:
            gaps = [a - b for a, b in zip(ours, theirs, strict=True)]
            low, high = Difference.of_pairs(gaps).limits(ALPHA / compared)
            yield from _unequal("surer: difference", more["difference"], math.fsum(gaps) / len(gaps))
            yield from _unequal("surer: low", more["low"], low)
            yield from _unequal("surer: high", more["high"], high)

    def _worth(self, player: str, question: str) -> float:
        return float(self.said[player][question] == self.right[question])

    def _values(self, row: Mapping[str, Any], questions: Sequence[str]) -> list[float] | None:
        """Of each of these questions; None: it hangs on something learnt."""
        players, words = row["players"], row["option"]
        if row["rule"] == "single":
            return [self._worth(players[0], question) for question in questions]
        if row["rule"] == "plurality" or "until decided" in words:
            return [self._vote(question, dict.fromkeys(players, 1.0)) for question in questions]
        if row["rule"] == "weighted":
            return [self._vote(question, self._weights(players, question)) for question in questions]
        if row["rule"] == "leader":
            leader = re.split(r"[;,]", words)[0]
            unless = self._unless(words, len(players) - 1)
            others = [player for player in players if player != leader]
            return [self._led(question, leader, others, unless) for question in questions]
        return None

    def _weights(self, players: Sequence[str], question: str) -> dict[str, float]:
        """By the questions searched on; where it is one of them, by those of the other folds."""
        if question not in self.search:
            return {player: self._weight(player, self.search) for player in players}
        taught = [each for each in self.search if self.fold[each] != self.fold[question]]
        return {player: max(self._weight(player, taught), 1e-4) for player in players}

    @staticmethod
    def _unless(words: str, others: int) -> int | None:
        if "where it is silent" in words:
            return None
        if "differ" in words:
            return 1
        numbered = re.search(r"unless (\d+) of ", words)
        return int(numbered[1]) if numbered else others

    def _vote(self, question: str, weights: Mapping[str, float]) -> float:
        behind: dict[str, float] = {}
        for player, weight in weights.items():
            answer = self.said[player][question]
            if answer is not None:
                behind[answer] = behind.get(answer, 0.0) + weight
        if not behind:
            return 0.0
        if max(behind.values()) <= 0:
            return self._vote(question, dict.fromkeys(weights, 1.0))
        first = [answer for answer, weight in behind.items() if weight >= max(behind.values()) - 1e-9]
        return (self.right[question] in first) / len(first)

    def _led(self, question: str, leader: str, others: Sequence[str], unless: int | None) -> float:
        own = self.said[leader][question]
        counts: dict[str, int] = {}
        for answer in (self.said[player][question] for player in others):
            if answer is not None and answer != own:
                counts[answer] = counts.get(answer, 0) + 1
        most = max(chain(counts.values(), [0]))
        if own is not None and (unless is None or most < unless):
            return float(own == self.right[question])
        first = [answer for answer, count in counts.items() if count == most]
        return (self.right[question] in first) / len(first) if first else 0.0

    def _weight(self, player: str, taught: Sequence[str]) -> float:
        m = len(taught)
        share = sum(self._worth(player, question) for question in taught) / m
        p = min(max(share, 1 / (m + 2)), (m + 1) / (m + 2))
        return max(math.log((self.choices - 1) * p / (1 - p)), 0.0)


def _unequal(what: str, found: float | None, expected: float | None) -> Iterator[str]:
    if (found is None) != (expected is None) or (
        found is not None and expected is not None and abs(found - expected) > NEAR
    ):
        yield f"{what}: {found}, expected {expected}"
