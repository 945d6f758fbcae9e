"""Thoughts that only a total counts were billed: the completion of an imported reply has them, whichever tool wrote the log."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from moot.data.logs.imported import import_logs

HERE = Path(__file__).parent / "fixtures"
XAI = {
    "prompt_tokens": 32,
    "completion_tokens": 9,
    "total_tokens": 135,
    "completion_tokens_details": {"reasoning_tokens": 94},
}
XAI_AS_RESPONSES = {
    "input_tokens": 32,
    "output_tokens": 9,
    "total_tokens": 135,
    "output_tokens_details": {"reasoning_tokens": 94},
}
GROK_IN_INSPECT = {
    "input_tokens": 2,
    "output_tokens": 9,
    "total_tokens": 135,
    "input_tokens_cache_read": 30,
    "reasoning_tokens": 94,
}


def replaced(value: Any, key: str, usage: object) -> Any:
    """The log with other counts wherever it has some under this key."""
    if isinstance(value, list):
        return [replaced(each, key, usage) for each in value]
    if not isinstance(value, dict):
        return value
    return {name: usage if name == key else replaced(each, key, usage) for name, each in value.items()}


def batch(usage: object) -> Callable[[Path], list[Path]]:
    def write(folder: Path) -> list[Path]:
        lines = (HERE / "openai-batch" / "ann-output.jsonl").read_text().splitlines()
        (folder / "ann-output.jsonl").write_text(
            "\n".join(json.dumps(replaced(json.loads(line), "usage", usage)) for line in lines)
        )
        return [HERE / "openai-batch" / "ann-input.jsonl", folder / "ann-output.jsonl"]

    return write


def inspect(folder: Path) -> list[Path]:
    log = json.loads((HERE / "inspect" / "capitals" / "bob.json").read_text())
    models = {name: GROK_IN_INSPECT for sample in log["samples"] for name in sample["model_usage"]}
    (folder / "bob.json").write_text(json.dumps(replaced(log, "model_usage", models)))
    return [folder / "bob.json"]


def promptfoo(folder: Path) -> list[Path]:
    log = json.loads((HERE / "promptfoo" / "output.json").read_text())
    usage = {"prompt": 32, "completion": 9, "total": 135}
    (folder / "output.json").write_text(json.dumps(replaced(log, "tokenUsage", usage)))
    return [folder / "output.json"]


def csv(folder: Path) -> list[Path]:
    head = "question,answer,model,response,prompt_tokens,completion_tokens,total_tokens"
    (folder / "log.csv").write_text(f"{head}\nWhat is 1+1?,2,ann,2,32,9,135\nWhat is 2+2?,4,ann,4,32,9,135\n")
    return [folder / "log.csv"]


@pytest.mark.parametrize(
    ("form", "write"),
    [
        ("openai-batch", batch(XAI)),
        ("openai-batch", batch(XAI_AS_RESPONSES)),
        ("inspect", inspect),
        ("promptfoo", promptfoo),
        ("csv", csv),
    ],
    ids=["batch", "batch of responses", "inspect", "promptfoo", "csv"],
)
def test_thoughts_that_only_a_total_counts(form: str, write: Callable[[Path], list[Path]], tmp_path: Path) -> None:
    replies = import_logs(form, write(tmp_path)).replies
    counted = {(row.get("prompt_tokens"), row.get("completion_tokens")) for row in replies if row.get("text")}
    assert counted == {(32, 103)}
