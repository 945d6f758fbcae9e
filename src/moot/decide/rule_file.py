"""What `moot fit` writes: a small readable file with what was learnt, of whom, how good it was, and from which questions.

Who decides by it is its own team: the same players with the same models, asked in the same words. So it says of each who it
was, and whoever builds a team holds that against it (`RuleSeat`). What a rule is does not hang on when it was written, nor on
the words beside it: its mark is made of what decides alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any, get_args

from moot.decide.cascading import StageModels
from moot.decide.choice_model import ChoiceModel
from moot.decide.deciding import Kept
from moot.decide.fitted_verdicts import VERDICTS, FittedVerdicts, read_verdicts
from moot.decide.learning import BEST_SINGLE, LEARNT, PLURALITY, LearntRule
from moot.decide.promise import Promise
from moot.decide.rule_border import LONGEST_WHY, WRITTEN, check_values, checked_count, checked_figure, checked_weight
from moot.decide.rules import DIGITS, DraftRule, Leader, MostProbable, Plurality
from moot.errors import UsageError
from moot.later import numpy as np
from moot.models.border import words
from moot.types import Estimate, QuestionKind, digest

FORM = 1
"""Of the file. A newer one is not read as if it were this."""
FORM_BY_KIND = 2
"""Of one that tells questions of several kinds apart. Whoever knows the other alone would take them for one."""
DECIDING = ("kept", "leader", "players", "prompts", "probability")
STAGES = "stages"
"""What was learnt of some of the players alone: a rule needs none, who asks one after another does."""
KINDS = "kinds"
"""Of the questions that taught it: of others it tells no probability."""
BY_KIND = "by_kind"
"""Where these are several: of each of which enough taught it what it goes by there, in place of what it says of all."""
OF_A_KIND = ("probability", STAGES, "learnt_from", "promises", VERDICTS)
READ = ("form", "why", "figures", "learnt_from", "promises", VERDICTS, STAGES, KINDS, BY_KIND, *DECIDING)
"""What is made use of; the rest is for people."""


NO_STAGES: StageModels = {}


class RuleContent(dict[str, Any]):
    """A rule as it is written. In a strategy's label it is a mark: what differs must not look alike."""

    def __str__(self) -> str:
        stages = [self[STAGES]] if STAGES in self else []
        parts = self.get(BY_KIND, {}) if self.get("form") == FORM_BY_KIND else {}
        by_kind = [[kind, part.get("probability"), part.get(STAGES)] for kind, part in sorted(parts.items())]
        return digest([*(self.get(key) for key in DECIDING), *stages, *([by_kind] if by_kind else [])])[:8]

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(str(self))

    @classmethod
    def made_use_of(cls, content: Mapping[str, Any]) -> RuleContent:
        return cls((key, content[key]) for key in READ if key in content)


def is_rule(value: object) -> bool:
    """Whether an option that was stored is a rule."""
    return isinstance(value, Mapping) and "form" in value and set(DECIDING) <= value.keys()


@dataclass(frozen=True, slots=True)
class RuleSeat:
    """Who a player was when it was learnt about."""

    name: str
    model: str
    """Its name in the file."""
    model_mark: str
    """Of what it is: provider, address, model, parameters."""
    asked_mark: str
    """Of how it is asked: instruction, persona, worked examples."""


