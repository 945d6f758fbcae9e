"""Tasks of lm-evaluation-harness of every kind: a reply's answer is its own, and a reference what the log held it against."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest

from moot.data.logs.imported import ImportedLogs, import_logs
from moot.errors import MootError

DATE = "2026-08-01T10-00-00.123456"
Row = dict[str, Any]


def written(
    folder: Path, model: str, task: str, rows: Sequence[Row], *, higher: dict[str, bool] | None = None, **results: float
) -> None:
    """Samples and results as the harness writes them: every target is a text. `higher`: of which metrics more is better."""
    place = folder / model
    place.mkdir(exist_ok=True)
    lines = [json.dumps({"doc_id": number, "filter": "none"} | row) for number, row in enumerate(rows)]
    (place / f"samples_{task}_{DATE}.jsonl").write_text("\n".join(lines) + "\n")
    about = {
        "results": {task: {name.replace("__", ","): value for name, value in results.items()}},
        "model_name": model,
        "higher_is_better": {task: higher or {}},
    }
    (place / f"results_{DATE}.json").write_text(json.dumps(about))


def chosen(question: str, choices: Sequence[str], target: str, likeliest: int, acc: float, **more: Any) -> Row:
    likelihoods = [["-1.0" if place == likeliest else "-5.0", "False"] for place in range(len(choices))]
    return {
        "doc": {"question": question, "choices": {"text": list(choices), "label": list("ABCD")}},
        "target": target,
        "arguments": {f"gen_args_{n}": {"arg_0": question, "arg_1": f" {each}"} for n, each in enumerate(choices)},
        "resps": [[each] for each in likelihoods],
        "filtered_resps": likelihoods,
        "metrics": ["acc"],
        "acc": acc,
    } | more


def generated(question: str, target: str, replies: Sequence[str], taken: Any, **more: Any) -> Row:
    return {
        "doc": {"question": question},
        "target": target,
        "arguments": {"gen_args_0": {"arg_0": question, "arg_1": {"until": ["Q:"]}}},
        "resps": [list(replies)],
        "filtered_resps": [taken],
        "metrics": ["exact_match"],
    } | more


def right(logs: ImportedLogs) -> dict[str, tuple[float | None, float | None]]:
    return {model.name: (model.stated, model.here) for model in logs.models}


class TestPlacesOfChoices:
    def test_a_place_is_no_word_of_a_choice(self, tmp_path: Path) -> None:
        """ "0" is the first of the choices 3, 2, 1, 0, and not the last."""
        for model, second in (("ann", 1), ("bob", 2)):
            rows = [
                chosen("Legs?", ["3", "2", "1", "0"], "0", 0, 1.0),
                chosen("Moons?", ["1", "0", "3", "2"], "1", second, float(second == 1)),
            ]
            written(tmp_path, model, "arc_easy", rows, acc__none=sum(row["acc"] for row in rows) / 2)
        logs = import_logs("lm-eval", [tmp_path])
        assert [row["answer"] for row in logs.questions] == ["A", "B"]
        assert right(logs) == {"ann": (1.0, 1.0), "bob": (0.5, 0.5)}

    def test_unless_the_log_says_of_the_answers_that_it_is(self, tmp_path: Path) -> None:
        rows = [chosen("Legs?", ["3", "2", "1", "0"], "0", 3, 1.0), chosen("Moons?", ["1", "0", "3", "2"], "1", 1, 0.0)]
        written(tmp_path, "ann", "digits", rows)
        assert [row["answer"] for row in import_logs("lm-eval", [tmp_path]).questions] == ["D", "A"]

    def test_a_sentence_with_a_blank(self, tmp_path: Path) -> None:
        """Its target is what follows the blank; which filling is right the set's own row says, counted from 1."""
        fillings = ("the trophy", "the suitcase")
        doc = {"sentence": "It does not fit because _ is too big.", "option1": fillings[0], "option2": fillings[1]}
        arguments = {
            f"gen_args_{n}": {"arg_0": f"It does not fit because {each}", "arg_1": " is too big."}
            for n, each in enumerate(fillings)
        }
        for model, likeliest in (("ann", 0), ("bob", 1)):
            row = chosen(
                "", fillings, "is too big.", likeliest, 1.0 - likeliest, arguments=arguments, doc=doc | {"answer": "1"}
            )
            written(tmp_path, model, "winogrande", [row])
        logs = import_logs("lm-eval", [tmp_path])
        (question,) = logs.questions
        assert question["text"] == "It does not fit because _ is too big."
        assert (question["choices"], question["answer"]) == (list(fillings), "A")
        assert right(logs) == {"ann": (1.0, 1.0), "bob": (0.0, 0.0)}

    def test_parts_of_a_point_do_not_tell_which_choice_is_right(self, tmp_path: Path) -> None:
        written(tmp_path, "ann", "truthfulqa_mc2", [chosen("Real?", ["No", "Yes", "Not so"], "0", 0, 0.7)])
        logs = import_logs("lm-eval", [tmp_path])
        assert (logs.questions, right(logs)) == ((), {"ann": (0.7, None)})
        assert "truthfulqa_mc2: acc gives parts of a point, so which choice is right cannot be told of it" in logs.notes


