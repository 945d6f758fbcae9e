"""The page of what a served team was asked within some time: figures and pictures, without the questions themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from moot.measures.reserved import SERVED
from moot.measures.served.sections import served_sections
from moot.report.page.questions import Columns, QuestionData
from moot.report.page.run_page import RunPage


def served_page(figures: Mapping[str, Any]) -> RunPage:
    return RunPage(figures, served_sections(figures[SERVED]), QuestionData((), Columns(1, 0).row(), ()))
