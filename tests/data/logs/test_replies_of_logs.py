"""Replies of logs, whichever tool wrote them: what is read here and what in play, and which verdicts make an answer accepted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from moot.cli.app import app
from moot.cli.exit import run_app
from moot.data.logs.imported import ImportedLogs, import_logs
from moot.errors import MootError

WORDY = ("The answer is B because Jupiter is the largest.", "Therefore, the answer is B (Jupiter).", "B")


def table(folder: Path, *lines: str) -> Path:
    path = folder / "kept.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def batch(folder: Path) -> Path:
    path = folder / "out.jsonl"
    rows = [
        {
            "custom_id": f"q{n}",
            "response": {"status_code": 200, "body": {"model": "ann", "choices": [{"message": {"content": said}}]}},
        }
        for n, said in enumerate(WORDY)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def replies_alone(folder: Path) -> Path:
    return table(folder, "id,question,model,response", *(f'q{n},Largest?,ann,"{said}"' for n, said in enumerate(WORDY)))


def whole_as_answer(folder: Path) -> Path:
    """A scorer that gives the whole reply as the answer took nothing from it."""
    samples = [
        {
            "id": f"q{n}",
            "epoch": 1,
            "input": "Largest?",
            "output": {"completion": said},
            "scores": {"judge": {"value": "C", "answer": said}},
        }
        for n, said in enumerate(WORDY)
    ]
    path = folder / "a.json"
    about = {"status": "success", "eval": {"task": "t", "model": "ann"}, "results": {}}
    path.write_text(json.dumps(about | {"samples": samples}))
    return path


@pytest.mark.parametrize(
    ("name", "make", "task"),
    [("openai-batch", batch, ""), ("csv", replies_alone, ""), ("inspect", whole_as_answer, "t/")],
)
def test_without_references_a_reply_is_read_as_what_it_answers_is_asked(
    name: str, make: object, task: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Questions of one's own may have choices that no log names: read as open, most of these say something else than B."""
    assert callable(make)
    logs = import_logs(name, [make(tmp_path)])
    assert [(row["text"], "answer" in row) for row in logs.replies] == [(said, False) for said in WORDY]
    recorded, questions = tmp_path / "recorded.jsonl", tmp_path / "own.jsonl"
    recorded.write_text("".join(json.dumps(row) + "\n" for row in logs.replies))
    own = [{"id": f"{task}q{n}", "text": "Largest?", "choices": ["Mars", "Jupiter"], "answer": "B"} for n in range(3)]
    own[2] = {"id": f"{task}q2", "text": "Which letter?", "answer": "B"}
    questions.write_text("".join(json.dumps(row) + "\n" for row in own))
    model = {"ann": {"provider": "recorded", "file": "recorded.jsonl", "model": "ann"}}
    cup = {"name": "cup", "questions": {"file": "own.jsonl"}, "models": model, "strategies": ["solo"]}
    (tmp_path / "cup.yaml").write_text(json.dumps(cup))
    assert run_app(app, ["run", str(tmp_path / "cup.yaml")]) == 0
    assert "100.0 %" in capsys.readouterr().out


class TestVerdictsThatAreTurnedRound:
    def logged(self, folder: Path, *verdicts: int) -> ImportedLogs:
        said = ("Paris", "Rome", "Lima", "Quito")
        asked = ("France?", "France?", "Peru?", "Peru?")
        rows = [
            f"{asked[n]},{('Paris', 'Lima')[n // 2]},{'ab'[n % 2]},{said[n]},{verdict}"
            for n, verdict in enumerate(verdicts)
        ]
        return import_logs("csv", [table(folder, "question,answer,model,reply,passed", *rows)])

    def test_make_no_answer_accepted(self, tmp_path: Path) -> None:
        logs = self.logged(tmp_path, 0, 1, 0, 1)
        assert [row.get("accepted") for row in logs.questions] == [None, None]
        said = "the verdicts call 2 of 2 replies wrong that are the reference itself, so nothing is accepted"
        assert any(note.startswith(said) for note in logs.notes)

    def test_one_slip_of_a_tool_is_not(self, tmp_path: Path) -> None:
        logs = self.logged(tmp_path, 1, 0, 0, 1)
        assert [row.get("accepted") for row in logs.questions] == [None, ["Quito"]]
        assert not any("nothing is accepted" in note for note in logs.notes)


class TestOpenLinesThatAreNoWords:
    def logged(self, folder: Path, said: str, reference: str, verdict: int) -> ImportedLogs:
        result = {
            "provider": {"id": "ann"},
            "vars": {"question": "Which?"},
            "response": {"output": said},
            "success": bool(verdict),
            "testCase": {"assert": [{"type": "contains", "value": reference}]},
        }
        path = folder / "output.json"
        path.write_text(json.dumps({"results": {"results": [result]}}))
        return import_logs("promptfoo", [path])

    @pytest.mark.parametrize(
        ("said", "reference", "answer"),
        [("~", "~", "~"), ("Paris\tFrance", "Paris", "Paris France"), ("Paris\u2028or so", "Paris", "Paris or so")],
    )
    def test_are_answers_where_the_tool_calls_them_right(
        self, said: str, reference: str, answer: str, tmp_path: Path
    ) -> None:
        logs = self.logged(tmp_path, said, reference, 1)
        (model,) = logs.models
        assert (logs.replies[0]["answer"], model.stated, model.here, model.unread) == (answer, 1.0, 1.0, 0)

    def test_and_tabs_are_spaces_where_it_does_not(self, tmp_path: Path) -> None:
        logs = self.logged(tmp_path, "Rome\tItaly", "Paris", 0)
        assert (logs.replies[0]["answer"], logs.models[0].here) == ("Rome Italy", 0.0)
        assert self.logged(tmp_path, "?", "Paris", 0).models[0].unread == 1


class TestNumeralsAsChoices:
    LINES = ("id,question,choices,answer,model,response", '1,2+2?,"[2, 3, 4]",2,ann,C', '2,1+1?,"[1, 2, 3]",1,ann,B')

    def test_cost_no_replies_where_the_right_one_cannot_be_told(self, tmp_path: Path) -> None:
        logs = import_logs("csv", [table(tmp_path, *self.LINES)])
        assert (logs.questions, [row["text"] for row in logs.replies]) == ((), ["C", "B"])
        assert any("can be read in 3 ways" in note and "no reference is taken" in note for note in logs.notes)
        assert not any("say which beside the file" in note for note in logs.notes)

    def test_and_are_choices_where_it_can(self, tmp_path: Path) -> None:
        lines = [line.replace(",2,ann", ",C,ann").replace(",1,ann", ",B,ann") for line in self.LINES]
        logs = import_logs("csv", [table(tmp_path, *lines)])
        assert [(row["choices"], row["answer"]) for row in logs.questions] == [
            (["2", "3", "4"], "C"),
            (["1", "2", "3"], "B"),
        ]


def test_a_metric_is_named_only_where_a_log_may_have_several(tmp_path: Path) -> None:
    with pytest.raises(MootError, match="--metric good: logs of openai-batch do not have several verdicts"):
        import_logs("openai-batch", [batch(tmp_path)], metric="good")
