"""The key `preferences`: win rates, raw and at equal length and no place; ratings; what judges like; how far they agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from moot.experiment.baseline import baseline_cell
from moot.measures.claims.unlisted import UnlistedOptions
from moot.measures.preferences.options import SideOfPairs, option_row, option_rows, with_why
from moot.measures.preferences.said import ComparedSide, SaidPreferences, primary_side, said_of
from moot.measures.source import Source
from moot.stats.agreement import agreement
from moot.stats.clusters import unit_of
from moot.stats.left_out_words import left_out_of
from moot.stats.missing_words import LOST, WON, MissingWords
from moot.stats.paired import FEW_QUESTIONS
from moot.stats.preference import Preferences, PreferenceWord, raw_rate
from moot.stats.preference_reasons import ONE_QUESTION, UNHEARD
from moot.stats.preference_share import Rate, share
from moot.stats.quantiles import ALPHA, student_quantile
from moot.stats.ratings import Rating, ratings, steady_ratings
from moot.stats.word_table import logistic

Row = dict[str, Any]


def preference_figures(source: Source) -> Row:
    said = said_of(source)
    if said is None:
        return {}
    told = _told(said, said.sides)
    fitted = told.heard
    pairs = [row for side in said.sides for row in _pairs(said, side, told)]
    sides = [_side(side, [row for row in pairs if row["of"] == side.title], told) for side in said.sides]
    pooled = _pooled(source, said)
    figures = {
        "baseline": _baseline(source, said),
        "judges": list(said.judges),
        "persons": list(said.persons),
        "judges_who_play": _judges_who_play(source, said),
        "questions": len({word.question for word in fitted.words}),
        "compared": len(said.to_judge),
        "voted": sum(map(len, said.voted.values())),
        "words": sum(word is not None for shown in said.shown for word in said.heard.get(shown, {}).values()),
        "without_word": said.without_word,
        "settled": sum(play.settled is not None for plays in said.plays.values() for play in plays),
        "pairs": pairs,
        "options": option_rows(sides, _unlisted(source, said)),
        **({"primary": pooled} if pooled else {}),
        "ratings": _ratings(source, said, told),
        "habits": list(_habits(said, fitted)),
        "agreement": list(_agreement(said)),
    }
    return {"preferences": figures} if figures["compared"] or figures["voted"] or figures["settled"] else {}


def _told(said: SaidPreferences, sides: Sequence[ComparedSide]) -> MissingWords:
    return MissingWords(Preferences(said.words(sides)), said.missing(sides))


def _baseline(source: Source, said: SaidPreferences) -> str | None:
    baseline = source.config.get("baseline")
    return None if baseline is None else said.title(baseline_cell(baseline, source.cells))


def _judges_who_play(source: Source, said: SaidPreferences) -> list[str]:
    players = (source.config.get("players") or {}).values()
    played = {player.get("model") for player in players}
    return [judge for judge in said.asked if judge in played]


def _named(side: ComparedSide) -> Row:
    first = side.cells[0]
    one = len(side.cells) == 1
    row: Row = {"of": side.title, **{key: first[key] for key in ("strategy", "label", "team")}}
    row["captain"] = first["captain"] if one else None
    return {**row, "cohort": first["cohort"]} if first.get("cohort") and one else row


def _pairs(said: SaidPreferences, side: ComparedSide, told: MissingWords) -> Iterator[Row]:
    opponents = {
        said.title(pair.opponent): pair.opponent
        for pair in said.pairs
        if pair.side["id"] in {cell["id"] for cell in side.cells}
    }
    for title, opponent in opponents.items():
        words = [word for word in told.heard.words if word.pair == (side.title, title)]
        named = {**_named(side), "against": title, "against_player": opponent["player"]}
        yield {**named, **_rates(said, side, title, words, told)}


def _rates(
    said: SaidPreferences, side: ComparedSide, against: str, words: Sequence[PreferenceWord], told: MissingWords
) -> Row:
    fitted, pair = told.heard, (side.title, against)
    plays, ungraded = _counted(said, side, against)
    row: Row = {"wins": 0, "ties": 0, "losses": 0, "n": 0, "plays": plays, "ungraded": ungraded}
    row["missing"] = told.number(pair)
    if not words:
        row |= dict.fromkeys(("raw", "raw_low", "raw_high", "value", "low", "high", "p", "doublings"))
        return {**row, "why": UNHEARD}
    by_question: dict[str, list[PreferenceWord]] = {}
    for word in words:
        by_question.setdefault(word.question, []).append(word)
    shares = [raw_rate(several).value for several in by_question.values()]
    row["wins"] = sum(value > 0.5 + 1e-9 for value in shares)
    row["losses"] = sum(value < 0.5 - 1e-9 for value in shares)
    row["ties"] = len(shares) - row["wins"] - row["losses"]
    row["n"] = len(shares)
    raw, corrected = raw_rate(words), fitted.rate(pair)
    row |= {"raw": raw.value, **_ends("raw_low", "raw_high", raw)}
    row |= {"value": corrected and corrected.value, **_ends("low", "high", corrected)}
    row["p"] = _p(corrected)
    row |= _by_whom(said, words)
    row |= _left_out(said, fitted, pair, corrected)
    seen = [word.doublings for word in words if word.judge is not None]
    row["doublings"] = sum(seen) / len(seen) if seen else None
    if row["missing"]:
        row["bounds"] = {"low": told.as_judged(pair, LOST).value, "high": told.as_judged(pair, WON).value}
        for name, liked in (("if_lost", LOST), ("if_won", WON)):
            rate = told.rate(pair, liked)
            row[name] = {"value": rate and rate.value, **_ends("low", "high", rate)}
    if corrected is None:
        row["why"] = fitted.why_not(pair)
    elif row["low"] is None:
        row["why"] = ONE_QUESTION
    return row


def _left_out(said: SaidPreferences, fitted: Preferences, pair: tuple[str, str], corrected: Rate | None) -> Row:
    """The words that are no part of the share, and on how many questions the others are; nothing where all are."""
    out = left_out_of(fitted, pair)
    if out is None:
        return {}
    counted = {word.question for word in fitted.counted_of(pair).words if word.pair == pair}
    told = {"value": out.rate.value, **_ends("low", "high", out.rate), "n": out.questions, "words": len(out.words)}
    told["persons"] = sum(word.judge in said.persons for word in out.words)
    row: Row = {"uncorrected": len(out.words), "left_out": told, "counted": len(counted)}
    if corrected is not None and (how := out.overturn(corrected.value)):
        row["overturned"] = how
    return row


def _by_whom(said: SaidPreferences, words: Sequence[PreferenceWord]) -> Row:
    """As judged by persons and as by models, where both have said something of it, or persons alone."""
    asked = [word for word in words if word.judge is not None]
    by_persons = [word for word in asked if word.judge in said.persons]
    if not by_persons:
        return {}
    row: Row = {}
    by_models = [word for word in asked if word.judge not in said.persons]
    for who, own in (("persons", by_persons), ("models", by_models)):
        rate = raw_rate(own) if own else None
        questions = len({word.question for word in own})
        row[who] = {"value": rate and rate.value, **_ends("low", "high", rate), "n": questions, "words": len(own)}
    return row


def _counted(said: SaidPreferences, side: ComparedSide, against: str) -> tuple[int, int]:
    """Plays, and those of which nobody has said anything."""
    cells = {cell["id"] for cell in side.cells}
    plays = ungraded = 0
    for question, several in said.every_play.items():
        for play in several:
            if play.matchup.side["id"] in cells and said.title(play.matchup.opponent) == against:
                plays += 1
                ungraded += not said.heard_of(question, play)
    return plays, ungraded


def _ends(low: str, high: str, rate: Rate | None) -> Row:
    limits = rate.limits(ALPHA) if rate is not None else None
    return dict(zip((low, high), limits or (None, None), strict=True))


def _p(rate: Rate | None) -> float | None:
    """Two-sided, of "as often as not", for the side that wins: of no more than a half, twice."""
    one_sided = None if rate is None else rate.at_most_half()
    return None if one_sided is None else min(1.0, 2 * one_sided)


def _side(side: ComparedSide, pairs: Sequence[Row], told: MissingWords) -> SideOfPairs:
    """With the shares over what was heard, and with every missing word lost, and won."""
    names = [pair["against"] for pair in pairs]
    heard = {name: told.heard.rate((side.title, name)) for name in names}
    lost, won = ({name: told.rate((side.title, name), liked) for name in names} for liked in (LOST, WON))
    rates = ({name: rate for name, rate in found.items() if rate is not None} for found in (heard, lost, won))
    return SideOfPairs(_named(side), pairs, *rates)


def _unlisted(source: Source, said: SaidPreferences) -> int:
    """How many options were played on these questions beside those of the file."""
    cells = [cell for side in said.sides for cell in side.cells]
    return sum(not option.alone for option in UnlistedOptions(source).beside(cells))


def _pooled(source: Source, said: SaidPreferences) -> Row | None:
    """A primary that is several captains of one team, as one side."""
    side = primary_side(source, said)
    if side is None:
        return None
    others = [other for other in said.sides if other.cells[0]["id"] not in {cell["id"] for cell in side.cells}]
    told = _told(said, [side, *others])
    pairs = list(_pairs(said, side, told))
    return {**with_why(option_row(_side(side, pairs, told), 1)), "captains": len(side.cells), "pairs": pairs}


def _ratings(source: Source, said: SaidPreferences, told_words: MissingWords) -> list[Row]:
    """Against the best single player, or the baseline, which has none. Nothing of whom no word leads to."""
    fitted = told_words.heard
    anchors = list(dict.fromkeys(said.title(pair.opponent) for pair in said.pairs))
    if not any(name in anchors for pair in fitted.pairs if isinstance(pair, tuple) for name in pair):
        return []
    told = steady_ratings(ratings(fitted, anchors, seed=source.seed), told_words)
    heard = {rating.name for rating in told}
    every = dict.fromkeys([*(side.title for side in said.sides), *anchors])
    told += [Rating(name, None, None, None, UNHEARD) for name in every if name not in heard]
    return [
        {
            "of": rating.name,
            "value": rating.value,
            "low": rating.low,
            "high": rating.high,
            "anchor": place == 0 and rating.value is not None,
            **({"why": rating.why} if rating.why else {}),
        }
        for place, rating in enumerate(told)
    ]


def _habits(said: SaidPreferences, fitted: Preferences) -> Iterator[Row]:
    """Of each judge, and where there are several of all together."""
    found = {habit.judge: habit for habit in fitted.habits}
    quantile = student_quantile(max(1, len(fitted.units) - 1))
    every = list(said.judges)
    for judge in [*every, *([None] if len(every) > 1 else [])]:
        whose = every if judge is None else [judge]
        firsts = [
            (shown.question, {"first": 1.0, "tie": 0.5, "second": 0.0}[word])
            for shown in said.shown
            for name in whose
            if (word := said.heard.get(shown, {}).get(name)) is not None
        ]
        first, flips = share(firsts), share(list(_flips(said, whose)))
        row: Row = {"judge": judge, "first": first and first.value, **_ends("first_low", "first_high", first)}
        row |= {"flips": flips and flips.value, **_ends("flips_low", "flips_high", flips), "words": len(firsts)}
        habit = found.get(judge or "") or (found.get("person:") if judge in said.persons else None)
        longer = dict.fromkeys(("longer", "longer_low", "longer_high"))
        asked = len({unit_of(question) for question, _ in firsts})
        # Of fewer the error is taken from too little: judges without the habit were told to have it.
        if habit is not None and habit.longer is not None and asked >= FEW_QUESTIONS:
            error = (habit.longer_error or 0.0) * quantile
            odds = (habit.longer, habit.longer - error, habit.longer + error)
            longer = dict(zip(longer, (float(logistic(each)) - 0.5 for each in odds), strict=True))
        yield {**row, **longer, "questions": asked}


def _flips(said: SaidPreferences, judges: Sequence[str]) -> Iterator[tuple[str, float]]:
    """Of two texts that a judge preferred one of in each order: whether it was the other the other time round."""
    for shown in said.shown:
        back = shown._replace(first=shown.second, second=shown.first)
        if shown.first > shown.second or back not in said.shown:
            continue
        for judge in judges:
            one, other = said.heard.get(shown, {}).get(judge), said.heard.get(back, {}).get(judge)
            if one is not None and other is not None:
                yield shown.question, float(one == other != "tie")


def _agreement(said: SaidPreferences) -> Iterator[Row]:
    """Of every two judges, on what both were shown in the same order."""
    for one, other in combinations(said.judges, 2):
        both = [
            (shown.question, heard[one], heard[other])
            for shown in said.shown
            if (heard := said.heard.get(shown, {})).get(one) is not None and heard.get(other) is not None
        ]
        if not both:
            continue
        found = agreement([(first, second) for _, first, second in both], [question for question, *_ in both])
        same = share([(question, float(first == second)) for question, first, second in both])
        row: Row = {"judges": [one, other], "n": found.n, "agreement": found.share, **_ends("low", "high", same)}
        row |= {"kappa": found.kappa, "kappa_low": found.low, "kappa_high": found.high}
        yield {**row, **({"why": found.why} if found.why else {})}
