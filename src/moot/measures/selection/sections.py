"""What `moot select` prints: the table of methods and what stands beside it, as sections."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from moot.measures.columns import paired_columns, ungraded_columns, ungraded_words, with_bounds
from moot.measures.numbers import plain
from moot.measures.section import Chart, Column, Section
from moot.measures.selection.figures import Row


@dataclass(frozen=True, slots=True)
class HowChosen:
    """On how many questions teams were chosen, and by whose word."""

    oracle: str
    """Who speaks for a team, in words."""
    m: int
    """Questions to choose on."""
    splits: int
    questions: int
    clusters: int | None = None
    """In how many the questions hang together, where they do."""
    notes: Sequence[str] = ()
    """What there is to know of the labels themselves."""

    @property
    def words(self) -> list[str]:
        asked = f"{self.questions} questions, {self.m} to choose on"
        if self.clusters is not None:
            within = f"{self.questions} questions in {self.clusters} clusters, which are never divided"
            asked = f"{within}, about {self.m} to choose on"
        return [f"{asked}, {self.splits} random split{'s' if self.splits > 1 else ''}; {self.oracle}.", *self.notes]


def selection_sections(rows: Sequence[Row], how: HowChosen) -> list[Section]:
    """What `moot select` prints."""
    chosen = [row for row in rows if row["kind"] == "selector"]
    sections = [_methods(chosen, how)]
    if any(row.get("over") for row in chosen):
        sections.append(_differences(chosen))
    sections += [_models(chosen)] if len(chosen) > 1 else [_team(chosen[0])]
    sections.append(_labels_right(chosen))
    sections = [section for section in sections if section.rows]
    if len({row["k"] for row in chosen}) > 1:
        sections.append(_over(chosen, "k", "selection-by-k", "Accuracy against the size of the team"))
    if any(row["calls"] for row in chosen):
        sections.append(_over(chosen, "calls", "selection-by-calls", "Accuracy against summariser calls spent"))
    if beside := [row for row in rows if row["kind"] == "aggregator"]:
        sections.append(_aggregators(beside))
    if single := [row for row in rows if row["kind"] == "single"]:
        sections.append(_singles(single))
    return sections


def _methods(rows: Sequence[Row], how: HowChosen) -> Section:
    words = how.words
    columns = [
        Column("method", "method"),
        Column("k", "k"),
        Column("size", "size"),
        Column("selection_accuracy", "chosen on", "share"),
        Column("test_accuracy", "test (95 % interval)", "share", "low", "high"),
    ]
    if how.splits > 1:
        columns.append(Column("spread", "± splits"))
        words.append(
            "± splits: standard deviation between splits, in points. The interval is as wide as that of one split, however many"
            " there are, since they share their questions; with a smaller --m it is narrower."
        )
    columns.append(Column("calls", "calls", "calls"))
    if any(row["distance"] is not None for row in rows):
        columns.append(Column("from_optimum", "to optimum"))
        words.append("to optimum: points below the best team there is, by the surrogate that exact maximises.")
    if how.splits == 1:
        words.append(
            "Which questions were drawn is luck: --splits 20 gives the mean and the deviation of twenty draws, with an interval"
            " as wide as this one."
        )
    words += [_same(row) for row in rows if row["same_as"]]
    words += [f"{row['method']}: {note}." for row in rows for note in row["notes"]]
    words += [ungraded_word(row) for row in rows if row.get("ungraded")]
    words += _partners(rows)
    table_rows = [
        {**row, "spread": _points(row["deviation"]), "from_optimum": _points(row["distance"])} for row in rows
    ]
    chart = Chart("dots", x="test_accuracy", y="method", label="method", series="k")
    return Section("selection", "Teams by method", tuple(dict.fromkeys(words)), tuple(columns), table_rows, chart)


def _differences(rows: Sequence[Row]) -> Section:
    """Each against one of them, and who may be the best."""
    compared = [row for row in rows if row["over"]]
    beside = compared[0]["over"]["method"]
    several = len({row["k"] for row in rows}) > 1
    table_rows = [
        with_bounds({**row["over"], "method": row["method"], "of": row["method"], "k": row["k"]})
        for row in compared
        if not row["same_as"]
    ]
    columns = (
        *paired_columns(Column("method", f"against {beside}"), *([Column("k", "k")] if several else [])),
        *ungraded_columns(table_rows),
    )
    family = compared[0]["over"]["family"]
    paid = (
        f"; p is Holm's for a family of {family}, in which methods that chose the same count once" if family > 1 else ""
    )
    words = [
        f"On the same test questions{paid}. The interval is about the teams that were chosen.",
        *ungraded_words(table_rows),
    ]
    words += may_be_best(rows)
    return Section("selection-differences", "Differences between methods", tuple(words), columns, table_rows)


def may_be_best(rows: Sequence[Row]) -> list[str]:
    """By size, whom no other method beats; nothing where nobody was compared."""
    several = len({row["k"] for row in rows}) > 1
    words = []
    for k in dict.fromkeys(row["k"] for row in rows):
        distinct = [row for row in rows if row["k"] == k and not row["same_as"]]
        best = [row["method"] for row in distinct if row["beaten_by"] is None]
        of = f"k = {k}: " if several else ""
        if len(distinct) > 1 and not (distinct[0].get("cut_short") or distinct[0].get("unreached")):
            words.append(f"{of}May be the best, allowing for all comparisons: {', '.join(best)}.")
    return words


def _points(share: float | None) -> str | None:
    return None if share is None else plain(share)


def _same(row: Row) -> str:
    reason = f": {row['why_same']}" if row["why_same"] else ""
    return f"{row['method']} chose the same teams as {row['same_as']} on every split{reason}."


def ungraded_word(row: Row) -> str:
    low, high = (f"{plain(row['bounds'][end])} %" for end in ("low", "high"))
    words = f"{row['method']}: {row['ungraded']} of the ensemble's words are ungraded"
    return f"{words}; of all test questions it is right on between {low} and {high}."


def _partners(rows: Sequence[Row]) -> list[str]:
    """The most accurate beside the most complementary partner of a summariser: teams of one."""
    by_name = {row["method"]: row for row in rows if row["k"] == 1}
    if "greedy" not in by_name or "top-accuracy" not in by_name or not by_name["greedy"]["calls"]:
        return []
    pair = (by_name["top-accuracy"], by_name["greedy"])
    if any(row["test_accuracy"] is None for row in pair):
        return []
    shares = [f"{plain(row['test_accuracy'])} %" for row in pair]
    names = [
        " or ".join(dict.fromkeys(name for team in row["teams"] or [row["team"]] for name in team)) for row in pair
    ]
    return [
        f"With its most accurate partner ({names[0]}) the summariser is right on {shares[0]}, with its most complementary"
        f" one ({names[1]}) on {shares[1]}."
    ]


def _team(row: Row) -> Section:
    members = [
        {"place": place, "proposer": name, "accuracy": row["accuracies"][name]}
        for place, name in enumerate(row["team"], start=1)
    ]
    columns = (
        Column("place", "#"),
        Column("proposer", "proposer"),
        Column("accuracy", "alone, where chosen", "share"),
    )
    words = ["The team of the first split."] if row["splits"] > 1 else []
    words += [
        f"{name}: at least so much; {ungraded} of its labels there are ungraded and taken as not right, as for the choice."
        for name, ungraded in row.get("accuracies_ungraded", {}).items()
    ]
    return Section("selection-team", f"The team of {row['method']}", tuple(words), columns, members)


def _models(rows: Sequence[Row]) -> Section:
    """The paper's counts: how many proposers of each model. Methods that take the whole pool have nothing to tell."""
    telling = [row for row in rows if row["same_as"] is None and row["size"] < row["pool"]]
    several = len({row["k"] for row in rows}) > 1
    named = {
        " ".join((*row["method"].split("-"), *([str(row["k"])] if several else []))): row["counts"] for row in telling
    }
    total = Counter[str]()
    for counts in named.values():
        total.update(counts)
    table_rows = [
        {"model": model, **{name: counts.get(model) for name, counts in named.items()}}
        for model, _ in total.most_common()
    ]
    several_splits = any(row["splits"] > 1 for row in rows)
    columns = (Column("model", "model"), *(Column(name, name, "number" if several_splits else "") for name in named))
    words = ("Mean over the splits.",) if several_splits else ()
    return Section("selection-counts", "Proposers chosen of each model", words, columns, table_rows)


