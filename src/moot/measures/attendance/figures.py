"""Each player and officer over all strategies: plays in which it was asked, answered, or was absent, and what that took.

A figure of what was recorded, not of how good anybody is: plays on questions that a team was chosen on are in it. A player
who never answers was right nowhere, and has no draft in any group; its failed calls were made all the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from moot.measures.askings import ABSENT, ANSWERED, NOT_HEARD, PLAYER
from moot.measures.columns import Figures, count, titled
from moot.measures.missing_words import missing_words, way_out
from moot.measures.section import Column, Section
from moot.measures.source import Source
from moot.stats.counted_words import few_names

Row = dict[str, Any]
WHYS = {
    "failed": "the call failed",
    "refused": "it refused",
    "unanswered": "it gave no usable reply",
    NOT_HEARD: "nobody waited for it",
}
ATTENDED_AS: tuple[Literal["strategy", "label", "team", "captain", "player"], ...] = (
    "strategy",
    "label",
    "team",
    "captain",
    "player",
)
"""What tells whose plays are meant."""


NOT_COUNTED = (
    "A call that nobody waited for, since a vote was decided or a round had its quorum, is not among the calls."
)


def attendance_figures(source: Source) -> Row:
    rows = [
        {
            "player": name,
            "office": office,
            "questions": len(attended.questions),
            "asked": attended.endings.total(),
            ANSWERED: attended.endings[ANSWERED],
            "absent": sum(attended.endings[why] for why in ABSENT),
            **{why: attended.endings[why] for why in ABSENT},
            **({NOT_HEARD: attended.endings[NOT_HEARD]} if attended.endings[NOT_HEARD] else {}),
            "calls": len(attended.calls) + attended.failed_calls,
            "failed_calls": attended.failed_calls,
        }
        for (name, office), attended in sorted(source.whole.askings().items())
    ]
    unreached = list(unreached_rows(source))
    return ({"attendance": rows} if rows else {}) | ({"unreached": unreached} if unreached else {})


def unreached_rows(source: Source) -> Iterator[Row]:
    """Who has played without somebody: these plays are played again, or a recording may be completed; but for those of a served
    team."""
    for cell in () if source.served else source.cells:
        seen = source.whole.seen(cell)
        without = [episode.unreached for episode in seen if episode.unreached]
        if without:
            named: Row = {key: cell[key] for key in ATTENDED_AS}
            who = sorted({name for names in without for name in names})
            recorded = sorted({name for episode in seen for name in episode.unrecorded})
            row = {**named, "plays": len(seen), "unreached": len(without), "who": who}
            yield {**row, "unrecorded": recorded} if recorded else row


def unreached_words(rows: Sequence[Mapping[str, Any]], again: str = "moot run") -> Iterator[str]:
    """All of them in one sentence. `again`: what is typed to have them asked again."""
    if rows:
        without, plays = (sum(row[key] for row in rows) for key in ("unreached", "plays"))
        who = sorted({name for row in rows for name in row["who"]})
        most = max(rows, key=lambda row: row["unreached"] / row["plays"])
        where = f", at most {titled(most)} with {most['unreached']:,} of {most['plays']:,}" if len(rows) > 1 else ""
        recorded = {name for row in rows for name in row.get("unrecorded", ())}
        told = f"In {without:,} of {plays:,} plays {missing_words(who, recorded)} ({few_names(who)}{where})"
        yield f"{told}: {way_out(who, recorded, f'{again} asks them again')}."


def absent_words(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Whoever never answered: what it was asked counts as not right, which says nothing of how good it is. And whoever the
    others never waited for."""
    for row in rows:
        if row[ANSWERED]:
            continue
        office = "" if row["office"] == PLAYER else f" as {row['office']}"
        asked = f"asked in {count(row['asked'], 'play')} on {count(row['questions'], 'question')}"
        if row["absent"]:
            whys = ", ".join(f"{words} {row[why]:,}×" for why, words in WHYS.items() if row.get(why))
            took = f"{count(row['calls'], 'call')} made, and how good it is remains unknown"
            yield f"{row['player']}{office} never answered, {asked} ({whys}): {took}."
        elif row.get(NOT_HEARD):
            yield f"{row['player']}{office} was never waited for, {asked}: what it would have said is unknown."


def attendance_sections(figures: Figures) -> Iterator[Section]:
    rows = list(figures.get("attendance", ()))
    columns = (
        Column("player", "who"),
        Column("office", "as"),
        Column("questions", "questions"),
        Column("asked", "plays"),
        Column(ANSWERED, "answered"),
        Column("absent", "absent"),
        *(Column(why, why) for why in ABSENT),
        *([Column(NOT_HEARD, "not waited for")] if any(NOT_HEARD in row for row in rows) else ()),
        Column("calls", "calls"),
        Column("failed_calls", "of these failed"),
    )
    words = (
        "Over all strategies: the plays in which somebody was asked, and whether the last reply there was usable."
        " A call that strategies share is counted once.",
        *([NOT_COUNTED] if any(NOT_HEARD in row for row in rows) else ()),
        *absent_words(rows),
    )
    if unreached := list(figures.get("unreached", ())):
        heads = {"label": "strategy", "team": "team", "captain": "captain", "player": "player", "plays": "plays"}
        heads |= {"unreached": "without somebody", "names": "who"}
        told = [{**row, "names": ", ".join(row["who"])} for row in unreached]
        recorded = {name for row in unreached for name in row.get("unrecorded", ())}
        title = f"Plays in which {missing_words({name for row in unreached for name in row['who']}, recorded)}"
        columns_of_them = tuple(Column(key, head) for key, head in heads.items())
        yield Section("unreached", title, tuple(unreached_words(unreached)), columns_of_them, told, place=933)
    yield Section("attendance", "Who was asked, and who answered", words, columns, rows, place=935)
