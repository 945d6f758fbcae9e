"""What hearing the others repaired and what it spoilt, counted again: first the counts, then rates and intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from second_way.compare import ANY_TEXT
from second_way.intervals import Difference, mean
from second_way.multiple import multiple
from second_way.paired_scores import difference, mean_difference, share
from second_way.pairs import Pair, Stage, split, stages, unfair_pairs
from second_way.quiz_pairs import TESTED, paid
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
    return [{"cohort": cohort, **stage.named, **_counted(pairs)} for cohort, pairs in stage.by_cohort()]


def _counted(pairs: Sequence[Pair]) -> Row:
    graded = [pair for pair in pairs if pair.graded]
    by_question = split(graded, lambda pair: pair.question)
    rescues, regressions = (sum(getattr(pair, way) for pair in pairs) for way in ("rescue", "regression"))
    changes = [(_times(part, "rescue"), _times(part, "regression")) for part in by_question.values()]
    fixed = [(_times(part, "rescue", "recovered"), _times(part, "regression")) for part in by_question.values()]
    flattering = unfair_pairs(pairs)
    value, low, high = (None, None, None) if flattering else multiple(changes)
    with_recovered = (None, None, None) if flattering else multiple(fixed)
    return {
        "rescues": rescues,
        "regressions": regressions,
        "recovered": sum(pair.recovered for pair in pairs),
        "multiple": value,
        "low": low,
        "high": high,
        "note": ANY_TEXT if not flattering and _needs_note(len(by_question), rescues, regressions) else None,
        **dict(
            zip(("multiple_with_recovered", "with_recovered_low", "with_recovered_high"), with_recovered, strict=True)
        ),
        **_rates({} if flattering else by_question),
        "net": None if flattering else rescues - regressions,
        **({"why": ANY_TEXT} if flattering else {}),
        "regressions_without_answer": sum(pair.regression and not pair.after.given for pair in pairs),
        "ungraded": len(pairs) - len(graded),
        "n_pairs": len(graded),
        "n": len(by_question),
        "refused": sum(pair.native.outcome == "refused" for pair in pairs),
        "refused_after": sum(pair.after.outcome == "refused" for pair in pairs),
        **_bounds(pairs, rescues, regressions),
    }


def _times(pairs: Sequence[Pair], *ways: str) -> int:
    return sum(getattr(pair, way) for pair in pairs for way in ways)


def _needs_note(questions: int, rescues: int, regressions: int) -> bool:
    return not rescues or not regressions or questions < 30 or rescues + regressions < 10


def _rates(by_question: dict[str, list[Pair]]) -> Row:
    """Of those who gave an answer alone: rescues of the wrong ones, regressions of the right ones; net of all pairs."""
    wrong, right = (
        {q: sum(pair.native.given and pair.native.right is was for pair in part) for q, part in by_question.items()}
        for was in (False, True)
    )
    rates = {
        "rescue_rate": share({q: (_times(part, "rescue"), wrong[q]) for q, part in by_question.items()}),
        "regression_rate": share({q: (_times(part, "regression"), right[q]) for q, part in by_question.items()}),
        "net_share": difference(
            {
                question: (_times(part, "rescue"), _times(part, "regression"), len(part))
                for question, part in by_question.items()
            }
        )[:3],
    }
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
    least = rescues / (regressions + worse) if regressions + worse else None
    return {
        "bounds": {"low": least, "high": (rescues + more) / regressions if regressions else None},
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
            f"{way}s" if way != "recovered" else way: _times(pairs, way)
            for way in ("rescue", "regression", "recovered")
        },
        "refused": sum(pair.native.outcome == "refused" for pair in pairs),
        "refused_after": sum(pair.after.outcome == "refused" for pair in pairs),
        "ungraded": sum(not pair.graded for pair in pairs),
    }
    if gains:
        row[TESTED] = Difference.of_pairs([*gains.values()]) if once else Difference([*gains.values()])
    if row["ungraded"]:
        whole = split(pairs, lambda pair: pair.question).values()
        low = mean([mean([pair.after.least - pair.native.most for pair in part]) for part in whole])
        high = mean([mean([pair.after.most - pair.native.least for pair in part]) for part in whole])
        row["bounds"] = {"low": low, "high": high}
        row |= {} if gains else {"why": ANY_TEXT}
    return row
