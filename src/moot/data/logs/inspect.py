"""Logs of Inspect: ``.eval``, a zip with a document for each sample, and ``.json``, all in one document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from moot.data.logs.fields import (
    LETTERS,
    amount,
    items,
    json_document,
    last_asked,
    letter_of,
    mapping,
    number,
    share,
    spoken,
    text,
    tokens,
    with_others,
)
from moot.data.logs.inspect_scores import ChosenScore, SampleScores, chosen_score, scores_of, stated_score
from moot.data.logs.log import NOTHING_FOUND, LogEntry, LoggedFigure, LoggedReply, LogRemark, QuestionInLog
from moot.data.logs.refusals_in_logs import REFUSAL, ended_in_refusal, part_that_refuses, refused_by_filter
from moot.data.logs.zipped import zipped_json
from moot.errors import FileError
from moot.models.filtered import FILTERED
from moot.stats.counted_words import count

ATTACHED = "attachment://"
BESIDE = ("eval-set.json", "logs.json")
"""What its command for several evaluations writes beside their logs: lists of them."""
MOST_PROBLEM = 200


@dataclass(frozen=True, slots=True)
class Inspect:
    name: ClassVar[str] = "inspect"
    endings: ClassVar[tuple[str, ...]] = (".eval", ".json")
    metric: str | None = None
    """The score by which replies are right, where somebody has named it: NAME or SCORER.NAME."""

    def read(self, files: Sequence[Path]) -> Iterator[LogEntry]:
        tasks: dict[str, list[_Log]] = {}
        for path in [path for path in files if path.name not in BESIDE] or files:
            with _opened(path) as (header, samples):
                log = _log(path, header, samples)
                tasks.setdefault(log.task, []).append(log)
        for logs in tasks.values():
            samples_of_task = [sample.scores for log in logs for sample in log.samples]
            chosen = chosen_score([log.header for log in logs], samples_of_task, self.metric)
            takes = any(sample.answers.get(chosen.answers_by or "") for sample in samples_of_task)
            for log in logs:
                yield from _entries(log, chosen, takes=takes)


@contextmanager
def _opened(path: Path) -> Iterator[tuple[Mapping[str, Any], Iterator[Any]]]:
    """What stands at the head of a log, and its samples."""
    if path.suffix.lower() == ".json":
        document = mapping(json_document(path))
        yield document, iter(items(document.get("samples")))
        return
    with zipped_json(path) as archive:
        head = next((name for name in ("header.json", "_journal/start.json") if name in archive.names), None)
        if head is None:
            raise FileError("is no log of Inspect: expected a header.json in the zip", file=path)
        names = [name for name in archive.names if name.startswith("samples/") and name.endswith(".json")]
        archive.check_size([head, *names], path.stat().st_size)
        yield mapping(archive.document(head)), (archive.document(name) for name in names)


@dataclass(frozen=True, slots=True)
class _Sample:
    reply: LoggedReply
    """As far as no scorer has a say in it."""
    scores: SampleScores


@dataclass(frozen=True, slots=True)
class _Log:
    path: Path
    task: str
    model: str
    header: Mapping[str, Any]
    samples: Sequence[_Sample]
    left_out: int
    """Samples that are no question to us."""

    @property
    def about(self) -> str:
        return f"{self.path.name} ({self.model})"


def _log(path: Path, header: Mapping[str, Any], samples: Iterator[Any]) -> _Log:
    evaluated = mapping(header.get("eval"))
    task, model = text(evaluated.get("task")), text(evaluated.get("model"))
    if task is None or model is None:
        raise FileError("is no log of Inspect: expected eval.task and eval.model", file=path)
    kept: list[_Sample] = []
    left_out = 0
    for sample in samples:
        fields = mapping(sample)
        question = _question(fields, task)
        if question is None:
            left_out += 1
        else:
            reply = _reply(fields, question, model, path)
            kept.append(_Sample(reply, scores_of(fields, question, reply.text, model)))
    head = {key: header.get(key) for key in ("status", "error", "eval", "results")}
    return _Log(path, task, model, head, kept, left_out)


def _entries(log: _Log, chosen: ChosenScore, *, takes: bool) -> Iterator[LogEntry]:
    """`takes`: whether the scorer takes answers out of replies, be it of another model's."""
    header, task, about = log.header, log.task, log.about
    if (status := header.get("status")) != "success":
        why = " ".join((text(mapping(header.get("error")).get("message")) or "").split())[:MOST_PROBLEM]
        said = f"{text(status) or 'unfinished'}{f': {why}' if why else ''}"
        yield LogRemark(f"{about}: the evaluation did not come to its end ({said})", task)
    results = mapping(header.get("results"))
    total, there = number(results.get("total_samples")), len(log.samples) + log.left_out
    if total is not None and total > there:
        yield LogRemark(
            f"{about}: the log counts {count(int(total), 'sample')}, and only {there:,} can be found in it", task
        )
    if log.left_out:
        yield LogRemark(
            f"{about}: {count(log.left_out, 'sample')} without a question in words, or with several right choices, left out",
            task,
        )
    if chosen.remark is not None:
        yield LogRemark(f"{task}: {chosen.remark}", task)
    stated = stated_score(results, chosen.name) if chosen.name is not None else None
    if chosen.beyond:
        figure = f" ({stated.metric} {stated.value:g})" if stated is not None and stated.value is not None else ""
        problem = f"scores outside 0 to 1{figure} are no verdicts, and none of {chosen.name} is taken"
        yield LogRemark(f"{about}: {problem}", task)
    elif stated is not None and (value := share(stated.value)) is not None:
        of_more = log.left_out > 0 or (total is not None and total > there)
        yield LoggedFigure(log.model, task, stated.told, value, of_more=of_more)
    for sample in log.samples:
        worth = None if chosen.beyond else sample.scores.worth(chosen.name)
        taken = sample.scores.answers.get(chosen.answers_by or "")
        answer = _extracted(taken, sample.reply, looked=takes and worth != 1)
        yield replace(sample.reply, worth=worth, answer=answer)


