"""`moot doctor`: before a run, see that every model is there and answers in form, and what the run would cost."""

from __future__ import annotations

import asyncio
from pathlib import Path

from rich.table import Table
from rich.text import Text

from moot.cli.console import Console
from moot.cli.estimate import estimate_with_store, show_estimate
from moot.experiment.build import build
from moot.experiment.plan import Plan
from moot.experiment.spec import read_experiment
from moot.live.doctor import Diagnosis, examine


def doctor_command(path: Path) -> int:
    experiment = build(read_experiment(path, with_questions=False))
    return asyncio.run(_doctor(experiment, Console()))


async def _doctor(experiment: Plan, console: Console) -> int:
    with console.status(f"asking {len(experiment.models)} models one easy question ..."):
        diagnoses = await examine(experiment)
    console.print(_table(diagnoses))
    if experiment.dataset is not None:
        show_estimate(await estimate_with_store(experiment), console, experiment.spec.budget_usd)
    return 0 if all(diagnosis.well for diagnosis in diagnoses) else 1


def _table(diagnoses: list[Diagnosis]) -> Table:
    table = Table(title="models", title_justify="left")
    for name in ("", "model", "what it said", "version", "tries", "JSON by", "seconds"):
        table.add_column(name)
    for diagnosis in diagnoses:
        table.add_row(
            Text("✓", "green") if diagnosis.well else Text("✗", "red"),
            diagnosis.model,
            diagnosis.words,
            diagnosis.version or "",
            str(diagnosis.attempts or ""),
            diagnosis.json_support or "",
            "" if diagnosis.seconds is None else f"{diagnosis.seconds:.2f}",
        )
    return table
