"""`moot import`: from the logs that somebody has to what a team of their models would have reached, and nobody is asked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cup_commands import command, ended, told

LOGS = Path(__file__).parents[1] / "data/logs/fixtures"
EVAL = LOGS / "inspect/planets"
OPEN = LOGS / "inspect/capitals"


def alone(path: Path) -> dict[str, float]:
    return {row["player"]: row["value"] for row in told(path)["accuracy"] if row["strategy"] == "solo"}


def imported(folder: Path, tool: str, *paths: Path) -> str:
    return command("import", tool, *paths, "-o", folder / "recorded.jsonl", "--experiment", folder / "cup.yaml")


def test_the_report_of_a_replay_has_the_figures_of_the_log(tmp_path: Path) -> None:
    said = imported(tmp_path, "inspect", EVAL)
    assert "mockllm/ann 8 87.5 % 87.5 % 0.0016" in said
    assert f"moot run {tmp_path / 'cup.yaml'} " in said
    assert "moot advise" in said
    command("run", tmp_path / "cup.yaml", "--quiet")
    assert alone(tmp_path / "cup.yaml") == {"ann": 0.875, "bob": 0.625}
    row = next(row for row in told(tmp_path / "cup.yaml")["accuracy"] if row["strategy"] == "vote")
    assert row["cost_usd"] == pytest.approx(0.0032), "what the replies cost when they were made"


@pytest.mark.parametrize(
    ("tool", "logs", "figures"),
    [
        ("lm-eval", "lm-eval", {"ann": 5 / 7, "bob": 5 / 7}),
        ("promptfoo", "promptfoo/output.jsonl", {"ann": 2 / 3, "Bob": 2 / 3}),
    ],
)
def test_and_so_for_the_others(tool: str, logs: str, figures: dict[str, float], tmp_path: Path) -> None:
    imported(tmp_path, tool, LOGS / logs)
    command("run", tmp_path / "cup.yaml", "--quiet")
    assert alone(tmp_path / "cup.yaml") == pytest.approx(figures)


def direct(folder: Path, **keys: Any) -> Path:
    models = {
        name: {"provider": "recorded", "file": str(EVAL), "format": "inspect", "model": f"mockllm/{name}"}
        for name in ("ann", "bob")
    }
    questions = {"file": str(EVAL / "*.eval"), "format": "inspect"}
    file = {"name": "direct", "questions": questions, "models": models, "strategies": ["solo"], "repeats": 2}
    path = folder / "direct.yaml"
    path.write_text(json.dumps(file | keys))
    return path


def test_logs_directly_in_an_experiment_file(tmp_path: Path) -> None:
    path = direct(tmp_path)
    command("run", path, "--quiet")
    assert alone(path) == {"ann": 0.875, "bob": 0.625}
    assert "answers 4 of the 4 questions" in command("doctor", path)


def test_a_budget_is_for_what_is_paid_now(tmp_path: Path) -> None:
    path = direct(tmp_path, budget_usd=0.001)
    command("run", path, "--quiet")
    figures = told(path)
    rows = figures["accuracy"]
    assert {row["cost_usd"] for row in rows} == {0.0016}, "what was paid then is told"
    assert figures["paid_here_usd"] == 0
    assert all(row["outcomes"].keys() <= {"answered", "unanswered"} and not row["missing"] for row in rows)


def test_mistakes_in_such_a_file_are_told_with_their_place(tmp_path: Path) -> None:
    wrong = {"provider": "recorded", "file": str(EVAL), "format": "inspct", "model": "mockllm/ann"}
    status, said = ended("run", direct(tmp_path, models={"ann": wrong}))
    assert status == 2
    assert "models.ann.format: format 'inspct' is unknown" in said
    status, said = ended("run", direct(tmp_path, models={"ann": {**wrong, "format": "inspect", "model": "ann"}}))
    assert status == 2
    assert "holds no replies of 'ann'; expected one of its models: there are those of mockllm/ann, mockllm/bob" in said


def test_advice_from_imported_replies_knows_their_costs(tmp_path: Path) -> None:
    lines = ["id,question,A,B,answer,x/ann,x/ann_cost,x/bob,x/bob_cost"]
    lines += [f"{n},Larger {n}?,one,two,{'AB'[n % 2]},{'AB'[n % 2] if n % 5 else 'A'},0.002,A,0.001" for n in range(60)]
    (tmp_path / "logs.csv").write_text("\n".join(lines) + "\n")
    command("import", "csv", tmp_path / "logs.csv", "-o", tmp_path / "r.jsonl")
    said = json.loads(command("advise", tmp_path / "r.jsonl", "--questions", tmp_path / "r-questions.jsonl", "--json"))
    costs = {tuple(row["players"]): row["usd_per_1000"] for row in said["frontier"] if len(row["players"]) == 1}
    assert costs[("ann",)] == pytest.approx(2.0)


HALF_PRICED = (
    "id,question,A,B,answer,ann,ann_cost,ann_prompt_tokens,ann_completion_tokens,bob,bob_cost",
    *(f"{n},Larger {n}?,one,two,{'AB'[n % 2]},{'AB'[n % 2] if n % 5 else 'A'},0,100,10,A,0.001" for n in range(60)),
)
"""A cost of 0 that some tool wrote, as it knew no price."""


def half_priced(folder: Path) -> str:
    (folder / "logs.csv").write_text("\n".join(HALF_PRICED) + "\n")
    return imported(folder, "csv", folder / "logs.csv")


def test_whoever_has_a_cost_of_nothing_in_the_log_does_not_look_free(tmp_path: Path) -> None:
    said = half_priced(tmp_path)
    assert "a cost of 0 in 60 replies is what tools write where they know no price, and taken as unknown" in said
    estimated = command("run", tmp_path / "cup.yaml", "--estimate")
    assert "To be paid now: $0 (at most $0)" in estimated, "playing back is paid by nobody"
    assert "In total cost unknown: not every recorded reply of ann says what it cost when it was made." in estimated
    command("run", tmp_path / "cup.yaml", "--quiet")
    rows = {(row["strategy"], row.get("player")): row["cost_usd"] for row in told(tmp_path / "cup.yaml")["accuracy"]}
    assert rows == {("solo", "ann"): None, ("solo", "bob"): pytest.approx(0.06), ("vote", None): None}
    said = command(
        "advise", tmp_path / "recorded.jsonl", "--questions", tmp_path / "recorded-questions.jsonl", "--json"
    )
    assert {row["usd_per_1000"] for row in json.loads(said)["frontier"]} == {None}


def test_nor_where_the_file_says_what_it_costs(tmp_path: Path) -> None:
    half_priced(tmp_path)
    path = tmp_path / "cup.yaml"
    listed = "model: ann, price: {prompt: 10, completion: 100}"
    path.write_text(path.read_text().replace("model: ann", listed))
    assert listed in path.read_text()
    command("run", path, "--quiet")
    rows = {(row["strategy"], row.get("player")): row["cost_usd"] for row in told(path)["accuracy"]}
    assert rows[("solo", "ann")] == pytest.approx(60 * 0.002)
    assert rows[("vote", None)] == pytest.approx(60 * 0.003)


def test_to_stdout_and_with_a_name(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    said = command("import", "inspect", OPEN / "ann.json", "-o", "-", "--model", "gpt")
    assert '"model": "gpt"' in said
    assert list(tmp_path.iterdir()) == []
    status, said = ended("import", "inspect", OPEN, "-o", "-", "--experiment", tmp_path / "cup.yaml")
    assert status == 2
    assert "--experiment goes with a file of replies" in said


def test_without_references_it_says_what_is_needed(tmp_path: Path) -> None:
    said = command("import", "openai-batch", LOGS / "openai-batch", "-o", tmp_path / "r.jsonl")
    assert "--questions YOUR-QUESTIONS.jsonl" in said
    assert [path.name for path in tmp_path.iterdir()] == ["r.jsonl"]
    rows = [
        {"id": f"c{n}", "text": f"What is the capital of {land}?", "answer": town}
        for n, (land, town) in enumerate([("France", "Paris"), ("Peru", "Lima"), ("Kenya", "Nairobi")], start=1)
    ]
    (tmp_path / "mine.jsonl").write_text("\n".join(map(json.dumps, rows)))
    models = {name: {"provider": "recorded", "file": "r.jsonl", "model": f"{name}-1"} for name in ("ann", "bob")}
    file = {"name": "cup", "questions": {"file": "mine.jsonl"}, "models": models, "strategies": ["solo"]}
    (tmp_path / "cup.yaml").write_text(json.dumps(file))
    command("run", tmp_path / "cup.yaml", "--quiet")
    assert alone(tmp_path / "cup.yaml") == pytest.approx({"ann": 1 / 3, "bob": 2 / 3}), "It is Paris is for a judge"


def test_nothing_of_somebody_else_is_written_over(tmp_path: Path) -> None:
    own = tmp_path / "recorded-questions.jsonl"
    own.write_text('{"id": "1", "text": "Mine?", "answer": "yes"}\n')
    status, said = ended("import", "inspect", OPEN, "-o", tmp_path / "recorded.jsonl")
    assert status == 2
    assert "is there already, and holds other questions" in said
    assert "Mine?" in own.read_text()
    assert not (tmp_path / "recorded.jsonl").exists()
    log = tmp_path / "ann.json"
    log.write_bytes((OPEN / "ann.json").read_bytes())
    status, said = ended("import", "inspect", log, "-o", log)
    assert status == 2
    assert "is one of the logs" in said
    mine = tmp_path / "mine.yaml"
    mine.write_text("name: mine\n")
    status, said = ended("import", "inspect", log, "-o", tmp_path / "a.jsonl", "--experiment", mine)
    assert status == 2
    assert "is there already and would be lost" in said


def test_the_same_import_again(tmp_path: Path) -> None:
    assert imported(tmp_path, "inspect", OPEN) == imported(tmp_path, "inspect", OPEN)


def test_players_of_models_whose_names_end_alike() -> None:
    from moot.cli.player_names import player_names

    models = ["openai/gpt-4o", "azure/gpt-4o", "meta/llama 3", "a:b", "///"]
    assert list(player_names(models).values()) == ["openai-gpt-4o", "azure-gpt-4o", "llama-3", "b", "model-2"]


def test_one_who_knows_says_by_which_score_replies_are_right(tmp_path: Path) -> None:
    samples = [
        {
            "id": f"q{number}",
            "epoch": 1,
            "input": f"Where {number}?",
            "target": "Paris",
            "output": {"completion": said},
            "scores": {"both": {"value": {"fmt": 1, "ok": ok}}},
        }
        for number, (said, ok) in enumerate((("It is Paris", 1), ("Rome", 0)))
    ]
    scores = [
        {"name": name, "scorer": "both", "metrics": {"mean": {"value": value}}}
        for name, value in (("fmt", 1), ("ok", 0.5))
    ]
    about = {"status": "success", "eval": {"task": "towns", "model": "ann"}, "results": {"scores": scores}}
    (tmp_path / "a.json").write_text(json.dumps(about | {"samples": samples}))
    asked = ("import", "inspect", tmp_path / "a.json", "-o")
    assert "ann 2 – 0.0 %" in command(*asked, tmp_path / "unsaid.jsonl")
    assert "ann 2 50.0 % 50.0 %" in command(*asked, tmp_path / "said.jsonl", "--metric", "ok")


def test_an_experiment_without_references_is_refused_with_the_reason(tmp_path: Path) -> None:
    table = tmp_path / "kept.csv"
    table.write_text('id,question,choices,answer,model,response\n1,2+2?,"[2, 3, 4]",2,ann,C\n')
    with pytest.raises(AssertionError, match=r"no reference could be taken from the logs \(kept.csv: .*3 ways"):
        command("import", "csv", table, "-o", tmp_path / "r.jsonl", "--experiment", tmp_path / "c.yaml")


def test_the_models_of_a_table_can_be_named(tmp_path: Path) -> None:
    table = tmp_path / "kept.csv"
    table.write_text(
        "question,answer,ant,bee,area\nCapital of Peru?,Lima,Lima,Cuzco,land\nOf Mali?,Bamako,Ségou,Mopti,land\n"
    )
    said = command("import", "csv", table, "-o", tmp_path / "recorded.jsonl", "--models", "ant, bee")
    assert "2 questions, 2 models" in said
    assert "columns that are not used: area" in said
