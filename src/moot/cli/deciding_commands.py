"""`moot fit` and `moot advise` as they are typed: their options, and nothing that takes long to import."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def fit(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The experiment or team file (YAML).", show_default=False)
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="The file to write, such as rule.json.")],
    served: Annotated[
        bool, typer.Option("--served", help="Learn from feedback on served answers, and report drift.")
    ] = False,
    promise: Annotated[
        list[float] | None,
        typer.Option(
            help="Share of given answers that must be right, such as 0.95, for abstain: {target: 0.95}. May be repeated."
        ),
    ] = None,
    team: Annotated[str | None, typer.Option(help="Which team, if the file has several.")] = None,
    store: Annotated[str | None, typer.Option(help="Read this store: sqlite:///PATH.")] = None,
) -> int:
    """Learn from graded questions which of the team's answers to take, for learnt: {from: rule.json}. No model is called."""
    from moot.cli.fit import fit_command

    return fit_command(file, output, served=served, promises=promise or [], team=team, store=store)


def advise(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE|LABELS|REPLIES…",
            help="The file of a finished run, a label matrix, or recorded replies.",
            show_default=False,
        ),
    ],
    questions: Annotated[Path | None, typer.Option(help="The questions that recorded replies answer.")] = None,
    budget: Annotated[
        float | None, typer.Option("--budget-usd-per-1000", metavar="USD", help="Maximum cost per 1,000 questions.")
    ] = None,
    min_accuracy: Annotated[
        float | None, typer.Option(metavar="P", help="Minimum accuracy, to be shown by the interval's lower end.")
    ] = None,
    max_seconds: Annotated[float | None, typer.Option(metavar="S", help="Maximum mean time per question.")] = None,
    most_accurate: Annotated[
        bool,
        typer.Option(
            "--most-accurate", help="The most accurate, not the cheapest (in money, else in calls) about as good."
        ),
    ] = False,
    where: Annotated[list[str] | None, typer.Option(help="Keep these rows of a label matrix: category=law.")] = None,
    store: Annotated[str | None, typer.Option(help="Read this store: sqlite:///PATH.")] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write the team's file, such as team.yaml, for moot serve.")
    ] = None,
    buy: Annotated[
        float | None,
        typer.Option("--buy", metavar="USD", help="Try promising options as a race, spending at most this."),
    ] = None,
    stages: Annotated[
        str | None,
        typer.Option("--try", metavar="NAMES", help="What --buy tries on unsure questions: talkative,peer-review."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the advice as JSON.")] = False,
) -> int:
    """Recommend a team and a rule from existing drafts, by accuracy, cost and time. Only --buy calls models."""
    from moot.advise.frontier import AdviceWanted
    from moot.cli.advise import advise_command
    from moot.cli.advise_buy import purchase_typed

    return advise_command(
        files,
        questions=questions,
        wanted=AdviceWanted(budget, min_accuracy, max_seconds, most_accurate),
        where=where or (),
        store=store,
        as_json=as_json,
        output=output,
        purchase=purchase_typed(buy, stages),
    )
