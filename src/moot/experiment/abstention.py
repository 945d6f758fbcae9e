"""`abstain` beside a strategy's options, and `rule` of a team: how sure answers are, and which are not given.

Both are no options of a strategy: whatever decides from drafts alone has a probability, and what that is learnt from is the
business of a run, or of a file that `moot fit` wrote. What cannot be told is refused here, before any call.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping

from moot.decide.abstaining import ABSTAIN, Abstain, promised_by, why_no_probability
from moot.decide.rule_file import FittedRule, rule_of
from moot.errors import UsageError
from moot.experiment.fitted import AGAIN, fitted_rule, read_rule, rule_mismatch
from moot.experiment.selected import NOT_CHOSEN, ChosenOn
from moot.experiment.spec import ExperimentFile
from moot.prompts import Prompts
from moot.strategies import Strategy, traits_of
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
    file: ExperimentFile, position: int, played: Strategy, abstain: Abstain | None, lineup: Team, prompts: Prompts
) -> FittedRule | None:
    """The rule that tells how sure this strategy's answers are: its own, else its team's; None: what a run teaches."""
    if why_no_probability(played) is not None:
        return None
    own = fitted_rule(played)
    rule = own[1] if own is not None else None if traits_of(played).learns else team_rule(file, lineup, prompts)
    if rule is not None and abstain is not None and abstain.target is not None:
        _check_promise(file, position, played, rule, abstain.target)
    return rule


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


def team_rule_learnt_on(file: ExperimentFile, name: str, cases: Iterable[Case]) -> ChosenOn:
    """The questions that the rule of a team was learnt from; none where it has none."""
    spec = file.spec.teams.get(name)
    return NOT_CHOSEN if spec is None or spec.rule is None else read_rule(file.beside(spec.rule))[1].among(cases)


def _check_promise(file: ExperimentFile, position: int, played: Strategy, rule: FittedRule, target: float) -> None:
    if promised_by(rule, played, target) is not None:
        return
    held = sorted({each.target for several in rule.promises.values() for each in several})
    told = f"it promises {', '.join(f'{each:g}' for each in held)}" if held else "it promises nothing"
    again = f"moot fit {shlex.quote(str(file.path))} --promise {target:g} -o rule.json makes one that does"
    if held and target in held:
        again = "expected it beside vote, or learnt: {from: ...}, which a rule makes its promises of"
    problem = f"target: the rule does not hold {target:g} of {played.name} ({told}); {again}"
    raise file.error(("strategies", position, played.name, ABSTAIN), problem)
