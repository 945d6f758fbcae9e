"""What an axis promises: a share ends at 100 %, and where two shares should be equal the line is drawn on which they are."""

from __future__ import annotations

import pytest

from moot.measures.section import Chart, Column, Section
from moot.measures.trust.sections import trust_sections

from .conftest import Page, Written, drawn

BINS = {
    "vote": [(0.62, 0.6, 90), (0.71, 1.0, 1)],
    "learnt": [(0.66, 0.7, 40), (0.93, 0.9, 60)],
}


def reliability() -> Section:
    rows = [
        {
            "label": name,
            "strategy": name,
            "team": "all",
            "captain": None,
            "n": 91,
            "accuracy": 0.6,
            "ece": 0.02,
            "brier": 0.2,
            "coverage": [],
            "bins": [{"said": said, "right": right, "n": n} for said, right, n in bins],
        }
        for name, bins in BINS.items()
    ]
    (section,) = (each for each in trust_sections({"probability": rows}) if each.id == "reliability")
    return section


PLACES = """
const marks = [...document.querySelectorAll('#section-reliability svg.chart .mark')];
return marks.map((mark) => {
  const box = mark.getBoundingClientRect();
  return [box.left + box.width / 2, box.top + box.height / 2, box.width];
});"""
LINE = """
const line = document.querySelector('#section-reliability line.equal');
const at = (x, y) => { const p = new DOMPoint(x, y).matrixTransform(line.getScreenCTM()); return [p.x, p.y]; };
const of = (name) => Number(line.getAttribute(name));
return [...at(of('x1'), of('y1')), ...at(of('x2'), of('y2'))];"""


def test_what_was_said_is_drawn_against_the_line_on_which_it_is_true(page: Page, cup: Written) -> None:
    drawn(page, cup, reliability())
    ticks = page.texts("#section-reliability .tick")
    assert ticks.count("0 %") + ticks.count("0") == 2, "both axes begin at nothing"
    assert len([tick for tick in ticks if tick.startswith("100")]) == 2, "and end where all is right"
    left, bottom, right, top = page.js(LINE)
    places = page.js(PLACES)
    expected = [each for bins in BINS.values() for each in bins]
    assert len(places) == len(expected)
    for (x, y, _), (said, came, _n) in zip(places, expected, strict=True):
        assert x == pytest.approx(left + said * (right - left), abs=1.5)
        assert y == pytest.approx(bottom + came * (top - bottom), abs=1.5)
    widths = {n: width for (_, _, width), (_said, _came, n) in zip(places, expected, strict=True)}
    assert widths[1] < widths[90] / 2, "one answer is not drawn as ninety"


@pytest.mark.parametrize("value", [0.75, 0.97, 1.0])
def test_no_axis_of_shares_goes_beyond_all(page: Page, cup: Written, value: float) -> None:
    columns = (Column("who", "who"), Column("alone", "alone", "share"), Column("after", "after", "share"))
    rows = [{"who": "ann", "alone": value, "after": 0.31}, {"who": "bob", "alone": 0.34, "after": 0.9}]
    for some in (rows[:1], rows):
        cloud = Section("cloud", "Cloud", (), columns, some, Chart("scatter", "alone", "after", label="who"))
        drawn(page, cup, cloud)
        shown = [float(tick.replace("%", "").strip()) for tick in page.texts("#section-cloud .tick")]
        assert min(shown) >= 0
        assert max(shown) <= 100
        assert page.js(
            "const svg = document.querySelector('#section-cloud svg.chart').getBoundingClientRect();"
            "return [...document.querySelectorAll('#section-cloud .mark')].every((mark) => {"
            "  const box = mark.getBoundingClientRect();"
            "  return box.left >= svg.left && box.right <= svg.right;})"
        )
