"""Batches of OpenAI's API: the file of requests and the files of replies and errors, joined by ``custom_id``.

No file of a batch says what is right: references have to come from questions whose ids are the custom ids.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from moot.data.logs.fields import items, json_lines, last_asked, mapping, spoken, text, tokens
from moot.data.logs.log import LogEntry, LoggedReply, LogRemark, QuestionInLog
from moot.data.logs.refusals_in_logs import refused_by_filter
from moot.errors import FileError
from moot.models.filtered import FILTERED
from moot.stats.counted_words import count

MOST_NAMED = 5
MOST_ASKED = 128
"""Replies that one request may ask for."""


@dataclass(frozen=True, slots=True)
class _Line:
    path: Path
    number: int
    row: Mapping[str, Any]

    @property
    def ident(self) -> str:
        return str(self.row["custom_id"])

    @property
    def body(self) -> Mapping[str, Any]:
        """Of the request, or of the reply."""
        return mapping(self.row.get("body")) or mapping(mapping(self.row.get("response")).get("body"))


class OpenAiBatch:
    name: ClassVar[str] = "openai-batch"
    endings: ClassVar[tuple[str, ...]] = (".jsonl",)

    def read(self, files: Sequence[Path]) -> Iterator[LogEntry]:
        requests: dict[str, list[_Line]] = {}
        replies: list[_Line] = []
        for path in files:
            for number, row in json_lines(path):
                if not isinstance(row.get("custom_id"), str) or not ("body" in row or "response" in row):
                    problem = "is no line of a batch: expected custom_id with body (a request) or response (a reply)"
                    raise FileError(problem, file=path, line=number)
                line = _Line(path, number, row)
                if "body" in row:
                    requests.setdefault(line.ident, []).append(line)
                else:
                    replies.append(line)
        if not replies:
            raise FileError("only requests in it; expected the file of replies too", file=files[0])
        joined = _joined(replies, requests)
        # Of a reply without a request what others of the same name were asked for.
        asked_as = _asked_as(joined)
        known_as = {line.ident: {} if requests.get(line.ident) else asked_as for line in replies}
        models = list(
            dict.fromkeys(
                _model(line, asked, known_as[line.ident]) for line, asked in joined if _names_model(line, asked)
            )
        )
        answered: set[tuple[str, str]] = set()
        of_nobody: dict[Path, int] = {}
        for line, asked in joined:
            model = (
                _model(line, asked, known_as[line.ident])
                if _names_model(line, asked)
                else models[0]
                if len(models) == 1
                else None
            )
            if model is None and not models:
                model = line.path.stem
            if model is None:
                of_nobody[line.path] = of_nobody.get(line.path, 0) + 1
                continue
            answered.add((line.ident, model))
            wanted = _samples([asked] if asked is not None else requests.get(line.ident, ()))
            yield from _replies(line, _question(line.ident, asked, requests), model, wanted)
        strangers = [_model(line, asked, {}) for line, asked in joined if asked is None and requests.get(line.ident)]
        if not any(_named(line) for line, asked in joined if asked is None and requests.get(line.ident)):
            yield from _unanswered(requests, answered, {line.ident for line, asked in joined if asked is None})
        else:
            yield _renamed(strangers, requests)
        for path, errors in of_nobody.items():
            several = (
                sorted({text(each.body.get("model")) or "?" for lines in requests.values() for each in lines}) or models
            )
            may_be = f"may be of several models ({', '.join(several[:MOST_NAMED])}), and"
            yield LogRemark(
                f"{path.name}: {count(errors, 'error')} {may_be} {'is' if errors == 1 else 'are'} counted for none"
            )
        if unknown := sum(not requests.get(line.ident) for line, _ in joined):
            yield LogRemark(
                f"{count(unknown, 'reply has', 'replies have')} no request among these files, so the questions have no words"
            )


def _joined(replies: Sequence[_Line], requests: Mapping[str, Sequence[_Line]]) -> list[tuple[_Line, _Line | None]]:
    """Each reply with its request; None: which of them it is cannot be told."""
    asked_in = _files_of_requests(replies, requests)
    found = {
        place: asked
        for place, line in enumerate(replies)
        if (asked := _request_of(line, requests.get(line.ident, ()), asked_in.get(line.path))) is not None
    }
    # An error names no model, and several may have been asked under its id: then it is of what nobody else has answered.
    while more := _left_over(replies, requests, found):
        found |= more
    return [(line, found.get(place)) for place, line in enumerate(replies)]


def _left_over(
    replies: Sequence[_Line], requests: Mapping[str, Sequence[_Line]], found: Mapping[int, _Line]
) -> dict[int, _Line]:
    """By place the requests of a file of errors where one file of requests alone lacks all their replies, else of one error."""
    taken = {id(request) for request in found.values()}
    open_in: dict[str, dict[Path, _Line]] = {
        ident: {each.path: each for each in several if id(each) not in taken} for ident, several in requests.items()
    }
    errors: dict[Path, list[int]] = {}
    for place, line in enumerate(replies):
        if place not in found and not _named(line) and open_in.get(line.ident):
            errors.setdefault(line.path, []).append(place)
    for places in errors.values():
        able = set.intersection(*(set(open_in[replies[place].ident]) for place in places))
        if len(able) == 1:
            (path,) = able
            return {place: open_in[replies[place].ident][path] for place in places}
    alone: dict[int, tuple[int, _Line]] = {}
    for place in (place for places in errors.values() for place in places):
        left = list(open_in[replies[place].ident].values())
        if len(left) == 1:
            alone.setdefault(id(left[0]), (place, left[0]))
    return dict(alone.values())


def _named(line: _Line) -> bool:
    return text(line.body.get("model")) is not None


def _names_model(line: _Line, asked: _Line | None) -> bool:
    return asked is not None or _named(line)


def _renamed(strangers: Sequence[str], requests: Mapping[str, Sequence[_Line]]) -> LogRemark:
    asked = sorted({text(each.body.get("model")) or "?" for several in requests.values() for each in several})
    replied = ", ".join(list(dict.fromkeys(strangers))[:MOST_NAMED])
    return LogRemark(
        f"{count(len(strangers), 'reply is', 'replies are')} of models that no request names ({replied}; asked were"
        f" {', '.join(asked[:MOST_NAMED])}), so requests without a reply are not counted"
    )


def _files_of_requests(replies: Sequence[_Line], requests: Mapping[str, Sequence[_Line]]) -> dict[Path, Path]:
    """By file of replies the one of its requests, as its first reply that names a model tells: an error names none."""
    found: dict[Path, Path] = {}
    for line in replies:
        asked = _request_of(line, requests.get(line.ident, ()), None) if _named(line) else None
        if asked is not None:
            found.setdefault(line.path, asked.path)
    return found


def _request_of(reply: _Line, requests: Sequence[_Line], file: Path | None) -> _Line | None:
    """Several models may have been asked under one id: the request to the model that replied, else that of this file."""
    model = text(reply.body.get("model")) or ""
    asked = [request for request in requests if model.startswith(text(request.body.get("model")) or "?")]
    # gpt-4o-mini-2024 begins as gpt-4o does, and more so as gpt-4o-mini.
    asked.sort(key=lambda request: -len(str(request.body.get("model"))))
    asked += [request for request in requests if request.path == file]
    return asked[0] if asked else requests[0] if len(requests) == 1 else None


def _asked_as(joined: Sequence[tuple[_Line, _Line | None]]) -> dict[str, str]:
    """By the name under which a model replied the one by which it was asked for, where that is always the same."""
    names: dict[str, set[str]] = {}
    for line, asked in joined:
        replied, wanted = text(line.body.get("model")), text(asked.body.get("model")) if asked is not None else None
        if replied is not None and wanted is not None:
            names.setdefault(replied, set()).add(wanted)
    return {replied: wanted.pop() for replied, wanted in names.items() if len(wanted) == 1}


def _model(line: _Line, asked: _Line | None, asked_as: Mapping[str, str]) -> str:
    """As it was asked for: what replied may be called by a date that differs from reply to reply."""
    wanted = text(asked.body.get("model")) if asked is not None else None
    replied = text(line.body.get("model"))
    return wanted or asked_as.get(replied or "", replied) or line.path.stem


def _question(ident: str, asked: _Line | None, requests: Mapping[str, Sequence[_Line]]) -> QuestionInLog:
    """Whoever was asked: where all requests of an id say the same, those are its words."""
    several = {_words(each) for each in ([asked] if asked is not None else requests.get(ident, ()))}
    words = several.pop() if len(several) == 1 else None
    return QuestionInLog(ident, words or ident)


def _words(asked: _Line) -> str | None:
    given = asked.body.get("input")
    words = last_asked(asked.body.get("messages")) or (last_asked(given) if isinstance(given, list) else text(given))
    return words or text(asked.body.get("prompt"))


def _samples(asked: Sequence[_Line]) -> int:
    """How many replies a request asked for, as all that it may have been say; 1 where they differ, or nobody says it."""
    wanted = {number if isinstance(number := each.body.get("n"), int) else 1 for each in asked}
    number = wanted.pop() if len(wanted) == 1 else 1
    return number if 1 <= number <= MOST_ASKED else 1


def _replies(line: _Line, question: QuestionInLog, model: str, wanted: int) -> Iterator[LoggedReply]:
    """`wanted`: how many replies it was asked for; each that is not there is a sample without one."""
    response, body = mapping(line.row.get("response")), line.body
    usage = mapping(body.get("usage"))
    failed = mapping(line.row.get("error")) or mapping(body.get("error"))
    said = list(_said(body))
    if not any(words is not None for words, _ in said):
        filtered = refused_by_filter({"status": response.get("status_code"), "error": failed}) if failed else None
        said = [_Said("", FILTERED)] if filtered is not None else said
    said += [NOTHING_SAID] * (max(1, wanted) - len(said))
    for sample, (words, finish) in enumerate(said):
        yield LoggedReply(
            model,
            question,
            line.path,
            line.number,
            text=words,
            finish=finish,
            sample=sample,
            usage=tokens(
                usage.get("prompt_tokens", usage.get("input_tokens")),
                usage.get("completion_tokens", usage.get("output_tokens")),
                total=usage.get("total_tokens"),
                reasoning=_detail(usage, ("completion_tokens_details", "output_tokens_details"), "reasoning_tokens"),
                cached=_detail(usage, ("prompt_tokens_details", "input_tokens_details"), "cached_tokens"),
            )
            if len(said) == 1
            else tokens(None, None),
            problem=text(failed.get("message")) or text(failed.get("code")) or _status(response),
            together=("tokens",) if len(said) > 1 and usage else (),
        )


def _detail(usage: Mapping[str, Any], places: Sequence[str], name: str) -> Any:
    return next((found for place in places if (found := mapping(usage.get(place)).get(name)) is not None), None)


def _status(response: Mapping[str, Any]) -> str | None:
    code = response.get("status_code")
    return None if code in (None, 200) else f"status {code}"


class _Said(NamedTuple):
    words: str | None
    finish: str = "stop"


NOTHING_SAID = _Said(None)


def _said(body: Mapping[str, Any]) -> Iterator[_Said]:
    """Of chat completions, of completions, and of the Responses API."""
    for choice in _in_order([mapping(each) for each in items(body.get("choices"))]):
        message = mapping(choice.get("message"))
        words = spoken(message.get("content")) or text(choice.get("text"))
        yield _or_refusal(words, text(message.get("refusal")), filtered=choice.get("finish_reason") == FILTERED)
    messages = [mapping(each) for each in items(body.get("output")) if mapping(each).get("type") == "message"]
    if messages:
        content = messages[-1].get("content")
        parts = [mapping(part) for part in items(content)]
        refusals = [words for part in parts if (words := text(part.get("refusal"))) is not None]
        filtered = mapping(body.get("incomplete_details")).get("reason") == FILTERED
        yield _or_refusal(spoken(content), "\n".join(refusals) or None, filtered=filtered)


def _in_order(choices: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """By their numbers, wherever they stand; one that is not there is a sample without a reply. As they stand where they have
    no numbers of their own."""
    numbers = [choice.get("index") for choice in choices]
    placed = {number: choice for number, choice in zip(numbers, choices, strict=True) if type(number) is int}
    if len(placed) < len(choices) or not all(0 <= number < MOST_ASKED for number in placed):
        yield from choices
        return
    for number in range(max(placed, default=-1) + 1):
        yield placed.get(number, {})


def _or_refusal(words: str | None, refusal: str | None, *, filtered: bool) -> _Said:
    """A refusal is a reply: the model answered, and gave no answer."""
    if refusal is not None and words is None:
        return _Said(refusal, "refusal")
    return _Said(words or "", FILTERED) if filtered else _Said(words)


def _unanswered(
    requests: Mapping[str, Sequence[_Line]], answered: set[tuple[str, str]], unclear: set[str]
) -> Iterator[LoggedReply]:
    """What was asked and is in no file of replies: a batch that expired has such. `unclear`: ids with an error of somebody."""
    for ident, several in requests.items():
        for asked in several:
            model = text(asked.body.get("model")) or asked.path.stem
            if (ident, model) not in answered:
                question = _question(ident, asked, requests)
                problem = "an error that names no model, or none" if ident in unclear else "in no file of replies"
                for sample in range(_samples([asked])):
                    yield LoggedReply(model, question, asked.path, asked.number, sample=sample, problem=problem)
