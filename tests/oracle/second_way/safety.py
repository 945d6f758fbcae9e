"""What hearing the others repaired and what it spoilt, counted again: first the counts, then rates and intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from second_way.compare import ANY_TEXT
from second_way.intervals import Difference, Waiting, mean
from second_way.multiple import multiple
from second_way.paired_scores import difference, mean_difference, rate
from second_way.pairs import Pair, Side, Stage, nobody_there, of_everybody, split, stages, unfair_pairs
from second_way.quiz_pairs import TESTED, extremes, failures, paid
from second_way.raw import Raw

Row = dict[str, Any]


def safety(raw: Raw) -> Row:
    every = stages(raw)
    figures: Row = {
        "safety": [row for stage in every for row in _safety(stage)],
        "safety_models": paid([row for stage in every for row in _models(stage)]),
    }
    return {key: rows for key, rows in figures.items() if rows}


def _safety(stage: Stage) -> list[Row]:
    rows = []
    for cohort, pairs in stage.by_cohort():
        whole, missing = of_everybody(pairs)
        row = {**_counted(whole), "models": len({(pair.cohort, pair.player) for pair in pairs})}
        if not whole:
            row |= {
                key: None
                for key, value in row.items()
                if key not in ("models", "refused", "refused_after") and value == 0
            }
            row |= {"note": None, "why": ANY_TEXT, "n": 0, "n_pairs": 0, "ungraded": 0}
            row |= {"rescue_rate_n": 0, "regression_rate_n": 0}
        row |= {"left_out": missing} if missing else {}
        idle = [cell.captain for cell in stage.idle if cohort in (None, cell.cohort)]
        rows.append({"cohort": cohort, **stage.named, **row, **({"not_begun": idle} if idle else {})})
    return rows


def _counted(pairs: Sequence[Pair]) -> Row:
    graded = [pair for pair in pairs if pair.graded]
    by_question = split(graded, lambda pair: pair.question)
    rescues, regressions = (sum(getattr(pair, way) for pair in pairs) for way in ("rescue", "regression"))
    changes = [(_times(part, "rescue"), _times(part, "regression")) for part in by_question.values()]
    fixed = [(_times(part, "rescue", "recovered"), _times(part, "regression")) for part in by_question.values()]
    most = max((len(part) for part in split(pairs, lambda pair: pair.question).values()), default=0)
    flattering = unfair_pairs(pairs)
    unsure = [pair for pair in pairs if pair.waits]
    value, low, high = (None, None, None) if flattering else _hull("multiple", by_question, unsure, multiple(changes))
    with_recovered = (
        (None, None, None) if flattering else _hull("multiple_with_recovered", by_question, unsure, multiple(fixed))
    )
    recovered = sum(pair.recovered for pair in pairs)
    waiting = any(pair.uncounted for pair in pairs)
    row = {
        "rescues": None if waiting else rescues,
        "regressions": None if waiting else regressions,
        "recovered": None if waiting else recovered,
        "multiple": value,
        "low": low,
        "high": high,
        "note": ANY_TEXT if not flattering and _needs_note(by_question) else None,
        **dict(
            zip(("multiple_with_recovered", "with_recovered_low", "with_recovered_high"), with_recovered, strict=True)
        ),
        **_rates({} if flattering else by_question, [] if flattering else unsure, most),
        "rescue_rate_n": sum(_could(pair, False) for pair in graded),
        "regression_rate_n": sum(_could(pair, True) for pair in graded),
        "net": None if waiting else rescues - regressions,
        **({"why": ANY_TEXT} if flattering or waiting else {}),
        "regressions_without_answer": None if waiting else sum(p.regression and not p.after.given for p in pairs),
        "ungraded": len(pairs) - len(graded),
        "n_pairs": len(graded),
        "n": len(by_question),
        **parted(pairs),
        "refused": sum(pair.native.outcome == "refused" for pair in pairs),
        "refused_after": sum(pair.after.outcome == "refused" for pair in pairs),
        **({"abstained": many} if (many := sum(pair.abstained for pair in pairs)) else {}),
        **_bounds(pairs, rescues, regressions),
    }
    return _held_back(row, pairs) if any(pair.waits for pair in pairs) else row


def parted(pairs: Sequence[Pair]) -> Row:
    return {"in_part": number} if (number := sum(pair.parted for pair in pairs)) else {}


COUNTED = {
    "rescue_rate": ("rescue_rate_low", "rescue_rate_high"),
    "regression_rate": ("regression_rate_low", "regression_rate_high"),
    "multiple": ("low", "high"),
    "multiple_with_recovered": ("with_recovered_low", "with_recovered_high"),
}
"""Ratios of two counts, and where their intervals stand."""


def _ratio(name: str, pair: Pair) -> tuple[bool, bool]:
    """What a graded pair adds above and below the line."""
    if name == "multiple":
        return pair.rescue, pair.regression
    if name == "multiple_with_recovered":
        return pair.rescue or pair.recovered, pair.regression
    was = name == "regression_rate"
    return (pair.regression if was else pair.rescue), _could(pair, was)


def _could(pair: Pair, fall: bool) -> bool:
    """Whether an answer alone is not as low as can be, so that it could fall; or not as high, so that it could rise."""
    if pair.abstained:
        return False
    return pair.native.given and pair.native.right is not None and pair.native.right != (0.0 if fall else 1.0)


def _could_be(pair: Pair) -> list[Pair]:
    """All that an ungraded pair may turn out to be."""
    sides = [
        [side] if side.right is not None else [Side(side.outcome, right, right) for right in {0.0, side.most}]
        for side in (pair.native, pair.after)
    ]
    every = [replace(pair, native=native, after=after) for native in sides[0] for after in sides[1]]
    return [one for one in every if one.native.right == one.after.right] if pair.same else every


def _between(name: str, pairs: Sequence[Pair]) -> tuple[float | None, float | None]:
    """The lowest and the highest that a ratio can be: all that can be tried for one pair at a time, since each pair that
    moves it moves it one way."""
    ends: list[float | None] = []
    for sign in (1, -1):
        above = below = 0
        for pair in pairs:
            options = [_ratio(name, one) for one in _could_be(pair)]
            top, bottom = min(options, key=lambda option: (sign * (option[0] - option[1]), sign * option[0]))
            above, below = above + top, below + bottom
        ends.append(above / below if below else None)
    return ends[0], ends[1]


def _held_back(row: Row, pairs: Sequence[Pair]) -> Row:
    """Without the ratios of which the pairs that wait could be more than one in twenty of what is counted on either side."""
    for name, ends in COUNTED.items():
        if _too_many(name, pairs):
            row = {**row, name: None, **dict.fromkeys(ends), "why": ANY_TEXT}
            row |= {"note": None} if name == "multiple" else {}
    return row


def _too_many(name: str, pairs: Sequence[Pair]) -> bool:
    for side in (0, 1):
        counted = sum(_ratio(name, pair)[side] for pair in pairs if pair.graded)
        more = sum(any(_ratio(name, one)[side] for one in _could_be(pair)) for pair in pairs if pair.waits)
        if more > counted / 20:
            return True
    return False


def multiple_withheld(pairs: Sequence[Pair]) -> bool:
    return any(pair.waits for pair in pairs) and _too_many("multiple", pairs)


def _times(pairs: Sequence[Pair], *ways: str) -> int:
    return sum(getattr(pair, way) for pair in pairs for way in ways)


def _needs_note(by_question: dict[str, list[Pair]]) -> bool:
    changed = [part for part in by_question.values() if _times(part, "rescue", "regression")]
    both = all(any(_times(part, way) for part in changed) for way in ("rescue", "regression"))
    return not both or len(by_question) < 30 or len(changed) < 10


def _ended(name: str, by_question: dict[str, list[Pair]], unsure: Sequence[Pair], sign: int) -> dict[str, list[Pair]]:
    """With each pair that waits as it makes the ratio lowest (1), or highest (-1)."""
    settled = [
        min(
            _could_be(pair),
            key=lambda one: (sign * (_ratio(name, one)[0] - _ratio(name, one)[1]), sign * _ratio(name, one)[0]),
        )
        for pair in unsure
    ]
    return split([*(pair for part in by_question.values() for pair in part), *settled], lambda pair: pair.question)


Three = tuple[float | None, float | None, float | None]


def _hull(name: str, by_question: dict[str, list[Pair]], unsure: Sequence[Pair], seen: Three) -> Three:
    """The low end of the lowest and the high end of the highest that a multiple may turn out to be."""
    if not unsure or seen[1] is None:
        return seen
    ends = []
    for sign in (1, -1):
        parts = _ended(name, by_question, unsure, sign).values()
        counts = [[sum(_ratio(name, pair)[side] for pair in part) for side in (0, 1)] for part in parts]
        ends.append(multiple([(top, bottom) for top, bottom in counts]))
    low, high = ends[0][1], ends[1][2]
    if low is None or high is None or seen[0] is None or seen[2] is None:
        return seen[0], low, None
    return seen[0], min(low, seen[0]), max(high, seen[0])


def _share_hull(name: str, by_question: dict[str, list[Pair]], unsure: Sequence[Pair], seen: Three, most: int) -> Three:
    if not unsure or seen[0] is None:
        return seen
    low, high = (
        rate(
            {
                question: (sum(_ratio(name, p)[0] for p in part), sum(_ratio(name, p)[1] for p in part))
                for question, part in _ended(name, by_question, unsure, sign).items()
            },
            most,
        )
        for sign in (1, -1)
    )
    if low[0] is None or high[0] is None:
        return seen
    if seen[1] is None or low[1] is None or high[2] is None:
        return seen[0], None, None
    return seen[0], min(seen[0], low[1]), max(seen[0], high[2])


def _net(by_question: dict[str, list[Pair]]) -> Three:
    return difference(
        {
            question: (_times(part, "rescue"), _times(part, "regression"), len(part))
            for question, part in by_question.items()
        }
    )[:3]


def _net_hull(by_question: dict[str, list[Pair]], unsure: Sequence[Pair]) -> Three:
    seen = _net(by_question)
    if not unsure or seen[0] is None or seen[1] is None:
        return seen
    low, high = (_net(_ended("multiple", by_question, unsure, sign)) for sign in (1, -1))
    assert low[1] is not None
    assert high[2] is not None
    return seen[0], min(seen[0], low[1]), max(seen[0], high[2])


def _rates(by_question: dict[str, list[Pair]], unsure: Sequence[Pair], most: int) -> Row:
    """Of those who gave an answer alone: rescues of the wrong ones, regressions of the right ones; net of all pairs.

    `most`: how many pairs a question has, all of which might have been wrong alone, or right.
    """
    wrong, right = (
        {q: sum(_could(pair, was) for pair in part) for q, part in by_question.items()} for was in (False, True)
    )
    rates = {
        "rescue_rate": rate({q: (_times(part, "rescue"), wrong[q]) for q, part in by_question.items()}, most),
        "regression_rate": rate({q: (_times(part, "regression"), right[q]) for q, part in by_question.items()}, most),
        "net_share": _net_hull(by_question, unsure),
    }
    for name in ("rescue_rate", "regression_rate"):
        rates[name] = _share_hull(name, by_question, unsure, rates[name], most)
    return {
        key: value
        for name, figure in rates.items()
        for key, value in zip((name, f"{name}_low", f"{name}_high"), figure, strict=True)
    }


def _bounds(pairs: Sequence[Pair], rescues: int, regressions: int) -> Row:
    """What they lie between, whatever the ungraded turn out to be."""
    if all(pair.graded for pair in pairs):
        return {}
    more, worse = (sum(getattr(pair, way) for pair in pairs) for way in ("may_be_rescue", "may_be_regression"))
    names = {"multiple": "bounds", "multiple_with_recovered": "with_recovered_bounds"}
    ratios = {names.get(name, f"{name}_bounds"): _between(name, pairs) for name in COUNTED}
    return {
        **{name: {"low": low, "high": high} for name, (low, high) in ratios.items()},
        "rescues_bounds": {"low": rescues, "high": rescues + more},
        "regressions_bounds": {"low": regressions, "high": regressions + worse},
        "net_bounds": {"low": rescues - regressions - worse, "high": rescues + more - regressions},
    }


def _models(stage: Stage) -> list[Row]:
    """The strongest alone first."""
    rows = [
        {**stage.named, **_model(name, part)} for name, part in split(stage.pairs, lambda pair: pair.player).items()
    ]
    return sorted(rows, key=lambda row: (row["native"] is None, -(row["native"] or 0.0), row["model"]))


def _model(name: str, pairs: Sequence[Pair]) -> Row:
    by_question = split([pair for pair in pairs if pair.graded], lambda pair: pair.question)
    if nobody := nobody_there(pairs):
        by_question = {}
    if unfair_pairs(pairs):
        by_question = {}
    native, after = (
        {question: mean([getattr(pair, side).least for pair in part]) for question, part in by_question.items()}
        for side in ("native", "after")
    )
    gains = {question: after[question] - native[question] for question in by_question}
    once = len(pairs) == len({pair.question for pair in pairs})
    value, low, high, p = mean_difference(gains, once=once)
    differ = sum(abs(gain) > 1e-12 for gain in gains.values())
    waiting = any(pair.uncounted for pair in pairs)
    row = {
        "model": name,
        "cohort": pairs[0].cohort,
        "native": mean([*native.values()]) if native else None,
        "after": mean([*after.values()]) if after else None,
        "difference": value,
        "low": low,
        "high": high,
        "p": p if gains else None,
        "n": len(gains),
        "small": len(gains) < 30 or differ < 10,
        **{
            f"{way}s" if way != "recovered" else way: None if waiting else _times(pairs, way)
            for way in ("rescue", "regression", "recovered")
        },
        "refused": sum(pair.native.outcome == "refused" for pair in pairs),
        "refused_after": sum(pair.after.outcome == "refused" for pair in pairs),
        **({"abstained": many} if (many := sum(pair.abstained for pair in pairs)) else {}),
        "ungraded": sum(not pair.graded for pair in pairs),
        **parted(pairs),
        **failures({str(place): [(p.after.value, p.native.value)] for place, p in enumerate(pairs)}),
        **({"why": ANY_TEXT} if nobody else {}),
    }
    if gains:
        row[TESTED] = _difference(gains, once)
        if any(_will_be_graded(pair) and pair.waits for pair in pairs):
            whole = split([pair for pair in pairs if _will_be_graded(pair)], lambda pair: pair.question)
            ends = {q: extremes([(p.after.value, p.native.value) for p in part]) for q, part in whole.items()}
            worst, best = ({q: both[place] for q, both in ends.items()} for place in (0, 1))
            row[TESTED] = figure = Waiting(_difference(gains, once), _difference(worst, once), _difference(best, once))
            row |= {"low": figure.limits()[0], "high": figure.limits()[1], "p": figure.p}
    if row["ungraded"]:
        every = split(pairs, lambda pair: pair.question).values()
        ends = {q: extremes([(p.after.value, p.native.value) for p in part]) for q, part in enumerate(every)}
        low, high = (mean([both[place] for both in ends.values()]) for place in (0, 1))
        row["bounds"] = {"low": low, "high": high}
        row |= {} if gains and not waiting else {"why": ANY_TEXT}
    return row


def _difference(gains: Mapping[str, float], once: bool) -> Difference:
    return Difference.of_pairs([*gains.values()]) if once else Difference([*gains.values()])


def _will_be_graded(pair: Pair) -> bool:
    return all(side.right is not None or side.grade is None for side in (pair.native, pair.after))
