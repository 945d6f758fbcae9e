"""Logs of Inspect: ``.eval``, a zip with a document for each sample, and ``.json``, all in one document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
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
from moot.data.logs.log import NOTHING_FOUND, LogEntry, LoggedFigure, LoggedReply, LogRemark, QuestionInLog
from moot.data.logs.zipped import zipped_json
from moot.errors import FileError
from moot.stats.counted_words import count

WORTH = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
"""Correct, incorrect, partial and no answer, as its scorers write them."""
ATTACHED = "attachment://"


class Inspect:
    name: ClassVar[str] = "inspect"
    endings: ClassVar[tuple[str, ...]] = (".eval", ".json")

    def read(self, files: Sequence[Path]) -> Iterator[LogEntry]:
        for path in files:
            with _opened(path) as (header, samples):
                yield from _entries(path, header, samples)


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
        yield mapping(archive.document(head)), (archive.document(name) for name in names)


def _entries(path: Path, header: Mapping[str, Any], samples: Iterator[Any]) -> Iterator[LogEntry]:
    evaluated = mapping(header.get("eval"))
    task, model = text(evaluated.get("task")), text(evaluated.get("model"))
    if task is None or model is None:
        raise FileError("is no log of Inspect: expected eval.task and eval.model", file=path)
    if (status := header.get("status")) != "success":
        yield LogRemark(f"{path.name}: the evaluation did not come to its end ({text(status) or 'unfinished'})")
    results = mapping(header.get("results"))
    scorer = _scorer(results)
    if scorer is not None and (stated := _accuracy(scorer)) is not None:
        yield LoggedFigure(model, task, f"{scorer.get('name')} accuracy", stated)
    several = left_out = 0
    for sample in samples:
        fields = mapping(sample)
        question = _question(fields, task)
        if question is None:
            left_out += 1
            continue
        several += len(mapping(fields.get("scores"))) > 1
        yield _reply(fields, question, model, text(scorer.get("name")) if scorer else None, path)
    if left_out:
        yield LogRemark(
            f"{path.name}: {count(left_out, 'sample')} without a question in words, or with several right choices, left out"
        )
    if several and scorer is not None:
        yield LogRemark(f"{path.name}: several scorers; the verdicts are those of {scorer.get('name')}")


def _scorer(results: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The one of the headline, else the first."""
    scores = [mapping(each) for each in items(results.get("scores"))]
    headline = mapping(results.get("headline")).get("score")
    return next((each for each in scores if each.get("name") == headline), scores[0] if scores else None)


def _accuracy(scorer: Mapping[str, Any]) -> float | None:
    return share(mapping(mapping(scorer.get("metrics")).get("accuracy")).get("value"))


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
        reference = letter_of(letters[0], choices) if letters else None
        return QuestionInLog(ident, words, choices, reference, category=text(category), task=task)
    first, others = with_others(references)
    return QuestionInLog(ident, words, (), first, others, category=text(category), task=task)


def _letters(target: str, choices: Sequence[str]) -> list[str]:
    """ "AC" is two of them."""
    allowed = LETTERS[: len(choices)]
    return list(target) if len(target) > 1 and all(letter in allowed for letter in target) else [target]


def _reply(
    sample: Mapping[str, Any], question: QuestionInLog, model: str, scorer: str | None, path: Path
) -> LoggedReply:
    output, scores = mapping(sample.get("output")), mapping(sample.get("scores"))
    said = _attached(_completion(output), mapping(sample.get("attachments")))
    score = mapping(scores.get(scorer or "") or next(iter(scores.values()), None))
    epoch = sample.get("epoch")
    usage = mapping(output.get("usage"))
    own = mapping(mapping(sample.get("model_usage")).get(model)) or usage
    answer = _extracted(score, said, question)
    error = mapping(sample.get("error"))
    return LoggedReply(
        model,
        question,
        path,
        text=said,
        answer=answer if said is not None else None,
        sample=epoch - 1 if isinstance(epoch, int) and epoch > 0 else 0,
        worth=_worth(score.get("value")) if score else None,
        usage=tokens(
            own.get("input_tokens"),
            own.get("output_tokens"),
            own.get("input_tokens_cache_read"),
            own.get("input_tokens_cache_write"),
        ),
        cost_usd=amount(own.get("total_cost")),
        seconds=amount(output.get("time")),
        problem=text(error.get("message")),
    )


def _completion(output: Mapping[str, Any]) -> str | None:
    if (said := text(output.get("completion"))) is not None:
        return said
    choices = items(output.get("choices"))
    return spoken(mapping(mapping(choices[0]).get("message")).get("content")) if choices else None


def _extracted(score: Mapping[str, Any], said: str | None, question: QuestionInLog) -> str | None:
    """None where the scorer takes nothing out of a reply, so that it has to be read."""
    answer = score.get("answer")
    if isinstance(answer, str) and answer.strip():
        return None if answer == said and question.choices else answer
    return NOTHING_FOUND if question.choices and score else None


def _worth(value: Any) -> float | None:
    if isinstance(value, str):
        return WORTH.get(value)
    found = number(value)
    return share(found)


def _attached(words: str | None, attachments: Mapping[str, Any]) -> str | None:
    if words is not None and words.startswith(ATTACHED):
        return text(attachments.get(words.removeprefix(ATTACHED)))
    return words