@dataclass(frozen=True, slots=True, eq=False)
class FittedRule:
    """A rule, read."""

    seats: tuple[RuleSeat, ...]
    prompts: str
    """A mark of the templates that drafts are asked for with."""
    kept_rule: Kept
    expected: Estimate | None
    """How often it was right on questions that it was not learnt on."""
    accuracy: Mapping[str, float] = field(default_factory=dict)
    """By player, on the questions that it was learnt on; empty where the file does not say."""
    stages: StageModels = field(default_factory=dict)
    """What was learnt of some of the players alone, for whoever asks them one after another; of all of them too."""
    mark: str = ""
    """Of what decides."""
    questions: int | None = None
    """So many taught it."""
    promises: Mapping[str, tuple[Promise, ...]] = field(default_factory=dict)
    """By kind of rule, its own and plurality: thresholds with a promise."""
    verdicts: Mapping[str, FittedVerdicts] = field(default_factory=dict)
    """By a mark of what was played: what the verdicts of strategies are worth that ask on after the drafts."""
    before_clusters: bool = False
    """Some of its promises were made by a moot that took every question for itself."""
    of_strategy: FittedVerdicts | None = None
    """Of these the one that is asked about, where a strategy holds the rule that it needs it of."""
    by_kind: Mapping[str, FittedRule] = field(default_factory=dict)
    """Where questions of several kinds taught it: what it is for each of which there were enough."""

    def for_kind(self, kind: str) -> FittedRule:
        """What it is for questions of this kind. Where these are unlike all that taught it, or too few of them did, it decides
        by what all taught, and tells nothing of how sure it is."""
        return self.by_kind.get(kind, self)

    @property
    def parts(self) -> tuple[FittedRule, ...]:
        """That tell how sure an answer is: itself, or one for each kind of questions."""
        return tuple(self.by_kind.values()) or (self,)

    def telling_of(self, find: Callable[[FittedRule], FittedVerdicts | None]) -> FittedRule:
        """With what it tells of the verdicts of one strategy, of questions of whichever kind."""
        by_kind = {kind: part.telling_of(find) for kind, part in self.by_kind.items()}
        found = (part.of_strategy for part in by_kind.values()) if by_kind else (find(self),)
        return replace(self, of_strategy=next((each for each in found if each is not None), None), by_kind=by_kind)

    @property
    def players(self) -> tuple[str, ...]:
        return tuple(seat.name for seat in self.seats)


def rule_content(
    learnt: LearntRule,
    seats: Sequence[RuleSeat],
    prompts: str,
    *,
    accuracy: Sequence[float],
    told: Mapping[str, Any],
    stages: StageModels = NO_STAGES,
    kinds: Iterable[str] = (),
) -> dict[str, Any]:
    """As it is written. `kinds`: of the questions that taught it. `told`: what stands beside the rule, such as figures, notes,
    where it was learnt and when."""
    model = learnt.model
    return {
        "form": FORM,
        "kept": learnt.kept,
        "why": learnt.words(),
        "words": learnt.rule.players_in_words([seat.name for seat in seats]),
        "leader": learnt.rule.leader,
        "players": {
            seat.name: {
                "model": seat.model,
                "right": _rounded(right),
                "model_mark": seat.model_mark,
                "asked_mark": seat.asked_mark,
            }
            for seat, right in zip(seats, accuracy, strict=True)
        },
        "prompts": prompts,
        KINDS: sorted(set(kinds)),
        "probability": written_model(model),
        STAGES: [written_model(stages[names]) for names in sorted(stages, key=_by_size) if len(names) < len(seats)],
        **told,
    }


def part_content(model: ChoiceModel, stages: StageModels, questions: int) -> dict[str, Any]:
    """What so many questions of one kind taught, as it is written."""
    some = [written_model(stages[names]) for names in sorted(stages, key=_by_size) if len(names) < len(model.players)]
    return {"probability": written_model(model), STAGES: some, "learnt_from": {"questions": questions}}


def _by_size(names: frozenset[str]) -> tuple[int, list[str]]:
    return len(names), sorted(names)


def written_model(model: ChoiceModel) -> dict[str, Any]:
    return {
        "weights": {name: _rounded(weight) for name, weight in zip(model.players, model.weights, strict=True)},
        "common": _rounded(model.common),
        "none": [_rounded(part) for part in model.none],
        "penalty": model.penalty,
    }


def _rounded(value: float) -> float:
    return round(float(value), DIGITS)


def rule_of(content: Mapping[str, Any]) -> FittedRule:
    """What a file says, checked: it may have been written by hand, or by somebody else."""
    check_values(content, READ)
    form = content.get("form")
    if type(form) is not int or form not in (FORM, FORM_BY_KIND):
        newer = " (a newer moot wrote it)" if type(form) is int and form > FORM_BY_KIND else ""
        raise UsageError(f"{WRITTEN}: form {FORM} or {FORM_BY_KIND}, found {form!r:.40}{newer}")
    players = _mapping(content, "players")
    if len(players) < 2:
        raise UsageError(f"{WRITTEN}: players: expected two or more")
    marks = ("model", "model_mark", "asked_mark")
    seats = tuple(
        RuleSeat(str(name), *(_text(_mapping(players, name), key, f"players.{name}") for key in marks))
        for name in players
    )
    questions = _questions(content.get("learnt_from"))
    model = _model(_mapping(content, "probability"), tuple(seat.name for seat in seats), questions=questions)
    kept, rule = _rule(content, model)
    why, kinds, by_kind = content.get("why"), _kinds(content.get(KINDS)), _by_kind(content)
    together = kinds if not by_kind and len(kinds) > 1 else frozenset[str]()
    return FittedRule(
        seats,
        _text(content, "prompts", "prompts"),
        Kept(
            rule,
            kept,
            _cut_why(why),
            model,
            rule.voices(model.players),
            frozenset(by_kind) or kinds - together,
            together,
        ),
        _expected(content.get("figures"), kept),
        _accuracy(players),
        {frozenset(model.players): model, **_stages(content.get(STAGES), model.players, questions)},
        str(RuleContent(content)),
        questions,
        _promises(content.get("promises")),
        read_verdicts(content.get(VERDICTS), _several_promises, partial(_of_some, model.players)),
        any(part.before_clusters for part in by_kind.values()) or _before_clusters(content),
        by_kind=by_kind,
    )


