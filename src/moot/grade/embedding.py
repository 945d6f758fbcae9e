"""Whether two answers mean the same, offline: the cosine of their embeddings, where nothing plainer speaks against it.

The model is all-MiniLM-L6-v2, six layers of BERT, run here in NumPy: 0.1 s to load, 10 to 20 ms an answer, no
other library. Its cosine says how much two texts are *about* the same, which is not the same as meaning the same: 1812 and
1912, "guilty" and "not guilty", vitamins C and D lie close together. So numbers, denials and single letters are compared
exactly, and only then the cosine.
"""

from __future__ import annotations

import importlib.util
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from moot.errors import UsageError
from moot.grade.lemmas import lemma
from moot.grade.normalise import normalise, numbers_apart, too_long
from moot.grade.numerals import numerals, thousands
from moot.grade.unit_case import WRITTEN_OUT
from moot.grade.wordpiece import WordPiece
from moot.models import packaged
from moot.stats.one_thread import load_numpy

if TYPE_CHECKING:  # NumPy takes a tenth of a second to load, and most commands embed nothing
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float32]

MODEL = "minilm-l6"
THRESHOLD = 0.81
"""Chosen by `bench/grouping.py`: the middle of the thresholds with the best F0.5 (a wrong join costs more than a missed
one) on 100 hand-written pairs, half of them traps; 20 x 5-fold cross-validation puts it between 0.74 and 0.88, with 0.81
in the middle, and a precision of 0.94 on the pairs held out. The rules of `set_apart` were shaped on the same pairs, so
expect somewhat less of others: of 40 written afterwards it joined 16 of 20 that are the same and 2 of 20 that are not."""
LAYERS = 6
HEADS = 12
REMEMBERED = 20_000
"""Vectors kept, of 1.5 kB each: the same answers return question after question, player after player."""


@dataclass(frozen=True, slots=True)
class Embedding:
    """A `Similarity`: the same if nothing sets two answers apart and their cosine reaches the threshold."""

    threshold: float = THRESHOLD

    def __post_init__(self) -> None:
        packaged.path(MODEL)
        if importlib.util.find_spec("numpy") is None:
            raise UsageError("grouping by embeddings needs NumPy: pip install numpy")

    def same(self, one: str, other: str) -> bool:
        if too_long(one) or too_long(other):
            return normalise(one) == normalise(other)
        return not set_apart(one, other) and self.cosine(one, other) >= self.threshold

    def cosine(self, one: str, other: str) -> float:
        """How near two answers lie, from -1 to 1.

        What they share does not speak for what sets them apart: of North and South Korea, the nearness of North and
        South counts if it is the lesser.
        """
        ours, theirs = read_together(one, other)
        if sorted(ours.words) == sorted(theirs.words):
            return 1.0
        whole = _cosine(ours.words, theirs.words)
        rests = ours.without(theirs), theirs.without(ours)
        return min(whole, _cosine(*rests)) if all(rests) else whole


@dataclass(frozen=True, slots=True)
class ExactParts:
    """An answer with its numbers in digits, and what of it is compared exactly."""

    words: tuple[str, ...]
    lemmas: tuple[str, ...]
    numbers: Counter[str]
    letters: frozenset[str]
    denied: bool
    roman: bool = False
    """Whether one of the numbers was a Roman numeral."""

    def without(self, other: ExactParts) -> tuple[str, ...]:
        """The words that the other has in no form."""
        pairs = zip(self.words, self.lemmas, strict=True)
        return tuple(word for word, lemma in pairs if lemma not in other.lemmas)

    def unmarked(self) -> ExactParts:
        """With its ranks as counts."""
        numbers = Counter(_unmarked(self.numbers.elements()))
        return replace(self, words=_unmarked(self.words), lemmas=_unmarked(self.lemmas), numbers=numbers)


_CYRILLIC = re.compile("[а-яё]", re.IGNORECASE)
_RANGE = re.compile(r"(?<=\d)-(?=\d)")
_ROMAN = re.compile(r"(?=[ivx])x{0,3}(?:ix|iv|v?i{0,3})")
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10}
_DENIALS = {"not", "no", "non", "never", "nor", "neither", "without", "cannot", "не", "нет", "ни", "без", "никогда"}
_DENYING_PREFIXES = ("un", "in", "im", "il", "ir", "non", "dis", "не", "без", "бес")


