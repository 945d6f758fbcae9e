"""The leaderboard in a real browser: rows are sorted by click and by keyboard, within their own table, on a phone too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from moot.report.publish.board_page import board_html

HOSTILE = "<img src=x onerror='window.pwned = 1'><script>window.pwned = 2</script>"


def row(number: int, value: float | None, digest: str = "ab" * 16, title: str = "") -> dict[str, Any]:
    known = {"value": value, "low": max(0.0, value - 0.1), "high": min(1.0, value + 0.1)} if value is not None else None
    return {
        "id": str(number),
        "experiment": "cup",
        "played": {"title": title or f"team-{number}", "strategy": "x", "players": [["ann", "a-model"]]},
        "set": {"name": f"set {digest[:2]}", "digest": digest, "questions": 100},
        "n": 100,
        "accuracy": known or {"value": None, "low": None, "high": None, "why": "nothing is graded"},
        "gain": None,
        "usd_per_1000": 10.0 - number,
        "calls_per_question": float(number),
        "date": "2026-01-02",
        "report": None,
    }


@pytest.fixture(name="board")
def _board(browser: Any, tmp_path: Path) -> Any:
    rows = [row(1, 0.5), row(2, None), row(3, 0.7, title=HOSTILE), row(4, 0.6), row(5, 0.9, "cd" * 16)]
    path = tmp_path / "sub path" / "index.html"
    path.parent.mkdir()
    path.write_text(board_html(rows), encoding="utf-8")
    browser.set_window_size(1200, 900)
    browser.get(path.as_uri())
    return browser


def ids(board: Any, table: int = 0) -> list[str]:
    """Rows by their calls a question."""
    script = (
        f"return [...document.querySelectorAll('table')[{table}].tBodies[0].rows].map((r) => r.cells[5].dataset.key)"
    )
    found: list[str] = board.execute_script(script)
    return found


def test_rows_are_sorted_within_their_table(board: Any) -> None:
    head = "document.querySelectorAll('table')[0].tHead.rows[0].cells"
    assert ids(board) == ["3", "4", "1", "2"]
    board.execute_script(f"{head}[1].querySelector('button').click()")
    assert ids(board) == ["1", "4", "3", "2"], "what is not known stands last either way"
    board.execute_script(f"{head}[4].querySelector('button').focus()")
    from selenium.webdriver.common.keys import Keys

    board.switch_to.active_element.send_keys(Keys.ENTER)
    assert ids(board) == ["4", "3", "2", "1"]
    board.switch_to.active_element.send_keys(Keys.SPACE)
    assert ids(board) == ["1", "2", "3", "4"]
    assert board.execute_script(f"return {head}[4].getAttribute('aria-sort')") == "descending"
    assert board.execute_script(f"return {head}[1].getAttribute('aria-sort')") is None
    assert ids(board, 1) == ["5"]


def test_nothing_runs_nothing_is_asked_and_a_phone_does_not_scroll_sideways(board: Any) -> None:
    assert board.execute_script("return window.pwned") is None
    assert HOSTILE in board.execute_script("return document.body.textContent")
    assert board.execute_script("return performance.getEntriesByType('resource').length") == 0
    assert not [entry for entry in board.get_log("browser") if "Content Security Policy" in entry["message"]]
    board.execute_script("document.getElementById('theme').click()")
    assert board.execute_script("return document.documentElement.dataset.theme") == "light"
    board.execute_script("localStorage.removeItem('moot-theme')")
    board.set_window_size(500, 900)
    wide = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert board.execute_script(wide) <= 0
