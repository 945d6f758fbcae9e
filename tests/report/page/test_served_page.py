"""The page of a served team in a real browser: each day, and what was measured as a band behind them."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest
from served import serving

from moot.cli.app import app
from moot.cli.exit import run_app

TEAM: dict[str, Any] = {
    "name": "cup",
    "seed": 7,
    "questions": {"builtin": "general-en", "sample": 20},
    "models": {name: {"provider": "simulated", "accuracy": 0.6} for name in ("ann", "bob", "cat")},
    "teams": {"three": {"players": ["ann", "bob", "cat"], "captain": "ann"}},
    "strategies": ["silent"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("served")

    async def asked() -> None:
        async with serving(folder, TEAM) as server:
            for number in range(12):
                assert (await server.chat(f"Which is {number}?", "three/silent"))[0] == 200

    asyncio.run(asked())
    file = str(folder / "team.yaml")
    assert run_app(app, ["run", file, "--quiet"]) == 0
    with sqlite3.connect(folder / "cup.db") as store:
        rows = [row for (row,) in store.execute("select rowid from episodes order by created_at")][:12]
        for place, row in enumerate(rows):
            at = time.time() - 86_400 * (4 - place / 3)
            store.execute("update episodes set created_at = ? where rowid = ?", (at, row))
    for options, name in (((), "all"), (("--since", "7d"), "week")):
        assert run_app(app, ["report", file, "--served", *options, "-o", str(folder / f"{name}.html")]) == 0
    return folder


def opened(browser: Any, path: Path, width: int, scheme: str = "light") -> None:
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    browser.get("about:blank")
    browser.get(path.as_uri())
    end = time.monotonic() + 60
    while browser.execute_script("return document.documentElement.dataset.ready") != "true":
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize("width", [1280, 390])
def test_days_are_drawn_over_the_band_of_what_was_measured(browser: Any, folder: Path, width: int) -> None:
    opened(browser, folder / "week.html", width)
    drawn = """const chart = document.querySelector("#section-served-agreement svg.chart");
      const band = chart.querySelector("rect.measured").getBoundingClientRect();
      const whiskers = [...chart.querySelectorAll(".whisker")].map((each) => each.getBoundingClientRect());
      return [band.left, band.right, whiskers[0].left, whiskers[0].right, whiskers.length,
        document.documentElement.scrollWidth]"""
    left, right, first_left, first_right, whiskers, wide = browser.execute_script(drawn)
    assert (left, right) == (pytest.approx(first_left, abs=1.5), pytest.approx(first_right, abs=1.5))
    assert 4 <= whiskers <= 6
    assert wide <= width
    assert "were told right or wrong" not in browser.find_element("css selector", ".verdict").text
    assert "none was told right or wrong yet" in browser.find_element("css selector", ".verdict").text


def test_the_band_is_seen_in_the_dark_too(browser: Any, folder: Path) -> None:
    colours = []
    for scheme in ("light", "dark"):
        opened(browser, folder / "week.html", 1280, scheme)
        script = 'return getComputedStyle(document.querySelector("rect.measured")).fill'
        colours.append(browser.execute_script(script))
    assert len(set(colours)) == 2


def test_questions_are_there_only_where_nothing_is_left_out(browser: Any, folder: Path) -> None:
    state = """return [document.getElementById("questions").hidden, document.querySelectorAll('a[href="#questions"]').length > 0,
      [...document.querySelectorAll(".sheet")].map((each) => each.id)]"""
    opened(browser, folder / "week.html", 1280)
    hidden, linked, sheets = browser.execute_script(state)
    assert (hidden, linked) == (True, False)
    assert sheets == [
        "section-served-agreement",
        "section-served-days",
        "section-served-teams",
        "section-served-absences",
    ]
    opened(browser, folder / "all.html", 1280)
    hidden, linked, sheets = browser.execute_script(state)
    assert (hidden, linked, sheets[0]) == (False, True, "section-served-agreement")
    assert not [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
