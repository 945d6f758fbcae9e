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
            help="Whose logs they are.",
            show_default=False,
        ),
    ],
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH…", help="Logs, folders of them, or patterns.", show_default=False)
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="The recorded replies to write; - is stdout.")],
    questions: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The questions to write; left out: beside -o, as NAME-questions.jsonl.",
            show_default=False,
        ),
    ] = None,
    model: Annotated[
        str | None, typer.Option(metavar="NAME", help="What the model is called, where the logs are of one.")
    ] = None,
    task: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only this task of the logs; may be repeated.")
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="By which metric or scorer of the logs a reply is right, where they have several; of Inspect also SCORER.NAME.",
        ),
    ] = None,
    experiment: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write an experiment file of all models too, such as cup.yaml.")
    ] = None,
) -> int:
    """Logs of evaluations as questions and recorded replies, so that a team of their models can be tried. Nobody is asked."""
    from moot.cli.import_logs import ImportFiles, import_command

    files = ImportFiles(output, questions, experiment)
    return import_command(tool, paths, files, model=model, tasks=task or [], metric=metric)
