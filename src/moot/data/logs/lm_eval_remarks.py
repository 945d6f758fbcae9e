"""What is said of the metric by which a task in logs of lm-evaluation-harness is judged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from moot.data.logs.lm_eval_metrics import ANYTHING, METRICS, ChosenMetric
from moot.data.logs.log import LogRemark, by_metric


def metric_remarks(task: str, metric: ChosenMetric, named: Sequence[str], wanted: str | None) -> Iterator[LogRemark]:
    there = ", ".join(named)
    if wanted is not None and metric.name is None:
        why = f" ({metric.why})" if metric.why else f"; it has {there or 'none'}"
        yield LogRemark(f"{task}: {wanted} is no verdict on its replies{why}: no verdicts are taken", task)
    elif metric.name is None and metric.unclear:
        way_out = "no verdicts are taken"
        way_out += f"; {by_metric()} says by which replies are right" if metric.can_be_named else ""
        yield LogRemark(f"{task}: of its metrics ({there}) {metric.why}: {way_out}", task)
    elif metric.name is None and named:
        yield LogRemark(f"{task}: none of its metrics is a verdict on each reply: {there}", task)
    elif metric.turned:
        yield LogRemark(f"{task}: verdicts by {metric.name}, of which less is better: 0 is right, and 1 is wrong", task)
    elif metric.name is not None and (metric.why or metric.name not in METRICS or metric.name == ANYTHING):
        why = f"; {metric.why}" if metric.why else ""
        yield LogRemark(f"{task}: verdicts by {metric.name}, of {there}{why}", task)
