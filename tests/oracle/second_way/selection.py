"""`moot select --json` on labels, a second time: from the labels, the questions that a team was chosen on, and the team.

Which questions are drawn is a matter of the seed, and each row says which they were; so is who wins a tied vote. Where
there is a tie on some question, a figure is held against all that it can be.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement, pairwise
from statistics import stdev
from typing import Any

import numpy as np

from second_way.compare import Holds, differences
from second_way.intervals import mean, share_interval, waiting_interval
from second_way.luck import SIDE, standing
from second_way.quiz_pairs import adjusted, bounds, difference
from second_way.shares import Judged, Value

Row = dict[str, Any]
Proposer = str
BY_RULE = ("input-all", "best-model", "top-accuracy", "per-model-top", "conditioned-diversity")
"""Whose team follows from the labels alone."""
WORDS = Holds(lambda value: isinstance(value, str) and bool(value), "words")
NOTES = Holds(lambda value: isinstance(value, list) and all(isinstance(note, str) for note in value), "notes")


@dataclass(frozen=True)
class Labels:
    """What each proposer said to each question, and what is right. `free`: a label means something within its question only."""

    said: Mapping[Proposer, Mapping[str, str | None]]
    right: Mapping[str, str]
    model: Mapping[Proposer, str]
    prompt: Mapping[Proposer, str]
    free: bool = False
    open: frozenset[tuple[Proposer, str]] = frozenset()
    """Labels that nobody has graded."""
    unknown: frozenset[str] = frozenset()
    """Questions of which nobody knows what is right."""
    settled: bool = True
    """Whether a judge, or a person, has graded any of them."""

    def few(self, ungraded: int, n: int) -> bool:
        """Whether there is a figure over what is graded."""
        return not ungraded or (self.settled and ungraded <= 0.05 * n)

    def hits(self, proposer: Proposer, questions: Sequence[str]) -> list[float]:
        return [float(self.said[proposer][question] == self.right[question]) for question in questions]

    def classes(self, chosen_on: Sequence[str]) -> float:
        """The number of choices; of free answers one more than the effective number of wrong ones."""
        if not self.free:
            every = {word for own in self.said.values() for word in own.values() if word} | {*self.right.values()}
            return float(len(every))
        pairs = equal = 0
        for question in chosen_on:
            wrong = [
                own[question]
                for proposer, own in self.said.items()
                if own[question] not in (None, self.right[question]) and (proposer, question) not in self.open
            ]
            for one, other in combinations(wrong, 2):
                pairs, equal = pairs + 1, equal + (one == other)
        return 1.0 + (pairs + 1) / (equal + 1)  # what nobody has seen yet is not impossible


class Split:
    """One split: the questions to choose on, and those that test the choice."""

    def __init__(self, labels: Labels, chosen_on: Sequence[str]) -> None:
        self.labels, self.chosen_on = labels, list(chosen_on)
        self.test = [question for question in labels.right if question not in set(chosen_on)]
        # What is ungraded is taken as not right for a choice; what nobody can know says nothing of anybody.
        known = [question for question in self.chosen_on if question not in labels.unknown]
        self.accuracy = {p: sum(labels.hits(p, known)) / max(1, len(known)) for p in labels.said}
        self.c = labels.classes(self.chosen_on)

    def weight(self, proposer: Proposer, *, two_class: bool = False) -> float:
        m = len(self.chosen_on)
        p = min((m + 1) / (m + 2), max(1 / (m + 2), self.accuracy[proposer]))
        return max(0.0, math.log((1 if two_class else max(1.0, self.c - 1)) * p / (1 - p)))

    def may_be(
        self, team: Sequence[Proposer], questions: Sequence[str], weight: Callable[[Proposer], float]
    ) -> list[Rights]:
        """Of each question whether the vote is right: both, where the right answer is one of several that are tied; None
        where that hangs on labels that nobody has graded, each of which may be right in other words."""
        return [self._whichever(team, question, weight) for question in questions]

    def _whichever(self, team: Sequence[Proposer], question: str, weight: Callable[[Proposer], float]) -> Rights:
        labels = self.labels
        waiting = {labels.said[p][question] for p in team if (p, question) in labels.open}
        if waiting and question in labels.unknown:
            return {None}
        words = sorted(filter(None, waiting))
        every = [right for count in range(len(words) + 1) for right in combinations(words, count)]
        ways = [self._winners(team, question, weight, {*right, labels.right[question]}) for right in every]
        if all(len(way) == 1 for way in ways):
            return ways[0] if all(way == ways[0] for way in ways) else {None}
        return set().union(*ways) | ({None} if waiting else set())

    def _winners(
        self, team: Sequence[Proposer], question: str, weight: Callable[[Proposer], float], right: set[str]
    ) -> Rights:
        votes: dict[str, float] = {}
        heads: Counter[str] = Counter()
        for proposer in team:
            word = self.labels.said[proposer][question]
            if word is not None:
                word = self.labels.right[question] if word in right else word
                votes[word] = votes.get(word, 0.0) + weight(proposer)
                heads[word] += 1
        if not sum(votes.values()):
            votes = {word: float(count) for word, count in heads.items()}
        top = max(votes.values(), default=0.0)
        winners = [word for word, points in votes.items() if points > top - 1e-7]
        return {float(word in right) for word in winners} or {0.0}


Rights = set[float | None]
"""What a vote may be worth by lot; None: nobody has graded it."""


def _mean_of(may_be: Sequence[Rights]) -> Any:
    """Over what is graded."""
    if any(None in one for one in may_be):
        if any(len(one) > 1 for one in may_be):
            return Holds(lambda value: value is None or 0 <= value <= 1, "a share, or none")
        known = [value for (value,) in may_be if value is not None]
        return mean(known) if known else None
    low, high = mean([min(one) for one in may_be]), mean([max(one) for one in may_be])  # type: ignore[type-var]
    return Holds(lambda value: value is not None and low - 1e-9 <= value <= high + 1e-9, f"from {low} to {high}")


def selection(labels: Labels, rows: Sequence[Mapping[str, Any]], k: int) -> Iterator[str]:
    """Where rows of one split, for teams of k, say something else."""
    chosen_on = next(row["chosen_on_ids"] for row in rows if "chosen_on_ids" in row)
    split = Split(labels, chosen_on)
    methods = [row for row in rows if row["kind"] == "selector"]
    rights = {row["method"]: split.may_be(row["team"], split.test, split.weight) for row in methods}
    overs = _overs(labels, methods, rights)
    for row in rows:
        expected = {**_any_row(labels, split, row), **_OF_KIND[row["kind"]](labels, split, row)}
        if row["kind"] == "selector":
            expected |= {"k": k, "over": overs[row["method"], row["k"]]} | _equal(methods, row, labels)
            expected |= {"beaten_by": _beaten(methods, row, rights)}
            if row["method"] in BY_RULE:
                yield from (f"{row['method']}: {wrong}" for wrong in _by_rule(labels, split, row))
        yield from (f"{row['method']}: {line}" for line in differences(row, expected))


def _any_row(labels: Labels, split: Split, row: Mapping[str, Any]) -> Row:
    low, high = (None, None) if row["test_accuracy"] is None or row.get("ungraded") else _interval(row)
    size = len(row["team"])
    return {
        "method": WORDS,
        "kind": row["kind"],
        "k": None,
        "size": size,
        "team": Holds(lambda team: len(set(team)) == size and set(team) <= labels.said.keys(), "proposers, each once"),
        "low": low,
        "high": high,
        "calls": 0,
        "oracle": WORDS,
    }


def _interval(row: Mapping[str, Any]) -> tuple[Any, Any]:
    values = [1.0] * round(row["test_accuracy"] * row["n"]) + [0.0] * (
        row["n"] - round(row["test_accuracy"] * row["n"])
    )
    return share_interval([(value, 1.0) for value in values])


def _ungraded(labels: Labels, values: Sequence[float | None], name: str = "test_accuracy") -> Row:
    """What is said of a figure over values of which some are open: over the graded ones, if these are most; its bounds."""
    known = [value for value in values if value is not None]
    if len(known) == len(values):
        return {}
    worst, best = ([end if value is None else value for value in values] for end in (0.0, 1.0))
    row: Row = {"ungraded": len(values) - len(known), "bounds": {"low": mean(worst), "high": mean(best)}}
    if not known or not labels.few(len(values) - len(known), len(values)):
        return {**row, name: None, "low": None, "high": None, "n": 0, "why": WORDS}
    low, high = waiting_interval(mean(known), worst, best)
    return {**row, name: mean(known), "low": low, "high": high, "n": len(known)}


def _voted(labels: Labels, split: Split, row: Mapping[str, Any], may_be: Sequence[Rights] | None) -> Row:
    """`may_be`: None where nobody can say without the same draws; then only that it is a share of these questions."""
    team, n = row["team"], len(split.test)
    told: Row = {}
    if may_be is not None and any(None in one for one in may_be):
        if any(len(one) > 1 for one in may_be):  # by lot
            told = {key: Holds(lambda _: True, "anything") for key in (*UNSURE, *row) if key in row and key in UNSURE}
        else:
            told = _ungraded(labels, [value for (value,) in may_be])
    whole = Holds(
        lambda value: 0 <= value <= 1 and abs(value * n - round(value * n)) < 1e-9, f"a share of {n} questions"
    )
    models = Counter(labels.model[proposer] for proposer in team)
    missing = {proposer: [labels.said[proposer].get(q) for q in labels.right].count(None) for proposer in team}
    missing = {proposer: times for proposer, times in missing.items() if times}
    return {
        **({"missing_labels": missing} if missing else {}),
        "pool": len(labels.said),
        "test_accuracy": whole if may_be is None else _mean_of(may_be),
        "n": n,
        "splits": 1,
        "deviation": None,
        "counts": {model: float(models[model]) for model in models},
        "right_labels": _right_labels(labels, split, team, may_be),
        "notes": NOTES,
        "teams": None,
        **told,
    }


def _right_labels(labels: Labels, split: Split, team: Sequence[Proposer], may_be: Sequence[Rights] | None) -> Any:
    """A question counts where the ensemble's word and each label of the team are graded, and none where too few do."""
    if may_be is None and labels.open:
        return Holds(lambda cells: [cell["c"] for cell in cells] == list(range(len(team) + 1)), "a cell for each c")
    counts: list[int | None] = []
    for place, question in enumerate(split.test):
        waits = any((p, question) in labels.open for p in team) or (may_be is not None and None in may_be[place])
        counts.append(None if waits else sum(int(labels.said[p][question] == labels.right[question]) for p in team))
    waiting = counts.count(None)
    fair = labels.few(waiting, len(counts))
    cells: list[Row] = []
    for c in range(len(team) + 1):
        here = [place for place, count in enumerate(counts) if fair and count == c]
        accuracy: Any = None
        if here:
            accuracy = Holds(lambda value: 0 <= value <= 1, "a share") if may_be is None else None
            accuracy = accuracy or _mean_of([may_be[place] for place in here])  # type: ignore[index]
        cell: Row = {"c": c, "n": len(here), "share": None, "accuracy": accuracy}
        if fair and waiting < len(counts):
            cell["share"] = len(here) / (len(counts) - waiting)
        if waiting and not here:
            cell["why"] = WORDS
        cells.append(cell)
    return cells


