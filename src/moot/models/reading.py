"""How a simulated model reads a prompt: what is asked, and what others are shown to have said.

Prompts put text that somebody wrote into blocks: ``<question>``, ``<options>``, ``<context>``, and for each answer
shown ``<answer n="1">``, perhaps with ``<reasoning>`` inside. Over HTTP that is all there is to go by.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from moot.types import Message

_OPTION = re.compile(r"^[A-Z][.)] ", re.MULTILINE)
_SHOWN = re.compile(r"<answer n=[^>\n]*>\n(.*?)\n</answer>", re.DOTALL)
_CONVICTION = re.compile(r"conviction (-?\d+(?:\.\d+)?)")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as a prompt shows it."""

    text: str
    choices: tuple[str, ...] = ()
    context: str | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """An answer that a captain is shown, with the conviction of its rationale where there is one."""

    text: str
    conviction: float | None = None


def read_question(messages: Sequence[Message]) -> Asked:
    """The blocks of the last message that has a question; without any, the last message as it stands."""
    spoken = [message.content for message in messages if message.role == "user"] or [""]
    asking = next((text for text in reversed(spoken) if "<question>" in text), None)
    question = _block(asking, "question") if asking is not None else None
    if asking is None or question is None:
        return Asked(spoken[-1])
    return Asked(question, _options(_block(asking, "options") or ""), _block(asking, "context"))


def read_shown(messages: Sequence[Message]) -> list[Shown]:
    """The answers in the last message that shows any."""
    for message in reversed(messages):
        if message.role == "user" and "<answer n=" in message.content:
            return [_read_answer(body) for body in _SHOWN.findall(message.content)]
    return []


def reads_a_reply(messages: Sequence[Message]) -> bool:
    """Whether the prompt asks what somebody's reply settles on, and not the question."""
    return bool(messages) and "<response>\n" in messages[-1].content


def _options(block: str) -> tuple[str, ...]:
    """The text of each option, without its letter; an option may run over several lines."""
    return tuple(each.strip() for each in _OPTION.split(block)[1:])


def _read_answer(body: str) -> Shown:
    text, _, rationale = body.partition("<reasoning>")
    heard = _CONVICTION.findall(rationale)
    return Shown(text.strip(), float(heard[-1]) if heard else None)


def _block(text: str, tag: str) -> str | None:
    start = text.find(f"<{tag}>\n")
    end = text.find(f"\n</{tag}>", start)
    return text[start + len(tag) + 3 : end] if 0 <= start < end else None
