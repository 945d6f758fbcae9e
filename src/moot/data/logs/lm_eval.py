"""Logs of lm-evaluation-harness: ``samples_TASK_DATE.jsonl`` of ``--log_samples``, and ``results_DATE.json`` beside them.

A task is either generated, and the reply is there, or the model was shown each choice and the likelier one is its answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from moot.data.logs.fields import (
    LETTERS,
    items,
    json_document,
    json_lines,
    last_asked,
    letter_of,
    mapping,
    number,
    options_in,
    share,
    text,
    with_others,
)
from moot.data.logs.log import NOTHING_FOUND, LogEntry, LoggedFigure, LoggedReply, LogRemark, QuestionInLog
from moot.data.logs.object_columns import columns_of
from moot.errors import FileError
from moot.foreign_json import read_json
from moot.types import MOST_CHOICES

_SAMPLES = re.compile(r"samples_(.+)_(\d{4}-\d\d-\d\dT[\d.:-]+)")
METRICS = ("acc", "exact_match", "acc_norm", "em", "score")
"""By which a reply is called right, in the order in which one is looked for."""
INVALID = ("[invalid]", "[no match]")
"""What its filters put where they find nothing."""


class LmEval:
    name: ClassVar[str] = "lm-eval"
    endings: ClassVar[tuple[str, ...]] = (".jsonl", ".json")

    def read(self, files: Sequence[Path]) -> Iterator[LogEntry]:
        samples = [path for path in files if path.suffix.lower() == ".jsonl"]
        if not samples:
            problem = "is no file of samples: expected samples_TASK_DATE.jsonl, which lm-eval writes with --log_samples"
            raise FileError(problem, file=files[0])
        for path in samples:
            yield from _task_entries(_TaskLog.of(path))


@dataclass(frozen=True, slots=True)
class _TaskLog:
    path: Path
    task: str
    model: str
    named: bool
    """Whether the results say which model it is; else it is called as its folder is."""
    results: Mapping[str, Any] = field(default_factory=dict)
    """Of this task, by metric and filter."""

    @classmethod
    def of(cls, path: Path) -> _TaskLog:
        found = _SAMPLES.fullmatch(path.stem)
        task, date = (found[1], found[2]) if found else (path.stem.removeprefix("samples_"), "")
        beside = path.with_name(f"results_{date}.json")
        if not date or not beside.is_file():
            return cls(path, task, path.resolve().parent.name, named=False)
        document = mapping(json_document(beside))
        model = text(document.get("model_name")) or _model_of(mapping(document.get("config")))
        results = mapping(mapping(document.get("results")).get(task))
        return cls(path, task, model or path.resolve().parent.name, model is not None, results)

    def stated(self, metric: str, chosen: str) -> float | None:
        return share(self.results.get(f"{metric},{chosen}"))


def _model_of(config: Mapping[str, Any]) -> str | None:
    arguments = config.get("model_args")
    if isinstance(arguments, str):
        arguments = dict(part.partition("=")[::2] for part in arguments.split(","))
    given = mapping(arguments)
    return text(given.get("pretrained")) or text(given.get("model")) or text(config.get("model"))


def _task_entries(log: _TaskLog) -> Iterator[LogEntry]:
    rows = list(json_lines(log.path))
    if odd := next((line for line, row in rows if "doc_id" not in row or "resps" not in row), None):
        problem = "is no sample of lm-eval: expected doc_id and resps; --log_samples writes such a file"
        raise FileError(problem, file=log.path, line=odd)
    if not rows:
        return
    if not log.named:
        yield LogRemark(f"{log.path.name}: no results beside it, so the model is called as its folder is: {log.model}")
    chosen, others = _best_filter([row for _, row in rows])
    rows = [(line, row) for line, row in rows if _filter(row) == chosen]
    if others:
        yield LogRemark(f"{log.task}: answers as the filter {chosen} found them, of {', '.join([chosen, *others])}")
    metric = next((name for name in METRICS if number(rows[0][1].get(name)) is not None), None)
    if metric is not None and (value := log.stated(metric, chosen)) is not None:
        yield LoggedFigure(log.model, log.task, metric, value)
    for line, row in rows:
        yield from _replies(_Sample(log, line, row, metric))


def _filter(row: Mapping[str, Any]) -> str:
    return text(row.get("filter")) or "none"


def _best_filter(rows: Sequence[Mapping[str, Any]]) -> tuple[str, list[str]]:
    """The filter that found most answers, and of several the one with the shortest: it takes most off a reply. And the others."""
    found: dict[str, tuple[int, int]] = {}
    for row in rows:
        answer = _first(row.get("filtered_resps"))
        said = isinstance(answer, list) or (text(answer) is not None and answer not in INVALID)
        number_of, length = found.get(_filter(row), (0, 0))
        found[_filter(row)] = (number_of + said, length - len(str(answer)))
    best = max(found, key=lambda name: found[name])
    return best, [name for name in found if name != best]


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, list) and value else None


@dataclass(frozen=True, slots=True)
class _Sample:
    log: _TaskLog
    line: int
    row: Mapping[str, Any]
    metric: str | None

    @property
    def ident(self) -> str:
        return str(self.row["doc_id"])

    @property
    def worth(self) -> float | None:
        return share(number(self.row.get(self.metric))) if self.metric else None

    @property
    def asked(self) -> list[Any]:
        """What the model was given, call by call: the prompt, and what was to follow it or how to generate."""
        arguments = self.row.get("arguments")
        if isinstance(arguments, dict):
            return [list(mapping(each).values()) for each in arguments.values()]
        return items(arguments)

    @property
    def prompt(self) -> str | None:
        words = text(_first(_first(self.asked)))
        if words is not None and words.startswith('[{"role"'):
            try:
                return last_asked(read_json(words))
            except ValueError:
                return words
        return words

    @property
    def continuations(self) -> list[str]:
        """The choices whose likelihoods were taken; none: the reply was generated."""
        given = [each[1] for each in self.asked if len(each) > 1 and isinstance(each[1], str)]
        return given if len(given) == len(items(self.row.get("resps"))) >= 2 else []

    def error(self, problem: str) -> FileError:
        return FileError(problem, file=self.log.path, line=self.line)


def _replies(sample: _Sample) -> Iterator[LogEntry]:
    if sample.continuations:
        yield _likeliest(sample)
        return
    question = _question(sample, ())
    resps = items(_first(sample.row.get("resps")))
    filtered = _first(sample.row.get("filtered_resps"))
    extracted = filtered if isinstance(filtered, list) else [filtered]
    for number_of, said in enumerate(resps or [None]):
        # A filter keeps one of several replies; the verdict is on that one.
        answer = extracted[number_of] if number_of < len(extracted) else None
        if answer in INVALID:
            answer = NOTHING_FOUND
        yield LoggedReply(
            sample.log.model,
            question,
            sample.log.path,
            sample.line,
            text=text(said),
            answer=text(answer) or (NOTHING_FOUND if answer == NOTHING_FOUND else None),
            sample=number_of,
            worth=sample.worth if number_of == 0 or len(extracted) == len(resps) else None,
        )


def _likeliest(sample: _Sample) -> LoggedReply:
    continuations = sample.continuations
    if len(continuations) > MOST_CHOICES:
        raise sample.error(f"expected at most {MOST_CHOICES} choices, found {len(continuations)}")
    likelihoods = [_likelihood(each) for each in items(sample.row.get("filtered_resps") or sample.row.get("resps"))]
    known = [each for each in likelihoods if each is not None]
    if len(known) != len(continuations):
        raise sample.error("expected a log-likelihood for each choice in filtered_resps")
    if sample.metric == "acc_norm":  # of tasks that state no other: by what a character is worth
        known = [each / max(1, len(words)) for each, words in zip(known, continuations, strict=True)]
    return LoggedReply(
        sample.log.model,
        _question(sample, [words.strip() for words in continuations]),
        sample.log.path,
        sample.line,
        answer=LETTERS[known.index(max(known))],
        worth=sample.worth,
    )


def _likelihood(value: Any) -> float | None:
    """``[-0.1, False]``, perhaps within a list, and in some versions as texts."""
    while isinstance(value, list):
        if not value:
            return None
        value = value[0]
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return None
    return number(value)


def _question(sample: _Sample, continuations: Sequence[str]) -> QuestionInLog:
    doc = columns_of(mapping(sample.row.get("doc")))
    words = doc.text or sample.prompt
    if words is None:
        raise sample.error("no question in it: expected a prompt in arguments")
    choices: tuple[str, ...] = ()
    if continuations:
        choices = _choices(continuations, doc.choices, sample.prompt or "")
    elif letter_of(sample.row.get("target"), doc.choices) is not None:
        choices = doc.choices
    target = sample.row.get("target")
    if not choices:
        several = [each for each in map(text, target if isinstance(target, list) else [target]) if each is not None]
        reference, accepted = with_others(several)
        return QuestionInLog(
            sample.ident,
            words,
            (),
            reference.strip() if reference else None,
            accepted,
            doc.context,
            doc.category,
            sample.log.task,
        )
    right = letter_of(target, continuations) if continuations else None
    return QuestionInLog(
        sample.ident,
        words,
        choices,
        right or letter_of(target, choices),
        context=doc.context,
        category=doc.category,
        task=sample.log.task,
    )


def _choices(continuations: Sequence[str], of_doc: Sequence[str], prompt: str) -> tuple[str, ...]:
    """Where the model was to say a letter, what stands under it."""
    letters = [each.strip("(). ") for each in continuations]
    if letters != list(LETTERS[: len(letters)]):
        return tuple(continuations)
    if len(of_doc) == len(letters):
        return tuple(of_doc)
    return options_in(prompt, letters) or tuple(letters)