def naive_bayes(labels: Labels, chosen_on: Sequence[str]) -> dict[Proposer, float]:
    """What a label says for its answer: by how right its proposer is where it speaks. Ungraded is not right here."""
    known = [question for question in chosen_on if question not in labels.unknown]
    pairs = equal = 0
    for question in known:
        wrong = [own[question] for own in labels.said.values() if own[question] not in (None, labels.right[question])]
        for one, other in combinations(wrong, 2):
            pairs, equal = pairs + 1, equal + (one == other)
    others = (pairs + 1) / (equal + 1)
    weights = {}
    for proposer, own in labels.said.items():
        spoke = sum(own[question] is not None for question in known)
        p = (sum(labels.hits(proposer, known)) + 1) / (spoke + 2)
        weights[proposer] = math.log(max(1.0, others) * p / (1 - p))
    return weights


def one_coin(labels: Labels) -> dict[Proposer, float]:
    """The same with no truth seen: how likely each answer is and how right each proposer is, by turns until they agree."""
    answers = {
        question: sorted({own[question] or "" for own in labels.said.values()} - {""}) for question in labels.right
    }
    backers = {
        (q, word): [p for p, own in labels.said.items() if own[q] == word] for q in answers for word in answers[q]
    }
    voices = {q: sum(len(backers[q, word]) for word in answers[q]) for q in answers}
    likely = {(q, word): len(who) / voices[q] for (q, word), who in backers.items()}
    weights: dict[Proposer, float] = {}
    for _ in range(200):
        equal = pairs = 0.0
        for q, words in answers.items():
            for word in words:
                n = len(backers[q, word])
                equal += (1 - likely[q, word]) * n * (n - 1) / 2
            for one, other in combinations(words, 2):
                both = 1 - likely[q, one] - likely[q, other]
                pairs += both * len(backers[q, one]) * len(backers[q, other])
        others = (equal + pairs + 1) / (equal + 1)
        for proposer, own in labels.said.items():
            heard = [likely[q, word] for q, word in own.items() if word]
            p = (sum(heard) + 1) / (len(heard) + 2)
            weights[proposer] = math.log(max(1.0, others) * p / (1 - p))
        before = likely
        odds = {key: math.exp(sum(weights[p] for p in who)) for key, who in backers.items()}
        likely = {(q, word): odd / sum(odds[q, each] for each in answers[q]) for (q, word), odd in odds.items()}
        if max(abs(likely[key] - before[key]) for key in likely) < 1e-6:
            break
    return weights


