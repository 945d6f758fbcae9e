"""What a team's play amounts to, table by table: the quiz keys of a report, computed again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, product
from typing import Any

from second_way.compare import ANY_TEXT
from second_way.diversity import diversity, number_of_answers, open_again, self_preference
from second_way.intervals import Difference, Waiting
from second_way.quiz_pairs import TESTED, adjusted, apart_on_both_sides, bounds, difference, errors_apart, paid
from second_way.raw import Raw
from second_way.shares import Grade, Value, accuracy_row, mean_row, never_came, untold, value_of
from second_way.skyline import best_single, gap, heard_row, players, single, skyline
from second_way.tables import Play, Table, everybody_there, grades, parts, tables, values_of
from second_way.threshold import talk_threshold

Row = dict[str, Any]

FAMILIES = ("gains", "comparisons", "talk_by_diversity")


def quiz(raw: Raw) -> Mapping[str, Any]:
    every = tables(raw)
    if not every:
        return {}
    by_table = [_figures(raw, table) for table in every]
    figures = by_table[0] if len(every) == 1 else _several(every, by_table)
    several = len(every) > 1
    figures["comparisons"] = [
        {"team": team, **row} if several else row
        for team in dict.fromkeys(table.team for table in every)
        for row in comparisons([table for table in every if table.team == team], raw)
    ]
    figures = {key: value for key, value in figures.items() if value}
    for family in FAMILIES:
        if family in figures:
            figures[family] = adjusted(figures[family])
    if "human" in figures:
        figures["human"] = paid(figures["human"], before="difference_")
    _together(figures, "diversity_and_people", lambda row: [row], lambda row, tested: tested[0])
    _together(
        figures,
        "talk_threshold",
        lambda row: [row["over_vote"], row["over_talk"]],
        lambda row, tested: {**row, "over_vote": tested[0], "over_talk": tested[1]},
    )
    names = {cell.label: cell.strategy for cell in raw.cells}
    for rows in figures.values():
        for row in rows if isinstance(rows, list) else ():
            if "strategy" in row:  # so far by its label, which tells those of one name apart
                row["label"] = row["strategy"]
                row["strategy"] = names.get(row["label"], row["label"])
    return figures


def _together(figures: Row, key: str, tested: Callable[[Row], list[Row]], put: Callable[[Row, list[Row]], Row]) -> None:
    """What each table has once, paid for over all tables; what stands on top is that of the table with this name."""
    holding = [team for team in figures.get("teams", [figures]) if team.get(key)]
    rows = iter(paid([row for team in holding for row in tested(team[key])]))
    for team in holding:
        on_top = "teams" in figures and figures.get(key, {}).get("team") == team["team"]
        team[key] = put(team[key], [next(rows) for _ in tested(team[key])])
        if on_top:
            figures[key] = {"team": team["team"], **team[key]}


def _figures(raw: Raw, table: Table) -> Row:
    figures: Row = {
        "players": players(raw, table),
        "skyline": table.alone and skyline(raw, table),
        "best_single": table.alone and best_single(single(table.alone)),
        "gap": table.alone and gap(table),
        "gains": gains(table),
        "talk_by_diversity": talk_by_diversity(table),
        "self_preference": self_preference(table),
        "categories": categories(raw, table),
        "talk_threshold": talk_threshold(raw, table),
        **diversity(raw, table),
    }
    if any(raw.questions[play.question].get("human") for play in table.plays):
        figures["human"] = human(raw, table)
    return {key: value for key, value in figures.items() if value}


def _several(every: Sequence[Table], by_table: Sequence[Row]) -> Row:
    """Lists with the name of the table in each row; what is one figure a table under `teams`.

    Those of the first team stand on top, if it has drafts that are its own and not some strategy's.
    """
    merged: Row = {}
    listed: list[Row] = []
    for table, figures in zip(every, by_table, strict=True):
        name = table.name
        one: Row = {"team": name}
        for key, value in figures.items():
            if isinstance(value, list):
                merged.setdefault(key, []).extend({"team": name, **row} for row in value)
            else:
                one[key] = value
                if table is every[0] and table.usual:
                    merged[key] = {"team": name, **value} if isinstance(value, dict) else value
        listed.append(one)
    return {**merged, "teams": listed}


def gains(table: Table) -> list[Row]:
    """Each strategy under each captain against that captain alone, then over all captains."""
    alone = parts(table.alone, lambda play: play.player)
    rows: list[Row] = []
    for strategy, plays in parts(table.together, lambda play: play.strategy).items():
        led = parts([play for play in plays if play.captain in alone], lambda play: play.captain)
        for captain, of_captain in led.items():
            rows.append(
                {"strategy": strategy, "captain": captain, **_compared({captain: of_captain}, alone, apart=True)}
            )
        if len(led) > 1:
            level = parts(everybody_there([play for own in led.values() for play in own]), lambda play: play.captain)
            beside = parts(everybody_there([play for name in led for play in alone[name]]), lambda play: play.player)
            both = level if beside else {}
            rows.append({"strategy": strategy, "captain": None, **_compared(both, beside, means=True, apart=True)})
    return rows


def comparisons(tables: Sequence[Table], raw: Raw) -> list[Row]:
    """Each strategy of a team against each before it in the file, captain by captain, then over all that both have."""
    together = [play for table in tables for play in table.together]
    labels = dict.fromkeys(cell.label for cell in raw.cells if any(cell in table.cells for table in tables))
    by_label = {
        label: parts(plays, lambda play: play.captain)
        for label, plays in parts(together, lambda play: play.strategy).items()
    }
    rows: list[Row] = []
    for second, first in combinations([label for label in labels if label in by_label], 2):
        one, other = by_label[first], by_label[second]
        if one.keys() == {None} or other.keys() == {None}:
            named = {"a": _only(first, one), "b": _only(second, other), "captain": None}
            rows.append({**named, **_unlike(one, other)})
            continue
        shared = [captain for captain in one if captain is not None and captain in other]
        for captain in shared:
            named = {"a": f"{first}@{captain}", "b": f"{second}@{captain}", "captain": captain}
            rows.append({**named, **_compared({captain: one[captain]}, other)})
        if len(shared) > 1:
            named = {"a": first, "b": second, "captain": None}
            rows.append({**named, **_compared({captain: one[captain] for captain in shared}, other)})
    return rows


def _only(label: str, led: Mapping[str | None, Sequence[Play]]) -> str:
    (captain,) = led if len(led) == 1 else (None,)
    return f"{label}@{captain}" if captain else label


def _unlike(one: Mapping[str | None, Sequence[Play]], other: Mapping[str | None, Sequence[Play]]) -> Row:
    """At least one of them has no captain: it stands beside each of the other's, where all of those have played."""
    everybody = [*one.values(), *other.values()]
    common = [q for q in _asked(everybody) if all(any(p.question == q for p in plays) for plays in everybody)]
    seats = {f"{a}/{b}": (one[a], other[b]) for a in one for b in other}
    sides = [
        {seat: [p for p in pair[place] if p.question in common] for seat, pair in seats.items()} for place in (0, 1)
    ]
    return _compared(*sides)