def _question(sample: Mapping[str, Any], task: str) -> QuestionInLog | None:
    attachments = mapping(sample.get("attachments"))
    asked = sample.get("input")
    words = _attached(last_asked(asked) if isinstance(asked, list) else spoken(asked), attachments)
    ident = text(sample.get("id"))
    if ident is None or words is None:
        return None
    choices = tuple(str(choice) for choice in items(sample.get("choices")))
    targets = sample.get("target")
    targets = targets if isinstance(targets, list) else [targets]
    references = [target for target in map(text, targets) if target is not None]
    category = mapping(sample.get("metadata")).get("category") or mapping(sample.get("metadata")).get("subject")
    if choices:
        letters = references if len(references) != 1 else _letters(references[0], choices)
        if len(letters) > 1 or len(choices) < 2:
            return None  # several are right together
        # Its scorer of choices takes letters; words are for a scorer of one's own.
        by_letter = letter_of(letters[0], choices, ("letters",)) if letters else None
        reference = by_letter or letter_of(next(iter(letters), None), choices, ("texts",))
        return QuestionInLog(ident, words, choices, reference, category=text(category), task=task)
    first, others = with_others(references)
    return QuestionInLog(ident, words, (), first, others, category=text(category), task=task)


def _letters(target: str, choices: Sequence[str]) -> list[str]:
    """ "AC" is two of them."""
    allowed = LETTERS[: len(choices)]
    return list(target) if len(target) > 1 and all(letter in allowed for letter in target) else [target]


def _reply(sample: Mapping[str, Any], question: QuestionInLog, model: str, path: Path) -> LoggedReply:
    output = mapping(sample.get("output"))
    said = _attached(_completion(output), mapping(sample.get("attachments")))
    epoch = sample.get("epoch")
    usage = mapping(output.get("usage"))
    own = mapping(mapping(sample.get("model_usage")).get(model)) or usage
    error = mapping(sample.get("error"))
    refusal = _refusal(output) or (refused_by_filter(error) if said is None else None)
    return LoggedReply(
        model,
        question,
        path,
        text=said if refusal is None else said or text(output.get("error")) or "",
        finish=refusal or "stop",
        sample=epoch - 1 if isinstance(epoch, int) and epoch > 0 else 0,
        usage=tokens(
            own.get("input_tokens"),
            own.get("output_tokens"),
            own.get("input_tokens_cache_read"),
            own.get("input_tokens_cache_write"),
            total=own.get("total_tokens"),
            reasoning=own.get("reasoning_tokens"),
        ),
        cost_usd=amount(own.get("total_cost")),
        seconds=amount(output.get("time")),
        problem=text(error.get("message")) if refusal is None else None,
    )


def _refusal(output: Mapping[str, Any]) -> str | None:
    """The word for it, where the model refused or a filter did: by why the reply ended, or marked in it. An error of its output
    is that of a moderation: all others are the sample's."""
    choice = mapping(next(iter(items(output.get("choices"))), None))
    if part_that_refuses(mapping(choice.get("message")).get("content")):
        return REFUSAL
    return ended_in_refusal(choice.get("stop_reason")) or (FILTERED if text(output.get("error")) is not None else None)


def _completion(output: Mapping[str, Any]) -> str | None:
    if (said := text(output.get("completion"))) is not None:
        return said
    choices = items(output.get("choices"))
    return spoken(mapping(mapping(choices[0]).get("message")).get("content")) if choices else None


def _extracted(answer: str | None, reply: LoggedReply, *, looked: bool) -> str | None:
    """None where the scorer takes nothing out of a reply, so that it has to be read. `looked`: whether it would have, had it
    found an answer; one that calls a reply right has found it, whether it says so or not."""
    if reply.text is None:
        return None
    if answer is not None and answer.strip():
        return None if answer == reply.text and reply.question.choices else answer
    return NOTHING_FOUND if reply.question.choices and (answer is not None or looked) else None


def _attached(words: str | None, attachments: Mapping[str, Any]) -> str | None:
    if words is not None and words.startswith(ATTACHED):
        return text(attachments.get(words.removeprefix(ATTACHED)))
    return words
