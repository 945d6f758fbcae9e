"""Programs that cannot live in one environment with the others: each runs under an interpreter of its own.

`make test-clients` sets those environments up and names them in MOOT_PYTHON_INSPECT and MOOT_PYTHON_LM_EVAL.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "serve")]
from local_team import TWO, needs_weights  # noqa: E402
from served import THREE, serving  # noqa: E402

from moot.serve.app import ServeSettings  # noqa: E402

KEYED = ServeSettings(keys={"TEAM_KEY": "sesame"})
TEAMS = [
    pytest.param(THREE, "three/vote", id="simulated"),
    pytest.param(TWO, "two/vote", id="local", marks=needs_weights),
]

INSPECT = """
import sys
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import includes
from inspect_ai.solver import generate

samples = [Sample(input=f"What is number {n}?", target="a") for n in range(20)]
task = Task(dataset=MemoryDataset(samples), solver=generate(), scorer=includes())
log = eval(task, model=f"openai-api/moot/{sys.argv[2]}", log_dir=sys.argv[1], display="none")[0]
assert log.status == "success", log.error
assert len(log.samples) == 20
assert all(sample.output.completion for sample in log.samples)
"""

LM_EVAL_TASK = """
task: small
dataset_path: json
dataset_kwargs:
  data_files: {{test: "{data}"}}
test_split: test
output_type: generate_until
doc_to_text: "Question: {{{{question}}}}\\nAnswer:"
doc_to_target: "{{{{answer}}}}"
generation_kwargs: {{until: ["\\n\\n"], max_gen_toks: 64}}
metric_list:
  - metric: exact_match
    aggregation: mean
    higher_is_better: true
"""


def interpreter(variable: str, package: str) -> str:
    found = os.environ.get(variable)
    if not found:
        pytest.skip(f"{package} has an environment of its own: run make test-clients")
    return found


async def run(command: list[str], **variables: str) -> subprocess.CompletedProcess[str]:
    return await asyncio.to_thread(
        subprocess.run, command, env={**os.environ, **variables}, capture_output=True, text=True, timeout=600
    )


@pytest.mark.parametrize(("team", "model"), TEAMS)
async def test_inspect_with_the_team_as_its_model(tmp_path: Path, team: dict[str, Any], model: str) -> None:
    python = interpreter("MOOT_PYTHON_INSPECT", "inspect-ai")
    async with serving(tmp_path, team, settings=KEYED) as served:
        command = [python, "-c", INSPECT, str(tmp_path / "logs"), model]
        done = await run(command, MOOT_API_KEY="sesame", MOOT_BASE_URL=f"{served.url}/v1")
        assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
        _, listed = await served.get("/v1/moot/episodes", headers={"Authorization": "Bearer sesame"})
        assert len(listed["episodes"]) == 20


@pytest.mark.parametrize(("team", "model"), TEAMS)
async def test_lm_eval_local_chat_completions(tmp_path: Path, team: dict[str, Any], model: str) -> None:
    python = interpreter("MOOT_PYTHON_LM_EVAL", "lm-eval")
    data = tmp_path / "small.jsonl"
    data.write_text("".join(json.dumps({"question": f"What is number {n}?", "answer": "x"}) + "\n" for n in range(10)))
    (tmp_path / "small.yaml").write_text(LM_EVAL_TASK.format(data=data))
    async with serving(tmp_path, team, settings=KEYED) as served:
        address = f"model={model},base_url={served.url}/v1/chat/completions,num_concurrent=4,max_retries=1"
        command = [python, "-m", "lm_eval", "run", "--model", "local-chat-completions", "--model_args", address]
        command += ["--tasks", "small", "--include_path", str(tmp_path), "--apply_chat_template"]
        command += ["--output_path", str(tmp_path / "out")]
        done = await run(command, OPENAI_API_KEY="sesame", HF_DATASETS_OFFLINE="1", HF_HUB_OFFLINE="1")
        assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
        assert "exact_match" in done.stdout
        _, listed = await served.get("/v1/moot/episodes", headers={"Authorization": "Bearer sesame"})
        assert len(listed["episodes"]) == 10
