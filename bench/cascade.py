"""Cascades on recorded answers to MMLU-Pro: the ten teams of bench/decide.py, one player after another.

Order, weights and probabilities are learnt on three quarters of the questions, and told on the fourth. So are thresholds: the
lowest that costs no more than so many points of what everybody reaches, on questions that the models of that part were not learnt
on either. The data are not part of moot: MOOT_DATA names the folder that holds mmlu_pro_answers.parquet. Three minutes.

    python bench/cascade.py
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from decide import DATA, FOLDS, SEED, SIZE, DrawnTeam, drawn_teams, table
from moot.decide.candidates import Candidates, Floats, Places
from moot.decide.cascading import StopRule, UntilDecided, UntilSure, best_order, in_waves, learnt_order, replayed
from moot.decide.cascading import stage_models as models_of
from moot.decide.learning import LearntRule, best_player, folds_of, learn_rule
from moot.decide.one_coin import dawid_skene
from moot.decide.rules import Plurality, WeightedSum, expected_worth
from moot.decide.weights import weights_by_accuracy
from moot.select.files import read_labels

THRESHOLDS = tuple(round(0.95 - 0.025 * step, 3) for step in range(30))
LOSS = 0.001
"""What a threshold may cost on the questions that it is chosen on."""
DRAWS = 20
FEW = 200


class Tried:
    """Of each question: what the answer is worth, and the calls that it took."""

    def __init__(self, questions: int) -> None:
        self.worth, self.calls = np.zeros(questions), np.zeros(questions)

    def note(self, inside: Places, worth: Floats, calls: Floats | float) -> None:
        self.worth[inside], self.calls[inside] = worth, calls


def threshold_on(train: Candidates, units: Sequence[str], rule: LearntRule, order: Sequence[int]) -> float:
    """The lowest that loses next to nothing, told on each half of these questions by models of the other."""
    fold_of, waves = folds_of(units, 2, role="threshold"), in_waves(order)
    lost = dict.fromkeys(THRESHOLDS, 0.0)
    for fold in (0, 1):
        known, other = train.at(np.flatnonzero(fold_of != fold)), train.at(np.flatnonzero(fold_of == fold))
        models, whole = models_of(known, waves, rule.model.penalty), expected_worth(rule.rule, other).sum()
        for threshold in THRESHOLDS:
            found = replayed(other, waves, UntilSure(threshold, models, rule.rule))
            lost[threshold] += float(whole - found.worth(other).sum()) / len(train)
    kept = [THRESHOLDS[0]]
    for threshold in THRESHOLDS:
        if lost[threshold] > LOSS:
            break
        kept.append(threshold)
    return kept[-1]


def across(team: DrawnTeam, units: Sequence[str]) -> tuple[dict[str, Tried], list[float]]:
    candidates = team.candidates
    fold_of = folds_of(units, FOLDS, role="bench")
    found: dict[str, Tried] = {}
    thresholds = []

    def note(name: str, inside: Places, worth: Floats, calls: Floats | float = SIZE) -> None:
        found.setdefault(name, Tried(len(units))).note(inside, worth, calls)

    for fold in range(FOLDS):
        inside, outside = np.flatnonzero(fold_of == fold), np.flatnonzero(fold_of != fold)
        train, test = candidates.at(outside), candidates.at(inside)
        names = [units[place] for place in outside]
        rule = learn_rule(train, names)
        note("vote", inside, expected_worth(Plurality(), test))
        note("learnt", inside, expected_worth(rule.rule, test))
        best, learnt = best_order(train), learnt_order(rule.model, rule.rule)
        models = {**models_of(train, in_waves(best), rule.model.penalty, rule.model)}
        models |= models_of(train, in_waves(learnt), rule.model.penalty, rule.model)
        thresholds.append(threshold_on(train, names, rule, learnt))

        def replay(
            name: str,
            order: Sequence[int],
            until: StopRule,
            size: int = 1,
            inside: Places = inside,
            test: Candidates = test,
        ) -> None:
            path = replayed(test, in_waves(order, size), until)
            note(name, inside, path.worth(test), path.calls)

        replay("vote, decided", best, UntilDecided())
        replay("learnt, decided", learnt, UntilDecided(rule.rule))
        replay("in twos", learnt, UntilDecided(rule.rule), 2)
        replay("best, 0.9", best, UntilSure(0.9, models, rule.rule))
        replay("0.9 alone", learnt, UntilSure(0.9, models, rule.rule, or_decided=False))
        replay("chosen t", learnt, UntilSure(thresholds[-1], models, rule.rule))
        replay("chosen t alone", learnt, UntilSure(thresholds[-1], models, rule.rule, or_decided=False))
    return found, thresholds


def beside(team: DrawnTeam, units: Sequence[str]) -> dict[str, float]:
    """How right others are on the same questions, as bench/decide.py has them: the best alone, votes of all six, and somebody."""
    candidates = team.candidates
    fold_of, by_accuracy = folds_of(units, FOLDS, role="bench"), np.zeros(len(units))
    for fold in range(FOLDS):
        inside, outside = np.flatnonzero(fold_of == fold), np.flatnonzero(fold_of != fold)
        rule = WeightedSum(weights_by_accuracy(candidates.at(outside)))
        by_accuracy[inside] = expected_worth(rule, candidates.at(inside))
    alone = candidates.players.index(best_player(candidates))
    found = {
        "best single": (candidates.support[:, :, alone] * candidates.worth).sum(axis=1),
        "plurality": expected_worth(Plurality(), candidates),
        "by accuracy": by_accuracy,
        "Dawid–Skene": expected_worth(dawid_skene(candidates), candidates),
        "skyline": candidates.worth.max(axis=1),
    }
    return {name: float(worth.mean()) for name, worth in found.items()}


def from_few(team: DrawnTeam, units: Sequence[str]) -> list[float]:
    """Learnt on 200 questions, told on all others: what `learnt` reaches, and the cascade's accuracy and calls."""
    rows = []
    for number in range(DRAWS):
        order = np.random.default_rng([SEED, FEW, number]).permutation(len(units))
        known, others = np.sort(order[:FEW]), order[FEW:]
        train, test = team.candidates.at(known), team.candidates.at(others)
        rule = learn_rule(train, [units[place] for place in known])
        path = replayed(test, in_waves(learnt_order(rule.model, rule.rule)), UntilDecided(rule.rule))
        rows.append([expected_worth(rule.rule, test).mean(), path.worth(test).mean(), path.calls.mean()])
    return [float(value) for value in np.mean(rows, axis=0)]


