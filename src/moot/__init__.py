"""moot: teams of language models that answer questions together, and the evidence of whether it helps."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_PLACES = {
    "Answer": "moot.types",
    "Case": "moot.types",
    "Episode": "moot.types",
    "Estimate": "moot.types",
    "Message": "moot.types",
    "Model": "moot.models.model",
    "MootError": "moot.errors",
    "Player": "moot.team",
    "Question": "moot.types",
    "Reply": "moot.types",
    "Request": "moot.types",
    "Score": "moot.types",
    "ScriptedModel": "moot.models.scripted",
    "Strategy": "moot.strategies",
    "Team": "moot.team",
    "TeamModel": "moot.strategies.team_model",
    "Verdict": "moot.types",
    "open_store": "moot.report.notebook",
    "report": "moot",
    "load_team": "moot.live.team",
}

__all__ = [*_PLACES]


def __getattr__(name: str) -> Any:
    """Names are loaded when they are used, so that `import moot` costs next to nothing."""
    if name == "report":
        return import_module("moot.report")  # a package that can be called
    if name in _PLACES:
        return getattr(import_module(_PLACES[name]), name)
    raise AttributeError(f"module 'moot' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
