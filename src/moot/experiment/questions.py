"""The questions of an experiment file: a set of ours, a file in our own form, or a published one from a file or the hub."""

from __future__ import annotations

from pathlib import Path

from moot.data import Dataset, builtin, given_cases, load, load_published
from moot.data.formats import Format, dataset_format
from moot.data.hub import Hub
from moot.errors import UsageError
from moot.experiment.spec import ExperimentFile, QuestionsSpec


def questions_of(file: ExperimentFile, limit: int | None = None) -> Dataset:
    """The questions that a file names, checked; at most `limit` of them."""
    source = file.spec.questions
    assert source is not None
    language, sample, seed = file.spec.language, source.sample, file.spec.seed
    if cases := file.spec.objects.cases:
        dataset = given_cases(cases, language=language)
    elif source.format is not None:
        dataset = load_published(
            _published(file, source), _format(file, source), language=language, sample=sample, seed=seed
        )
    else:
        try:
            path = builtin(source.builtin) if source.builtin is not None else file.beside(source.file or "")
        except UsageError as error:
            raise file.error(("questions", "builtin"), str(error)) from None
        if not path.is_file():
            raise file.error(("questions", "file"), f"no such file: {path}")
        dataset = load(path, language=language, sample=sample, seed=seed)
    return dataset.first(limit) if limit is not None else dataset


def _published(file: ExperimentFile, source: QuestionsSpec) -> Path | Hub:
    if source.hub is not None:
        folder = file.beside(source.hub)
        repository = str(folder) if folder.is_dir() else source.hub
        return Hub(repository, source.config, source.split or "test", source.revision)
    path = file.beside(source.file or "")
    if not path.exists():
        raise file.error(("questions", "file"), f"no such file or folder: {path}")
    return path


def _format(file: ExperimentFile, source: QuestionsSpec) -> Format:
    if file.spec.objects.format is not None:
        return file.spec.objects.format
    try:
        return dataset_format(source.format or "", seed=file.spec.seed, choices=source.choices)
    except UsageError as error:
        raise file.error(("questions", "format"), str(error)) from None
