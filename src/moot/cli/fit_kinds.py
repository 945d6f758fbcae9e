"""`moot fit`, where the questions are of several kinds: what tells how sure an answer is, for each of them by itself.

Whoever is good at choosing a letter need not be good at free answers, and those who agree on one are right less often there. So
of each kind of which there are enough graded questions a file holds what these alone teach: probabilities, the models of those
who are asked one after another, promises, and what verdicts are worth. Of the others it tells nothing, and says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from moot.decide.candidates import Candidates
from moot.decide.cascading import StageModels, best_order, in_waves, learnt_order, stage_models
from moot.decide.choice_model import ChoiceModel
from moot.decide.kinds_apart import most_probable_by_kind
from moot.decide.learning import FEWEST, Learner, LearntRule, too_few_to_learn
from moot.decide.rule_file import FORM, KINDS, OF_A_KIND
from moot.decide.studied import Studied
from moot.later import numpy as np
from moot.stats.counted_words import count


def kinds_of(taught: Studied) -> tuple[str, ...]:
    """Of the questions that teach: those of which it is known what is right."""
    return tuple(sorted({taught.lessons[place].question.kind for place in np.flatnonzero(taught.candidates.settled)}))


@dataclass(frozen=True, slots=True, eq=False)
class TaughtByKind:
    """What is taught, in as many parts as there are kinds."""

    taught: Studied
    """By kind, where there are several."""
    kinds: tuple[str, ...]

    @classmethod
    def of(cls, taught: Studied) -> TaughtByKind:
        kinds = kinds_of(taught)
        if len(kinds) < 2:
            return cls(taught, kinds)
        by_kind = [lesson.question.kind for lesson in taught.lessons]
        return cls(replace(taught, candidates=replace(taught.candidates, categories=tuple(by_kind))), kinds)

    @property
    def apart(self) -> bool:
        return len(self.kinds) > 1

    @property
    def learner(self) -> Learner | None:
        """None: the usual one."""
        return most_probable_by_kind if self.apart else None

    def settled_of(self, kind: str) -> tuple[Candidates, list[str]]:
        """The questions of a kind that teach, and what each is a part of."""
        lessons = self.taught.lessons
        places = [
            place for place in np.flatnonzero(self.taught.candidates.settled) if lessons[place].question.kind == kind
        ]
        known = self.taught.candidates.graded(np.array(places, dtype=np.intp))
        return replace(known, categories=()), [self.taught.units[place] for place in places]

    def told(self) -> Iterator[str]:
        """The kinds of which there are enough."""
        for kind in self.kinds:
            known, units = self.settled_of(kind)
            if too_few_to_learn(len(known), units) is None:
                yield kind

    def notes(self) -> Iterator[str]:
        """In words: of the others, what comes of it."""
        told = {*self.told()}
        for kind in self.kinds:
            if self.apart and kind not in told:
                known, units = self.settled_of(kind)
                apart = len(set(units))
                together = "" if apart == len(known) else f", of which {apart:,} do not belong together"
                yield (
                    f"{count(len(known), 'question')} of kind {kind}{together}: with fewer than {FEWEST} the rule tells "
                    "no probability there, and promises nothing"
                )


def stages_for(
    known: Candidates, model: ChoiceModel, learnt: LearntRule, by_all: Candidates, cheapest: Sequence[str] | None
) -> StageModels:
    """For whoever asks one player after another, in each of the orders that a file may name. `known`, `model`: the questions that
    teach it, and what they teach of everybody. `by_all`: the questions of all kinds, by which it is known who is the best."""
    players = known.players
    orders = [learnt_order(model, learnt.rule.by_model(model)), best_order(by_all)]
    if cheapest is not None:
        orders.append([players.index(name) for name in cheapest])
    orders += [[seat] for seat in range(len(players))]  # how often each is right by itself
    found: dict[frozenset[str], ChoiceModel] = {}
    for order in orders:
        found |= stage_models(known, in_waves(order), model.penalty, model)
    return found


def of_kind(content: Mapping[str, Any], kind: str, part: Mapping[str, Any]) -> dict[str, Any]:
    """A whole rule as it is for questions of this kind alone."""
    return {
        **{key: value for key, value in content.items() if key not in OF_A_KIND},
        **part,
        "form": FORM,
        KINDS: [kind],
    }
