"""How a simulated model reads a prompt: what is asked, and what others are shown to have said.

Prompts put text that somebody wrote into blocks, the same in every language: ``<question>``, ``<options>`` and
``<context>``; ``<answer n="1">`` for each answer shown, perhaps with ``<reasoning>`` inside, ``<answer>`` alone for one
that stands by itself; ``<message from="...">`` and ``<solution>`` in a discussion. Over HTTP that is all there is to go by.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace

from moot.simulate.world import is_yes_or_no
from moot.types import Message

_OPTION = re.compile(r"^[A-Z][.)] ", re.MULTILINE)
_SHOWN = re.compile(r"<answer n=((?:(?!<answer n=)[^>\n])*+)>\n(.*?)(?:(\n</answer>)|\Z)", re.DOTALL)
_LISTED = re.compile(r"<solution n=((?:(?!<solution n=)[^>\n])*+)>\n(.*?)(?:(\n</solution>)|\Z)", re.DOTALL)
_MESSAGE = re.compile(r'<message from="([^"\n]*)">\n(.*?)(?:(\n</message>)|\Z)', re.DOTALL)
"""Each with its end: what has none goes on to the end of the prompt, and is looked through once."""
_ATTRIBUTE = re.compile(r'(?<!\w)(\w++)="([^"\n]*)"')
_CRITERION = re.compile(r'<criterion n="\d+" points="([0-9.e+-]+)">')
_CONVICTION = re.compile(r"conviction (-?\d+(?:\.\d+)?)")
_LINE_OF_YES = re.compile(r"^[^:\n]++: (?:yes|да)$", re.MULTILINE)
_LINE_OF_NO = re.compile(r"^[^:\n]++: (?:no|нет)$", re.MULTILINE)
_EITHER = re.compile(r'": "(?:yes or no|да или нет)"')
"""The two in the place of an answer, in a form."""
_YOU = ("you", "ты")


@dataclass(frozen=True, slots=True)
class ShownQuestion:
    """A question as a prompt shows it."""

    text: str
    choices: tuple[str, ...] = ()
    context: str | None = None


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    """An answer that somebody gave, with the conviction of its rationale where there is one."""

    text: str
    """Empty for a message that names no solution."""
    conviction: float | None = None
    heads: float = 1.0
    """How many stand behind it: those that the prompt counts; one who is known to be better counts for more."""
    speaker: str = ""
    """Whose it is, where the prompt says."""


@dataclass(frozen=True, slots=True)
class PromptContents:
    """All that a prompt shows besides the question."""

    answers: tuple[ShownAnswer, ...] = ()
    heard: tuple[ShownAnswer, ...] = ()
    """The messages of a discussion, the latest last."""
    listed: tuple[ShownAnswer, ...] = ()
    """Solutions by number: a ballot paper."""
    word: str | None = None
    """The answer that stands by itself: the reader's previous one, or the one it is asked about."""
    with_reasons: bool = False
    """That answer comes with its reasons: it is to be written down, not weighed."""
    own: str | None = None
    """What the reader said last in this discussion."""
    before: str = ""
    """The words before the first block."""
    after: str = ""
    """The words after the last block."""
    criteria: tuple[float, ...] = ()
    """The points of each criterion of a rubric."""
    in_blocks: bool = False
    """The question stands in a block, as in every prompt of a team; not so where somebody just asks."""

    @property
    def fields(self) -> list[str]:
        """The fields of the JSON object that these words ask for: what there is to go by without a schema."""
        return re.findall(r'"(\w+)":', self.after)


def read_question(messages: Sequence[Message]) -> ShownQuestion:
    """The blocks of the last message that has a question; without any, the last message as it stands."""
    asking = _asking(messages)
    question = _block(asking, "question")
    if question is None:
        return ShownQuestion(asking)
    return ShownQuestion(question, _options(_block(asking, "options") or ""), _block(asking, "context"))


def read_shown(messages: Sequence[Message]) -> list[ShownAnswer]:
    """The answers in the last message that shows any."""
    for message in reversed(messages):
        if message.role == "user" and "<answer n=" in message.content:
            blocks = _ended(_SHOWN, message.content)
            return _by_accuracy([_read_answer(*block) for block in blocks], [attributes for attributes, _ in blocks])
    return []


def _ended(blocks: re.Pattern[str], text: str) -> list[tuple[str, str]]:
    """What each says of itself, and its text."""
    return [(found[1], found[2]) for found in blocks.finditer(text) if found[3]]


