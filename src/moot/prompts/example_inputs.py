"""A user's template tried out before any model is called, with an example of every input that a prompt of ours has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jinja2 import Template

from moot.errors import FileError
from moot.prompts.template import check_names, compiled, filled, names_used, read_template

EXAMPLE_INPUTS: dict[str, Any] = {
    "question": "Who?",
    "choices": (("A", "Ann"), ("B", "Bob")),
    "context": "Ann came.",
    "kind": "choice",
    "problem": "empty",
    "letters": "A, B",
    "fields": "reasoning, answer",
    "instruction": "Think.",
    "persona": "Ann",
    "answers": ("Ab", "Bc"),
    "reference": "Ann",
    "accepted": ("Anna",),
    "rejected": ("Bob",),
    "comment": "She came.",
    "messages": (("user", "Hello."), ("assistant", "Hello yourself.")),
    "answer": "Ann",
    "reasoning": "She came.",
    "schema": "{}",
    "place": 1,
    "role": "botanist",
    "taken": ("botanist (knows plants)",),
    "title": "Agent 1",
    "style": "simple",
    "step_by_step": True,
    "remarks": (("Agent 1", "It is Ann.", "Ann"), ("Agent 2", "I see.", None)),
    "solutions": ("Ann", "Bob"),
    "own": ("It is Ann.", "Ann"),
    "ballot": "ranking",
    "most": 2,
    "budget": 25,
    "facts": "Ann came.",
    "disagreed": False,
    "plant": "wrong",
    "responses": (("Ann", "Ab", "She came."), (None, "Bc", "")),
    "answered": True,
    "previous": "Ab",
    "positions": (("Ab", 2, ("She came.", "So it is.")), ("Bc", None, ())),
    "transcript": ((("Ab", ("She came.",)),), (("Bc", ()),)),
    "number": 1,
    "proposals": (("Ab", "She came.", 0.7), ("Bc", "", None)),
    "drafts": (("Ab", "She came."), ("Bc", "")),
    "ranked_drafts": (("Ab", "She came.", 1, 0.75), ("Bc", "", None, None)),
    "texts": ("Ann came first.", "Bob came later."),
    "named_texts": (("Ann", "Ann came first."), (None, "Bob came later.")),
    "rated_texts": (("Ann came first.", 0.7), ("Bob came later.", None)),
    "response": "It is Ann.",
    "left_out": 0,
    "criteria": (("clear", 4.0, "Whoever asked can follow it."), ("sound", 6.0, "What it says is so.")),
    "text": "Ann came first.",
}
"""What a user's template is tried out with."""


def check_inputs(path: Path, allowed: frozenset[str]) -> None:
    """A template that asks for what it never gets, or that never shows the question, would fail in the middle of a run."""
    source = read_template(path)
    template = compiled(path, source)
    check_names(path, source, allowed)
    if "question" in allowed - names_used(source):
        raise FileError("never shows the question; expected {{ question | block }} in it", file=path)
    if allowed <= EXAMPLE_INPUTS.keys():
        _try_out(path, template, allowed)


def _try_out(path: Path, template: Template, allowed: frozenset[str]) -> None:
    filled(lambda name: path, path.stem, template, {name: EXAMPLE_INPUTS[name] for name in allowed})
