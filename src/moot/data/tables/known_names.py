"""The names that people give to the columns of questions, in English and Russian, and what each is in our form.

A name is known whatever its case, spaces, underscores and dashes. Only what does no harm where it is mistaken has many
names; a column by which questions hang together, or a flag of grading, goes by our own name alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, takewhile

from moot.data.case import KEYS
from moot.data.tables.header_notes import without_notes

_AFTER_ANSWER = KEYS.index("answer") + 1
WRONG = "wrong"
IMAGE = "image"
COLUMN_KEYS = (*KEYS[:_AFTER_ANSWER], WRONG, *KEYS[_AFTER_ANSWER:], IMAGE)
"""What a column can be: a field of a question, the wrong choices beside the answer, which is the right one, or what keeps a
row from being asked."""

ColumnNames = str | tuple[str, ...]
"""One column, or several that hold a list together."""

NAMES: Mapping[str, tuple[str, ...]] = {
    "id": (
        *("id", "questionid", "qid", "recordid", "uid", "uuid"),
        *("номер", "номервопроса", "№", "ид", "идентификатор", "idвопроса"),
    ),
    "text": (
        *("text", "question", "prompt", "query", "questiontext", "questionstem", "stem", "problem", "input"),
        *("instruction", "usermessage", "userprompt", "userquery", "userinput", "userquestion"),
        *("вопрос", "текст", "текствопроса", "формулировка", "задание", "задача"),
    ),
    "choices": (
        *("choices", "options", "answerchoices", "answeroptions"),
        *("варианты", "вариантыответа", "вариантыответов"),
    ),
    "answer": (
        *("answer", "correct", "correctanswer", "rightanswer", "correctoption", "correctchoice", "rightoption"),
        *("label", "target", "gold", "goldanswer", "goldlabel", "reference", "referenceanswer", "solution"),
        *("finaldecision", "answerkey", "expected", "expectedanswer", "groundtruth", "cop"),
        *("ideal", "idealanswer", "idealoutput", "expectedoutput", "expectedresponse", "referenceoutput"),
        *("ответ", "правильный", "правильныйответ", "верныйответ", "верный", "эталон", "эталонныйответ"),
    ),
    "accepted": (
        *("accepted", "acceptedanswers", "aliases", "alternativeanswers", "зачет", "допустимыеответы", "синонимы"),
    ),
    "rejected": ("rejected", "незачет"),
    "context": (
        *("context", "passage", "paragraph", "article", "story", "document", "narrative", "excerpt"),
        *("contexts", "passages", "paragraphs", "articles", "stories", "documents", "body", "premise"),
        *("sourcetext", "sourcedocument", "storytext", "readingpassage", "readingtext", "contextpassage"),
        *(
            "contexttext",
            "passagetext",
            "articletext",
            "documenttext",
            "textpassage",
            "контекст",
            "отрывок",
            "статья",
            "рассказ",
        ),
    ),
    "category": ("category", "subject", "topic", "subjectname", "topicname", "категория", "тема", "предмет"),
    "comment": ("comment", "explanation", "rationale", "exp", "комментарий", "пояснение", "объяснение"),
    "source": ("source", "источник"),
    "author": ("author", "автор"),
    "difficulty": ("difficulty", "сложность"),
    "year": ("year", "год"),
    "package": ("package", "пакет"),
}
"""Names by key, each as `plain` makes it."""
SECOND_NAMES: tuple[tuple[str, ...], ...] = (
    ("answerindex", "answeridx", "correctindex", "correctidx", "correctanswerindex", "labelindex"),
    ("output", "completion"),
)
"""Of columns of answers that count where there is none of the names before them: one says again, as a position, what an
answer says, and the other may be what a model said."""

BESIDE_CHOICES = ("key",)
"""Of answers where there are choices, of which every answer has to be one; else it may well be an id."""

_FAMILIES = ("option", "opt", "op", "choice", "variant", "answer", "вариант", "вариантответа", "")
_WRONG_FAMILIES = (
    *("incorrectanswer", "incorrectanswers", "wronganswer", "incorrect", "wrong", "distractor", "incorrectoption"),
    *("wrongoption", "falsch", "falscheantwort", "mauvaisereponse", "mauvaiseréponse", "respuestaincorrecta"),
    *("incorrecta", "incorrecto", "opcionincorrecta", "opciónincorrecta", "respostaincorreta"),
    *("rispostaerrata", "неверный", "неверныйответ", "неправильный", "неправильныйответ"),
)
_ALL_WRONG = ("incorrectanswers", "wronganswers", "incorrectoptions", "wrongoptions", "incorrectchoices", "distractors")
"""Of one column with all of them, as the open trivia database calls it."""
_ORDINALS = (
    tuple("abcdefghijklmnopqrstuvwxyz"),
    tuple("абвгдежзиклмн"),
    tuple(map(str, range(1, 27))),
    tuple(map(str, range(26))),
)
_NUMBERS = "01"
"""A name of nothing but a number, or "answer 1", may be anything."""
_CORRECT = tuple(name for name in NAMES["answer"] if name.startswith(("correct", "right", "правильный", "верный")))
_ALL_CALLED_ANSWERS = ("answer", "ответ")
_FEWEST_ANSWERS = 3
META = "meta."
_NUMBERED = re.compile(r"(.*?)(?:(?:^|(?<=[\W_]))([^\W\d_])|([0-9]{1,2}))\W*")
"""What is before a number, or before a letter that stands alone."""
_LONGEST_NUMBERED = 60
_LETTERS_MISSED = 1
"""Between columns A, B and D."""


def plain(name: str) -> str:
    return re.sub(r"[\s_\-]+", "", name).casefold().replace("ё", "е")


def known_names(names: Sequence[str]) -> int:
    """How many of them are those of a column that is looked for."""
    every = {*chain.from_iterable(SECOND_NAMES), *KEYS, *(name for each in NAMES.values() for name in each)}
    return sum(plain(name) in every for name in names)


_WORD = re.compile(r"[^\W\d_a-zа-яё]+(?![a-zа-яё])|[^\W\d_]?[a-zа-яё]+|[^\W\d_]+|[0-9]+")
_ABOUT = frozenset(
    (
        *("id", "type", "kind", "format", "language", "lang", "source", "url", "author", "status"),
        *("date", "time", "at", "by", "count", "length", "len", "score", "rating"),
    )
)
"""The last word of a name that says something about a question or an answer: the type of an answer is none."""


def words_of(name: str) -> list[str]:
    """user, message of user_message, userMessage and User message."""
    return [word.casefold().replace("ё", "е") for word in _WORD.findall(name)]


def known_by_a_word(name: str, key: str) -> bool:
    """Whether whole words of it are one of the key's names: expected_answer_en, and not "team" for "stem"."""
    words = words_of(name)
    if not words or words[-1] in _ABOUT:
        return False
    names = (*NAMES[key], *(BESIDE_CHOICES if key == "answer" else ()))
    runs = ("".join(words[first:last]) for first in range(len(words)) for last in range(first + 1, len(words) + 1))
    return any(run in names for run in runs)


