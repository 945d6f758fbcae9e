"""By which of a log's metrics a reply is right, as far as names tell.

A metric from 0 to 1 may be anything: whether the form was kept, whether a reply is toxic, how often it is wrong. By the wrong one
every wrong answer would be accepted. So a name has to say that it is about right answers, or somebody who knows has to.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_SAYS_RIGHT = frozenset(
    (
        *("acc", "accuracy", "correct", "correctness", "right", "exact", "match", "matches", "em", "f1", "equiv"),
        *("equivalent", "equivalence", "pass", "passed", "includes", "solved"),
    )
)
"""Of the words of a name."""
_ARE_RIGHT = ("answer", "choice", "math", "math_verify", "model_graded_fact", "model_graded_qa", "pattern")
"""Whole names, of scorers that Inspect and lm-eval bring."""
_SAYS_OTHER = frozenset(
    (
        *(
            "not",
            "no",
            "un",
            "error",
            "errors",
            "wrong",
            "fail",
            "failed",
            "loss",
            "miss",
            "refusal",
            "refused",
            "bias",
        ),
        *("toxicity", "toxic", "stereotype", "format", "formatted", "fmt", "form", "json", "syntax", "style", "length"),
        *("extraction", "parse", "parsed", "parseable", "consistency", "difference", "diff", "count", "perplexity"),
    )
)
_WORDS = re.compile(r"[a-z0-9]+")


def says_right(name: str) -> bool:
    """Whether a metric of this name is 1 for a right answer: "exact_match" is, "incorrect" and "format_match" are not."""
    folded = name.casefold()
    words = {*_WORDS.findall(folded)}
    return folded in _ARE_RIGHT or (bool(words & _SAYS_RIGHT) and not words & _SAYS_OTHER)


def disagreeing(values: Iterable[Sequence[float | None]]) -> bool:
    """Whether these metrics are not all the same verdict: what each says of the same replies."""
    first, *others = values
    return any(list(each) != list(first) for each in others)
