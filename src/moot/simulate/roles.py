"""What a simulated model says in each role. Which role it has shows in what the prompt holds and what the reply must hold.

A role is told by blocks and fields, which are the same in every language and over HTTP. Only two things are told by words
alone: that a wrong or an irrelevant answer is wanted, and that flaws are to be looked for. Where a user's own prompt says
these in other words, the model answers as it does elsewhere.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from moot.simulate.long_text import draft_quality, long_text, quality_of, ranked_texts, written_quality
from moot.simulate.mind import Mind, Settled
from moot.simulate.prompt_reading import PromptContents, ShownAnswer
from moot.simulate.rubric_points import points_given
from moot.simulate.schema_instance import Draw, largest_item, property_names
from moot.simulate.world import bare, plain

MARK = "[simulated]"

_WRONG_WANTED = re.compile(r"\bgive a wrong answer\b|\bдай неверный\b", re.IGNORECASE)
_NONSENSE_WANTED = re.compile(r"\bnothing to do with this task\b|\bне имеет к этой задаче\b", re.IGNORECASE)
_FLAWS_WANTED = re.compile(
    r"\blook for (?:flaws|what is wrong)\b|\bищи ошибки\b|\bпоищи, что не так\b", re.IGNORECASE
)  # fmt: skip
_ANNOUNCED = re.compile(r"^(Answer|Ответ): ", re.MULTILINE)
_ARGUING = {"strongest", "weakest", "steelman", "critique", "summary"}
"""Fields of a review, a round of debate and a resolution: here reasons count, and heads should not."""

_SPREAD = 1.0
"""How far below its first choice an option may stand and still be approved: whoever may approve of much does."""

POINTS = 10
"""What a voter splits where nobody says how much there is."""

ROLES = (
    "engineer", "historian", "physician", "lawyer", "economist", "linguist", "chemist", "statistician", "journalist",
    "geographer", "philosopher", "biologist", "physicist", "teacher", "librarian", "psychologist", "architect",
    "accountant", "diplomat", "editor",
)  # fmt: skip


def fields(mind: Mind, seen: PromptContents, schema: Mapping[str, Any] | None, draw: Draw) -> dict[str, Any]:
    """The fields of the reply that mean something, by their names."""
    wanted = property_names(schema) if schema is not None else seen.fields
    if "grades" in wanted and seen.answers:
        return {"grades": _grades(mind, seen.answers)}
    if "groups" in wanted and seen.answers:
        return {"groups": _groups(mind, seen.answers)}
    if "criteria" in wanted and seen.answers and seen.criteria:
        given = points_given(mind, seen.answers[0].text, seen.criteria)
        why = f"{MARK} by what it says of its quality"
        return {"criteria": [{"id": n, "reason": why, "points": points} for n, points in enumerate(given, start=1)]}
    if "ranking" in wanted and seen.answers:
        return {"ranking": _ranking(mind, [answer.text for answer in seen.answers])}
    if "role" in wanted and "description" in wanted:
        return _persona(mind, seen)
    settled = _settled(mind, seen, wanted, draw)
    reasoning = f"{MARK} {settled.why}; conviction {mind.conviction(settled.answer):.2f}."
    reply: dict[str, Any] = {"reasoning": reasoning, "answer": settled.answer}
    if seen.listed:
        reply |= _ballot(mind, [option.text for option in seen.listed], largest_item(schema, "points", POINTS))
    if "message" in wanted:
        reply |= {"message": reasoning, "solution": settled.answer}
        if "solution" not in wanted:
            reply["message"] = f"{MARK} a line of thought; conviction {mind.conviction(settled.answer):.2f}."
    if "agree" in wanted:
        reply |= _agreement(mind, seen, settled, named="message" not in wanted or "solution" in wanted)
    return reply | _arguments(seen.answers, settled, wanted)


def prose(mind: Mind, seen: PromptContents, draw: Draw) -> str | None:
    """The reply where no form is asked for: a line with the answer, the reasons for one, or, where the answers of others
    are shown, both; a long answer where nothing says how it should end; None: nothing of it is asked for.
    """
    if seen.fields:
        return None
    if seen.in_blocks and not _ANNOUNCED.search(seen.after) and (seen.answers or seen.word is None):
        texts = [answer.text for answer in seen.answers]
        return long_text(mind, written_quality(mind, texts) if texts else draft_quality(mind), MARK)
    if seen.word is not None and not seen.answers:
        conviction = mind.conviction(seen.word)
        return f"{MARK} What the question says points to {seen.word}, and to none of the others; conviction {conviction:.2f}."
    announced = _ANNOUNCED.search(seen.after)
    if announced is None:
        return None
    settled = _settled(mind, seen, _ARGUING if seen.answers else (), draw)
    line = f"{announced[1]}: {settled.answer}"
    if not seen.answers:
        return line
    return f"{MARK} {settled.why}; conviction {mind.conviction(settled.answer):.2f}.\n\n{line}"


def _settled(mind: Mind, seen: PromptContents, wanted: Collection[str], draw: Draw) -> Settled:
    if _WRONG_WANTED.search(seen.before):
        answer = mind.wrong(draw("wrong"))
        return Settled(answer, f"{answer} is wrong, but it sounds as if it fitted")
    if _NONSENSE_WANTED.search(seen.before):
        answer = mind.model.world.irrelevant(mind.facts)
        return Settled(answer, f"{answer} is about something else")
    draft = mind.draft()
    if seen.answers:
        crowd = mind.model.herd if _ARGUING & {*wanted} else None
        return mind.settle(seen.answers, seen.word or draft.answer, crowd=crowd)
    if seen.word is not None:
        return _about(mind, seen, seen.word, draft, wanted)
    if seen.listed or any(remark.text for remark in seen.heard):
        return _talked_over(mind, seen, draft, draw)
    return draft


def _about(mind: Mind, seen: PromptContents, word: str, draft: Settled, wanted: Collection[str]) -> Settled:
    """One answer by itself: to be written down, to be agreed to or not, or to be replaced."""
    if seen.with_reasons:
        return Settled(word, f"the team says {word}")
    if not mind.model.world.fits(mind.facts, word):
        return Settled(draft.answer, f"{word} is no answer to this question")
    table = [*_latest(seen.heard), ShownAnswer(word)]
    settled = mind.settle(table, draft.answer, crowd=mind.model.herd)
    if "agree" in wanted or plain(settled.answer) != plain(word):
        return settled
    other = mind.next_best(table, draft.answer, crowd=mind.model.herd) or mind.wrong(mind.chance("other"))
    return Settled(other, f"{word} does not hold")


def _talked_over(mind: Mind, seen: PromptContents, draft: Settled, draw: Draw) -> Settled:
    """In a discussion everybody's latest solution counts once."""
    table = _latest(seen.heard) or seen.listed
    previous = seen.own or draft.answer
    settled = mind.settle(table, previous, crowd=mind.model.herd)
    newest = next((remark.text for remark in reversed(seen.heard) if remark.text), None)
    holds = newest is not None and plain(newest) == plain(settled.answer)
    if not holds or not _FLAWS_WANTED.search(seen.after) or draw("doubt") >= mind.model.doubt:
        return settled
    if mind.facts.is_right(settled.answer) and mind.can_tell():
        return settled
    other = mind.next_best(table, previous, crowd=mind.model.herd) or mind.wrong(draw("other"))
    return Settled(other, f"{settled.answer} passes over a word of the task")