def _by_kind(content: Mapping[str, Any]) -> dict[str, FittedRule]:
    """By kind of questions; none where one kind taught it."""
    if content.get("form") != FORM_BY_KIND:
        return {}
    found = _mapping(content, BY_KIND)
    kinds = _kinds(sorted(found))
    whole = {key: value for key, value in content.items() if key not in (BY_KIND, *OF_A_KIND)}
    return {kind: rule_of({**whole, "form": FORM, **_part(found, kind), KINDS: [kind]}) for kind in sorted(kinds)}


def _part(found: Mapping[str, Any], kind: str) -> dict[str, Any]:
    part = _mapping(found, kind, f"{BY_KIND}.")
    return {key: part[key] for key in OF_A_KIND if key in part}


def _before_clusters(content: Mapping[str, Any]) -> bool:
    """Whether a promise says nothing of questions that hang together. What is written is checked already."""
    of_verdicts = [each.get("promises") or () for each in content.get(VERDICTS) or ()]
    every = [*(content.get("promises") or {}).values(), *of_verdicts]
    return any("largest" not in promise for several in every for promise in several)


def _cut_why(why: object) -> str:
    """It is in the record of every question."""
    return words(why, LONGEST_WHY) if isinstance(why, str) else "as the file says"


def _kinds(written: object) -> frozenset[str]:
    """Nothing where the file does not say, as an older moot wrote it."""
    if written is None:
        return frozenset()
    if not isinstance(written, list | tuple) or not all(each in get_args(QuestionKind) for each in written):
        expected = f"expected a list of {', '.join(get_args(QuestionKind))}"
        raise UsageError(f"{WRITTEN}: {KINDS}: {expected}, found {written!r:.60}")
    return frozenset(written)


def _accuracy(players: Mapping[str, Any]) -> dict[str, float]:
    """By player; empty where one has none."""
    found = {name: seat.get("right") for name, seat in players.items()}
    known = {name: float(right) for name, right in found.items() if isinstance(right, int | float)}
    return known if len(known) == len(players) else {}


def _stages(written: object, players: Sequence[str], questions: int | None) -> StageModels:
    if written is None:
        return {}
    if not isinstance(written, list | tuple) or not all(isinstance(each, Mapping) for each in written):
        raise UsageError(f"{WRITTEN}: {STAGES}: expected a list of keys and values, found {written!r:.40}")
    models = [_of_some(players, each, STAGES, questions) for each in written]
    return {frozenset(model.players): model for model in models}


def _of_some(players: Sequence[str], written: Mapping[str, Any], place: str, taught: int | None = None) -> ChoiceModel:
    """A model of some of these players, in the order of their seats."""
    names = tuple(name for name in players if name in _mapping(written, "weights", f"{place}."))
    return _model(written, names, place, taught)


def as_written(model: ChoiceModel) -> ChoiceModel:
    """As a file has it: with fewer digits, and without a word of how many questions taught it."""
    return _model(written_model(model), model.players)


def promises_content(promises: Mapping[str, Sequence[Promise]]) -> dict[str, Any]:
    """As they are written."""
    return {kind: promise_rows(several) for kind, several in promises.items()}


def promise_rows(several: Sequence[Promise]) -> list[dict[str, Any]]:
    return [
        {key: _rounded(value) if isinstance(value, float) else value for key, value in asdict(each).items()}
        for each in several
    ]


def _questions(learnt_from: object) -> int | None:
    questions = learnt_from.get("questions") if isinstance(learnt_from, Mapping) else None
    return None if questions is None else checked_count(questions, "learnt_from.questions")


