"""How sure the answers of a strategy are, and from where on they are given: by what a run teaches, or by a rule file.

Where drafts alone decide, by a rule that is known here, the model of the drafts tells it. Whoever asks on after them, such as
a captain, may know more than they tell, or less: so it is learnt beside the drafts what the strategy's own graded verdicts on
other questions were worth. A strategy from outside is one of these, whatever it does with the drafts. A cascade with a last
stage is both: the drafts tell of where it was sure enough, and the graded verdicts of that stage of the rest. Where nobody
drafts alone, as in a discussion, how it ended tells (`moot.decide.talk_chance`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from moot.ballots.cut_voices import cut_players
from moot.decide.abstain_option import Abstain
from moot.decide.candidates import SILENT
from moot.decide.cascade import Cascade
from moot.decide.cascade_promise import HeardBy, cascade_promise, staged_promise
from moot.decide.choice_model import ChoiceModel
from moot.decide.deciding import Kept, RuleVote, candidates_here, place_of
from moot.decide.learning import PLURALITY
from moot.decide.learnt import LearntVote
from moot.decide.promise import Promise, largest_cluster, level_of_each, promise_of
from moot.decide.rule_file import FittedRule
from moot.decide.rules import Plurality
from moot.decide.studied import NothingLearnt, Studied, studied
from moot.decide.talk_chance import TalkModel, TaughtTalk, end_of
from moot.decide.taught_verdicts import TaughtVerdicts, place_of_holders
from moot.decide.verdict_chance import VerdictModel
from moot.later import numpy as np
from moot.strategies import Strategy, traits_of
from moot.strategies.option_values import option_json
from moot.strategies.vote import Vote
from moot.team import Team
from moot.team.lessons import FOLDS
from moot.traces import Cascaded, Grouped, of_kind
from moot.types import Grouping, Verdict, canonical_json

LEVEL_OF_A_FOLD = level_of_each(FOLDS)
"""Every fold of a run has a threshold of its own, and the run keeps its promise where all of them are kept."""


def drafts_decide(strategy: Strategy) -> bool:
    """Whether nothing but the drafts decides, by a rule that is known here."""
    if isinstance(strategy, Cascade):
        return strategy.last_stage is None
    return isinstance(strategy, Vote | RuleVote)


def why_no_probability(strategy: Strategy) -> str | None:
    """Why nothing tells how sure the answers of a strategy are; None: something does."""
    if isinstance(strategy, Vote) and strategy.early_stop:
        return "early_stop leaves players unheard, and how sure an answer is hangs on all of them"
    if drafts_decide(strategy):
        return None
    if traits_of(whose_verdicts(strategy)).learns:
        return (
            f"{strategy.name} learns from the graded drafts of the run and then asks on, and how sure it is would be learnt from "
            "the same questions; expected a strategy that learns nothing, or one that decides from drafts alone"
        )
    return None


def learns_from_verdicts(strategy: Strategy) -> bool:
    """Whether it takes graded verdicts of the strategy itself, or of its last stage, to tell how sure it is."""
    return why_no_probability(strategy) is None and not drafts_decide(strategy)


def whose_verdicts(strategy: Strategy) -> Strategy:
    """Whose graded verdicts tell how sure it is: of a cascade those of its last stage, which decides from the same drafts
    whatever the cascade has learnt; its own path is replayed."""
    last = strategy.last_stage if isinstance(strategy, Cascade) else None
    return strategy if last is None else last


def drafts_nothing(strategy: Strategy) -> bool:
    """Whether its players give no answer alone."""
    return traits_of(strategy).drafts is None


def kept_by(strategy: Strategy, team: Team) -> Kept:
    if isinstance(strategy, Vote):
        return Kept(Plurality(), PLURALITY, "everybody counts alike")
    assert isinstance(strategy, RuleVote), why_no_probability(strategy)
    return strategy.kept(team)


def promised_by(rule: FittedRule, strategy: Strategy, target: float) -> Promise | None:
    """What a rule that was read from a file promises of this strategy's answers; None: nothing for this target."""
    if learns_from_verdicts(strategy):
        several = () if rule.of_strategy is None else rule.of_strategy.promises
    else:
        learnt = isinstance(strategy, LearntVote)
        kind = rule.kept_rule.kind if learnt else PLURALITY if isinstance(strategy, Vote) else ""
        several = rule.promises.get(kind, ())
    return next((each for each in several if each.target == target), None)


@dataclass(frozen=True, slots=True, eq=False)
class HowSure:
    """What tells how sure an answer is, and from where on it is given."""

    heard: HeardBy | None
    """None: nothing does."""
    why: str
    """What it was learnt from; where nothing was, why not."""
    below: float | None = None
    """None: where the team may abstain, nothing is given."""
    held: str = ""
    """Why nothing is, or what is promised of what is."""
    verdicts: VerdictModel | None = None
    """What the strategy's own verdicts are worth beside the drafts; None: drafts alone decide."""
    staged: bool = False
    """Its verdicts are of a last stage alone, and where that was not played drafts decide."""
    talk: TalkModel | None = None
    """What tells by how it ended; None: drafts do."""
    category: str = ""
    """Of the question."""

    def asks_on(self, verdict: Verdict) -> bool:
        """Whether it must be known whose draft this says."""
        return self.verdicts is not None and (not self.staged or any(of_last_stage(verdict)))