def _latest(heard: Sequence[ShownAnswer]) -> list[ShownAnswer]:
    """Titles are no reputation: once they have told who spoke last, they are left out."""
    return [
        replace(remark, speaker="") for remark in {remark.speaker: remark for remark in heard if remark.text}.values()
    ]


def _agreement(mind: Mind, seen: PromptContents, settled: Settled, *, named: bool) -> dict[str, Any]:
    """With the answer it is asked about, or with the latest solution; where none is named, with the better argument."""
    about = seen.word or next((remark.text for remark in reversed(seen.heard) if remark.text), None)
    if about is not None:
        return {"agree": plain(about) == plain(settled.answer)}
    if named or not seen.heard:
        return {}
    latest = seen.heard[-1]
    argued = (latest.conviction or 0.0) + mind.ear(f"line of {latest.speaker}")
    return {"agree": argued > mind.conviction(settled.answer) + mind.model.pull - 1.0}


def _arguments(answers: Sequence[ShownAnswer], settled: Settled, wanted: Collection[str]) -> dict[str, Any]:
    if not _ARGUING & {*wanted}:
        return {}
    by_conviction = sorted(answers, key=lambda answer: (answer.conviction or 0.0, answer.text))
    best, worst = (by_conviction[-1].text, by_conviction[0].text) if answers else (settled.answer, settled.answer)
    rejected = [answer.text for answer in answers if plain(answer.text) != plain(settled.answer)]
    others = ", ".join(dict.fromkeys(rejected)) or "nothing else"
    return {
        "strongest": f"{MARK} the argument for {best}",
        "weakest": f"{MARK} the argument for {worst}",
        "steelman": f"{MARK} what speaks for {others} at its best",
        "critique": f"{MARK} {others}: one step does not follow from the words of the question",
        "summary": f"{MARK} {settled.answer} against {others}",
    }


