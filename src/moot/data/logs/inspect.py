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
from moot.data.logs.log import NOTHING_FOUND, LogEntry, LoggedFigure, LoggedReply, LogRemark, QuestionInLog
from moot.data.logs.zipped import zipped_json
from moot.errors import FileError
from moot.stats.counted_words import count

WORTH = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
"""Correct, incorrect, partial and no answer, as its scorers write them."""
IN_WORDS = {"yes": 1.0, "true": 1.0, "1": 1.0, "no": 0.0, "false": 0.0, "0": 0.0}
"""What else Inspect counts as correct or not."""
ATTACHED = "attachment://"
BESIDE = ("eval-set.json", "logs.json")
"""What its command for several evaluations writes beside their logs: lists of them."""
MEAN = (None, "mean")
"""How epochs are reduced to one value where the figure is the mean of all."""
MOST_PROBLEM = 200


class Inspect:
    name: ClassVar[str] = "inspect"
    endings: ClassVar[tuple[str, ...]] = (".eval", ".json")

    def read(self, files: Sequence[Path]) -> Iterator[LogEntry]:
        for path in [path for path in files if path.name not in BESIDE] or files:
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
        archive.check_size([head, *names], path.stat().st_size)
        yield mapping(archive.document(head)), (archive.document(name) for name in names)


def _entries(path: Path, header: Mapping[str, Any], samples: Iterator[Any]) -> Iterator[LogEntry]:
    evaluated = mapping(header.get("eval"))
    task, model = text(evaluated.get("task")), text(evaluated.get("model"))
    if task is None or model is None:
        raise FileError("is no log of Inspect: expected eval.task and eval.model", file=path)
    about = f"{path.name} ({model})"
    if (status := header.get("status")) != "success":
        why = " ".join((text(mapping(header.get("error")).get("message")) or "").split())[:MOST_PROBLEM]
        said = f"{text(status) or 'unfinished'}{f': {why}' if why else ''}"
        yield LogRemark(f"{about}: the evaluation did not come to its end ({said})", task)
    scored = _scored(mapping(header.get("results")))
    several = left_out = 0
    replies: list[LoggedReply] = []
    beyond = False
    for sample in samples:
        fields = mapping(sample)
        question = _question(fields, task)
        if question is None:
            left_out += 1
            continue
        score = _score(fields, scored)
        several += score.several
        beyond = beyond or score.beyond
        replies.append(_reply(fields, question, model, score, path))
    if left_out:
        yield LogRemark(
            f"{about}: {count(left_out, 'sample')} without a question in words, or with several right choices, left out",
            task,
        )
    if several and scored is not None:
        yield LogRemark(f"{about}: several scorers; the verdicts are those of {scored.name}", task)
    if beyond:
        figure = f" ({scored.metric} {scored.value:g})" if scored is not None and scored.value is not None else ""
        yield LogRemark(f"{about}: scores outside 0 to 1{figure} are no verdicts, and none is taken", task)
        replies = [replace(reply, worth=None) for reply in replies]
    elif scored is not None and (value := share(scored.value)) is not None:
        yield LoggedFigure(model, task, scored.told, value)
    yield from replies


@dataclass(frozen=True, slots=True)
class _Scored:
    """What the results say of one scorer."""

    name: str
    scorer: str
    """That a sample has the score under; another where it gives several values by name."""
    metric: str
    value: float | None
    reducer: str | None

    @property
    def told(self) -> str:
        return f"{self.name} {self.metric}" + ("" if self.reducer in MEAN else f" ({self.reducer} of the epochs)")


def _scored(results: Mapping[str, Any]) -> _Scored | None:
    """The scorer of the headline with what it does of epochs there, else the first."""
    scores = [mapping(each) for each in items(results.get("scores"))]
    headline = mapping(results.get("headline"))
    of_headline = [each for each in scores if each.get("name") == headline.get("score")]
    same = [each for each in of_headline if each.get("reducer") == headline.get("reducer")]
    chosen = next(iter([*same, *of_headline, *scores]), None)
    if chosen is None:
        return None
    metrics = mapping(chosen.get("metrics"))
    named = (text(headline.get("metric")) or "accuracy", "accuracy", "mean")
    metric = next((name for name in named if name in metrics), "accuracy")
    name = text(chosen.get("name")) or ""
    value = number(mapping(metrics.get(metric)).get("value"))
    return _Scored(name, text(chosen.get("scorer")) or name, metric, value, text(chosen.get("reducer")))


@dataclass(frozen=True, slots=True)
class _Score:
    """What a sample has of the scorer whose verdicts are taken."""

    fields: Mapping[str, Any]
    worth: float | None
    several: bool
    beyond: bool
    """Whether its value is a number outside 0 to 1, so that the scorer does not say right or wrong."""


def _score(sample: Mapping[str, Any], scored: _Scored | None) -> _Score:
    scores = mapping(sample.get("scores"))
    names = (scored.name, scored.scorer) if scored is not None else ()
    fields = mapping(next((scores[name] for name in names if name in scores), next(iter(scores.values()), None)))
    value = fields.get("value")
    several = len(scores) > 1 or (isinstance(value, dict) and len(value) > 1)
    if isinstance(value, dict):
        value = value.get(scored.name) if scored is not None else None
    found = WORTH.get(value) if isinstance(value, str) else number(value)
    if isinstance(value, str) and found is None:
        found = IN_WORDS.get(value.strip().lower())
    return _Score(fields, share(found), several, found is not None and share(found) is None)


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


def _reply(sample: Mapping[str, Any], question: QuestionInLog, model: str, score: _Score, path: Path) -> LoggedReply:
    output = mapping(sample.get("output"))
    said = _attached(_completion(output), mapping(sample.get("attachments")))
    epoch = sample.get("epoch")
    usage = mapping(output.get("usage"))
    own = mapping(mapping(sample.get("model_usage")).get(model)) or usage
    answer = _extracted(score.fields, said, question)
    error = mapping(sample.get("error"))
    return LoggedReply(
        model,
        question,
        path,
        text=said,
        answer=answer if said is not None else None,
        sample=epoch - 1 if isinstance(epoch, int) and epoch > 0 else 0,
        worth=score.worth,
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


def _attached(words: str | None, attachments: Mapping[str, Any]) -> str | None:
    if words is not None and words.startswith(ATTACHED):
        return text(attachments.get(words.removeprefix(ATTACHED)))
    return words