UNSURE = ("test_accuracy", "low", "high", "n", "ungraded", "bounds", "why", "right_labels")
"""What hangs on a lot where votes are tied."""


def _method(labels: Labels, split: Split, row: Mapping[str, Any]) -> Row:
    team, k = row["team"], row["k"]
    g = row["g"]
    shares = Holds(lambda value: len(value) == k + 1 and all(0 <= one <= 1 for one in value), "a share for each c")
    near = Holds(lambda value: value is None or 0 <= value <= 1, "how far from the optimum")
    distance: Any = None if row["proven"] == 0 or len(team) != k else near
    waiting = {p: sum((p, question) in labels.open for question in split.chosen_on) for p in team}
    told: Row = (
        {"accuracies_ungraded": {p: times for p, times in waiting.items() if times}} if any(waiting.values()) else {}
    )
    open_questions = sum(any((p, question) in labels.open for p in labels.said) for question in split.chosen_on)
    unfair = not labels.few(open_questions, len(split.chosen_on))
    if unfair:
        told |= {"distance": None, "proven": 0}
    if row["method"] in ("oracle-surrogate", "exact") and (unfair or (labels.open and g is None)):
        told |= {"g": None, "why_no_g": WORDS}
    return {
        **_method_told(labels, split, row, shares, distance),
        **told,
    }