def main() -> None:
    started = time.process_time()
    labels = read_labels(DATA, ["same_version"])
    teams = drawn_teams(labels, [""] * labels.size)
    units = list(labels.questions)
    titles = [f"{number} {team.kind}" for number, team in enumerate(teams, 1)]
    tried = [across(team, units) for team in teams]
    names = list(tried[0][0])
    right = [[100 * float(found[name].worth.mean()) for name in names] for found, _ in tried]
    calls = [[float(found[name].calls.mean()) for name in names] for found, _ in tried]
    for words, rows in (("Right, in %", right), (f"Calls a question, of {SIZE}", calls)):
        print(f"\n{words}:")
        cells = [*rows, np.mean(rows, axis=0).tolist()]
        told = [
            [title, *(f"{value:.2f}" for value in row)] for title, row in zip([*titles, "mean"], cells, strict=True)
        ]
        table(["team", *names], told)
    others = [beside(team, units) for team in teams]
    rows = [[100 * right for right in found.values()] for found in others]
    cells = [*rows, np.mean(rows, axis=0).tolist()]
    print(f"\nBeside them, right in % (one call a question alone, {SIZE} for every vote):")
    told = [[title, *(f"{value:.2f}" for value in row)] for title, row in zip([*titles, "mean"], cells, strict=True)]
    table(["team", *others[0]], told)
    print("\nThresholds chosen on the other folds:", [[f"{each:.3g}" for each in chosen] for _, chosen in tried])
    few = [from_few(team, units) for team in teams]
    print(f"\nLearnt on {FEW} questions ({DRAWS} draws): learnt, cascade until decided, its calls")
    for title, row in zip([*titles, "mean"], [*few, np.mean(few, axis=0).tolist()], strict=True):
        print(f"  {title}: {100 * row[0]:.2f} {100 * row[1]:.2f} {row[2]:.2f}")
    print(f"({time.process_time() - started:.0f} s of CPU)")


if __name__ == "__main__":
    main()
