"""How a YAML file says where its questions are: of an experiment, or of a server of simulated models."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, SerializeAsAny, Tag, model_validator

from moot.config.type_words import told
from moot.config.yaml_file import Strict, Text
from moot.data.tables.answer_forms import ANSWER_FORMS, AnswersAs
from moot.data.tables.known_names import ColumnNames, several
from moot.data.tables.proposal import Stated
from moot.data.tables.spreadsheets import ENDINGS as SPREADSHEETS
from moot.data.tables.stated import REFERENCE_FORMS, ReferencesAs
from moot.data.tables.table import ENDINGS as TABLES
from moot.types import MOST_CHOICES, QuestionKind

SOURCES = ("file", "hub", "builtin")
"""Where a set of questions may come from: the keys by which it is told from a question."""
_IN_SCHEMAS = r"^[^\s\x00-,/;-@\[-\^`{-\x7f]+$"
"""The same in ASCII, and beyond it anything but spaces: to editors, \\w is no letter of other alphabets."""
Name = Annotated[
    str,
    Field(
        pattern=r"^[\w.:-]+$",
        max_length=100,
        description="Letters, digits, . : _ -",
        json_schema_extra={"pattern": _IN_SCHEMAS},
    ),
]


def _sample(sample: object) -> object:
    """One complaint, where pydantic would make one for each type."""
    if sample is None or sample == "auto" or (type(sample) is int and sample >= 1):
        return sample
    raise ValueError(f"expected a whole number, 1 or more, or auto; found {sample!r}")


def _column(column: object) -> object:
    """One complaint, where pydantic would make one for each type."""
    if column is None or (isinstance(column, str) and column.strip()):
        return column
    raise ValueError(f"expected the name of a column, or null for none; found {told(column)}")


def _columns(columns: object) -> object:
    items = columns if isinstance(columns, list) else [columns]
    if columns is None or (items and all(isinstance(item, str) and item.strip() for item in items)):
        if isinstance(columns, list) and (twice := [item for item in items if items.count(item) > 1]):
            raise ValueError(f"expected each column once, found {twice[0]!r} twice")
        return columns
    raise ValueError(f"expected the name of a column, a list of such names, or null for none; found {told(columns)}")


ColumnName = Annotated[str | None, BeforeValidator(_column)]
OneOrMoreColumns = Annotated[str | list[str] | None, BeforeValidator(_columns)]


class ColumnsSpec(Strict):
    """Which column of a file is what. What is not named here is found by its name; null: no column is it."""

    id: ColumnName = None
    text: ColumnName = None
    choices: OneOrMoreColumns = None
    context: ColumnName = None
    language: ColumnName = None
    kind: ColumnName = None
    answer: ColumnName = None
    wrong: OneOrMoreColumns = None
    accepted: OneOrMoreColumns = None
    rejected: OneOrMoreColumns = None
    comment: ColumnName = None
    source: ColumnName = None
    author: ColumnName = None
    human: OneOrMoreColumns = None
    category: ColumnName = None
    package: ColumnName = None
    year: ColumnName = None
    difficulty: ColumnName = None
    cluster: ColumnName = None
    lemmatize: ColumnName = None
    free_order: ColumnName = None
    meta: OneOrMoreColumns = None
    image: ColumnName = None

    @model_validator(mode="after")
    def _each_once(self) -> ColumnsSpec:
        for key in ("text", "answer"):
            if key in self.model_fields_set and getattr(self, key) is None:
                raise ValueError(f"a question needs {key}; expected the name of its column, found null")
        if isinstance(self.choices, list) and not 2 <= len(self.choices) <= MOST_CHOICES:
            raise ValueError(f"choices: expected one column or 2 to {MOST_CHOICES}, found {len(self.choices)}")
        if isinstance(self.human, list) and len(self.human) != 2:
            raise ValueError("human: expected one column, or two: how many solved it, and how many were asked")
        if self.choices is not None and self.wrong is not None:
            raise ValueError("choices are all of them and wrong those beside the answer; expected one of the two")
        first: dict[str, str] = {}
        for key, columns in self.stated().items():
            for name in () if columns is None or key == "meta" else several(columns):
                if first.setdefault(name, key) != key and {first[name], key} & {"answer", "text", "choices", "wrong"}:
                    raise ValueError(f"{name!r} is {first[name]} and {key}; expected another column for one of them")
        return self

    def stated(self) -> dict[str, ColumnNames | None]:
        """What the file says, in its order; None where it says that there is none."""
        said = {key: getattr(self, key) for key in type(self).model_fields if key in self.model_fields_set}
        return {key: tuple(columns) if isinstance(columns, list) else columns for key, columns in said.items()}


class QuestionsSpec(Strict):
    name: Name | None = Field(default=None, description="What the set is called; left out among several: its source")
    group: Name | None = Field(default=None, description="What sets it belongs with, such as knowledge or reasoning")
    file: Text | None = None
    format: Text | None = Field(
        default=None,
        description="The name of a published format, such as mmlu-pro, or of a tool whose logs these are, such as inspect",
    )
    metric: Text | None = Field(
        default=None, description="By which metric or scorer of the logs a reply is right, where they have several"
    )
    hub: Text | None = Field(default=None, description="A repository of the Hugging Face hub, or a folder like one")
    config: Text | None = Field(default=None, description="The part of that repository")
    split: Text | None = Field(default=None, description="The split of it; left out: test")
    revision: Text | None = Field(default=None, description="A commit or tag of it")
    choices: int | None = Field(
        default=None, ge=2, le=MOST_CHOICES, description="Turns whole-number answers into choices"
    )
    builtin: Text | None = None
    sample: Annotated[Annotated[int, Field(ge=1)] | Literal["auto"] | None, BeforeValidator(_sample)] = None
    cluster: Text | None = Field(
        default=None, description="The field by which questions hang together, such as package; left out: cluster"
    )
    documents: Text | None = Field(
        default=None,
        description="A folder of .md and .txt files, or one: each question is shown the passages that fit it",
    )
    columns: ColumnsSpec | None = Field(default=None, description="Which column of a file is what")
    kind: QuestionKind | None = Field(
        default=None,
        description="Of questions that name none, such as text: long answers; left out: as their choices say",
    )
    answers: Literal[AnswersAs, ReferencesAs] | None = Field(
        default=None, description="How the right choice, or a reference without choices, is written in a file"
    )
    sheet: Text | None = Field(default=None, description="The sheet of a spreadsheet; left out: the first")

    skip_blank: bool = Field(default=False, description="Leave out the rows of a file that have no reference")

    @model_validator(mode="after")
    def _one_source(self) -> QuestionsSpec:
        if isinstance(self, GivenQuestions | OnlyKind):
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
        if self.metric is not None and self.format is None:
            raise ValueError("metric goes with the format of a tool whose logs these are, such as inspect")
        if self.skip_blank and (self.file is None or self.format is not None):
            raise ValueError("skip_blank goes with a file, and with no format")
        self._check_table()
        return self

    def _check_table(self) -> None:
        """What only a table has."""
        ending = Path(self.file).suffix.lower() if self.file is not None and self.format is None else ""
        for key in ("columns", "answers"):
            if getattr(self, key) is not None and ending not in TABLES:
                raise ValueError(f"{key} goes with a file that is a table ({', '.join(TABLES)}), and with no format")
        if self.sheet is not None and ending not in SPREADSHEETS:
            raise ValueError(f"sheet goes with a spreadsheet ({', '.join(SPREADSHEETS)})")

    @property
    def stated(self) -> Stated:
        """What is said of the table that the questions are in."""
        columns = self.columns.stated() if self.columns is not None else {}
        references = next((form for form in REFERENCE_FORMS if form == self.answers), None)
        answers = next((form for form in ANSWER_FORMS if form == self.answers), None)
        return Stated(columns, answers, self.sheet, self.kind, references)

    @property
    def title(self) -> str:
        """What the set is called: by its name, else by where it comes from."""
        return self.name or self.builtin or (Path(self.file).stem if self.file else (self.hub or "").rpartition("/")[2])


class GivenQuestions(QuestionsSpec):
    """Questions that were given as objects: how many, and what they are."""

    given: int
    digest: str


class OnlyKind(QuestionsSpec):
    """No questions, but of which kind those are that a team is asked: ``{kind: text}``."""


def only_kind(questions: object) -> OnlyKind | None:
    """None: it says something else, or what is no kind."""
    kind = questions["kind"] if isinstance(questions, Mapping) and set(questions) == {"kind"} else None
    return OnlyKind(kind=kind) if kind in get_args(QuestionKind) else None


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
