"""Question sets: files in our own form, the sets that come with moot, and published ones, from a file or the hub.

A dataset is read twice: once to find every mistake before the first call, once to play. Neither pass holds it in memory.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any, Literal, TypeVar

from moot.data.blank_references import BlankReferences
from moot.data.case import KEYS, MissingReference, read_case
from moot.data.clusters import ByField, check_field, named
from moot.data.documents import AboutDocuments, RowDocuments, about
from moot.data.formats import Format
from moot.data.four_s import Skipped, four_s_rows, skipped
from moot.data.hub import Hub
from moot.data.placed import CaseSource, Placed
from moot.data.published import Published, published_rows
from moot.data.references_seen import ReferencesSeen
from moot.data.rows import READERS as TABLES
from moot.data.rows import NumberedRows, parquet_floats, parquet_rows
from moot.data.sample import sample_size
from moot.data.tables.proposal import NOTHING_STATED, Proposal, Stated
from moot.data.tables.proposal import propose_columns as propose_columns
from moot.data.tables.table import AS_TEXTS, FLOATS
from moot.data.tables.table import ENDINGS as TABLE_ENDINGS
from moot.data.written_references import AS_THEY_STAND, WrittenReferences
from moot.errors import FileError, UsageError
from moot.foreign_files import check_exists
from moot.models.closest import closest
from moot.plugins import NotAsExpected, PluginBroke, blaming
from moot.team.passage_index import PassageIndex
from moot.types import Case, QuestionKind, digest, seeded

READERS: Mapping[str, Callable[[Path], NumberedRows]] = {
    **TABLES,
    ".parquet": partial(parquet_rows, keys=KEYS),
    ".4s": four_s_rows,
}
"""Kinds of question files in our own form by the end of their name."""
ENDINGS = tuple(dict.fromkeys((*READERS, *TABLE_ENDINGS)))
"""Of all files of questions that can be read."""

_SETS = Path(__file__).parent / "sets"

_OF_CELLS = (".csv", ".tsv", ".txt")
"""Endings of files whose values are texts."""

T = TypeVar("T")

KEPT_BYTES = 4 * 1024 * 1024
"""Cases of a file up to this size stay in memory once checked: reading them twice costs more than holding them."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """Cases that can be walked through any number of times. `chosen` are the positions of a sample; None takes all."""

    source: CaseSource
    language: str
    size: int
    fingerprint: str
    chosen: frozenset[int] | None = None
    skipped: tuple[Skipped, ...] = ()
    """Questions of the file that text cannot carry, such as those with a handout. They are no part of the set."""
    notes: tuple[str, ...] = ()
    """What was found out about the file by looking at it, such as which column is what: whoever reads it should say so."""
    kept: tuple[Case, ...] = field(default=(), repr=False)
    """The cases themselves where the file is small enough for that; else they are read from the source each time."""
    kinds: frozenset[QuestionKind] = frozenset()
    """Of all questions of the source, whichever of them are taken."""
    first_of: Dataset | None = field(default=None, repr=False)
    """Of which these are the first so many; None: these are all."""

    def __iter__(self) -> Iterator[Case]:
        cases = self.kept or (placed.case for placed in self.source.cases(self.language))
        return self._taken(cases)

    def placed(self) -> Iterator[Placed]:
        """Its cases with where they stand."""
        return self._taken(self.source.cases(self.language))

    def _taken(self, items: Iterable[T]) -> Iterator[T]:
        return (item for position, item in enumerate(items) if self.chosen is None or position in self.chosen)

    def __len__(self) -> int:
        return self.size if self.chosen is None else len(self.chosen)

    def first(self, count: int) -> Dataset:
        """The first so many of them."""
        positions = range(self.size) if self.chosen is None else sorted(self.chosen)
        if count >= len(self):
            return self
        return replace(self, chosen=frozenset(positions[:count]), first_of=self.first_of or self)

    @property
    def identity(self) -> list[Any]:
        """What tells it from any other."""
        return [self.fingerprint, sorted(self.chosen or ())]


def builtin_names() -> list[str]:
    return sorted(path.stem for path in _SETS.glob("*.jsonl"))


def builtin(name: str) -> Path:
    """The file of a set that comes with moot."""
    known = builtin_names()
    if name not in known:
        hint = closest(name, known)
        raise UsageError(f"there is no built-in set {name!r}; expected one of {', '.join(known)}{hint}")
    return _SETS / f"{name}.jsonl"


@dataclass(frozen=True, slots=True)
class OurFile:
    """A file in our own form, or a package in `.4s`. `kind`: of questions that name none."""

    path: Path
    blank: BlankReferences = field(default_factory=BlankReferences, compare=False)
    kind: QuestionKind | None = None
    documents: RowDocuments | None = field(default=None, compare=False)
    references: WrittenReferences = AS_THEY_STAND

    def rows(self) -> NumberedRows:
        reader = READERS.get(self.path.suffix.lower())
        if reader is None:
            problem = f"unknown kind of question file {self.path.suffix!r}; expected {', '.join(ENDINGS)}"
            raise FileError(problem, file=self.path)
        try:
            yield from reader(self.path)
        except OSError as error:
            raise FileError(f"cannot be read: {error.strerror or error}", file=self.path) from None

    def cases(self, language: str) -> Iterator[Placed]:
        file = str(self.path)
        read = partial(read_case, file=file, language=language, kind=self.kind)
        try:
            for line, written in self.rows():
                values = self.references.read(written, self.kind)
                index = self.documents.of_row(values, file=file, line=line) if self.documents else None
                try:
                    case = read(values if index is None else {**values, "context": None}, line=line)
                    case = case if index is None else about(case, index)
                except MissingReference as error:
                    self.blank.see(error, line, "answer")
                else:
                    yield Placed(case, file, line)
            self.blank.check(self.path)
        except OSError as error:
            raise FileError(f"cannot be read: {error.strerror or error}", file=self.path) from None


@dataclass(frozen=True, slots=True)
class PublishedSet:
    """Rows as somebody published them, in a file, a folder or on the hub, and the format that can read them."""

    place: Path | Hub
    format: Format
    kind: QuestionKind | None = None

    def cases(self, language: str) -> Iterator[Placed]:
        here = self.place
        for row in here.rows() if isinstance(here, Hub) else published_rows(here, self.format.columns):
            for ours in self._in_our_form(row):
                given = {key: value for key, value in ours.items() if value is not None or key == "answer"}
                case = read_case(given, file=row.file, line=row.line, language=language, kind=self.kind)
                yield Placed(case, row.file, row.line)

    def _in_our_form(self, row: Published) -> list[Mapping[str, Any]]:
        """What the format makes of a row. One that breaks is blamed by its name, at the row that it broke on."""
        try:
            with blaming("format", self.format.name, "cases"):
                made: list[Any] = list(self.format.cases(row))
                if odd := [ours for ours in made if not isinstance(ours, Mapping)]:
                    raise NotAsExpected("mappings, each with the keys of a question", type(odd[0]))
                return made
        except PluginBroke as error:
            raise FileError(str(error), file=row.file, line=row.line) from error


@dataclass(frozen=True, slots=True)
class GivenCases:
    """Cases that were given as objects."""

    given: tuple[Case, ...]

    def cases(self, language: str) -> Iterator[Placed]:
        return (Placed(case, "", number) for number, case in enumerate(self.given, start=1))


@dataclass(frozen=True, slots=True)
class SetsInTurn:
    """Several sets in one file: one question of each in turn, so that the first few of them are of every set."""

    sets: Mapping[str, Dataset]

    def cases(self, language: str) -> Iterator[Placed]:
        """Each set is read in the language that it was checked in."""
        yield from _in_turn([_of_set(name, dataset) for name, dataset in self.sets.items()])


def _of_set(name: str, dataset: Dataset) -> Iterator[Placed]:
    return (replace(placed, case=replace(placed.case, question_set=name)) for placed in dataset.placed())


def _in_turn(parts: Sequence[Iterator[Placed]]) -> Iterator[Placed]:
    for row in zip_longest(*parts):
        yield from (placed for placed in row if placed is not None)


def several(sets: Mapping[str, Dataset]) -> Dataset:
    """Sets as one dataset whose cases know which they are of. An id is of one set: results are found by it."""
    source = SetsInTurn(sets)
    first_seen: dict[str, str | None] = {}
    for placed in source.cases(""):
        case = placed.case
        earlier = first_seen.setdefault(case.question.id, case.question_set)
        if earlier != case.question_set:
            problem = f"{case.question.id!r} is a question of {earlier!r} and of {case.question_set!r}"
            raise UsageError(f"{problem}; expected ids that are in one set only")
    fingerprint = digest([[name, part.fingerprint, sorted(part.chosen or ())] for name, part in sets.items()])
    kept: tuple[Case, ...] = ()
    if all(part.kept for part in sets.values()):
        kept = tuple(placed.case for placed in source.cases(""))
    left_out = tuple(omitted for part in sets.values() for omitted in part.skipped)
    notes = tuple(note for part in sets.values() for note in part.notes)
    language = next(iter(sets.values())).language
    kinds = frozenset().union(*(part.kinds for part in sets.values()))
    return Dataset(
        source, language, len(first_seen), fingerprint, skipped=left_out, notes=notes, kept=kept, kinds=kinds
    )


def about_documents(dataset: Dataset, index: PassageIndex) -> Dataset:
    """The same questions, each shown what it needs of these documents: other documents make another dataset."""
    source = AboutDocuments(dataset.source, index)
    kept = tuple(source.shown(case) for case in dataset.kept)
    return replace(dataset, source=source, kept=kept, fingerprint=digest([dataset.fingerprint, index.fingerprint]))


def by_cluster(dataset: Dataset, field: str) -> Dataset:
    """The same questions, which hang together by this field of theirs."""
    check_field(field)
    kept = tuple(named(case, field) for case in dataset.kept)
    together = replace(dataset, source=ByField(dataset.source, field), kept=kept)
    if all(case.cluster is None for case in together):
        raise UsageError(f"no question has {field!r}; expected a field that says which belong together")
    return together


def given_cases(cases: tuple[Case, ...], *, language: str = "en") -> Dataset:
    """A dataset of cases that exist in Python only; whoever made them has checked them."""
    fingerprint = digest([case.digest for case in cases])
    kinds = frozenset(case.question.kind for case in cases)
    return Dataset(GivenCases(cases), language, len(cases), fingerprint, kept=cases, kinds=kinds)


def load(
    path: Path,
    *,
    language: str = "en",
    sample: int | Literal["auto"] | None = None,
    seed: int = 0,
    stated: Stated = NOTHING_STATED,
    skip_blank: bool = False,
) -> Dataset:
    """A checked dataset: every row read, ids unique, references present. `stated`: what is known of its columns and kind.

    `skip_blank`: rows without a reference are left out, which the dataset's notes say.
    """
    check_exists(path, "no such file of questions")
    proposal = propose_columns(path, stated) if path.suffix.lower() in TABLE_ENDINGS else Proposal(path, ours=True)
    if proposal.doubts:
        raise proposal.error()
    blank = BlankReferences(skip_blank)
    if proposal.source is not None:
        found = _checked(replace(proposal.source, blank=blank), path, language)
        notes = (f"{path.name}: {'; '.join(proposal.reasons)}",) if proposal.reasons else ()
        return replace(_drawn(found, sample, seed), notes=(*notes, *blank.note(path)))
    left_out = tuple(skipped(path)) if path.suffix.lower() == ".4s" else ()
    documents, references = RowDocuments(path.parent), _references(path, stated)
    found = _checked(OurFile(path, blank, stated.kind, documents, references.form), path, language, left_out)
    reasons = references.reasons
    fingerprint = fingerprint_of(path, language, stated.kind, documents.fingerprint, reasons)
    told = (*_notes(path), *(f"{path.name}: {each}" for each in (*reasons, *references.remarks)), *blank.note(path))
    return _drawn(replace(found, fingerprint=fingerprint, notes=told), sample, seed)


def _references(path: Path, stated: Stated) -> ReferencesSeen:
    """How those of a file in our own form are written. What nobody can tell is refused."""
    seen = ReferencesSeen(stated=stated, ours=True, has_cells=path.suffix.lower() in _OF_CELLS)
    for line, values in OurFile(path).rows():
        seen.see(line, values)
    if (doubt := seen.doubt) is not None:
        raise FileError(doubt.problem, file=path, line=doubt.line, key=doubt.column)
    return seen


def fingerprint_of(
    path: Path,
    language: str,
    kind: QuestionKind | None,
    documents: str | None = None,
    read_as: Sequence[str] = (),
) -> str:
    """What tells a file in our own form from any other, without reading a question of it where its references stand as they are
    answered. `read_as`: how they are read where they do not."""
    with path.open("rb") as content:
        content_hash = hashlib.file_digest(content, "sha256").hexdigest()
    return digest([content_hash, language, *filter(None, [kind, documents]), *read_as])


def _notes(path: Path) -> tuple[str, ...]:
    """What is to be said of a file in our own form."""
    floats = parquet_floats(path) if path.suffix.lower() == ".parquet" else ()
    texts = [name for name in floats if name in AS_TEXTS]
    return (f"{path.name}: {', '.join(texts)}: {FLOATS}",) if texts else ()


def load_published(
    place: Path | Hub,
    format: Format,  # noqa: A002 (the word of the experiment file)
    *,
    language: str = "en",
    sample: int | Literal["auto"] | None = None,
    seed: int = 0,
    kind: QuestionKind | None = None,
) -> Dataset:
    """A published set, checked in the same way. What it is comes from its cases: order of choices included."""
    if isinstance(place, Path) and not place.exists():
        raise FileError("no such file or folder of questions", file=place)
    return _drawn(_checked(PublishedSet(place, format, kind), place, language), sample, seed)


def checked_source(
    source: CaseSource, place: Path, language: str, *, sample: int | Literal["auto"] | None = None, seed: int = 0
) -> Dataset:
    """Cases from elsewhere, checked in the same way. What the set is comes from its cases."""
    return _drawn(_checked(source, place, language), sample, seed)


def _checked(source: CaseSource, place: Path | Hub, language: str, left_out: tuple[Skipped, ...] = ()) -> Dataset:
    first_seen: dict[str, tuple[str, int]] = {}
    content = hashlib.sha256()
    kept: list[Case] = []
    kinds: set[QuestionKind] = set()
    characters = 0
    small = isinstance(place, Path) and place.is_file() and place.stat().st_size <= KEPT_BYTES
    for size, placed in enumerate(source.cases(language)):
        ident = placed.case.question.id
        kinds.add(placed.case.question.kind)
        file, line = first_seen.setdefault(ident, (placed.file, placed.line))
        if len(first_seen) == size:
            earlier = f"line {line}" if file == placed.file else f"{file}, line {line},"
            problem = f"{ident!r} is the question of {earlier} already"
            raise FileError(problem, file=placed.file, line=placed.line, key="id")
        if not isinstance(source, OurFile):  # whose content is taken as it stands in the file
            content.update(placed.case.digest.encode())
        if small:
            kept.append(placed.case)
            characters += _characters(placed.case)
            small = characters <= KEPT_BYTES
    if not first_seen:
        why = f" that text can carry: {left_out[0].reason}" if left_out else ""
        raise FileError(f"no questions in it{why}", file=place)
    fingerprint, held = content.hexdigest()[:32], tuple(kept) if small else ()
    return Dataset(source, language, len(first_seen), fingerprint, skipped=left_out, kept=held, kinds=frozenset(kinds))


def _characters(case: Case) -> int:
    """What a packed file may hold more of than its size says."""
    question = case.question
    return sum(map(len, (question.text, question.context or "", *question.choices, case.answer or "", *case.accepted)))


def _drawn(dataset: Dataset, sample: int | Literal["auto"] | None, seed: int) -> Dataset:
    size = dataset.size
    count = sample_size(size) if sample == "auto" else sample
    if count is None or count >= size:
        return dataset
    return replace(dataset, chosen=frozenset(seeded(seed, "sample", size).sample(range(size), count)))
