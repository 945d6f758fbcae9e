"""The picture beside the verdict: which rows of a table the verdict speaks of, and what to know of the drawing.

The rows themselves, and how their figures are written, are those of the section on accuracy; where nothing is graded and
texts were compared two by two, of the section on preferences. Nothing is computed here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from moot.measures.claims.words import declared_late_words, withheld_for
from moot.measures.columns import several_teams, titled, who
from moot.measures.points_words import in_points, words_of_points
from moot.report.nothing_played import all_failed
from moot.stats.counted_words import count

Row = Mapping[str, Any]


def picture(figures: Mapping[str, Any]) -> dict[str, Any] | None:
    """The section whose rows are drawn, places of rows in its table, and sentences; None where no row has anything to draw.

    `order`: what is kept where not all rows fit, those first that the verdict names. `intervals`: whether they may be
    drawn, which a run without its slowest plays does not allow. `legend`: whether it takes one to tell rows apart.
    """
    rows: Sequence[Row] = figures["accuracy"]
    if figures.get("preferences") and all(row["value"] is None for row in rows):
        return _preferred(figures["preferences"]["pairs"], figures.get("headline") or {})
    shown = [place for place, row in enumerate(rows) if row["value"] is not None or row.get("bounds")]
    if not shown or all_failed(figures):
        return None
    headline = figures.get("headline") or {}
    about = [place for place in _about(rows, headline) if place in shown]
    single = [place for place in _best_single(rows, headline) if place in shown]
    named = {*about, *single}
    return {
        "section": "accuracy",
        "legend": False,
        "about": about,
        "tag": "primary" if headline.get("chosen") in ("declared", "declared late") else "in the verdict",
        "single": single,
        "order": sorted(shown, key=lambda place: (place not in named, -(rows[place]["value"] or 0.0))),
        "intervals": withheld_for(headline) is None,
        "words": list(_words(rows, shown, headline, about, single)),
    }


def _preferred(pairs: Sequence[Row], headline: Row) -> dict[str, Any] | None:
    """Each side against each opponent: what the verdict is about first, then whoever is preferred most."""
    shown = [place for place, row in enumerate(pairs) if row["value"] is not None]
    preferred = headline.get("preferred") or {}
    if not shown:
        return None
    about = [place for place in shown if all(pairs[place][key] == preferred.get(key) for key in ("of", "against"))]
    declared = preferred.get("chosen") in ("declared", "declared late")
    words = ["How often each text is preferred to that of a player alone, or of the baseline: 50 % is as often as not."]
    if withheld := withheld_for(headline):
        words.append(f"No intervals are drawn: {withheld}.")
    elif any(pairs[place]["low"] is not None for place in shown):
        pays = "; that of the verdict allows for the choice" if preferred.get("options", 1) > 1 else ""
        words.append(f"At equal length and without a place; lines are 95 % intervals, of each row by itself{pays}.")
    if left := len(pairs) - len(shown):
        words.append(f"{count(left, 'row')} without a figure.")
    return {
        "section": "preferences",
        "legend": True,
        "about": about,
        "tag": "primary" if declared else "in the verdict",
        "single": [],
        "order": sorted(shown, key=lambda place: (place not in about, -pairs[place]["value"])),
        "intervals": withheld_for(headline) is None,
        "words": words,
    }


def _about(rows: Sequence[Row], headline: Row) -> list[int]:
    """The row that the verdict is about; several where it is about the mean of them."""
    if not headline.get("of"):
        return []
    of, one = headline["of"], headline.get("player") or headline.get("captain")
    by_name = [place for place, row in enumerate(rows) if of in _names(row)]
    if len(by_name) == 1:
        return by_name
    alike = [
        place
        for place, row in enumerate(rows)
        if row["label"] == headline["label"] and (one is None or who(row) == one)
    ]
    at_its_table = [place for place in alike if rows[place].get("team") == headline.get("team")]
    return at_its_table if one is not None and len(at_its_table) == 1 else alike


def _names(row: Row) -> tuple[str, str]:
    return titled(row), titled(row, team=True)


def _label(rows: Sequence[Row], place: int) -> str:
    """As the picture names it."""
    return titled(rows[place], team=several_teams(rows))


def _best_single(rows: Sequence[Row], headline: Row) -> list[int]:
    """The row of the player whom the verdict compares with; none where it never played alone in that way."""
    over = headline.get("over_best_single") or {}
    if not (title := over.get("single")):
        return []
    alone = [(place, row) for place, row in enumerate(rows) if row.get("player")]
    found = [place for place, row in alone if title in (row["player"], f"{row['player']} ({row['label']})")]
    return [place for place in found if _same_figure(rows[place], over.get("best_single") or {})]


def _same_figure(row: Row, reached: Row) -> bool:
    """Unless both are over as many questions they need not be equal."""
    if row["value"] is None or reached.get("value") is None or row["n"] != reached.get("n"):
        return True
    return math.isclose(row["value"], reached["value"], abs_tol=1e-9)


def _words(
    rows: Sequence[Row], shown: Sequence[int], headline: Row, about: Sequence[int], single: Sequence[int]
) -> Iterator[str]:
    if about:
        yield f"{_about_words(rows, headline, about)}{_single_words(rows, headline, single)}."
    if withheld := withheld_for(headline):
        yield f"No intervals are drawn: {withheld}."
    elif any(rows[place]["low"] is not None for place in shown):
        yield f"Lines are 95 % intervals, of each row by itself{_paid(rows, headline, about)}."
    if any(rows[place].get("bounds") for place in shown):
        ends = "with every ungraded answer counted as wrong, and as right"
        dashed = f"Dashed: over all questions, {ends}; without a dot no more is known."
        yield words_of_points(dashed) if in_points(headline) else dashed
    if left := len(rows) - len(shown):
        yield f"{count(left, 'row')} without a figure."


def _about_words(rows: Sequence[Row], headline: Row, about: Sequence[int]) -> str:
    late = headline["chosen"] == "declared late"
    declared = (
        declared_late_words(headline) if late else "declared in advance" if headline["chosen"] == "declared" else ""
    )
    named = _label(rows, about[0]) if len(about) == 1 else f"the mean of the {len(about)} rows of {headline['label']}"
    if declared:
        return f"Primary: {named}, {declared}"
    return f"In the verdict: {named}" + (
        f", picked afterwards from {headline['options']:,}" if headline["options"] > 1 else ""
    )


def _single_words(rows: Sequence[Row], headline: Row, single: Sequence[int]) -> str:
    if single:
        return f"; best single: {', '.join(_label(rows, place) for place in single)}"
    title = (headline.get("over_best_single") or {}).get("single")
    return f"; the best single model, {title}, has no row of its own" if title else ""


def _paid(rows: Sequence[Row], headline: Row, about: Sequence[int]) -> str:
    """A verdict on what was chosen out of several has another interval than the row of it."""
    row = rows[about[0]] if len(about) == 1 else None
    if row is None or row["low"] is None or headline["low"] is None or headline["options"] == 1:
        return ""
    same = all(math.isclose(row[end], headline[end], abs_tol=1e-9) for end in ("low", "high"))
    return "" if same else "; that of the verdict allows for the choice"
