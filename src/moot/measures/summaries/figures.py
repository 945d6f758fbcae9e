"""Summarisers: order and shown accuracies side by side, and how right one is with c right labels in front of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from moot.measures.cells import Stored, has_option, option_of
from moot.measures.episodes import name_if_none_came
from moot.measures.section import Chart, Column, Section
from moot.measures.source import Source
from moot.stats.graded import (
    Value,
    accuracy_row,
    ended_value,
    graded_value,
    mean_value,
    why_unfair_together,
    why_unknown,
)
from moot.stats.shared_questions import shared_questions
from moot.store.rows import verdict_of
from moot.traces import Cut, Shown, of_kind
from moot.types import Case, Verdict

Row = dict[str, Any]

ROLE = "summariser"
"""As what a player is shown drafts who summarises them, where no trait and no option says that it does."""


def summary_figures(source: Source, cells: Sequence[Stored]) -> dict[str, Any]:
    """A row for each way of summarising, under `mixtures`; nothing where nobody summarised."""
    read = [_read(source, cell) for cell in cells if _summarises(source, cell)]
    if not read:
        return {}
    rows = [summaries.row() for summaries in read]
    return {"mixtures": rows, "partners": list(_partners(source, read, rows))}


def _summarises(source: Source, cell: Stored) -> bool:
    """Whether the answer is in words of somebody who has read the drafts to make one of them.

    Who does not play and alone gives the team's word has, whatever the office is called; several of them are a jury. Of a
    player its strategy says so by an option that names another in its place, or its records do.
    """
    traits = cell["traits"]
    if cell["player"] is not None or traits.hears in ("nothing", "talk"):
        return False
    if traits.drafts is not None and (_one_officer_reads(source, cell) or has_option(cell, "summariser")):
        return True
    return any(
        f'"{ROLE}"' in row["verdict"] and _looks(cell, verdict_of(row["verdict"])) for row in source.results(cell)
    )


def _one_officer_reads(source: Source, cell: Stored) -> bool:
    traits = cell["traits"]
    if traits.word != "office":
        return False
    verdicts = (verdict_of(row["verdict"]) for row in source.results(cell))
    looks = (look for verdict in verdicts for look in of_kind(verdict.traces, Shown))
    return len({look.to for look in looks if look.to in traits.offices}) == 1


def _looks(cell: Stored, verdict: Verdict) -> list[Shown]:
    """What was shown to whoever summarises."""
    speakers = {*cell["traits"].offices, *([cell["captain"]] if has_option(cell, "summariser") else [])}
    return [record for record in of_kind(verdict.traces, Shown) if record.role == ROLE or record.to in speakers]


@dataclass(slots=True)
class _Summaries:
    """What one cell's summariser made of what it read."""

    source: Source
    cell: Stored
    scores: dict[str, list[Value]] = field(default_factory=lambda: defaultdict(list))
    """By the question's digest, by which its cluster is known."""
    by_count: dict[int, list[float]] = field(default_factory=lambda: defaultdict(list))
    """By how many of the responses in front of it were right."""
    proposers: tuple[str, ...] = ()
    drawn: bool = True
    read_by: dict[str, None] = field(default_factory=dict)
    """Who was shown them, by the name in the records."""
    episodes: int = 0
    ungraded: int = 0
    """Episodes whose own answer nobody has graded."""
    unknown: int = 0
    """Graded ones with a response in front of them that is not: nobody knows how many of those were right."""
    cut: int = 0
    looks: list[tuple[Value, ...]] = field(default_factory=list)
    """Of each episode: what its own answer and the responses in front of it are worth."""
    grades: dict[tuple[str, str], Value] = field(default_factory=dict)

    def add(self, case: Case, value: Value, verdict: Verdict) -> None:
        self.episodes += 1
        self.proposers = tuple(draft.player for draft in verdict.answers) or self.proposers
        self.cut += bool(of_kind(verdict.traces, Cut))
        looks = _looks(self.cell, verdict)
        self.drawn = self.drawn and all(look.drawn for look in looks)
        self.read_by |= dict.fromkeys(look.to for look in looks)
        right = value.known
        self.scores[case.question.digest].append(value)
        responses = [self._grade(case, draft.text) for draft in verdict.answers if draft.text is not None]
        self.looks.append((value, *responses))
        if right is None:
            self.ungraded += 1
            return
        grades = [response.known for response in responses]
        if None in grades:
            self.unknown += 1
        else:
            self.by_count[sum(grade == 1.0 for grade in grades)].append(right)

    def _grade(self, case: Case, text: str) -> Value:
        key = (case.question.digest, text)
        if key not in self.grades:
            self.grades[key] = graded_value(*self.source.graded(case, text))
        return self.grades[key]

    @property
    def summariser(self) -> str | None:
        """The model in the office; where nobody has one, the captain."""
        offices = self.cell["traits"].offices
        models = [offices[name] for name in self.read_by if name in offices] or list(offices.values())
        return ", ".join(dict.fromkeys(models)) or self.cell["captain"]

    def values(self) -> dict[str, Value]:
        """A question counts by the mean over the summariser's repeats."""
        return {question: mean_value(scores) for question, scores in self.scores.items()}

    def row(self) -> Row:
        return {
            "label": self.cell["label"],
            "team": self.cell["team"],
            "summariser": self.summariser,
            "order": option_of(self.cell, "order") or ("random" if self.drawn else "fixed"),
            "accuracies": _accuracies(self.cell),
            "proposers": list(self.proposers),
            "size": len(self.proposers),
            **self.accuracy(),
            "unknown_labels": self.unknown,
            "cut": self.cut,
            "right_labels": self.right_labels(),
        }

    def accuracy(self) -> Row:
        """Over what is graded, with its bounds; `ungraded` counts episodes."""
        row = accuracy_row(self.values())
        return {**row, "episodes": self.episodes, "ungraded": self.ungraded}

    def right_labels(self) -> list[Row]:
        """By how many responses were right. Where none was counted because of what is ungraded, that is said."""
        unfair = why_unfair_together(self.looks, of="episodes")
        total = 0 if unfair else sum(map(len, self.by_count.values()))
        rows: list[Row] = []
        for c in range(len(self.proposers) + 1):
            rights = [] if unfair else self.by_count[c]
            row: Row = {
                "c": c,
                "n": len(rights),
                "share": len(rights) / total if total else None,
                "accuracy": sum(rights) / len(rights) if rights else None,
            }
            if not rights and (unfair or self.ungraded or self.unknown):
                row["why"] = unfair or f"no episode with {c} right responses is graded, responses and all"
            rows.append(row)
        return rows


