"""What `moot advise --buy --json` tells of a race a second time, in plain Python.

The answers are not taken from the race: the same cascades are played by `moot run` as strategies of a file, on all questions, and
the race is held again over what they got right there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from second_way.raw import _short_hash

STAKES = (0.05, 0.1, 0.2, 0.3, 0.45, 0.6)
TWENTY = 20.0
NEAR = 2e-6

Right = Mapping[str, Mapping[str, float]]
"""By option and question."""


class RacedAgain:
    """`right`: of every option on every question. `units`: by question, what it is called where halves and orders are drawn.
    `points`: of the frontier, any of which the questions might have made the incumbent."""

    def __init__(self, right: Right, units: Mapping[str, str], seed: int, points: float) -> None:
        self.right, self.stake_times = right, TWENTY * points
        halved = sorted(units, key=lambda question: (_short_hash(["advise", units[question]]), units[question]))
        claim = halved[1::2]
        self.of = len(claim)
        drawn = sorted(
            claim, key=lambda question: (_short_hash(["advise race", seed, units[question]]), units[question])
        )
        self.heard: list[str] = []
        self.out: dict[str, int] = {}
        self._race(drawn)

    def _race(self, drawn: Sequence[str]) -> None:
        left, score = list(self.right), dict.fromkeys(self.right, 0.0)
        money = {option: [1.0] * len(STAKES) for option in self.right}
        for question in drawn:
            now = {option: self.right[option][question] for option in left}
            for option in left:
                others = [each for each in left if each != option]
                most = max(score[each] for each in others)
                leaders = [now[each] for each in others if score[each] == most]
                gap = sum(leaders) / len(leaders) - now[option]
                money[option] = [each * (1 + stake * gap) for each, stake in zip(money[option], STAKES, strict=True)]
            for option in left:
                score[option] += now[option]
            self.heard.append(question)
            beaten = [option for option in left if sum(money[option]) / len(STAKES) >= self.stake_times]
            self.out |= dict.fromkeys(beaten, len(self.heard))
            left = [option for option in left if option not in beaten]
            if len(left) == 1:
                break
        self.left = left

    def wrong(self, told: Mapping[str, Any]) -> Iterator[str]:
        """What differs, in words."""
        yield from _unequal("of", told["of"], self.of)
        yield from _unequal("heard", told["heard"], len(self.heard))
        yield from _unequal("left", told["left"], self.left)
        yield from _unequal("winner", told["winner"], self.left[0] if len(self.left) == 1 else None)
        rows = {row["option"]: row for row in told["options"]}
        yield from _unequal("options", list(rows), list(self.right))
        for option, row in rows.items():
            heard = self.heard[: self.out.get(option, len(self.heard))]
            right = sum(self.right[option][question] for question in heard) / len(heard)
            yield from _unequal(f"{option}: out_after", row["out_after"], self.out.get(option))
            yield from _unequal(f"{option}: heard", row["heard"], len(heard))
            yield from _unequal(f"{option}: accuracy", row["accuracy"], right)
        first = told["incumbent"]
        if told["take"] != first:
            ahead = sum(self.right[told["take"]][each] - self.right[first][each] for each in self.heard)
            yield from _unequal("difference", told["difference"], ahead / len(self.heard))
        yield from _counted(told, rows.values())


def _counted(told: Mapping[str, Any], rows: Any) -> Iterator[str]:
    paid = [row for row in rows if row["plays"]]
    most = max(row["plays"] for row in paid)
    every = sum(row["calls"] / row["plays"] * most for row in paid)
    yield from _unequal("calls", told["calls"], sum(row["calls"] for row in paid))
    yield from _unequal("calls_of_all", told["calls_of_all"], every)
    yield from _unequal("saved", told["saved"], 1 - told["calls"] / every)
    if most > told["questions"]:
        yield f"plays: {most} of {told['questions']}"


def _unequal(what: str, told: Any, found: Any) -> Iterator[str]:
    near = isinstance(told, int | float) and isinstance(found, int | float) and abs(told - found) <= NEAR
    if told != found and not near:
        yield f"{what}: told {told}, found {found}"
