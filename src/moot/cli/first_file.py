"""What `moot init` does: finds models and questions, asks which to take, and writes a first experiment file."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from moot.cli.asked_columns import find_questions
from moot.cli.choosing import agreed
from moot.cli.offers import Offer, choose, find_offers, hosted_model, proposed, show
from moot.cli.safe_text import say
from moot.cli.tried_models import fitted_to_models
from moot.data import ENDINGS as QUESTION_FILES
from moot.data.tables.table import ENDINGS as TABLE_ENDINGS
from moot.data.tables.table import check_readable
from moot.errors import UsageError
from moot.experiment.build import build
from moot.experiment.starter_file import StarterFile, StarterModel
from moot.foreign_files import check_exists
from moot.pasted import pasted
from moot.stats.counted_words import few_names
from moot.whole_files import written_whole

FIRST_CHARACTERS = 20_000
"""Of a file beside it that are read for its name."""
_NAME_LINE = re.compile(r"""^name: *["']?([\w.-]+)""", re.MULTILINE)
DEFAULT_OUTPUT = "moot.yaml"
FAILED = 1
"""How it ends where no model that was taken answers in form."""
UNSETTLED = 2
"""How it ends where a file is written in which somebody still has to say what a column is."""


def placed(file: Path | None, questions: Path | None, output: Path | None) -> tuple[Path | None, Path]:
    """The questions, and the file to write: of questions that are named alone it stands beside them, under their name."""
    if file is None:
        return questions, output or Path(DEFAULT_OUTPUT)
    if file.suffix.lower() in (".yaml", ".yml"):
        raise UsageError(f"{file} is not a question file; moot init -o {pasted(file)} writes an experiment there")
    if file.suffix.lower() not in QUESTION_FILES:
        raise UsageError(f"{file} is not a question file; expected one that ends with {', '.join(QUESTION_FILES)}")
    if questions is not None:
        raise UsageError(f"{file} and --questions {questions} are two question files; expected one")
    return file, output or file.with_suffix(".yaml")


def init_command(questions: Path | None, output: Path, *, yes: bool, ports: Sequence[int], key_env: str | None) -> int:
    _check_output(output, yes=yes)
    if questions is not None:
        check_exists(questions, "no such question file")
    if questions is not None and questions.suffix.lower() in TABLE_ENDINGS:
        check_readable(questions)  # before anything is asked that would be asked again
    offers = find_offers(ports, key_env, yes=yes, again=_typed_too(questions, output, yes=yes))
    usual = proposed(offers)
    say("Models (* = proposed):")
    show(offers, usual)
    models = [model for place in usual for model in offers[place].models] if yes else choose(offers)
    taken = find_questions(questions, output, yes=yes, small=all(model.small for model in models))
    first = _needed_first(offers, models)
    starter = StarterFile(output, models, taken.written, _hosted_too(offers, models), _names_beside(output))
    fitted = fitted_to_models(starter)
    starter = fitted.starter
    for words in fitted.said:
        say(f"{words}.")
    starter.parsed()
    if taken.unsettled is None and not first:
        build(starter.checked(), asked=False)  # what is written can be read, and played
    _write(output, starter.text)
    if taken.unsettled is not None:
        say(f"moot: {taken.unsettled}", file=sys.stderr)
        say(f"moot: wrote {output}; what is left to settle is in a comment above its questions", file=sys.stderr)
        return UNSETTLED
    if fitted.failed:
        _say_failed(starter, fitted.failed, offers)
        return FAILED
    _say_next(starter, first)
    return 0


def _say_failed(starter: StarterFile, failed: Sequence[str], offers: Sequence[Offer]) -> None:
    """What the models cannot do, and what to take in their place."""
    for words in failed:
        say(f"moot: {words}", file=sys.stderr)
    others = [offer.title for offer in offers if not any(model in starter.models for model in offer.models)]
    say(f"moot: wrote {starter.path}, but moot doctor would fail in the same way. Take another model:", file=sys.stderr)
    say(f"  moot init -o {pasted(starter.path)}   such as {few_names(others)}", file=sys.stderr)


def _typed_too(questions: Path | None, output: Path, *, yes: bool) -> str:
    """What a command is given once more, so that it does the same."""
    words = [f"--questions {pasted(questions)}"] if questions is not None else []
    words += [f"-o {pasted(output)}"] if str(output) != DEFAULT_OUTPUT else []
    return "".join(f" {word}" for word in [*words, *(["--yes"] if yes else [])])


def _check_output(output: Path, *, yes: bool) -> None:
    """Before anything is asked: whoever has chosen should not learn then that nothing can be written."""
    if not output.parent.is_dir():
        raise UsageError(f"no such folder: {output.parent}")
    if output.is_dir():
        raise UsageError(f"{output} is a folder; expected the name of a file")
    if output.exists() and not output.is_file():
        raise UsageError(f"{output} is not a regular file and would be replaced; expected the name of a file")
    if os.path.lexists(output):
        elsewhere = f"{output} already exists; -o FILE writes elsewhere"
        if yes:
            raise UsageError(elsewhere)
        if not agreed(f"{output} already exists. Overwrite it?"):
            raise UsageError(f"{elsewhere}. Nothing was changed")


def _names_beside(output: Path) -> set[str]:
    """What the other experiments of its folder are called, by the first lines of their files."""
    names = set[str]()
    for path in output.parent.iterdir():
        if path.suffix not in (".yaml", ".yml") or path.name == output.name or not path.is_file():
            continue
        with suppress(OSError), path.open(encoding="utf-8", errors="replace") as lines:
            names.update(_NAME_LINE.findall(lines.read(FIRST_CHARACTERS)))
    return names


def _hosted_too(offers: Sequence[Offer], models: Sequence[StarterModel]) -> list[StarterModel]:
    """APIs whose key is there and that nobody took a model of, for whoever wants one later."""
    used = {model.keys.get("base_url") for model in models}
    keys = [offer.key for offer in offers if offer.key is not None and offer.key.api.base_url not in used]
    return [
        replace(
            hosted_model(key, "NAME"),
            title=key.api.name,
            where=f"{key.variable} is set. To use a model of {key.api.name}, remove the # and replace NAME by its name.",
        )
        for key in keys
    ]


def _needed_first(offers: Sequence[Offer], models: Sequence[StarterModel]) -> list[str]:
    return [offer.first for offer in offers if offer.first and any(model in models for model in offer.models)]


def _write(output: Path, text: str) -> None:
    """Whole or not at all."""
    try:
        with written_whole(output) as draft:
            draft.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{output} cannot be written: {error.strerror or error}") from None


def _say_next(starter: StarterFile, first: Sequence[str]) -> None:
    count = starter.questions.count
    packaged = starter.questions.keys.get("builtin")
    of_ours = f" of {packaged}" if packaged is not None else ""
    asked = f", {count} questions{of_ours}" if count is not None else ""
    say(f"\nWrote {starter.path}: {', '.join(starter.named)}{asked}; solo, vote and talkative")
    if any(model.simulated for model in starter.models):
        say("Simulated models are not real: their results say nothing about real ones.")
    file = pasted(starter.path)
    steps = [
        *((command, "get what is missing") for command in first),
        (f"moot doctor {file}", "check that every model answers"),
        (f"moot run {file} --estimate", "estimate calls, time and cost"),
        (f"moot run {file}", "run it; repeat to resume where it stopped"),
    ]
    width = max(len(command) for command, _ in steps)
    say("Next:")
    for command, why in steps:
        say(f"  {command.ljust(width)}   {why}")
