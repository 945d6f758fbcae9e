"""Behind a number the case of a unit may be its prefix; elsewhere case is no difference."""

from __future__ import annotations

from itertools import combinations, permutations

import pytest

from moot.grade.group import Stages
from moot.grade.match import match
from moot.grade.normalise import answer_key, normalise, spelled
from moot.team import Team
from moot.types import Answer, Case, Question

QUESTION = Question("q", "?")


def is_right(reference: str, answer: str) -> bool:
    return match(Case(QUESTION, reference), answer).value == 1.0


async def are_one_group(one: str, other: str) -> bool:
    said = [Answer("ann", one), Answer("bob", other)]
    return len((await Stages().group(QUESTION, said, Team("two", (), grouper=Stages()))).groups) == 1


APART = [
    *[
        ("5 mW", "5 MW"),
        ("5mW", "5MW"),
        ("5-mW laser", "5-MW laser"),
        ("five mW", "five MW"),
        ("about 5 mW", "about 5 MW"),
    ],
    *[("5 mm", "5 Mm", "5 mM"), ("5 MeV", "5 meV"), ("5 mg", "5 Mg"), ("5 Pa", "5 pA"), ("3.5 mHz", "3.5 MHz")],
    *[
        ("2 ms", "2 MS", "2 mS"),
        ("5 mV", "5 MV"),
        ("5 mJ", "5 MJ"),
        ("5 PW", "5 pW"),
        ("5 ym", "5 Ym"),
    ],
    *[("5 mΩ", "5 MΩ"), ("5 mΩ", "5 MΩ"), ("5 mW/m^2", "5 MW/m^2"), ("5 N/mm^2", "5 N/Mm^2"), ("10 Mb", "10 MB")],
    *[
        ("100 Mb/s", "100 MB/s"),
        ("100 Mbps", "100 MBps"),
        ("5 nM", "5 nm", "5 Nm"),
        ("65 Ma", "65 mA"),
        ("2 MPa", "2 mPa"),
    ],
    *[(r"5\,\text{mW}", r"5\,\text{MW}"), (r"5 \mathrm{mW}", "5 MW"), (r"3.2\times 10^{5}~\mathrm{Mm}", "3.2*10^5 mm")],
    *[
        (r"\frac{1}{2}\,\mathrm{MeV}", r"\frac{1}{2}\,\mathrm{meV}"),
        ("5 x 10^6 mW", "5 x 10^6 MW"),
        ("10⁶ mW", "10⁶ MW"),
    ],
    *[("5 мВт", "5 МВт"), ("5 мм", "5 Мм"), ("5 мА", "5 МА"), ("5 мПа", "5 МПа")],
]
SAME = [
    *[("5 km", "5 KM", "5 Km"), ("5 kg", "5 KG", "5 Kg"), ("5 GeV", "5 gev"), ("5 Hz", "5 hz"), ("100 cm", "100 CM")],
    *[
        ("5 mm", "5 MM", "5 millimetre"),
        ("500 mg", "500 MG"),
        ("2 ml", "2 mL"),
        ("2 ML", "2 Ml"),
        ("500 ml", "500 ML", "500 mL"),
        ("5 MW", "5 megawatt"),
    ],
    *[
        ("3 PM", "3 pm"),
        ("5 Apples", "5 apples"),
        ("the 4 Ps", "the 4 PS"),
        ("5 M", "5 m"),
        ("15 K", "15 k"),
        ("5G", "5g"),
    ],
    *[("PARIS", "Paris"), ("Mg", "MG"), ("Mm", "mm"), ("MS Paint", "ms paint"), ("5 Kilometers", "5 kilometers")],
    *[
        ("5 MW", r"5\,\text{MW}", r"$5~\mathrm{MW}$"),
        ("5 mW/m^2", r"5\,\mathrm{mW/m^2}"),
        ("5 µm", "5 μm"),
        ("5 Nm", "5 N*m"),
    ],
    *[("5 МВт", "5 MW"), ("5 км", "5 КМ"), ("2 mg/ml", "2 mg/mL"), ("100 Mb/s", "100 Mbps"), ("3.5 GPA", "3.5 gpa")],
    *[("16 GB", "16 gb", "16 gB"), ("1 TB", "1 tb"), ("100 Mbps", "100 mbps"), ("100 Pa", "100 pa", "100 PA")],
    *[("5 KB", "5 kb"), ("5 KB", "5 kB", "5 kilobytes"), ("5 Мпа", "5 МПа"), ("5 mhz", "5 MHz"), ("5mhz", "5 mHz")],
    *[("5 mw laser", "5 mW laser"), (r"16\,\text{GB}", "16gb"), ("5 MW and 5 gb", "5 MW and 5 GB"), ("5 MM", "5 Mm")],
    *[
        ("5 MW", "5 megawatts"),
        ("5 mW", "5 milliwatts"),
        ("5 Pa", "5 pascals", "five Pascals"),
        ("5 ms", "5 milliseconds"),
    ],
    *[("5 Gb", "5 gigabits"), ("5 MW", "5-megawatts"), ("5 mm", "5 millimeters", "5 millimetres", "five Millimeter")],
    *[(f"{number}{unit}", f"{number} {unit}") for number in ("5", "2.5", "-5") for unit in "VANWshglmK"],
    *[("10м", "10 м"), ("220В", "220 В"), ("5с", "5 с")],
]
NOT_HANDED_ON = [
    *[("5 mw", "5 MW", "5 mW"), ("16 gb", "16 GB", "16 Gb"), ("2 mpa", "2 MPa", "2 mPa"), ("5 MM", "5 Mm", "5 mm")],
    *[("5 KB", "5 kB", "5 kb"), ("100 mbps", "100 Mbps", "100 MBps")],
]
"""The first is right where either of the others is, which are two."""