def _method_told(labels: Labels, split: Split, row: Mapping[str, Any], shares: Holds, distance: Any) -> Row:
    team, g = row["team"], row["g"]
    return {
        **_voted(labels, split, row, split.may_be(team, split.test, split.weight)),
        "selection_accuracy": _at_home(labels, split.may_be(team, split.chosen_on, split.weight)),
        "distance": 0.0 if row["method"] == "exact" and row["proven"] else distance,
        "proven": Holds(lambda value: value in (0, 1), "whether the optimum is known"),
        "g": None if g is None else shares,
        "accuracies": {proposer: split.accuracy[proposer] for proposer in team},
        "chosen_on_ids": split.chosen_on,
    }


def _at_home(labels: Labels, may_be: Sequence[Rights]) -> Any:
    ungraded = sum(None in one for one in may_be)
    if not ungraded or any(len(one) > 1 for one in may_be):
        return _mean_of(may_be)
    return _mean_of(may_be) if labels.few(ungraded, len(may_be)) else None


def _aggregator(labels: Labels, split: Split, row: Mapping[str, Any]) -> Row:
    name, team = row["method"], row["team"]
    may_be = None
    if name.startswith("majority"):
        two_class, weighted = name.endswith("-two-class"), name.endswith(("-weighted", "-two-class"))
        may_be = split.may_be(
            team, split.test, (lambda p: split.weight(p, two_class=two_class)) if weighted else (lambda p: 1.0)
        )
    elif name == "naive-bayes":
        may_be = split.may_be(team, split.test, naive_bayes(labels, split.chosen_on).__getitem__)
    elif name == "one-coin-dawid-skene" and labels.free:
        may_be = split.may_be(team, split.test, one_coin(labels).__getitem__)
    expected = {**_voted(labels, split, row, may_be), "selection_accuracy": None, "g": None}
    if may_be is None and labels.open:  # what was learnt is not learnt again here: any of it may hang on what waits
        expected |= {key: Holds(lambda _: True, "anything") for key in UNSURE if key in row}
    by = labels.model if "best-prompt" in name else labels.prompt if "best-model" in name else None
    if by is not None:
        best = {key: max(split.accuracy[p] for p in by if by[p] == key) for key in {*by.values()}}
        held = {by[proposer]: split.accuracy[proposer] for proposer in team}
        expected["team"] = Holds(lambda _: held == best and len(team) == len(best), "the best of each")
    else:
        expected["team"] = Holds(lambda found: set(found) == labels.said.keys(), "everybody")
    return {**expected, "distance": None, "proven": 0, "accuracies": {}}


