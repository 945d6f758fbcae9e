"""Public sets of questions that are known by all of their columns together, though no name alone says what is what.

In these `ctx` is the question itself, `input` is what an instruction is about, and a `label` is counted from 0. A table that
has all of these columns is one of them; whoever names its columns otherwise is believed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from moot.data.tables.answer_forms import AnswersAs
from moot.data.tables.known_names import NAMES, WRONG, ColumnNames, plain, several


@dataclass(frozen=True, slots=True)
class KnownSet:
    name: str
    columns: Mapping[str, ColumnNames]
    answers: AnswersAs | None = None
    """How its answers are written, where its rows alone may leave it open."""
    beside: tuple[str, ...] = ()
    """Other columns by which it is known."""

    @property
    def needed(self) -> frozenset[str]:
        return frozenset((*self.beside, *(name for each in self.columns.values() for name in several(each))))


def _endings(stem: str, ends: str) -> tuple[str, ...]:
    return tuple(f"{stem}{end}" for end in ends)


SETS = (
    KnownSet("HellaSwag", {"text": "ctx", "choices": "endings", "answer": "label"}, "from-0"),
    KnownSet("SWAG", {"text": "startphrase", "choices": _endings("ending", "0123"), "answer": "label"}, "from-0"),
    KnownSet("PIQA", {"text": "goal", "choices": ("sol1", "sol2"), "answer": "label"}, "from-0"),
    KnownSet("WinoGrande", {"text": "sentence", "choices": ("option1", "option2"), "answer": "answer"}, "from-1"),
    KnownSet(
        "Social IQa",
        {"text": "question", "choices": _endings("answer", "ABC"), "context": "context", "answer": "label"},
        "from-1",
    ),
    KnownSet(
        "Cosmos QA",
        {"text": "question", "choices": _endings("answer", "0123"), "context": "context", "answer": "label"},
        "from-0",
    ),
    KnownSet(
        "COPA",
        {"text": "question", "choices": ("choice1", "choice2"), "context": "premise", "answer": "label"},
        "from-0",
    ),
    KnownSet(
        "ReClor",
        {"text": "question", "choices": "answers", "context": "context", "answer": "label"},
        "from-0",
        ("id_string",),
    ),
    KnownSet(
        "MedMCQA",
        {"text": "question", "choices": _endings("op", "abcd"), "answer": "cop"},
        None,
        ("choice_type",),
    ),
    KnownSet(
        "Belebele",
        {
            "text": "question",
            "choices": _endings("mc_answer", "1234"),
            "context": "flores_passage",
            "answer": "correct_answer_num",
        },
        "from-1",
    ),
    KnownSet(
        "SciQ",
        {
            "text": "question",
            "context": "support",
            "answer": "correct_answer",
            WRONG: _endings("distractor", "123"),
        },
    ),
    KnownSet(
        "GPQA",
        {"text": "Question", "answer": "Correct Answer", WRONG: _endings("Incorrect Answer ", "123")},
        None,
        ("Record ID", "High-level domain"),
    ),
    KnownSet("TriviaQA", {"text": "question", "answer": "answer"}, None, ("question_source", "entity_pages")),
    KnownSet("SVAMP", {"text": "Question", "context": "Body", "answer": "Answer"}, None, ("Equation",)),
    KnownSet("Alpaca", {"text": "instruction", "context": "input", "answer": "output"}),
    KnownSet("Dolly", {"text": "instruction", "context": "context", "answer": "response"}),
    KnownSet("flashcards", {"text": "Front", "answer": "Back"}),
    KnownSet(
        "QuAIL",
        {"text": "question", "choices": "answers", "context": "context", "answer": "correct_answer_id"},
        "from-0",
    ),
    *(
        KnownSet(
            "TruthfulQA",
            {"text": question, "answer": best, WRONG: wrong},
            None,
            (right,),
        )
        for question, best, right, wrong in (
            ("question", "best_answer", "correct_answers", "incorrect_answers"),
            ("Question", "Best Answer", "Correct Answers", "Incorrect Answers"),
        )
    ),
    KnownSet(
        "ScienceQA",
        {"text": "question", "choices": "choices", "context": "hint", "answer": "answer"},
        "from-0",
        ("lecture", "solution"),
    ),
    KnownSet("DREAM", {"text": "question", "context": "dialogue", "choices": "choice", "answer": "answer"}),
)

FORMATS = {
    frozenset(("title", "paragraphs")): "squad",
    frozenset(("mc1_targets", "mc2_targets")): "truthfulqa",
}
"""Sets that are no table, by their columns, and the format that reads each as it is published."""


def known_format(names: Sequence[str]) -> str | None:
    return next((each for needed, each in FORMATS.items() if needed <= {*names}), None)


def known_set(names: Sequence[str], stated: Mapping[str, ColumnNames | None]) -> KnownSet | None:
    """The set whose columns are all there; None: there is none, or somebody says otherwise of one of them, or another column is
    called the answer: then what these have may be what a model said."""
    there = {*names}
    found = next((each for each in SETS if each.needed <= there), None)
    if found is None or any(plain(name) in NAMES["answer"] for name in there - found.needed):
        return None
    of_it = {name: key for key, each in found.columns.items() for name in several(each)}
    for key, each in stated.items():
        if key in found.columns and found.columns[key] != each:
            return None
        if each is not None and any(of_it.get(name, key) != key for name in several(each)):
            return None
    if ("choices" in found.columns and WRONG in stated) or (WRONG in found.columns and "choices" in stated):
        return None
    return found
