"""The dear stage that `moot advise` names as worth trying next, and who of a team could be asked for it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from moot.advise.advice import Advice, ClaimedPoint
from moot.advise.further import NextStage, to_try
from moot.cli.advise_input import AdviceInput
from moot.decide.rules import DIGITS
from moot.experiment.recordings import holds_drafts_alone
from moot.experiment.spec import ExperimentFile
from moot.stats.counted_words import few_names
from moot.stats.written_numbers import dollars, rounded

STAGE = "talkative"
UNPRICED = "what it costs is not known: there are no prices, or no counts of tokens"


def who_can_be_asked(file: ExperimentFile, players: Sequence[str]) -> frozenset[str]:
    """Anything but the draft that is there: a recording holds that and nothing else."""
    spec = file.spec.players
    return frozenset(name for name in players if not holds_drafts_alone(file, spec[name].model))


def next_words(advice: Advice, reading: AdviceInput) -> str | None:
    stage = to_try(advice.next)
    if stage is None or advice.recommended is None:
        return None
    if _captain(stage, advice, _askable(advice, reading)) is None:
        names = few_names(_names(stage, advice))
        return f"Next: no stage to try: {names} are recordings, none of which can be captain."
    row = _row(stage, advice, reading)
    money = "" if row["usd"] is None else f", {dollars(row['usd'])}"
    return f"Next: try {row['try']}: {rounded(row['at_most_points'], 1, sign=True)} points at most{money}."


def next_rows(advice: Advice, reading: AdviceInput) -> list[dict[str, Any]]:
    """Of those that can be tried."""
    askable = _askable(advice, reading)
    tried = (stage for stage in advice.next if _captain(stage, advice, askable) is not None)
    return [_row(stage, advice, reading) for stage in tried]


def _askable(advice: Advice, reading: AdviceInput) -> Collection[str]:
    """Of labels nobody knows who their players are, so it may be anybody."""
    return advice.players if reading.file is None else who_can_be_asked(reading.file, advice.players)


def _row(stage: NextStage, advice: Advice, reading: AdviceInput) -> dict[str, Any]:
    taken, costs = advice.recommended, reading.captain
    assert taken is not None, "there is no stage after nothing"
    names, captain = _names(stage, advice), _captain(stage, advice, _askable(advice, reading))
    assert captain is not None, "else it cannot be tried"
    usd = None if costs is None else costs.more_usd(captain, names, taken.played.usd_per_1000)
    team = "" if len(names) == len(taken.option.seats) else f" of {', '.join(names)}"
    played = f"{STAGE}{team} (already played, see moot report)" if STAGE in reading.stages else f"{STAGE}{team}"
    row: dict[str, Any] = {
        "try": f"{played} on the {stage.questions:,} of {advice.claimed_on:,} questions with p < {stage.below:g}",
        "questions": stage.questions,
        "below": stage.below,
        "at_most_points": round(stage.at_most_points, DIGITS),
        "usd": None if usd is None else round(usd * stage.questions, DIGITS),
    }
    return row if usd is not None else {**row, "why": UNPRICED}


def _names(stage: NextStage, advice: Advice) -> list[str]:
    return sorted(advice.players[seat] for seat in stage.seats)


def _captain(stage: NextStage, advice: Advice, askable: Collection[str]) -> str | None:
    """Who would lead: the leader; else whoever is asked first, in a cascade; else the first of those who can be. None: nobody
    can."""
    taken = advice.recommended
    assert taken is not None, "there is no stage after nothing"
    wanted = (*_first(taken, advice.players), *_names(stage, advice))
    return next((name for name in wanted if name in askable), None)


def _first(point: ClaimedPoint, players: Sequence[str]) -> list[str]:
    leader = getattr(point.option.rule, "player", None)
    return [*([leader] if isinstance(leader, str) else []), *point.option.names(players)]
