"""What a rule file tells of a strategy that asks on after the drafts: what its verdicts are worth beside them.

A captain is no part of the rule, which is about drafts; but how sure its word is hangs on the same drafts. So beside the rule
stands, for every strategy that was played and graded, a small model of its own (`moot.decide.verdict_chance`), under a mark of
what was played: the strategy with its options, its captain, its players, models and prompts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from moot.decide.cascading import StageModels
from moot.decide.choice_model import ChoiceModel
from moot.decide.promise import Promise
from moot.decide.rule_border import WRITTEN, checked_weight
from moot.decide.rules import DIGITS
from moot.decide.talk_chance import TalkModel
from moot.decide.verdict_chance import VerdictModel
from moot.errors import UsageError

VERDICTS = "verdicts"
DRAFTS = "drafts"
ENDED = "ended"


@dataclass(frozen=True, slots=True)
class FittedVerdicts:
    """How sure the verdicts of one strategy are."""

    mark: str
    """Of what was played."""
    label: str
    captain: str | None
    model: VerdictModel
    questions: int
    """So many of its verdicts taught it."""
    promises: tuple[Promise, ...] = field(default=())
    talk: TalkModel | None = None
    """What tells by how it ended, where nobody drafts alone; None: `model` does, beside the drafts."""
    drafts: ChoiceModel | None = None
    """What tells of drafts that are asked for in another way than the rule's, and are other words; None: the rule does."""

    @property
    def title(self) -> str:
        return self.label if self.captain is None else f"{self.label}@{self.captain}"

    @property
    def heard(self) -> StageModels | None:
        return None if self.drafts is None else {frozenset(self.drafts.players): self.drafts}

    def content(
        self,
        written: Callable[[Sequence[Promise]], list[dict[str, Any]]],
        written_model: Callable[[ChoiceModel], dict[str, Any]],
    ) -> dict[str, Any]:
        """As it is written."""
        told: dict[str, Any] = {
            "label": self.label,
            "captain": self.captain,
            "mark": self.mark,
            "questions": self.questions,
            **(_numbers(self.model) if self.talk is None else {ENDED: _numbers(self.talk)}),
        }
        told |= {} if self.drafts is None else {DRAFTS: written_model(self.drafts)}
        return {**told, "promises": written(self.promises)} if self.promises else told


def _numbers(model: VerdictModel | TalkModel) -> dict[str, float]:
    return {name: round(value, DIGITS) for name, value in model.weights.items()}


ReadModel = Callable[[Mapping[str, Any], str], ChoiceModel]
"""From what is written, and where that stands."""


def read_verdicts(
    written: object, promises: Callable[[object], tuple[Promise, ...]], model: ReadModel
) -> dict[str, FittedVerdicts]:
    """By mark; none where a file has none, as those of an older moot."""
    if written is None:
        return {}
    if not isinstance(written, list | tuple) or not all(isinstance(each, Mapping) for each in written):
        raise UsageError(f"{WRITTEN}: {VERDICTS}: expected a list of keys and values, found {written!r:.40}")
    found = [_read(each, promises, model) for each in written]
    return {each.mark: each for each in found}


def _read(
    written: Mapping[str, Any], promises: Callable[[object], tuple[Promise, ...]], model: ReadModel
) -> FittedVerdicts:
    texts = {key: written.get(key) for key in ("mark", "label", "captain")}
    for key, value in texts.items():
        if not (isinstance(value, str) or (key == "captain" and value is None)):
            raise UsageError(f"{WRITTEN}: {VERDICTS}: expected a text under {key}, found {value!r:.40}")
    questions = written.get("questions")
    if isinstance(questions, bool) or not isinstance(questions, int) or questions < 0:
        raise UsageError(f"{WRITTEN}: {VERDICTS}: questions: expected a number, found {questions!r:.40}")
    talk = _talk(written.get(ENDED), questions)
    weights = [
        checked_weight(written.get(key), f"{VERDICTS}.{key}") for key in ("bias", "slope", "own") if talk is None
    ]
    of_verdicts = UNMOVED if talk is not None else VerdictModel(*weights, questions=questions)
    mark, label, captain = (texts[key] for key in ("mark", "label", "captain"))
    made = promises(written.get("promises"))
    drafts = written.get(DRAFTS)
    if drafts is not None and not isinstance(drafts, Mapping):
        raise UsageError(f"{WRITTEN}: {VERDICTS}.{DRAFTS}: expected keys and values, found {drafts!r:.40}")
    of_drafts = None if drafts is None else model(drafts, f"{VERDICTS}.{DRAFTS}")
    return FittedVerdicts(str(mark), str(label), captain, of_verdicts, questions, made, talk, of_drafts)


UNMOVED = VerdictModel(0.0, 1.0, 0.0)
"""The drafts as they are: what stands where there are none."""


def _talk(written: object, questions: int) -> TalkModel | None:
    if written is None:
        return None
    if not isinstance(written, Mapping):
        raise UsageError(f"{WRITTEN}: {VERDICTS}.{ENDED}: expected keys and values, found {written!r:.40}")
    names = TalkModel(0.0, 0.0, 0.0, 0.0).weights
    weights = {name: checked_weight(written.get(name), f"{VERDICTS}.{ENDED}.{name}") for name in names}
    return TalkModel(**weights, questions=questions)
