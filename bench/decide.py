"""Rules that decide from the same answers, on recorded answers to MMLU-Pro: ten teams of six, drawn before looking.

Everything is told about questions that nothing was learnt on. The data are not part of moot: MOOT_DATA names the folder that
holds mmlu_pro_answers.parquet. Seven minutes of one core that has other work too.

    python bench/decide.py
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow.parquet as parquet

from moot.decide.candidates import Candidates, Floats, Places, candidates_of
from moot.decide.choice_model import ChoiceModel
from moot.decide.learning import LEARNT, LearntRule, best_player, folds_of, learn_rule, most_probable
from moot.decide.one_coin import dawid_skene, naive_bayes
from moot.decide.rules import DraftRule, Leader, MostProbable, Plurality, WeightedSum, expected_worth, winners
from moot.decide.weights import weights_by_accuracy
from moot.select.files import read_labels
from moot.select.labels import LabelMatrix
from moot.select.voting import names_of

DATA = Path(os.environ.get("MOOT_DATA") or Path(__file__).parents[2] / "shared" / "data") / "mmlu_pro_answers.parquet"
SEED = 18
SIZE = 6
FAR_BEHIND = 0.2
"""So far the others of a dominated team are behind the strongest, or farther."""
FOLDS = 4
DRAWS = 50
FEW_DRAWS = 10
COVERED = 0.8
BINS = 10


@dataclass(frozen=True, slots=True, eq=False)
class DrawnTeam:
    kind: str
    candidates: Candidates
    """With what each answer is worth, of all questions; no categories."""
    categories: tuple[str, ...]


def drawn_teams(labels: LabelMatrix, categories: Sequence[str]) -> list[DrawnTeam]:
    """By lot, with nothing known but how accurate each model is alone.

    Weak: of the less accurate half. Mixed: of all. Dominated: the most accurate, and five of those far behind it.
    """
    draw = np.random.default_rng(SEED)
    order = np.argsort(-labels.accuracy, kind="stable")
    strongest, half = order[0], order[len(order) // 2 :]
    behind = np.flatnonzero(labels.accuracy <= labels.accuracy[strongest] - FAR_BEHIND)
    drawn = [("weak", draw.choice(half, SIZE, replace=False)) for _ in range(3)]
    drawn += [("mixed", draw.choice(order, SIZE, replace=False)) for _ in range(4)]
    drawn += [("dominated", np.append(strongest, draw.choice(behind, SIZE - 1, replace=False))) for _ in range(3)]
    teams = []
    for kind, members in drawn:
        team = labels.only(sorted(int(member) for member in members))
        teams.append(DrawnTeam(kind, candidates_of(names_of(team), team.codes, team.worth), tuple(categories)))
    return teams


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """Of each question: what the answer taken is worth, and how sure the rule was of it."""

    worth: Floats
    chance: Floats

    @classmethod
    def of(cls, rule: DraftRule, chances: Floats, candidates: Candidates) -> Told:
        place = winners(rule, candidates).argmax(axis=1)
        return cls(expected_worth(rule, candidates), chances[np.arange(len(candidates)), place])

    def calibration_error(self, asked: Places) -> float:
        """Ten bins of equal width: how far the mean probability is from the share that is right, by questions."""
        bins = np.minimum((self.chance[asked] * BINS).astype(int), BINS - 1)
        gaps = np.bincount(bins, self.chance[asked] - self.worth[asked], minlength=BINS)
        return float(np.abs(gaps).sum() / len(asked))

    def where_surest(self) -> float:
        """How right it is on the four fifths of the questions of which it is surest; equally sure ones by lot."""
        lot = np.random.default_rng(SEED).random(len(self.chance))
        surest = np.lexsort((lot, -self.chance))[: round(COVERED * len(self.chance))]
        return float(self.worth[surest].mean())


@dataclass(frozen=True, slots=True)
class EachAlone:
    """One logistic regression for all answers, each looked at alone: who gave it, and how the answers are divided."""

    row: Floats

    @classmethod
    def learnt(cls, candidates: Candidates, penalty: float = 3.0, weak: float = 0.05) -> EachAlone:
        features, right = cls._features(candidates)[candidates.given], candidates.worth[candidates.given]
        row = np.zeros(features.shape[1])
        pull = np.full(len(row), weak)
        pull[: len(candidates.players)] = penalty
        for _ in range(30):
            chance = 1 / (1 + np.exp(-features @ row))
            curve = (features * (chance * (1 - chance))[:, None]).T @ features + np.diag(pull)
            step = np.linalg.solve(curve, features.T @ (chance - right) + pull * row)
            row = row - step * min(1.0, 2.0 / max(float(np.abs(step).max()), 1e-9))
            if np.abs(step).max() < 1e-6:
                break
        return cls(row)

    @staticmethod
    def _features(candidates: Candidates) -> Floats:
        counts, players = candidates.counts, len(candidates.players)
        first = counts.max(axis=1, keepdims=True)
        second = np.sort(counts, axis=1)[:, -2:-1]
        rival = np.where(counts == first, second, first)
        different = np.broadcast_to(candidates.given.sum(axis=1)[:, None], counts.shape)
        silent = np.broadcast_to((players - counts.sum(axis=1))[:, None], counts.shape)
        told = np.stack([np.ones_like(counts), counts, rival, different, silent], axis=2)
        return np.concatenate([candidates.support, told], axis=2)

    def chances(self, candidates: Candidates) -> Floats:
        return np.where(candidates.given, 1 / (1 + np.exp(-self._features(candidates) @ self.row)), 0.0)

    def scores(self, candidates: Candidates) -> Floats:
        return np.where(candidates.given, self.chances(candidates), -np.inf)

    def words(self) -> str:
        return "the answer with the highest probability, each looked at alone"


def told_by_model(rule: DraftRule, model: ChoiceModel, candidates: Candidates) -> Told:
    return Told.of(rule, model.probabilities(candidates), candidates)


def across(team: DrawnTeam, units: Sequence[str]) -> dict[str, Told]:
    """Each quarter of the questions by what was learnt on the others."""
    candidates = team.candidates
    fold_of = folds_of(units, FOLDS, role="bench")
    found: dict[str, Told] = {}

    def keep(name: str, inside: Places, told: Told) -> None:
        whole = found.setdefault(name, Told(np.zeros(len(units)), np.zeros(len(units))))
        whole.worth[inside], whole.chance[inside] = told.worth, told.chance

    everything = np.arange(len(units))
    alone = candidates.players.index(best_player(candidates))
    keep("best single", everything, Told((candidates.support[:, :, alone] * candidates.worth).sum(axis=1), np.zeros(1)))
    sizes = candidates.counts / SIZE
    keep("plurality", everything, Told.of(Plurality(), sizes, candidates))
    keep("Dawid–Skene", everything, Told.of(dawid_skene(candidates), sizes, candidates))
    keep("skyline", everything, Told(candidates.worth.max(axis=1), np.zeros(1)))
    for fold in range(FOLDS):
        inside, outside = np.flatnonzero(fold_of == fold), np.flatnonzero(fold_of != fold)
        train, test = candidates.at(outside), candidates.at(inside)
        names = [units[place] for place in outside]
        rule = learn_rule(train, names)
        shares = test.counts / SIZE
        keep("best, others if silent", inside, Told.of(Leader(best_player(train)), shares, test))
        keep("by accuracy", inside, Told.of(WeightedSum(weights_by_accuracy(train)), shares, test))
        keep("naive Bayes", inside, Told.of(naive_bayes(train), shares, test))
        keep("learnt", inside, told_by_model(rule.rule, rule.model, test))
        keep("model alone", inside, told_by_model(MostProbable(rule.model), rule.model, test))
        by_category = Candidates(candidates.players, candidates.support, candidates.worth, team.categories)
        model = most_probable(by_category.at(outside), names).model
        keep("by category", inside, told_by_model(MostProbable(model), model, by_category.at(inside)))
        each = EachAlone.learnt(train)
        keep("each answer alone", inside, Told.of(each, each.chances(test), test))
    return found


@dataclass(frozen=True, slots=True)
class Drawn:
    """The means over draws of so many labelled questions, on all others."""

    learnt: float
    model: float
    kept: float
    """In what share of the draws the learnt rule was kept."""
    error: float
    each_alone_error: float


def from_few(team: DrawnTeam, units: Sequence[str], labelled: int, draws: int, *, rules: bool) -> Drawn:
    """`rules`: with the fall-back, which costs five times as much; else the model alone, for its probabilities."""
    rows = []
    for number in range(draws):
        order = np.random.default_rng([SEED, labelled, number]).permutation(len(units))
        known, others = np.sort(order[:labelled]), order[labelled:]
        names = [units[place] for place in known]
        train = team.candidates.at(known)
        rule: LearntRule | MostProbable = learn_rule(train, names) if rules else most_probable(train, names)
        plain = told_by_model(MostProbable(rule.model), rule.model, team.candidates)
        told = told_by_model(rule.rule, rule.model, team.candidates) if isinstance(rule, LearntRule) else plain
        each = EachAlone.learnt(train)
        alone = Told.of(each, each.chances(team.candidates), team.candidates)
        kept = isinstance(rule, LearntRule) and rule.kept == LEARNT
        accuracies = told.worth[others].mean(), plain.worth[others].mean()
        rows.append([*accuracies, kept, told.calibration_error(others), alone.calibration_error(others)])
    return Drawn(*np.mean(rows, axis=0).tolist())


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    print("\n| " + " | ".join(head) + " |\n|" + " --- |" * len(head))
    for row in rows:
        print(
            "| " + " | ".join(cell if isinstance(cell, str) else f"{100 * float(str(cell)):.1f}" for cell in row) + " |"
        )


def main() -> None:
    started = time.process_time()
    labels = read_labels(DATA, ["same_version"])
    columns = parquet.read_table(DATA, columns=["question_id", "category"]).to_pydict()
    category = dict(zip(map(str, columns["question_id"]), columns["category"], strict=True))
    teams = drawn_teams(labels, [category[question] for question in labels.questions])
    units = list(labels.questions)
    print(f"{len(labels.proposers)} models, {labels.size} questions, seed {SEED}, {FOLDS} folds, {DRAWS} draws")
    for number, team in enumerate(teams, 1):
        print(f"{number}. {team.kind}: {', '.join(team.candidates.players)}")
    titles = [f"{number} {team.kind}" for number, team in enumerate(teams, 1)]

    whole = [across(team, units) for team in teams]
    names = list(whole[0])
    rows = [[title, *(told[name].worth.mean() for name in names)] for title, told in zip(titles, whole, strict=True)]
    table(["team", *names], [*rows, ["mean", *np.mean([row[1:] for row in rows], axis=0)]])

    sure = ["plurality", "learnt", "model alone", "by category", "each answer alone"]
    rows = [[title, *(told[name].where_surest() for name in sure)] for title, told in zip(titles, whole, strict=True)]
    print("\nOn the four fifths of which each is surest:")
    table(["team", *sure], [*rows, ["mean", *np.mean([row[1:] for row in rows], axis=0)]])
    print(f"({time.process_time() - started:.0f} s)", flush=True)

    cells: list[list[float]] = [[] for _ in teams]
    head = ["team", "max(best single, plurality)"]
    for labelled, draws in ((25, FEW_DRAWS), (50, FEW_DRAWS), (200, DRAWS)):
        head += [f"{labelled}: learnt", "model alone", "kept"]
        for cell, team, told in zip(cells, teams, whole, strict=True):
            few = from_few(team, units, labelled, draws, rules=True)
            best = max(told["best single"].worth.mean(), told["plurality"].worth.mean())
            cell[:] = [best, *cell[1:], few.learnt, few.model, few.kept]
            if labelled == 200:
                cell += [few.error, few.each_alone_error]
    for cell, team in zip(cells, teams, strict=True):
        many = from_few(team, units, 1_000, DRAWS, rules=False)
        cell += [many.error, many.each_alone_error]
    table(
        head,
        [[title, *cell[:-4]] for title, cell in zip([*titles, "mean"], [*cells, np.mean(cells, axis=0)], strict=True)],
    )
    errors = ["team", "200: calibration error", "each answer alone", "1,000: calibration error", "each answer alone"]
    table(
        errors,
        [[title, *cell[-4:]] for title, cell in zip([*titles, "mean"], [*cells, np.mean(cells, axis=0)], strict=True)],
    )
    print(f"({time.process_time() - started:.0f} s of CPU)")


if __name__ == "__main__":
    main()
