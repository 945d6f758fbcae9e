"""Logs that are none, or not whole, or do not belong together: one clear message each; and what is only missing is said."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from moot.data.logs.imported import import_logs
from moot.errors import MootError

HERE = Path(__file__).parent / "fixtures"
Change = Callable[[dict[str, Any]], None]


def refused(name: str, *paths: Path, **options: Any) -> str:
    with pytest.raises(MootError) as error:
        import_logs(name, paths, **options)
    return str(error.value)


def inspect_log(path: Path, model: str = "ann", change: Change = lambda log: None) -> Path:
    """That of the capitals, changed."""
    log = json.loads((HERE / "inspect/capitals" / f"{model}.json").read_text())
    change(log)
    path.write_text(json.dumps(log))
    return path


def renamed(task: str) -> Change:
    return lambda log: log["eval"].update(task=task)


@pytest.mark.parametrize("name", ["inspect", "lm-eval", "promptfoo", "helm", "openai-batch"])
def test_a_log_of_another_tool(name: str, tmp_path: Path) -> None:
    suffix = {"lm-eval": ".jsonl", "openai-batch": ".jsonl"}.get(name, ".json")
    path = tmp_path / f"scenario_state{suffix}"
    path.write_text('{"some": "thing"}\n')
    said = refused(name, path)
    assert path.name in said
    assert "expected" in said


def test_a_zip_that_was_cut_off(tmp_path: Path) -> None:
    whole = (HERE / "inspect/planets/ann.eval").read_bytes()
    path = tmp_path / "ann.eval"
    path.write_bytes(whole[: len(whole) // 2])
    assert "is no zip, or was cut off" in refused("inspect", path)


def test_a_zip_with_a_damaged_part(tmp_path: Path) -> None:
    content = bytearray((HERE / "inspect/planets/ann.eval").read_bytes())
    content[4000:4400] = b"\x00" * 400
    path = tmp_path / "ann.eval"
    path.write_bytes(content)
    assert "in it cannot be read" in refused("inspect", path)


def test_a_zip_of_something_else(tmp_path: Path) -> None:
    path = tmp_path / "other.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("letter.json", "{}")
    assert "expected a header.json in the zip" in refused("inspect", path)


def test_a_zip_that_is_not_packed_with_zstandard_needs_nothing_more(tmp_path: Path) -> None:
    log = json.loads((HERE / "inspect/capitals/ann.json").read_text())
    path = tmp_path / "ann.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps({key: log[key] for key in log if key != "samples"}))
        for sample in log["samples"]:
            archive.writestr(f"samples/{sample['id']}_epoch_1.json", json.dumps(sample))
    assert import_logs("inspect", [path]).models[0].stated == 2 / 3


def test_an_extra_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "backports.zstd", None)
    assert "pip install 'moot[logs]'" in refused("inspect", HERE / "inspect/planets/ann.eval")


def test_tasks_that_not_all_models_have(tmp_path: Path) -> None:
    inspect_log(tmp_path / "a.json", "ann")
    inspect_log(tmp_path / "b.json", "bob")
    inspect_log(tmp_path / "c.json", "bob", renamed("towns"))
    said = refused("inspect", tmp_path)
    assert "no log of the task 'towns' for mockllm/ann" in said
    assert "--task capitals" in said
    assert len(import_logs("inspect", [tmp_path], tasks=["capitals"]).models) == 2
    assert "there are capitals, towns" in refused("inspect", tmp_path, tasks=["rivers"])


def test_two_logs_of_one_model_and_task(tmp_path: Path) -> None:
    paths = [inspect_log(tmp_path / f"{name}.json") for name in "ab"]
    said = refused("inspect", *paths)
    assert "a second reply of 'mockllm/ann' to 'capitals/c1', sample 0" in said
    assert "a.json has one already" in said


def test_one_id_for_two_questions_of_a_log(tmp_path: Path) -> None:
    def doubled(log: dict[str, Any]) -> None:
        log["samples"][1].update(id="c1")

    assert "'capitals/c1' is another question here" in refused(
        "inspect", inspect_log(tmp_path / "a.json", "ann", doubled)
    )
    rows = (HERE / "lm-eval/ann").glob("samples_moot_planets*")
    path = tmp_path / "samples_twice_2026-01-01T00-00-00.jsonl"
    path.write_text(next(rows).read_text().splitlines()[0] + "\n", encoding="utf-8")
    path.write_text(path.read_text() * 2)
    assert "sample 0: an id has to mean one question" in refused("lm-eval", path)


def test_an_id_that_is_another_question_elsewhere(tmp_path: Path) -> None:
    def other(log: dict[str, Any]) -> None:
        log["samples"][0].update(input="What is the capital of Spain?")

    inspect_log(tmp_path / "a.json", "ann")
    inspect_log(tmp_path / "b.json", "bob", other)
    assert "'capitals/c1' is another question here than in" in refused("inspect", tmp_path)


def test_choices_in_another_order_keep_their_meaning(tmp_path: Path) -> None:
    table = "id,question,A,B,answer,model,extracted,reply\n"
    (tmp_path / "a.csv").write_text(table + "1,Larger?,Mars,Jupiter,B,ann,B,B\n")
    (tmp_path / "b.csv").write_text(table + "1,Larger?,Jupiter,Mars,A,bob,A,A\n")
    logs = import_logs("csv", [tmp_path])
    assert [row["answer"] for row in logs.replies] == ["B", "B"]
    assert [model.here for model in logs.models] == [1.0, 1.0]


def test_references_that_differ(tmp_path: Path) -> None:
    table = "id,question,answer,model,reply\n"
    (tmp_path / "a.csv").write_text(table + "1,Larger?,Mars,ann,Mars\n")
    (tmp_path / "b.csv").write_text(table + "1,Larger?,Venus,bob,Mars\n")
    assert "the reference of '1' is 'Venus', and in" in refused("csv", tmp_path)


def test_models_that_share_no_question(tmp_path: Path) -> None:
    table = "id,question,answer,model,reply\n"
    (tmp_path / "a.csv").write_text(table + "a1,Larger?,Mars,ann,Mars\nb1,Larger?,Mars,bob,Mars\n")
    assert "no question was put to all of ann, bob: their ids differ (a1, b1)" in refused("csv", tmp_path)


def test_what_is_missing_is_said_and_stays_unanswered(tmp_path: Path) -> None:
    def silent(log: dict[str, Any]) -> None:
        first, second, _ = log["samples"]
        first.update(output={"choices": []}, error={"message": "timed out"}, scores=None)
        log["samples"] = [first, second]
        log.update(status="error")

    inspect_log(tmp_path / "a.json", "ann", silent)
    inspect_log(tmp_path / "b.json", "bob")
    notes = import_logs("inspect", [tmp_path]).notes
    assert "a.json (mockllm/ann): the evaluation did not come to its end (error)" in notes
    assert "mockllm/ann: 1 of 2 samples have no reply (timed out)" in notes
    assert "mockllm/ann: never asked 1 of 3 questions, on which it will be unanswered" in notes


def test_a_verdict_that_is_not_ours_is_told(tmp_path: Path) -> None:
    def strict(log: dict[str, Any]) -> None:
        sample = log["samples"][2]
        sample["scores"]["match"].update(value="I", answer="nairobi.")

    logs = import_logs("inspect", [inspect_log(tmp_path / "a.json", "ann", strict)])
    differing = "1 wrong there, and equal to a reference here but for case, marks or articles"
    assert f"mockllm/ann: 1 verdict differs from the log's: {differing}" in logs.notes


def test_an_answer_that_is_called_right_and_wrong_is_not_accepted(tmp_path: Path) -> None:
    table = "id,question,answer,model,reply,correct\n"
    (tmp_path / "a.csv").write_text(table + "1,Where?,Paris,ann,Lutetia,1\n1,Where?,Paris,bob,Lutetia,0\n")
    logs = import_logs("csv", [tmp_path])
    assert "accepted" not in logs.questions[0]
    assert "ann: 1 verdict differs from the log's: 1 right there, and not here" in logs.notes


def test_questions_of_several_right_choices_are_left_out(tmp_path: Path) -> None:
    def several(log: dict[str, Any]) -> None:
        log["samples"][0].update(choices=["Paris", "Lyon", "Rome"], target="AB")

    logs = import_logs("inspect", [inspect_log(tmp_path / "a.json", "ann", several)])
    assert [row["id"] for row in logs.questions] == ["capitals/c2", "capitals/c3"]
    assert (
        "a.json (mockllm/ann): 1 sample without a question in words, or with several right choices, left out"
        in logs.notes
    )


def test_where_there_is_nothing(tmp_path: Path) -> None:
    assert "no such file or folder of logs" in refused("inspect", tmp_path / "none")
    assert "no file is called so" in refused("inspect", tmp_path / "*.eval")
    assert "no logs in it; expected files that end in .eval or .json" in refused("inspect", tmp_path)
    assert "did you mean 'inspect'" in refused("inspct", tmp_path)


def test_lm_eval_without_its_results(tmp_path: Path) -> None:
    folder = tmp_path / "acme__ann"
    folder.mkdir()
    shutil.copy(next((HERE / "lm-eval/ann").glob("samples_moot_planets*")), folder)
    logs = import_logs("lm-eval", [folder])
    assert [(model.name, model.stated) for model in logs.models] == [("acme__ann", 0.75)]
    assert any("the model is called as its folder is" in note for note in logs.notes)


def test_helm_that_scored_each_choice_by_itself(tmp_path: Path) -> None:
    state = json.loads((HERE / "helm/ann/scenario_state.json").read_text())
    state["adapter_spec"]["method"] = "multiple_choice_separate_original"
    (tmp_path / "scenario_state.json").write_text(json.dumps(state))
    assert "there are no replies to read" in refused("helm", tmp_path)


def test_only_the_requests_of_a_batch() -> None:
    assert "expected the file of replies too" in refused("openai-batch", HERE / "openai-batch/ann-input.jsonl")


def test_what_a_batch_never_answered(tmp_path: Path) -> None:
    shutil.copy(HERE / "openai-batch/ann-input.jsonl", tmp_path)
    lines = (HERE / "openai-batch/ann-output.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "output.jsonl").write_text("".join(lines[:2]))
    assert (
        "ann-1: 1 of 3 samples have no reply (in no file of replies)" in import_logs("openai-batch", [tmp_path]).notes
    )


def test_a_name_for_logs_of_several_models() -> None:
    said = refused("inspect", HERE / "inspect/capitals", model="one")
    assert "--model one: the logs are of 2 models (mockllm/ann, mockllm/bob)" in said