@lru_cache(maxsize=REMEMBERED)
def read(text: str) -> ExactParts:
    """An answer, taken apart. The script tells the language: a `Similarity` is not told."""
    language = "ru" if _CYRILLIC.search(text) else "en"
    # A range is its two ends, in whatever words it is told: 1914-1918, from 1914 to 1918.
    plain = [
        part
        for word in normalise(numbers_apart(thousands(text, language), language)).split()
        for part in _RANGE.split(word)
    ]
    if len(plain) > 1 and all(len(word) == 1 and word.isalpha() for word in plain):
        plain = ["".join(plain)]  # U.S.A.
    # "isn't" has become "isn t".
    denied = any(word in _DENIALS for word in plain) or re.search(r"n t\b", " ".join(plain)) is not None
    written = numerals(plain, language)
    words = tuple(_from_roman(word) if place else word for place, word in enumerate(written))
    numbers = Counter(word for word in words if any(character.isdigit() for character in word))
    letters = frozenset(word for word in words if len(word) == 1 and word.isalpha())
    roman = words != tuple(written)
    return ExactParts(words, tuple(lemma(word, language) for word in words), numbers, letters, denied, roman)


def set_apart(one: str, other: str) -> bool:
    """Other numbers or units, a denial on one side only, other single letters, other Russian words: no cosine bridges these.

    Of a Russian word the model sees little but its letters, and Австрия lies beside Австралия (0.96).
    """
    ours, theirs = read_together(one, other)
    if ours.numbers != theirs.numbers or ours.denied != theirs.denied:
        return True
    # Initials may be left out, so "J. K. Rowling" may be "Rowling"; but vitamin C is not vitamin D.
    if ours.letters and theirs.letters and ours.letters != theirs.letters:
        return True
    units = [frozenset(each.words) & WRITTEN_OUT for each in (ours, theirs)]
    if all(units) and units[0] != units[1]:  # 5 mW lies beside 5 MW
        return True
    if _denies(ours.words, theirs.words) or _denies(theirs.words, ours.words):
        return True
    rests = ours.without(theirs), theirs.without(ours)
    return all(rests) and any(_CYRILLIC.search(word) for rest in rests for word in rest)


def read_together(one: str, other: str) -> tuple[ExactParts, ExactParts]:
    """A rank is no count; but a Roman numeral may be either: Peter I is Peter the First, World War II is World War 2."""
    ours, theirs = read(one), read(other)
    return (ours.unmarked(), theirs.unmarked()) if ours.roman or theirs.roman else (ours, theirs)


