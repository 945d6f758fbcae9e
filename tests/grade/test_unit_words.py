"""Units in words are their symbols, whatever the prefix; and a unit is no other one because it is written out."""

from __future__ import annotations

from itertools import combinations, permutations

import pytest

from moot.grade.group import Stages
from moot.grade.match import match
from moot.grade.unit_symbols import PREFIXES, UNITS
from moot.team import Team
from moot.types import Answer, Case, Question

SAME = [
    *[("10 kg", "10 kilograms", "10 kilogram", "ten kilograms")],
    *[("5 V", "5 volts", "5 volt", "five volts", "5V", "5 v"), ("5 km", "5 kilometers", "5 kilometres", "5 KM")],
    *[("2 L", "2 litres", "2 liters", "2 l"), ("5 m", "5 metres", "5 meters"), ("5 s", "5 seconds", "5 sec")],
    *[("20 seconds", "twenty seconds", "20 s"), ("10 min", "10 minutes"), ("2 h", "2 hours", "2 hrs", "2 hr")],
    *[("3 ft", "3 feet"), ("10 miles", "10 mi"), ("300 K", "300 kelvin"), ("12 Ω", "12 ohms", "12 ohm")],
    *[("5 m/s", "5 meters per second", "5 metres/second", "5m/s"), ("9.8 m/s^2", "9.8 meters per second squared")],
    *[("60 km/h", "60 kilometers per hour", "60 km per hour"), ("60 mph", "60 miles per hour")],
    *[("5 kWh", "5 kilowatt-hours", "5 kilowatt hours"), ("5 MWh", "5 megawatt hours"), ("100 dB", "100 decibels")],
    *[("5 mF", "5 millifarads"), ("16 bytes", "16 B"), ("16 bits", "16 b"), ("5 tesla", "5 teslas", "5 T")],
    *[("3 A", "3 amperes", "3 amps"), ("5 W", "5 watts"), ("5 J", "5 joules"), ("5 N", "5 newtons")],
    *[("5 Pa", "5 pascals"), ("5 Hz", "5 hertz"), ("5 g", "5 grams"), ("5 mm/s", "5 millimetres per second")],
    ("7.87 g/cm³", "7.87 g/cm^3", "7.87 g/cm3", r"$7.87\ \mathrm{g/cm^3}$", r"7.87\,\text{g/cm}^{3}"),
    ("1 g/cm³", "1 gram per cubic centimetre", "1 g per cubic centimeter", r"$1\ \mathrm{g}/\mathrm{cm}^{3}$"),
    *[("1000 kg/m³", "1000 kg/m^3", "1000 kg / m3", r"\(1000\;\mathrm{kg/m^{3}}\)"), ("5 mol/dm³", "5 mol/dm^3")],
    *[("2 rad/s²", "2 rad/s^2", "2 radians per second squared"), ("9.8 m/s²", "9.8 m/s^2", "9.8 m/s2")],
    *[("5 W/m²", "5 W/m^2", "5 watts per square metre"), ("10 m²", "10 m^2", "10 square meters", "10 sq m")],
    *[("5 m³/s", "5 m^3/s", "5 cubic metres per second"), ("5 cm³", "5 cm^3", "5 cubic centimeters")],
    *[("$5 million", "US$5 million", "5 million USD"), ("5 USD", "$5", "5 dollars"), ("5 EUR", "€5", "5 euros")],
    *[("USD 10", "10 USD", "$10", "10 US dollars", "10 U.S. dollars"), ("EUR 10", "€10", "10 EUR"), ("USD 5m", "$5m")],
    *[("A$5 million", "AU$5,000,000", "A$5m", "a$5 million"), ("-USD 5", "-$5"), ("RUB 5", "5 ₽")],
    *[("10 MB/s", "10 megabytes per second"), ("5 KB", "5 kilobytes"), ("300K", "300 kelvin", "300 K")],
    *[("2.7K", "2.7 kelvin"), ("2.725K", "2.725 kelvins"), ("**1000K**", "1000 kelvin")],
]
RUSSIAN = [
    *[("5 МВт", "5 мегаватт", "5 мегаватта", "пять мегаватт")],
    *[("5 кг", "5 килограмм", "5 килограммов", "пять килограммов"), ("5 м", "5 метров", "5 метра"), ("5 В", "5 вольт")],
    *[("10 км", "10 километров"), ("5 м/с", "5 метров в секунду"), ("60 км/ч", "60 километров в час")],
    *[("2 ч", "2 часа"), ("10 мин", "10 минут"), ("20 с", "двадцать секунд", "20 секунд"), ("5 л", "5 литров")],
    *[("100 г", "сто граммов", "100 грамм"), ("5 Гц", "5 герц"), ("5 мА", "5 миллиампер")],
    *[("5 кВтч", "5 киловатт-часов"), ("8 ГБ", "8 гигабайт", "8 Гбайт", "8 GB"), ("8 МБ", "8 мегабайт", "8 Мбайт")],
    *[("1 ТБ", "1 терабайт"), ("10 КБ", "10 килобайт", "10 Кбайт"), ("5 р.", "5 рублей", "5 руб.")],
    *[("5 долларов США", "$5", "пять долларов", "USD 5", "5 долларах США"), ("EUR 5", "5 евро")],
    *[("1812", "1812 год"), ("1812", "1812 г.", "в 1812 году"), ("1812 год", "1812 г")],
    *[("1500 г.", "1500 г"), ("1500", "1500 г.", "в 1500 г"), ("в 1500 году", "1500 г"), ("1500 г", "1500 граммов")],
    *[("9,8 м/с²", "9,8 м/с^2", "9.8 м/с²", "9,8 метра в секунду в квадрате", "9.8 m/s²"), ("5 Вт/м²", "5 Вт/м^2")],
    *[("1000 кг/м³", "1000 кг/м^3", "1000 килограммов на кубический метр"), ("1 г/см³", "1 г/см^3", "1 g/cm³")],
    *[("10 м²", "10 м^2", "10 кв. м", "10 квадратных метров"), ("5 м³", "5 куб. м", "5 кубических метров")],
    ("25 °C", "25°С", "25 °С", "25 градусов по Цельсию", "25 градусов Цельсия", "25 градусов С", "25 degrees Celsius"),
    *[("-273 °C", "минус 273 градуса по Цельсию", "−273 °С"), ("100 °С", "сто градусов Цельсия")],
    ("77 °F", "77 градусов Фаренгейта", "77 градусов по Фаренгейту", "семьдесят семь градусов Фаренгейта"),
]
APART = [
    *[("5 bytes", "5 bits"), ("5 bytes", "5 b"), ("5 bits", "5 B"), ("5 metres", "5 M"), ("5 metres", "5 million")],
    *[("5 tonnes", "5 T"), ("5 tesla", "5 t"), ("5 milliwatts", "5 MW"), ("5 kg", "5 g"), ("twenty-second", "20 s")],
    *[("twenty second", "20 s"), ("22nd", "20 seconds"), ("5 megabytes", "5 Mb"), ("5 metres", "5 km")],
    *[("5 m/s", "5 metres"), ("5 siemens", "5 s"), ("5 seconds", "5 S"), ("5 hours", "5 H"), ("5 minutes", "5 m")],
    *[("5 farads", "5 f"), ("7B", "7 bytes"), ("4K", "4 kelvin"), ("70B", "70 bytes"), ("**4K**", "4 kelvins")],
    *[("8K", "8 kelvin"), ("4К", "4 кельвина"), ("70K", "70 kelvin"), ("300B", "300 bytes"), ("300K", "300 thousand")],
    *[("USD 10", "EUR 10"), ("USD 10", "10 Canadian dollars"), ("10 US dollars", "C$10"), ("10 долларов США", "€10")],
    *[("1500 г", "1500"), ("1500 г", "1500 лет"), ("1500 г", "1501 год")],
    *[("7.87 g/cm³", "7.87 g/cm²"), ("7.87 g/cm³", "7.87 g/cm"), ("7.87 g/cm^3", "7.87 kg/m^3"), ("5 m²", "5 m³")],
    *[
        ("5 m^2", "5 m"),
        ("5 square metres", "5 cubic metres"),
        ("5 m/s²", "5 m/s³"),
        ("5 m²/s", "5 m/s²"),
        ("5 m2", "52 m"),
    ],
    *[("9 g/cm3", "9 g/cm 3"), ("5 m/s/s", "5 m/s"), ("5 square metres", "5 metres"), ("5 dollars squared", "$5")],
    *[("1812 год", "1813"), ("1812 лет", "1812"), ("12", "12 год"), ("8 ГБ", "8 Гбит"), ("8 ГБ", "8 МБ")],
    *[("5 с", "5°С"), ("5 с", "5 °с"), ("25 °С", "25 °F"), ("25 градусов по Цельсию", "25 градусов по Фаренгейту")],
    *[("25 градусов", "25 градусов по Цельсию"), ("25 градусов с", "25 градусов Цельсия")],
]

