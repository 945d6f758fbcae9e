"""By which metric replies are right: by none that says something else, and of several that disagree by none."""

from __future__ import annotations

import csv
import json
import random
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

ASKED = dict(
    pair.split("/")
    for pair in (
        *("France/Paris", "Italy/Rome", "Greece/Athens", "Norway/Oslo", "Japan/Tokyo", "Peru/Lima"),
        *("Kenya/Nairobi", "Cuba/Havana", "Spain/Madrid", "Chile/Santiago", "Egypt/Cairo", "Nepal/Kathmandu"),
    )
)
TOWNS = (
    (
        "Paris",
        "Rome",
        "Sparta",
        "Oslo",
        "Tokyo",
        "Lima",
        "Mombasa",
        "Havana",
        "Madrid",
        "Santiago",
        "Suez",
        "Kathmandu",
    ),
    ("Lyon", "Rome", "Athens", "Bergen", "Kyoto", "Lima", "Nairobi", "Moa", "Bilbao", "Santiago", "Cairo", "Patan"),
)
"""Of two models: of four towns three of the first are right, and two of the second."""
SAID = tuple(tuple(f"It is {town}." for town in own) for own in TOWNS)
RIGHT = ((1, 1, 0, 1), (0, 1, 1, 0))
WRONG = tuple(tuple(1 - each for each in own) for own in RIGHT)
ALL = ((1, 1, 1, 1), (1, 1, 1, 1))
NONE = ((0, 0, 0, 0), (0, 0, 0, 0))
Scores = Mapping[str, Sequence[Sequence[Any]]]
"""By name what each model has for each of the first four questions; for four more it has the same, and so on."""
FOUR = 4