class TestSeveralReplies:
    REPLIES = (
        ["The answer is 50.", "The answer is 5.", "The answer is 5."],
        ["The answer is 20.", "no", "The answer is 20."],
    )

    def rows(self, name: str, taken: Sequence[str], *verdicts: float) -> list[Row]:
        return [
            generated(
                f"Q{n}?", ("5", "20")[n], self.REPLIES[n], taken[n], filter=name, doc_id=n, exact_match=verdicts[n]
            )
            for n in (0, 1)
        ]

    @pytest.mark.parametrize("name", ["maj@3", "voted"])
    def test_the_answer_of_the_majority_is_not_the_first_ones(self, name: str, tmp_path: Path) -> None:
        rows = self.rows("score-first", ("50", "20"), 0.0, 1.0) + self.rows(name, ("5", "20"), 1.0, 1.0)
        written(tmp_path, "ann", "gsm", rows, **{"exact_match__score-first": 0.5, f"exact_match__{name}": 1.0})
        logs = import_logs("lm-eval", [tmp_path])
        first = [row["answer"] for row in logs.replies if row["sample"] == 0]
        assert (first, logs.repeats) == (["50", "20"], 3)
        assert (logs.models[0].stated, logs.models[0].metric) == (0.5, "exact_match of score-first")
        assert f"gsm: answers as the filter score-first found them, of score-first, {name}" in logs.notes
        assert "ann: the log's figure is of 2 replies, the one here of 6" in logs.notes

    def test_where_there_is_no_other_each_reply_is_read_and_this_is_said(self, tmp_path: Path) -> None:
        written(tmp_path, "ann", "gsm", self.rows("maj@3", ("5", "20"), 1.0, 1.0), **{"exact_match__maj@3": 1.0})
        logs = import_logs("lm-eval", [tmp_path])
        assert [row.get("answer") for row in logs.replies] == ["50", "5", "5", "20", "no", "20"]
        assert right(logs)["ann"] == (1.0, pytest.approx(2 / 3))
        assert any(note.startswith("gsm: ann: the filter maj@3 makes one answer of 3 replies") for note in logs.notes)
        assert "ann: exact_match is 100.0 % in the log, and not made of verdicts on single replies" in logs.notes

    def test_a_filter_that_takes_an_answer_of_each_is_taken_before_one_of_the_first(self, tmp_path: Path) -> None:
        rows = self.rows("score-first", ("50", "20"), 0.0, 1.0)
        each = [["50", "5", "5"], ["20", "[invalid]", "20"]]
        rows += [{**row, "filter": "each", "filtered_resps": [taken]} for row, taken in zip(rows, each, strict=True)]
        written(tmp_path, "ann", "gsm", rows)
        logs = import_logs("lm-eval", [tmp_path])
        assert [row.get("answer") for row in logs.replies] == ["50", "5", "5", "20", None, "20"]