@dataclass(frozen=True, slots=True)
class Guess:
    """What the columns of a file are, by their names."""

    columns: Mapping[str, ColumnNames] = field(default_factory=dict)
    doubts: Mapping[str, tuple[ColumnNames, ...]] = field(default_factory=dict)
    """By key the columns of which each could be it."""


def guessed(names: Sequence[str], settled: Mapping[str, ColumnNames | None]) -> Guess:
    """`settled`: what is known already, None where a key is known to have no column. No column is two things."""
    taken = {column for columns in settled.values() if columns is not None for column in several(columns)}
    free = _plainly([name for name in names if name not in taken])
    columns: dict[str, ColumnNames] = {}
    doubts: dict[str, tuple[ColumnNames, ...]] = {}
    for key in (key for key in COLUMN_KEYS if key not in settled and key != IMAGE):
        if key == WRONG and "choices" in {**settled, **columns, **doubts}:
            continue  # they are all there, or it was said that there are none
        found = tuple(_candidates(key, free))
        if key == "answer" and not found and {"choices"} & {*columns, *doubts, *filter(settled.get, settled)}:
            found = tuple(name for name, bare in free.items() if bare in BESIDE_CHOICES)
        if key == "answer" and not {"choices"} & {*settled, *columns, *doubts}:
            columns |= _numbered_answers(found, free)
        if len(found) == 1:
            columns[key] = found[0]
        elif found:
            doubts[key] = found
    kept = tuple(name for name in free if name.startswith(META) and len(name) > len(META))
    if kept and "meta" not in settled and not {"meta"} & {*columns, *doubts}:
        columns["meta"] = kept
    return Guess(columns, doubts)


