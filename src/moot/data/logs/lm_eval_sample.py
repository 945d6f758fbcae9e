"""One line of a log of lm-evaluation-harness: what a model was given for a question, and what came back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from pathlib import Path
from typing import Any

from moot.data.logs.fields import LETTERS, items, last_asked, mapping, number, options_in, share, text
from moot.data.logs.object_columns import ObjectColumns, columns_of
from moot.errors import FileError
from moot.foreign_json import read_json
from moot.types import MOST_CHOICES

INVALID = ("[invalid]", "[no match]")
"""What its filters put where they find nothing."""


def first_of(value: Any) -> Any:
    return value[0] if isinstance(value, list) and value else None


@dataclass(frozen=True)
class LmEvalSample:
    path: Path
    line: int
    row: Mapping[str, Any]

    @property
    def ident(self) -> str:
        return str(self.row["doc_id"])

    @property
    def filter(self) -> str:
        return text(self.row.get("filter")) or "none"

    @cached_property
    def doc(self) -> ObjectColumns:
        return columns_of(mapping(self.row.get("doc")))

    @cached_property
    def asked(self) -> list[list[Any]]:
        """What the model was given, call by call: the prompt, and what was to follow it or how to generate."""
        arguments = self.row.get("arguments")
        if isinstance(arguments, dict):
            return [list(mapping(each).values()) for each in arguments.values()]
        return [items(each) for each in items(arguments)]

    @property
    def prompt(self) -> str | None:
        words = text(first_of(first_of(self.asked)))
        if words is not None and words.startswith('[{"role"'):
            try:
                return last_asked(read_json(words))
            except ValueError:
                return words
        return words

    @cached_property
    def continuations(self) -> list[str]:
        """What the likelihoods were taken of, choice by choice; none: the reply was generated."""
        given = [each[1] for each in self.asked if len(each) > 1 and isinstance(each[1], str)]
        if not len(given) == len(items(self.row.get("resps"))) >= 2:
            return []
        half = len(given) // 2
        # For mutual information every choice is taken a second time, without the question.
        without = len(given) == 2 * half > 2 and given[:half] == given[half:]
        return given[:half] if without and all(each[0] == "" for each in self.asked[half:]) else given

    @property
    def contexts(self) -> list[str]:
        """What stood before each continuation."""
        return [str(first_of(each)) for each in self.asked[: len(self.continuations)]]

    @property
    def replies(self) -> list[Any]:
        return items(first_of(self.row.get("resps")))

    @property
    def taken(self) -> list[Any]:
        """What the filter took: one for all replies, or one for each."""
        filtered = first_of(self.row.get("filtered_resps"))
        return filtered if isinstance(filtered, list) else [filtered]

    @property
    def has_no_reply(self) -> bool:
        """Whether only the likelihood of a text was taken that was given."""
        return not self.continuations and any(isinstance(each, list | float | int) for each in self.replies)

    def worth(self, metric: str | None) -> float | None:
        return share(number(self.row.get(metric))) if metric else None

    def likelihoods(self, metric: str | None) -> list[float]:
        """Of the choices, as the metric compares them."""
        continuations = self.continuations
        if len(continuations) > MOST_CHOICES:
            raise self.error(f"expected at most {MOST_CHOICES} choices, found {len(continuations)}")
        listed = [_likelihood(each) for each in items(self.row.get("filtered_resps") or self.row.get("resps"))]
        known = [each for each in listed[: len(continuations)] if each is not None]
        if len(known) != len(continuations):
            raise self.error("expected a log-likelihood for each choice in filtered_resps")
        if metric == "acc_norm":  # of tasks that state no other: by what a character is worth
            known = [each / max(1, len(words.strip())) for each, words in zip(known, continuations, strict=True)]
        return known

    def likeliest(self, metric: str | None) -> int:
        known = self.likelihoods(metric)
        return known.index(max(known))

    @cached_property
    def blank(self) -> tuple[str, tuple[str, ...]] | None:
        """Where one text followed several beginnings: the sentence with a blank, and what the beginnings put into it."""
        contexts, continuations = self.contexts, [each.strip() for each in self.continuations]
        if len(set(continuations)) > 1 or len(set(contexts)) < len(contexts):
            return None
        fillings = self.doc.choices
        if len(fillings) != len(contexts) or not all(map(str.endswith, contexts, fillings)):
            alike = sum(1 for _ in takewhile(lambda letters: len(set(letters)) == 1, zip(*contexts, strict=False)))
            begin = contexts[0][:alike].rpartition(" ")[0]
            fillings = tuple(each[len(begin) :].strip() for each in contexts)
        before = contexts[0].removesuffix(fillings[0]).rstrip()
        return f"{before} _ {continuations[0]}", fillings

    @cached_property
    def choices(self) -> tuple[str, ...]:
        """The words of the choices whose likelihoods were taken; where the model was to say a letter, what stands under it."""
        if self.blank is not None:
            return self.blank[1]
        continuations = tuple(each.strip() for each in self.continuations)
        letters = [each.strip("(). ") for each in continuations]
        if letters != list(LETTERS[: len(letters)]):
            return continuations
        if len(self.doc.choices) == len(letters):
            return self.doc.choices
        return options_in(self.prompt or "", letters) or tuple(letters)

    def error(self, problem: str) -> FileError:
        return FileError(problem, file=self.path, line=self.line)


def _likelihood(value: Any) -> float | None:
    """``[-0.1, False]``, perhaps within a list, and in some versions as texts."""
    while isinstance(value, list):
        if not value:
            return None
        value = value[0]
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    return number(value)
