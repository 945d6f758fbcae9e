"""What the players of a table said alone, grouped and graded, question by question: what a rule is learnt from.

By whichever play it is known, alone or in a team, as long as they were the same players asked in the same words. A question
counts once, with the first play in which all were heard. Where a team did not wait for all (`early_stop`), who was waited for
hangs on what the others said: such a question teaches nothing, and where there are many, nothing is learnt at all. Nor where
a model could not be reached on more than a few questions: a run that is run again asks it again, and it may be the best.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import orjson

from moot.data.clusters import clusters_of
from moot.engine.match_record import Groups
from moot.measures.episodes import Key, drafts_of
from moot.measures.missing_words import missing_words, way_out
from moot.measures.source import Source, Stored
from moot.stats.counted_words import whose_words
from moot.stats.graded import FEW_WAITING, why_unfair
from moot.strategies.natives import SINGLE_CALL, Drafts
from moot.team import Lesson
from moot.traces import Grouped, not_waited_for, of_kind
from moot.types import Answer, Case

Fits = Callable[[Stored, str], bool]
"""Whether this player of this cell is the one that is meant."""


@dataclass(frozen=True, slots=True)
class GradedDrafts:
    """One lesson a question, and what is worth knowing of all of them."""

    lessons: tuple[Lesson, ...]
    cases: tuple[Case, ...]
    not_heard: int
    """Questions that are left out, since somebody was not waited for."""
    not_asked: int
    """Those that not everybody has been asked yet."""
    ways: Counter[str]
    """Of the answers: how many came by their grade at once, by a judge, wait for one, or can have none."""
    by_words: int
    """Questions whose answers words alone have grouped, although the file names somebody who tells meanings."""
    places: tuple[tuple[Source, Key], ...] = field(default=(), repr=False)
    """Of each lesson the experiment, and which of its plays: while the store is open."""
    unreached: tuple[frozenset[str], ...] = field(default=(), repr=False)
    """Of each lesson whose draft is missing since it could not be reached, or since a recording has no reply."""
    unrecorded: frozenset[str] = field(default=frozenset(), repr=False)
    """Of whom a recording has no reply."""
    asked_again: bool = True
    """Whether the next run asks these: nobody plays again what was asked of a served team."""

    @property
    def unreached_by_player(self) -> Counter[str]:
        """On how many of the lessons."""
        return Counter(name for names in self.unreached for name in sorted(names))

    def unreached_words(self, again: str = "moot run") -> Iterator[str]:
        """Who is missing on how many questions, where anybody is. `again`: what is typed to have them asked again."""
        if missing := self.unreached_by_player:
            whose = whose_words(missing, of=len(self.lessons))
            recorded = self.unrecorded.intersection(missing)
            told = f"{missing_words(missing, recorded)} on this many questions: {whose}"
            yield f"{told}; {way_out(missing, recorded, f'{again} asks again')}" if self.asked_again else told

    def why_unfair(self, again: str = "moot run") -> str | None:
        """Why nothing may be learnt from these; None: it may. `again`: as for those who could not be reached."""
        most_missing = max(self.unreached_by_player.values(), default=0)
        if self.asked_again and most_missing > FEW_WAITING * len(self.lessons):
            return next(self.unreached_words(again))
        questions = len(self.lessons) + self.not_heard
        if self.not_heard > FEW_WAITING * questions:
            return (
                f"in {self.not_heard:,} of {questions:,} questions somebody was not waited for, and who is waited for hangs on"
                " what the others say; expected plays that wait for all, such as those of learnt"
            )
        answers = self.ways.total()
        return why_unfair(answers, self.ways["waiting"], self.ways["judge"], self.ways["nobody"])


@dataclass(slots=True)
class _Heard:
    """What is known of one set of drafts."""

    said: dict[str, Answer] = field(default_factory=dict)
    unheard: set[str] = field(default_factory=set)
    groups: Groups | None = None
    grouped: Mapping[str, str | None] = field(default_factory=dict)
    """By player what it had said where that was grouped."""
    unreached: set[str] = field(default_factory=set)
    """Who is missing in some play: whose draft is missing then may be known by another."""
    unrecorded: set[str] = field(default_factory=set)
    """Who of these is so since a recording has no reply."""

    def add(self, drafts: Iterable[Answer], names: Sequence[str]) -> None:
        """What failed once may have been asked for again."""
        for draft in drafts:
            if draft.player in names and (draft.text is not None or draft.player not in self.said):
                self.said[draft.player] = draft


def graded_drafts(
    sources: Sequence[Source], players: Sequence[str], fits: Fits, way: Drafts = SINGLE_CALL
) -> GradedDrafts:
    """From these experiments, the newest last: of a question that several have it is the newest that counts. `way`: how the
    drafts were asked for; those of another way are other words."""
    found: dict[str, tuple[Source, Key, _Heard]] = {}
    not_heard: set[str] = set()
    not_asked: set[str] = set()
    for source in sources:
        for key, heard in _heard(source, players, fits, way).items():
            words = source.cases[key[0]].question.wording
            if heard.unheard - heard.said.keys():
                not_heard.add(words)
            elif heard.said.keys() != set(players):
                not_asked.add(words)
            elif words not in found or found[words][0] is not source:
                found[words] = source, key, heard
    left_out = len(not_heard - found.keys()), len(not_asked - not_heard - found.keys())
    return _graded(list(found.values()), players, *left_out)


def _heard(source: Source, players: Sequence[str], fits: Fits, way: Drafts) -> dict[Key, _Heard]:
    """By question and repeat, the lowest repeat first."""
    by_key: dict[Key, _Heard] = {}
    for cell in source.cells:
        if cell["traits"].drafts != way:
            continue
        seats = {player["name"] for player in orjson.loads(cell["spec"])["players"]}
        names = [name for name in players if name in seats and fits(cell, name)]
        if not names:
            continue
        for episode in source.whole.episodes(cell):
            heard = by_key.setdefault(episode.key, _Heard())
            drafts = drafts_of(cell, episode.verdict)
            heard.add(drafts, names)
            heard.unheard.update(not_waited_for(episode.verdict.traces) & set(names))
            # Whoever reads replies may be missing too: then nobody knows what any of the silent have said.
            missing = set(episode.unreached)
            heard.unreached.update(missing & set(names) if missing <= seats else names)
            heard.unrecorded.update(episode.unrecorded if seats.issuperset(episode.unrecorded) else names)
            # Who drafts in two calls may talk before it groups: what is grouped then are no drafts.
            if (
                way == SINGLE_CALL
                and len(names) == len(players)
                and (grouped := of_kind(episode.verdict.traces, Grouped))
            ):
                heard.groups = grouped[0].groups
                heard.grouped = {draft.player: draft.text for draft in drafts}
    return dict(sorted(by_key.items(), key=lambda item: item[0][1]))


def _graded(
    found: Sequence[tuple[Source, Key, _Heard]], players: Sequence[str], not_heard: int, not_asked: int
) -> GradedDrafts:
    lessons: list[Lesson] = []
    cases: list[Case] = []
    places: list[tuple[Source, Key]] = []
    unreached: list[frozenset[str]] = []
    ways: Counter[str] = Counter()
    by_words = 0
    for source, (question, repeat), heard in found:
        case = source.cases[question]
        drafts = tuple(heard.said[name] for name in players if name in heard.said)
        graded = [source.graded(case, draft.text) for draft in drafts]
        ways.update(way for draft, (_, way) in zip(drafts, graded, strict=True) if draft.text is not None)
        if not source.grades.wait(case) or case.rubric:
            continue  # nobody has said what is right, or it has points: neither tells who is right
        if heard.groups is not None and heard.grouped == {draft.player: draft.text for draft in drafts}:
            groups = heard.groups
        else:
            groups = source.matches.groups(case.question, repeat, drafts)
            by_words += source.matches.by_words(case.question, repeat, drafts)
        lessons.append(Lesson(case.question, drafts, tuple(right for right, _ in graded), groups))
        cases.append(case)
        places.append((source, (question, repeat)))
        unreached.append(frozenset(draft.player for draft in drafts if draft.text is None) & heard.unreached)
    clusters = clusters_of(enumerate(cases))
    lessons = [
        replace(lesson, unit=clusters.get(place, lesson.question.wording)) for place, lesson in enumerate(lessons)
    ]
    return GradedDrafts(
        tuple(lessons),
        tuple(cases),
        not_heard,
        not_asked,
        ways,
        by_words,
        tuple(places),
        tuple(unreached),
        unrecorded=frozenset[str]().union(*(heard.unrecorded for _, _, heard in found)),
        asked_again=not any(source.served for source, _, _ in found),
    )
