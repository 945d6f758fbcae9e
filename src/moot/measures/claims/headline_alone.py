"""The headline and nothing else: for who wants to know how a run stands, and has no time."""

from __future__ import annotations

from moot.measures.claims.headline import headline_figures
from moot.measures.sides import SideResults, sides
from moot.measures.source import Source
from moot.stats.estimates import Row
from moot.store.declarations import declared


def headline_alone(source: Source) -> Row | None:
    """The key `headline`; None where there is nothing to say under it."""
    options = {title: side for title, side in sides(source, source.cells).items() if side.calls}
    came = {title: side for title, side in options.items() if not all_failed(source, side)}
    declarations = declared(source.connection, source.name)
    headline = headline_figures(source, source.cells, declarations, came or options)
    if headline is None or not any(case.question.is_long for case in source.cases.values()):
        return headline  # only long answers are compared
    from moot.measures.claims.preferred import with_preferences
    from moot.measures.preferences.figures import preference_figures

    preferences = preference_figures(source)
    return with_preferences(source, headline, preferences["preferences"]) if preferences else headline


def all_failed(source: Source, side: SideResults) -> bool:
    """Whether nothing ever came: what that costs, and how good it would have been, nobody knows."""
    return all(episode.outcome == "failed" for cell in side.cells for episode in source.seen(cell))
