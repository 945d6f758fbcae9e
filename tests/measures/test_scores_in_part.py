"""Questions scored by shares of words: every figure of one name is the same in every table, and counts go with it."""

from __future__ import annotations

from typing import Any

import pytest
from worlds import World, row

import moot
from moot import Case, Question
from moot.report.sections import all_sections

COUNT = 12
ASKED = [
    Case(
        Question(f"q{n}", f"Which house is number {n}?", context=f"Story {n}: the red house{n} by sea."),
        f"red house{n} by sea",
        meta={"score": "f1"},
        question_set="odd" if n % 2 else "even",
    )
    for n in range(COUNT)
]


def _says(name: str, n: int, sample: int) -> str:
    return {"ann": f"red house{n}", "bob": f"red house{n}" if n % 2 else "blue", "cat": f"red house{n} by sea"}[name]


def _after(name: str, n: int, texts: object) -> str:
    """ann is wholly right, bob half right, and cat as right as alone on two of three questions."""
    more = f"red house{n} by sea tall thin and white and old"
    return {"ann": f"red house{n} by sea", "bob": more, "cat": f"red house{n} by sea" if n % 3 else "red"}[name]


STRATEGIES = [
    "solo",
    {"peer-review": {"drafts": "single-call"}},
    {"peer-review": {"drafts": "single-call", "names": "shown"}},
    {"debate": {"drafts": "single-call", "max_rounds": 1}},
    "talkative",
]


@pytest.fixture(scope="module")
def results() -> moot.Results:
    world = World(_says, _after, asked=ASKED)
    return world.play(STRATEGIES, hypotheses=["net(talkative) > 0", "safety_multiple(talkative) > 0.1"])


def _accuracy(figures: Any, label: str, name: str) -> float:
    alone = label.startswith("solo")
    return float(row(figures["accuracy"], label=label, **{"player" if alone else "captain": name})["value"])


def test_alone_and_after_are_what_accuracy_says_wherever_they_stand(results: moot.Results) -> None:
    figures = results.figures
    stages = {each["stage"] for each in figures["safety_models"]}
    assert len(stages) == 4
    for of_model in figures["safety_models"]:
        stage, name = of_model["stage"], of_model["model"]
        native, after = _accuracy(figures, "solo", name), _accuracy(figures, stage, name)
        assert (of_model["native"], of_model["after"]) == pytest.approx((native, after))
        assert of_model["difference"] == pytest.approx(after - native)
        for when, value in (("alone", native), ("after", after)):
            assert row(figures["cohort_models"], stage=stage, model=name, when=when)["value"] == pytest.approx(value)
    for mean in figures["cohort_averages"]:
        label = "solo" if mean["when"] == "alone" else mean["stage"]
        assert mean["value"] == pytest.approx(
            sum(_accuracy(figures, label, name) for name in ("ann", "bob", "cat")) / 3
        )
    for covered in figures["coverage"]:
        assert covered["native"] == pytest.approx(figures["skyline"]["value"])
    for mean in figures["macro_average"]:
        means = {
            (each["label"], each.get("player") or each.get("captain")): each["value"]
            for each in figures["mean_over_sets"]
        }
        for side, label in (("native", "solo"), ("after", mean["stage"])):
            every = [means[label, name] for name in ("ann", "bob", "cat")]
            assert mean[side] == pytest.approx(sum(every) / len(every))
    named = row(figures["authority_bias"], cohort=None)
    for side, label in (("shown", named["stage"]), ("hidden", "peer-review(drafts=single-call)")):
        assert named[side] == pytest.approx(sum(_accuracy(figures, label, name) for name in ("ann", "bob", "cat")) / 3)


def test_rescues_and_regressions_are_what_gains_count_as_better_and_worse(results: moot.Results) -> None:
    figures = results.figures
    compared = 0
    for gain in figures["gains"]:
        if gain.get("captain") is None:
            continue
        of_model = row(figures["safety_models"], stage=gain["label"], model=gain["captain"])
        assert (of_model["rescues"], of_model["regressions"]) == (gain["rescues"], gain["regressions"])
        assert of_model["difference"] == pytest.approx(gain["difference"])
        compared += 1
    assert compared >= 3
    for stage in figures["safety"]:
        of_models = [each for each in figures["safety_models"] if each["stage"] == stage["stage"]]
        for key in ("rescues", "regressions", "in_part"):
            assert stage[key] == sum(each.get(key, 0) for each in of_models)
        # Alone ann is right in part, and so is bob to every other question; cat is right.
        assert stage["rescue_rate"] == pytest.approx(stage["rescues"] / (2 * COUNT))
        assert stage["regression_rate"] == pytest.approx(stage["regressions"] / (2 * COUNT + COUNT // 2))
    talk = row(figures["safety"], stage="talkative")
    net, multiple = figures["hypotheses"]
    assert (net["value"], multiple["value"]) == pytest.approx((talk["net"], talk["multiple"]))


def test_below_the_counts_it_is_said_what_was_counted(results: moot.Results) -> None:
    words = {section.id: " ".join(section.words) for section in all_sections(results.figures)}
    for ident in ("safety", "safety-models", "debate-lift"):
        assert "a rescue is a score that rises" in words[ident]
    whole = World(_says, _after, asked=[Case(case.question, case.answer) for case in ASKED[:6]])
    figures = whole.play(["solo", "talkative"]).figures
    assert "right in part" not in " ".join(line for each in all_sections(figures) for line in each.words)