def of_last_stage(verdict: Verdict) -> Iterator[str]:
    """The stage that a cascade ended with, where it did."""
    return (path.then for path in of_kind(verdict.traces, Cascaded) if path.then is not None)


def sureness(strategy: Strategy, abstain: Abstain | None, rule: FittedRule | None, team: Team) -> tuple[Team, HowSure]:
    """How sure this team's answers are; and the team as it decides: with the lessons that are not kept for a promise."""
    if rule is not None:
        return team, of_rule(rule, strategy, abstain)
    players = tuple(player.name for player in team.players)
    taught = studied(team.lessons, players)
    if abstain is None or abstain.target is None:
        told = _told(strategy, taught, None if abstain is None else abstain.below)
        return team, replace(told, category=team.category)
    lessons, kept_for_it = taught.parted()
    deciding = replace(team, lessons=lessons)
    target = abstain.target

    def made() -> HowSure:
        learnt = studied(lessons, players)
        told = _told(strategy, learnt, None)
        if told.heard is None and told.talk is None:
            return told
        kept = studied(kept_for_it, players)
        promise = _promise(strategy, told, deciding, kept, target, largest_cluster(taught.units))
        return replace(told, below=promise.threshold, held=promise.words())

    # Not the strategy itself: one that another package brings may have an option that cannot be a key.
    played = type(strategy), canonical_json(option_json(strategy))
    return deciding, replace(taught.once(("promise", played, target), made), category=team.category)


def _promise(strategy: Strategy, told: HowSure, deciding: Team, kept: Studied, target: float, largest: int) -> Promise:
    level = LEVEL_OF_A_FOLD
    if told.talk is not None:
        return TaughtTalk.of(kept).promise(told.talk, target, level=level, largest=largest)
    assert told.heard is not None, "nothing is promised of what nobody knows"
    everybody = told.heard(frozenset(kept.candidates.players))
    assert everybody is not None, "what is learnt of some is learnt of all"
    if told.staged and told.verdicts is not None and isinstance(strategy, Cascade):
        played, asking = TaughtVerdicts.of(kept), strategy.asking(deciding)
        return staged_promise(asking, told.heard, told.verdicts, played, target, level=level, largest=largest)
    if told.verdicts is not None:
        return TaughtVerdicts.of(kept).promise(everybody, told.verdicts, target, level=level, largest=largest)
    if isinstance(strategy, Cascade):
        asking = strategy.asking(deciding)
        return cascade_promise(asking, told.heard, *kept.for_promise(), target, level=level, largest=largest)
    rule = kept_by(strategy, deciding).rule
    return promise_of(rule, everybody, *kept.for_promise(), target, level=level, largest=largest)


def of_rule(rule: FittedRule, strategy: Strategy, abstain: Abstain | None) -> HowSure:
    if learns_from_verdicts(strategy):
        told = _of_verdicts(rule, strategy)
    else:
        told = HowSure(rule.stages.get, learnt_from(rule.questions))
    if abstain is None:
        return told
    if abstain.target is None:
        return replace(told, below=abstain.below)
    promise = promised_by(rule, strategy, abstain.target)
    if promise is None:
        assert told.heard is None, "a rule that promises something else is refused when the file is read"
        assert told.talk is None, "the same"
        return told
    return replace(told, below=promise.threshold, held=promise.words())


def _of_verdicts(rule: FittedRule, strategy: Strategy) -> HowSure:
    fitted = rule.of_strategy
    if fitted is None:
        return HowSure(None, why_not_in(strategy))
    why = taught_by_verdicts(strategy, fitted.questions)
    if fitted.talk is not None:
        return HowSure(None, why, talk=fitted.talk)
    models = rule.stages if fitted.heard is None else fitted.heard
    return HowSure(models.get, why, verdicts=fitted.model, staged=isinstance(strategy, Cascade))


def taught_by_verdicts(strategy: Strategy, questions: int) -> str:
    last = whose_verdicts(strategy)
    whose = "its own graded verdicts" if last is strategy else f"the graded verdicts of {last.name}, and the drafts"
    return f"from {questions:,} of {whose}"


def why_not_in(strategy: Strategy) -> str:
    """That a rule tells nothing of this strategy."""
    return (
        f"the rule tells nothing of {strategy.name} as it is played here: moot fit FILE -o rule.json learns it from a run "
        "in which it was played without abstain, with this captain, these options and prompts"
    )


