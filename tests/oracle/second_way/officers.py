"""What stands beside the players: how far judges agree, what measuring took, summarisers, and reading comprehension."""

from __future__ import annotations

import json
import math
import re
import string
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from scipy import optimize

from second_way.bounded import spline_chance
from second_way.compare import ANY_TEXT
from second_way.intervals import mean
from second_way.luck import SIDE
from second_way.meanings import Meanings, plain
from second_way.ranked import Ranked
from second_way.raw import Cell, Episode, Raw
from second_way.shares import Grade, accuracy_row, graded, rights, share_row, untold
from second_way.tables import drafts_of, table_of, tables

Row = dict[str, Any]


def officers(raw: Raw) -> Row:
    mixtures = [(cell, _mixture(raw, cell)) for cell in raw.cells if cell.strategy == "mixture"]
    figures: Row = {
        "judges": _judges(raw),
        "measurement": _measurement(raw),
        "grouped_by_words": _grouped_by_words(raw),
        "squad": list(_squad(raw)),
    }
    figures = {key: value for key, value in figures.items() if value}
    if mixtures:
        figures |= {"mixtures": [row for _, row in mixtures], "partners": list(_partners(raw, mixtures))}
    return figures


# ---------------------------------------------------------------- judges and grouping


def _judges(raw: Raw) -> Row | None:
    """Of the answers that both have judged here, drafts among them."""
    names = (raw.config.get("judge") or {}).get("models", ())
    if len(names) != 2:
        return None
    # What a team was chosen on says nothing for the team; of judges it tells as much as any answer.
    given = [(row["question_id"], row["answer"]) for row in raw.tables["verdicts"]]
    answered = {(question, plain(answer)) for question, answer in given if answer is not None}
    answered |= {(row["question_id"], plain(row["text"])) for row in raw.tables["drafts"] if row["text"] is not None}
    words: dict[tuple[str, str], dict[str, bool]] = {}
    for row in raw.tables["judgements"]:
        place = row["question_id"], row["answer"]
        if row["right"] is not None and place in answered:
            words.setdefault(place, {})[row["judge_name"]] = bool(row["right"])
    pairs = {place: (said[names[0]], said[names[1]]) for place, said in words.items() if len(said) == 2}
    if not pairs:
        return None
    agreed = mean([float(one == other) for one, other in pairs.values()])
    kappa = _kappa(np.array([_table([*pairs.values()])], dtype=float))[0]
    row = {"judges": list(names), "n": len(pairs), "agreement": agreed, "kappa": None}
    row |= {"kappa_low": None, "kappa_high": None, "disputed": sum(one != other for one, other in pairs.values())}
    if math.isnan(kappa):
        return {**row, "why": ANY_TEXT}
    by_question: dict[str, list[tuple[bool, bool]]] = {}
    for (question, _), pair in pairs.items():
        by_question.setdefault(question, []).append(pair)
    row["kappa"] = float(kappa)
    if len(by_question) < 2:
        return {**row, "why": ANY_TEXT}
    low, high = (_kappa_end([*by_question.values()], float(kappa), end) for end in (-1.0, 1.0))
    return {**row, "kappa_low": low, "kappa_high": high}


def _kappa_end(questions: Sequence[Sequence[tuple[bool, bool]]], kappa: float, end: float) -> float:
    """Where a kappa comes to be ruled out on that side. Each answer gives whether the judges differ, less 1 - kappa of what
    it adds to chance: how the chance of two independent judges to differ moves with it. One more question stands there, as
    large as the largest, that goes as far the other way as any pair of words can."""
    every = [pair for several in questions for pair in several]
    yes = mean([float(one) for one, _ in every]), mean([float(other) for _, other in every])
    by_chance = yes[0] * (1 - yes[1]) + yes[1] * (1 - yes[0])
    slopes = 1 - 2 * yes[1], 1 - 2 * yes[0]

    def part(one: bool, other: bool, at: float) -> float:
        chance = by_chance + slopes[0] * (one - yes[0]) + slopes[1] * (other - yes[1])
        return end * (float(one != other) - (1 - at) * chance)

    def over(at: float) -> float:
        seen = [sum(part(*pair, at) for pair in several) for several in questions]
        unseen = min(part(one, other, at) for one in (False, True) for other in (False, True))
        return spline_chance([*seen, unseen * max(map(len, questions))]) - SIDE

    return end if over(end) >= 0 or over(kappa) <= 0 else float(optimize.brentq(over, kappa, end))


