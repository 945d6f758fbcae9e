"""Batches of OpenAI's API: the file of requests and the files of replies and errors, joined by ``custom_id``.

No file of a batch says what is right: references have to come from questions whose ids are the custom ids.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from moot.data.logs.fields import items, json_lines, last_asked, mapping, spoken, text, tokens
from moot.data.logs.log import LogEntry, LoggedReply, LogRemark, QuestionInLog
from moot.errors import FileError
from moot.stats.counted_words import count


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
        unknown = 0
        answered = set()
        asked_in = _files_of_requests(replies, requests)
        for line in replies:
            asked = _request_of(line, requests.get(line.ident, ()), asked_in.get(line.path))
            unknown += asked is None
            answered.add((line.ident, _model(line, asked)))
            yield from _replies(line, asked)
        yield from _unanswered(requests, answered)
        if unknown:
            yield LogRemark(
                f"{count(unknown, 'reply has', 'replies have')} no request among these files, so the questions have no words"
            )


def _files_of_requests(replies: Sequence[_Line], requests: Mapping[str, Sequence[_Line]]) -> dict[Path, Path]:
    """By file of replies the one of its requests, as its first reply that names a model tells: an error names none."""
    found: dict[Path, Path] = {}
    for line in replies:
        asked = _request_of(line, requests.get(line.ident, ()), None)
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


def _model(line: _Line, asked: _Line | None) -> str:
    """As it was asked for: what replied may be called by a date that differs from reply to reply."""
    wanted = text(asked.body.get("model")) if asked is not None else None
    return wanted or text(line.body.get("model")) or line.path.stem


def _question(ident: str, asked: _Line | None) -> QuestionInLog:
    body = asked.body if asked is not None else {}
    given = body.get("input")
    words = last_asked(body.get("messages")) or (last_asked(given) if isinstance(given, list) else text(given))
    return QuestionInLog(ident, words or text(body.get("prompt")) or ident)


def _replies(line: _Line, asked: _Line | None) -> Iterator[LoggedReply]:
    response, body = mapping(line.row.get("response")), line.body
    usage = mapping(body.get("usage"))
    failed = mapping(line.row.get("error")) or mapping(body.get("error"))
    said = list(_said(body)) or [None]
    for sample, words in enumerate(said):
        yield LoggedReply(
            _model(line, asked),
            _question(line.ident, asked),
            line.path,
            line.number,
            text=words,
            sample=sample,
            # Of several replies to one request the tokens are counted together.
            usage=tokens(
                usage.get("prompt_tokens", usage.get("input_tokens")),
                usage.get("completion_tokens", usage.get("output_tokens")),
            )
            if len(said) == 1
            else tokens(None, None),
            problem=text(failed.get("message")) or text(failed.get("code")) or _status(response),
        )


def _status(response: Mapping[str, Any]) -> str | None:
    code = response.get("status_code")
    return None if code in (None, 200) else f"status {code}"


def _said(body: Mapping[str, Any]) -> Iterator[str | None]:
    """Of chat completions, of completions, and of the Responses API."""
    for choice in items(body.get("choices")):
        fields = mapping(choice)
        yield spoken(mapping(fields.get("message")).get("content")) or text(fields.get("text"))
    messages = [mapping(each) for each in items(body.get("output")) if mapping(each).get("type") == "message"]
    if messages:
        yield spoken(messages[-1].get("content"))


def _unanswered(requests: Mapping[str, Sequence[_Line]], answered: set[tuple[str, str]]) -> Iterator[LoggedReply]:
    """What was asked and is in no file of replies: a batch that expired has such."""
    for ident, several in requests.items():
        for asked in several:
            model = text(asked.body.get("model")) or asked.path.stem
            if (ident, model) not in answered:
                yield LoggedReply(
                    model, _question(ident, asked), asked.path, asked.number, problem="in no file of replies"
                )
