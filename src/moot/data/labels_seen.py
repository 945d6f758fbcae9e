"""References that are the same few words over and over, as where tickets are sorted: who is asked has to be told these.

Nothing is wrong with such a file, and yet nobody who answers in words of his own would be right. Whether an
instruction of the players names them no file of questions knows, so that is left open.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from moot.data.tables.listed_names import cut
from moot.stats.counted_words import few_names

_MOST = 100
"""Labels: what has more of them, or longer ones, is no sorting into kinds."""
_LONGEST = 40
_FEWEST_ROWS = 10
_ROWS_OF_EACH = 3
_TOLD = 0.5
"""Of all rows: where so many have their label in the text, it may well be that the text names all of them."""
_ASKED = 0.9
"""Of all rows: questions such as on which continent a country is tell what may be answered."""
_QUESTION_MARKS = frozenset("?？؟")


@dataclass(slots=True)
class LabelsSeen:
    """References without choices, one after another."""

    rows: int = 0
    labels: Counter[str] = field(default_factory=Counter)
    """As they are written; of no more than could be labels."""
    told: int = 0
    """Rows that have theirs in the text, or in the context beside it,"""
    asked: int = 0
    """and rows in which something is asked, be it in quotes or with a word on the form behind it."""
    others: bool = False
    """Whether one is no label: not a word, too long, or one too many."""

    def see(self, text: object, answer: object, context: object = None) -> None:
        if self.others:
            return
        label = answer.strip() if isinstance(answer, str) else ""
        self.rows += 1
        self.labels[label] += 1
        self.others = len(label) > _LONGEST or not any(map(str.isalpha, label)) or len(self.labels) > _MOST
        shown = [each for each in (text, context) if isinstance(each, str)]
        self.told += any(label.casefold() in each.casefold() for each in shown)
        if isinstance(text, str):
            self.asked += not _QUESTION_MARKS.isdisjoint(text)

    @property
    def remark(self) -> str | None:
        """What to say of them. None: they are none, or players learn of them."""
        if self.others or self.rows < max(_FEWEST_ROWS, _ROWS_OF_EACH * len(self.labels)) or len(self.labels) < 2:
            return None
        if self.told > _TOLD * self.rows or self.asked > _ASKED * self.rows:
            return None
        names = few_names([cut(label) for label in sorted(self.labels)])
        return (
            f"answer: all {self.rows} are one of {len(self.labels)} ({names}), which most questions do not name: unless an"
            " instruction names them to the players, give every row these as choices; kind: open under questions says that"
            " neither is needed"
        )