def _single(labels: Labels, split: Split, row: Mapping[str, Any]) -> Row:
    (proposer,) = row["team"]
    every = list(labels.right)
    hits = labels.hits(proposer, every)
    return {
        "method": f"single:{proposer}",
        "model": labels.model[proposer],
        "prompt": labels.prompt[proposer],
        "k": 1,
        "selection_accuracy": None,
        "test_accuracy": mean(labels.hits(proposer, every)),
        "n": len(every),
        "unanswered": sum(labels.said[proposer][question] is None for question in every),
        **_ungraded(
            labels,
            [None if (proposer, question) in labels.open else hit for question, hit in zip(every, hits, strict=True)],
        ),
    }


_OF_KIND: Mapping[str, Callable[[Labels, Split, Mapping[str, Any]], Row]] = {
    "selector": _method,
    "aggregator": _aggregator,
    "single": _single,
}


def _by_rule(labels: Labels, split: Split, row: Mapping[str, Any]) -> Iterator[str]:
    """That a team is one that its rule allows; ties may be decided either way."""
    team, accuracy, name = row["team"], split.accuracy, row["method"]
    outside = [proposer for proposer in labels.said if proposer not in team]
    in_order = all(accuracy[one] >= accuracy[other] - 1e-12 for one, other in pairwise(team))
    if name in ("input-all", "top-accuracy"):
        wanted = len(labels.said) if name == "input-all" else row["k"]
        best = not outside or min(accuracy[p] for p in team) >= max(accuracy[p] for p in outside) - 1e-12
        if not (in_order and best and len(team) == wanted):
            yield f"{team} are not the {wanted} most accurate: {accuracy}"
    elif name == "best-model":
        models = {m: [p for p in labels.said if labels.model[p] == m] for m in labels.model.values()}
        means = {model: mean([accuracy[p] for p in own]) for model, own in models.items()}
        model = labels.model[team[0]]
        if set(team) != set(models[model]) or means[model] < max(means.values()) - 1e-9:
            yield f"{team} are not all of the most accurate model: {means}"
    elif name == "per-model-top":
        best_of = {m: max(accuracy[p] for p in labels.said if labels.model[p] == m) for m in labels.model.values()}
        if {labels.model[p]: accuracy[p] for p in team} != best_of or len(team) != len(best_of):
            yield f"{team} are not the best of each model: {accuracy}"
    else:
        yield from _diverse(labels, split, row)


