"""Results of promptfoo: what ``promptfoo eval -o`` writes as ``.json``, ``.jsonl`` or ``.yaml``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from moot.config.foreign_yaml import foreign_yaml
from moot.data.logs.fields import (
    amount,
    items,
    json_document,
    json_lines,
    last_asked,
    letter_of,
    mapping,
    number,
    text,
    tokens,
    with_others,
)
from moot.data.logs.log import LogEntry, LoggedReply, LogRemark, QuestionInLog
from moot.data.logs.object_columns import columns_of
from moot.data.logs.refusals_in_logs import REFUSAL, ended_in_refusal, refused_by_filter
from moot.errors import FileError
from moot.foreign_json import read_json
from moot.models.filtered import FILTERED
from moot.stats.counted_words import count
from moot.types import dense_json

NOT_ABOUT_THE_ANSWER = ("cost", "latency", "perplexity", "perplexity-score", "finish-reason", "is-json", "word-count")
"""Assertions that say nothing of whether an answer is right."""
WHOLE = ("equals", "factuality", "model-graded-factuality", "levenshtein", "similar")
"""Assertions whose value is a right answer."""
PARTS = ("contains", "icontains", "starts-with", "contains-any", "icontains-any")
"""Those whose value has to be in a reply. The only one of a test is its right answer, of those with "any" each is."""
SET = "assert-set"
WAY_OUT = "expected the same as JSON: promptfoo eval -o output.json, or promptfoo export eval ID -o output.json"
_VARIABLE = re.compile(r"\{\{\s*(\w+)\s*\}\}")


class Promptfoo:
    name: ClassVar[str] = "promptfoo"
    endings: ClassVar[tuple[str, ...]] = (".json", ".jsonl", ".yaml", ".yml")

    def read(self, files: Sequence[Path]) -> Iterator[LogEntry]:
        for path in files:
            if path.suffix.lower() == ".jsonl":
                yield from _entries(path, list(json_lines(path)), frozenset())
                continue
            document: Any = json_document(path) if path.suffix.lower() == ".json" else foreign_yaml(path, WAY_OUT)
            yield from _entries(path, _results(path, document), _free_providers(document))


def _results(path: Path, document: Any) -> list[tuple[int | None, Mapping[str, Any]]]:
    results = mapping(document).get("results")
    listed = mapping(results).get("results") if isinstance(results, dict) else results
    if not isinstance(listed, list):
        raise FileError("is no output of promptfoo: expected a list results.results", file=path)
    return [(None, mapping(each)) for each in listed]


def _free_providers(document: Any) -> frozenset[str]:
    """Those for which its settings, which it writes beside the results, state a price of 0 a token."""
    listed = [mapping(each) for each in items(mapping(mapping(document).get("config")).get("providers"))]
    free = [
        each for each in listed if (cost := number(mapping(each.get("config")).get("cost"))) is not None and not cost
    ]
    return frozenset(name for each in free if (name := text(each.get("label")) or text(each.get("id"))) is not None)


def _entries(
    path: Path, results: Sequence[tuple[int | None, Mapping[str, Any]]], free: frozenset[str]
) -> Iterator[LogEntry]:
    for line, result in results:
        if "response" not in result and "error" not in result:
            raise FileError("is no result of promptfoo: expected provider, vars and response", file=path, line=line)
    names = _names([result for _, result in results])
    first: dict[str, str] = {}
    asked: dict[tuple[str, str], int] = {}
    aside = counted = 0
    in_parts: set[str] = set()
    for place, (line, result) in enumerate(results):
        # A repeat is another test of the same variables.
        case = dense_json([result.get("vars"), mapping(result.get("testCase")).get("description")])
        ident = first.setdefault(case, str(result.get("testIdx", place)))
        model = names[_seat(result)]
        sample = asked[model, ident] = asked.get((model, ident), -1) + 1
        question = _question(result, ident)
        if question.answer is None and len(_asserted(result, PARTS)) > 1:
            in_parts.add(ident)
        if any(_type(each) in NOT_ABOUT_THE_ANSWER for each in _components(result)):
            counted += _decided_by_score(result)
            aside += not _decided_by_score(result)
        reply = _reply(result, question, model, sample, path, line)
        yield replace(reply, free=_seat(result)[0] in free)
    yield from (LogRemark(f"{path.name}: {words}") for words in _twice(names, results))
    if in_parts:
        tests = count(len(in_parts), "test asserts", "tests assert")
        yield LogRemark(
            f"{path.name}: {tests} several parts of one answer, none of which is right by itself: no reference is taken"
        )
    if aside:
        yield LogRemark(f"{path.name}: verdicts leave out what was asserted of cost, time or form")
    if counted:
        yield LogRemark(
            f"{path.name}: verdicts of tests with a threshold count what was asserted of cost, time or form too"
        )


def _twice(
    names: Mapping[tuple[str, int], str], results: Sequence[tuple[int | None, Mapping[str, Any]]]
) -> Iterator[str]:
    """Of a provider that has several columns: it was given several prompts, or was there with other settings."""
    prompts: dict[str, set[str]] = {}
    for _, result in results:
        asked = mapping(result.get("prompt"))
        prompts.setdefault(_seat(result)[0], set()).add(text(asked.get("label")) or str(asked.get("raw")))
    for seat, name in names.items():
        if name == f"{seat[0]}#2":
            several = len(prompts[seat[0]]) > 1
            yield (
                f"{seat[0]} has several prompts; with the second it is called {name}"
                if several
                else f"{seat[0]} is there with several settings; the second is called {name}"
            )


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


def _question(result: Mapping[str, Any], ident: str) -> QuestionInLog:
    given = mapping(result.get("vars")) or mapping(mapping(result.get("testCase")).get("vars"))
    plain = {name: value for name, value in given.items() if not name.startswith("__")}
    columns = columns_of(plain)
    only = text(next(iter(plain.values()))) if len(plain) == 1 else None
    words = columns.text or only or _prompt(result) or ""
    references = _references(result, plain)
    if (own := text(columns.answer)) is not None:
        references.insert(0, own)
    letter = next((found for each in references if (found := letter_of(each, columns.choices))), None)
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


def _references(result: Mapping[str, Any], given: Mapping[str, Any]) -> list[str]:
    """What a test says is right: a whole answer, else the one part that an answer has to have. Of several parts none is."""
    whole = _asserted(result, WHOLE)
    exact = [each for each in whole if each.get("type") == "equals"]
    parts = [list(_values(each, given)) for each in _asserted(result, PARTS)]
    if whole:
        return [value for each in exact or whole for value in _values(each, given)]
    return parts[0] if parts and all(set(each) == set(parts[0]) for each in parts) else []


def _asserted(result: Mapping[str, Any], types: Sequence[str]) -> list[Mapping[str, Any]]:
    """Assertions of these types, also those within a set."""
    listed = [mapping(each) for each in items(mapping(result.get("testCase")).get("assert"))]
    within = [mapping(each) for fields in listed if fields.get("type") == SET for each in items(fields.get("assert"))]
    return [each for each in (*listed, *within) if each.get("type") in types]


def _values(assertion: Mapping[str, Any], given: Mapping[str, Any]) -> Iterator[str]:
    value = assertion.get("value")
    for each in value if isinstance(value, list) else [value]:
        variable = _VARIABLE.fullmatch(each.strip()) if isinstance(each, str) else None
        found = text(given.get(variable[1])) if variable else text(each)
        if found is not None and "{{" not in found:
            yield found


def _components(result: Mapping[str, Any]) -> list[Any]:
    return items(mapping(result.get("gradingResult")).get("componentResults"))


def _type(component: Any) -> str | None:
    return text(mapping(mapping(component).get("assertion")).get("type"))


def _decided_by_score(result: Mapping[str, Any]) -> bool:
    """Whether a threshold decides, and not each assertion by itself: then none of them can be left out."""
    case = mapping(result.get("testCase"))
    of_sets = any(mapping(each).get("type") == SET for each in items(case.get("assert")))
    return of_sets or number(case.get("threshold")) is not None or case.get("assertScoringFunction") is not None


def _worth(result: Mapping[str, Any]) -> float | None:
    """Its own verdict; where it failed by what says nothing of the answer, that of the rest. None: nothing was asserted."""
    components = [mapping(each) for each in _components(result)]
    about = [each for each in components if _type(each) not in NOT_ABOUT_THE_ANSWER]
    if not items(mapping(result.get("testCase")).get("assert")) and not components:
        return None
    if components and not about:
        return None
    passed = result.get("success") is True
    if not passed and len(about) < len(components) and not _decided_by_score(result):
        return float(all(each.get("pass") is True for each in about))
    return float(passed)


def _reply(
    result: Mapping[str, Any], question: QuestionInLog, model: str, sample: int, path: Path, line: int | None
) -> LoggedReply:
    response = mapping(result.get("response"))
    output = response.get("output")
    said = dense_json(output) if isinstance(output, dict | list) else text(output)
    usage = mapping(response.get("tokenUsage")) or mapping(result.get("tokenUsage"))
    milliseconds = amount(result.get("latencyMs"))
    refusal = _refusal(result, response, said)
    return LoggedReply(
        model,
        question,
        path,
        line,
        text=said if refusal is None else said or "",
        finish=refusal or "stop",
        sample=sample,
        worth=_worth(result),
        usage=tokens(
            usage.get("prompt"),
            usage.get("completion"),
            total=None if usage.get("cached") else usage.get("total"),  # what it had kept itself was not asked again
            reasoning=mapping(usage.get("completionDetails")).get("reasoning"),
        ),
        cost_usd=amount(result["cost"] if result.get("cost") is not None else response.get("cost")),
        seconds=None if milliseconds is None else milliseconds / 1000,
        problem=text(response.get("error")) or text(result.get("error")) if refusal is None else None,
    )


def _refusal(result: Mapping[str, Any], response: Mapping[str, Any], said: str | None) -> str | None:
    """The word for it, where a provider marks a refusal or names a filter. An assertion that failed is an error to promptfoo too:
    one beside a reply says nothing of that."""
    if (ended := ended_in_refusal(response.get("finishReason"))) is not None:
        return ended
    if response.get("isRefusal") is True:
        return REFUSAL
    if said is not None:
        return None
    flagged = mapping(response.get("guardrails")).get("flagged") is True
    errors = (response.get("error"), result.get("error"))
    return FILTERED if flagged else next(filter(None, map(refused_by_filter, errors)), None)
