"""Writes logs of Inspect, with nothing but its own tools and a model that says what it is told to. Run by Inspect's interpreter.

python inspect_logs.py FOLDER: two models on `planets` (choices, two epochs) and on `capitals` (open), as .eval and as .json; and
what Inspect says of each as figures.json.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from inspect_ai import Task, task
from inspect_ai import eval as evaluate
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import choice, match
from inspect_ai.solver import generate, multiple_choice

PLANETS = [
    ("q1", "Which planet is the largest?", ["Mars", "Jupiter", "Venus", "Earth"], "B", "astronomy"),
    ("q2", "Which metal is liquid at room temperature?", ["Iron", "Gold", "Mercury", "Tin"], "C", "chemistry"),
    ("q3", "Which river flows through Paris?", ["Seine", "Rhine", "Loire", "Rhone"], "A", "geography"),
    ("q4", "How many sides has a hexagon?", ["Four", "Five", "Seven", "Six"], "D", "geometry"),
]
CAPITALS = [
    ("c1", "What is the capital of France?", "Paris"),
    ("c2", "What is the capital of Peru?", "Lima"),
    ("c3", "What is the capital of Kenya?", ["Nairobi", "NBO"]),
]
LETTERS = {"ann": "BCADBAAD", "bob": "BBAABCBD"}
"""Of the four questions, and of the same in the second epoch."""
NAMES = {"ann": ["It is Paris", "The capital is Cusco", "Nairobi"], "bob": ["Paris", "Lima", "Mombasa"]}


@task
def planets() -> Task:
    samples = [
        Sample(id=ident, input=text, choices=choices, target=right, metadata={"category": category})
        for ident, text, choices, right, category in PLANETS
    ]
    return Task(dataset=MemoryDataset(samples), solver=multiple_choice(), scorer=choice(), epochs=2)


@task
def capitals() -> Task:
    samples = [Sample(id=ident, input=text, target=right) for ident, text, right in CAPITALS]
    return Task(dataset=MemoryDataset(samples), solver=generate(), scorer=match(location="end"))


def said(model: str, words: str) -> ModelOutput:
    output = ModelOutput.from_content(f"mockllm/{model}", words)
    output.usage = ModelUsage(input_tokens=50, output_tokens=9, total_tokens=59, total_cost=0.0002)
    return output


folder = Path(sys.argv[1])
figures = {}
for model in LETTERS:
    spoken = {
        "planets": [f"Let me think.\n\nANSWER: {letter}" for letter in LETTERS[model]],
        "capitals": NAMES[model],
    }
    for asked, log_format in ((planets(), "eval"), (capitals(), "json")):
        outputs = [said(model, words) for words in spoken[asked.name]]
        log = evaluate(
            asked,
            model=get_model(f"mockllm/{model}", custom_outputs=outputs),
            log_dir=str(folder / asked.name),
            log_format=log_format,
            display="none",
            max_samples=1,
        )[0]
        assert log.status == "success", log.error
        figures[f"{asked.name} mockllm/{model}"] = log.results.scores[0].metrics["accuracy"].value
(folder / "figures.txt").write_text(json.dumps(figures))
