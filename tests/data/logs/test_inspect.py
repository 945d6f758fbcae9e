"""Logs of Inspect: its figure is told as what it is, and what stands beside its logs is no log."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest

from moot.data.logs.imported import ImportedLogs, import_logs
from moot.errors import MootError

VERDICTS = {"q1": ("C", "C", "I"), "q2": ("I", "C", "I")}
"""By question those of three epochs."""

MEAN = "the mean over questions of their mean verdict on single replies"


def sample(ident: str, epoch: int, value: Any, scorer: str = "match") -> dict[str, Any]:
    said = "Paris" if value in ("C", 1, "yes") else "Rome"
    scores = {scorer: {"value": value, "answer": said}}
    return {
        "id": ident,
        "epoch": epoch,
        "input": f"Where {ident}?",
        "target": "Paris",
        "output": {"completion": said},
        "scores": scores,
    }


def result(value: float, name: str = "match", metric: str = "accuracy", **more: Any) -> dict[str, Any]:
    return {"name": name, "scorer": name, "metrics": {metric: {"value": value}}} | more


def log(path: Path, samples: Sequence[dict[str, Any]], *scores: dict[str, Any], **more: Any) -> Path:
    about = {"status": "success", "eval": {"task": "towns", "model": "acme/ann"}, "results": {"scores": list(scores)}}
    path.write_text(json.dumps(about | {"samples": list(samples)} | more))
    return path


def of_epochs() -> list[dict[str, Any]]:
    return [sample(ident, epoch + 1, each[epoch]) for ident, each in VERDICTS.items() for epoch in range(3)]


def figures(logs: ImportedLogs) -> tuple[float | None, str | None, float | None]:
    (model,) = logs.models
    return model.stated, model.metric, model.here


def test_epochs_that_are_not_reduced_to_their_mean(tmp_path: Path) -> None:
    scores = [result(1.0, reducer="at_least_1"), result(0.5, reducer="mode")]
    logs = import_logs("inspect", [log(tmp_path / "a.json", of_epochs(), *scores)])
    assert figures(logs) == (1.0, "match accuracy (at_least_1 of the epochs)", 0.5)
    said = f"match accuracy (at_least_1 of the epochs) is 100.0 % in the log, {MEAN} 50.0 %"
    assert f"acme/ann: {said}" in logs.notes


def test_the_headline_says_which_reduction_is_the_figure(tmp_path: Path) -> None:
    results = {
        "scores": [result(1.0, reducer="at_least_1"), result(0.5, reducer="mode")],
        "headline": {"score": "match", "metric": "accuracy", "reducer": "mode"},
    }
    logs = import_logs("inspect", [log(tmp_path / "a.json", of_epochs(), results=results)])
    assert figures(logs) == (0.5, "match accuracy (mode of the epochs)", 0.5)


def test_the_mean_needs_no_word(tmp_path: Path) -> None:
    logs = import_logs("inspect", [log(tmp_path / "a.json", of_epochs(), result(0.5, reducer="mean"))])
    assert (figures(logs), logs.notes) == ((0.5, "match accuracy", 0.5), ())


@pytest.mark.parametrize("name", ["eval-set.json", "logs.json"])
def test_lists_of_logs_beside_them_are_none(name: str, tmp_path: Path) -> None:
    log(tmp_path / "a.json", of_epochs())
    (tmp_path / name).write_text('{"a.json": {"status": "success"}}')
    assert [path.name for path in import_logs("inspect", [tmp_path]).files]
    assert len(import_logs("inspect", [tmp_path]).questions) == 2
    with pytest.raises(MootError, match="is no log of Inspect"):
        import_logs("inspect", [tmp_path / name])


PART = {"type": "text", "text": "I cannot say that it is Paris.", "refusal": True}
REFUSED: dict[str, tuple[dict[str, Any], str, str]] = {
    "by a filter": (
        {"output": {"completion": "", "choices": [{"message": {"content": ""}, "stop_reason": "content_filter"}]}},
        *("content_filter", ""),
    ),
    "by a filter in the middle": (
        {"output": {"completion": "Par", "choices": [{"message": {"content": "Par"}, "stop_reason": "content_filter"}]}},
        *("content_filter", "Par"),
    ),
    "by the model": (
        {"output": {"completion": PART["text"], "choices": [{"message": {"content": [PART]}, "stop_reason": "stop"}]}},
        *("refusal", PART["text"]),
    ),
    "by a moderation": ({"output": {"completion": "", "choices": [], "error": "flagged"}}, "content_filter", "flagged"),
    "by an error": (
        {
            "output": {},
            "error": {"message": "BadRequestError: Error code: 400 - {'error': {'message': 'The prompt was filtered due to"
            " the content management policy', 'code': 'content_filter'}}"},
        },
        *("content_filter", ""),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_refusal_is_a_reply(name: str, tmp_path: Path) -> None:
    changed, finish, said = REFUSED[name]
    refused = {**sample("q1", 1, "I"), **changed, "scores": {"match": {"value": "I", "answer": "Paris"}}}
    logs = import_logs("inspect", [log(tmp_path / "a.json", [refused, sample("q2", 1, "C")], result(0.5))])
    (row,) = [each for each in logs.replies if each["question_id"] == "towns/q1"]
    assert (row["finish"], row.get("text", "")) == (finish, said)
    assert "answer" not in row
    assert "acme/ann: 1 of 2 replies refused to answer" in logs.notes


def test_an_error_that_no_filter_made_is_a_failure(tmp_path: Path) -> None:
    failed = {
        **sample("q1", 1, "I"),
        "output": {},
        "scores": {},
        "error": {"message": "RateLimitError: 429: content filter busy"},
    }
    logs = import_logs("inspect", [log(tmp_path / "a.json", [failed, sample("q2", 1, "C")], result(1.0))])
    assert [each["question_id"] for each in logs.replies] == ["towns/q2"]


def test_why_an_evaluation_failed(tmp_path: Path) -> None:
    failed = {"status": "error", "error": {"message": "AuthenticationError: no key"}}
    silent = sample("q1", 1, None) | {"output": {}, "scores": {}}
    why = r"a.json \(acme/ann\): the evaluation did not come to its end \(error: AuthenticationError: no key\)"
    for samples in ([], [silent]):
        with pytest.raises(MootError, match=why):
            import_logs("inspect", [log(tmp_path / "a.json", samples, **failed)])
    logs = import_logs("inspect", [log(tmp_path / "a.json", of_epochs(), **failed)])
    assert any("AuthenticationError: no key" in note for note in logs.notes)


def test_scores_that_are_more_than_right_are_no_verdicts(tmp_path: Path) -> None:
    samples = [sample("q1", 1, 0.5), sample("q2", 1, 7)]
    logs = import_logs("inspect", [log(tmp_path / "a.json", samples, result(3.75, metric="mean"))])
    assert figures(logs)[0] is None
    assert (
        "a.json (acme/ann): scores outside 0 to 1 (mean 3.75) are no verdicts, and none of match is taken" in logs.notes
    )


def test_a_mean_of_shares_is_the_figure(tmp_path: Path) -> None:
    samples = [sample("q1", 1, 1), sample("q2", 1, 0.5)]
    logs = import_logs("inspect", [log(tmp_path / "a.json", samples, result(0.75, metric="mean"))])
    assert figures(logs) == (0.75, "match mean", 0.5)


def test_a_scorer_of_several_values(tmp_path: Path) -> None:
    samples = [sample("q1", 1, {"right": 1, "kind": 0}, "both"), sample("q2", 1, {"right": 0, "kind": 1}, "both")]
    scores = [result(0.5, "right", scorer="both"), result(0.5, "kind", scorer="both")]
    logs = import_logs("inspect", [log(tmp_path / "a.json", samples, *scores)])
    assert logs.models[0].judged == 2
    assert "towns: several scores; the verdicts are those of right, not of kind" in logs.notes


def test_verdicts_in_words(tmp_path: Path) -> None:
    logs = import_logs("inspect", [log(tmp_path / "a.json", [sample("q1", 1, "yes"), sample("q2", 1, "no")])])
    assert logs.models[0].stated == 0.5


def test_of_several_tasks_each_figure_that_is_another_is_told(tmp_path: Path) -> None:
    log(tmp_path / "a.json", of_epochs(), result(1.0, reducer="max"))
    log(tmp_path / "b.json", of_epochs(), result(0.5), eval={"task": "rivers", "model": "acme/ann"})
    logs = import_logs("inspect", [tmp_path])
    assert figures(logs) == (pytest.approx(0.5), None, pytest.approx(0.5))
    said = f"match accuracy (max of the epochs) of towns is 100.0 % in the log, {MEAN} 50.0 %"
    assert [note for note in logs.notes if "in the log" in note] == [f"acme/ann: {said}"]


@pytest.mark.parametrize(("target", "letter"), [("A", "A"), ("T", "D"), ("1", None)])
def test_a_target_is_a_letter_else_the_words_of_a_choice_and_no_place(
    target: str, letter: str | None, tmp_path: Path
) -> None:
    one = sample("q1", 1, "C") | {"choices": ["C", "A", "G", "T"], "target": target}
    logs = import_logs("inspect", [log(tmp_path / "a.json", [one])])
    assert [row["answer"] for row in logs.questions] == ([letter] if letter else [])


class TestMetricsByGroups:
    def metrics(self, **values: float) -> dict[str, Any]:
        about = {"metric": {"name": "accuracy"}, "group_key": "category"}
        return {
            name: {"name": name, "group": "grouped", "value": value, "params": about} for name, value in values.items()
        }

    def logged(self, folder: Path, **values: float) -> ImportedLogs:
        samples = [sample("q1", 1, "C"), sample("q2", 1, "I")]
        results = {
            "scores": [{"name": "match", "scorer": "match", "metrics": self.metrics(**values)}],
            "headline": {"scorer": "match", "score": "match", "metric": "x"},
        }
        return import_logs("inspect", [log(folder / "a.json", samples, results=results)])

    def test_the_figure_is_that_of_all(self, tmp_path: Path) -> None:
        assert figures(self.logged(tmp_path, x=1.0, y=0.0, all=0.5)) == (0.5, "match all", 0.5)

    def test_no_group_stands_for_all(self, tmp_path: Path) -> None:
        logs = self.logged(tmp_path, x=1.0, y=0.0)
        assert logs.models[0].stated == 0.5
        assert not any("match x" in note for note in logs.notes)


def test_samples_that_the_log_counts_and_does_not_hold(tmp_path: Path) -> None:
    results = {"scores": [result(1.0)], "total_samples": 3}
    logs = import_logs("inspect", [log(tmp_path / "a.json", [sample("q1", 1, "C")], results=results)])
    assert "a.json (acme/ann): the log counts 3 samples, and only 1 can be found in it" in logs.notes


class TestAFigureOfMoreThanIsHere:
    """It is no figure of these replies, however they are put together: that is not told as the reason."""

    choices: ClassVar[dict[str, Any]] = {"choices": ["Rome", "Paris", "Bonn"]}

    def judged(self, *targets: str) -> list[dict[str, Any]]:
        """The first question is answered rightly, and none of the others."""
        samples = [sample(f"q{n}", 1, "I" if n else "C") | self.choices for n, _ in enumerate(targets)]
        return [each | {"target": target} for each, target in zip(samples, targets, strict=True)]

    def told(self, path: Path) -> list[str]:
        return [note for note in import_logs("inspect", [path]).notes if "in the log" in note]

    def test_where_several_choices_are_right_together(self, tmp_path: Path) -> None:
        path = log(tmp_path / "a.json", self.judged("B", "B", "AC", "AC"), result(0.25))
        figure = "match accuracy is 25.0 % in the log, of more questions than are here"
        assert self.told(path) == [f"acme/ann: {figure}; on these {MEAN} is 50.0 %"]

    def test_where_nobody_can_be_asked(self, tmp_path: Path) -> None:
        samples = self.judged("B", "B", "B")
        samples[2]["input"] = "\u200b "
        figure = "match accuracy is 33.3 % in the log, of more questions than are here"
        assert self.told(log(tmp_path / "a.json", samples, result(1 / 3))) == [
            f"acme/ann: {figure}; on these {MEAN} is 50.0 %"
        ]

    def test_where_a_part_of_the_log_is_lost(self, tmp_path: Path) -> None:
        results = {"scores": [result(0.25)], "total_samples": 4}
        figure = "match accuracy is 25.0 % in the log, of more questions than are here"
        path = log(tmp_path / "a.json", self.judged("B", "B"), results=results)
        assert self.told(path) == [f"acme/ann: {figure}; on these {MEAN} is 50.0 %"]

    def test_where_none_that_is_here_was_judged(self, tmp_path: Path) -> None:
        samples = self.judged("AC", "B")
        samples[1]["scores"]["match"]["value"] = "?"
        figure = "match accuracy is 100.0 % in the log, of more questions than are here"
        assert self.told(log(tmp_path / "a.json", samples, result(1.0))) == [
            f"acme/ann: {figure}; on these there is no verdict"
        ]

    def test_of_the_same_figure_nothing_is_told(self, tmp_path: Path) -> None:
        assert self.told(log(tmp_path / "a.json", self.judged("B", "B", "AC"), result(0.5))) == []


class TestChoicesWithoutAnAnswer:
    """Of a scorer that takes answers a reply without one has none; of one that takes none every reply is read."""

    def logged(self, folder: Path, name: str, replies: Sequence[str], *scores: dict[str, Any]) -> Path:
        samples = [
            sample(f"q{n}", 1, None) | {"choices": ["x", "y", "z"], "target": "A", "output": {"completion": said}}
            for n, said in enumerate(replies)
        ]
        samples = [each | {"scores": {"choice": score}} for each, score in zip(samples, scores, strict=True)]
        return log(folder / f"{name}.json", samples, eval={"task": "towns", "model": f"acme/{name}"})

    def answers(self, logs: ImportedLogs, model: str = "acme/ann") -> list[str | None]:
        return [row.get("answer") for row in logs.replies if row["model"] == model]

    def test_are_read_where_the_scorer_takes_none(self, tmp_path: Path) -> None:
        path = self.logged(tmp_path, "ann", ["ANSWER: A", "The answer is C."], {"value": "C"}, {"value": "I"})
        logs = import_logs("inspect", [path])
        assert (self.answers(logs), figures(logs)) == (["A", "C"], (0.5, None, 0.5))

    @pytest.mark.parametrize("nothing", [{"answer": ""}, {"reason": "invalid_response_format"}])
    def test_have_none_where_it_says_that_it_found_none(self, nothing: dict[str, Any], tmp_path: Path) -> None:
        path = self.logged(tmp_path, "ann", ["The answer is A."], {"value": "I"} | nothing)
        assert self.answers(import_logs("inspect", [path])) == [None]

    def test_have_none_where_it_takes_them_of_others_unless_it_calls_them_right(self, tmp_path: Path) -> None:
        self.logged(tmp_path, "ann", ["The answer is A.", "The answer is A."], {"value": "I"}, {"value": "C"})
        self.logged(tmp_path, "bob", ["ANSWER: B", "A"], {"value": "I", "answer": "B"}, {"value": "C", "answer": "A"})
        assert self.answers(import_logs("inspect", [tmp_path])) == [None, "A"]


class TestSeveralScores:
    FORM_FIRST: ClassVar[list[Any]] = [{"fmt": 1, "ok": 1}, {"fmt": 1, "ok": 0}]

    def logged(self, folder: Path, values: Sequence[Any], metric: str | None = None, **more: Any) -> ImportedLogs:
        samples = [
            sample(f"q{n}", 1, value, "both") | {"output": {"completion": said}}
            for n, (value, said) in enumerate(zip(values, ("It is Paris", "Rome") * (len(values) // 2), strict=True))
        ]
        for each in samples:
            each["scores"]["both"].pop("answer")
        scores = [result(1.0, "fmt", "mean", scorer="both"), result(0.5, "ok", "mean", scorer="both")]
        headline = {"scorer": "both", "score": "fmt", "metric": "mean"}  # as it is written where nobody named one
        path = log(folder / "a.json", samples, results={"scores": scores, "headline": headline}, **more)
        return import_logs("inspect", [path], metric=metric)

    def accepted(self, logs: ImportedLogs) -> list[Any]:
        return [row.get("accepted") for row in logs.questions]

    def test_none_that_disagree_is_taken_for_being_the_first(self, tmp_path: Path) -> None:
        logs = self.logged(tmp_path, self.FORM_FIRST)
        assert (self.accepted(logs), figures(logs)) == ([None, None], (None, None, 0.0))
        assert any(note.startswith("towns: the scores fmt, ok disagree") and "--metric" in note for note in logs.notes)

    @pytest.mark.parametrize("name", ["ok", "both.ok"])
    def test_unless_somebody_names_it(self, name: str, tmp_path: Path) -> None:
        logs = self.logged(tmp_path, self.FORM_FIRST, name)
        assert (self.accepted(logs), figures(logs)) == ([["It is Paris"], None], (0.5, "ok mean", 0.5))

    def test_or_the_author_of_the_task_did(self, tmp_path: Path) -> None:
        about = {"task": "towns", "model": "acme/ann", "headline_metric": {"score": "ok"}}
        assert figures(self.logged(tmp_path, self.FORM_FIRST, eval=about)) == (0.5, "ok mean", 0.5)

    def test_those_that_agree_are_one_verdict(self, tmp_path: Path) -> None:
        both: list[Any] = [{"fmt": 1, "ok": 1}, {"fmt": 0, "ok": 0}]
        assert self.accepted(self.logged(tmp_path, both * 5)) == [["It is Paris"], None] * 5
        logs = self.logged(tmp_path, both)
        assert self.accepted(logs) == [None, None]
        assert any("ok is not called as one that says" in note and "--metric" in note for note in logs.notes)

    def test_one_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(
            MootError, match=r"--metric no: no verdicts by it \(towns: none of its scores is called no: fmt, ok"
        ):
            self.logged(tmp_path, self.FORM_FIRST, "no")


def test_what_nobody_can_be_asked_ends_nothing(tmp_path: Path) -> None:
    many = sample("q2", 1, "C") | {"choices": [f"c{n}" for n in range(30)], "target": "A"}
    odd = sample("q3", 1, "C") | {"input": "a\x00b"}
    logs = import_logs("inspect", [log(tmp_path / "a.json", [sample("q1", 1, "C"), many, odd])])
    assert [row["id"] for row in logs.questions] == ["towns/q1"]
    why = "choices: expected 2 to 26 choices, found 30"
    assert f"towns: 1 question that nobody can be asked here ({why}), left out" in logs.notes
    with pytest.raises(MootError, match="no question in it that anybody can be asked here"):
        import_logs("inspect", [log(tmp_path / "a.json", [many])])