def _labels_right(rows: Sequence[Row]) -> Section:
    """Figures 2 and 3 of the paper: methods down, the number of right labels across; last, how right the ensemble is."""
    fitting = [row for row in rows if row["size"] == row["k"] and not row["same_as"]]
    table_rows = [
        {"method": row["method"], "k": row["k"], **{str(cell["c"]): cell["share"] for cell in row["right_labels"]}}
        for row in fitting
    ]
    for k in sorted({row["k"] for row in fitting}):
        pooled: dict[str, float | None] = {}
        for c in range(k + 1):
            cells = [row["right_labels"][c] for row in fitting if row["k"] == k]
            graded = [cell for cell in cells if cell["accuracy"] is not None]
            n = sum(cell["n"] for cell in graded)
            pooled[str(c)] = sum(cell["n"] * cell["accuracy"] for cell in graded) / n if n else None
        table_rows.append({"method": "ensemble right then", "k": k, **pooled})
    most = max((row["k"] for row in fitting), default=0)
    columns = (
        Column("method", "method"),
        Column("k", "k"),
        *(Column(str(c), str(c), "share") for c in range(most + 1)),
    )
    words = ["On how many test questions so many labels of the team are right; last, all methods together."]
    words += [
        f"{row['method']}: {row['right_labels'][0]['why']}."
        for row in fitting
        if all(cell["share"] is None and "why" in cell for cell in row["right_labels"])
    ]
    title = "Right labels in the team"
    return Section("selection-right-labels", title, tuple(dict.fromkeys(words)), columns, table_rows)


