"""What judges and persons said of long answers, two by two, read from the store for those who make figures of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from moot.engine.preferences import ComparedPlay, cells_compared, compared_plays, texts_by_question
from moot.experiment.baseline import Matchup, matchups
from moot.experiment.side_names import ClaimError, several_teams
from moot.grade.prefer import PERSON, text_digest
from moot.measures.cells import Stored
from moot.measures.preferences.page_votes import PageVote, page_votes
from moot.measures.sides import cells_named, title_of
from moot.measures.source import Source
from moot.stats.preference import PreferenceWord, doublings
from moot.store.preferences import answers_on, preferences_on


class ShownTexts(NamedTuple):
    """Two texts in one order, to one question."""

    question: str
    first: str
    second: str


WordsOfPlay = Callable[[str, ComparedPlay, tuple[str, str], tuple[str, int | None]], list[PreferenceWord]]
"""By question, play, pair, and which of the plays on this question it is."""


@dataclass(frozen=True, slots=True)
class ComparedSide:
    """What is compared: a team's cell, or several that are one side."""

    title: str
    cells: tuple[Stored, ...]


@dataclass(frozen=True)
class SaidPreferences:
    """All comparisons of one experiment, and what was said of them."""

    pairs: Sequence[Matchup[Stored]]
    judges: tuple[str, ...]
    """Those of the file, then persons; whoever of them has said something of these texts, or should have."""
    persons: tuple[str, ...]
    heard: Mapping[ShownTexts, Mapping[str, str | None]]
    """By what was shown, each judge's word; None: no usable one."""
    plays: Mapping[str, Sequence[ComparedPlay]]
    """By question: what is compared there."""
    teams: bool
    """There are several: names say which."""
    voted: Mapping[str, Sequence[ComparedPlay]] = field(default_factory=dict)
    """By question: what people compared on the page of a served team, which nobody else was asked about."""

    @cached_property
    def every_play(self) -> dict[str, list[ComparedPlay]]:
        """By question, whoever compares them."""
        every: dict[str, list[ComparedPlay]] = {question: list(plays) for question, plays in self.plays.items()}
        for question, plays in self.voted.items():
            every.setdefault(question, []).extend(plays)
        return every

    def title(self, cell: Stored) -> str:
        return title_of(cell, team=self.teams and not cell["player"])

    @cached_property
    def sides(self) -> list[ComparedSide]:
        cells = {pair.side["id"]: pair.side for pair in self.pairs}
        return [ComparedSide(self.title(cell), (cell,)) for cell in cells.values()]

    def words(self, sides: Sequence[ComparedSide]) -> list[PreferenceWord]:
        """Of these sides against all their opponents: a pair is a side's title and the opponent's."""
        return self._of_plays(sides, self._words)

    def missing(self, sides: Sequence[ComparedSide]) -> list[PreferenceWord]:
        """The same that nobody has said: of each play that was made the words of judges who were to compare it, in both orders;
        of one of which nobody was asked, and nobody has spoken, one word."""
        return self._of_plays(sides, self._missing)

    def _of_plays(self, sides: Sequence[ComparedSide], told: WordsOfPlay) -> list[PreferenceWord]:
        by_cell = {cell["id"]: side for side in sides for cell in side.cells}
        words: list[PreferenceWord] = []
        # However often people ask a question again to vote on it, their votes are one play beside those of the run.
        for plays_of, on_page in ((self.plays, False), (self.voted, True)):
            for question, plays in plays_of.items():
                for play in plays:
                    if (side := by_cell.get(play.matchup.side["id"])) is not None:
                        pair = (side.title, self.title(play.matchup.opponent))
                        which = (play.matchup.side["id"], None if on_page else play.repeat)
                        words += told(question, play, pair, which)
        return words

    def _words(
        self, question: str, play: ComparedPlay, pair: tuple[str, str], which: tuple[str, int | None]
    ) -> list[PreferenceWord]:
        if (settled := play.settled) is not None:
            return [PreferenceWord(question, pair, which, None, settled)]
        longer, orders = _open(question, play)
        words = []
        for place, shown in orders:
            for judge, said in self.heard.get(shown, {}).items():
                if said is not None:
                    liked = 0.5 if said == "tie" else float((said == "first") == (place == 1))
                    habit = PERSON if judge in self.persons else None
                    words.append(PreferenceWord(question, pair, which, judge, liked, place, longer, habit))
        return words

    def _missing(
        self, question: str, play: ComparedPlay, pair: tuple[str, str], which: tuple[str, int | None]
    ) -> list[PreferenceWord]:
        if play.settled is not None:
            return []
        longer, orders = _open(question, play)
        asked = () if which[1] is None else self.asked  # of what people compared on a page nobody else was asked
        words = [
            PreferenceWord(question, pair, which, judge, 0.5, place, longer)
            for place, shown in orders
            for judge in asked
            if self.heard.get(shown, {}).get(judge) is None
        ]
        if words or self.heard_of(question, play):
            return words
        return [PreferenceWord(question, pair, which, None, 0.5)]

    def heard_of(self, question: str, play: ComparedPlay) -> bool:
        """Whether it is known who is preferred, by anybody's word or without."""
        return bool(self._words(question, play, ("", ""), ("", None)))

    @cached_property
    def shown(self) -> dict[ShownTexts, ComparedPlay]:
        """Everything that judges were to be shown or persons saw, once, with one play that it is of."""
        return _orders(self.every_play)

    @cached_property
    def to_judge(self) -> dict[ShownTexts, ComparedPlay]:
        """Of these what judges of the file were to be shown."""
        return _orders(self.plays)

    @property
    def asked(self) -> tuple[str, ...]:
        """Judges of whom a word on everything is expected; persons say what they like."""
        return tuple(judge for judge in self.judges if judge not in self.persons)

    @cached_property
    def without_word(self) -> int:
        """Comparisons of which a judge of the file gave no usable word."""
        return sum(self.heard.get(shown, {}).get(judge) is None for shown in self.to_judge for judge in self.asked)


