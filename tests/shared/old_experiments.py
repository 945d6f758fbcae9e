"""Experiments that were played by the version before traces: what their files said, word for word.

`tests/store/make_old_stores.py` plays them with that version and keeps the stores; the tests of the migration write the
same files and go on with today's version.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

QUESTIONS: tuple[dict[str, Any], ...] = (
    {"id": "o1", "text": "Which city has the tower of Eiffel?", "answer": "Paris", "accepted": ["the city of Paris"]},
    {"id": "o2", "text": "Which river flows through Vienna?", "answer": "Danube", "category": "rivers"},
    {"id": "o3", "text": "Who wrote Faust, the tragedy?", "answer": "Goethe", "human": {"solved": 30, "asked": 40}},
    {"id": "o4", "text": "Which metal is liquid in a warm room?", "answer": "mercury"},
    {"id": "c1", "text": "Which is a prime?", "choices": ["4", "7", "9", "12"], "answer": "B"},
    {"id": "y1", "text": "Is the earth round?", "kind": "yes-no", "answer": "yes"},
)

MODELS: dict[str, dict[str, Any]] = {
    "ann": {"provider": "simulated", "accuracy": 0.4, "price": {"prompt": 1, "completion": 2}},
    "bob": {"provider": "simulated", "accuracy": 0.3},
    "cat": {"provider": "simulated", "accuracy": 0.2},
    "reader": {"provider": "simulated", "accuracy": 0.4},
    "grouper": {"provider": "simulated", "accuracy": 0.9},
    "jay": {"provider": "simulated", "accuracy": 0.9},
}

PERSONAS = ["a poet, of few words", "a judge (retired), who doubts", "a child=curious"]

AT_ONCE = {"personas": "none", "drafting": "all-agents-drafting", "max_turns": 1, "vote_from": 1}
"""Agents who speak before they hear anybody: so they disagree, and there is something to vote on."""

EXPERIMENTS: dict[str, dict[str, Any]] = {
    "quiz": {
        "seed": 7,
        "teams": {"trio": {"players": ["ann", "bob", "cat"], "captain": "each"}},
        "strategies": [
            "solo",
            "vote",
            {"vote": {"captain": "bob"}},
            "silent",
            "talkative",
            {"adaptive": {"talk_from": 2}},
            {"mixture": {"summariser": "reader", "repeats": 2}},
            {
                "mixture": {
                    "order": "ascending",
                    "repeats": 2,
                    "shown_accuracies": {"ann": 0.7, "bob": 0.5, "cat": 0.4},
                    "context_tokens": 250,
                }
            },
        ],
        "grouping": {"model": "grouper"},
        "judge": {"models": ["jay"]},
        "repeats": 2,
    },
    "review": {
        "seed": 3,
        "teams": {
            "four": {
                "players": ["ann", "bob", "cat", "reader"],
                "cohorts": {"open": ["ann", "bob"], "closed": ["cat", "reader"]},
            }
        },
        "strategies": [
            {"solo": {"drafts": "double-call"}},
            "solo",
            {"peer-review": {"drafts": "double-call"}},
            {"peer-review": {"drafts": "single-call", "names": "shown"}},
            {"debate": {"max_rounds": 1, "drafts": "single-call"}},
            {"debate": {"max_rounds": 3, "drafts": "single-call", "quorum": True, "grace_s": 30}},
        ],
        "judge": {"models": ["jay"]},
    },
    "talk": {
        "seed": 5,
        "teams": {"trio": {"players": ["ann", "bob", "cat"], "captain": None}},
        "strategies": [
            "solo",
            {"discuss": {**AT_ONCE, "personas": PERSONAS, "max_turns": 2, "decision": "approval-voting"}},
            {"discuss": {"personas": "none", "max_turns": 2, "decision": "majority-consensus", "paradigm": "relay"}},
            {
                "discuss": {
                    **AT_ONCE,
                    "decision": "judge",
                    "judge": "jay",
                    "challenge": "wrong",
                    "planted_by": "reader",
                }
            },
            {"discuss": {**AT_ONCE, "personas": "expert", "decision": "ranked-voting", "challenge": "discussion"}},
            {"discuss": {**AT_ONCE, "decision": "cumulative-voting"}},
            {"discuss": {**AT_ONCE, "decision": "simple-voting", "max_turns": 2}},
            {"debate": {"max_rounds": 1, "drafts": "single-call"}},
        ],
        "grouping": {"match": "only"},
    },
}
"""Between them: all strategies, captains, cohorts, repeats, a judge, a grouping model, names shown, a quorum, personas
with commas, all kinds of ballots, challenges, and debates that end in a resolution."""

SERVED: dict[str, Any] = {
    "name": "served",
    "seed": 2,
    "models": {name: MODELS[name] for name in ("ann", "bob", "cat")},
    "teams": {"trio": {"players": ["ann", "bob", "cat"], "captain": "ann"}},
    "strategies": ["vote"],
}
"""A team that was served: it drops what a vote does not need, and nobody knows what is right until somebody says."""

ASKED = ("Which city has the tower of Eiffel?", "Which river flows through Vienna?", "Who wrote Faust, the tragedy?")


def written_team(folder: Path) -> Path:
    """The file of the served team."""
    path = folder / "served.yaml"
    path.write_text(json.dumps(SERVED), encoding="utf-8")
    return path


def written(name: str, folder: Path) -> Path:
    """The experiment's file, with its questions beside it."""
    spec = {"name": name, "questions": {"file": "questions.jsonl"}, "models": MODELS, **EXPERIMENTS[name]}
    seats = [player for team in spec["teams"].values() for player in team["players"]]
    spec["players"] = {player: {"model": player} for player in seats}
    lines = "\n".join(json.dumps(question) for question in QUESTIONS)
    (folder / "questions.jsonl").write_text(lines, encoding="utf-8")
    path = folder / f"{name}.yaml"
    path.write_text(json.dumps(spec), encoding="utf-8")
    return path
