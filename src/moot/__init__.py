"""moot: teams of language models that answer questions together, and the evidence of whether it helps."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # what a type checker sees; at run time a name is loaded when it is used
    from moot.errors import MootError
    from moot.experiment.spec import Experiment
    from moot.live.team import load_team
    from moot.models.model import Model
    from moot.models.scripted import ScriptedModel
    from moot.report.notebook import open_store, report
    from moot.results import Results, arun, run
    from moot.strategies import Strategy, Traits
    from moot.strategies.team_model import TeamModel
    from moot.team import Player, Team
    from moot.types import Answer, Case, Episode, Estimate, Message, Question, Reply, Request, Score, Verdict

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "Case",
    "Episode",
    "Estimate",
    "Experiment",
    "Message",
    "Model",
    "MootError",
    "Player",
    "Question",
    "Reply",
    "Request",
    "Results",
    "Score",
    "ScriptedModel",
    "Strategy",
    "Team",
    "TeamModel",
    "Traits",
    "Verdict",
    "arun",
    "load_team",
    "open_store",
    "report",
    "run",
]

_PLACES = {
    **dict.fromkeys(("Answer", "Case", "Episode", "Estimate", "Message", "Question"), "moot.types"),
    **dict.fromkeys(("Reply", "Request", "Score", "Verdict"), "moot.types"),
    **dict.fromkeys(("Player", "Team"), "moot.team"),
    **dict.fromkeys(("Results", "arun", "run"), "moot.results"),
    **dict.fromkeys(("Strategy", "Traits"), "moot.strategies"),
    "Experiment": "moot.experiment.spec",
    "Model": "moot.models.model",
    "MootError": "moot.errors",
    "ScriptedModel": "moot.models.scripted",
    "TeamModel": "moot.strategies.team_model",
    "load_team": "moot.live.team",
    "open_store": "moot.report.notebook",
}


def __getattr__(name: str) -> Any:
    """Names are loaded when they are used, so that `import moot` costs next to nothing."""
    if name == "report":
        return import_module("moot.report")  # a package that can be called
    if name in _PLACES:
        return getattr(import_module(_PLACES[name]), name)
    raise AttributeError(f"module 'moot' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