BOTH = [*(("en", row) for row in SAME), *(("ru", row) for row in RUSSIAN)]


def is_right(reference: str, answer: str, language: str = "en") -> bool:
    return match(Case(Question("q", "?", language=language), reference), answer).value == 1.0


async def groups(language: str, *texts: str) -> int:
    said = [Answer(f"p{place}", text) for place, text in enumerate(texts)]
    return len(
        (await Stages().group(Question("q", "?", language=language), said, Team("t", (), grouper=Stages()))).groups
    )


@pytest.mark.parametrize(("language", "spellings"), BOTH)
async def test_a_unit_in_words_is_its_symbol(language: str, spellings: tuple[str, ...]) -> None:
    assert [pair for pair in permutations(spellings, 2) if not is_right(*pair, language)] == []
    assert [pair for pair in combinations(spellings, 2) if await groups(language, *pair) != 1] == []


@pytest.mark.parametrize(("one", "other"), APART)
async def test_it_is_no_other_unit(one: str, other: str) -> None:
    assert not is_right(one, other)
    assert not is_right(other, one)
    assert await groups("en", one, other) == 2


async def test_a_vote_on_a_year_holds_no_grams() -> None:
    assert await groups("ru", "1500 г.", "1500") == 1
    assert await groups("ru", "1500 г.", "1500 г", "1500") > 1
    assert await groups("ru", "1500 год", "1500 граммов", "1500 г") > 1


async def test_a_vote_on_a_letter_holds_nothing_that_is_graded_apart() -> None:
    assert await groups("en", "5 B", "5 bytes", "5 bits") == 2
    assert await groups("en", "5 m", "5 metres") == 1


@pytest.mark.parametrize("symbol", UNITS)
def test_no_prefix_is_another_for_its_case(symbol: str) -> None:
    """But for K, which is met with as much as k."""
    spelt = [(f"{prefix}{symbol}", PREFIXES.get(prefix, "kilo")) for prefix in UNITS[symbol][1]]
    taken = [
        (one, other)
        for (one, prefix), (other, another) in permutations(spelt, 2)
        if prefix != another and is_right(f"5 {one}", f"5 {other}")
    ]
    assert taken == []


@pytest.mark.parametrize(
    ("one", "other"), [("16 GiB", "16 Gib"), ("4 MiB/s", "4 Mib/s"), ("8 KiB", "8 Kib"), ("5 mohm", "5 Mohm")]
)
def test_bits_are_no_bytes_with_binary_prefixes_either(one: str, other: str) -> None:
    assert not is_right(one, other)
    assert not is_right(other, one)
    assert is_right(one, one.lower()) or "ohm" in one
