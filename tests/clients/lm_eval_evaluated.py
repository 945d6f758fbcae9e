"""Tasks of lm-eval made of our rows, played by models of ours, with the logs that it writes of that. It runs where lm-eval is."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from lm_eval import simple_evaluate
from lm_eval.loggers import EvaluationTracker
from lm_eval.tasks import TaskManager


def evaluate(
    folder: Path,
    tasks: Mapping[str, str],
    rows: Mapping[str, list[Any]],
    models: Iterable[str],
    told: Callable[[str], Any],
) -> None:
    """`tasks`: by name, the body of a task's file. `told`: the model of a name."""
    made = folder / "tasks"
    made.mkdir(parents=True, exist_ok=True)
    for name, body in tasks.items():
        (made / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows[name]))
        where = (
            f'dataset_path: json\ndataset_kwargs: {{data_files: {{test: "{made / name}.jsonl"}}}}\ntest_split: test\n'
        )
        (made / f"moot_{name}.yaml").write_text(f"task: moot_{name}\n{where}{body}")
    known = TaskManager(include_path=str(made), include_defaults=False)
    for model in models:
        results = simple_evaluate(
            model=told(model),
            tasks=[f"moot_{name}" for name in tasks],
            task_manager=known,
            log_samples=True,
            bootstrap_iters=0,
        )
        samples = results.pop("samples")
        tracker = EvaluationTracker(output_path=str(folder / "logs"))
        tracker.general_config_tracker.model_name = model
        tracker.general_config_tracker.model_name_sanitized = model
        tracker.save_results_aggregated(results=results, samples=samples)
        for name, of_task in samples.items():
            tracker.save_results_samples(task_name=name, samples=of_task)
