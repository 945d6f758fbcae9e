"""Questions that hang together: "Questions that hang together" in docs/questions.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

CLUSTERS: dict[str, str] = {}
"""By question id, of the experiment that was read last: what it hangs together with, if with anything."""


def remember(clusters: Mapping[str, str], words: Mapping[str, str]) -> None:
    """A name that one question has alone is none; a name is a set's own. Equal words are one question under several ids,
    whichever set they are of: all that hangs together with one of these hangs together with the others, under the first of
    all their names."""
    names = {question: {f"words {own}"} for question, own in words.items()}
    for question, name in clusters.items():
        names[question].add(name)
    often = Counter(name for own in names.values() for name in own)
    shared = {question: {name for name in own if often[name] > 1} for question, own in names.items()}
    CLUSTERS.clear()
    for question, own in shared.items():
        reached: set[str] = set()
        while own - reached:
            reached = own
            own = reached.union(*(each for each in shared.values() if each & reached))
        if own:
            CLUSTERS[question] = min(own)


def unit_of(question: str) -> str:
    name = CLUSTERS.get(question)
    return question if name is None else f"cluster {name}"


def together(questions: Iterable[str]) -> list[list[str]]:
    """What is one piece of evidence each."""
    units: dict[str, list[str]] = {}
    for question in questions:
        units.setdefault(unit_of(question), []).append(question)
    return list(units.values())


def counted(questions: Iterable[str]) -> dict[str, int]:
    """`clusters` of a row over these questions: how many pieces, where some of them are of several."""
    asked = list(questions)
    units = together(asked)
    return {"clusters": len(units)} if len(units) < len(asked) else {}
