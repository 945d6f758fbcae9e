"""Logs of lm-evaluation-harness: ``samples_TASK_DATE.jsonl`` of ``--log_samples``, and ``results_DATE.json`` beside them.

A task is either generated, and the reply is there, or the model was shown each choice and the likelier one is its answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

from moot.data.logs.fields import LETTERS, json_document, json_lines, mapping, share, text, with_others
from moot.data.logs.lm_eval_choices import (
    ChoiceReading,
    best_reading,
    labelled_choice,
    letter_by_label,
    only_parts,
    several_are_right,
)
from moot.data.logs.lm_eval_compared import ComparedForm, compared_form
from moot.data.logs.lm_eval_filters import chosen_filters, is_found, reduces
from moot.data.logs.lm_eval_metrics import ChosenMetric, chosen_metric, directions, metrics_of, target_is_reference
from moot.data.logs.lm_eval_remarks import metric_remarks
from moot.data.logs.lm_eval_sample import LmEvalSample
from moot.data.logs.lm_eval_targets import lists_are_several, targets_of
from moot.data.logs.log import (
    NO_REFERENCE,
    NOTHING_FOUND,
    LogEntry,
    LoggedFigure,
    LoggedReply,
    LogRemark,
    QuestionInLog,
)
from moot.errors import FileError
from moot.stats.counted_words import count
from moot.types import MOST_CHOICES

ROLLING = "loglikelihood_rolling"
"""The kind of task that takes the likelihood of a whole text, and nothing else."""
_SAMPLES = re.compile(r"samples_(.+)_(\d{4}-\d\d-\d\dT[\d.:-]+)")


@dataclass(frozen=True, slots=True)
class LmEval:
    name: ClassVar[str] = "lm-eval"
    endings: ClassVar[tuple[str, ...]] = (".jsonl", ".json")
    metric: str | None = None
    """By which replies are right, where somebody has named it."""

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
            yield from _task_entries(logs, self.metric)


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
    higher: Mapping[str, bool] = field(default_factory=dict)
    """By metric whether more is better, where the results say it."""
    left_out: bool = False
    """Whether the results are of more than these samples."""

    @property
    def has_no_replies(self) -> bool:
        """Whether only the likelihood of a given text was taken."""
        if any(sample.has_no_reply for sample in self.samples):
            return True
        output = self.config.get("output_type")
        return output == ROLLING or (output is None and all(sample.seems_rolling for sample in self.samples))

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
        named = model or path.resolve().parent.name
        return cls(path, task, named, model is not None, samples, results, config, directions(document, task))


def _model_of(config: Mapping[str, Any]) -> str | None:
    arguments = config.get("model_args")
    if isinstance(arguments, str):
        arguments = dict(part.partition("=")[::2] for part in arguments.split(","))
    given = mapping(arguments)
    return text(given.get("pretrained")) or text(given.get("model")) or text(config.get("model"))


def _task_entries(logs: Sequence[_TaskLog], wanted: str | None) -> Iterator[LogEntry]:
    task, models = logs[0].task, ", ".join(dict.fromkeys(log.model for log in logs))
    for log in logs:
        if not log.named:
            yield LogRemark(
                f"{log.path.name}: no results beside it, so the model is called as its folder is: {log.model}", log.task
            )
    if any(log.has_no_replies for log in logs):
        problem = "the likelihood of a given text was taken, so there are no replies to read"
        yield LogRemark(f"{task} ({models}): {problem}; left out", task)
        return
    too_many = {sample.ident for log in logs for sample in log.samples if len(sample.continuations) > MOST_CHOICES}
    if too_many:
        yield LogRemark(
            f"{task}: {count(len(too_many), 'question')} of more than {MOST_CHOICES} choices, left out", task
        )
        logs = [_without(log, too_many) for log in logs]
        logs = [log for log in logs if log.samples]
    if logs:
        yield from _playable_entries(logs, wanted)


def _without(log: _TaskLog, too_many: Set[str]) -> _TaskLog:
    kept = [each for each in log.samples if each.ident not in too_many]
    return replace(log, samples=kept, left_out=len(kept) < len(log.samples))


def _playable_entries(logs: Sequence[_TaskLog], wanted: str | None) -> Iterator[LogEntry]:
    task = logs[0].task
    filters = chosen_filters({str(log.path): log.samples for log in logs}, {str(log.path): log.config for log in logs})
    kept = {log.path: [sample for sample in log.samples if sample.filter == filters[str(log.path)]] for log in logs}
    higher = {name: more for log in logs for name, more in log.higher.items()}
    metric = chosen_metric([sample for own in kept.values() for sample in own], higher, wanted)
    kept = {path: metric.upright(own) for path, own in kept.items()}
    everybody = [sample for own in kept.values() for sample in own]
    yield from _filter_remarks(logs, filters)
    yield from metric_remarks(task, metric, metrics_of(everybody), wanted)
    by_likelihood = [sample for sample in everybody if sample.continuations]
    # Where the task has metrics and none says what is right, nothing holds an answer against the target.
    reading = None if metric.name is None and metric.unclear else best_reading(by_likelihood, metric.name)
    yield from _choice_remarks(task, by_likelihood, metric, reading)
    in_words = [sample for sample in everybody if not sample.continuations]
    form = compared_form([log.config for log in logs], metric.name) if in_words else ComparedForm()
    several = lists_are_several(in_words, metric.name)
    compared = target_is_reference(in_words, metric, stated=wanted is not None)
    if not compared and in_words:
        by = metric.name or " or ".join(metric.unclear)
        yield LogRemark(f"{task}: what {by} holds a reply against is not its target, so {NO_REFERENCE}", task)
    for log in logs:
        chosen = filters[str(log.path)]
        own = _Rules(metric.name, reading, compared, several, reduces(kept[log.path], log.config), form)
        stated = share(log.results.get(f"{metric.name},{chosen}"))
        if metric.told is not None and stated is not None:
            one = len({sample.filter for sample in log.samples}) == 1
            named = metric.told if one else f"{metric.told} of {chosen}"
            upright = 1 - stated if metric.turned else stated
            yield LoggedFigure(log.model, task, named, upright, of_more=log.left_out)
        for sample in kept[log.path]:
            yield from _replies(log, sample, own)
    if form.unused:
        words = f"what {metric.name} ignores of a target ({form.unused:.60}) is not followed here, so it is taken as it stands"
        yield LogRemark(f"{task}: {words}", task)
    elif form.too_long:
        words = f"{form.too_long:,} targets are too long for what {metric.name} ignores of them, so they are taken as they stand"
        yield LogRemark(f"{task}: {words}", task)


def _choice_remarks(
    task: str, samples: Sequence[LmEvalSample], metric: ChosenMetric, reading: ChoiceReading | None
) -> Iterator[LogRemark]:
    """Why of which questions it cannot be told which choice is right."""
    several = {sample.ident for sample in samples if several_are_right(sample)}
    if only_parts(samples, metric.name):
        yield LogRemark(
            f"{task}: {metric.name} gives parts of a point, so which choice is right cannot be told of it", task
        )
    elif several:
        yield LogRemark(f"{task}: several choices are right in {count(len(several), 'question')}: {NO_REFERENCE}", task)
    if (
        reading is None
        and len(several) < len({sample.ident for sample in samples})
        and not only_parts(samples, metric.name)
    ):
        yield LogRemark(
            f"{task}: no choice is named by the targets that fits what the log calls right: {NO_REFERENCE}", task
        )


def _filter_remarks(logs: Sequence[_TaskLog], filters: Mapping[str, str]) -> Iterator[LogRemark]:
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


@dataclass(frozen=True, slots=True)
class _Rules:
    """How the samples of one task are read."""

    metric: str | None
    reading: ChoiceReading | None
    """Of choices."""
    compared: bool
    """Whether the target is what a generated reply is held against."""
    several: bool
    """Whether a target that spells a list is several right answers."""
    reduced: bool
    """Whether the filter made one answer of several replies."""
    form: ComparedForm
    """What the metric compares of a target."""


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
        found = text(answer) if answer is None or is_found(answer) else NOTHING_FOUND
        yield LoggedReply(
            log.model,
            question,
            log.path,
            sample.line,
            text=text(said),
            answer=letter_by_label(found, sample) if found and question.choices else found,
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
    targets = targets_of(sample, rules.several) if rules.compared else []
    reference, accepted = with_others(targets)
    forms = tuple(form for each in targets if (form := rules.form.of(each)) is not None)
    return QuestionInLog(sample.ident, words, (), reference, accepted, doc.context, doc.category, log.task, forms)


def _words(sample: LmEvalSample, with_blank: str | None) -> str:
    """ "": there are none, as of tasks that weigh sentences against each other; such a question is left out, and told."""
    return sample.doc.text or with_blank or sample.prompt or ""