def _read(source: Source, cell: Stored) -> _Summaries:
    read, never_came = _Summaries(source, cell), name_if_none_came(source.seen(cell))
    for row in source.results(cell):
        value = ended_value(graded_value(*source.graded_as(row)), row["outcome"], never_came)
        read.add(source.cases[row["question"]], value, verdict_of(row["verdict"]))
    return read


def _accuracies(cell: Stored) -> str | None:
    """Whether the summariser saw accuracies; "unknown" where it was to see them and there were none to show.

    None: the strategy has no such option, and nobody knows what its prompts show.
    """
    if not has_option(cell, "accuracies"):
        return None
    if option_of(cell, "accuracies") in (None, "hidden"):
        return "hidden"
    return "shown" if option_of(cell, "accuracy-values") else "unknown"


@dataclass(frozen=True, slots=True)
class _Partner:
    """A proposer whom somebody read alone: by question, what the summary is worth and what its own answer is."""

    name: str
    summary: Mapping[str, float]
    alone: Mapping[str, float]


def _partners(source: Source, read: Sequence[_Summaries], rows: Sequence[Row]) -> Iterator[Row]:
    """For each summariser that read proposers one at a time: the most accurate of them, and the one it gains most by.

    They are ranked on the questions that all of them have: whoever played the easier half of a stopped run is no better.
    """
    groups: dict[tuple[str, str, str], list[_Partner]] = defaultdict(list)
    for summaries, row in zip(read, rows, strict=True):
        partner = _partner(source, summaries) if row["size"] == 1 and row["value"] is not None else None
        if partner is not None:
            groups[row["summariser"], row["order"], row["accuracies"]].append(partner)
    for (summariser, _, _), partners in groups.items():
        together = shared_questions({str(place): partner.summary for place, partner in enumerate(partners)})
        ranked = [partners[int(place)] for place in together.names]
        if len(ranked) < 2:
            continue
        top = max(ranked, key=lambda partner: _mean(partner.alone, together.questions))
        best = max(ranked, key=lambda partner: _mean(partner.summary, together.questions))
        yield {
            "summariser": summariser,
            "most_accurate": top.name,
            "with_most_accurate": _mean(top.summary, together.questions),
            "most_complementary": best.name,
            "with_most_complementary": _mean(best.summary, together.questions),
            "its_accuracy": _mean(best.alone, together.questions),
            "n": len(together.questions),
            "left_out": [partners[int(place)].name for place in together.left_out],
        }


