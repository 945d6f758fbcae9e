"""What a challenge round changed: "The challenge round" in docs/discuss.md, `challenges` in docs/report.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from second_way.compare import ANY_TEXT
from second_way.hanging import together
from second_way.meanings import plain
from second_way.paired_scores import difference, share
from second_way.quiz_pairs import FEW_QUESTIONS
from second_way.raw import Cell, Episode, Raw
from second_way.shares import Grade, Judged, Ungraded, graded, unfair

Row = dict[str, Any]
Trace = Mapping[str, Any]


def challenges(raw: Raw, cells: Sequence[tuple[Cell, Row]]) -> list[Row]:
    """`cells`: with the names of their rows."""
    words = Words(raw)
    rows = []
    for cell, named in cells:
        rounds = [
            (episode, trace)
            for episode in raw.episodes(cell)
            for trace in episode.traces
            if trace["kind"] == "challenge"
        ]
        for setting in dict.fromkeys(trace["setting"] for _, trace in rounds):
            of_setting = [pair for pair in rounds if pair[1]["setting"] == setting]
            rows += [{**named, "setting": setting, **row} for row in _parts(words, of_setting)]
    return rows


class Words:
    """What anybody's words to a question are worth."""

    def __init__(self, raw: Raw) -> None:
        self._raw = raw
        self._judged: dict[tuple[str, str], set[bool | None]] = {}
        for row in raw.tables["judgements"]:
            self._judged.setdefault((row["question_id"], plain(row["answer"])), set()).add(row["right"])

    def grade(self, question: str, word: str) -> Grade:
        """By its letter; by its words, if they are those of the reference; else by what the judges said of it."""
        row = self._raw.questions[question]
        if not row.get("known", True):
            return Ungraded.NOBODY
        if row["question"].get("choices"):
            return float(plain(word) == plain(row["answer"]))
        if plain(word) in {plain(right) for right in (row["answer"], *row.get("accepted", ()))}:
            return 1.0
        said = self._judged.get((question, plain(word)), {None})
        return None if len(said) > 1 or None in said else Judged(float(True in said))


@dataclass(frozen=True)
class Objected:
    """An agent who would say something else than what it was shown."""

    question: str
    before: Grade
    after: Grade
    new: bool
    """Whether it gave an answer instead."""

    @property
    def graded(self) -> bool:
        return not self.new or (graded(self.before) and graded(self.after))

    @property
    def waits(self) -> bool:
        return not self.graded and all(graded(side) or side is None for side in (self.before, self.after))

    @property
    def changes(self) -> list[int]:
        """What the new answer may be beside the other: better, worse, neither."""
        if not self.new:
            return [0]
        sides = [[side] if graded(side) else [0.0, 1.0] for side in (self.before, self.after)]
        return [(after > before) - (after < before) for before in sides[0] for after in sides[1]]


def _parts(words: Words, rounds: Sequence[tuple[Episode, Trace]]) -> Iterator[Row]:
    planted = any(trace.get("planted") is not None for _, trace in rounds)
    parts: dict[str, list[tuple[Episode, Grade]]] = {}
    for episode, trace in rounds:
        word, part = trace.get("planted"), "planted" if planted else "shown"
        before = episode.right if word is None else words.grade(episode.question, word)
        if word is not None and not graded(before):
            part = "planted, ungraded"
        elif word is not None and before == 1:
            part = "planted, but right"
        elif word is not None and before != 0:
            part = "planted, right in part"
        parts.setdefault(part, []).append((episode, before))
    for part in ("shown", "planted", "planted, but right", "planted, right in part", "planted, ungraded"):
        if part in parts:
            yield {"part": part, **_counted(words, parts[part])}


def _counted(words: Words, rounds: Sequence[tuple[Episode, Grade]]) -> Row:
    asked: dict[str, tuple[float, float]] = {}
    objected: list[Objected] = []
    row: Counter[str] = Counter()
    for episode, before in rounds:
        said = [trace for trace in episode.traces if trace["kind"] == "objection"]
        row["held"] += bool(said)
        for word in said:
            against, new = word.get("agree") is False, word.get("answer")
            top, bottom = asked.get(episode.question, (0.0, 0.0))
            asked[episode.question] = (top + against, bottom + 1)
            row["did_not_say"] += word.get("agree") is None
            if against:
                after = 0.0 if new is None else words.grade(episode.question, new)
                objected.append(Objected(episode.question, before, after, new is not None))
    ungraded = sum(not one.graded for one in objected)
    most = max((bottom for _, bottom in asked.values()), default=0.0)
    rate, net = share(asked), _net(objected, most)
    return {
        **{key: int(row[key]) for key in ("did_not_say", "held")},
        "challenged": len(objected),
        "no_new_answer": sum(not one.new for one in objected),
        "ungraded": ungraded,
        **dict(zip(("rate", "rate_low", "rate_high"), rate, strict=True)),
        **dict(zip(("net", "net_low", "net_high"), net, strict=True)),
        **_changed(objected),
        "agents": int(sum(bottom for _, bottom in asked.values())),
        "not_held": len(rounds) - int(row["held"]),
        "n": len(asked),
        "small": len(together(asked)) < FEW_QUESTIONS,
        **({"net_bounds": _bounds(objected)} if ungraded else {}),
        **({"why": ANY_TEXT} if ungraded and net[0] is None else {}),
    }


def _changed(objected: Sequence[Objected]) -> Row:
    if any(one.waits for one in objected):
        return {"improved": None, "worsened": None, "counts_why": ANY_TEXT}
    seen = [one.changes[0] for one in objected if one.graded]
    return {"improved": sum(change > 0 for change in seen), "worsened": sum(change < 0 for change in seen)}


def _bounds(objected: Sequence[Objected]) -> Row:
    """Over all that was challenged: each as bad, and as good, as it can be."""
    return {
        "low": sum(min(one.changes) for one in objected) / len(objected),
        "high": sum(max(one.changes) for one in objected) / len(objected),
    }


Three = tuple[float | None, float | None, float | None]


def _net(objected: Sequence[Objected], most: float) -> Three:
    """Improved less worsened, of all that was challenged; what waits is in the interval, at its worst and at its best.

    `most`: how many agents a question was put to, all of whom might have challenged it.
    """
    if unfair([[one.before, one.after] for one in objected if one.new]):
        return None, None, None
    seen = [one for one in objected if one.graded]
    if not seen:
        return None, None, None
    value, low, high = _mean([(one.question, one.changes[0]) for one in seen], most)
    waiting = [one for one in objected if one.waits]
    if not waiting or low is None or high is None:
        return value, low, high
    worst, best = (
        _mean([(one.question, furthest(one.changes)) for one in (*seen, *waiting)], most) for furthest in (min, max)
    )
    assert value is not None
    assert worst[1] is not None
    assert best[2] is not None
    return value, min(value, worst[1]), max(value, best[2])


def _mean(changes: Sequence[tuple[str, int]], most: float) -> Three:
    moved: dict[str, tuple[float, float, float]] = {}
    for question, change in changes:
        better, worse, number = moved.get(question, (0.0, 0.0, 0.0))
        moved[question] = (better + (change > 0), worse + (change < 0), number + 1)
    return difference(moved, most)[:3]
