"""The parts of an experiment file below its first level: players, teams, grouping, judges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, model_validator

from moot.config.yaml_file import Strict, Text
from moot.data.questions_spec import ColumnsSpec as ColumnsSpec
from moot.data.questions_spec import GivenQuestions as GivenQuestions
from moot.data.questions_spec import Name as Name
from moot.data.questions_spec import Questions as Questions
from moot.data.questions_spec import QuestionsSpec as QuestionsSpec
from moot.errors import UsageError
from moot.grade.judge import MOST_TOGETHER, ONE_BY_ONE
from moot.strategies.option_values import ABSTAIN
from moot.types import MOST_CHOICES


def checked_store(url: str) -> str:
    from moot.store import store_at  # brings SQLAlchemy along, which many commands do not need

    try:
        store_at(url)
    except UsageError as error:
        raise ValueError(str(error).removeprefix("store: ")) from None
    return url


MOST_EXAMPLES = 100


class ExampleSpec(Strict):
    question: Text
    choices: list[Text] = Field(default_factory=list, max_length=MOST_CHOICES)
    reasoning: str = ""
    answer: Text


class PlayerSpec(Strict):
    model: Text
    instruction: str = Field(default="", description="The name of an instruction, or words of your own")
    persona: str = ""
    examples: list[ExampleSpec] = Field(
        default_factory=list, max_length=MOST_EXAMPLES, description="Questions that it is shown answered first"
    )


def options_alone(options: Mapping[str, Any]) -> dict[str, Any]:
    """A strategy's own options."""
    return {key: value for key, value in options.items() if key != ABSTAIN}


class TeamSpec(Strict):
    players: list[str] = Field(min_length=1)
    captain: Name | None = Field(default=None, description="A player, or each: everybody in turn")
    cohorts: dict[Name, list[str]] = Field(
        default_factory=dict, description="Players who never see another cohort's words"
    )
    selection: Text | None = Field(
        default=None,
        description="What moot select --json wrote of this team: no figure about it uses the questions it was chosen on",
    )
    rule: Text | None = Field(
        default=None,
        description="What moot fit wrote of this team: tells how sure its answers are",
    )


class GroupingSpec(Strict):
    """Who says which free answers mean the same, beyond equal words: a model, an embedding, or nobody."""

    model: Text | None = None
    reference: Literal["hidden", "shown"] = "hidden"
    embedding: bool = False
    match: Literal["only"] | None = None

    @model_validator(mode="after")
    def _one_way(self) -> GroupingSpec:
        if (self.model is not None) + self.embedding + (self.match is not None) != 1:
            raise ValueError("expected one of model: NAME, embedding: true, match: only")
        if self.reference == "shown" and self.model is None:
            raise ValueError("reference: shown goes with a grouping model only")
        return self


class JudgeSpec(Strict):
    """One judge, or two whose agreement is reported and whose disputes a person settles."""

    models: list[Text] = Field(min_length=1, max_length=2)
    batch: int = Field(default=ONE_BY_ONE, ge=1, le=MOST_TOGETHER)


class ExtractSpec(Strict):
    """Two models that read a letter out of a reply where no final-answer line says it; only if both agree it counts."""

    models: list[Text] = Field(min_length=2, max_length=2)
