"""How often replies bear it out that a metric is a verdict: of one that is none next to never, of real ones nearly always."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import pytest
from scipy.stats import fisher_exact

from moot.data.logs.verdict_evidence import JudgedReply, evidence_of, fisher_upper

SIZES = (20, 100, 500, 2000)
Metric = Callable[[random.Random, bool, float, float], float]
"""Of a lot, whether the reply says the reference, what is the question's own from 0 to 1, and the model's."""

UNRELATED: dict[str, Metric] = {
    "concise": lambda lot, says, question, model: float(lot.random() < 0.7),
    "seldom": lambda lot, says, question, model: float(lot.random() < 0.05),
    "nearly always": lambda lot, says, question, model: float(lot.random() < 0.97),
    "polite tone": lambda lot, says, question, model: 0.6 + 0.4 * lot.random(),
    "any share": lambda lot, says, question, model: lot.random(),
    "of the question": lambda lot, says, question, model: float(question < 0.5),
    "of the model": lambda lot, says, question, model: float(model < 0.5),
    "always": lambda lot, says, question, model: 1.0,
    "shorter where it is right": lambda lot, says, question, model: float(lot.random() < (0.8 if says else 0.6)),
}
REAL: dict[str, Metric] = {
    "includes": lambda lot, says, question, model: float(says),
    "a judge that errs": lambda lot, says, question, model: float(says != (lot.random() < 0.05)),
    "a judge that takes other words": lambda lot, says, question, model: float(says or lot.random() < 0.1),
}


def passed(metric: Metric, replies: int, logs: int, *, models: int = 1, turned: Sequence[float] = (0.6,)) -> float:
    """In which share of logs. `turned`: how often each model is right, as far as the question lets it."""
    lot = random.Random(7)
    taken = 0
    for _ in range(logs):
        of_questions = [(lot.random(), lot.random()) for _ in range(replies // models)]
        of_models = [lot.random() for _ in range(models)]
        seen = []
        for number, (own, hard) in enumerate(of_questions):
            for place, of_model in enumerate(of_models):
                # Of several models each question is either easy for all or hard for all.
                says = hard < turned[place % len(turned)] if models > 1 else lot.random() < turned[0]
                seen.append(JudgedReply(says, metric(lot, says, own, of_model), str(number), str(place)))
        taken += evidence_of(seen).speaks_for()
    return taken / logs


@pytest.mark.parametrize("replies", SIZES)
@pytest.mark.parametrize("name", UNRELATED)
def test_what_is_no_verdict_is_taken_for_one_in_a_hundred_logs_at_most(name: str, replies: int) -> None:
    assert passed(UNRELATED[name], replies, 20_000 // replies) <= 0.01


@pytest.mark.parametrize("name", UNRELATED)
def test_nor_where_all_models_fail_at_the_same_questions(name: str) -> None:
    """Five models with the same replies are no five witnesses: of four questions one metric in sixteen fits by chance."""
    assert passed(UNRELATED[name], 20, 500, models=5) <= 0.01
    assert passed(UNRELATED[name], 100, 200, models=10) <= 0.01


def test_nor_is_what_only_the_better_model_does() -> None:
    by_model: Metric = lambda lot, says, question, model: float(model < 0.5)  # noqa: E731
    assert passed(by_model, 400, 50, models=2, turned=(0.9, 0.1)) == 0


@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize("replies", SIZES)
def test_real_verdicts_pass(name: str, replies: int) -> None:
    assert passed(REAL[name], replies, 10_000 // replies) >= (0.85 if replies == 20 else 0.99)


def test_real_verdicts_of_several_models_pass() -> None:
    assert passed(REAL["a judge that errs"], 200, 50, models=4, turned=(0.8, 0.6, 0.4, 0.9)) >= 0.98


def test_the_more_metrics_are_tried_the_stricter_it_is() -> None:
    seen = evidence_of([JudgedReply(n < 5, float(n < 5), str(n), "ann") for n in range(9)])
    assert seen.speaks_for(1)
    assert not seen.speaks_for(2)


@pytest.mark.parametrize("table", [(5, 0, 0, 3), (7, 2, 1, 9), (0, 4, 3, 1), (600, 40, 30, 500), (3, 0, 0, 0)])
def test_the_chance_is_fishers(table: tuple[int, int, int, int]) -> None:
    a, b, c, d = table
    wanted = fisher_exact([[a, b], [c, d]], alternative="greater").pvalue
    assert fisher_upper(a, b, c, d) == pytest.approx(wanted, rel=1e-7, abs=1e-12)


@pytest.mark.parametrize(("others", "against"), [(0.72, True), (0.3, False), (0.0, False)])
def test_what_goes_along_with_being_right_is_no_verdict_by_its_name(others: float, against: bool) -> None:
    """Of a column called score: 90 of 100 right replies have it, and so many of the others."""
    replies = [
        JudgedReply(number < 150, float(number % 150 < 150 * (0.9 if number < 150 else others)), f"q{number}", "ann")
        for number in range(300)
    ]
    assert evidence_of(replies).speaks_against is against
