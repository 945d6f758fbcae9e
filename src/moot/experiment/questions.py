"""The questions of an experiment file: a set of ours, a file in our own form, or a published one from a file or the hub."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from moot.config.yaml_file import names_beside
from moot.data import Dataset, about_documents, builtin, by_cluster, given_cases, load, load_published, several
from moot.data.formats import Format, dataset_format
from moot.data.hub import Hub
from moot.errors import FileError, UsageError
from moot.experiment.spec import ExperimentFile, QuestionsSpec
from moot.foreign_files import check_exists
from moot.models.closest import closest
from moot.team.passage_index import PassageIndex

KeyPath = tuple[str | int, ...]


def questions_of(file: ExperimentFile) -> Dataset:
    """The questions that a file names, checked."""
    source = file.spec.questions
    assert source is not None
    if isinstance(source, list):
        dataset = _several(file, source)
    else:
        dataset = _one(file, source, ("questions",))
        if source.name is not None:
            dataset = several({source.name: dataset})
    return dataset


def _several(file: ExperimentFile, sources: Sequence[QuestionsSpec]) -> Dataset:
    sets = {source.title: _one(file, source, ("questions", number)) for number, source in enumerate(sources)}
    try:
        return several(sets)
    except UsageError as error:
        raise file.error(("questions",), str(error)) from None


def _one(file: ExperimentFile, source: QuestionsSpec, key: KeyPath) -> Dataset:
    dataset = _read(file, source, key)
    if source.documents is not None:
        dataset = about_documents(dataset, _documents(file, source.documents, key))
    if source.cluster is None:
        return dataset
    try:
        return by_cluster(dataset, source.cluster)
    except UsageError as error:
        raise file.error((*key, "cluster"), str(error)) from None


def _read(file: ExperimentFile, source: QuestionsSpec, key: KeyPath) -> Dataset:
    language, sample, seed = file.spec.language, source.sample, file.spec.seed
    if cases := file.spec.objects.cases:
        return given_cases(cases, language=language)
    if source.format is not None and file.spec.objects.format is None:
        from moot.data.logs.formats import is_log_format  # most questions stand in a table, and wait for no log

        if is_log_format(source.format):
            return _logged(file, source, key, source.format)
    if source.metric is not None:
        tools = ", ".join(_log_tools())
        raise file.error((*key, "metric"), f"{source.format} is no tool with logs; metric goes with one of {tools}")
    if source.format is not None:
        published, form = _published(file, source, key), _format(file, source, key)
        return load_published(published, form, language=language, sample=sample, seed=seed, kind=source.kind)
    try:
        path = builtin(source.builtin) if source.builtin is not None else file.beside(source.file or "")
    except UsageError as error:
        raise file.error((*key, "builtin"), str(error)) from None
    try:
        check_exists(path)
    except FileError as error:
        # What stands beside it is looked through only here: a run that finds its file hangs on nothing else in the folder.
        lacking = f"no such file: {path}{closest(path.name, names_beside(path))}" if not path.exists() else None
        raise file.error((*key, "file"), lacking or f"{path.name}: {error.problem}") from None
    return load(path, language=language, sample=sample, seed=seed, stated=source.stated, skip_blank=source.skip_blank)


def _documents(file: ExperimentFile, named: str, key: KeyPath) -> PassageIndex:
    """As any file that an experiment names they may lie anywhere: it is the author's word what is read."""
    path = file.beside(named)
    try:
        return PassageIndex.of_folder(path) if path.is_dir() else PassageIndex([(path.name, path)])
    except FileError as error:
        raise file.error((*key, "documents"), f"{named}: {error.problem}") from None


def _published(file: ExperimentFile, source: QuestionsSpec, key: KeyPath) -> Path | Hub:
    if source.hub is not None:
        folder = file.beside(source.hub)
        repository = str(folder) if folder.is_dir() else source.hub
        return Hub(repository, source.config, source.split or "test", source.revision)
    path = file.beside(source.file or "")
    if not path.exists():
        raise file.error((*key, "file"), f"no such file or folder: {path}")
    return path


def _logged(file: ExperimentFile, source: QuestionsSpec, key: KeyPath, tool: str) -> Dataset:
    from moot.data.logs.imported import UnusableMetric
    from moot.data.logs.questions import load_logged

    try:
        return load_logged(
            file.beside(source.file or ""),
            tool,
            language=file.spec.language,
            sample=source.sample,
            seed=file.spec.seed,
            kind=source.kind,
            metric=source.metric,
        )
    except UnusableMetric as error:
        raise file.error((*key, "metric"), error.in_a_file) from None


def _log_tools() -> Iterable[str]:
    from moot.data.logs.formats import LOG_FORMATS

    return LOG_FORMATS.places()


def _format(file: ExperimentFile, source: QuestionsSpec, key: KeyPath) -> Format:
    if file.spec.objects.format is not None:
        return file.spec.objects.format
    try:
        return dataset_format(source.format or "", seed=file.spec.seed, choices=source.choices)
    except UsageError as error:
        logs = f"; or logs of {', '.join(sorted(_log_tools()))}" if source.hub is None else ""
        raise file.error((*key, "format"), f"{error}{logs}") from None