def _diverse(labels: Labels, split: Split, row: Mapping[str, Any]) -> Iterator[str]:
    team, accuracy = row["team"], split.accuracy
    tau = mean([*accuracy.values()])
    if accuracy[team[0]] < max(accuracy.values()) - 1e-12:
        yield f"{team[0]} is not the most accurate"
    for place in range(1, len(team)):
        able = [p for p in labels.said if p not in team[:place] and accuracy[p] >= tau - 1e-12]
        if not able:
            return

        def apart(proposer: Proposer, place: int = place) -> float:
            said = labels.said
            return mean(
                [float(said[proposer][q] != said[member][q]) for member in team[:place] for q in split.chosen_on]
            )

        if team[place] not in able or apart(team[place]) < max(map(apart, able)) - 1e-9:
            yield f"{team[place]} does not disagree most with {team[:place]}"


def _equal(methods: Sequence[Mapping[str, Any]], row: Mapping[str, Any], labels: Labels) -> Row:
    """The first before it, with the same k, that chose the same; or the one that is equal by nature."""
    before = [m for m in methods[: methods.index(row)] if m["k"] == row["k"] and set(m["team"]) == set(row["team"])]
    if not before:
        return {"same_as": None, "why_same": None}
    one_prompt = len({*labels.model.values()}) == len(labels.said)
    nature = {"per-model-top": "input-all", "model-first": "greedy"}.get(row["method"])
    if one_prompt and nature in [other["method"] for other in before]:
        return {"same_as": nature, "why_same": WORDS}
    return {"same_as": next((o["method"] for o in before if o["same_as"] is None), None), "why_same": None}


def _value(labels: Labels, may_be: Rights) -> Value:
    (right,) = may_be
    if right is None:
        return Value(None, 0.0, 1.0, (None,))
    return Value(right, right, right, (Judged(right) if labels.settled else right,))


def _overs(
    labels: Labels, methods: Sequence[Mapping[str, Any]], rights: Mapping[str, Sequence[Rights]]
) -> dict[Any, Any]:
    """Each against top-accuracy on the same test questions; exact where no vote is tied."""
    names = list(dict.fromkeys(row["method"] for row in methods))
    overs: dict[Any, Any] = {(row["method"], row["k"]): None for row in methods}
    if len(names) < 2:
        return overs
    beside = "top-accuracy" if "top-accuracy" in names else names[0]
    reference = next(row for row in methods if row["method"] == beside)
    compared = [row for row in methods if set(row["team"]) != set(reference["team"])]
    if any(len(one) > 1 for row in (*compared, reference) for one in rights[row["method"]]):
        loose = Holds(lambda over: over["method"] == beside and -1 <= (over["difference"] or 0.0) <= 1, "a difference")
        return overs | {(row["method"], row["k"]): loose for row in compared}
    base = [_value(labels, one) for one in rights[beside]]
    rows = []
    for row in compared:
        own = [_value(labels, one) for one in rights[row["method"]]]
        pairs = {str(q): [(a, b)] for q, (a, b) in enumerate(zip(own, base, strict=True))}
        rows.append({"method": beside, **difference(pairs, means=False), **bounds(pairs)})
    # Whoever chose the same is one more name for one difference, and nobody pays for it twice.
    teams = [frozenset(row["team"]) for row in compared]
    once = [place for place, team in enumerate(teams) if team not in teams[:place]]
    paid = dict(zip([teams[place] for place in once], adjusted([rows[place] for place in once]), strict=True))
    return overs | {(row["method"], row["k"]): paid[team] for row, team in zip(compared, teams, strict=True)}


