"""Questions on which nobody was right, not once: of ten and more the references are in doubt as much as who answered.

A reference that is a whole solution, a list, or a number of a label is matched by no answer, and choices whose right one is read
by a wrong count are answered wrong by who is right. Each is 0 %, which nothing else in a report would tell from a hard set.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from moot.grade.match import match
from moot.grade.normalise import spelled
from moot.measures.source import Source
from moot.stats.counted_words import count
from moot.stats.estimates import Row
from moot.types import Case

NOBODY_RIGHT = "nobody_right"
FEWEST = 10
"""Questions."""
BY_CHANCE = 0.01
"""So rarely all of them are wrong where the right one of a few choices is drawn: oftener nothing is said of those."""
LONGEST_SHOWN = 60
_BY_MATCH = frozenset(("match", "choice", None))
_NUMBER = re.compile(r"-?[0-9]+(?:[.,/][0-9]+)*")

_Group = tuple[str | None, bool]
"""The set of a question, and whether it has a few answers to choose from."""


def nobody_right_row(source: Source) -> Row:
    """Under one key the largest part of the questions of which that is so, with an example; nothing where there is none."""
    if source.served or source.in_points:
        return {}
    wrong, told_right = _by_group(source)
    found = {
        group: asked for group, asked in wrong.items() if group not in told_right and _too_many(source, group, asked)
    }
    examples = _examples(source, found) if found else {}
    if not examples:
        return {}
    group = max(examples, key=lambda each: len(found[each]))
    name, closed = group
    whole = not told_right and examples.keys() == wrong.keys()
    both = any(_group(case) == (name, not closed) for case in source.cases.values())
    told = {"set": name, "choices": closed, "both": both, "questions": len(found[group]), "whole": whole}
    told |= examples[group]
    return {NOBODY_RIGHT: told}


def _by_group(source: Source) -> tuple[dict[_Group, set[str]], set[_Group]]:
    """By group the questions with a wrong answer; and the groups where somebody was right, or where somebody else than a match
    has said what is right."""
    wrong: dict[_Group, set[str]] = {}
    told_right: set[_Group] = set()
    groups = {key: _group(case) for key, case in source.cases.items() if case.known}
    every = set(groups.values())
    for cell in source.cells:
        for episode in source.seen(cell):
            group = groups.get(episode.key[0])
            if group is None or group in told_right or episode.stage == "no-answer":
                continue
            if episode.right == 0.0 and episode.stage in _BY_MATCH:
                wrong.setdefault(group, set()).add(episode.key[0])
            else:
                told_right.add(group)
                if told_right == every:
                    return {}, told_right
    return wrong, told_right


def _group(case: Case) -> _Group:
    return case.question_set, case.question.is_closed


def _too_many(source: Source, group: _Group, asked: set[str]) -> bool:
    if len(asked) < FEWEST:
        return False
    chance = 1.0
    for key in asked if group[1] else ():
        chance *= 1 - 1 / (len(source.cases[key].question.choices) or 2)
    return not group[1] or chance < BY_CHANCE


def _examples(source: Source, found: Mapping[_Group, set[str]]) -> dict[_Group, Row]:
    """Of each group its first question, the reference and what was answered. None of a group where some draft was right, nor
    where numbers are answered with numbers, which are of one form."""
    examples: dict[_Group, Row] = {}
    reached: set[_Group] = set()
    for cell in source.cells:
        for episode in source.episodes(cell):
            case, group = episode.case, _group(episode.case)
            if group not in found or group in reached or not case.known:
                continue
            drafts = [answer.text for answer in episode.verdict.answers if answer.text is not None]
            said = [text for text in (episode.answer, *drafts) if text is not None]
            if any(match(case, text).value for text in drafts) or any(_same_form(case, text) for text in said):
                reached.add(group)
            elif episode.answer is not None and group not in examples:
                right = case.answer if case.answer is not None else "none: it cannot be answered"
                examples[group] = {"id": case.question.id, "reference": right, "answer": episode.answer}
    return {group: row for group, row in examples.items() if group not in reached}


def _same_form(case: Case, answer: str) -> bool:
    if case.question.is_closed or case.answer is None:
        return False
    both = (spelled(text, case.question.language) for text in (case.answer, answer))
    return all(_NUMBER.fullmatch(text) for text in both)


def nobody_right_words(told: Mapping[str, Any]) -> list[str]:
    """First what is so and what it may come from, then an example, then what to do."""
    if told["choices"]:
        otherwise = "the right choices are read from the file otherwise than they are meant"
        do = "say under questions how they are written (answers: letters, from-0, from-1 or texts)"
    else:
        otherwise = "the references are written in a form nobody answers in"
        do = (
            "write each reference as a short answer, add others that are right under `accepted`, or let a judge grade"
            " (judge: {models: [NAME]})"
        )
    return [
        f"Nobody was right on any of the {_asked(told)}. Either all answers are wrong, or {otherwise}.",
        f"For example, the reference of question {told['id']!r:.60} is {_shown(told['reference'])}, and one answer was"
        f" {_shown(told['answer'])}.",
        f"Compare the two in a few questions; if they mean the same, {do}.",
    ]


def _asked(told: Mapping[str, Any]) -> str:
    """Which questions: of which set, and of which sort where it has both."""
    sort = " with choices" if told["choices"] else " without choices" if told.get("both") else ""
    of_set = f" of {told['set']!r}" if told["set"] else ""
    return f"{count(told['questions'], 'question')}{sort}{of_set}"


def nobody_right_in_short(told: Mapping[str, Any]) -> str:
    """For where there is room for one line."""
    return f"nobody was right on any of {_asked(told)}: are their references written as anybody answers?"


def _shown(text: str) -> str:
    words = " ".join(text.split())
    return repr(words if len(words) <= LONGEST_SHOWN else f"{words[: LONGEST_SHOWN - 1]}…")