def _promises(written: object) -> dict[str, tuple[Promise, ...]]:
    if written is None:
        return {}
    if not isinstance(written, Mapping) or not all(isinstance(several, list) for several in written.values()):
        raise UsageError(f"{WRITTEN}: promises: expected lists by kind of rule, found {written!r:.40}")
    return {str(kind): tuple(map(_promise, several)) for kind, several in written.items()}


def _several_promises(written: object) -> tuple[Promise, ...]:
    if not isinstance(written, list | tuple | None):
        raise UsageError(f"{WRITTEN}: promises: expected a list, found {written!r:.40}")
    return tuple(map(_promise, written or ()))


def _promise(written: object) -> Promise:
    if not isinstance(written, Mapping):
        raise UsageError(f"{WRITTEN}: promises: expected keys and values, found {written!r:.40}")
    shares = {key: written.get(key) for key in ("target", "threshold", "coverage")}
    for key, value in shares.items():
        fits = isinstance(value, int | float) and 0 <= value <= 1
        if isinstance(value, bool) or not (fits or (key == "threshold" and value is None)):
            raise UsageError(f"{WRITTEN}: promises: {key}: expected a number, found {value!r:.40}")
    counted = ("answered", "right", "questions", "fewest")
    counts = {key: checked_count(written.get(key), f"promises: {key}") for key in counted}
    counts |= {key: checked_count(written.get(key, there), f"promises: {key}") for key, there in _alone(counts).items()}
    if not counts["right"] <= counts["answered"] <= counts["questions"]:
        found = f"{counts['right']}, {counts['answered']}, {counts['questions']}"
        raise UsageError(f"{WRITTEN}: promises: expected right ≤ answered ≤ questions, found {found}")
    return Promise(**shares, **counts)  # type: ignore[arg-type]


def _alone(counts: Mapping[str, int]) -> dict[str, int]:
    """As an older moot wrote it, without a word of questions that hang together."""
    return {"clusters": counts["questions"], "largest": 1}


def _expected(figures: object, kept: str) -> Estimate | None:
    figure = figures.get(kept) if isinstance(figures, Mapping) else None
    return checked_figure(figure, f"figures.{kept}") if isinstance(figure, Mapping) else None


def _rule(content: Mapping[str, Any], model: ChoiceModel) -> tuple[str, DraftRule]:
    kept, leader = content.get("kept"), content.get("leader")
    if kept == LEARNT:
        return LEARNT, MostProbable(model)
    if kept == PLURALITY:
        return PLURALITY, Plurality()
    if kept == BEST_SINGLE and leader in model.players:
        return BEST_SINGLE, Leader(str(leader))
    if kept == BEST_SINGLE:
        raise UsageError(f"{WRITTEN}: leader: expected one of {', '.join(model.players)}, found {leader!r:.40}")
    raise UsageError(f"{WRITTEN}: kept: expected {LEARNT}, {PLURALITY} or {BEST_SINGLE}, found {kept!r:.40}")


def _model(
    written: Mapping[str, Any], players: tuple[str, ...], place: str = "probability", questions: int | None = None
) -> ChoiceModel:
    weights = _mapping(written, "weights", f"{place}.")
    if set(weights) != set(players):
        raise UsageError(f"{WRITTEN}: {place}.weights: expected one for each of {', '.join(players)}")
    none = written.get("none")
    if not isinstance(none, list) or len(none) != 3:
        raise UsageError(f"{WRITTEN}: {place}.none: expected three numbers")
    always, spoke, different = _numbers(none, f"{place}.none")
    row = np.array(_numbers((weights[name] for name in players), f"{place}.weights"))
    (common,), (penalty,) = (_numbers([written.get(key)], f"{place}.{key}") for key in ("common", "penalty"))
    return ChoiceModel(players, row, common, (always, spoke, different), penalty, questions=questions)


def _numbers(values: Iterable[object], key: str) -> list[float]:
    return [checked_weight(value, key) for value in values]


def _mapping(content: Mapping[str, Any], key: str, place: str = "") -> Mapping[str, Any]:
    value = content.get(key)
    if not isinstance(value, Mapping):
        raise UsageError(f"{WRITTEN}: {place}{key}: expected keys and values, found {value!r:.40}")
    return value


def _text(content: Mapping[str, Any], key: str, place: str) -> str:
    value = content.get(key)
    if not isinstance(value, str):
        raise UsageError(f"{WRITTEN}: {place}: expected a text under {key}, found {value!r:.40}")
    return value