def _table(pairs: Sequence[tuple[bool, bool]]) -> list[float]:
    counts = Counter(pairs)
    return [float(counts[one, other]) for one in (False, True) for other in (False, True)]


def _kappa(tables: Any) -> Any:
    """Cohen's, of each table of who said what; not a number where both say one word to everything."""
    total = tables.sum(axis=1)
    observed = (tables[:, 0] + tables[:, 3]) / total
    first, second = (tables[:, 2] + tables[:, 3]) / total, (tables[:, 1] + tables[:, 3]) / total
    expected = first * second + (1 - first) * (1 - second)
    with np.errstate(all="ignore"):
        return np.where(expected < 1 - 1e-12, (observed - expected) / (1 - expected), np.nan)


def _measurement(raw: Raw) -> Row | None:
    """Calls of the grouping model that no strategy made in play, be it on questions that it was chosen on."""
    model = (raw.config.get("grouping") or {}).get("model")
    played = {step[3] for row in raw.tables["verdicts"] for step in json.loads(row["transcript"])}
    calls = [call for key, call in raw.calls.items() if model and call["model"] == model and key not in played]
    if not calls:
        return None
    costs = [call["cost_usd"] for call in calls]
    return {"calls": len(calls), "cost_usd": None if None in costs else math.fsum(costs)}


def _grouped_by_words(raw: Raw) -> int:
    """Sets of drafts in other words than each other's of which the grouping model has said nothing usable."""
    if not (raw.config.get("grouping") or {}).get("model"):
        return 0
    meanings = Meanings(raw)
    sets = {
        (
            table_of(raw, cell).name,
            episode.question,
            episode.repeat // int(cell.traits.get("repeats", 1)),
            tuple(drafts),
        )
        for cell in raw.cells
        if cell.player is None
        for episode in raw.episodes(cell)
        if (drafts := drafts_of(cell, episode))
    }
    for table in tables(raw):
        sets |= {(table.name, *key, tuple(drafts)) for key, drafts in table.whole.items() if drafts}
    return sum(meanings.by_words(question, repeat, drafts) for _, question, repeat, drafts in sets)


# ---------------------------------------------------------------- summarisers


def _mixture(raw: Raw, cell: Cell) -> Row:
    episodes = raw.episodes(cell)
    grades: dict[str, list[Grade]] = {}
    counts: dict[int, list[float]] = {}
    proposers: list[str] = []
    looks: list[list[Grade]] = []
    unknown = cut = 0
    for episode in episodes:
        grades.setdefault(episode.question, []).append(episode.right)
        drafts = [(answer[0], answer[1]) for answer in episode.verdict.get("answers", ())]
        proposers = [player for player, _ in drafts] or proposers
        cut += any(record["kind"] == "cut" for record in episode.traces)
        responses = [raw.draft_grades[episode.question, text] for _, text in drafts if text is not None]
        looks.append([episode.right, *responses])
        if not graded(episode.right):
            continue
        if not all(map(graded, responses)):
            unknown += 1
        else:
            counts.setdefault(sum(right == 1.0 for right in responses), []).append(episode.right)
    ungraded = sum(not graded(episode.right) for episode in episodes)
    if flattering := untold(looks):
        counts = {}
    open_ones = bool(flattering or ungraded or unknown)
    shown = cell.options["accuracies"] == "shown"
    told = ("shown" if cell.options.get("shown_accuracies") else "unknown") if shown else "hidden"
    return {
        "label": cell.label,
        "team": cell.team,
        "summariser": cell.options.get("summariser") or cell.captain,
        "order": cell.options["order"],
        "accuracies": told,
        "proposers": proposers,
        "size": len(proposers),
        **share_row(grades),
        "episodes": len(episodes),
        "ungraded": ungraded,
        "unknown_labels": unknown,
        "cut": cut,
        "right_labels": [_label_row(c, counts, open_ones=open_ones) for c in range(len(proposers) + 1)],
    }


def _label_row(c: int, counts: dict[int, list[float]], *, open_ones: bool) -> Row:
    rights, total = counts.get(c, []), sum(map(len, counts.values()))
    row: Row = {"c": c, "n": len(rights), "share": len(rights) / total if total else None}
    row["accuracy"] = mean(rights) if rights else None
    return {**row, "why": ANY_TEXT} if open_ones and not rights else row


