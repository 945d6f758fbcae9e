"""Logs of lm-evaluation-harness: ``samples_TASK_DATE.jsonl`` of ``--log_samples``, and ``results_DATE.json`` beside them.

A task is either generated, and the reply is there, or the model was shown each choice and the likelier one is its answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from moot.data.logs.fields import LETTERS, json_document, json_lines, mapping, share, text, with_others
from moot.data.logs.lm_eval_choices import ChoiceReading, best_reading, labelled_choice, only_parts
from moot.data.logs.lm_eval_filters import (
    METRICS,
    chosen_filters,
    chosen_metric,
    is_found,
    metrics_of,
    reduces,
    target_is_reference,
)
from moot.data.logs.lm_eval_sample import LmEvalSample
from moot.data.logs.log import NOTHING_FOUND, LogEntry, LoggedFigure, LoggedReply, LogRemark, QuestionInLog
from moot.errors import FileError

_SAMPLES = re.compile(r"samples_(.+)_(\d{4}-\d\d-\d\dT[\d.:-]+)")


class LmEval:
    name: ClassVar[str] = "lm-eval"
    endings: ClassVar[tuple[str, ...]] = (".jsonl", ".json")

    def read(self, files: Sequence[Path]) -> Iterator[LogEntry]:
        paths = [path for path in files if path.suffix.lower() == ".jsonl"]
        if not paths:
            problem = "is no file of samples: expected samples_TASK_DATE.jsonl, which lm-eval writes with --log_samples"
            raise FileError(problem, file=files[0])
        tasks: dict[str, list[_TaskLog]] = {}
        for path in paths:
            log = _TaskLog.of(path)
            if log.samples:
                tasks.setdefault(log.task, []).append(log)
        for logs in tasks.values():
            yield from _task_entries(logs)


@dataclass(frozen=True, slots=True)
class _TaskLog:
    """One task of one model."""

    path: Path
    task: str
    model: str
    named: bool
    """Whether the results say which model it is; else it is called as its folder is."""
    samples: Sequence[LmEvalSample]
    results: Mapping[str, Any] = field(default_factory=dict)
    """Of this task, by metric and filter."""
    config: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, path: Path) -> _TaskLog:
        found = _SAMPLES.fullmatch(path.stem)
        task, date = (found[1], found[2]) if found else (path.stem.removeprefix("samples_"), "")
        samples = [LmEvalSample(path, line, row) for line, row in json_lines(path)]
        if odd := next((each for each in samples if "doc_id" not in each.row or "resps" not in each.row), None):
            raise odd.error("is no sample of lm-eval: expected doc_id and resps; --log_samples writes such a file")
        beside = path.with_name(f"results_{date}.json")
        if not date or not beside.is_file():
            return cls(path, task, path.resolve().parent.name, False, samples)
        document = mapping(json_document(beside))
        model = text(document.get("model_name")) or _model_of(mapping(document.get("config")))
        results = mapping(mapping(document.get("results")).get(task))
        config = mapping(mapping(document.get("configs")).get(task))
        return cls(path, task, model or path.resolve().parent.name, model is not None, samples, results, config)


def _model_of(config: Mapping[str, Any]) -> str | None:
    arguments = config.get("model_args")
    if isinstance(arguments, str):
        arguments = dict(part.partition("=")[::2] for part in arguments.split(","))
    given = mapping(arguments)
    return text(given.get("pretrained")) or text(given.get("model")) or text(config.get("model"))


def _task_entries(logs: Sequence[_TaskLog]) -> Iterator[LogEntry]:
    task, models = logs[0].task, ", ".join(dict.fromkeys(log.model for log in logs))
    for log in logs:
        if not log.named:
            yield LogRemark(
                f"{log.path.name}: no results beside it, so the model is called as its folder is: {log.model}", log.task
            )
    if any(sample.has_no_reply for log in logs for sample in log.samples):
        problem = "the likelihood of a given text was taken, so there are no replies to read"
        yield LogRemark(f"{task} ({models}): {problem}; left out", task)
        return
    filters = chosen_filters({str(log.path): log.samples for log in logs}, {str(log.path): log.config for log in logs})
    kept = {log.path: [sample for sample in log.samples if sample.filter == filters[str(log.path)]] for log in logs}
    everybody = [sample for own in kept.values() for sample in own]
    metric = chosen_metric(everybody)
    yield from _remarks(logs, filters, metric)
    by_likelihood = [sample for sample in everybody if sample.continuations]
    reading = best_reading(by_likelihood, metric)
    if only_parts(by_likelihood, metric):
        yield LogRemark(f"{task}: {metric} gives parts of a point, so which choice is right cannot be told of it", task)
    compared = target_is_reference([sample for sample in everybody if not sample.continuations], metric)
    if not compared and len(by_likelihood) < len(everybody):
        yield LogRemark(
            f"{task}: what {metric} holds a reply against is not its target, so no reference is taken", task
        )
    for log in logs:
        chosen = filters[str(log.path)]
        own = _Rules(metric, reading, compared, reduces(kept[log.path], log.config))
        if metric is not None and (value := share(log.results.get(f"{metric},{chosen}"))) is not None:
            named = metric if len({sample.filter for sample in log.samples}) == 1 else f"{metric} of {chosen}"
            yield LoggedFigure(log.model, task, named, value)
        for sample in kept[log.path]:
            yield from _replies(log, sample, own)


def _remarks(logs: Sequence[_TaskLog], filters: Mapping[str, str], metric: str | None) -> Iterator[LogRemark]:
    task = logs[0].task
    there = list(dict.fromkeys(sample.filter for log in logs for sample in log.samples))
    if len(set(filters.values())) > 1:
        each = ", ".join(f"{log.model} as {filters[str(log.path)]} found them" for log in logs)
        yield LogRemark(
            f"{task}: no filter is in the logs of all models, so the answers differ by more than the model: {each}",
            task,
        )
    elif len(there) > 1:
        chosen = filters[str(logs[0].path)]
        others = [name for name in there if name != chosen]
        yield LogRemark(f"{task}: answers as the filter {chosen} found them, of {', '.join([chosen, *others])}", task)
    for log in logs:
        own = [sample for sample in log.samples if sample.filter == filters[str(log.path)]]
        if reduces(own, log.config):
            yield LogRemark(
                f"{task}: {log.model}: the filter {own[0].filter} makes one answer of {len(own[0].replies)} replies; each"
                " reply is read here, and has no verdict of its own",
                task,
            )
    named = metrics_of([sample for log in logs for sample in log.samples])
    if metric is None and named:
        yield LogRemark(f"{task}: none of its metrics is a verdict on each reply: {', '.join(named)}", task)
    elif metric is not None and metric not in METRICS:
        yield LogRemark(f"{task}: verdicts by {metric}, of {', '.join(named)}", task)


@dataclass(frozen=True, slots=True)
class _Rules:
    """How the samples of one task are read."""

    metric: str | None
    reading: ChoiceReading | None
    """Of choices."""
    compared: bool
    """Whether the target is what a generated reply is held against."""
    reduced: bool
    """Whether the filter made one answer of several replies."""


def _replies(log: _TaskLog, sample: LmEvalSample, rules: _Rules) -> Iterator[LoggedReply]:
    if sample.continuations:
        likeliest, worth = LETTERS[sample.likeliest(rules.metric)], sample.worth(rules.metric)
        yield LoggedReply(
            log.model, _chosen_from(log, sample, rules), log.path, sample.line, answer=likeliest, worth=worth
        )
        return
    question = _generated(log, sample, rules)
    replies = sample.replies
    taken: list[Any] = [] if rules.reduced else sample.taken
    for number_of, said in enumerate(replies or [None]):
        answer = taken[number_of] if number_of < len(taken) else None
        # The row has one verdict: that on the only answer which the filter took, the first.
        judged = number_of == 0 and len(taken) == 1
        yield LoggedReply(
            log.model,
            question,
            log.path,
            sample.line,
            text=text(said),
            answer=text(answer) if answer is None or is_found(answer) else NOTHING_FOUND,
            sample=number_of,
            worth=sample.worth(rules.metric) if judged and not rules.reduced else None,
        )


def _chosen_from(log: _TaskLog, sample: LmEvalSample, rules: _Rules) -> QuestionInLog:
    blank = sample.blank
    place = rules.reading(sample) if rules.reading is not None else None
    return QuestionInLog(
        sample.ident,
        _words(sample, None if blank is None else blank[0]),
        sample.choices,
        None if place is None else LETTERS[place],
        context=sample.doc.context,
        category=sample.doc.category,
        task=log.task,
    )


def _generated(log: _TaskLog, sample: LmEvalSample, rules: _Rules) -> QuestionInLog:
    words, doc = _words(sample, None), sample.doc
    place = labelled_choice(sample) if rules.compared else None
    if place is not None:
        return QuestionInLog(sample.ident, words, doc.choices, LETTERS[place], (), doc.context, doc.category, log.task)
    target = sample.row.get("target")
    several = [each.strip() for each in map(text, target if isinstance(target, list) else [target]) if each is not None]
    reference, accepted = with_others(several if rules.compared else [])
    return QuestionInLog(sample.ident, words, (), reference, accepted, doc.context, doc.category, log.task)


def _words(sample: LmEvalSample, with_blank: str | None) -> str:
    words = sample.doc.text or with_blank or sample.prompt
    if words is None:
        raise sample.error("no question in it: expected a prompt in arguments")
    return words
