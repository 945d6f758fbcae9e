"""Reports: figures read from a store, never from a running model, and their views.

The package can be called, since that is what one wants to type: ``moot.report("cup.yaml").save("report.html")``.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from moot.report.notebook import Report


class _Reporting(ModuleType):
    def __call__(
        self, source: str | Path, output: str | Path | None = None, *, experiment: str | None = None
    ) -> Report:
        """The report of an experiment file or of a store, as an object; with `output`, also written as a page."""
        from moot.report.notebook import report

        return report(source, output, experiment=experiment)


sys.modules[__name__].__class__ = _Reporting