def _partners(raw: Raw, mixtures: Sequence[tuple[Cell, Row]]) -> Iterator[Row]:
    """Of a summariser who read proposers one at a time: the most accurate, and whom it is most right with, over the
    questions that all of those have who are ranked."""
    groups: dict[tuple[Any, ...], list[tuple[str, dict[str, float], dict[str, float]]]] = {}
    for cell, row in mixtures:
        if row["size"] != 1 or row["value"] is None:
            continue
        alone = table_of(raw, cell).solo.get(row["proposers"][0])
        if alone is None or untold([[episode.right] for episode in raw.episodes(alone)]):
            continue
        summed, single = _known(raw, cell), _known(raw, alone)
        both = summed.keys() & single.keys()
        key = row["summariser"], row["order"], row["accuracies"]
        of_both = [{question: grades[question] for question in both} for grades in (summed, single)]
        groups.setdefault(key, []).append((row["proposers"][0], of_both[0], of_both[1]))
    for (summariser, _, _), several in groups.items():
        ranked = Ranked({str(place): summed for place, (_, summed, _) in enumerate(several)})
        if len(ranked.names) < 2:
            continue
        means = [
            (
                several[int(place)][0],
                *(mean([grades[q] for q in ranked.questions]) for grades in several[int(place)][1:]),
            )
            for place in ranked.names
        ]
        top, best = max(means, key=lambda one: one[2]), max(means, key=lambda one: one[1])
        yield {
            "summariser": summariser,
            "most_accurate": top[0],
            "with_most_accurate": top[1],
            "most_complementary": best[0],
            "with_most_complementary": best[1],
            "its_accuracy": best[2],
            "n": len(ranked.questions),
            "left_out": [several[int(place)][0] for place in ranked.out],
        }


def _known(raw: Raw, cell: Cell) -> dict[str, float]:
    """By question: the mean of its grades, where it has any."""
    grades: dict[str, list[Grade]] = {}
    for episode in raw.episodes(cell):
        grades.setdefault(episode.question, []).append(episode.right)
    return {question: mean(rights(those)) for question, those in grades.items() if rights(those)}


# ---------------------------------------------------------------- reading comprehension


def _squad(raw: Raw) -> Iterator[Row]:
    """F1 and exact match as SQuAD 2.0 has them, over all, over what can be answered and what cannot."""
    read = {q: row for q, row in raw.questions.items() if row.get("meta", {}).get("score") == "f1"}
    if not read:
        return
    for cell in raw.cells:
        named: Row = {"strategy": cell.strategy, "label": cell.label}
        named |= {"player": cell.player} if cell.player else {"team": cell.team, "captain": cell.captain}
        for part in ("all", "answerable", "unanswerable"):
            episodes = [
                episode
                for episode in raw.episodes(cell)
                if episode.question in read and part in ("all", _kind(read[episode.question]))
            ]
            if not episodes:
                continue
            f1, exact = (
                accuracy_row(_scores(read, episodes, score), name)
                for name, score in (("f1", _f1), ("exact", lambda one, other: float(one == other)))
            )
            row = {**f1, "exact": exact["exact"], "exact_low": exact["low"], "exact_high": exact["high"]}
            yield {**named, "part": part, **row}


def _kind(row: Any) -> str:
    return "unanswerable" if row.get("answer") is None else "answerable"


def _scores(read: Any, episodes: Sequence[Episode], score: Any) -> dict[str, list[Grade]]:
    scores: dict[str, list[Grade]] = {}
    for episode in episodes:
        row = read[episode.question]
        gold = [""] if row.get("answer") is None else [row["answer"], *row.get("accepted", ())]
        said = None if episode.answer is None else _squad_words(_nothing(episode.answer))
        best = 0.0 if said is None else max(score(said, _squad_words(answer)) for answer in gold)
        scores.setdefault(episode.question, []).append(best)
    return scores


def _nothing(answer: str) -> str:
    return "" if plain(answer) == "unknown" else answer


def _squad_words(text: str) -> list[str]:
    bare = "".join(sign for sign in text.lower() if sign not in string.punctuation)
    return re.sub(r"\b(a|an|the)\b", " ", bare).split()


def _f1(one: list[str], other: list[str]) -> float:
    if not one or not other:
        return float(one == other)
    common = sum((Counter(one) & Counter(other)).values())
    return 2 * common / (len(one) + len(other)) if common else 0.0