def _over(rows: Sequence[Row], key: str, ident: str, title: str) -> Section:
    table_rows = sorted(
        (
            {
                "method": row["method"],
                key: row[key],
                "test_accuracy": row["test_accuracy"],
                "low": row["low"],
                "high": row["high"],
            }
            for row in rows
        ),
        key=lambda row: (row["method"], row[key]) if key == "k" else (row[key], row["method"]),
    )
    columns = (Column("method", "method"), Column(key, key), Column("test_accuracy", "test", "share", "low", "high"))
    return Section(ident, title, (), columns, table_rows, Chart("lines", x=key, y="test_accuracy", series="method"))


def _aggregators(rows: Sequence[Row]) -> Section:
    columns = (
        Column("method", "aggregator"),
        Column("size", "voters"),
        Column("test_accuracy", "test", "share", "low", "high"),
    )
    words = ("The labels of the whole pool put together without a model, on the same test questions.",)
    return Section("selection-aggregators", "Label-level aggregators", words, columns, rows)


def _singles(rows: Sequence[Row]) -> Section:
    """The paper's Table 5: models down, prompts across; a list where that does not tell all proposers apart."""
    title, words = "Each proposer alone", (_all_questions(rows),)
    prompts = sorted({row["prompt"] for row in rows})
    if len(prompts) > 1 and len({(row["model"], row["prompt"]) for row in rows}) == len(rows):
        by_model: dict[str, Row] = {}
        for row in rows:
            by_model.setdefault(row["model"], {"model": row["model"]})[f"as {row['prompt']}"] = row["test_accuracy"]
        across = (Column(f"as {prompt}", prompt.replace("-", " ") or "plain", "share") for prompt in prompts)
        columns = (Column("model", "model"), *across)
        return Section("selection-proposers", title, words, columns, list(by_model.values()))
    named = [{**row, "proposer": row["team"][0]} for row in rows]
    columns = (
        Column("proposer", "proposer"),
        Column("test_accuracy", "alone", "share", "low", "high"),
        Column("unanswered", "unanswered"),
    )
    return Section("selection-proposers", title, words, columns, named)


def _all_questions(rows: Sequence[Row]) -> str:
    left_out, repeats = rows[0].get("left_out", 0), rows[0].get("repeats", 1)
    where = "On all questions that all of them have played" if left_out else "On all questions"
    return f"{where}, the mean over {repeats} repeats." if repeats > 1 else f"{where}."
