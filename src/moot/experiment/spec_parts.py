"""The parts of an experiment file below its first level: players, teams, grouping, judges, questions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Discriminator,
    Field,
    SerializeAsAny,
    Tag,
    model_validator,
)

from moot.config.yaml_file import Strict, Text
from moot.errors import UsageError
from moot.experiment.objects import SOURCES
from moot.grade.judge import MOST_TOGETHER, ONE_BY_ONE

if TYPE_CHECKING:
    pass


def checked_store(url: str) -> str:
    from moot.store import store_at  # brings SQLAlchemy along, which many commands do not need

    try:
        store_at(url)
    except UsageError as error:
        raise ValueError(str(error).removeprefix("store: ")) from None
    return url


Name = Annotated[str, Field(pattern=r"^[\w.:-]+$", max_length=100, description="Letters, digits, . : _ -")]


class PlayerSpec(Strict):
    model: Text
    instruction: str = Field(default="", description="The name of an instruction, or words of your own")
    persona: str = ""


class TeamSpec(Strict):
    players: list[str] = Field(min_length=1)
    captain: Name | None = Field(default=None, description="A player, or each: everybody in turn")
    cohorts: dict[Name, list[str]] = Field(
        default_factory=dict, description="Players who never see another cohort's words"
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


def _sample(sample: object) -> object:
    """One complaint, where pydantic would make one for each type."""
    if sample is None or sample == "auto" or (type(sample) is int and sample >= 1):
        return sample
    raise ValueError(f"expected a whole number, 1 or more, or auto; found {sample!r}")


class QuestionsSpec(Strict):
    name: Name | None = Field(default=None, description="What the set is called; left out among several: its source")
    group: Name | None = Field(default=None, description="What sets it belongs with, such as knowledge or reasoning")
    file: Text | None = None
    format: Text | None = Field(default=None, description="The name of a published format, such as mmlu-pro")
    hub: Text | None = Field(default=None, description="A repository of the Hugging Face hub, or a folder like one")
    config: Text | None = Field(default=None, description="The part of that repository")
    split: Text | None = Field(default=None, description="The split of it; left out: test")
    revision: Text | None = Field(default=None, description="A commit or tag of it")
    choices: int | None = Field(default=None, ge=2, le=26, description="Turns whole-number answers into choices")
    builtin: Text | None = None
    sample: Annotated[Annotated[int, Field(ge=1)] | Literal["auto"] | None, BeforeValidator(_sample)] = None
    cluster: Text | None = Field(
        default=None, description="The field by which questions hang together, such as package; left out: cluster"
    )

    @model_validator(mode="after")
    def _one_source(self) -> QuestionsSpec:
        if isinstance(self, GivenQuestions):
            return self
        sources = [source for source in SOURCES if getattr(self, source) is not None]
        if len(sources) != 1:
            raise ValueError("expected one of file, hub and builtin, and not several")
        if self.hub is not None and self.format is None:
            raise ValueError("hub needs a format, such as mmlu-pro, that can read its rows")
        if self.builtin is not None and self.format is not None:
            raise ValueError("a builtin set is in moot's own form; format goes with file or hub")
        for name in ("config", "split", "revision"):
            if getattr(self, name) is not None and self.hub is None:
                raise ValueError(f"{name} goes with hub only")
        if self.choices is not None and self.format is None:
            raise ValueError("choices goes with a format, such as aime, that can make them")
        return self

    @property
    def title(self) -> str:
        """What the set is called: by its name, else by where it comes from."""
        return self.name or self.builtin or (Path(self.file).stem if self.file else (self.hub or "").rpartition("/")[2])


class GivenQuestions(QuestionsSpec):
    """Questions that were given as objects: how many, and what they are."""

    given: int
    digest: str


def _one_or_several(questions: object) -> str:
    return "sets" if isinstance(questions, list) else "set"


def _set_names(sets: list[QuestionsSpec]) -> list[QuestionsSpec]:
    """Results are told apart by the names of sets, so no two share one."""
    first: dict[str, int] = {}
    for position, source in enumerate(sets):
        if first.setdefault(source.title, position) != position:
            problem = f"{source.title!r} is the name of the sets {first[source.title] + 1} and {position + 1}"
            raise ValueError(f"{problem}; expected a name: for each that no other has")
    return sets


Questions = Annotated[
    Annotated[SerializeAsAny[QuestionsSpec], Tag("set")]
    | Annotated[list[QuestionsSpec], Field(min_length=1), AfterValidator(_set_names), Tag("sets")],
    Discriminator(_one_or_several),
]
"""One set, or several, of which each is reported apart."""
