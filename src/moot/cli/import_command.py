"""`moot import` as it is typed: its options, and nothing that takes long to import."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def import_logs(
    tool: Annotated[
        str,
        typer.Argument(
            metavar="inspect|lm-eval|promptfoo|helm|openai-batch|csv",
            help="The tool that wrote the logs.",
            show_default=False,
        ),
    ],
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH…", help="Log files, folders or patterns.", show_default=False)
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="The recorded replies to write; - is stdout.")],
    questions: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The questions to write; by default NAME-questions.jsonl, next to -o.",
            show_default=False,
        ),
    ] = None,
    model: Annotated[
        str | None, typer.Option(metavar="NAME", help="Name of the model, if the logs are of a single one.")
    ] = None,
    task: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Read only this task; may be repeated.")
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Metric or scorer that says whether a reply is right, if the logs have several; for Inspect also SCORER.NAME.",
        ),
    ] = None,
    models: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,NAME",
            help="For csv: the columns that are models, if the table has a column for each; no other is taken for one.",
        ),
    ] = None,
    complete: Annotated[
        bool, typer.Option("--complete", help="Leave out questions to which some model has no reply.")
    ] = False,
    experiment: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also write an experiment file with all models, such as cup.yaml."),
    ] = None,
) -> int:
    """Turn evaluation logs into questions and recorded replies, to try a team of their models. No model is called."""
    from moot.cli.import_logs import ImportFiles, import_command

    files = ImportFiles(output, questions, experiment)
    named = [name for name in map(str.strip, (models or "").split(",")) if name]
    return import_command(
        tool, paths, files, model=model, tasks=task or [], metric=metric, models=named, complete=complete
    )