class TestFilters:
    def rows(self, strict: str, loose: str, *names: str) -> list[Row]:
        taken = {"strict": strict, "loose": loose}
        return [
            generated(
                "2+3?",
                "5",
                ["It is 5. Or 7."],
                taken[name],
                filter=name,
                doc_id=0,
                exact_match=float(taken[name] == "5"),
            )
            for name in names
        ]

    def test_all_models_are_read_by_the_same(self, tmp_path: Path) -> None:
        written(tmp_path, "ann", "gsm8k", self.rows("5", "7 or", "strict", "loose"))
        written(tmp_path, "bob", "gsm8k", self.rows("[invalid]", "5", "strict", "loose"))
        logs = import_logs("lm-eval", [tmp_path])
        assert right(logs) == {"ann": (0.0, 0.0), "bob": (1.0, 1.0)}
        assert [note for note in logs.notes if "filter" in note] == [
            "gsm8k: answers as the filter loose found them, of loose, strict"
        ]

    def test_or_it_is_said_of_each_by_which(self, tmp_path: Path) -> None:
        written(tmp_path, "ann", "gsm8k", self.rows("5", "", "strict"))
        written(tmp_path, "bob", "gsm8k", self.rows("", "5", "loose"))
        said = "ann as strict found them, bob as loose found them"
        assert any(
            note.startswith("gsm8k: no filter is in the logs of all") and note.endswith(said)
            for note in import_logs("lm-eval", [tmp_path]).notes
        )


LAMBADA: Row = {
    "doc": {"text": "He went to the shop"},
    "target": " shop",
    "arguments": {"gen_args_0": {"arg_0": "He went to the", "arg_1": " shop"}},
    "resps": [[["-1.5", "True"]]],
    "filtered_resps": [["-1.5", "True"]],
    "metrics": ["perplexity", "acc"],
    "acc": 1.0,
}
ROLLING: Row = {
    "doc": {"page": "Some words."},
    "target": "Some words.",
    "arguments": {"gen_args_0": {"arg_0": "Some words."}},
    "resps": [[-123.4]],
    "filtered_resps": [-123.4],
    "metrics": ["word_perplexity"],
    "word_perplexity": [-123.4, 2],
}


class TestOtherTasks:
    @pytest.mark.parametrize("row", [LAMBADA, ROLLING], ids=["lambada", "rolling"])
    def test_a_likelihood_is_no_answer(self, row: Row, tmp_path: Path) -> None:
        written(tmp_path, "ann", "told", [row])
        with pytest.raises(
            MootError, match=r"told \(ann\): the likelihood of a given text was taken, so there are no repl"
        ):
            import_logs("lm-eval", [tmp_path])
        written(tmp_path, "ann", "sums", [generated("2+3?", "5", ["5"], "5", exact_match=1.0)])
        logs = import_logs("lm-eval", [tmp_path])
        assert [row["id"] for row in logs.questions] == ["sums/0"]
        assert any("left out" in note for note in logs.notes)
        assert not import_logs("lm-eval", [tmp_path], tasks=["sums"]).notes, "of another task nothing is said"
        with pytest.raises(MootError, match=r"no task 'told' in it; there is sums \(told \(ann\): the likelihood"):
            import_logs("lm-eval", [tmp_path], tasks=["told"])

    def ifeval(self, folder: Path, **more: Any) -> ImportedLogs:
        strict = {"metrics": ["prompt_level_strict_acc", "inst_level_strict_acc"], "inst_level_strict_acc": [True]}
        rows = [
            generated(f"Write {n} words", "0", ["hello"], "hello", **strict, prompt_level_strict_acc=n == 0) | more
            for n in (0, 1)
        ]
        written(folder, "ann", "ifeval", rows, prompt_level_strict_acc__none=0.5)
        return import_logs("lm-eval", [folder])

    def test_a_placeholder_is_no_reference_and_any_metric_may_be_a_verdict(self, tmp_path: Path) -> None:
        logs = self.ifeval(tmp_path)
        assert (logs.questions, right(logs)) == ((), {"ann": (0.5, None)})
        assert (
            "ifeval: verdicts by prompt_level_strict_acc, of prompt_level_strict_acc, inst_level_strict_acc"
            in logs.notes
        )
        said = "ifeval: what prompt_level_strict_acc holds a reply against is not its target, so no reference is taken"
        assert said in logs.notes
        assert not any("no verdicts" in line for line in logs.absent)

    def test_a_metric_of_ones_own_that_does_compare(self, tmp_path: Path) -> None:
        """Of a single reply nobody can tell."""
        rows = [
            generated(f"{n}+3?", str(n + 3), [said], said, metrics=["mine"], mine=float(n % 2))
            for n in range(10)
            for said in [str(n + 3) if n % 2 else "99"]
        ]
        written(tmp_path, "ann", "sums", rows)
        assert right(import_logs("lm-eval", [tmp_path])) == {"ann": (0.5, 0.5)}
        written(tmp_path, "ann", "sums", rows[1:2])
        assert right(import_logs("lm-eval", [tmp_path])) == {"ann": (None, 1.0)}

    def test_metrics_that_are_no_verdicts_are_named(self, tmp_path: Path) -> None:
        written(
            tmp_path, "ann", "wmt", [generated("Ja?", "Yes", ["Yes"], "Yes", metrics=["bleu", "ter"], bleu=["a", "b"])]
        )
        logs = import_logs("lm-eval", [tmp_path])
        assert "wmt: none of its metrics is a verdict on each reply: bleu, ter" in logs.notes

    def test_of_generated_choices_a_number_is_a_place_only_by_the_sets_own_label(self, tmp_path: Path) -> None:
        doc = {"question": "Hot?", "choices": {"text": ["ice", "fire"], "label": ["1", "2"]}}
        written(tmp_path, "ann", "arc", [generated("Hot?", "2", ["2"], "2", doc=doc, exact_match=1.0)])
        (question,) = import_logs("lm-eval", [tmp_path]).questions
        assert (question["choices"], question["answer"]) == (["ice", "fire"], "B")
        doc["choices"] = {"text": ["ice", "fire"]}
        written(tmp_path, "ann", "arc", [generated("Hot?", "1", ["1"], "1", doc=doc, exact_match=1.0)])
        (question,) = import_logs("lm-eval", [tmp_path]).questions
        assert (question.get("choices"), question["answer"]) == (None, "1")