def _partner(source: Source, summaries: _Summaries) -> _Partner | None:
    """Over the questions of which both are graded; None where nobody knows it alone, or what is graded would flatter it."""
    (name,) = summaries.proposers
    single = source.draft_table(summaries.cell).alone.get(name)
    if single is None:
        return None
    episodes = source.seen(single)
    if why_unknown([episode.value for episode in episodes]):
        return None
    alone: dict[str, list[Value]] = defaultdict(list)
    for episode in episodes:
        alone[episode.key[0]].append(episode.value)
    summary = summaries.values()
    known_alone = {question: mean_value(values).known for question, values in alone.items()}
    both = [
        (question, value.known, own)
        for question, value in summary.items()
        if value.known is not None and (own := known_alone.get(question)) is not None
    ]
    return _Partner(name, {key: value for key, value, _ in both}, {key: own for key, _, own in both})


def _mean(values: Mapping[str, float], questions: Sequence[str]) -> float:
    return sum(values[question] for question in questions) / len(questions)


def summary_sections(figures: Mapping[str, Any]) -> Iterator[Section]:
    rows = figures.get("mixtures")
    if not rows:
        return
    yield _prompting(rows)
    yield _right_labels(rows)
    if figures.get("partners"):
        yield _partner_section(figures["partners"])


def _prompting(rows: Sequence[Row]) -> Section:
    columns = (
        Column("summariser", "summariser"),
        Column("order", "order"),
        Column("accuracies", "accuracies"),
        Column("size", "proposers"),
        Column("value", "right", "share", "low", "high"),
        Column("n", "n"),
    )
    over = "clusters of questions" if any("clusters" in row for row in rows) else "questions"
    words = [f"A question counts by the mean over the summariser's repeats; the interval is over {over}."]
    words += [
        f"{row['label']}: responses were cut to fit the context in {row['cut']} of {row['episodes']} episodes."
        for row in rows
        if row["cut"]
    ]
    words += [
        f"{row['label']}: {row['ungraded']} of {row['episodes']} episodes are ungraded and in no figure."
        for row in rows
        if row["ungraded"]
    ]
    return Section("summaries", "Mixtures: order and shown accuracies", tuple(words), columns, rows)


def _right_labels(rows: Sequence[Row]) -> Section:
    table_rows = [{"of": row["label"], **label_row} for row in rows for label_row in row["right_labels"]]
    columns = (
        *([Column("of", "of")] if len(rows) > 1 else []),
        Column("c", "right labels"),
        Column("n", "n"),
        Column("share", "of all", "share"),
        Column("accuracy", "summariser right then", "share"),
    )
    words = [
        "How many of the responses that the summariser read were right, and how often it was right then. One that is"
        " right in part is not counted as right."
    ]
    words += [
        f"{row['label']}: in {row['unknown_labels']} of {row['episodes']} episodes a response is ungraded; left out here."
        for row in rows
        if row["unknown_labels"]
    ]
    chart = Chart("lines", x="c", y="accuracy", series="of")
    title = "Right labels in front of the summariser"
    return Section("summaries-right-labels", title, tuple(words), columns, table_rows, chart)


def _partner_section(rows: Sequence[Row]) -> Section:
    columns = (
        Column("summariser", "summariser"),
        Column("most_accurate", "most accurate partner"),
        Column("with_most_accurate", "right with it", "share"),
        Column("most_complementary", "best partner"),
        Column("with_most_complementary", "right with it", "share"),
        Column("its_accuracy", "which alone has", "share"),
        Column("n", "n"),
    )
    words = ["The best partner is the best after the fact, on these very questions: expect less on others."]
    words += [
        f"{row['summariser']}: not ranked, with too few questions that the others have: {', '.join(row['left_out'])}."
        for row in rows
        if row["left_out"]
    ]
    return Section(
        "summaries-partners", "The most accurate and the most complementary partner", tuple(words), columns, rows
    )
