"""Figures of selection: a row for each method over all splits, for each aggregator, and for each proposer alone."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from moot.experiment.selected import CHOSEN_ON, CHOSEN_ON_IDS
from moot.measures.selection.by_split import accuracy_of
from moot.measures.selection.differences import mark_differences
from moot.select.labels import UNANSWERED, AnswerAlone, LabelMatrix
from moot.select.oracle import graded_mean
from moot.select.trial import Trial
from moot.stats.clusters import clustered, value_rows
from moot.stats.graded import Value, known, value_of
from moot.stats.proportion import mean_over_questions, share, share_between
from moot.types import Estimate

Row = dict[str, Any]

BY_NATURE = {
    ("per-model-top", "input-all"): "with one prompt a model, the best of each model is everybody",
    ("model-first", "greedy"): "with one prompt a model, to choose a model is to choose a proposer",
}
"""Methods that come out the same wherever every model has one prompt, and not by chance."""


def method_rows(
    labels: LabelMatrix,
    trials: Sequence[Trial],
    kind: str = "selector",
    *,
    wordings: Mapping[str, str] | None = None,
    against: str | None = None,
) -> list[Row]:
    """One row a method and k, over all splits. `wordings`: by question, where more is known of one than its id;
    `against`: the method that all others are compared with."""
    together: dict[tuple[str, int | None], list[Trial]] = defaultdict(list)
    for trial in trials:
        together[trial.method, trial.k].append(trial)
    with clustered(labels.clusters):
        return _method_rows(labels, together, kind, wordings, against)


def _method_rows(
    labels: LabelMatrix,
    together: Mapping[tuple[str, int | None], Sequence[Trial]],
    kind: str,
    wordings: Mapping[str, str] | None,
    against: str | None,
) -> list[Row]:
    rows = [_row(labels, group, kind) for group in together.values()]
    for row, group in zip(rows, together.values(), strict=True):
        if (selected := group[0].selected) is not None:  # those of the first split, as the team and its accuracies
            row |= _chosen_on([labels.questions[place] for place in selected], wordings)
    if kind == "selector":  # aggregators have the same voters and differ all the same
        _mark_equal(labels, rows, together)
        mark_differences(labels, rows, together, against)
    return rows


def _chosen_on(questions: Sequence[str], wordings: Mapping[str, str] | None) -> Row:
    """What a team must not be measured on: by what is asked, which is the same under any id; of a label matrix by ids."""
    if wordings is None:
        return {CHOSEN_ON_IDS: list(questions)}
    return {CHOSEN_ON: list(dict.fromkeys(wordings[question] for question in questions))}


def _row(labels: LabelMatrix, group: Sequence[Trial], kind: str) -> Row:
    first = group[0]
    tests = [reached for trial in group if (reached := trial.test_accuracy) is not None]
    mean = sum(tests) / len(tests) if len(tests) == len(group) else None
    accuracy = accuracy_of(labels, group)
    interval = accuracy and accuracy.estimate()
    at_home = [trial.selection_accuracy for trial in group if trial.selection_accuracy is not None]
    sizes = [len(trial.team) for trial in group]
    distances = [trial.distance for trial in group if trial.distance is not None]
    row = {
        "method": first.method,
        "kind": kind,
        "k": first.k,
        "size": sizes[0] if len(set(sizes)) == 1 else sum(sizes) / len(sizes),
        "pool": len(labels.proposers),
        "team": [str(labels.proposers[place]) for place in first.team],
        **_missing_labels(labels, first.team),
        "selection_accuracy": sum(at_home) / len(at_home) if len(at_home) == len(group) else None,
        "test_accuracy": mean,
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
        "n": interval.n if interval else 0,
        **_ungraded(group),
        "splits": len(group),
        "deviation": float(np.std(tests, ddof=1)) if len(tests) == len(group) > 1 else None,
        "calls": round(sum(trial.calls for trial in group) / len(group)),
        "distance": sum(distances) / len(distances) if distances else None,
        "proven": len(distances),
        "counts": _counts(labels, group),
        "right_labels": _right_labels(labels, group),
        **_learnt(group),
        "notes": _notes(group),
        "accuracies": {
            str(labels.proposers[place]): value for place, value in zip(first.team, first.accuracies, strict=False)
        },
        **_ungraded_where_chosen(labels, first),
        "teams": [[str(labels.proposers[place]) for place in trial.team] for trial in group]
        if len(group) > 1
        else None,
    }
    return _withheld(row, sum(len(trial.right) for trial in group), labels)


def _missing_labels(labels: LabelMatrix, team: Sequence[int]) -> Row:
    """Of the team, by proposer: to how many questions it has no label, be it that the row is absent. They count as not right."""
    missing = {str(labels.proposers[place]): int((labels.codes[place] == UNANSWERED).sum()) for place in team}
    told = {name: times for name, times in missing.items() if times}
    return {"missing_labels": told} if told else {}


NOTHING_GRADED = "nobody could grade any of the ensemble's words"
NOTHING_ON_A_SPLIT = "there is a split on which nobody could grade any of the ensemble's words"


def _withheld(row: Row, asked: int, labels: LabelMatrix) -> Row:
    """A row without an accuracy where so much is ungraded that one over the rest would flatter, or nobody has graded
    anything else: a match is right by construction, and what is no match waits for the judge."""
    why = labels.why_unfair(row.get("ungraded", 0), asked)
    if why is None or "why" in row:
        return row
    nothing: Row = dict.fromkeys(("test_accuracy", "low", "high", "deviation"))
    return {**row, **{key: value for key, value in nothing.items() if key in row}, "n": 0, "why": why}


def _ungraded(group: Sequence[Trial]) -> Row:
    """Questions whose word nobody could grade, and between what the accuracy lies if they count as wrong or as right."""
    unknown = [np.isnan(trial.right) for trial in group]
    ungraded = sum(int(mask.sum()) for mask in unknown)
    if not ungraded:
        return {}
    ends = [
        sum(float(np.where(mask, end, trial.right).mean()) for trial, mask in zip(group, unknown, strict=True))
        / len(group)
        for end in (0.0, 1.0)
    ]
    row = {"ungraded": ungraded, "bounds": {"low": ends[0], "high": ends[1]}}
    if all(mask.all() for mask in unknown):
        row["why"] = NOTHING_GRADED
    elif any(mask.all() for mask in unknown):
        row["why"] = NOTHING_ON_A_SPLIT
    return row


def _counts(labels: LabelMatrix, group: Sequence[Trial]) -> dict[str, float]:
    """How many proposers of each model were chosen, on average over the splits."""
    chosen = Counter(labels.proposers[place].model for trial in group for place in trial.team)
    return {model: chosen[model] / len(group) for model in labels.models if chosen[model]}


def _right_labels(labels: LabelMatrix, group: Sequence[Trial]) -> list[Row]:
    """How often c labels of the team are right, and how often the ensemble is right then, over the questions of which the
    word and all labels are graded. By the rule of every figure: none where those would flatter, and then it is said why."""
    right_counts = np.concatenate([trial.known for trial in group])
    right = np.concatenate([trial.right for trial in group])
    counted = ~np.isnan(right_counts) & ~np.isnan(right)
    ungraded, asked = int((~counted).sum()), len(counted)
    unfair = labels.why_unfair(ungraded, asked, of="test questions have an ungraded answer")
    counted &= unfair is None
    right_counts, right = right_counts[counted].astype(int), right[counted]
    size = max(len(trial.team) for trial in group)
    rows: list[Row] = []
    for c in range(size + 1):
        here = right[right_counts == c]
        share = len(here) / len(right) if len(right) else None
        row: Row = {"c": c, "n": len(here), "share": share, "accuracy": graded_mean(here)}
        if ungraded and not len(here):
            row["why"] = unfair or f"no test question with {c} right labels is graded, labels and all"
        rows.append(row)
    return rows


def _learnt(group: Sequence[Trial]) -> Row:
    """g, the mean over the splits; none where what it was learnt from would flatter on one of them."""
    whys = [trial.why_no_g for trial in group if trial.why_no_g is not None]
    learnt = [trial.g for trial in group if trial.g is not None]
    if whys or not learnt:
        return {"g": None, **({"why_no_g": whys[0]} if whys else {})}
    return {"g": [sum(values) / len(values) for values in zip(*learnt, strict=True)]}


def _ungraded_where_chosen(labels: LabelMatrix, first: Trial) -> Row:
    """By member of the team: how many of its labels that it was chosen by are ungraded. In `accuracies` these are not right."""
    if labels.ungraded is None or first.selected is None:
        return {}
    counts = {str(labels.proposers[place]): int(labels.ungraded[place, first.selected].sum()) for place in first.team}
    told = {name: ungraded for name, ungraded in counts.items() if ungraded}
    return {"accuracies_ungraded": told} if told else {}


def _notes(group: Sequence[Trial]) -> list[str]:
    """What selectors said, each sentence once, with the number of splits it was said on."""
    times_by_note = Counter(note for trial in group for note in trial.notes)
    return [
        note if times == len(group) else f"{note} ({times} of {len(group)} splits)"
        for note, times in times_by_note.items()
    ]


def _mark_equal(
    labels: LabelMatrix, rows: Sequence[Row], together: Mapping[tuple[str, int | None], Sequence[Trial]]
) -> None:
    """Rows whose teams are the same on every split point to an earlier one: to the one that is equal by nature, if any."""
    teams = {key: [tuple(sorted(trial.team)) for trial in group] for key, group in together.items()}
    one_prompt = len(labels.models) == len(labels.proposers)
    for number, row in enumerate(rows):
        row["same_as"] = row["why_same"] = None
        equal = [
            other
            for other in rows[:number]
            if other["k"] == row["k"] and teams[row["method"], row["k"]] == teams[other["method"], other["k"]]
        ]
        if equal:
            reasons = {other["method"]: BY_NATURE.get((row["method"], other["method"])) for other in equal}
            natural = next((name for name, reason in reasons.items() if reason and one_prompt), None)
            row["same_as"] = natural or next(other["method"] for other in equal if other["same_as"] is None)
            row["why_same"] = reasons[natural] if natural else None


Plays = Mapping[str, Mapping[str, Sequence[AnswerAlone]]]
"""By proposer and question: what it said, each time that it was asked."""


def single_rows(labels: LabelMatrix, plays: Plays | None = None) -> list[Row]:
    """Each proposer's own accuracy, on all questions; the best first. `plays`: where a question was asked several times it
    counts by its mean over them, as in a report."""
    with clustered(labels.clusters):
        rows = [_single(labels, place, plays) for place in range(len(labels.proposers))]
    return sorted(rows, key=lambda row: (row["test_accuracy"] is None, -(row["test_accuracy"] or 0.0)))


def _single(labels: LabelMatrix, place: int, plays: Plays | None) -> Row:
    proposer = labels.proposers[place]
    said = _once(labels, place) if plays is None else {name: plays[str(proposer)][name] for name in labels.questions}
    values = {question: value_of([each.grade for each in several]) for question, several in said.items()}
    graded = known(values)
    interval = _alone(values, graded) if graded else Estimate(0.0, None, None, 0)
    answers = [each for several in said.values() for each in several]
    row = {
        "method": f"single:{proposer}",
        "kind": "single",
        "k": 1,
        "size": 1,
        "team": [str(proposer)],
        "model": proposer.model,
        "prompt": proposer.prompt,
        "selection_accuracy": None,
        "test_accuracy": sum(graded.values()) / len(graded) if graded else None,
        "low": interval.low,
        "high": interval.high,
        "n": len(graded),
        **_ungraded_alone(values, answers),
        "calls": 0,
        "unanswered": sum(each.answer is None for each in answers),
    }
    return _withheld(row, len(answers), labels)


def _once(labels: LabelMatrix, place: int) -> dict[str, list[AnswerAlone]]:
    """From the matrix alone."""
    worth, codes = labels.worth[place].tolist(), labels.codes[place].tolist()
    ungraded = [False] * labels.size if labels.ungraded is None else labels.ungraded[place].tolist()
    return {
        question: [AnswerAlone(None if code == UNANSWERED else str(code), None if unknown else mark)]
        for question, code, unknown, mark in zip(labels.questions, codes, ungraded, worth, strict=True)
    }


def _alone(values: Mapping[str, Value], graded: Mapping[str, float]) -> Estimate:
    """Over the questions whose answer is graded, with an interval that holds whatever the others turn out to be."""
    if not any(value.open for value in values.values()):
        return mean_over_questions(graded)
    worst, best = ({name: getattr(value, end) for name, value in values.items()} for end in ("least", "most"))
    between = share_between(share(value_rows(graded)), worst, best)
    assert between is not None, "something is graded"
    return between.estimate()


def _ungraded_alone(values: Mapping[str, Value], answers: Sequence[AnswerAlone]) -> Row:
    ungraded = sum(each.grade is None for each in answers)
    if not ungraded:
        return {}
    low, high = (sum(getattr(value, end) for value in values.values()) / len(values) for end in ("least", "most"))
    why = {} if ungraded < len(answers) else {"why": "nobody could grade any of its answers"}
    return {"ungraded": ungraded, "bounds": {"low": low, "high": high}, **why}