def _numbered_answers(found: Sequence[ColumnNames], free: Mapping[str, str]) -> dict[str, ColumnNames]:
    """Answer 1, Answer 2, Answer 3: choices where another column says which of them is correct, and else perhaps each right."""
    if len(found) != 1 or not isinstance(found[0], str) or free[found[0]] not in _CORRECT:
        return {}
    families = (family for stem in _ALL_CALLED_ANSWERS for family in _unbroken(free, stem))
    return {"choices": longest} if len(longest := max(families, key=len, default=())) >= _FEWEST_ANSWERS else {}


def _unbroken(names: Mapping[str, str], stem: str) -> Iterator[tuple[str, ...]]:
    by_plain = {bare: name for name, bare in names.items()}
    there = takewhile(by_plain.__contains__, (f"{stem}{number}" for number in range(1, 27)))
    yield tuple(by_plain[bare] for bare in there)


def several(columns: ColumnNames) -> tuple[str, ...]:
    return (columns,) if isinstance(columns, str) else columns


def _plainly(names: Sequence[str]) -> dict[str, str]:
    """Each with what is plain of it: without the notes of a template, unless another column has that name itself."""
    written = {plain(name) for name in names}
    shorter = {name: plain(without_notes(name)) for name in names}
    return {name: plain(name) if bare in written else bare for name, bare in shorter.items()}


def _candidates(key: str, names: Mapping[str, str]) -> Iterator[ColumnNames]:
    """`names`: each with what is plain of it."""
    known = NAMES.get(key, (plain(key),) if key != WRONG else _ALL_WRONG)
    first = [name for name, bare in names.items() if bare in known]
    yield from first
    if key == "answer" and not first:
        tiers = ([name for name, bare in names.items() if bare in tier] for tier in SECOND_NAMES)
        yield from next(filter(None, tiers), ())
    if key == "choices":
        yield from _families(names, _FAMILIES)
    if key == WRONG:
        yield from _families(names, _WRONG_FAMILIES)


def _families(names: Mapping[str, str], stems: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Columns that are numbered one after another: option_a, option_b; A, B, C; choice1, choice2.

    Where one is missing among them there are two ways to take them, with and without what comes after the gap.
    """
    by_plain = {bare: name for name, bare in names.items()}
    for stem in stems:
        for ordinals in _ORDINALS:
            if stem in ("", "answer") and ordinals[0] in _NUMBERS:
                continue
            if ordinals[0] == "1" and f"{stem}0" in by_plain:
                continue
            there = [place for place, ordinal in enumerate(ordinals) if f"{stem}{ordinal}" in by_plain]
            if f"{stem}r" not in by_plain:
                there = [place for place in there if ordinals[place] != "s"]  # a plural: options, variants
            unbroken = [place for number, place in enumerate(there) if number == place]
            if len(unbroken) > 1:
                yield tuple(by_plain[f"{stem}{ordinals[place]}"] for place in unbroken)
                # A letter alone that comes much later, such as q, is short for something.
                near = [place for place in there if stem or place <= len(unbroken) + _LETTERS_MISSED]
                if (there := near) != unbroken:
                    yield tuple(by_plain[f"{stem}{ordinals[place]}"] for place in there)


def numbered(names: Sequence[str]) -> list[tuple[str, ...]]:
    """Columns that differ in a number or a letter alone and begin with the first: Antwort 1, Antwort 2; r_a, r_b, r_c."""
    stems: dict[str, dict[str, str]] = {}
    for name in names:
        bare = without_notes(name).strip()
        if len(bare) <= _LONGEST_NUMBERED and (found := _NUMBERED.fullmatch(bare)):
            stems.setdefault(plain(found[1]), {}).setdefault((found[2] or str(int(found[3]))).casefold(), name)
    families = []
    for ends in stems.values():
        begun = [tuple(end for end in takewhile(ends.__contains__, ordinals)) for ordinals in _ORDINALS]
        longest = max(begun, key=len)
        if len(longest) > 1:
            families.append(tuple(ends[end] for end in longest))
    return families


def ends_of(names: Sequence[str]) -> tuple[str, ...]:
    """What they differ in: a, b, c of option_a, option_b, option_c."""
    plains = [plain(without_notes(name)) for name in names]
    shared = sum(1 for _ in takewhile(lambda letters: len(set(letters)) == 1, zip(*plains, strict=False)))
    return tuple(name[shared:] for name in plains)


def out_of_order(names: Sequence[str]) -> bool:
    """Whether columns are lettered or numbered, and not one after another: B, A, C; option_a, option_b, option_d."""
    ends = ends_of(names)
    ordered = any(ends == ordinals[: len(ends)] for ordinals in _ORDINALS)
    return not ordered and any(set(ends) <= set(ordinals) for ordinals in _ORDINALS)
