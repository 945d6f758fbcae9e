"""Results of promptfoo: what ``promptfoo eval -o`` writes as ``.json``, ``.jsonl`` or ``.yaml``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from moot.config.yaml_file import read_yaml
from moot.data.logs.fields import (
    amount,
    items,
    json_document,
    json_lines,
    last_asked,
    letter_of,
    mapping,
    text,
    tokens,
    with_others,
)
from moot.data.logs.log import LogEntry, LoggedReply, LogRemark, QuestionInLog
from moot.data.logs.object_columns import columns_of
from moot.errors import FileError
from moot.foreign_json import read_json
from moot.types import dense_json

NOT_ABOUT_THE_ANSWER = ("cost", "latency", "perplexity", "perplexity-score", "finish-reason", "is-json", "word-count")
"""Assertions that say nothing of whether an answer is right."""
REFERENCES = (
    *("equals", "contains", "icontains", "starts-with", "factuality", "model-graded-factuality", "levenshtein"),
    *("similar", "contains-any", "icontains-any"),
)
"""Assertions whose value is a right answer; of those with "any" several are."""
_VARIABLE = re.compile(r"\{\{\s*(\w+)\s*\}\}")


class Promptfoo:
    name: ClassVar[str] = "promptfoo"
    endings: ClassVar[tuple[str, ...]] = (".json", ".jsonl", ".yaml", ".yml")

    def read(self, files: Sequence[Path]) -> Iterator[LogEntry]:
        for path in files:
            yield from _entries(path, list(_results(path)))


def _results(path: Path) -> Iterator[tuple[int | None, Mapping[str, Any]]]:
    if path.suffix.lower() == ".jsonl":
        yield from json_lines(path)
        return
    document: Any = json_document(path) if path.suffix.lower() == ".json" else read_yaml(path).values
    results = mapping(document).get("results")
    listed = mapping(results).get("results") if isinstance(results, dict) else results
    if not isinstance(listed, list):
        raise FileError("is no output of promptfoo: expected a list results.results", file=path)
    for each in listed:
        yield None, mapping(each)


def _entries(path: Path, results: Sequence[tuple[int | None, Mapping[str, Any]]]) -> Iterator[LogEntry]:
    for line, result in results:
        if "response" not in result and "error" not in result:
            raise FileError("is no result of promptfoo: expected provider, vars and response", file=path, line=line)
    names = _names([result for _, result in results])
    first: dict[str, str] = {}
    asked: dict[tuple[str, str], int] = {}
    aside = 0
    for place, (line, result) in enumerate(results):
        # A repeat is another test of the same variables.
        case = dense_json([result.get("vars"), mapping(result.get("testCase")).get("description")])
        ident = first.setdefault(case, str(result.get("testIdx", place)))
        model = names[_seat(result)]
        sample = asked[model, ident] = asked.get((model, ident), -1) + 1
        question = _question(result, ident)
        if question is None:
            raise FileError("no question in it: expected vars or prompt.raw", file=path, line=line)
        aside += any(_type(each) in NOT_ABOUT_THE_ANSWER for each in _components(result))
        yield _reply(result, question, model, sample, path, line)
    if len(names) > len({seat[0] for seat in names}):
        yield LogRemark(f"{path.name}: several prompts; a model with the second of them is called NAME#2")
    if aside:
        yield LogRemark(f"{path.name}: verdicts leave out what was asserted of cost, time or form")


def _seat(result: Mapping[str, Any]) -> tuple[str, int]:
    provider = result.get("provider")
    named = mapping(provider)
    index = result.get("promptIdx")
    return text(named.get("label")) or text(named.get("id")) or text(provider) or "promptfoo", index if isinstance(
        index, int
    ) else 0


def _names(results: Sequence[Mapping[str, Any]]) -> dict[tuple[str, int], str]:
    """By provider and column: a column is a provider with a prompt, and the second of a provider is called NAME#2."""
    names: dict[tuple[str, int], str] = {}
    for seat in sorted({_seat(result) for result in results}, key=lambda seat: seat[1]):
        earlier = sum(other[0] == seat[0] for other in names)
        names[seat] = f"{seat[0]}#{earlier + 1}" if earlier else seat[0]
    return names


def _question(result: Mapping[str, Any], ident: str) -> QuestionInLog | None:
    given = mapping(result.get("vars")) or mapping(mapping(result.get("testCase")).get("vars"))
    plain = {name: value for name, value in given.items() if not name.startswith("__")}
    columns = columns_of(plain)
    only = text(next(iter(plain.values()))) if len(plain) == 1 else None
    words = columns.text or only or _prompt(result)
    if words is None:
        return None
    references = list(_references(result, plain))
    if (own := text(columns.answer)) is not None:
        references.insert(0, own)
    letter = letter_of(columns.answer if own is not None else next(iter(references), None), columns.choices)
    if letter is not None:
        return QuestionInLog(ident, words, columns.choices, letter, context=columns.context, category=columns.category)
    first, accepted = with_others(list(dict.fromkeys(references)))
    return QuestionInLog(ident, words, (), first, accepted, columns.context, columns.category)


def _prompt(result: Mapping[str, Any]) -> str | None:
    raw = text(mapping(result.get("prompt")).get("raw"))
    if raw is not None and raw.lstrip().startswith("["):
        try:
            return last_asked(read_json(raw)) or raw
        except ValueError:
            return raw
    return raw


def _references(result: Mapping[str, Any], given: Mapping[str, Any]) -> Iterator[str]:
    for assertion in items(mapping(result.get("testCase")).get("assert")):
        fields = mapping(assertion)
        if fields.get("type") in REFERENCES:
            value = fields.get("value")
            for each in value if isinstance(value, list) else [value]:
                variable = _VARIABLE.fullmatch(each.strip()) if isinstance(each, str) else None
                found = text(given.get(variable[1])) if variable else text(each)
                if found is not None and "{{" not in found:
                    yield found


def _components(result: Mapping[str, Any]) -> list[Any]:
    return items(mapping(result.get("gradingResult")).get("componentResults"))


def _type(component: Any) -> str | None:
    return text(mapping(mapping(component).get("assertion")).get("type"))


def _worth(result: Mapping[str, Any]) -> float | None:
    """Whether all passes that says something of the answer. None: nothing was asserted of it."""
    about = [mapping(each) for each in _components(result) if _type(each) not in NOT_ABOUT_THE_ANSWER]
    if about:
        return float(all(each.get("pass") is True for each in about))
    if not items(mapping(result.get("testCase")).get("assert")) or _components(result):
        return None
    return float(result.get("success") is True)


def _reply(
    result: Mapping[str, Any], question: QuestionInLog, model: str, sample: int, path: Path, line: int | None
) -> LoggedReply:
    response = mapping(result.get("response"))
    output = response.get("output")
    said = dense_json(output) if isinstance(output, dict | list) else text(output)
    usage = mapping(response.get("tokenUsage")) or mapping(result.get("tokenUsage"))
    milliseconds = amount(result.get("latencyMs"))
    return LoggedReply(
        model,
        question,
        path,
        line,
        text=said,
        sample=sample,
        worth=_worth(result) if said is not None else 0.0,
        usage=tokens(usage.get("prompt"), usage.get("completion")),
        cost_usd=amount(result["cost"] if result.get("cost") is not None else response.get("cost")),
        seconds=None if milliseconds is None else milliseconds / 1000,
        problem=text(response.get("error")) or text(result.get("error")),
    )
