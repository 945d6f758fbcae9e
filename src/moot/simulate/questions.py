"""The questions that simulated models know the truth of, from the sources that a config names."""

from __future__ import annotations

from pathlib import Path

from moot.data import Dataset, builtin, load, load_published
from moot.data.formats import dataset_format
from moot.data.hub import Hub
from moot.data.questions_spec import QuestionsSpec


def known_questions(source: QuestionsSpec, seed: int) -> Dataset:
    """All of them: a sample, and what they are called in a report, is for whoever asks. `seed`: by which choices are drawn."""
    if source.format is not None:
        form = dataset_format(source.format, seed=seed, choices=source.choices)
        if source.hub is not None:
            hub = Hub(source.hub, source.config, source.split or "test", source.revision)
            return load_published(hub, form, seed=seed, kind=source.kind)
        return load_published(Path(source.file or ""), form, seed=seed, kind=source.kind)
    if source.builtin is not None:
        return load(builtin(source.builtin), stated=source.stated)
    return load(Path(source.file or ""), stated=source.stated, skip_blank=source.skip_blank)