def why_unheard(rule: FittedRule, strategy: Strategy, team: Team) -> str | None:
    """Why a rule does not tell how sure a cascade is, wherever it may stop; None: it does."""
    if not isinstance(strategy, Cascade):
        return None
    kinds: list[tuple[str | None, FittedRule]] = [*rule.by_kind.items()] or [(None, rule)]
    return next((why for kind, part in kinds if (why := _why_unheard(part, strategy, team, kind)) is not None), None)


def _why_unheard(rule: FittedRule, strategy: Cascade, team: Team, kind: str | None) -> str | None:
    asked: list[str] = []
    players = [player.name for player in team.players]
    for wave in strategy.asking(team, kind).waves:
        asked += [players[seat] for seat in wave]
        if frozenset(asked) not in rule.stages:
            heard = " and ".join(asked)
            return (
                f"the rule does not tell how sure an answer is where only {heard} {'was' if len(asked) == 1 else 'were'} asked; "
                "expected order: learnt or best, or cheapest where all prices are known"
            )
    return None


def _told(strategy: Strategy, taught: Studied, below: float | None) -> HowSure:
    if drafts_nothing(strategy):
        return _told_by_end(strategy, taught, below)
    if isinstance(strategy, Cascade):
        taught = taught.pooled()
    model = taught.model()
    if isinstance(model, NothingLearnt):
        return HowSure(None, model.why)

    def heard(names: frozenset[str]) -> ChoiceModel | None:
        found = taught.model_of(names)
        return None if isinstance(found, NothingLearnt) else found

    if drafts_decide(strategy):
        return HowSure(heard, learnt_from(int(taught.candidates.settled.sum())), below)
    penalty, category_pull = model.penalty, model.category_pull
    played = taught.once("its verdicts", lambda: TaughtVerdicts.of(taught))
    until = strategy.threshold if isinstance(strategy, Cascade) else None
    verdicts = taught.once(
        ("its verdict model", until), lambda: played.learn(penalty, until, category_pull=category_pull)
    )
    if isinstance(verdicts, NothingLearnt):
        return HowSure(None, verdicts.why)
    why = taught_by_verdicts(strategy, played.graded)
    return HowSure(heard, why, below, verdicts=verdicts, staged=isinstance(strategy, Cascade))


def _told_by_end(strategy: Strategy, taught: Studied, below: float | None) -> HowSure:
    played = taught.once("how it ended", lambda: TaughtTalk.of(taught))
    learnt = taught.once("what ends are worth", played.learn)
    if isinstance(learnt, NothingLearnt):
        return HowSure(None, learnt.why)
    return HowSure(None, taught_by_verdicts(strategy, played.graded), below, talk=learnt)


def learnt_from(questions: int | None) -> str:
    return "from graded questions" if questions is None else f"from {questions:,} graded questions"


@dataclass(frozen=True, slots=True)
class WhoseWord:
    """Whose drafts say what a verdict says, and which drafts mean the same."""

    groups: tuple[tuple[str, ...], ...]
    holders: tuple[str, ...] | None
    """Nobody: the answer is new. None: not known."""


def chance_of(verdict: Verdict, sure: HowSure, whose: WhoseWord | None) -> float | None:
    """The probability that a verdict is right; None: nothing tells it. `whose`: where the strategy asked on."""
    if sure.talk is not None:
        return float(sure.talk.chances(np.array([end_of(verdict)]))[0])
    if sure.heard is None or cut_players(verdict.answers):
        return None
    if sure.verdicts is not None and sure.asks_on(verdict):
        return None if whose is None else _verdict_chance(sure, verdict, whose)
    grouped = of_kind(verdict.traces, Grouped)
    if not grouped or not verdict.who:
        return None
    grouping = Grouping(grouped[-1].groups, grouped[-1].stages)
    number = grouping.group_of(verdict.who[0])
    model = sure.heard(_asked(verdict))
    if model is None or number is None or not set(grouping.players) <= set(model.players):
        return None
    candidates = candidates_here(model.players, grouping.groups, sure.category)
    return float(model.probabilities(candidates)[0, place_of(candidates, grouping.groups[number])])


def _asked(verdict: Verdict) -> frozenset[str]:
    """Whoever a cascade did not ask is not silent: nothing is known of it."""
    for path in of_kind(verdict.traces, Cascaded):
        return frozenset(name for wave in path.asked for name in wave)
    return frozenset(draft.player for draft in verdict.answers)


def _verdict_chance(sure: HowSure, verdict: Verdict, whose: WhoseWord) -> float | None:
    assert sure.heard is not None, "else nothing of it is asked"
    assert sure.verdicts is not None, "the same"
    model = sure.heard(_asked(verdict))
    if model is None or whose.holders is None:
        return None
    grouping = Grouping(whose.groups, ("alone",) * len(whose.groups))
    candidates = candidates_here(model.players, grouping.groups, sure.category)
    place = place_of_holders(candidates, 0, whose.holders)
    own = np.array([place == SILENT])
    drafted = model.probabilities(candidates)[0, max(place, 0)]
    return float(sure.verdicts.chances(np.array([drafted]), own)[0])
