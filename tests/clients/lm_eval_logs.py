"""Writes logs of lm-eval, with nothing but its own tools and models that say what they are told to. Run by its interpreter.

python lm_eval_logs.py FOLDER: two models on `planets` (likelihoods of choices) and on `capitals` (generated, two filters).
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ.update(HF_DATASETS_OFFLINE="1", HF_HUB_OFFLINE="1")
from lm_eval.api.model import LM
from lm_eval_evaluated import evaluate

PLANETS = [
    ("Which planet is the largest?", ["Mars", "Jupiter", "Venus", "Earth"], "B", "astronomy"),
    ("Which metal is liquid at room temperature?", ["Iron", "Gold", "Mercury", "Tin"], "C", "chemistry"),
    ("Which river flows through Paris?", ["Seine", "Rhine", "Loire", "Rhone"], "A", "geography"),
    ("How many sides has a hexagon?", ["Four", "Five", "Seven", "Six"], "D", "geometry"),
]
CAPITALS = [
    ("What is the capital of France?", "Paris"),
    ("What is the capital of Peru?", "Lima"),
    ("What is the capital of Kenya?", "Nairobi"),
]
LETTERS = {"ann": "BCAA", "bob": "BBAD"}
NAMES = {"ann": ["It is Paris", "Cusco", "Nairobi!"], "bob": ["Paris", "I think Lima.", "Mombasa"]}
TASKS = {
    "planets": """
output_type: multiple_choice
doc_to_text: "Question: {{question}}\\nA. {{options[0]}}\\nB. {{options[1]}}\\nC. {{options[2]}}\\nD. {{options[3]}}\\nAnswer:"
doc_to_choice: ["A", "B", "C", "D"]
doc_to_target: answer
metric_list:
  - {metric: acc, aggregation: mean, higher_is_better: true}
""",
    "capitals": """
output_type: generate_until
doc_to_text: "Question: {{question}}\\nAnswer:"
doc_to_target: "{{answer}}"
generation_kwargs: {until: ["\\n\\n"], max_gen_toks: 64}
filter_list:
  - name: whole
    filter: [{function: take_first}]
  - name: last-word
    filter:
      - {function: regex, regex_pattern: "(\\\\w+)\\\\W*$"}
      - {function: take_first}
metric_list:
  - {metric: exact_match, aggregation: mean, higher_is_better: true}
""",
}


class Told(LM):
    """Takes the letter, or says the name, that it is told to for this question."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def loglikelihood(self, requests):  # type: ignore[no-untyped-def]
        letters = {text: letter for (text, *_), letter in zip(PLANETS, LETTERS[self.name], strict=True)}
        wanted = [next(letters[text] for text in letters if text in request.args[0]) for request in requests]
        said = [request.args[1].strip() for request in requests]
        return [(-0.5 if words == letter else -2.5, False) for words, letter in zip(said, wanted, strict=True)]

    def generate_until(self, requests):  # type: ignore[no-untyped-def]
        names = {text: name for (text, _), name in zip(CAPITALS, NAMES[self.name], strict=True)}
        return [next(names[each] for each in names if each in request.args[0]) for request in requests]

    def loglikelihood_rolling(self, requests):  # type: ignore[no-untyped-def]
        raise NotImplementedError


evaluate(
    Path(sys.argv[1]),
    TASKS,
    {
        "planets": [{"question": q, "options": o, "answer": a, "subject": c} for q, o, a, c in PLANETS],
        **{name: [{"question": q, "answer": a} for q, a in CAPITALS] for name in TASKS if name != "planets"},
    },
    LETTERS,
    Told,
)
