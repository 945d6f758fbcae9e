"""One judge's word on one answer, as it is heard, kept and told."""

from __future__ import annotations

from dataclasses import dataclass

from moot.rubric import Rubric, most_points, share_of_points

JUDGE = "judge"
"""The stage of a grade that judges gave."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """One judge's word on one answer. Without `right` and without `points` the judge gave no usable word.

    `detail` says why there is none; or how many answers it saw together, where there were several.
    """

    answer: str
    """Normalised: equal answers are judged once."""
    judge: str
    right: bool | None
    detail: str | None = None
    call: str | None = None
    """The key of the stored call that holds the judge's reply."""
    tries: int = 0
    """How often a judge without a usable word was asked; 0: not for the record."""
    points: tuple[float, ...] | None = None
    """Of a long answer, what it gets by each criterion of its rubric."""
    reasons: tuple[str, ...] = ()
    """Why, by criterion."""

    @property
    def usable(self) -> bool:
        """Whether the judge has said something of the answer."""
        return self.right is not None or self.points is not None

    def __str__(self) -> str:
        return self.told()

    def told(self, rubric: Rubric = ()) -> str:
        """In words; by the rubric's names where it is given."""
        asked = f"asked {self.tries}×: " if self.tries else ""
        call = f"call {self.call}" if self.call else None
        reason = ", ".join(filter(None, (call, f"{asked}{self.detail}" if self.detail else None)))
        word = f"{self.judge}: {self._word(rubric)}"
        return f"{word} ({reason})" if reason else word

    def _word(self, rubric: Rubric) -> str:
        if self.points is not None:
            return self._points_told(self.points, rubric)
        return "no word" if self.right is None else "right" if self.right else "wrong"

    def _points_told(self, points: tuple[float, ...], rubric: Rubric) -> str:
        if len(rubric) != len(points):
            return f"{sum(points):g} points"
        reasons = self.reasons if len(self.reasons) == len(points) else ("",) * len(points)
        parts = [
            f"{criterion.name} {given:g} of {criterion.points:g}{f': {why}' if why else ''}"
            for criterion, given, why in zip(rubric, points, reasons, strict=True)
        ]
        return f"{sum(points):g} of {most_points(rubric):g} points [{'; '.join(parts)}]"

    def share(self, rubric: Rubric) -> float | None:
        """The share of the rubric's points that it gave; None: it gave none."""
        if self.points is None or len(self.points) != len(rubric):
            return None
        return share_of_points(rubric, self.points)