class TestSeveralRightAnswers:
    """The harness writes a list of them as Python spells it."""

    TARGET = "['Sinclair Lewis', \"Lewis' own\", 7]"

    def row(self, said: str, verdict: float, target: str = TARGET, **doc: Any) -> Row:
        row = generated("Who?", target, [said], said, exact_match=verdict)
        return row | {"doc": row["doc"] | doc}

    @pytest.mark.parametrize("doc", [{"answer": ["Sinclair Lewis", "Lewis' own", 7]}, {"a": {"b": [["x"], "y"]}}])
    def test_a_spelt_list(self, doc: dict[str, Any], tmp_path: Path) -> None:
        """By the row of the set, or by a reply that is called right."""
        written(tmp_path, "ann", "trivia", [self.row("sinclair lewis", 1.0, **doc)])
        (question,) = import_logs("lm-eval", [tmp_path]).questions
        assert (question["answer"], question["accepted"]) == ("Sinclair Lewis", ["Lewis' own", "7"])

    def test_of_the_row_where_no_reply_is_right(self, tmp_path: Path) -> None:
        doc = {"answer": {"aliases": ["Lima", "City of Kings"]}}
        of_one = self.row("Jupiter", 1.0, "['Jupiter']", question="Largest?")
        written(tmp_path, "ann", "trivia", [self.row("Quito", 0.0, str(doc["answer"]["aliases"]), **doc), of_one])
        several, one = import_logs("lm-eval", [tmp_path]).questions
        assert (several["answer"], several["accepted"], one["answer"]) == ("Lima", ["City of Kings"], "Jupiter")

    @pytest.mark.parametrize(
        ("said", "verdict", "target"),
        [
            ("[3, 1]", 0.0, "[1, 2, 3]"),
            ("[1, 2, 3]", 1.0, "[1, 2, 3]"),
            ("a", 1.0, "['a' 'b']"),
            ("a", 1.0, "['a', __import__('os')]"),
            ("a", 1.0, "['a', " + "[" * 5000),
            ("a", 1.0, "['a', ['b']]"),
        ],
    )
    def test_what_cannot_be_told_to_be_one_stays(self, said: str, verdict: float, target: str, tmp_path: Path) -> None:
        written(tmp_path, "ann", "sort", [self.row(said, verdict, target)])
        (question,) = import_logs("lm-eval", [tmp_path]).questions
        assert question["answer"] == target


