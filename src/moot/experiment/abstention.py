"""`abstain` beside a strategy's options, and `rule` of a team: how sure answers are, and which are not given.

Both are no options of a strategy: whatever rests on drafts has a probability, and what that is learnt from is the business of
a run, or of a file that `moot fit` wrote. What cannot be told is refused here, before any call.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from moot.decide.abstain_option import Abstain
from moot.decide.cascade import cascade_mark
from moot.decide.fitted_verdicts import FittedVerdicts
from moot.decide.how_sure import learns_from_verdicts, promised_by, why_no_probability, why_not_in, why_unheard
from moot.decide.rule_file import FittedRule, rule_of
from moot.errors import UsageError
from moot.experiment.fitted import AGAIN, fitted_rule, played_mark, prompts_mark, read_rule, rule_mismatch
from moot.experiment.plan import Cell
from moot.experiment.selected import NOT_CHOSEN, ChosenOn
from moot.experiment.spec import ExperimentFile
from moot.pasted import pasted
from moot.prompts import Prompts
from moot.strategies import Strategy, traits_of
from moot.strategies.option_values import ABSTAIN
from moot.team import Team
from moot.types import Case


def abstention_of(file: ExperimentFile, position: int) -> Abstain | None:
    """What an entry of the file says under `abstain`; None: nothing."""
    entry = file.spec.strategies[position]
    name, options = next(iter(entry.items())) if isinstance(entry, Mapping) else (entry, {})
    if not isinstance(options, Mapping) or ABSTAIN not in options:
        return None
    try:
        return Abstain.of(options[ABSTAIN])
    except UsageError as error:
        raise file.error(("strategies", position, name, ABSTAIN), str(error)) from None


def check_abstention(file: ExperimentFile, position: int, played: Strategy, abstain: Abstain | None) -> None:
    """Only what has a probability can abstain."""
    if abstain is not None and (why := why_no_probability(played)) is not None:
        raise file.error(("strategies", position, played.name, ABSTAIN), why)


def rule_at(
    file: ExperimentFile, position: int, plain: Cell, stage: Cell, abstain: Abstain | None, prompts: Prompts
) -> tuple[FittedRule | None, str | None]:
    """The rule that tells how sure the answers of a cell are, its own, else its team's; None: what a run teaches.

    And why the rule of its team is not made use of, where there is one. `plain`: the cell as it gives all its answers;
    `stage`: whose graded verdicts tell how sure these are, which for a cascade is its last stage.
    """
    played = plain.strategy
    if plain.player is not None:
        return _of_player(file, position, plain, abstain, prompts), None
    of_team = team_rule(file, plain.team, prompts)
    if (why := why_no_probability(played)) is not None:
        return None, None if of_team is None else why
    own = fitted_rule(played)
    if own is not None or traits_of(played).learns:
        unused = "it has another of its own" if own is not None else "it learns from the other questions of a run"
        rule = None if own is None else own[1]
        if rule is not None and learns_from_verdicts(played):
            rule = rule.telling_of(lambda part: of_cascade(part, played, stage))
            if rule.of_strategy is None and abstain is None:
                return None, why_not_in(played)
        rule = _checked(file, position, plain, abstain, rule)
        same = of_team is None or (rule is not None and rule.mark == of_team.mark)
        return rule, None if same else unused
    if of_team is not None and learns_from_verdicts(played):
        of_team = of_team.telling_of(lambda part: part.verdicts.get(played_mark(plain.spec)))
        if of_team.of_strategy is None and abstain is None:
            return None, why_not_in(played)
    return _checked(file, position, plain, abstain, of_team), None


def of_cascade(rule: FittedRule, played: Strategy, stage: Cell) -> FittedVerdicts | None:
    """What a rule tells of a cascade that ends with this stage: of the very same, else of the stage wherever it is played. What
    is promised of the stage is not: another part of the questions goes as far as that, and the rest ends before it."""
    mark = played_mark(stage.spec)
    if (same := rule.verdicts.get(cascade_mark(played, mark))) is not None:
        return same
    of_stage = rule.verdicts.get(mark)
    return None if of_stage is None else replace(of_stage, promises=())


def _checked(
    file: ExperimentFile, position: int, plain: Cell, abstain: Abstain | None, rule: FittedRule | None
) -> FittedRule | None:
    """What cannot be told, or is not promised, is refused where it is asked for."""
    if rule is None or abstain is None:
        return rule
    played = plain.strategy
    if (unheard := why_unheard(rule, played, plain.team)) is not None:
        raise file.error(("strategies", position, played.name, ABSTAIN), unheard)
    if learns_from_verdicts(played) and rule.of_strategy is None:
        raise file.error(("strategies", position, played.name, ABSTAIN), why_not_in(played))
    if abstain.target is not None:
        _check_promise(file, position, played, rule, abstain.target)
    return rule


def _of_player(
    file: ExperimentFile, position: int, plain: Cell, abstain: Abstain | None, prompts: Prompts
) -> FittedRule | None:
    """Of a player alone the rule of a team that it sits in may tell how often it is right; else a run does."""
    for name in teams_with_rule(file, plain.player):
        rule = rule_of(read_rule(file.beside(str(file.spec.teams[name].rule)))[0])
        rule = rule.telling_of(lambda part: part.verdicts.get(played_mark(plain.spec)))
        if rule.of_strategy is not None and prompts_mark(prompts) == rule.prompts:
            return _checked(file, position, plain, abstain, rule)
    return None


def teams_with_rule(file: ExperimentFile, player: str | None) -> list[str]:
    return [name for name, spec in file.spec.teams.items() if spec.rule is not None and player in spec.players]


def team_rule(file: ExperimentFile, lineup: Team, prompts: Prompts) -> FittedRule | None:
    """What `moot fit` wrote of this team, held against who sits there."""
    spec = file.spec.teams.get(lineup.name)
    if spec is None or spec.rule is None:
        return None
    rule = rule_of(read_rule(file.beside(spec.rule))[0])
    names = [player.name for player in lineup.players]
    problem: str | None = None
    if set(names) != set(rule.players):
        problem = f"the rule was learnt of {', '.join(rule.players)}, and here sit {', '.join(names)}"
    problem = problem or rule_mismatch(rule, lineup, prompts)
    if problem is not None:
        raise file.error(("teams", lineup.name, "rule"), f"{problem}; {AGAIN}")
    return rule


def rule_taught_on(file: ExperimentFile, cell: Cell, cases: Iterable[Case]) -> ChosenOn:
    """The questions that the rule of a team was learnt from; none where it has none, nor for a player who gives all answers."""
    if cell.player is not None and cell.abstain is None:
        return NOT_CHOSEN
    found, asked = NOT_CHOSEN, list(cases)
    for name in teams_with_rule(file, cell.player) if cell.player is not None else [cell.team.name]:
        spec = file.spec.teams.get(name)
        if spec is not None and spec.rule is not None:
            found |= read_rule(file.beside(spec.rule))[1].among(asked)
    return found


def _check_promise(file: ExperimentFile, position: int, played: Strategy, rule: FittedRule, target: float) -> None:
    if any(promised_by(part, played, target) is not None for part in rule.parts):
        return
    held = sorted({each.target for part in rule.parts for several in part.promises.values() for each in several})
    told = f"it promises {', '.join(f'{each:g}' for each in held)}" if held else "it promises nothing"
    again = f"moot fit {pasted(file.path)} --promise {target:g} -o rule.json makes one that does"
    if target in held:
        problem = (
            f"target: the rule promises {target:g} of a vote and of learnt, and nothing of {played.name}; "
            "expected it beside vote, or learnt: {from: ...}"
        )
        raise file.error(("strategies", position, played.name, ABSTAIN), problem)
    problem = f"target: the rule does not hold {target:g} of {played.name} ({told}); {again}"
    raise file.error(("strategies", position, played.name, ABSTAIN), problem)
