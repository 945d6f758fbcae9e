"""How teams decided: `cascade`, `cascade_beside` and `voices` of docs/report.md, from transcripts and verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from statistics import median
from typing import Any

from second_way.accuracy import _by_question, _per_question, _sum_usd
from second_way.options import unpriceable
from second_way.pairs import drafting
from second_way.quiz_pairs import adjusted, apart_on_both_sides, bounds, difference
from second_way.raw import Cell, Episode, Raw
from second_way.shares import share_row
from second_way.talk_tables import _repeated, _values

Row = dict[str, Any]


def decided(raw: Raw) -> Row:
    cascades = [cell for cell in raw.cells if _paths(raw, cell)]
    rows = [_cascade(raw, cell) for cell in cascades]
    beside = adjusted([row for cell in cascades for row in _beside(raw, cell, cascades)])
    voices = [row for cell in raw.cells if (row := _voices(raw, cell))]
    found = {"cascade": rows, "cascade_beside": beside, "voices": voices}
    return {key: value for key, value in found.items() if value}


def _records(raw: Raw, cell: Cell, kind: str) -> list[Mapping[str, Any]]:
    return [trace for episode in raw.episodes(cell) for trace in episode.traces if trace["kind"] == kind]


def _paths(raw: Raw, cell: Cell) -> list[Mapping[str, Any]]:
    return _records(raw, cell, "cascaded")


def _named(cell: Cell) -> Row:
    row: Row = {"strategy": cell.strategy, "label": cell.label, "team": cell.team, "captain": cell.captain}
    return {**row, "cohort": cell.cohort} if cell.cohort else row


def _costs(raw: Raw, episodes: list[Episode]) -> tuple[float | None, float | None]:
    usd = [
        (episode.question, _sum_usd([raw.calls.get(key, {}).get("cost_usd") for key in episode.calls]))
        for episode in episodes
    ]
    return _per_question([(episode.question, len(episode.calls)) for episode in episodes]), _per_question(usd)


def _cascade(raw: Raw, cell: Cell) -> Row:
    episodes, paths = raw.episodes(cell), _paths(raw, cell)
    players = [player["name"] for player in cell.spec["players"]]
    lacking = unpriceable([episodes])
    calls, usd = _costs(raw, [episode for episode in episodes if episode.question not in lacking])
    share = share_row(_by_question(episodes))
    # Who was asked is told by the transcripts: what the record of a path says must be the same.
    asked = Counter(who for episode in episodes for who in {who for who, turn in episode.turns if turn == 1})
    then = Counter(path["then"] for path in paths if path.get("then"))
    return {
        **_named(cell),
        "calls_per_question": calls,
        "usd_per_question": usd if _costs(raw, episodes)[1] is not None else None,
        **({"cost_n": len({episode.question for episode in episodes} - lacking)} if lacking else {}),
        "of": len(players),
        "accuracy": share.pop("value"),
        **share,
        "stopped": {how: sum(path["stopped"] == how for path in paths) for how in ("decided", "sure", "everybody")},
        "asked": {name: asked[name] / len(episodes) for name in players},
        "order": sorted({path["order"] for path in paths} - {""}),
        **({"then": dict(then)} if then else {}),
    }


def _beside(raw: Raw, cell: Cell, cascades: list[Cell]) -> Iterator[Row]:
    for other in raw.cells:
        apart = (other.team, other.cohort) != (cell.team, cell.cohort) or other.player is not None
        if other in cascades or apart or (cell.captain and other.captain and cell.captain != other.captain):
            continue
        traits = other.traits
        counted = drafting(other) == "single-call" and traits.get("drafts") and traits.get("word") == "group"
        if not (counted and traits.get("hears") == "nothing") and not _is_last_stage(cell, other):
            continue
        if "abstain" in other.given or any(each.outcome == "abstained" for each in raw.episodes(other)):
            continue
        ours, theirs = _values(raw, cell), _values(raw, other)
        pairs = {question: [(value, theirs[question])] for question, value in ours.items() if question in theirs}
        if not pairs:
            continue
        whole = pairs.keys() - unpriceable([raw.episodes(cell)]) - unpriceable([raw.episodes(other)])
        costs = [_costs(raw, [each for each in raw.episodes(side) if each.question in whole]) for side in (cell, other)]
        title = other.label if other.captain is None else f"{other.label}@{other.captain}"
        yield {
            **_named(cell),
            "against": f"{title}/{other.cohort}" if other.cohort else title,
            "calls_per_question": costs[0][0],
            "usd_per_question": costs[0][1],
            "calls_against": costs[1][0],
            "usd_against": costs[1][1],
            **({"cost_n": len(whole)} if len(whole) < len(pairs) else {}),
            **apart_on_both_sides(difference(pairs, means=_repeated(raw, cell, other)), pairs),
            **bounds(pairs),
        }


def _is_last_stage(cell: Cell, other: Cell) -> bool:
    """Every option of the other is as `then` has it, or left alone; its drafts take one call each."""
    then = cell.options.get("then")
    name, written = (then, {}) if not isinstance(then, Mapping) else next(iter(then.items()))
    written = {"drafts": "single-call", **(written or {})}
    asked = {key: value for key, value in other.options.items() if key != "captain"}
    as_written = all(asked[key] == written[key] if key in written else key not in other.given for key in asked)
    same_seats = other.captain == cell.captain and drafting(other) == "single-call"
    return other.strategy == name and as_written and same_seats


def _voices(raw: Raw, cell: Cell) -> Row | None:
    records = _records(raw, cell, "decided-by-rule")
    if not records:
        return None
    often = Counter(record["kept"] for record in records)
    kept = min(often, key=lambda kind: (-often[kind], kind))
    chosen = [record for record in records if record["kept"] == kept]
    names = {name: None for record in chosen for name in record.get("weights", {})}
    weights = {
        name: float(sum(Fraction(record["weights"].get(name, 0)) for record in chosen) / len(chosen)) for name in names
    }
    rules = Counter(record["rule"] for record in chosen)
    rule = min(rules, key=lambda words: (-rules[words], words))
    words = _in_words(kept, rule, weights)
    return {
        **_named(cell),
        "kept": kept,
        "plays": len(chosen),
        "of": len(records),
        "weights": weights,
        "words": words,
        **_odd(raw, cell),
    }


def _odd(raw: Raw, cell: Cell) -> Row:
    """Always right, silent on half or more, all alike: over the first plays whose right answer is known; and of how many
    not every answer is graded."""
    if _paths(raw, cell):
        return {"odd": []}
    first: dict[str, Episode] = {}
    for episode in raw.episodes(cell):
        if any(trace["kind"] == "grouped" for trace in episode.traces):
            first.setdefault(episode.question, episode)
    rows, waiting = [], 0
    for episode in first.values():
        (groups, *_) = (trace["groups"] for trace in episode.traces if trace["kind"] == "grouped")
        said = {player: text for player, text, *_ in episode.verdict["answers"]}
        worth = {name: raw.draft_grades[episode.question, text] for name, text in said.items() if text is not None}
        known = {name: float(value) for name, value in worth.items() if isinstance(value, int | float)}
        waiting += len(known) < len(worth)
        if any(value >= 1 for value in known.values()) or len(known) == len(worth):
            rows.append((groups, said, known))
    asked = f"{len(first):,} question{'s' if len(first) != 1 else ''}"
    why = (
        f"not every answer to {waiting:,} of {asked} is graded: what is odd leaves out what is not, and takes it for wrong"
        " beside an answer that is right"
    )
    told = {"why": why} if waiting else {}
    if not rows:
        return {"odd": [], **told}
    names, n = sorted(rows[0][1]), len(rows)
    spoken = {name: sum(said[name] is not None for _, said, _ in rows) for name in names}
    odd = []
    if all(len(groups) <= 1 for groups, _, _ in rows):
        who = "all" if set(spoken.values()) == {n} else "whoever said anything"
        alike = "no rule makes a difference, a vote says the same, and nobody's weight can be told"
        odd.append(f"{who} said the same to every question: {alike}")
    for name in names:
        if sum(known.get(name, 0) for _, _, known in rows) >= n:
            odd.append(
                f"{name} was right on all {n:,}: nobody can be better, and how sure that is hangs on how many they are"
            )
        if 2 * spoken[name] <= n:
            odd.append(f"{name} said nothing to {n - spoken[name]:,} of {n:,}: its weight is made of the others")
    return {"odd": odd, **told}


def _in_words(kept: str, rule: str, weights: Mapping[str, float]) -> str:
    if kept == "plurality" or (weights and len({round(weight, 9) for weight in weights.values()}) == 1):
        return "everybody counts alike"
    loud = [weight for weight in weights.values() if weight > 0]
    if len(loud) < 2:
        return rule
    # The loudest first; of equals by name, so that no seat decides.
    by_name = sorted(weights)
    in_order = sorted(by_name, key=lambda name: round(weights[name], 9), reverse=True)
    return "; ".join(f"{name} {_times(weights[name], median(loud))}" for name in in_order)


def _times(weight: float, middle: float) -> str:
    if weight <= 0:
        return "adds nothing" if weight > -0.15 * max(middle, 1.0) else "speaks against its own answer"
    ends = (0.15, 0.35, 0.65, 0.85, 1.2, 1.6, 2.5)
    said = (
        "adds nothing",
        "adds little",
        "counts half",
        "counts less than most",
        "counts like most",
        "counts more than most",
        "counts double",
    )
    below = [words for end, words in zip(ends, said, strict=True) if weight / middle < end]
    return below[0] if below else f"counts {weight / middle:.0f} times as much as most"