def _beaten(
    methods: Sequence[Mapping[str, Any]], row: Mapping[str, Any], rights: Mapping[str, Sequence[Rights]]
) -> Any:
    """Another method that is better, the choice of it paid for. Methods that chose the same count once."""
    different = [other for other in methods if other["same_as"] is None and other["test_accuracy"] is not None]
    stands_for = row
    while stands_for["same_as"] is not None:
        stands_for = next(other for other in methods if other["method"] == stands_for["same_as"])
    others = [other for other in different if other is not stands_for]
    if len(different) < 2:
        return None
    if any(len(one) > 1 or None in one for other in different for one in rights[other["method"]]):
        names = {None, *(other["method"] for other in others)}
        return Holds(lambda name: name in names, f"one of {names}")
    table = np.array([[min(one) for one in rights[other["method"]]] for other in others])
    own = np.array([min(one) for one in rights[stands_for["method"]]])
    found = standing(own, table, None, means=False)
    may_be = {None} if found.p[1] > SIDE or found.place is None else set()
    may_be |= {others[found.place]["method"]} if found.place is not None and found.p[0] <= SIDE else set()
    return Holds(lambda name: name in may_be, f"one of {may_be}")


def several_splits(labels: Labels, rows: Sequence[Mapping[str, Any]], splits: int) -> Iterator[str]:
    """What rows over several splits must say, whichever questions were drawn."""
    for row in rows:
        if row["kind"] == "single":
            continue
        teams = row["teams"]
        models = Counter(labels.model[proposer] for team in teams for proposer in team)
        sizes = [len(team) for team in teams]
        expected = {"splits": splits, "team": teams[0], "size": mean([float(size) for size in sizes])}
        expected["counts"] = {model: models[model] / splits for model in models}
        expected["n"] = Holds(lambda n: 0 < n <= len(labels.right), "questions that were tested")
        expected["deviation"] = Holds(lambda value: 0 <= value <= stdev([0.0, 1.0]), "a deviation of shares")
        told = {key: row[key] for key in expected}
        yield from (f"{row['method']}: {line}" for line in differences(told, expected))
        if len(teams) != splits:
            yield f"{row['method']}: {len(teams)} teams"
        size = len(labels.right) - len(next(other["chosen_on_ids"] for other in rows if "chosen_on_ids" in other))
        may_be = list(_limits_over_splits(row, splits, size))
        if not any(np.allclose((row["low"], row["high"]), limits, atol=1e-6) for limits in may_be):
            yield f"{row['method']}: {row['low']} to {row['high']} is none of {may_be}"
        yield from (f"{row['method']}: {wrong}" for wrong in _over_splits(rows, row))
        if not math.isclose(sum(one["share"] for one in row["right_labels"]), 1.0):
            yield f"{row['method']}: the shares of right labels are not all"


def _limits_over_splits(row: Mapping[str, Any], splits: int, size: int) -> Iterator[tuple[float, float]]:
    """The means of the splits' own limits. Mean and deviation leave few ways how many each of them got right."""
    total = round(row["test_accuracy"] * size * splits)
    ends = [share_interval([(1.0, 1.0)] * right + [(0.0, 1.0)] * (size - right)) for right in range(size + 1)]
    for rights in combinations_with_replacement(range(size + 1), splits):
        if sum(rights) == total and math.isclose(stdev(rights) / size, row["deviation"], abs_tol=1e-9):
            lows, highs = zip(*(ends[right] for right in rights), strict=True)
            yield mean([float(low or 0.0) for low in lows]), mean([float(high or 0.0) for high in highs])


def _over_splits(rows: Sequence[Mapping[str, Any]], row: Mapping[str, Any]) -> Iterator[str]:
    """A difference to another method is that of their means; words, p and interval say one thing."""
    over = row.get("over")
    if over is None:
        return
    other = next(one for one in rows if (one["method"], one["k"]) == (over["method"], row["k"]))
    if not math.isclose(over["difference"], row["test_accuracy"] - other["test_accuracy"], abs_tol=1e-9):
        yield f"{over['difference']} is not {row['test_accuracy']} less {other['test_accuracy']}"
    for end in ("", "_holm"):
        low, high, p = over[f"low{end}"], over[f"high{end}"], over[f"p{end}"]
        if not low <= over["difference"] <= high or (p <= 0.05) != (low > 0 or high < 0):
            yield f"{over['difference']} with {low} to {high} and p {p}"
