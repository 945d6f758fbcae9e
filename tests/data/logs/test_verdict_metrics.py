"""By which metric replies are right: by none that says something else, and of several that disagree by none."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from moot.data.logs.imported import ImportedLogs, import_logs
from moot.errors import MootError
from moot.experiment.build import build
from moot.experiment.plan import Plan
from moot.experiment.spec import read_experiment
from moot.types import Request

ASKED = {"France": "Paris", "Italy": "Rome", "Greece": "Athens", "Norway": "Oslo"}
SAID = (
    ("It is Paris.", "I think Rome.", "It was Sparta.", "Oslo, I think."),
    ("It is Lyon.", "It is Rome.", "It is Athens.", "It is Bergen."),
)
"""Of two models, in sentences: three of the first and two of the second are right."""
RIGHT = ((1, 1, 0, 1), (0, 1, 1, 0))
WRONG = tuple(tuple(1 - each for each in own) for own in RIGHT)
ALL = ((1, 1, 1, 1), (1, 1, 1, 1))
NONE = ((0, 0, 0, 0), (0, 0, 0, 0))
Scores = Mapping[str, Sequence[Sequence[Any]]]
"""By name what each model has for each question."""


def inspect_logs(folder: Path, scores: Scores, *, wanted: str | None = None, **eval_more: Any) -> ImportedLogs:
    for place, model in enumerate(("ann", "bob")):
        samples = [
            {
                "id": country,
                "epoch": 1,
                "input": f"Capital of {country}?",
                "target": town,
                "output": {"completion": SAID[place][number]},
                "scores": {name: {"value": values[place][number]} for name, values in scores.items()},
            }
            for number, (country, town) in enumerate(ASKED.items())
        ]
        listed = [
            {"name": name, "scorer": name, "metrics": {"mean": {"value": sum(values[place]) / len(values[place])}}}
            for name, values in scores.items()
            if all(isinstance(each, int) for each in values[place])
        ]
        head = {"status": "success", "eval": {"task": "towns", "model": model} | eval_more}
        document = head | {"results": {"scores": listed}, "samples": samples}
        (folder / f"{model}.json").write_text(json.dumps(document))
    return import_logs("inspect", [folder], metric=wanted)


def lm_eval_logs(
    folder: Path,
    scores: Scores,
    higher: Mapping[str, bool],
    said: Sequence[Sequence[str]] = (("Paris", "Rome", "Sparta", "Oslo"), ("Lyon", "Rome", "Athens", "Bergen")),
) -> ImportedLogs:
    date = "2026-08-01T10-00-00.123456"
    for place, model in enumerate(("ann", "bob")):
        rows = [
            {
                "doc_id": number,
                "doc": {"question": f"Capital of {country}?"},
                "target": town,
                "arguments": {"gen_args_0": {"arg_0": f"Capital of {country}?", "arg_1": {"until": ["Q:"]}}},
                "resps": [[said[place][number]]],
                "filtered_resps": [said[place][number]],
                "filter": "none",
                "metrics": list(scores),
            }
            | {name: values[place][number] for name, values in scores.items()}
            for number, (country, town) in enumerate(ASKED.items())
        ]
        (folder / model).mkdir()
        (folder / model / f"samples_towns_{date}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        means = {f"{name},none": sum(values[place]) / len(values[place]) for name, values in scores.items()}
        about = {"results": {"towns": means}, "model_name": model, "higher_is_better": {"towns": dict(higher)}}
        (folder / model / f"results_{date}.json").write_text(json.dumps(about))
    return import_logs("lm-eval", [folder])


def stated(logs: ImportedLogs) -> list[float | None]:
    return [model.stated for model in logs.models]


def accepted(logs: ImportedLogs) -> list[Any]:
    return [each for row in logs.questions for each in row.get("accepted", ())]


def told(logs: ImportedLogs, *parts: str) -> bool:
    return any(all(part in note for part in parts) for note in logs.notes)


class TestSeveralThatSoundRight:
    PARTLY = ((1, 1, 1, 1), (1, 1, 1, 0))

    def test_of_those_that_disagree_none_is_taken(self, tmp_path: Path) -> None:
        logs = inspect_logs(tmp_path, {"schema_pass": self.PARTLY, "includes": RIGHT})
        assert (stated(logs), accepted(logs)) == ([None, None], [])
        assert told(logs, "schema_pass, includes disagree", "no verdicts are taken; --metric NAME")

    def test_unless_it_is_named(self, tmp_path: Path) -> None:
        scores = {"schema_pass": self.PARTLY, "includes": RIGHT}
        assert stated(inspect_logs(tmp_path, scores, wanted="includes")) == [0.75, 0.5]
        assert stated(inspect_logs(tmp_path, scores, headline_metric={"score": "includes"})) == [0.75, 0.5]

    def test_one_that_is_the_same_for_every_reply_tells_nothing(self, tmp_path: Path) -> None:
        logs = inspect_logs(tmp_path, {"schema_pass": ALL, "includes": RIGHT})
        assert (stated(logs), [model.here for model in logs.models]) == ([0.75, 0.5], [0.75, 0.5])
        assert told(logs, "the verdicts are those of includes", "schema_pass is the same for every reply")

    def test_and_is_left_aside_only_for_one_that_the_replies_bear_out(self, tmp_path: Path) -> None:
        form = ((1, 0, 1, 0), (1, 0, 1, 0))
        logs = inspect_logs(tmp_path, {"schema_pass": form, "includes": NONE})
        assert (stated(logs), accepted(logs)) == ([None, None], [])

    def test_lm_eval_does_not_take_the_first_either(self, tmp_path: Path) -> None:
        scores = {"schema_match": self.PARTLY, "contains_match": RIGHT}
        logs = lm_eval_logs(tmp_path, scores, dict.fromkeys(scores, True))
        assert (stated(logs), accepted(logs)) == ([None, None], [])
        assert told(logs, "schema_match, contains_match disagree", "--metric NAME")

    def test_lm_eval_leaves_aside_what_tells_nothing(self, tmp_path: Path) -> None:
        scores = {"schema_match": ALL, "contains_match": RIGHT}
        logs = lm_eval_logs(tmp_path, scores, dict.fromkeys(scores, True))
        assert (stated(logs), accepted(logs)) == ([0.75, 0.5], [])
        assert told(logs, "verdicts by contains_match", "schema_match is the same for every reply")

    def test_those_of_lm_eval_itself_go_by_their_order(self, tmp_path: Path) -> None:
        scores = {"schema_match": self.PARTLY, "f1": self.PARTLY, "exact_match": RIGHT}
        assert stated(lm_eval_logs(tmp_path, scores, dict.fromkeys(scores, True))) == [0.75, 0.5]

    def test_a_score_is_no_name_of_its_own(self, tmp_path: Path) -> None:
        scores = {"score": self.PARTLY, "my_accuracy": RIGHT}
        assert stated(lm_eval_logs(tmp_path, scores, dict.fromkeys(scores, True))) == [None, None]

    def test_lm_eval_takes_the_one_of_unknown_names_that_the_replies_bear_out(self, tmp_path: Path) -> None:
        scores = {"kept": ALL, "good": RIGHT}
        logs = lm_eval_logs(tmp_path, scores, dict.fromkeys(scores, True))
        assert stated(logs) == [0.75, 0.5]
        assert told(logs, "verdicts by good, of kept, good; kept is the same for every reply, which tells nothing")

    @pytest.mark.parametrize(("mine", "taken"), [(RIGHT, True), (WRONG, False)])
    def test_a_name_that_sounds_right_and_calls_all_so_is_no_better_than_an_unknown_one(
        self, mine: Sequence[Sequence[int]], taken: bool, tmp_path: Path
    ) -> None:
        scores = {"schema_pass": ALL, "mine": mine}
        (tmp_path / "inspect").mkdir()
        logs = inspect_logs(tmp_path / "inspect", scores)
        assert stated(logs) == ([0.75, 0.5] if taken else [None, None])
        assert told(logs, "schema_pass is the same for every reply" if taken else "schema_pass, mine disagree")
        (tmp_path / "lm-eval").mkdir()
        logs = lm_eval_logs(tmp_path / "lm-eval", scores, dict.fromkeys(scores, True))
        assert stated(logs) == ([0.75, 0.5] if taken else [None, None])
        assert told(logs, "schema_pass is the same for every reply" if taken else "schema_pass, mine disagree")

    def test_one_that_calls_all_wrong_stays(self, tmp_path: Path) -> None:
        """Nothing is accepted by it, and the replies may be so."""
        assert stated(inspect_logs(tmp_path, {"includes": NONE, "mine": RIGHT})) == [0.0, 0.0]


class TestTheOnlyScore:
    @pytest.mark.parametrize("name", ["incorrect", "toxicity", "refusal", "hallucination_rate", "wrongness"])
    def test_a_name_that_says_something_else_is_not_taken(self, name: str, tmp_path: Path) -> None:
        logs = inspect_logs(tmp_path, {name: RIGHT})
        assert (stated(logs), accepted(logs)) == ([None, None], [])
        assert told(logs, f"{name} is not called as one that says whether a reply is right", "--metric NAME")
        assert stated(inspect_logs(tmp_path, {name: RIGHT}, wanted=name)) == [0.75, 0.5]

    def test_nor_are_two_of_them_that_agree(self, tmp_path: Path) -> None:
        logs = inspect_logs(tmp_path, {"incorrect": WRONG, "wrong": WRONG})
        assert (stated(logs), accepted(logs)) == ([None, None], [])

    @pytest.mark.parametrize(("values", "taken"), [(RIGHT, True), (WRONG, False), (ALL, False), (NONE, False)])
    def test_an_unknown_name_is_taken_where_the_replies_bear_it_out(
        self, values: Sequence[Sequence[int]], taken: bool, tmp_path: Path
    ) -> None:
        logs = inspect_logs(tmp_path, {"mine": values})
        assert stated(logs) == ([0.75, 0.5] if taken else [None, None])
        assert bool(accepted(logs)) == taken
        assert told(logs, "mine does not call replies right more often that say the reference") != taken

    def test_correct_and_incorrect_in_letters_are_what_they_say(self, tmp_path: Path) -> None:
        letters = (("C", "I", "C", "C"), ("C", "C", "C", "C"))
        assert stated(inspect_logs(tmp_path, {"my_judge": letters})) == [0.75, 1.0]


class TestLessIsBetter:
    @pytest.mark.parametrize("name", ["toxic_rate", "mine"])
    def test_one_that_calls_nothing_wrong_is_not_turned_round(self, name: str, tmp_path: Path) -> None:
        logs = lm_eval_logs(tmp_path, {name: NONE}, {name: False})
        assert (stated(logs), accepted(logs)) == ([None, None], [])
        assert [model.here for model in logs.models] == [0.75, 0.5]
        assert told(logs, f"less of {name} is better", "no verdicts are taken")
        assert not told(logs, "does not say that more")

    def test_nor_is_one_whose_name_says_something_else(self, tmp_path: Path) -> None:
        assert stated(lm_eval_logs(tmp_path, {"toxic_rate": WRONG}, {"toxic_rate": False})) == [None, None]

    def test_the_way_round_is_told_as_the_log_has_it(self, tmp_path: Path) -> None:
        logs = lm_eval_logs(tmp_path, {"err": RIGHT}, {"err": False})
        assert stated(logs) == [None, None]
        assert told(logs, "less of err is better")

    def test_an_error_rate_is_turned_round(self, tmp_path: Path) -> None:
        assert stated(lm_eval_logs(tmp_path, {"err": WRONG}, {"err": False})) == [0.75, 0.5]

    @pytest.mark.parametrize("higher", [{"fluent": True}, {}])
    def test_more_is_better_of_one_that_calls_all_right_neither(self, higher: dict[str, bool], tmp_path: Path) -> None:
        logs = lm_eval_logs(tmp_path, {"fluent": ALL}, higher)
        assert (stated(logs), accepted(logs)) == ([None, None], [])
        assert [model.here for model in logs.models] == [0.75, 0.5]


class TestVerdictsTurnedRound:
    def table(self, folder: Path, verdicts: Sequence[Sequence[int]]) -> ImportedLogs:
        with (folder / "kept.csv").open("w", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(["id", "question", "expected", "model", "response", "score"])
            for place, model in enumerate(("ann", "bob")):
                for number, (country, town) in enumerate(ASKED.items()):
                    asked = f"Capital of {country}?"
                    rows.writerow([country, asked, town, model, SAID[place][number], verdicts[place][number]])
        return import_logs("csv", [folder / "kept.csv"])

    def test_are_seen_of_replies_in_sentences(self, tmp_path: Path) -> None:
        logs = self.table(tmp_path, WRONG)
        assert (stated(logs), accepted(logs)) == ([None, None], [])
        assert told(logs, "the verdicts call 5 of 5 replies wrong that say the reference, and 3 of 3 others right")

    def test_a_strict_tool_is_none(self, tmp_path: Path) -> None:
        """A match of the beginning calls most sentences wrong, whether they name the reference or not."""
        logs = self.table(tmp_path, ((0, 0, 0, 1), (0, 0, 0, 0)))
        assert stated(logs) == [0.25, 0.0]
        assert not told(logs, "nothing is accepted")

    def test_no_share_is_told_of_them(self, tmp_path: Path) -> None:
        scores = {"wrongish": WRONG}
        logs = inspect_logs(tmp_path, scores, wanted="wrongish")
        assert (stated(logs), accepted(logs)) == ([None, None], [])
        assert not told(logs, "verdicts differ")
        assert not told(logs, "% in the log")
        assert "no verdicts in these logs" not in logs.absent


def test_a_metric_without_verdicts_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MootError, match="--metric other: no verdicts by it"):
        inspect_logs(tmp_path, {"includes": RIGHT}, wanted="other")


class TestInAnExperimentFile:
    def built(self, folder: Path, questions: Mapping[str, Any], **model: Any) -> Plan:
        logs = folder / "logs"
        logs.mkdir(exist_ok=True)
        inspect_logs(logs, {"schema_pass": ALL, "includes": RIGHT, "shape_match": WRONG})
        source = {"file": "logs", "format": "inspect"}
        models = {name: {"provider": "recorded", **source, "model": name, **model} for name in ("ann", "bob")}
        file = {"name": "cup", "questions": {**source, **questions}, "models": models, "strategies": ["solo"]}
        (folder / "cup.yaml").write_text(json.dumps(file))
        return build(read_experiment(folder / "cup.yaml"))

    def test_the_metric_is_that_of_the_file(self, tmp_path: Path) -> None:
        named, by = {"metric": "includes"}, "includes"
        questions = self.built(tmp_path, named, metric=by).dataset
        imported = import_logs("inspect", [tmp_path / "logs"], metric=by)
        assert questions is not None
        assert [list(case.accepted) for case in questions] == [row.get("accepted", []) for row in imported.questions]
        assert any(case.accepted for case in questions)

    def test_by_another_metric_it_is_another_recording(self, tmp_path: Path) -> None:
        shapes = [
            self.built(tmp_path, {}, **more).models["ann"].model.shape(Request(()))
            for more in ({}, {"metric": "includes"}, {"metric": "shape_match"})
        ]
        assert len({json.dumps(shape) for shape in shapes}) == 3

    @pytest.mark.parametrize(
        ("questions", "model", "said"),
        [
            ({"metric": "other"}, {}, "questions.metric: other: no verdicts by it"),
            ({}, {"metric": "other"}, "models.ann.metric: other: no verdicts by it"),
            ({"metric": "includes", "format": None}, {}, "metric goes with the format of a tool whose logs these are"),
            ({}, {"metric": "includes", "format": None}, "metric goes with the format of a tool whose logs these are"),
            ({"metric": "includes", "format": "mmlu-pro"}, {}, "questions.metric: mmlu-pro is no tool with logs"),
        ],
    )
    def test_a_mistake_is_told_at_its_place(
        self, questions: Mapping[str, Any], model: Mapping[str, Any], said: str, tmp_path: Path
    ) -> None:
        with pytest.raises(MootError) as told_so:
            self.built(tmp_path, questions, **model)
        assert said in str(told_so.value)
