"""Writes logs of lm-eval of tasks of every kind, with models that say what they are told to. Run by its interpreter.

python lm_eval_kinds.py FOLDER: several replies to a question with two filters, choices that are digits, a sentence with a blank,
and the likelihood of a given text.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ.update(HF_DATASETS_OFFLINE="1", HF_HUB_OFFLINE="1")
from lm_eval.api.model import LM
from lm_eval_evaluated import evaluate

ROWS = {
    "several": [{"question": "What is 2+3?", "answer": "5"}, {"question": "What is 4*5?", "answer": "20"}],
    "digits": [
        {"question": "Legs?", "choices": ["3", "2", "1", "0"], "gold": 0},
        {"question": "Moons?", "choices": ["1", "0", "3", "2"], "gold": 3},
    ],
    "blank": [
        {"sentence": "Sarah beat Maria so _ won.", "option1": "Sarah", "option2": "Maria", "answer": "1"},
        {"sentence": "Ann asked Bob because _ knew.", "option1": "Ann", "option2": "Bob", "answer": "2"},
    ],
    "given": [{"text": "He went to the", "last": "shop"}],
}
ACC = "metric_list: [{metric: acc, aggregation: mean, higher_is_better: true}]"
TASKS = {
    "several": """
output_type: generate_until
repeats: 3
doc_to_text: "Q: {{question}}"
doc_to_target: "{{answer}}"
generation_kwargs: {until: ["Q:"], do_sample: true, temperature: 0.5}
filter_list:
  - name: first
    filter: [{function: regex, regex_pattern: "is (\\\\d+)"}, {function: take_first}]
  - name: voted
    filter: [{function: regex, regex_pattern: "is (\\\\d+)"}, {function: majority_vote}, {function: take_first}]
metric_list: [{metric: exact_match, aggregation: mean, higher_is_better: true}]
""",
    "digits": f"""
output_type: multiple_choice
doc_to_text: "{{{{question}}}}"
doc_to_choice: "{{{{choices}}}}"
doc_to_target: "{{{{gold}}}}"
{ACC}
""",
    "blank": f"""
output_type: multiple_choice
doc_to_text: !function blanks.place
doc_to_target: !function blanks.rest
doc_to_choice: !function blanks.beginnings
{ACC}
""",
    "given": f"""
output_type: loglikelihood
doc_to_text: "{{{{text}}}}"
doc_to_target: " {{{{last}}}}"
{ACC}
""",
}
BLANKS = """
def place(doc): return int(doc["answer"]) - 1
def rest(doc): return doc["sentence"].partition("_")[2].strip()
def beginnings(doc): return [doc["sentence"].partition("_")[0] + doc[key] for key in ("option1", "option2")]
"""
SAID = {
    "ann": {"2+3": ["It is 50.", "It is 5.", "It is 5."], "4*5": ["It is 20.", "no", "It is 20."]},
    "bob": {"2+3": ["It is 5.", "It is 7.", "It is 7."], "4*5": ["no", "It is 20.", "It is 20."]},
}
LIKED = {
    "ann": [("Legs?", " 3"), ("Moons?", " 2"), ("so Sarah", ""), ("because Bob", "")],
    "bob": [("Legs?", " 3"), ("Moons?", " 0"), ("so Sarah", ""), ("because Ann", "")],
}
"""By how the prompt ends, what is likely to follow; nothing: whatever does."""


class Told(LM):
    def __init__(self, name: str) -> None:
        super().__init__()
        self.name, self.asked = name, dict.fromkeys(SAID[name], 0)

    def loglikelihood(self, requests):  # type: ignore[no-untyped-def]
        pairs = [request.args for request in requests]
        liked = [any(c.endswith(end) and w in ("", words) for end, w in LIKED[self.name]) for c, words in pairs]
        return [(-0.5 if each else -2.5, True) for each in liked]

    def generate_until(self, requests):  # type: ignore[no-untyped-def]
        said = []
        for request in requests:
            about = next(each for each in self.asked if each in request.args[0])
            said.append(SAID[self.name][about][self.asked[about]])
            self.asked[about] += 1
        return said

    def loglikelihood_rolling(self, requests):  # type: ignore[no-untyped-def]
        raise NotImplementedError


folder = Path(sys.argv[1])
(folder / "tasks").mkdir(parents=True)
(folder / "tasks" / "blanks.py").write_text(BLANKS)
evaluate(folder, TASKS, ROWS, SAID, Told)
