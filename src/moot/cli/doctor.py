"""`moot doctor`: before a run, see that every model is there and answers in form, and what the run would cost."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from rich.table import Table
from rich.text import Text

from moot.cli.console import Console
from moot.cli.estimate import MOST_LINES, show_estimate, store_if_any
from moot.cli.said_once import say_warnings
from moot.estimate.estimate import estimate
from moot.experiment.build import build
from moot.experiment.plan import Plan
from moot.experiment.spec import read_experiment
from moot.live.doctor import Diagnosis, examine
from moot.measures import needs
from moot.models.local import LocalModel
from moot.pasted import pasted
from moot.stats.counted_words import count

NAME = 16
"""Longer names are broken, so that there is room for what went wrong."""
VERSION = 22
MOST_MODELS = 10
"""Rows of a screen."""


def doctor_command(path: Path, *, every: bool = False) -> int:
    experiment = build(read_experiment(path, with_questions=False))
    return asyncio.run(_doctor(experiment, Console(), every=every))


async def _doctor(experiment: Plan, console: Console, *, every: bool) -> int:
    with console.status(f"asking {count(len(experiment.models), 'model')} one easy question ..."):
        diagnoses = await examine(experiment)
    warned = say_warnings(experiment.warnings)
    table = _table(diagnoses, console.width, None if every else MOST_MODELS)
    remarks = _remarks(diagnoses)
    console.print(table)
    for words in remarks:
        console.print(words)
    if experiment.dataset is not None and any(diagnosis.well for diagnosis in diagnoses):
        inside = [name for name, built in experiment.models.items() if isinstance(built.model, LocalModel)]
        heard_s = {each.model: each.reply_s for each in diagnoses if each.model in inside and each.reply_s}
        async with store_if_any(experiment) as store:
            taken = await estimate(experiment, store, needs(), heard_s)
        above: list[Table | Text] = [*map(Text, warned), table, *remarks, *_failures(diagnoses, experiment)]
        written = sum(len(console.render_lines(part)) for part in above) + 2
        show_estimate(taken, console, experiment, most_lines=None if every else MOST_LINES - written)
    return _end(diagnoses, experiment, console)


def _remarks(diagnoses: Sequence[Diagnosis]) -> list[Text]:
    """What is odd about models that answer; what is said of several alike is said once."""
    said: dict[str, list[str]] = {}
    for diagnosis in diagnoses:
        if diagnosis.well and diagnosis.remark is not None:
            said.setdefault(f" answers, but it is {diagnosis.remark}", []).append(diagnosis.model)
        for words in (*diagnosis.adapted, *([diagnosis.price] if diagnosis.price else ())):
            said.setdefault(f": {words}", []).append(diagnosis.model)
    return [Text(f"{', '.join(models)}{words}", "yellow") for words, models in said.items()]


def _failures(diagnoses: Sequence[Diagnosis], experiment: Plan) -> list[Text]:
    """With the lines of the file where they stand: a name, an address or a key is wrong there."""
    models_by_cause: dict[str, list[str]] = {}
    for diagnosis in diagnoses:
        if not diagnosis.well:
            models_by_cause.setdefault(diagnosis.words, []).append(diagnosis.model)
    places = experiment.file.places
    words = []
    for cause, models in models_by_cause.items():
        lines = [str(line) for model in models if (line := places.line(("models", model))) is not None]
        where = f" ({experiment.file.path.name}:{','.join(lines)})" if lines else ""
        words.append(Text(f"✗ {', '.join(models)}: {cause}{where}", "red"))
    return words


def _end(diagnoses: Sequence[Diagnosis], experiment: Plan, console: Console) -> int:
    """What failed comes last, with what to type next: an estimate is longer than a screen."""
    file = pasted(experiment.file.path)
    failed = [diagnosis for diagnosis in diagnoses if not diagnosis.well]
    for words in _failures(diagnoses, experiment):
        console.print(words)
    if failed:
        _say_next(
            f"{len(failed)} of {count(len(diagnoses), 'model')} failed; once that is fixed:",
            f"moot doctor {file}",
            console,
        )
        return 1
    then = f"moot run {file}" if experiment.dataset is not None else f'moot ask "..." --team {file}'
    _say_next(f"{count(len(diagnoses), 'model answers', 'models answer')}. Next:", then, console)
    return 0


def _say_next(words: str, command: str, console: Console) -> None:
    """In one line where it fits; a command is never broken."""
    line = f"{words} {command}"
    console.print(line if len(line) <= console.width else f"{words}\n  {command}", soft_wrap=True)


def _table(diagnoses: Sequence[Diagnosis], width: int, most: int | None) -> Table:
    """Within the width: long names are broken into lines, long versions cut. What went wrong stands below the table. `most`: so
    many rows, of which those that failed come first to have one."""
    kept = sorted(diagnoses, key=lambda each: each.well)
    kept = kept if most is None or len(kept) <= most else kept[: most - 1]
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), width=width)
    table.add_column("")
    table.add_column("model", overflow="fold", max_width=NAME)
    table.add_column("what it said", overflow="fold", ratio=1)
    table.add_column("version", overflow="ellipsis", no_wrap=True, max_width=VERSION)
    table.add_column("tries", no_wrap=True)
    table.add_column("JSON by", no_wrap=True)
    table.add_column("seconds", no_wrap=True, justify="right")
    for diagnosis in (each for each in diagnoses if each in kept):
        table.add_row(
            Text("✓", "green") if diagnosis.well else Text("✗", "red"),
            Text(diagnosis.model),
            Text(diagnosis.words if diagnosis.well else "see below"),
            Text(diagnosis.version or ""),
            str(diagnosis.attempts or ""),
            diagnosis.json_support or "",
            "" if diagnosis.seconds is None else f"{diagnosis.seconds:.2f}",
        )
    if left := len(diagnoses) - len(kept):
        failing = any(not each.well for each in diagnoses if each not in kept)
        table.add_row("", "", f"{left:,} more{' (see below)' if failing else ' answer'}: --all")
    return table
