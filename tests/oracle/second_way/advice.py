"""The figures of `moot advise --json` on labels a second time: from the labels alone, in plain Python.

Which option is best is not searched again: that is held against every team in tests/advise. What each option of the frontier
comes to on the questions kept apart is computed from its words. Of rules that are learnt (`learnt`, a cascade by probability)
the bounds are checked.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from second_way.intervals import Difference, share_interval
from second_way.raw import _short_hash

Said = Mapping[str, Mapping[str, str | None]]
NEAR = 2e-6


class Advised:
    """Labels by player and question, and the right ones."""

    def __init__(self, said: Said, right: Mapping[str, str], choices: int) -> None:
        self.said, self.right, self.choices = said, right, choices
        order = sorted(right, key=lambda question: (_short_hash(["advise", question]), question))
        halves = [[question for place, question in enumerate(order) if place % 2 == side] for side in (0, 1)]
        self.search, self.claim = halves

    def wrong(self, told: Mapping[str, Any]) -> Iterator[str]:
        """What differs, in words."""
        yield from _unequal("n", told["n"], len(self.right))
        yield from _unequal("searched_on", told["searched_on"], len(self.search))
        yield from _unequal("claimed_on", told["claimed_on"], len(self.claim))
        taken = told["recommended"]
        for row in (*told["frontier"], taken, told["most_accurate"]):
            yield from self._row(row)
        if told["most_accurate"] not in told["frontier"]:
            yield "most_accurate: no point of the frontier"
        if told["run_verdict"] is not None:
            yield "run_verdict: labels have none"
        values = self._values(taken)
        if values is not None and told["over_every_single"] is not None:
            yield from self._over_singles(told["over_every_single"], values)
        if (more := told["surer"]) is not None and more["questions"] is not None:
            yield from _unequal("more_in_this_run", more["more_in_this_run"], more["questions"] + more["questions"])
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
        values = self._values(row)
        if values is None:
            if not 1 <= row["calls"] <= players:
                yield f"{row['option']}: calls {row['calls']}"
            return
        yield from _unequal(f"{row['option']}: accuracy", row["accuracy"], math.fsum(values) / len(values))
        low, high = share_interval([(value, 1.0) for value in values])
        yield from _unequal(f"{row['option']}: low", row["low"], low)
        yield from _unequal(f"{row['option']}: high", row["high"], high)
        if row["rule"] != "cascade":
            yield from _unequal(f"{row['option']}: calls", row["calls"], players)

    def _over_singles(self, row: Mapping[str, Any], values: Sequence[float]) -> Iterator[str]:
        found = {}
        for player in self.said:
            gaps = [value - self._worth(player, question) for value, question in zip(values, self.claim, strict=True)]
            found[player] = math.fsum(gaps) / len(gaps), Difference.of_pairs(gaps).limits()
        value, (low, high) = found[row["player"]]
        yield from _unequal("difference", row["difference"], value)
        yield from _unequal("low", row["low"], low)
        yield from _unequal("high", row["high"], high)
        yield from _unequal("the least lead", row["difference"], min(lead for lead, _ in found.values()))
        better = all(ends[0] is not None and ends[0] > 0 for _, ends in found.values())
        if row["better"] != better:
            yield f"better: {row['better']}, expected {better}"

    def _worth(self, player: str, question: str) -> float:
        return float(self.said[player][question] == self.right[question])

    def _values(self, row: Mapping[str, Any]) -> list[float] | None:
        """Of each question kept apart; None: it hangs on something learnt."""
        players, words = row["players"], row["option"]
        if row["rule"] == "single":
            return [self._worth(players[0], question) for question in self.claim]
        if row["rule"] == "plurality" or "until decided" in words:
            return [self._vote(question, dict.fromkeys(players, 1.0)) for question in self.claim]
        if row["rule"] == "weighted":
            weights = {player: self._weight(player) for player in players}
            return [self._vote(question, weights) for question in self.claim]
        if row["rule"] == "leader":
            leader = re.split(r"[;,]", words)[0]
            unless = self._unless(words, len(players) - 1)
            others = [player for player in players if player != leader]
            return [self._led(question, leader, others, unless) for question in self.claim]
        return None

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

    def _weight(self, player: str) -> float:
        m = len(self.search)
        share = sum(self._worth(player, question) for question in self.search) / m
        p = min(max(share, 1 / (m + 2)), (m + 1) / (m + 2))
        return max(math.log((self.choices - 1) * p / (1 - p)), 0.0)


def _unequal(what: str, found: float | None, expected: float | None) -> Iterator[str]:
    if (found is None) != (expected is None) or (
        found is not None and expected is not None and abs(found - expected) > NEAR
    ):
        yield f"{what}: {found}, expected {expected}"
