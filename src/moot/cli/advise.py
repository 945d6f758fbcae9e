"""`moot advise`: which team, by which rule, from the drafts that are there. Nobody is asked, but for what `--buy` pays."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from moot.advise.advice import advise
from moot.advise.frontier import AdviceWanted
from moot.advise.known import KnownDrafts
from moot.cli.advise_buy import Purchase, buy
from moot.cli.advise_input import EXPERIMENTS, read_drafts
from moot.cli.advise_shown import advice_json, screen, sentence, unreached, wrapped
from moot.cli.advised_against import other_verdict_words
from moot.cli.advised_team import check_writable, written_team
from moot.cli.bought_shown import bought_json, bought_screen
from moot.cli.interrupts import ends_on_ctrl_c
from moot.cli.safe_text import print_json, say
from moot.errors import UsageError

FEWEST_PLAYERS = 2
NOTHING_ADVISED = 2
"""What `moot fit` ends with too, where there is too little to learn from. Also where a limit cannot be kept."""


def advise_command(
    paths: Sequence[Path],
    *,
    questions: Path | None,
    wanted: AdviceWanted,
    where: Sequence[str],
    store: str | None,
    as_json: bool,
    output: Path | None,
    purchase: Purchase | None = None,
) -> int:
    _checked(wanted)
    if purchase is not None and paths[0].suffix.lower() not in EXPERIMENTS:
        raise UsageError("--buy: labels and recordings name nobody who could be asked; expected an experiment file")
    if output is not None:
        check_writable(paths, output, store)
    with ends_on_ctrl_c():
        reading = read_drafts(paths, questions=questions, where=where, store=store)
        _measurable(reading.drafts, wanted)
        reading = replace(reading, drafts=reading.drafts.seated_by_answers())
        advice = advise(reading.drafts, wanted)
        if output is not None and advice.recommended is None:
            raise UsageError(f"{output} is not written: {advice.why_none}")
        if output is not None and unreached(advice):
            told = sentence(advice, wanted)
            raise UsageError(f"{output} is not written: {told[:1].lower()}{told[1:]} Expected a lower --min-accuracy")
    bought = None
    if purchase is not None and advice.recommended is not None:
        bought = buy(purchase, advice, reading, store)
    with ends_on_ctrl_c():
        written = []
        if output is not None:
            raced = () if bought is None else (bought.staged_to_take, bought.raced_on)
            written = written_team(output, advice, reading, *raced)
    if as_json:
        print_json(advice_json(advice, wanted, reading) | ({} if bought is None else {"bought": bought_json(bought)}))
    elif bought is None or purchase is None:
        _print(screen(advice, wanted, reading))
    else:
        _print(wrapped(sentence(advice, wanted)))
        _print(wrapped(other_verdict_words(advice, reading.verdict) or ""))
        _print(line for note in reading.first_notes for line in wrapped(note))
        _print(bought_screen(bought, purchase, paths[0], written=bool(written)))
    for line in written:
        say(line, file=sys.stderr)
    if bought is not None:
        return bought.exit_code
    return NOTHING_ADVISED if advice.recommended is None or unreached(advice) else 0


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        say(line)


def _checked(wanted: AdviceWanted) -> None:
    if wanted.budget_usd_per_1000 is not None and not 0 <= wanted.budget_usd_per_1000 < float("inf"):
        raise UsageError(f"--budget-usd-per-1000: expected 0 or more, found {wanted.budget_usd_per_1000:g}")
    if wanted.min_accuracy is not None and not 0 < wanted.min_accuracy < 1:
        percent = 2 <= wanted.min_accuracy < 100  # no share that somebody has mistyped
        hint = f"; for {wanted.min_accuracy:g} % write {wanted.min_accuracy / 100:g}" if percent else ""
        raise UsageError(f"--min-accuracy: expected a share between 0 and 1, found {wanted.min_accuracy:g}{hint}")
    if wanted.most_accurate and wanted.min_accuracy is not None:
        raise UsageError(
            "--min-accuracy takes the cheapest that reaches it, --most-accurate the most accurate; expected one"
        )
    if wanted.max_seconds is not None and not 0 < wanted.max_seconds < float("inf"):
        raise UsageError(f"--max-seconds: expected more than 0, found {wanted.max_seconds:g}")


def _measurable(drafts: KnownDrafts, wanted: AdviceWanted) -> None:
    """What is asked for must be on record."""
    if len(drafts.players) < FEWEST_PLAYERS:
        raise UsageError(
            f"there is one player ({drafts.players[0]}); expected two or more, between whom there is a choice"
        )
    if wanted.budget_usd_per_1000 is not None and (drafts.usd is None or np.isnan(drafts.usd).any(axis=1).all()):
        raise UsageError(
            "--budget-usd-per-1000: of no player it is known what it costs; expected an experiment with prices, or recordings"
            " whose replies all say what they cost"
        )
    if wanted.max_seconds is not None and drafts.seconds is None:
        raise UsageError(
            "--max-seconds: it is not known how long anybody took; expected a run whose models take time, or recordings that"
            " say how long theirs took: labels, and models that answer at once, such as simulated ones, have none"
        )