def _ranking(mind: Mind, texts: Sequence[str]) -> list[int]:
    """Of answers that are shown whole: long ones by how good they are, short ones as on a ballot."""
    if any(quality_of(text) is not None for text in texts):
        return [place + 1 for place in ranked_texts(mind, texts)]
    ranking: list[int] = _ballot(mind, texts, POINTS)["ranking"]
    return ranking


def _ballot(mind: Mind, options: Sequence[str], budget: int) -> dict[str, Any]:
    """A ballot of every kind, by the same opinions."""
    worth = mind.opinions(options)
    order = sorted(range(len(options)), key=lambda place: -worth[place])
    least = worth[order[0]] - _SPREAD
    return {
        "choice": order[0] + 1,
        "ranking": [place + 1 for place in order],
        "approved": [place + 1 for place in range(len(options)) if worth[place] >= least],
        "points": _points(worth, budget),
    }


def _points(worth: Sequence[float], budget: int) -> list[int]:
    """The budget split in proportion to exp(worth); what rounding leaves goes to the first choice."""
    best = max(worth)
    shares = [float(value == best) if math.isinf(best) else math.exp(value - best) for value in worth]
    points = [int(budget * share / sum(shares)) for share in shares]
    points[worth.index(best)] += budget - sum(points)
    return points


def _grades(mind: Mind, answers: Sequence[ShownAnswer]) -> list[Mapping[str, Any]]:
    return [
        {"id": number, "is_correct": mind.facts.names_truth(answer.text) == _judges_well(mind, "grade", answer.text)}
        for number, answer in enumerate(answers, start=1)
    ]


def _groups(mind: Mind, answers: Sequence[ShownAnswer]) -> list[list[int]]:
    """What means the same in this world goes together; an answer that is misread joins another group, or leaves its own."""
    groups: dict[str, list[int]] = {}
    for number, answer in enumerate(answers, start=1):
        key = "\0right" if mind.facts.names_truth(answer.text) else bare(answer.text)
        if not _judges_well(mind, "group", answer.text):
            others = [other for other in groups if other != key]
            key = others[int(mind.chance("join", bare(answer.text)) * len(others))] if others else f"\0{number}"
        groups.setdefault(key, []).append(number)
    return list(groups.values())


def _judges_well(mind: Mind, role: str, answer: str) -> bool:
    return mind.chance(role, bare(answer)) < mind.model.judgement


def _persona(mind: Mind, seen: PromptContents) -> dict[str, Any]:
    """Somebody who is not on the list yet."""
    taken = seen.after.casefold()
    start = int(mind.chance("persona") * len(ROLES))
    order = [*ROLES[start:], *ROLES[:start]]
    role = next((candidate for candidate in order if candidate not in taken), f"{order[0]} of another school")
    return {"role": role, "description": f"{MARK} knows what every {role} knows, and reads the task as one"}
