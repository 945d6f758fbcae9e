"""One part of a page: the transcripts of some dozens of questions, by column, with nothing told twice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import orjson

from moot.report.page.pack import Once, Texts
from moot.store.rows import known_latency_s
from moot.types import Case

_CALL_COLUMNS = ("reply", "finish", "seconds", "version", "cost", "prompt_tokens", "completion_tokens", "thoughts")
_CASE_FIELDS = ("comment", "source", "author", "package", "year", "difficulty")


class PagePart:
    """Filled question by question; drafts that strategies share, prompts and steps are kept once."""

    def __init__(self, known: Iterable[str]) -> None:
        self._texts = Texts(known)
        self._prompts = Once()
        self._answers = Once()
        self._verdicts = Once()
        self._steps = Once()
        self._words = Once()
        """Short strings: names, stages, versions, causes."""
        self._read: dict[str, tuple[int, list[int]]] = {}
        self._cases: list[dict[str, Any]] = []
        self._episodes: list[tuple[Any, ...]] = []
        self._calls: dict[str, tuple[Any, ...]] = {}
        self._costs: dict[float | None, float | None] = {}

    def add_case(self, case: Case) -> None:
        about = {name: value for name in _CASE_FIELDS if (value := getattr(case, name)) is not None}
        if case.human:
            about["human"] = [case.human.solved, case.human.asked]
        for name, value in (
            ("accepted", case.accepted),
            ("rejected", case.rejected),
            ("choices", case.question.choices),
        ):
            if value:
                about[name] = list(value)
        if case.question.context:
            about["context"] = self._texts[case.question.context]
        if case.question.is_long:
            about["long"] = True
        if not case.known:
            about["unknown"] = True
        if case.rubric:
            about["rubric"] = [[each.name, each.points, each.says] for each in case.rubric]
        self._cases.append(about)

    def add_episode(self, question: int, cell: int, repeat: int, play: Sequence[Any]) -> None:
        """`play`: outcome, answer, verdict, transcript and seconds, as they are stored; value, stage, detail of its score."""
        outcome, answer, verdict, transcript, seconds, value, stage, detail = play
        read_before = self._read.get(verdict)
        verdict_number, drafts = self._verdict(verdict) if read_before is None else read_before
        steps, words = self._steps, self._words
        self._episodes.append(
            (
                question,
                cell,
                repeat,
                words[outcome],
                self._texts[answer],
                verdict_number,
                drafts,
                [steps[tuple(step)] for step in orjson.loads(transcript)],
                round(seconds, 2),
                value,
                -1 if stage is None else words[stage],
                -1 if detail is None else words[detail],
            )
        )

    def _verdict(self, written: str) -> tuple[int, list[int]]:
        """A verdict without what the columns say already, and its drafts. Many are alike to the letter."""
        content = orjson.loads(written)
        drafts = [self._answers[tuple(fields)] for fields in content.pop("answers", ())]
        for name in ("answer", "outcome"):
            content.pop(name, None)
        numbers = self._read[written] = self._verdicts[orjson.dumps(content)], drafts
        return numbers

    def keys(self) -> list[str]:
        """The calls that are spoken of, for `add_calls`."""
        return list(dict.fromkeys(step[3] for step in self._steps if step[3] is not None))

    def add_calls(self, rows: Iterable[Sequence[Any]]) -> None:
        calls, prompts, texts, words, costs = self._calls, self._prompts, self._texts, self._words, self._costs
        for key, shape, text, finish, latency_s, recorded, version, cost, prompt, completion, thoughts in rows:
            seconds = known_latency_s(latency_s, recorded)
            messages = orjson.loads(shape)[0].get("messages", ())
            if cost not in costs:
                costs[cost] = None if cost is None else float(f"{cost:.3g}")
            calls[key] = (
                prompts[tuple([self._message(message) for message in messages])],
                texts[text],
                words[finish],
                None if seconds is None else round(seconds, 2),
                -1 if version is None else words[version],
                costs[cost],
                prompt,
                completion,
                -1 if thoughts is None else texts[thoughts],
            )

    def _message(self, message: Any) -> tuple[int, int]:
        role, content = (message["role"], message["content"]) if isinstance(message, dict) else message
        return self._words[role], self._texts[content if isinstance(content, str) else orjson.dumps(content).decode()]

    def _answer(self, fields: Sequence[Any]) -> list[int]:
        player, text, reasoning, outcome, cause = fields
        words, texts = self._words, self._texts
        numbers = [words[player], texts[text], texts[reasoning or None], words[outcome]]
        return [*numbers, -1 if cause is None else words[cause]]

    def _step(self, step: Sequence[Any], places: Mapping[str, int]) -> list[int]:
        player, stage, turn, key, error, problem = step
        words = self._words
        numbers = [words[player], words[stage], turn, places.get(key, -1)]
        return [*numbers, -1 if error is None else words[error], -1 if problem is None else words[problem]]

    def row(self) -> dict[str, Any]:
        """Everything, by column: like stands beside like, which is what compression lives on."""
        places = {key: place for place, key in enumerate(self._calls)}
        names = ("question", "cell", "repeat", "outcome", "answer", "verdict", "drafts", "steps", "seconds")
        columns = {
            "steps": [self._step(step, places) for step in self._steps],
            "answers": [self._answer(answer) for answer in self._answers],
            "prompts": [[place for message in prompt for place in message] for prompt in self._prompts],
            "calls": _columns(("prompt", *_CALL_COLUMNS), self._calls.values()),
            "verdicts": [orjson.loads(verdict) for verdict in self._verdicts],
            "episodes": _columns((*names, "value", "stage", "detail"), self._episodes),
            "cases": self._cases,
        }
        return {**self._texts.row(), **columns, "words": list(self._words)}


def _columns(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> dict[str, Sequence[Any]]:
    columns = list(zip(*rows, strict=True))
    return dict(zip(names, columns or [()] * len(names), strict=True))
