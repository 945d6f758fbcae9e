"""The report that people open: one HTML file, offline, with the verdict in words, the figures drawn, and every question.

    write_report(connection, experiment, Path("report.html"))

The page is assembled from plain files in `static/`, without a build step; everything it shows is data that it unpacks
itself. It asks nobody for anything: its own policy forbids every request, and every script but the one inside.
"""

from __future__ import annotations

from moot.report.page.document import page_html
from moot.report.page.run import read_run, write_report
from moot.report.page.run_page import RunPage

__all__ = ["RunPage", "page_html", "read_run", "write_report"]