def _asked(several: Sequence[Sequence[Play]]) -> set[str]:
    return {play.question for plays in several for play in plays}


def talk_by_diversity(table: Table) -> list[Row]:
    """Talking less voting where the players gave d answers, captain by captain, then over all that both have."""
    distinct, coming = number_of_answers(table), open_again(table)
    rows: list[Row] = []
    for talk, vote in product(table.talking, table.voting):
        for d in sorted(set(distinct.values())):
            if any(low <= d <= high for low, high in coming.values()):
                continue  # which questions stand here is open
            here = [play for play in table.together if play.captain is not None and distinct.get(play.key) == d]
            one, other = (
                parts([p for p in here if p.strategy == label], lambda p: p.captain) for label in (talk, vote)
            )
            shared = {captain: plays for captain, plays in one.items() if captain in other}
            sides: list[tuple[str | None, Mapping[str, Sequence[Play]]]] = [(c, {c: shared[c]}) for c in shared]
            rows += [{"d": d, "a": talk, "b": vote, "captain": c, **_compared(side, other)} for c, side in sides]
            if len(shared) > 1:
                talks, votes = (
                    parts(everybody_there([p for name in shared for p in arm[name]]), lambda p: p.captain)
                    for arm in (one, other)
                )
                whole = _compared(talks if votes else {}, votes, means=True)
                rows.append({"d": d, "a": talk, "b": vote, "captain": None, **whole})
    return rows