class TestLikelihoodOfAText:
    """Numbers are texts in these logs, and no replies."""

    ROW: ClassVar[Row] = {
        "doc": {"page": "some text"},
        "target": "some text",
        "arguments": {"gen_args_0": {"arg_0": "some text"}},
        "resps": [["-3.0"]],
        "filtered_resps": ["-3.0"],
        "metrics": ["word_perplexity"],
        "word_perplexity": [-3.0, 2],
    }
    LEFT_OUT = "wikitext (ann): the likelihood of a given text was taken, so there are no replies to read; left out"

    @pytest.mark.parametrize("output_type", ["loglikelihood_rolling", None])
    def test_is_left_out(self, output_type: str | None, tmp_path: Path) -> None:
        written(tmp_path, "ann", "wikitext", [self.ROW])
        results = tmp_path / "ann" / f"results_{DATE}.json"
        results.write_text(
            json.dumps(json.loads(results.read_text()) | {"configs": {"wikitext": {"output_type": output_type}}})
        )
        with pytest.raises(MootError, match=re.escape(self.LEFT_OUT)):
            import_logs("lm-eval", [tmp_path])
        written(tmp_path, "ann", "sums", [generated("1-4?", "-3", ["-3.0"], "-3.0", exact_match=1.0)])
        logs = import_logs("lm-eval", [tmp_path])
        assert ([row["text"] for row in logs.questions], self.LEFT_OUT in logs.notes) == (["1-4?"], True)


def test_figures_over_different_questions_are_told_apart(tmp_path: Path) -> None:
    written(tmp_path, "ann", "arc", [chosen("Legs?", ["a", "b"], "0", 1, 0.0)])
    row = generated("Write", "0", ["hi"], "hi", metrics=["strict_acc"], strict_acc=1.0)
    written(tmp_path, "ann", "ifeval", [row], higher={"strict_acc": True})
    logs = import_logs("lm-eval", [tmp_path])
    assert right(logs) == {"ann": (0.5, 0.0)}
    assert "ann: the log's figure is of 2 replies, the one here of 1" in logs.notes


