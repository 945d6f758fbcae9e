"""`moot fit`, of strategies that ask on after the drafts: how sure each of them is, beside the rule over the drafts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from moot.decide.cascade import Cascade
from moot.decide.cascade_promise import HeardBy
from moot.decide.choice_model import ChoiceModel
from moot.decide.deciding import RuleVote
from moot.decide.fitted_verdicts import UNMOVED, FittedVerdicts
from moot.decide.promise import largest_cluster
from moot.decide.rule_file import as_written
from moot.decide.studied import NothingLearnt, Studied, studied
from moot.decide.talk_chance import TaughtTalk
from moot.decide.taught_verdicts import TaughtVerdicts
from moot.errors import UsageError
from moot.measures.graded_drafts import GradedDrafts
from moot.measures.graded_verdicts import PlayedVerdicts
from moot.measures.source import Stored
from moot.strategies import strategy_class
from moot.strategies.option_values import ABSTAIN
from moot.strategies.vote import Vote
from moot.types import canonical_json


@dataclass(frozen=True, slots=True)
class OtherWay:
    """Drafts that were asked for in another way than those that the rule is about, and what strategies made of them."""

    drafts: GradedDrafts
    played: list[PlayedVerdicts]


@dataclass(frozen=True, slots=True)
class VerdictsLearnt:
    """Of every strategy that was played how sure it is, or why that is not told."""

    fitted: tuple[FittedVerdicts, ...]
    untold: tuple[str, ...]

    def __add__(self, other: VerdictsLearnt) -> VerdictsLearnt:
        return VerdictsLearnt((*self.fitted, *other.fitted), (*self.untold, *other.untold))

    def words(self) -> Iterator[str]:
        for each in self.fitted:
            yield f"{each.title}: its confidence was learnt from {each.questions:,} graded verdicts."
            yield from (f"{each.title}: {promise.words()}." for promise in each.promises)
        yield from self.untold


def learn_played(
    heard: HeardBy,
    every: Studied,
    places: Sequence[int],
    kept_for_it: Sequence[int],
    played: Sequence[PlayedVerdicts],
    targets: Sequence[float],
) -> VerdictsLearnt:
    """`heard`: what tells of the drafts, as it is written. `places`: the lessons that teach; `kept_for_it`: those that a
    promise is made on."""
    fitted, untold = [], []
    for each in played:
        if (why := each.why_unfair) is not None:
            untold += [] if _is_vote(each.strategy) else [untold_words(each.title, why)]
            continue
        if not each.drafted:
            learnt = _by_end(every, places, kept_for_it, each, targets)
            fitted += [] if isinstance(learnt, NothingLearnt) else [learnt]
            untold += [untold_words(each.title, learnt.why)] if isinstance(learnt, NothingLearnt) else []
            continue
        model = heard(frozenset(each.players))
        if model is None or _is_vote(each.strategy):
            continue
        found = TaughtVerdicts.of(with_verdicts(every, places, each)).learn(model.penalty)
        if isinstance(found, NothingLearnt):
            untold.append(untold_words(each.title, found.why))
            continue
        told = found.rounded()
        kept = TaughtVerdicts.of(with_verdicts(every, kept_for_it, each)) if targets else None
        largest = largest_cluster(every.units)
        promises = (
            () if kept is None else tuple(kept.promise(model, told, target, largest=largest) for target in targets)
        )
        graded = TaughtVerdicts.of(with_verdicts(every, places, each)).graded
        fitted.append(FittedVerdicts(each.mark, each.label, each.captain, told, graded, promises))
    return VerdictsLearnt(tuple(fitted), tuple(untold))


def _by_end(
    every: Studied, places: Sequence[int], kept_for_it: Sequence[int], played: PlayedVerdicts, targets: Sequence[float]
) -> FittedVerdicts | NothingLearnt:
    """Of a strategy whose players draft nothing alone: how it ended tells how sure it is."""
    taught = TaughtTalk.of(with_verdicts(every, places, played))
    found = taught.learn()
    if isinstance(found, NothingLearnt):
        return found
    told, largest = found.rounded(), largest_cluster(every.units)
    kept = TaughtTalk.of(with_verdicts(every, kept_for_it, played))
    promises = tuple(kept.promise(told, target, largest=largest) for target in targets)
    return FittedVerdicts(played.mark, played.label, played.captain, UNMOVED, taught.graded, promises, told)


def learn_in_other_way(
    other: OtherWay, players: tuple[str, ...], targets: Sequence[float], kind: str
) -> VerdictsLearnt:
    """Of those whose drafts the rule tells nothing of, since they are asked for otherwise: beside what their verdicts are worth
    stands what tells of such drafts. `kind`: of the questions that teach it."""
    every = studied(other.drafts.lessons, players)
    parts = every.parted() if targets else (every.lessons, ())
    teaching, kept_for_it = (tuple(each for each in part if each.question.kind == kind) for part in parts)
    taught = studied(teaching, players)
    whole = taught.model()
    why = other.drafts.why_unfair() or (whole.why if isinstance(whole, NothingLearnt) else None)
    if why is not None:
        return VerdictsLearnt((), tuple(untold_words(each.title, why) for each in other.played))
    models: dict[frozenset[str], ChoiceModel] = {}
    for names in {frozenset(each.players) for each in other.played}:
        found = taught.model_of(names)
        assert not isinstance(found, NothingLearnt), "what is learnt of all is learnt of some"
        models[names] = as_written(found)
    number = {id(lesson): place for place, lesson in enumerate(every.lessons)}
    places, kept = ([number[id(lesson)] for lesson in part] for part in (teaching, kept_for_it))
    learnt = learn_played(models.get, every, places, kept, other.played, targets)
    marks = {each.mark: frozenset(each.players) for each in other.played}
    return replace(learnt, fitted=tuple(replace(each, drafts=models[marks[each.mark]]) for each in learnt.fitted))


def untold_words(title: str, why: str) -> str:
    return f"{title}: its confidence is not known: {why}."


def abstaining_alone(cells: Iterable[Stored]) -> tuple[str, ...]:
    """Of whom nothing is learnt, since the file names it with `abstain` alone."""
    named = [cell for cell in cells if not (cell["traits"].learns and ABSTAIN not in cell["given"])]
    plain = {_played(cell) for cell in named if ABSTAIN not in cell["given"]}
    found = [
        cell["label"]
        for cell in named
        if ABSTAIN in cell["given"] and not _drafts_decide(cell["strategy"]) and _played(cell) not in plain
    ]
    return tuple(untold_words(label, HELD_BACK) for label in dict.fromkeys(found))


HELD_BACK = "what it held back nobody has graded; name it without abstain too, and run again, which asks nobody anew"


def _played(cell: Stored) -> tuple[str, bytes]:
    """What a cell plays, but for what it holds back."""
    return cell["strategy"], canonical_json({key: value for key, value in cell["given"].items() if key != ABSTAIN})


def with_verdicts(every: Studied, places: Sequence[int], played: PlayedVerdicts) -> Studied:
    lessons = tuple(replace(every.lessons[place], verdict=played.by_place.get(place)) for place in places)
    return studied(lessons, played.players)


def _is_vote(name: str) -> bool:
    """Of which the rule itself tells how sure it is."""
    return _is_one_of(name, Vote)


def _drafts_decide(name: str) -> bool:
    return _is_one_of(name, Vote, RuleVote, Cascade)


def _is_one_of(name: str, *kinds: type) -> bool:
    try:
        return issubclass(strategy_class(name), kinds)
    except UsageError:  # of a package that is not here
        return False