def inspect_logs(folder: Path, scores: Scores, *, wanted: str | None = None, **eval_more: Any) -> ImportedLogs:
    for place, model in enumerate(("ann", "bob")):
        samples = [
            {
                "id": country,
                "epoch": 1,
                "input": f"Capital of {country}?",
                "target": town,
                "output": {"completion": SAID[place][number]},
                "scores": {name: {"value": values[place][number % FOUR]} for name, values in scores.items()},
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
    said: Sequence[Sequence[str]] = TOWNS,
    wanted: str | None = None,
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
            | {name: values[place][number % FOUR] for name, values in scores.items()}
            for number, (country, town) in enumerate(ASKED.items())
        ]
        (folder / model).mkdir(parents=True)
        (folder / model / f"samples_towns_{date}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        means = {f"{name},none": sum(values[place]) / len(values[place]) for name, values in scores.items()}
        about = {"results": {"towns": means}, "model_name": model, "higher_is_better": {"towns": dict(higher)}}
        (folder / model / f"results_{date}.json").write_text(json.dumps(about))
    return import_logs("lm-eval", [folder], metric=wanted)


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
        """Where the replies speak against it, it is none at all."""
        scores: Scores = {"score": ((1, 1, 0.4, 1), (0, 1, 1, 0.4)), "my_accuracy": RIGHT}
        logs = lm_eval_logs(tmp_path / "a", scores, dict.fromkeys(scores, True))
        assert stated(logs) == [None, None]
        assert told(logs, "score, my_accuracy disagree")
        scores = {"score": self.PARTLY, "my_accuracy": RIGHT}
        logs = lm_eval_logs(tmp_path / "c", scores, dict.fromkeys(scores, True))
        assert stated(logs) == [0.75, 0.5]
        assert told(logs, "verdicts by my_accuracy, of score, my_accuracy")

    @pytest.mark.parametrize("name", ["judge", "my_acc"])
    @pytest.mark.parametrize("wanted", [True, False])
    def test_replies_in_sentences_tell_that_the_target_is_the_reference(
        self, name: str, wanted: bool, tmp_path: Path
    ) -> None:
        logs = lm_eval_logs(tmp_path / "c", {name: RIGHT}, {name: True}, SAID, name if wanted else None)
        assert [(model.stated, model.here) for model in logs.models] == [(0.75, 0.75), (0.5, 0.5)]
        assert told(logs, f"verdicts by {name}")

    def test_a_named_metric_that_calls_all_right_too(self, tmp_path: Path) -> None:
        right = tuple(tuple(f"It is {town}." for town in ASKED.values()) for _ in SAID)
        logs = lm_eval_logs(tmp_path / "a", {"judge": ALL}, {"judge": True}, right)
        assert (stated(logs), len(logs.questions)) == ([None, None], 0)
        logs = lm_eval_logs(tmp_path / "c", {"judge": ALL}, {"judge": True}, right, "judge")
        assert [(model.stated, model.here) for model in logs.models] == [(1.0, 1.0), (1.0, 1.0)]

    def test_and_not_where_those_that_say_it_are_called_right_as_others_are(self, tmp_path: Path) -> None:
        for wanted in (None, "strict_acc"):
            folder = tmp_path / str(wanted)
            logs = lm_eval_logs(folder, {"strict_acc": ((1, 0, 1, 0), (0, 1, 0, 1))}, {}, SAID, wanted)
            assert logs.questions == ()
            assert told(logs, "what strict_acc holds a reply against is not its target")

    def test_of_lm_evals_own_names_a_line_says_which_goes_first(self, tmp_path: Path) -> None:
        scores: Scores = {"acc": RIGHT, "exact_match": NONE}
        logs = lm_eval_logs(tmp_path / "a", scores, dict.fromkeys(scores, True))
        assert stated(logs) == [0.75, 0.5]
        assert told(logs, "verdicts by acc, of acc, exact_match; exact_match says otherwise, and acc goes first")
        logs = lm_eval_logs(tmp_path / "b", {"acc": RIGHT, "exact_match": RIGHT}, {})
        assert stated(logs) == [0.75, 0.5]
        assert not told(logs, "verdicts by")

    def test_f1_does_not_go_before_a_name_that_says_right(self, tmp_path: Path) -> None:
        scores: Scores = {"f1": ((0.5, 0.5, 0, 0.5), (0, 0.5, 0.5, 0)), "my_acc": RIGHT}
        logs = lm_eval_logs(tmp_path / "c", scores, dict.fromkeys(scores, True))
        assert (stated(logs), accepted(logs)) == ([None, None], [])
        assert [model.here for model in logs.models] == [0.75, 0.5]
        assert told(logs, "f1, my_acc disagree", "--metric NAME")

    def test_one_of_lm_evals_own_that_calls_all_right_does_not_go_first(self, tmp_path: Path) -> None:
        scores: Scores = {"acc": ALL, "correct": RIGHT}
        logs = lm_eval_logs(tmp_path / "c", scores, dict.fromkeys(scores, True))
        assert stated(logs) == [0.75, 0.5]
        assert told(logs, "verdicts by correct", "acc is the same for every reply")

    @pytest.mark.parametrize(
        ("name", "values", "scale"),
        [
            ("score", ((10, 9, 1, 8), (1, 10, 10, 1)), "1 to 10"),
            ("f1", ((100, 100, 0, 100), (0, 100, 100, 0)), "0 to 100"),
            ("acc", ((1, 1, -1, 1), (-1, 1, 1, -1)), "-1 to 1"),
            ("mine", ((1, 1, 0, 1), (0, 1, 1, 2)), "0 to 2"),
        ],
    )
    def test_numbers_of_another_scale_are_no_verdicts(
        self, name: str, values: Sequence[Sequence[float]], scale: str, tmp_path: Path
    ) -> None:
        logs = lm_eval_logs(tmp_path / "a", {name: values}, {name: True})
        assert (stated(logs), accepted(logs)) == ([None, None], [])
        assert [model.here for model in logs.models] == [0.75, 0.5]
        assert told(logs, f"{name} is a number from {scale}, not a share from 0 to 1: no verdicts are taken")
        assert not told(logs, "--metric"), "it would be refused"
        with pytest.raises(MootError, match=f"--metric {name}: no verdicts by it .*from {scale}, not a share"):
            lm_eval_logs(tmp_path / "c", {name: values}, {name: True}, wanted=name)
        logs = lm_eval_logs(tmp_path / "b", {name: values, "em": RIGHT}, {name: True})
        assert stated(logs) == [0.75, 0.5]
        assert told(logs, "verdicts by em", f"{name} is a number from {scale}")

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
        assert (
            told(logs, "mine is not called as one that says", "nor do the replies bear it out", "--metric NAME")
            != taken
        )

    def test_letters_for_correct_and_incorrect_have_to_be_borne_out_too(self, tmp_path: Path) -> None:
        """A judge may be asked whether a reply is helpful, and says so in the same letters."""
        letters = tuple(tuple("IC"[each] for each in own) for own in RIGHT)
        logs = inspect_logs(tmp_path, {"my_judge": letters})
        assert stated(logs) == [0.75, 0.5]
        assert told(
            logs, "the verdicts are those of my_judge", "it gives 1.00 to 15 replies saying the reference, 0.00 to 9"
        )
        logs = inspect_logs(tmp_path, {"helpful": (("C",) * 4, ("C",) * 4)})
        assert (stated(logs), accepted(logs)) == ([None, None], [])
        assert told(logs, "helpful is not called as one that says", "--metric NAME")

    @pytest.mark.parametrize("seed", range(8))
    def test_what_has_nothing_to_do_with_it_is_not_taken(self, seed: int, tmp_path: Path) -> None:
        lot = random.Random(seed)
        concise = tuple(tuple(int(lot.random() < 0.7) for _ in range(FOUR)) for _ in SAID)
        (tmp_path / "inspect").mkdir()
        logs = inspect_logs(tmp_path / "inspect", {"concise": concise})
        assert (stated(logs), accepted(logs)) == ([None, None], [])
        assert told(logs, "concise is not called as one that says", "--metric NAME")
        (tmp_path / "lm-eval").mkdir()
        logs = lm_eval_logs(tmp_path / "lm-eval", {"concise": concise}, {"concise": True})
        assert (stated(logs), accepted(logs)) == ([None, None], [])
        assert told(logs, "more of concise is better, which does not tell replies", "--metric NAME")

    def test_named_numbers_of_another_scale_are_refused_with_the_reason(self, tmp_path: Path) -> None:
        with pytest.raises(MootError, match=r"--metric grade10: no verdicts by it .*outside 0 to 1"):
            inspect_logs(tmp_path, {"grade10": ((3, 9, 4, 10), (3, 5, 6, 3))}, wanted="grade10")


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

    @pytest.mark.parametrize("said", [TOWNS, SAID])
    def test_an_error_rate_is_turned_round(self, said: Sequence[Sequence[str]], tmp_path: Path) -> None:
        logs = lm_eval_logs(tmp_path, {"err": WRONG}, {"err": False}, said)
        assert [(model.stated, model.here) for model in logs.models] == [(0.75, 0.75), (0.5, 0.5)]

    def test_one_that_is_seldom_1_is_not(self, tmp_path: Path) -> None:
        """Less of it is better, and no reply that is the reference has it."""
        logs = lm_eval_logs(tmp_path, {"mine": ((0, 0, 1, 0), (0, 0, 0, 0))}, {"mine": False})
        assert (stated(logs), accepted(logs)) == ([None, None], [])

    @pytest.mark.parametrize("higher", [{"fluent": True}, {}])
    def test_more_is_better_of_one_that_calls_all_right_neither(self, higher: dict[str, bool], tmp_path: Path) -> None:
        logs = lm_eval_logs(tmp_path, {"fluent": ALL}, higher)
        assert (stated(logs), accepted(logs)) == ([None, None], [])
        assert [model.here for model in logs.models] == [0.75, 0.5]


def table(folder: Path, scores: Scores, wanted: str | None = None) -> ImportedLogs:
    with (folder / "kept.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "question", "expected", "model", "response", *scores])
        for place, model in enumerate(("ann", "bob")):
            for number, (country, town) in enumerate(ASKED.items()):
                given = [values[place][number % FOUR] for values in scores.values()]
                rows.writerow([country, f"Capital of {country}?", town, model, SAID[place][number], *given])
    return import_logs("csv", [folder / "kept.csv"], metric=wanted)


class TestColumnsOfATable:
    SHARE = ((0.2, 1, 0.9, 0.4), (1, 0.3, 0.3, 1))

    @pytest.mark.parametrize("name", ["passed", "accuracy", "acc", "verdict", "is_correct"])
    def test_a_name_that_says_right_goes_before_a_score(self, name: str, tmp_path: Path) -> None:
        logs = table(tmp_path, {"score": self.SHARE, name: RIGHT})
        assert [(model.stated, model.here) for model in logs.models] == [(0.75, 0.75), (0.5, 0.5)]
        assert told(logs, f"kept.csv: verdicts by {name}, not by score")
        assert not any("Sparta" in each for each in accepted(logs))

    def test_of_those_that_disagree_none_is_taken_unless_it_is_named(self, tmp_path: Path) -> None:
        scores: Scores = {"correct": ((1, 1, 1, 1), (1, 1, 1, 0)), "passed": RIGHT}
        logs = table(tmp_path, scores)
        assert (stated(logs), accepted(logs)) == ([None, None], [])
        assert told(logs, "the columns correct, passed disagree: no verdicts are taken; --metric NAME")
        assert stated(table(tmp_path, scores, "passed")) == [0.75, 0.5]
        assert stated(table(tmp_path, {"polite": RIGHT}, "polite")) == [0.75, 0.5]

    def test_a_score_that_does_not_go_with_the_replies_is_none(self, tmp_path: Path) -> None:
        logs = table(tmp_path, {"score": self.SHARE})
        assert (stated(logs), accepted(logs)) == ([None, None], [])
        assert told(logs, "score does not tell replies that say the reference from others", "--metric NAME")
        assert stated(table(tmp_path, {"score": self.SHARE}, "score")) == pytest.approx([0.625, 0.65])
        logs = table(tmp_path, {"score": ((1, 0.9, 0.1, 1), (0, 1, 0.8, 0.2))})
        assert stated(logs) == pytest.approx([0.75, 0.5])
        assert told(logs, "kept.csv: verdicts by score")

    @pytest.mark.parametrize(("name", "why"), [("grade10", "grade10 holds no verdicts"), ("other", "is called other")])
    def test_what_is_no_verdict_cannot_be_named(self, name: str, why: str, tmp_path: Path) -> None:
        with pytest.raises(MootError, match=f"--metric {name}: no verdicts by it .*{why}"):
            table(tmp_path, {"grade10": ((3, 9, 4, 10), (3, 5, 6, 3))}, name)

    def test_a_column_for_each_model(self, tmp_path: Path) -> None:
        rows = ["id,question,answer,ann,ann_score,ann_passed,bob,bob_passed", "1,Who?,Ann,Ann,0.3,1,Bob,0"]
        (tmp_path / "wide.csv").write_text("\n".join(rows))
        logs = import_logs("csv", [tmp_path / "wide.csv"])
        assert stated(logs) == [1.0, 0.0]
        assert told(logs, "verdicts by ann_passed, not by ann_score")
        assert import_logs("csv", [tmp_path / "wide.csv"], metric="score").models[0].stated == 0.3


class TestVerdictsTurnedRound:
    def table(self, folder: Path, verdicts: Sequence[Sequence[int]]) -> ImportedLogs:
        return table(folder, {"is_correct": verdicts})

    def test_are_seen_of_replies_in_sentences(self, tmp_path: Path) -> None:
        logs = self.table(tmp_path, WRONG)
        assert (stated(logs), accepted(logs)) == ([None, None], [])
        assert told(logs, "the verdicts call 15 of 15 replies wrong that say the reference, and 9 of 9 others right")

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