def _open(question: str, play: ComparedPlay) -> tuple[float, tuple[tuple[int, ShownTexts], ...]]:
    """Of what somebody must compare: how much longer the side's text is, and both orders by the place where it stands."""
    assert play.text is not None, "else it is settled"
    assert play.other is not None, "else it is settled"
    one, other = text_digest(play.text), text_digest(play.other)
    orders = ((1, ShownTexts(question, one, other)), (-1, ShownTexts(question, other, one)))
    return doublings(len(play.text.split()), len(play.other.split())), orders


def _orders(plays: Mapping[str, Sequence[ComparedPlay]]) -> dict[ShownTexts, ComparedPlay]:
    """Both orders of every two texts that somebody must compare."""
    orders: dict[ShownTexts, ComparedPlay] = {}
    for question, several in plays.items():
        for play in several:
            if play.settled is None and play.text is not None and play.other is not None:
                one, other = text_digest(play.text), text_digest(play.other)
                orders.setdefault(ShownTexts(question, one, other), play)
                orders.setdefault(ShownTexts(question, other, one), play)
    return orders


def said_of(source: Source) -> SaidPreferences | None:
    """None where no two long answers are compared."""
    config = source.config.get("judge") or {}
    long = [question for question, case in source.cases.items() if case.question.is_long]
    if not long or source.nothing_played:
        return None
    try:
        pairs = matchups(source.cells, source.config.get("baseline"))
    except ClaimError:  # of another plan under this name
        return None
    # Of what was served nobody but persons says which of two is better.
    named = tuple(config.get("models", ())) if config.get("pairwise") and not source.served else ()
    rows = preferences_on(source.connection, long) if pairs else []
    votes = page_votes(source, pairs) if pairs else []
    if not named and not rows and not votes:
        return None
    texts = texts_by_question(answers_on(source.connection, cells_compared(pairs), long))
    plays = {
        question: [
            play
            for play in compared_plays(pairs, texts.get(question, {}))
            if not any(question in source.chosen_on(cell) for cell in (play.matchup.side, play.matchup.opponent))
        ]
        for question in long
    }
    heard, persons = _heard([*rows, *(vote.row for vote in votes)], named)
    voted = _voted(votes, plays)
    said = SaidPreferences(pairs, (*named, *persons), persons, heard, plays, several_teams(source.cells), voted)
    spoke = {judge for shown in said.shown for judge in heard.get(shown, {})}
    kept = tuple(person for person in persons if person in spoke)
    return SaidPreferences(pairs, (*named, *kept), kept, heard, plays, said.teams, voted) if named or kept else None


def _voted(votes: Sequence[PageVote], plays: Mapping[str, Sequence[ComparedPlay]]) -> dict[str, list[ComparedPlay]]:
    """What persons alone compared: not what the run came to in the same words, and of equal texts one play."""
    known = {question: {_texts(play) for play in several} for question, several in plays.items()}
    voted: dict[str, list[ComparedPlay]] = {}
    for vote in votes:
        texts = _texts(vote.play)
        if texts not in known.setdefault(vote.question, set()):
            known[vote.question].add(texts)
            voted.setdefault(vote.question, []).append(vote.play)
    return voted


def _texts(play: ComparedPlay) -> tuple[str, str, str, str]:
    """Whose they are, and what they are."""
    cells = play.matchup.side["id"], play.matchup.opponent["id"]
    return *cells, text_digest(play.text or ""), text_digest(play.other or "")


def _heard(
    rows: Sequence[Mapping[str, Any]], named: Sequence[str]
) -> tuple[dict[ShownTexts, dict[str, str | None]], tuple[str, ...]]:
    """Of a judge whose model or prompt has changed, whoever spoke last counts; and the persons who said something."""
    latest = {row["judge_name"]: row["judge"] for row in sorted(rows, key=lambda row: row["said_at"])}
    heard: dict[ShownTexts, dict[str, str | None]] = defaultdict(dict)
    persons: dict[str, None] = {}
    for row in rows:
        name = row["judge_name"]
        if name.startswith(PERSON):
            persons[name] = None
        elif name not in named or latest[name] != row["judge"]:
            continue
        heard[ShownTexts(row["question"], row["first"], row["second"])][name] = row["preferred"]
    return heard, tuple(sorted(persons))


def primary_side(source: Source, said: SaidPreferences) -> ComparedSide | None:
    """What the file declares as primary, where that is several captains of one team; else its own row is there."""
    primary = source.config.get("primary")
    if not primary:
        return None
    try:
        cells = cells_named(primary, source.cells)
    except ClaimError:
        return None
    compared = {pair.side["id"] for pair in said.pairs}
    return (
        ComparedSide(primary, tuple(cells))
        if len(cells) > 1 and all(cell["id"] in compared for cell in cells)
        else None
    )
