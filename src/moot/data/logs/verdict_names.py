"""By which of a log's metrics a reply is right, as far as names tell.

A metric from 0 to 1 may be anything: whether the form was kept, whether a reply is toxic, how often it is wrong. By the wrong one
every wrong answer would be accepted. So a name has to say that it is about right answers, or somebody who knows has to.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

Name = TypeVar("Name", bound=Hashable)

_SAYS_RIGHT = frozenset(
    (
        *("acc", "accuracy", "correct", "correctness", "right", "exact", "match", "matches", "em", "f1", "equiv"),
        *("equivalent", "equivalence", "pass", "passed", "includes", "solved"),
    )
)
"""Of the words of a name."""
_ARE_RIGHT = ("answer", "choice", "math", "math_verify", "model_graded_fact", "model_graded_qa", "pattern")
"""Whole names, of scorers that Inspect and lm-eval bring."""
_NEGATES = frozenset(("not", "no", "un"))
_SAYS_WRONG = frozenset(
    (
        *(
            "error",
            "errors",
            "err",
            "wrong",
            "wrongness",
            "incorrect",
            "incorrectness",
            "inaccurate",
            "inaccuracy",
            "mismatch",
        ),
        *("mismatches", "fail", "failed", "failure", "loss", "miss", "missed", "wer", "cer", "hallucination"),
        *("hallucinations", "hallucinated"),
    )
)
"""That 1 is wrong."""
_SAYS_OTHER = frozenset(
    (
        *("refusal", "refusals", "refused", "bias", "biased", "toxicity", "toxic", "harm", "harmful", "stereotype"),
        *("format", "formatted", "fmt", "form", "json", "syntax", "style", "length", "extraction", "parse", "parsed"),
        *("parseable", "consistency", "difference", "diff", "count", "perplexity"),
    )
)
"""That it is about something else than right and wrong."""
_WORDS = re.compile(r"[a-z0-9]+")


def says_right(name: str) -> bool:
    """Whether a metric of this name is 1 for a right answer: "exact_match" is, "incorrect" and "format_match" are not."""
    folded = name.casefold()
    words = _words(name)
    other = _NEGATES | _SAYS_WRONG | _SAYS_OTHER
    return folded in _ARE_RIGHT or (bool(words & _SAYS_RIGHT) and not words & other)


def says_wrong(name: str) -> bool:
    """Whether a metric of this name is 1 for a wrong answer."""
    return bool(_words(name) & _SAYS_WRONG)


def says_other(name: str) -> bool:
    """Whether it is about something else, whichever way it is turned."""
    return name.casefold() not in _ARE_RIGHT and bool(_words(name) & _SAYS_OTHER)


def _words(name: str) -> set[str]:
    return {*_WORDS.findall(name.casefold())}


def disagreeing(values: Iterable[Sequence[float | None]]) -> bool:
    """Whether these metrics are not all the same verdict: what each says of the same replies."""
    first, *others = values
    return any(list(each) != list(first) for each in others)


def one_verdict(
    said: Mapping[Name, Sequence[float | None]],
    beside: Mapping[Name, Sequence[float | None]],
    borne_out: Callable[[Name], bool],
) -> list[Name]:
    """Those of these metrics that are one and the same verdict; none: they disagree. `beside`: others, of unknown names, which
    count where all of the first call every reply right.

    One that is the same for every reply tells nothing, and is left aside for others that differ and that the replies bear out:
    without that it may be the verdict, on replies that are all wrong, and the others the form.
    """
    if all({*each} == {1.0} for each in said.values()):
        said = {**said, **{name: each for name, each in beside.items() if _differs(each)}}
    if not disagreeing(said.values()):
        return list(said)
    differing = {name: each for name, each in said.items() if _differs(each)}
    if len(differing) < len(said) and differing and not disagreeing(differing.values()):
        return [*differing] if all(map(borne_out, differing)) else []
    return []


def _differs(values: Sequence[float | None]) -> bool:
    return len({*values}) > 1


def left_aside(names: Sequence[str]) -> str:
    """What is told of those that tell nothing; "" of none."""
    if not names:
        return ""
    return f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} the same for every reply, which tells nothing"