def _compared(
    first: Mapping[str, Sequence[Play]],
    second: Mapping[str, Sequence[Play]],
    *,
    means: bool = False,
    apart: bool = False,
) -> Row:
    """The plays of some captains against those of the same in the second; a question is one pair, or the mean of some."""
    pairs: dict[str, list[tuple[Value, Value]]] = {}
    means = means or len(first) > 1
    heard = True
    for captain, plays in first.items():
        one, other = values_of(plays), values_of(second[captain])
        means = means or any(len(value.grades) > 1 for side in (one, other) for value in side.values())
        for question in one.keys() & other.keys():
            pairs.setdefault(question, []).append((one[question], other[question]))
        heard = heard and all(
            play.heard for play in (*plays, *second[captain]) if play.question in one.keys() & other.keys()
        )
    row = difference(pairs, means=means, heard=heard)
    return {**(errors_apart if apart else apart_on_both_sides)(row, pairs), **bounds(pairs)}


def categories(raw: Raw, table: Table) -> list[Row]:
    def category(play: Play) -> str | None:
        question = raw.questions[play.question]
        return question.get("category") or question.get("package")

    level = [play for plays in parts(table.plays, lambda p: p.strategy).values() for play in everybody_there(plays)]
    named = [play for play in level if category(play) is not None]
    return [
        {"category": name, "strategy": strategy, **heard_row(of_strategy, "accuracy")}
        for name, plays in parts(named, category).items()
        for strategy, of_strategy in parts(plays, lambda play: play.strategy).items()
    ]


def human(raw: Raw, table: Table) -> list[Row]:
    """On the questions that people played too, each strategy by who leads or plays it, then over all of them."""
    rates = {question: row["human"][0] / row["human"][1] for question, row in raw.questions.items() if row.get("human")}
    rated = [play for play in table.plays if play.question in rates]
    rows = []
    for strategy, plays in parts(rated, lambda play: play.strategy).items():
        by_whom: dict[Any, list[Play]] = parts(plays, lambda play: play.whose)
        if len(by_whom) > 1 and (level := everybody_there(plays)):
            by_whom[None] = level
        for whom, several in by_whom.items():
            alone = several[0].player is not None
            named = {"strategy": strategy, "captain": None if alone else whom, "player": whom if alone else None}
            rows.append({**named, **_beside_people(grades(several), rates)})
    return rows


def _beside_people(right: Mapping[str, Sequence[Grade]], rates: Mapping[str, float]) -> Row:
    known = {question: value.known for question, plays in right.items() if (value := value_of(plays)).known is not None}
    never = never_came(right.values())
    if untold([[grade] for plays in right.values() for grade in plays]):
        known = {}
    people = mean_row([rates[question] for question in known])
    row = accuracy_row(right, "accuracy") | {
        "human": people["value"],
        "human_low": people["low"],
        "human_high": people["high"],
        "difference": None,
        "difference_low": None,
        "difference_high": None,
        "p": None,
    }
    if never:
        row["why"] = ANY_TEXT
    elif known:
        figure: Difference | Waiting = Difference([value - rates[question] for question, value in known.items()])
        values = {question: value_of(plays) for question, plays in right.items()}
        if any(value.waits for value in values.values()):
            there = {question: value for question, value in values.items() if value.worst is not None}
            worst = Difference([(value.worst or 0.0) - rates[question] for question, value in there.items()])
            best = Difference([(value.best or 0.0) - rates[question] for question, value in there.items()])
            figure = Waiting(figure, worst, best)
        low, high = figure.limits()
        row |= {"difference": figure.value, "difference_low": low, "difference_high": high, TESTED: figure}
        row["p"] = figure.p
    return row