@pytest.mark.parametrize("apart", APART)
async def test_case_tells_units_apart_that_it_gives_another_prefix(apart: tuple[str, ...]) -> None:
    for one, other in combinations(apart, 2):
        assert not is_right(one, other), (one, other)
        assert not is_right(other, one), (other, one)
        assert not await are_one_group(one, other), (one, other)
        assert answer_key(QUESTION, one) != answer_key(QUESTION, other)


@pytest.mark.parametrize("texts", NOT_HANDED_ON)
async def test_a_case_that_says_nothing_joins_no_two_units(texts: tuple[str, str, str]) -> None:
    loose, *two = texts
    assert not is_right(two[0], two[1])
    assert not is_right(two[1], two[0])
    for one in two:
        assert is_right(one, loose)
        assert is_right(loose, one)
    for order in permutations(texts):
        said = [Answer(text, text) for text in order]
        told = await Stages().group(QUESTION, said, Team("three", (), grouper=Stages()))
        assert not any(set(two) <= set(group) for group in told.groups)


def test_what_is_rejected_is_rejected_in_its_own_case() -> None:
    case = Case(QUESTION, "5 mW", rejected=("5 MW",))
    assert [match(case, answer).value for answer in ("5 mW", "5 mw", "5 MW")] == [1.0, 1.0, 0.0]


@pytest.mark.parametrize(
    ("one", "other"), [("5V", "5 A"), ("10м", "10 с"), ("5 megawatts", "5 milliwatts"), ("16 gb", "16 MB")]
)
def test_other_units_are_others(one: str, other: str) -> None:
    assert not is_right(one, other)


@pytest.mark.parametrize("same", SAME)
async def test_case_is_no_difference_elsewhere(same: tuple[str, ...]) -> None:
    for one, other in combinations(same, 2):
        assert is_right(one, other), (one, other)
        assert is_right(other, one), (other, one)
        assert await are_one_group(one, other), (one, other)


@pytest.mark.parametrize("text", [text for row in (*APART, *SAME) for text in row])
def test_what_is_read_once_is_read_again_as_it_is(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)
    assert spelled(spelled(text, "en"), "en") == spelled(text, "en")
