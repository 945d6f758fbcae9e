"""What a simulated model is: its parameters, by the names that the formulae of `simulated` use.

It stands apart from the model because both sides of a reply need it: `mind` draws what it believes from it, and
`simulated` writes down what that mind says.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field

from moot.errors import UsageError
from moot.simulate.world import World

_SHARES = (
    "accuracy", "correlation", "family_correlation", "attraction", "power", "guise", "doubt", "judgement", "refuse", "garble",
)  # fmt: skip

WORDS = 200


@dataclass(frozen=True)
class Character:
    """How able a simulated model is, with whom it errs, and what it can be talked into."""

    name: str
    _: KW_ONLY
    accuracy: float
    """The share of questions that a draft gets right."""
    world: World = field(repr=False)
    correlation: float = 0.5
    """How much of a right or wrong comes from the question's difficulty, which all models share (0 to 1)."""
    family: str | None = None
    """Models of one family share a view of each question beyond its difficulty."""
    family_correlation: float = 0.2
    """How much of a right or wrong comes from that view; without a family it means nothing."""
    attraction: float = 0.4
    """How strongly a wrong answer falls on the question's main lure: 0 any wrong answer alike, 1 always the lure."""
    tell: float = 0.5
    """By how many standard deviations a right rationale sounds better than a wrong one."""
    power: float = 0.1
    """The chance to recognise a right answer among those shown."""
    pull: float = 0.3
    """How many votes its own answer is worth beyond the one it has."""
    herd: float = 0.5
    """Where arguments are weighed (a review, a debate, a discussion): how much a head counts all the same."""
    taste: float = 0.5
    """By how many standard deviations its ear for an argument differs from what everybody hears in it."""
    guise: float = 0.3
    """How much of its own draws comes from the instruction or the persona it is given (0 to 1)."""
    awe: float = 0.3
    """Where names are shown: by how many standard deviations names differ in what they add to an argument."""
    doubt: float = 0.3
    """Told to look for flaws: the chance to leave a solution that it would have agreed to."""
    judgement: float = 0.95
    """As judge: the share of answers that it grades right; as grouping model: that it puts where they belong."""
    temperature: float = 0.0
    """Where a call names none: at 0 all samples are alike."""
    words: int = WORDS
    """In a long answer, give or take a fifth."""
    blur: float = 0.5
    """As judge of two long answers: by how many standard deviations of a text's quality it errs."""
    position_bias: float = 0.0
    """As judge of two: what standing first adds to the log-odds of being preferred."""
    length_bias: float = 0.0
    """As judge of two: what being twice as long adds; four times as long counts as much as any more."""
    refuse: float = 0.0
    """The share of questions that it refuses."""
    garble: float = 0.0
    """The share of replies that are not in the form asked for; drawn anew at every attempt."""

    def __post_init__(self) -> None:
        for share in _SHARES:
            if not 0 <= getattr(self, share) <= 1:
                raise UsageError(f"simulated model {self.name!r}: {share} must be between 0 and 1")
        if self.words < 1:
            raise UsageError(f"simulated model {self.name!r}: words must be 1 or more")
        if not self.blur > 0:
            raise UsageError(f"simulated model {self.name!r}: blur must be above 0")
        if not 0 <= self.temperature <= 2:
            raise UsageError(f"simulated model {self.name!r}: temperature must be between 0 and 2")
        if self.family is not None and self.correlation + self.family_correlation > 1:
            raise UsageError(
                f"simulated model {self.name!r}: correlation and family_correlation must not add up to more than 1"
            )
