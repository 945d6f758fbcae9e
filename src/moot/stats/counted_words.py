"""Counts in words, for the sentences that stand beside figures: a thing of which there is one is not several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def count(number: int, one: str, many: str | None = None) -> str:
    """``1 question``, ``1,200 questions``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def of_them(part: int, whole: int) -> str:
    """``15 of them``, ``all``; nothing of a single one."""
    return f"{part:,} of them" if part < whole else "all" if whole > 1 else ""


def few_names(names: Sequence[str], room: int = 48) -> str:
    """``ann, bob and 7 others``: as many as these characters hold, and one at the least. All stand in the figures."""
    named = list(names[:1])
    for name in names[1:]:
        if len(", ".join([*named, name])) > room:
            break
        named.append(name)
    others = f" and {count(rest, 'other')}" if (rest := len(names) - len(named)) else ""
    return f"{', '.join(named)}{others}"


def whose_words(counts: Mapping[str, int], named: int = 3, of: int | None = None) -> str:
    """``shy (60), tom (60) and 2 others``: who has how many, those with most first. `of`: out of how many each."""
    most = sorted(((number, name) for name, number in counts.items() if number), key=lambda part: (-part[0], part[1]))
    total = "" if of is None else f" of {of:,}"
    told = [f"{name} ({number:,}{total})" for number, name in most[:named]]
    told += [count(len(most) - named, "other")] if len(most) > named else []
    return " and ".join(filter(None, (", ".join(told[:-1]), told[-1])))


def waiting_words(questions: int) -> str:
    """``1 question has an answer that waits for a grade``."""
    return f"{count(questions, 'question has', 'questions have')} an answer that waits for a grade"


def no_interval_words(questions: int) -> str:
    """Said of a figure of which nobody has taken how far what waits could move its interval."""
    return f"no interval: {waiting_words(questions)}"
