"""Preferences between long answers as sections: side by side, what is claimed, ratings, judges' habits, their agreement."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from moot.grade.prefer import PERSON
from moot.measures.columns import Figures, count, figure, holm_words, with_team
from moot.measures.numbers import percent, plain, rounded
from moot.measures.preferences.options import BUT_FOR_UNGRADED, COUNTED_AS, missing_told
from moot.measures.section import Chart, Column, Section
from moot.stats.counted_words import few_names
from moot.stats.quantiles import ALPHA

PLACE = 60
BOTH = ("persons", "models")


def preference_sections(figures: Figures) -> Iterator[Section]:
    found = figures.get("preferences")
    if not found:
        return
    yield _pairs(figures, found)
    yield _options(figures, found)
    yield _ratings(found)
    yield _habits(found)
    yield _agreement(found)


def _pairs(figures: Figures, found: Mapping[str, Any]) -> Section:
    rows = [{**row, **_by_whom(row)} for row in found["pairs"]]
    columns = with_team(
        figures,
        rows,
        Column("of", "of"),
        Column("against", "against"),
        figure("value", "preferred, corrected"),
        figure("raw", "as judged", "share", "raw_low", "raw_high"),
        Column("wins", "won"),
        Column("ties", "tied"),
        Column("losses", "lost"),
        Column("n", "questions"),
        *([Column("missing", "missing judgements")] if any(row["missing"] for row in rows) else []),
        *([Column("ungraded", "ungraded")] if any(row["ungraded"] for row in rows) else []),
        *(
            figure(f"by_{who}", f"by {who}", "share", f"by_{who}_low", f"by_{who}_high")
            for who in BOTH
            if any(row[f"by_{who}"] is not None for row in rows)
        ),
    )
    chart = Chart("dots", "value", "of", label="of", series="against")
    return Section("preferences", "Which texts are preferred", tuple(_words(found)), columns, rows, chart, place=PLACE)


def _by_whom(row: Mapping[str, Any]) -> dict[str, Any]:
    """As judged by persons, and as by models where persons have spoken too."""
    ends = {f"by_{who}": row.get(who) or {"value": None, "low": None, "high": None} for who in BOTH}
    return {
        f"{key}{end}": part[name]
        for key, part in ends.items()
        for end, name in (("", "value"), ("_low", "low"), ("_high", "high"))
    }


def _words(found: Mapping[str, Any]) -> Iterator[str]:
    whom = f"the baseline, {found['baseline']}" if found["baseline"] else "every player of its team alone"
    yield (
        f"Each side's text beside that of {whom}, to the same question: in both orders, without names, by"
        f" {_whom(found)}. A tie is half a preference."
    )
    if found["voted"]:
        yield (
            f"{count(found['voted'], 'play')} compared by persons on the page of the served team: in the order that the lot"
            " gave, one of the two, and by nobody else."
        )
    yield (
        "Corrected: at equal length and without a place, judge by judge, so that neither is worth anything."
        " Won, tied and lost are questions, as judged."
    )
    if uncorrected := sum(row.get("uncorrected", 0) for row in found["pairs"]):
        are = "is" if uncorrected == 1 else "are"
        yield (
            f"{count(uncorrected, 'judgement')} of persons, or of a judge who said little, {are} no part of what is corrected:"
            " too few to tell how far they go by length or place, or going too far by place."
        )
    if found["settled"]:
        yield f"{count(found['settled'], 'play')} needed no judge: equal texts are a tie, and any text is better than none."
    if found["judges_who_play"]:
        yield f"Among the judges are players: {', '.join(found['judges_who_play'])}."
    if found["without_word"]:
        many = count(found["without_word"], "comparison")
        yield f"{many} without a usable judgement: in no share."
    if any(row["missing"] for row in found["pairs"]):
        yield (
            "Missing: judgements that nobody has given; shares leave them out, and a claim must hold even with all of them"
            " against it."
        )
    if any(row["ungraded"] for row in found["pairs"]):
        yield "Ungraded: plays of which nobody has said anything."
    yield from _unknown((row.get("why"), f"{row['of']} against {row['against']}") for row in found["pairs"])


def _unknown(rows: Iterable[tuple[str | None, str]]) -> Iterator[str]:
    """Why there is no figure; and of whom, where others have one. `rows`: of each the reason, if there is none, and its name."""
    of_why: dict[str | None, list[str]] = {}
    for why, name in rows:
        of_why.setdefault(why, []).append(name)
    for why, names in of_why.items():
        if why is not None:
            yield f"Not known{f' of {few_names(names)}' if len(of_why) > 1 else ''}: {why}."


def _whom(found: Mapping[str, Any]) -> str:
    """Models and persons apart."""
    models = [judge for judge in found["judges"] if judge not in found["persons"]]
    parts = [f"{count(len(models), 'judge')} ({', '.join(models)})"] if models else []
    if found["persons"]:
        names = ", ".join(name.removeprefix(PERSON) for name in found["persons"])
        parts.append(f"{count(len(found['persons']), 'person')} ({names})")
    return " and ".join(parts)


def _options(figures: Figures, found: Mapping[str, Any]) -> Section:
    rows = [{**row, "better": "yes" if row["better"] else "no"} for row in found["options"]]
    columns = with_team(
        figures,
        rows,
        Column("of", "of"),
        Column("against", "least sure of"),
        figure("value", "preferred, corrected", "share", "low_holm", "high_holm"),
        Column("p_holm", "p", "p"),
        Column("better", "better than all"),
        Column("questions", "questions"),
    )
    paid = holm_words(rows, "option")
    words = (
        "Better: preferred to every one of its opponents. Told is the one of whom that is least sure, or to whom it surely lost."
        f"{' ' if paid else ''}{paid}{'.' if paid else ''}",
        *(
            f"{row['of']} against {row['against']}: {why}."
            for row in found["options"]
            if (why := _why_not_claimed(row))
        ),
    )
    return Section("preference-options", "Better than all of them?", words, columns, rows, place=PLACE + 1)


def _why_not_claimed(row: Mapping[str, Any]) -> str | None:
    """Why nothing is claimed of a row that looks as if something were."""
    if how := row.get("overturned"):
        left_out = {
            "together": "counted on every question, the judgements that the share leaves out would overturn it",
            "by themselves": "the judgements that the share leaves out are by themselves surely on the other side",
        }
        return f"nothing is claimed, since {left_out[how]}"
    if near := row.get(BUT_FOR_UNGRADED):
        return f"not {near} for sure, with {missing_told(row)} counted as {COUNTED_AS[near]}"
    if row["better"] or row["worse"] or row["p_holm"] is None or row["p_holm"] > ALPHA:
        return None
    return "not better for sure, since the interval against another opponent reaches a half"


def _ratings(found: Mapping[str, Any]) -> Section:
    anchor = next((row["of"] for row in found["ratings"] if row["anchor"]), None)
    above = f"Points above {anchor}, which has none" if anchor else "Points above one of them, which has none"
    words = (
        f"{above} (Bradley and Terry); 400 are odds of ten to one, 100 a preference of 64 %."
        " Each pair counts one tied question more than was asked."
        " Told over pairs whose corrected share is told and bounds it, and no surer.",
        *_unknown((row.get("why"), row["of"]) for row in found["ratings"]),
    )
    columns = (Column("of", "of"), figure("value", "points", "number"))
    chart = Chart("dots", "value", "of", label="of")
    return Section("preference-ratings", "Ratings", words, columns, found["ratings"], chart, place=PLACE + 2)


def _habits(found: Mapping[str, Any]) -> Section:
    rows = [{**row, "judge": row["judge"] or "all"} for row in found["habits"]]
    columns = (
        Column("judge", "judge"),
        figure("first", "prefers the first", "share", "first_low", "first_high"),
        figure("flips", "flips with the order", "share", "flips_low", "flips_high"),
        figure("longer", "more for twice the length", "points", "longer_low", "longer_high"),
        Column("words", "judgements"),
        Column("questions", "questions"),
    )
    words = tuple(habit_words(found))
    return Section("preference-habits", "What judges like beside quality", words, columns, rows, place=PLACE + 3)


def habit_words(found: Mapping[str, Any]) -> Iterator[str]:
    yield "Without a bias the first of two is preferred in 50 %, and of two equally good texts the longer one too."
    for row in found["habits"]:
        if row["judge"] is not None and row["longer_low"] is not None and row["longer_low"] * row["longer_high"] > 0:
            if float(rounded(row["longer"], 1, scale=2)) == 0:
                continue  # what is written as nothing has no direction
            more, ends = abs(row["longer"]), sorted(abs(row[end]) for end in ("longer_low", "longer_high"))
            way = "more" if row["longer"] > 0 else "less"
            told = f"{plain(more)} % ({plain(ends[0])}–{plain(ends[1])}) {way}"
            yield f"{row['judge']}: a text twice as long is preferred in {told}."


def _agreement(found: Mapping[str, Any]) -> Section:
    rows = [{**row, "judges": " and ".join(row["judges"])} for row in found["agreement"]]
    columns = (
        Column("judges", "judges"),
        figure("agreement", "agree"),
        figure("kappa", "kappa", "number", "kappa_low", "kappa_high"),
        Column("n", "comparisons"),
    )
    words = ("On what both were shown in the same order: first, second or neither. All judges count alike.",)
    return Section("preference-agreement", "How far judges of texts agree", words, columns, rows, place=PLACE + 4)


def rate_told(row: Mapping[str, Any], low: str = "low", high: str = "high") -> str:
    if row[low] is None:
        return percent(row["value"])
    return f"{plain(row['value'])} % ({plain(row[low])}–{plain(row[high])})"