class TestWhichMetricIsRight:
    """By one of which 1 is bad every wrong answer would be accepted."""

    SAID: ClassVar[dict[str, tuple[str, str]]] = {"Kenya?": ("Nairobi", "Cairo"), "Peru?": ("Lima", "Town of Lima")}

    def logged(
        self,
        folder: Path,
        metrics: dict[str, Sequence[float]],
        higher: dict[str, bool] | None,
        wanted: str | None = None,
    ) -> ImportedLogs:
        """`metrics`: of the reference and of another reply to each of two questions, and so on with questions like these."""
        for place, model in enumerate(("ann", "bob")):
            rows = [
                generated(asked, said[0], [said[place]], said[place], metrics=list(metrics))
                | {name: values[(2 * number + place) % len(values)] for name, values in metrics.items()}
                for number, (asked, said) in enumerate([*self.SAID.items()] * 10)
            ]
            means = {f"{name}__none": sum(values[place::2]) / len(values[place::2]) for name, values in metrics.items()}
            written(folder, model, "towns", rows, higher=higher, **means)
        return import_logs("lm-eval", [folder], metric=wanted)

    def accepted(self, logs: ImportedLogs) -> list[Any]:
        """To the first two questions."""
        return [row.get("accepted") for row in logs.questions][:2]

    def test_one_of_which_less_is_better_is_turned_round(self, tmp_path: Path) -> None:
        logs = self.logged(tmp_path, {"hallucinated": (0, 1, 0, 0)}, {"hallucinated": False})
        assert self.accepted(logs) == [None, ["Town of Lima"]]
        assert right(logs) == {"ann": (1.0, 1.0), "bob": (0.5, 0.5)}
        assert logs.models[0].metric == "1 - hallucinated"
        assert "towns: verdicts by hallucinated, of which less is better: 0 is right, and 1 is wrong" in logs.notes

    @pytest.mark.parametrize(
        ("values", "higher"),
        [
            pytest.param((0, 0.7, 0.2, 1), {"wer": False}, id="no verdict of right or wrong"),
            pytest.param((1, 0, 1, 0), {"wer": False}, id="less is better, and the target is called wrong"),
            pytest.param((0, 1, 0, 1), None, id="nobody says which is better"),
        ],
    )
    def test_or_never_taken(self, values: Sequence[float], higher: dict[str, bool] | None, tmp_path: Path) -> None:
        logs = self.logged(tmp_path, {"wer": values}, higher)
        assert (self.accepted(logs), [model.stated for model in logs.models]) == ([None, None], [None, None])
        why = "less of wer is better, and 0 of it cannot be told to be right"
        why = why if higher else "the log does not say that more of wer is right"
        assert any(f"(wer) {why}: no verdicts are taken" in note for note in logs.notes)

    def test_the_configuration_says_it_too(self, tmp_path: Path) -> None:
        self.logged(tmp_path, {"hallucinated": (0, 1, 0, 0)}, None)
        for results in tmp_path.glob("*/results_*.json"):
            listed = [{"metric": "hallucinated", "higher_is_better": False}]
            about = {"configs": {"towns": {"metric_list": listed}}}
            results.write_text(json.dumps(json.loads(results.read_text()) | about))
        assert self.accepted(import_logs("lm-eval", [tmp_path])) == [None, ["Town of Lima"]]

    def test_a_score_may_be_of_anything(self, tmp_path: Path) -> None:
        assert self.accepted(self.logged(tmp_path, {"score": (0, 1, 0, 1)}, {"score": False})) == [None, None]
        logs = self.logged(tmp_path, {"score": (1, 0, 1, 1)}, {"score": True})
        assert self.accepted(logs) == [None, ["Town of Lima"]]

    def test_one_that_says_right_goes_before_one_of_the_form(self, tmp_path: Path) -> None:
        metrics = {"extraction_rate": (1, 1, 1, 1), "accuracy": (1, 0, 1, 0)}
        logs = self.logged(tmp_path, metrics, dict.fromkeys(metrics, True))
        assert (self.accepted(logs), right(logs)["bob"]) == ([None, None], (0.0, 0.0))

    def test_of_several_that_disagree_none_is_taken_unless_somebody_names_it(self, tmp_path: Path) -> None:
        metrics = {"kept": (1, 0, 1, 1) * 9 + (1, 0, 1, 0), "good": (1, 0, 1, 1)}
        logs = self.logged(tmp_path, metrics, dict.fromkeys(metrics, True))
        assert self.accepted(logs) == [None, None]
        assert any("kept, good disagree: no verdicts are taken; --metric NAME" in note for note in logs.notes)
        assert self.accepted(self.logged(tmp_path, metrics, dict.fromkeys(metrics, True), "good"))[1] == [
            "Town of Lima"
        ]

    def test_what_a_bias_prefers_is_no_right_choice(self, tmp_path: Path) -> None:
        rows = [chosen(f"Q{n}?", ["men", "women"], "0", 0, 1.0, metrics=["pct_stereotype"]) for n in (0, 1)]
        rows = [{"pct_stereotype": row.pop("acc"), **row} for row in rows]
        written(tmp_path, "ann", "crows", rows, higher={"pct_stereotype": False})
        logs = import_logs("lm-eval", [tmp_path])
        assert (logs.questions, logs.models[0].stated) == ((), None)


