"""What a page says about one run: read in one place, drawn in another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from moot.measures.section import Section
from moot.report.page.questions import QuestionData


@dataclass(frozen=True, slots=True)
class RunPage:
    """All that a page says about one run."""

    figures: Mapping[str, Any]
    sections: Sequence[Section]
    questions: QuestionData
