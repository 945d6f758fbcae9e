"""References that no short answer is: what the tool compares of them is accepted, and else nothing is wrong for want of it."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.data import load
from moot.data.logs.imported import ImportedLogs, import_logs
from moot.data.logs.lm_eval_compared import ComparedForm
from moot.data.solution_answers import answer_within
from moot.errors import MootError
from moot.grade.judge import needs_judge
from moot.grade.match import Match
from moot.types import Case, Verdict

DATE = "2026-08-01T10-00-00.123456"
QUESTIONS = 8


def solution(number: int) -> str:
    return f"First 2+2=4, then {number}.\n#### {100 + number}"


def lm_eval(
    folder: Path,
    targets: Sequence[str],
    said: Sequence[str],
    verdicts: Sequence[float],
    *,
    ignored: Sequence[str] | None = None,
    model: str = "ann",
) -> None:
    place = folder / model
    place.mkdir()
    rows = [
        {
            "doc_id": number,
            "filter": "flexible-extract",
            "doc": {"question": f"Q{number}?"},
            "target": target,
            "arguments": {"gen_args_0": {"arg_0": f"Q{number}?", "arg_1": {"until": ["Q:"]}}},
            "resps": [[f"So it is {answer}"]],
            "filtered_resps": [answer],
            "metrics": ["exact_match"],
            "exact_match": verdict,
        }
        for number, (target, answer, verdict) in enumerate(zip(targets, said, verdicts, strict=True))
    ]
    (place / f"samples_gsm8k_{DATE}.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n")
    metric = {"metric": "exact_match", "ignore_case": True, **({"regexes_to_ignore": ignored} if ignored else {})}
    results = {
        "results": {"gsm8k": {"exact_match,flexible-extract": sum(verdicts) / len(verdicts)}},
        "configs": {"gsm8k": {"metric_list": [metric]}},
        "model_name": model,
    }
    (place / f"results_{DATE}.json").write_text(json.dumps(results))


def inspect(folder: Path, said: Sequence[str], verdicts: str, target: str = "Paris{}", model: str = "ann") -> None:
    samples = [
        {
            "id": number,
            "input": f"Q{number}?",
            "target": target.format(number),
            "output": {"completion": text},
            "scores": {"model_graded_qa": {"value": value, "answer": text}},
        }
        for number, (text, value) in enumerate(zip(said, verdicts, strict=True))
    ]
    about = {"status": "success", "eval": {"task": "qa", "model": model}, "samples": samples}
    (folder / f"{model}.json").write_text(json.dumps(about))


def figures(logs: ImportedLogs) -> list[tuple[float | None, float | None]]:
    """There and here."""
    return [(model.stated, model.here) for model in logs.models]


def cases(logs: ImportedLogs, folder: Path) -> list[Case]:
    file = folder / "questions.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in logs.questions))
    return [*load(file)]


def worth(case: Case, answer: str) -> float | None:
    return asyncio.run(Match().grade(case, Verdict(answer, "agreed"))).value


def new_model(logs: ImportedLogs, folder: Path, says: str) -> list[float | None]:
    return [worth(case, says.format(100 + number)) for number, case in enumerate(cases(logs, folder))]


class TestSolutions:
    half = tuple(float(number < QUESTIONS // 2) for number in range(QUESTIONS))
    solutions = tuple(map(solution, range(QUESTIONS)))
    said = tuple(str(100 + number) if number < QUESTIONS // 2 else "7" for number in range(QUESTIONS))

    def test_who_is_right_where_no_logged_model_was_is_right(self, tmp_path: Path) -> None:
        lm_eval(tmp_path, self.solutions, self.said, self.half)
        logs = import_logs("lm-eval", [tmp_path])
        assert figures(logs) == [(0.5, 0.5)]
        assert new_model(logs, tmp_path, "{}") == [1.0] * QUESTIONS
        assert new_model(logs, tmp_path, "9{}") == [0.0] * QUESTIONS

    def test_what_the_task_says_to_ignore_is_ignored(self, tmp_path: Path) -> None:
        targets = [f"Two and two.\nANSWER=> ${1000 + number:,}." for number in range(QUESTIONS)]
        said = [str(1000 + number) if number < QUESTIONS // 2 else "7" for number in range(QUESTIONS)]
        lm_eval(tmp_path, targets, said, self.half, ignored=[",", r"\$", "(?s).*ANSWER=> ", r"\.$"])
        logs = import_logs("lm-eval", [tmp_path])
        assert figures(logs) == [(0.5, 0.5)]
        assert [row["accepted"] for row in logs.questions] == [[str(1000 + number)] for number in range(QUESTIONS)]
        assert not logs.notes

    def test_also_where_another_log_says_it(self, tmp_path: Path) -> None:
        targets = [f"Two.\nANSWER=> {100 + number}" for number in range(QUESTIONS)]
        lm_eval(tmp_path, targets, self.said, self.half)
        lm_eval(tmp_path, targets, self.said, self.half, ignored=["(?s).*ANSWER=> "], model="bob")
        assert new_model(import_logs("lm-eval", [tmp_path]), tmp_path, "{}") == [1.0] * QUESTIONS

    @pytest.mark.parametrize(
        "evil",
        [
            *("(a+)+$", "(a|aa)*b", "a*a*a*a*a*b", r"(\w+)\1+x", "[a", "a{1,9999}{1,9999}"),
            *("a?" * 40 + "a" * 40, "[a]?" * 30 + "a" * 30, r"\w?" * 40 + "!", ".?" * 40 + "!$"),
        ],
    )
    def test_an_expression_that_may_take_for_ever_is_not_followed(self, evil: str, tmp_path: Path) -> None:
        targets = ["a" * 4_000 + f"! {number}" for number in range(QUESTIONS)]
        lm_eval(tmp_path, targets, self.said, self.half, ignored=[evil])
        began = time.process_time()
        logs = import_logs("lm-eval", [tmp_path])
        assert time.process_time() - began < 10
        assert any("is not followed here" in note for note in logs.notes)

    @pytest.mark.parametrize(
        "evil", [".*" + "." * 190 + "Q", r"\w+" + "[a-z!]" * 30 + "Q", "[^Q]*" + r"[\da-z]" * 25 + "Q"]
    )
    def test_one_that_is_long_is_followed_on_short_targets_alone(self, evil: str, tmp_path: Path) -> None:
        """Its time is that of the square of the text, times its own length: 12 s for one target."""
        targets = [*("a" * 4_900 + f"! {number}" for number in range(QUESTIONS - 1)), "a" * 200 + "Q7"]
        lm_eval(tmp_path, targets, self.said, self.half, ignored=[evil])
        began = time.process_time()
        logs = import_logs("lm-eval", [tmp_path])
        assert time.process_time() - began < 3
        assert any("7 targets are too long for what exact_match ignores of them" in note for note in logs.notes)
        assert ComparedForm([re.compile(evil)]).of(targets[-1]) == "7"

    def test_a_list_of_very_many_is_not_followed(self, tmp_path: Path) -> None:
        lm_eval(tmp_path, self.solutions, self.said, self.half, ignored=[f".*{number}" for number in range(1_000)])
        notes = import_logs("lm-eval", [tmp_path]).notes
        assert any("is not followed here" in note and "20 expressions" in note for note in notes), notes

    def test_and_one_that_takes_the_square_of_a_length_only_for_a_while(self, tmp_path: Path) -> None:
        many = 400
        targets = ["a" * 4_990 + f" {number}" for number in range(many)]
        lm_eval(tmp_path, targets, ["7"] * many, [1.0, 0.0] * (many // 2), ignored=[".*#"])
        began = time.process_time()
        import_logs("lm-eval", [tmp_path])
        assert time.process_time() - began < 15

    def test_what_the_log_calls_wrong_is_not_accepted(self, tmp_path: Path) -> None:
        strict = [0.0] * (QUESTIONS - 2) + [1.0, 1.0]
        said = [*map(str, range(100, 100 + QUESTIONS - 2)), *self.solutions[-2:]]
        lm_eval(tmp_path, self.solutions, said, strict)
        assert new_model(import_logs("lm-eval", [tmp_path]), tmp_path, "{}") == [0.0] * QUESTIONS

    @pytest.mark.parametrize(
        ("metric", "reference"),
        [
            ("final_number_exact_match", "She has 3 and 4. The answer is {:,}."),
            ("exact_match_indicator", "She has 3 and 4. The answer is {}"),
            ("math_equiv_chain_of_thought", r"It is $\frac{{1}}{{2}}$ of it, $\boxed{{{}}}$."),
        ],
    )
    def test_helm(self, metric: str, reference: str, tmp_path: Path) -> None:
        states, stats = [], []
        for number in range(QUESTIONS):
            right = number < QUESTIONS // 2
            said = f"We add.\nThe answer is {1000 + number if right else 7}."
            output = {"output": {"text": reference.format(1000 + number)}, "tags": ["correct"]}
            states.append(
                {
                    "instance": {"id": f"id{number}", "input": {"text": f"Q{number}?"}, "references": [output]},
                    "train_trial_index": 0,
                    "result": {"success": True, "completions": [{"text": said, "logprob": 0}]},
                }
            )
            stats.append({"instance_id": f"id{number}", "stats": [{"name": {"name": metric}, "mean": float(right)}]})
        adapter = {"method": "generation", "model": "acme/ann"}
        (tmp_path / "scenario_state.json").write_text(json.dumps({"adapter_spec": adapter, "request_states": states}))
        (tmp_path / "per_instance_stats.json").write_text(json.dumps(stats))
        (tmp_path / "run_spec.json").write_text(json.dumps({"name": "gsm:model=ann"}))
        logs = import_logs("helm", [tmp_path])
        assert figures(logs) == [(0.5, 0.5)]
        assert [worth(case, str(1000 + n)) for n, case in enumerate(cases(logs, tmp_path))] == [1.0] * QUESTIONS

    def test_a_table_with_solutions(self, tmp_path: Path) -> None:
        file = tmp_path / "kept.csv"
        lines = [f'{n},Q{n}?,"{solution(n)}",ann,{self.said[n]}' for n in range(QUESTIONS)]
        file.write_text("\n".join(["id,question,answer,model,response", *lines]))
        logs = import_logs("csv", [file])
        assert figures(logs) == [(None, 0.5)]

    @pytest.mark.parametrize(
        ("reference", "answer"),
        [
            ("Two.\n#### 1,000", "1,000"),
            ("#### 18", "18"),
            (r"So \boxed{1}, or rather \boxed{\frac{1}{2}}.", r"\frac{1}{2}"),
            (r"So \boxed{1", None),
            (r"So $x = \fbox{12}$, that is \boxed 5$.", "5"),
            (r"48/2 = 24 clips in May.\n#### 72", "72"),
            ("#### 18\nis a heading", None),
            ("Two.\n#### 12\nThe answer is: 12", "12"),
            ("Two.\n#### 12\nThe answer is: 13", None),
            (r"#### 3, says Ann.\n#### 5", "5"),
            (r"Said:\n#### 3 and \nothing else", r"3 and \nothing else"),
            ("Paris", None),
            ("a #### b", None),
        ],
    )
    def test_the_answer_within(self, reference: str, answer: str | None) -> None:
        assert answer_within(reference) == answer


class TestNobodySaysTheReference:
    target = "A long text number {} which a judge reads, and no reply repeats"

    def logged(self, folder: Path) -> ImportedLogs:
        inspect(folder, [f"blue {n}" for n in range(QUESTIONS)], "CCCCIIII", self.target)
        return import_logs("inspect", [folder])

    def test_figures_stay_and_new_answers_are_ungraded_where_nothing_short_is_known(self, tmp_path: Path) -> None:
        logs = self.logged(tmp_path)
        assert figures(logs) == [(0.5, 0.5)]
        asked = cases(logs, tmp_path)
        assert [worth(case, "a new answer") for case in asked] == [0.0] * 4 + [None] * 4
        assert [worth(case, f"Blue {n}") for n, case in enumerate(asked)] == [1.0] * 4 + [0.0] * 4
        assert [needs_judge(case, "a new answer") for case in asked] == [True] * 8
        assert worth(asked[7], self.target.format(7)) == 1.0

    def test_it_is_said_with_how_many_and_what_to_do(self, tmp_path: Path) -> None:
        notes = " ".join(self.logged(tmp_path).notes)
        assert (
            "of 4 replies that the log calls right hardly any is its reference, or says it: 8 questions have" in notes
        )
        assert "in 4 of these nothing short is known to be right" in notes
        assert "ungraded, not wrong" in notes
        assert "judge: {models: [NAME]}" in notes

    def test_a_run_and_doctor_say_it_of_the_questions(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        logs = self.logged(tmp_path)
        cases(logs, tmp_path)
        (tmp_path / "replies.jsonl").write_text("".join(json.dumps(row) + "\n" for row in logs.replies))
        spec = {
            "name": "cup",
            "questions": {"file": "questions.jsonl"},
            "models": {"ann": {"provider": "recorded", "file": "replies.jsonl", "model": "ann"}},
            "strategies": ["solo"],
        }
        (tmp_path / "cup.yaml").write_text(json.dumps(spec))
        for command in (["doctor"], ["run"]):
            run_app(app, [*command, str(tmp_path / "cup.yaml")])
            said = " ".join("".join(capsys.readouterr()).split())
            assert "4 questions have a reference that no short answer matches" in said, command
        assert "50.0 %" in said, "as in the log"

    def test_where_replies_say_it_nothing_changes(self, tmp_path: Path) -> None:
        inspect(tmp_path, [f"It is Paris{n}, I think" if n < 4 else "Rome" for n in range(QUESTIONS)], "CCCCIIII")
        logs = import_logs("inspect", [tmp_path])
        assert not any("meta" in row for row in logs.questions)
        assert not any("hardly any" in note for note in logs.notes)
        assert worth(cases(logs, tmp_path)[7], "London") == 0.0


class TestRepliesOfSeveralLines:
    def test_keep_the_verdict_of_the_log(self, tmp_path: Path) -> None:
        said = [
            f"Well, the thing is\nthat it's Paris{n}." if n < 5 else "I think\nit is London." for n in range(QUESTIONS)
        ]
        inspect(tmp_path, said, "CCCCCIII")
        logs = import_logs("inspect", [tmp_path])
        assert figures(logs) == [(0.625, 0.625)]
        assert all("\n" not in row["answer"] for row in logs.replies), "right and wrong alike"
        assert logs.models[0].unread == 0
        assert any(note.startswith("qa: 8 replies are their own answers") for note in logs.notes)
        assert worth(cases(logs, tmp_path)[7], "Paris7") == 1.0

    def test_are_read_where_most_can_be(self, tmp_path: Path) -> None:
        said = [f"Well.\nAnswer: Paris{n}" if n else "Well,\nParis0 it is." for n in range(QUESTIONS)]
        inspect(tmp_path, said, "C" * QUESTIONS)
        logs = import_logs("inspect", [tmp_path])
        assert logs.replies[1]["answer"] == "Paris1"
        assert logs.models[0].unread == 1


def test_other_choices_under_one_id_are_called_so(tmp_path: Path) -> None:
    for model, last in (("ann", "red"), ("bob", "blue")):
        sample: dict[str, Any] = {
            "id": 0,
            "input": "q0",
            "choices": ["green", last],
            "target": "A",
            "output": {"completion": "ANSWER: A"},
            "scores": {"choice": {"value": "C", "answer": "A"}},
        }
        about = {"status": "success", "eval": {"task": "mc", "model": model}, "samples": [sample]}
        (tmp_path / f"{model}.json").write_text(json.dumps(about))
    with pytest.raises(MootError) as refused:
        import_logs("inspect", [tmp_path])
    assert "the choices differ ('blue' is among them here, and 'red' is among them there)" in str(refused.value)