def read_contents(messages: Sequence[Message]) -> PromptContents:
    """All that the message with the question shows."""
    asking = _asking(messages)
    before, _, rest = f"\n{asking}".partition("\n<")
    after = rest.rpartition("</")[2].partition(">")[2]
    answers = tuple(read_shown(messages))
    if "<solution" in asking or "<message from=" in asking:
        heard = [_read_message(speaker, body) for speaker, body in _ended(_MESSAGE, asking)]
        own_solution = next(
            (message.text for message in reversed(heard) if message.text and _is_me(message.speaker, before)), None
        )
        listed = tuple(ShownAnswer(text.strip()) for _, text in _ended(_LISTED, asking))
        return PromptContents(
            answers, tuple(heard), listed, _block(asking, "answer"), own=own_solution, before=before, after=after
        )
    word = _block(asking, "answer")
    body, reasoning, _ = (word or "").partition("\n<reasoning>")
    return PromptContents(
        answers,
        word=body if reasoning else word,
        with_reasons=bool(reasoning),
        before=before,
        after=after,
        criteria=tuple(map(_number, _CRITERION.findall(asking))),
        in_blocks="<question>\n" in asking,
    )


def asks_yes_or_no(messages: Sequence[Message]) -> bool:
    """Whether nothing but yes or no can be the answer: by the form that is asked for, or since nobody has said anything else."""
    seen = read_contents(messages)
    if (_LINE_OF_YES.search(seen.after) and _LINE_OF_NO.search(seen.after)) or _EITHER.search(seen.after):
        return True
    said = [shown.text for shown in (*seen.answers, *seen.heard, *seen.listed) if shown.text]
    said += [seen.word] if seen.word is not None else []
    return bool(said) and all(map(is_yes_or_no, said))


def read_guise(messages: Sequence[Message]) -> str:
    """The instruction and persona: what a system message says after its first sentence, which all players share."""
    instruction = next((message.content for message in messages if message.role == "system"), "")
    return instruction.partition(".")[2].strip()


def reads_a_reply(messages: Sequence[Message]) -> bool:
    """Whether the prompt asks what somebody's reply settles on, and not the question."""
    return bool(messages) and "<response>\n" in messages[-1].content


def _asking(messages: Sequence[Message]) -> str:
    spoken = [message.content for message in messages if message.role == "user"] or [""]
    return next((text for text in reversed(spoken) if "<question>" in text), spoken[-1])


def _options(block: str) -> tuple[str, ...]:
    """The text of each option, without its letter; an option may run over several lines."""
    return tuple(option.strip() for option in _OPTION.split(block)[1:])


def _read_answer(attributes: str, body: str) -> ShownAnswer:
    """Several arguments for one answer convince by their mean; of one argument the last word on its conviction counts."""
    text, *arguments = body.split("<reasoning>")
    heard = [float(convictions[-1]) for convictions in map(_CONVICTION.findall, arguments) if convictions]
    named = dict(_ATTRIBUTE.findall(attributes))
    conviction = statistics.fmean(heard) if heard else None
    return ShownAnswer(text.strip(), conviction, _number(named.get("supporters")), named.get("from", ""))


def _by_accuracy(answers: list[ShownAnswer], attributes: Sequence[str]) -> list[ShownAnswer]:
    """Where the accuracy of each is shown: one that is half as good again as the mean counts one and a half."""
    written = [named["accuracy"] for named in map(dict, map(_ATTRIBUTE.findall, attributes)) if "accuracy" in named]
    accuracies = [_number(text) for text in written]
    if not answers or len(accuracies) < len(answers) or not (mean := statistics.fmean(accuracies)) > 0:
        return answers
    return [replace(answer, heads=accuracy / mean) for answer, accuracy in zip(answers, accuracies, strict=True)]


def _number(text: str | None) -> float:
    try:
        return float((text or "1").rstrip(" %"))
    except ValueError:
        return 1.0


def _read_message(speaker: str, body: str) -> ShownAnswer:
    words, _, rest = body.partition("\n<solution>\n")
    heard = _CONVICTION.findall(words)
    solution = rest.removesuffix("\n</solution>").strip() if rest else ""
    return ShownAnswer(solution, float(heard[-1]) if heard else None, speaker=speaker)


def _is_me(speaker: str, before: str) -> bool:
    """Whether the reader is told that this is its own title; "Agent 1" is not meant by "Agent 10" or "Agent 1 (poet)"."""
    if speaker in _YOU or speaker not in before:
        return speaker in _YOU
    return re.search(rf"{re.escape(speaker)}(?!\w)(?! \()", before) is not None


def _block(text: str, tag: str) -> str | None:
    start = text.find(f"<{tag}>\n")
    end = text.find(f"\n</{tag}>", start)
    return text[start + len(tag) + 3 : end] if 0 <= start < end else None
