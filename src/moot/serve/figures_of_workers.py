"""Figures of all workers of a server, added up: whoever reads them asks one worker, and wants to know of the server."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import Metric
from prometheus_client.registry import Collector

SampleLabels = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class WorkerFigure:
    """One family of samples, as a registry has it."""

    name: str
    words: str
    kind: str
    samples: tuple[tuple[str, SampleLabels, float], ...]


def figures_of(registry: CollectorRegistry) -> list[WorkerFigure]:
    return [
        WorkerFigure(
            metric.name,
            metric.documentation,
            metric.type,
            tuple((sample.name, tuple(sample.labels.items()), sample.value) for sample in metric.samples),
        )
        for metric in registry.collect()
    ]


def added_up(workers: Iterable[Sequence[WorkerFigure]]) -> bytes:
    """As Prometheus reads them."""
    registry = CollectorRegistry()
    registry.register(_Sum([figure for figures in workers for figure in figures]))
    return generate_latest(registry)


class _Sum(Collector):
    def __init__(self, figures: Sequence[WorkerFigure]) -> None:
        self._figures = figures

    def collect(self) -> Iterator[Metric]:
        values: dict[str, dict[tuple[str, SampleLabels], float]] = {}
        families: dict[str, WorkerFigure] = {}
        for figure in self._figures:
            families.setdefault(figure.name, figure)
            known = values.setdefault(figure.name, {})
            for name, labels, value in figure.samples:
                before = known.get((name, labels))
                if before is None:
                    known[name, labels] = value
                else:  # when something was first counted, and how often
                    known[name, labels] = min(before, value) if name.endswith("_created") else before + value
        for name, family in families.items():
            metric = Metric(name, family.words, family.kind)
            for (sample, labels), value in values[name].items():
                metric.add_sample(sample, dict(labels), value)
            yield metric
