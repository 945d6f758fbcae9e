"""The tokenizer that BERT models were trained with: lower case, accents off, then the longest known pieces of a word.

Written out here because the libraries that have one bring a compiler's worth of dependencies, and this is all of it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from pathlib import Path

LONGEST_WORD = 100
"""A longer one is unknown as a whole, as in the training."""

_CJK = ((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F))


class WordPiece:
    """Text to the numbers of its pieces, by a vocabulary of one piece a line."""

    def __init__(self, vocabulary: dict[str, int]) -> None:
        self._vocabulary = vocabulary
        self._unknown = vocabulary["[UNK]"]
        self._begin, self._end = vocabulary["[CLS]"], vocabulary["[SEP]"]

    @classmethod
    def from_file(cls, path: Path) -> WordPiece:
        # Not splitlines(): some pieces are themselves line separators to Python.
        lines = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
        return cls({piece: number for number, piece in enumerate(lines)})

    def encode(self, text: str, longest: int = 256) -> list[int]:
        """The numbers of a text's pieces between the two marks, at most `longest` of them in all."""
        pieces = [number for word in words(text) for number in self._pieces(word)]
        return [self._begin, *pieces[: longest - 2], self._end]

    def _pieces(self, word: str) -> list[int]:
        """The longest piece that the word begins with, then the longest of what is left; none fits, all is unknown."""
        if len(word) > LONGEST_WORD:
            return [self._unknown]
        numbers: list[int] = []
        start = 0
        while start < len(word):
            inner = "##" if start else ""
            for end in range(len(word), start, -1):
                number = self._vocabulary.get(inner + word[start:end])
                if number is not None:
                    break
            else:
                return [self._unknown]
            numbers.append(number)
            start = end
        return numbers


def words(text: str) -> list[str]:
    """Words, each mark of punctuation and each Chinese character apart."""
    plain = "".join(c for c in unicodedata.normalize("NFD", text.lower()) if unicodedata.category(c) != "Mn")
    return "".join(_spaced(plain)).split()


def _spaced(text: str) -> Iterator[str]:
    for character in text:
        category = unicodedata.category(character)
        if character in "\t\n\r" or category == "Zs":
            yield " "
        elif category[0] == "C" or character == "\ufffd":
            continue
        elif _stands_alone(character, category):
            yield f" {character} "
        else:
            yield character


def _stands_alone(character: str, category: str) -> bool:
    """Every ASCII sign counts as punctuation here, Unicode's word for it ("$" a currency, "+" a symbol) aside."""
    code = ord(character)
    if code < 128:
        return not character.isalnum()
    return category[0] == "P" or any(low <= code <= high for low, high in _CJK)
