"""Models of which a file has only recorded replies: the recordings that it names."""

from __future__ import annotations

from pathlib import Path

from moot.data import Dataset
from moot.experiment.listed_price import listed
from moot.experiment.model_specs import RecordedSpec
from moot.experiment.spec import ExperimentFile
from moot.models.model import Model
from moot.models.recorded import PlayedBack, RecordedModel, Recording, read_recording


def recorded_model(file: ExperimentFile, name: str, spec: RecordedSpec, dataset: Dataset | None) -> Model:
    path = file.beside(spec.file)
    recording, then = _recording(file, name, spec), listed(spec.price)
    asked = None if dataset is None else frozenset(case.question.id for case in dataset)
    played = None if asked is None else PlayedBack(asked, file.spec.repeats)
    return RecordedModel(name, file=path, model=spec.model, then=then, recording=recording, played=played)


def _recording(file: ExperimentFile, name: str, spec: RecordedSpec) -> Recording:
    path = file.beside(spec.file)
    return read_recording(path) if spec.format is None else _logged(file, name, spec.format, path, spec.metric)


def _logged(file: ExperimentFile, name: str, tool: str, path: Path, metric: str | None) -> Recording:
    from moot.data.logs.formats import UnknownLogFormat
    from moot.data.logs.imported import UnusableMetric, recorded_in_logs

    try:
        return recorded_in_logs(tool, path, metric)
    except UnusableMetric as error:
        raise file.error(("models", name, "metric"), error.in_a_file) from None
    except UnknownLogFormat as error:
        raise file.error(("models", name, "format"), str(error)) from None


def holds_drafts_alone(file: ExperimentFile, name: str) -> bool:
    """Whether a model is a recording with one reply to a question; one that keeps every call may be asked whatever it was."""
    spec = file.spec.models[name]
    if not isinstance(spec, RecordedSpec):
        return False
    if spec.format is not None:
        return True
    return spec.model not in read_recording(file.beside(spec.file)).of_calls
