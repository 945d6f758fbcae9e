"""`moot fit`: how sure an answer is, by a rule as it is written: what is promised, and what verdicts are worth beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from moot.cli.fit_cascades import learn_cascades
from moot.cli.fit_lessons import FittedTeam, StoredLessons
from moot.cli.fit_verdicts import VerdictsLearnt, learn_in_other_way, learn_played
from moot.decide.fitted_verdicts import VERDICTS
from moot.decide.learning import PLURALITY
from moot.decide.promise import Promise, largest_cluster, promise_of
from moot.decide.rule_file import FittedRule, promise_rows, promises_content, rule_of, written_model
from moot.decide.rules import Plurality
from moot.decide.studied import Studied, studied
from moot.team import Team


@dataclass(frozen=True, slots=True)
class ToldByRule:
    """Beside a rule: of its answers, and of those of the strategies that were played."""

    verdicts: VerdictsLearnt
    promises: Mapping[str, Sequence[Promise]]
    """By kind of rule."""
    targets: Sequence[float]

    def content(self) -> dict[str, Any]:
        """As it is written."""
        told: dict[str, Any] = {VERDICTS: [each.content(promise_rows, written_model) for each in self.verdicts.fitted]}
        return {**told, "promises": promises_content(self.promises)} if self.targets else told

    def words(self) -> Iterator[str]:
        for kind, several in self.promises.items():
            yield from (f"{kind}: {promise.words()}." for promise in several)
        yield from self.verdicts.words()


@dataclass(frozen=True, slots=True, eq=False)
class TellingLessons:
    """What a store has of a team: the lessons that teach, and those that promises are made on."""

    every: Studied
    teaching: Sequence[int]
    kept_apart: Sequence[int]
    stored: StoredLessons
    table: FittedTeam
    seated: Team
    targets: Sequence[float]

    def told(self, content: Mapping[str, Any], kind: str) -> ToldByRule:
        """By questions of one kind. `content`: the rule as it is written for these."""
        lessons, stored, targets, players = self.every.lessons, self.stored, self.targets, self.table.players
        teaching, kept_apart = (
            [place for place in places if lessons[place].question.kind == kind]
            for places in (self.teaching, self.kept_apart)
        )
        verdicts = learn_played(rule_of(content).stages.get, self.every, teaching, kept_apart, stored.played, targets)
        if stored.cascades:
            asked = (stored.cascades, self.seated, content, self.every, teaching, kept_apart, stored.played, targets)
            verdicts += learn_cascades(*asked)
        for other in stored.others:
            verdicts += learn_in_other_way(other, players, targets, kind)
        made: Mapping[str, Sequence[Promise]] = {}
        if targets:
            kept = studied(tuple(lessons[place] for place in kept_apart), players)
            made = _promises(rule_of(content), kept, targets, largest_cluster(self.every.units))
        return ToldByRule(verdicts, made, targets)


def _promises(
    rule: FittedRule, kept_for_it: Studied, targets: Sequence[float], largest: int
) -> dict[str, tuple[Promise, ...]]:
    """What can be promised of the rule as it is written, and of a vote, on questions that taught neither of them."""
    model = rule.kept_rule.model
    assert model is not None, "a rule that is read has one"
    asked = kept_for_it.for_promise()
    rules = {PLURALITY: Plurality(), rule.kept_rule.kind: rule.kept_rule.rule}
    return {
        kind: tuple(promise_of(each, model, *asked, target, largest=largest) for target in targets)
        for kind, each in rules.items()
    }