class TestOddTasks:
    def test_sentences_without_a_question_are_left_out(self, tmp_path: Path) -> None:
        row = chosen("", ["Cats sleep.", "Cats sleeps."], "0", 0, 1.0, doc={"good": "Cats sleep."})
        written(tmp_path, "ann", "blimp", [row], acc__none=1.0)
        with pytest.raises(MootError, match=r"that anybody can be asked here \(no words to ask\)"):
            import_logs("lm-eval", [tmp_path])
        written(tmp_path, "ann", "sums", [generated("2+3?", "5", ["5"], "5", exact_match=1.0)])
        logs = import_logs("lm-eval", [tmp_path])
        assert [row["id"] for row in logs.questions] == ["sums/0"]
        assert logs.notes == ("blimp: 1 question that nobody can be asked here (no words to ask), left out",)
        assert import_logs("lm-eval", [tmp_path], tasks=["sums"]).notes == ()

    def test_more_choices_than_letters_are_left_out(self, tmp_path: Path) -> None:
        many = [f"c{n}" for n in range(27)]
        rows = [chosen("Which?", many, "0", 0, 1.0), chosen("Legs?", ["a", "b"], "0", 0, 1.0)]
        written(tmp_path, "ann", "mixed", rows)
        written(tmp_path, "ann", "many", rows[:1])
        doc = {"question": "Which?", "choices": many}
        written(tmp_path, "ann", "said", [generated("Which?", "c26", ["c26"], "c26", doc=doc, exact_match=1.0)])
        logs = import_logs("lm-eval", [tmp_path])
        assert [row["id"] for row in logs.questions] == ["mixed/1", "said/0"]
        for task in ("mixed", "many"):
            assert f"{task}: 1 question of more than 26 choices, left out" in logs.notes

    def test_a_figure_that_is_of_these_too_is_told_as_such(self, tmp_path: Path) -> None:
        many = [f"c{n}" for n in range(27)]
        rows = [chosen("Which?", many, "0", 3, 0.0), chosen("Legs?", ["a", "b"], "0", 0, 1.0)]
        written(tmp_path, "ann", "mixed", rows, acc__none=0.5)
        figure = "acc is 50.0 % in the log, of more questions than are here"
        mean = "on these the mean over questions of their mean verdict on single replies is 100.0 %"
        assert f"ann: {figure}; {mean}" in import_logs("lm-eval", [tmp_path]).notes

    def test_replies_are_read_by_the_sets_own_labels_as_the_targets_are(self, tmp_path: Path) -> None:
        doc = {"question": "Hot?", "choices": {"text": ["ice", "fire"], "label": ["1", "2"]}}
        for model, said in (("ann", "2"), ("bob", "(1)")):
            row = generated("Hot?", "2", [said], said, doc=doc, exact_match=float(said == "2"))
            written(tmp_path, model, "arc", [row])
        logs = import_logs("lm-eval", [tmp_path])
        assert [row["answer"] for row in logs.replies] == ["B", "A"]
        assert right(logs) == {"ann": (1.0, 1.0), "bob": (0.0, 0.0)}

    def test_several_right_choices_are_told_and_one_in_a_list_is_one(self, tmp_path: Path) -> None:
        rows = [chosen("Even?", ["2", "3", "4"], "[0, 2]", 2, 1.0), chosen("Odd?", ["2", "3", "4"], "[1]", 1, 1.0)]
        written(tmp_path, "ann", "numbers", rows)
        logs = import_logs("lm-eval", [tmp_path])
        assert [(row["text"], row["answer"]) for row in logs.questions] == [("Odd?", "B")]
        assert "numbers: several choices are right in 1 question: no reference is taken" in logs.notes

    def test_a_truth_value_is_a_place(self, tmp_path: Path) -> None:
        rows = [
            chosen("Ice cold?", ["no", "yes"], "True", 1, 1.0),
            chosen("Fire cold?", ["no", "yes"], "False", 1, 0.0),
        ]
        written(tmp_path, "ann", "truths", rows)
        assert [row["answer"] for row in import_logs("lm-eval", [tmp_path]).questions] == ["B", "A"]
        words = [chosen("Ice cold?", ["True", "False"], "True", 0, 1.0)]
        written(tmp_path, "ann", "truths", words)
        assert [row["answer"] for row in import_logs("lm-eval", [tmp_path]).questions] == ["A"]

    def test_targets_that_the_verdicts_speak_against_are_no_references(self, tmp_path: Path) -> None:
        rows = [chosen(f"Q{n}?", ["a", "b", "c"], "0", n % 2, 1.0) for n in range(4)]
        written(tmp_path, "ann", "odd", rows)
        logs = import_logs("lm-eval", [tmp_path])
        assert logs.questions == ()
        said = "odd: no choice is named by the targets that fits what the log calls right: no reference is taken"
        assert said in logs.notes

    def test_a_filter_that_takes_an_answer_goes_before_one_that_leaves_the_reply_whole(self, tmp_path: Path) -> None:
        """Also where it finds none in some replies."""
        rows = []
        for number, said in enumerate(("It is 5", "five, I think")):
            taken = {"whole": said, "last-number": "5" if number == 0 else "[invalid]"}
            rows += [
                generated(f"Q{number}?", "5", [said], each, filter=name, doc_id=number, exact_match=float(each == "5"))
                for name, each in taken.items()
            ]
        written(tmp_path, "ann", "sums", rows, **{"exact_match__whole": 0.0, "exact_match__last-number": 0.5})
        logs = import_logs("lm-eval", [tmp_path])
        assert (right(logs), logs.models[0].metric) == ({"ann": (0.5, 0.5)}, "exact_match of last-number")