def _unmarked(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(re.sub(r"(?<=[0-9])th$", "", word) for word in words)


def _from_roman(word: str) -> str:
    """The III of Peter III as 3, up to 39; longer ones (and MIX, CIVIL) are left as words. Never the first word: "I"."""
    if not _ROMAN.fullmatch(word):
        return word
    values = [_ROMAN_VALUES[letter] for letter in word]
    pairs = zip(values, [*values[1:], 0], strict=True)
    return str(sum(-value if value < following else value for value, following in pairs))


def _denies(words: Sequence[str], plain: Sequence[str]) -> bool:
    """Whether one of the words is another's opposite by its prefix: impossible, нечётное."""
    pairs = ((word, prefix) for word in words for prefix in _DENYING_PREFIXES if word.startswith(prefix))
    return any(word.removeprefix(prefix) in plain for word, prefix in pairs)


def _cosine(one: Sequence[str], other: Sequence[str]) -> float:
    folder = packaged.path(MODEL)
    return float(_vector(folder, " ".join(one)) @ _vector(folder, " ".join(other)))


@lru_cache(maxsize=REMEMBERED)
def _vector(folder: Path, text: str) -> Array:
    """One text at a time: in a batch its last bits would depend on its neighbours."""
    vector: Array = _encoder(folder).encode([text])[0]
    return vector


@cache
def _encoder(folder: Path) -> Encoder:
    load_numpy()
    return Encoder(read_safetensors(folder / "model.safetensors"), WordPiece.from_file(folder / "vocab.txt"))


def read_safetensors(path: Path) -> dict[str, Array]:
    """The float arrays of a file: eight bytes of length, a JSON header with shapes and offsets, the raw numbers.

    They stay in the file and are mapped into memory: of the 30,000 words' vectors an answer needs a handful.
    """
    import numpy as np

    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        header: Mapping[str, Any] = json.loads(file.read(length))
    content = np.memmap(path, np.uint8, "r", offset=8 + length)
    arrays: dict[str, Array] = {}
    for name, entry in header.items():
        if entry.get("dtype") == "F32":
            begin, end = entry["data_offsets"]
            arrays[name] = np.asarray(content[begin:end]).view("<f4").reshape(entry["shape"])
    return arrays


class Encoder:
    """BERT as a sentence encoder: the mean of the last layer over the tokens, of length 1."""

    def __init__(self, weights: Mapping[str, Array], tokenizer: WordPiece) -> None:
        self._weights = weights
        self._tokenizer = tokenizer

    def encode(self, texts: Sequence[str]) -> Array:
        """One vector a text. Shorter texts are padded to the longest, and the padding is not looked at."""
        import numpy as np

        rows = [self._tokenizer.encode(text) for text in texts]
        longest = max(map(len, rows))
        tokens = np.array([row + [0] * (longest - len(row)) for row in rows])
        seen = np.array([[1.0] * len(row) + [0.0] * (longest - len(row)) for row in rows], np.float32)
        mean = (self._last_layer(tokens, seen) * seen[:, :, None]).sum(1) / seen.sum(1, keepdims=True)
        return np.asarray(mean / np.linalg.norm(mean, axis=1, keepdims=True), np.float32)

    def _last_layer(self, tokens: NDArray[np.int64], seen: Array) -> Array:
        import numpy as np

        table = "embeddings.{}_embeddings.weight".format
        state = self._weights[table("word")][tokens] + self._weights[table("position")][: tokens.shape[1]]
        state = self._norm(state + self._weights[table("token_type")][0], "embeddings.LayerNorm")
        hidden = np.where(seen, np.float32(0), np.float32(-1e9))[:, None, None, :]
        for layer in range(LAYERS):
            name = f"encoder.layer.{layer}"
            mixed = self._linear(
                self._attention(state, hidden, f"{name}.attention.self"), f"{name}.attention.output.dense"
            )
            state = self._norm(state + mixed, f"{name}.attention.output.LayerNorm")
            inner = _gelu(self._linear(state, f"{name}.intermediate.dense"))
            state = self._norm(state + self._linear(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")
        return state

    def _attention(self, state: Array, hidden: Array, name: str) -> Array:
        import numpy as np

        texts, length, width = state.shape
        query, key, value = (
            self._linear(state, f"{name}.{part}").reshape(texts, length, HEADS, -1).transpose(0, 2, 1, 3)
            for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 1, 3, 2) / np.float32((width // HEADS) ** 0.5) + hidden
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        mixed: Array = weights / weights.sum(-1, keepdims=True) @ value
        return mixed.transpose(0, 2, 1, 3).reshape(texts, length, width)

    def _linear(self, state: Array, name: str) -> Array:
        return state @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]

    def _norm(self, state: Array, name: str) -> Array:
        import numpy as np

        centred = state - state.mean(-1, keepdims=True)
        spread = np.sqrt((centred * centred).mean(-1, keepdims=True) + np.float32(1e-12))
        normed: Array = centred / spread * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        return normed


def _gelu(x: Array) -> Array:
    """x times the normal distribution's share below it; NumPy has no erf, so by Abramowitz and Stegun 7.1.26."""
    import numpy as np

    z = np.abs(x) * np.float32(0.5**0.5)
    t = 1 / (1 + np.float32(0.3275911) * z)
    series = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t
    erf = np.sign(x) * (1 - series * np.exp(-z * z))
    return np.asarray(x * (1 + erf) / 2, np.float32)
