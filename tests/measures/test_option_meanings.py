"""Options are known by what their strategy declares them to be for, whatever they are called."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar

import pytest
from installing import bring

import moot
from moot import Case, Question, ScriptedModel, Team, Verdict
from moot.experiment.selected import with_selection
from moot.experiment.spec import read_experiment
from moot.measures.cells import Stored, meanings_in, option_of
from moot.measures.discussion.figures import DiscussedCell, _axes, _compared
from moot.measures.discussion.naming import is_usual, names_of, one_agent, options_of, protocol_of
from moot.strategies.discuss.discuss import Discuss
from moot.strategies.mixture.mixture import Mixture
from moot.strategies.option_meanings import Meaning, meanings_json, meanings_kept, meanings_named, meanings_of
from moot.strategies.traits import Traits
from moot.strategies.vote import Vote


@dataclass(frozen=True)
class Salon:
    """A discussion of somebody else's, with words of its own."""

    name: ClassVar[str] = "salon"

    heads: Annotated[int, Meaning(along="agents", step="head", unit="head")] = 3
    evenings: Annotated[int, Meaning(along="rounds", step="evening", unit="evening")] = 4
    ending: Annotated[str, Meaning("protocol", compared=True, against="toast", comes_with=("wine",))] = "toast"
    manners: Annotated[str | None, Meaning(compared=True, words="{}", unset="good")] = None
    seance: Annotated[bool, Meaning(compared=True, words="in the dark")] = False
    wine: Annotated[str | None, Meaning(detail=True)] = None
    known: Annotated[Mapping[str, float], Meaning("accuracy-values", selection="accuracies")] = field(
        default_factory=dict
    )
    guests: Annotated[tuple[str, ...], Meaning(selection="team")] = ()
    shown_accuracies: str = ""
    """A name that means something elsewhere, and nothing here."""


DEFAULT = {
    "heads": 3,
    "evenings": 4,
    "ending": "toast",
    "manners": None,
    "seance": False,
    "wine": None,
    "known": {},
    "guests": [],
    "shown_accuracies": "",
}


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    bring(monkeypatch, "moot.strategies", {"salon": f"{__name__}:Salon"})


def salon(**given: Any) -> Stored:
    return Stored(
        id=json.dumps(given),
        strategy="salon",
        label="salon",
        team="two",
        captain=None,
        player=None,
        cohort=None,
        spec=json.dumps({"players": [{"name": "ann"}]}),
        given=given,
        options={**DEFAULT, **given},
        traits=Traits(hears="talk"),
    )


def test_rows_are_called_by_what_the_options_say() -> None:
    cells = [salon(heads=1, evenings=1, seance=True), salon(heads=5), salon(manners="bad", wine="red"), salon()]
    rows = names_of(cells)
    assert [rows[cell["id"]]["with"] for cell in cells] == ["ann alone, in the dark", "5 heads", "bad", None]
    assert [one_agent(cell) for cell in cells] == [True, False, False, False]
    assert options_of(salon())["manners"] == "good"
    assert is_usual(salon(manners="good"), "manners")
    assert protocol_of(salon(ending="duel")) == "duel"
    assert option_of(salon(known={"ann": 0.5}), "accuracy-values") == {"ann": 0.5}
    assert option_of(salon(), "order") is None


def test_what_is_compared_and_drawn_is_declared() -> None:
    held = [DiscussedCell(cell, options_of(cell)) for cell in (salon(), salon(heads=5))]
    assert list(_axes(held)) == [("agents", "heads", ("heads",)), ("rounds", "evenings", ("evenings",))]
    assert _compared(held) == [
        ("manners", ("manners",), None),
        ("seance", ("seance",), None),
        ("ending", ("ending", "wine"), "toast"),
    ]


def test_of_a_strategy_that_is_not_here_nothing_is_known() -> None:
    assert meanings_named("nowhere") == {}


@dataclass(frozen=True)
class Soiree(Salon):
    """Given as an object: no package brings it, and no name finds it."""

    name: ClassVar[str] = "soiree"
    traits: ClassVar[Traits] = Traits(prompts=("draft",), drafts="single-call", word="group", hears="talk", groups=True)

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return (replace(team, captain=None),)

    async def play(self, question: Question, team: Team) -> Verdict:
        return await Vote().play(question, team)


def test_what_the_options_of_an_object_are_for_is_kept_with_what_was_played(tmp_path: Path) -> None:
    """So a report made anywhere tells them by their words, and compares what is to be compared."""
    models = {name: ScriptedModel(name, lambda _: {"reasoning": "", "answer": "Rome"}) for name in ("ann", "bob")}
    cases = [Case(Question(str(n), f"Where is {n}?"), "Rome") for n in range(2)]
    played = [Soiree(), Soiree(heads=5), Soiree(manners="bad")]
    keys = {"name": "cup", "models": models, "teams": {"two": {"players": ["ann", "bob"]}}, "questions": cases}
    results = moot.run({**keys, "strategies": played}, store=tmp_path / "cup.db")
    assert meanings_named("soiree") == {}, "nobody finds it by its name"
    rows = [cell for cell in results.frame("cells").to_dicts() if cell["strategy"] == "soiree"]
    (kept,) = {json.dumps(json.loads(row["traits"])["meanings"]) for row in rows}
    assert json.loads(kept)["heads"] == {"along": "agents", "step": "head", "unit": "head"}
    assert list(json.loads(kept)) == list(DEFAULT), "in the order of the class"
    told = moot.report(f"sqlite:///{tmp_path / 'cup.db'}", experiment="cup").figures
    assert [row["with"] for row in told["protocols"]] == [None, "5 heads", "bad"]
    assert {row["part"] for row in told["protocol_differences"]} == {"manners"}
    assert {row["along"] for row in told["scaling"]} == {"agents"}


def test_ours_are_known_wherever_moot_is_and_not_kept() -> None:
    assert meanings_json(Discuss) == {}
    assert meanings_json(Vote) == {}


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        (None, {}),
        ([1], {}),
        ({"a": 5, "b": {}}, {"b": Meaning()}),
        ({"a": {"role": "spy", "unit": 3, "comes_with": "bc", "compared": 1, "later": True}}, {"a": Meaning()}),
        ({"a": {"comes_with": ["b"], "words": "{0.x} of {}"}}, {"a": Meaning(comes_with=("b",), words="{0.x} of {}")}),
    ],
)
def test_what_is_not_as_moot_writes_it_is_left_out(stored: Any, expected: dict[str, Meaning]) -> None:
    assert meanings_kept(stored) == expected
    assert {meaning.told("a", 5) for meaning in expected.values()} <= {"a 5", "{0.x} of 5"}


def test_what_was_kept_goes_before_what_is_installed_now() -> None:
    kept = {"rounds": Meaning(role="order")}
    stored = {"strategy": "discuss", "options": {"rounds": 3}, "meanings": kept}
    assert meanings_in(stored) == kept
    assert option_of(stored, "order") == 3
    assert meanings_in({**stored, "meanings": {}}) == meanings_named("discuss")


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ({"role": "spy"}, "role: expected one of protocol"),
        ({"unit": 3}, "unit: expected a text, found 3"),
        ({"comes_with": "bc"}, "comes_with: expected names of options"),
        ({"compared": 1}, "compared: expected True or False"),
        ({"unset": object()}, "unset: expected a value as JSON has it"),
        ({"against": float("nan")}, "against: expected a value as JSON has it"),
    ],
)
def test_a_meaning_that_could_not_be_kept_is_refused(wrong: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        Meaning(**wrong)


def test_every_meaning_is_read_back_as_it_was() -> None:
    for kind in (Salon, Discuss, Mixture):
        for meaning in meanings_of(kind).values():
            assert Meaning.of_json(json.loads(json.dumps(meaning.json()))) == meaning


def test_a_selection_fills_the_options_that_say_so(tmp_path: Path) -> None:
    (tmp_path / "chosen.json").write_text(
        json.dumps([{"team": ["ann"], "accuracies": {"ann": 0.7}, "chosen_on": ["d1"]}])
    )
    (tmp_path / "cup.yaml").write_text(
        "name: cup\nmodels: {ann: {provider: simulated, accuracy: 0.5}}\nquestions: {builtin: facts-en, sample: 1}\n"
    )
    file = read_experiment(tmp_path / "cup.yaml")
    filled = with_selection(file, "salon", {"known": "chosen.json", "heads": 2})
    assert filled == {"known": {"ann": 0.7}, "guests": ["ann"], "heads": 2}
    given = {"known": "chosen.json", "guests": ["bob"]}
    assert with_selection(file, "salon", given) == {"known": {"ann": 0.7}, "guests": ["bob"]}
    elsewhere = {"shown_accuracies": "chosen.json"}
    assert with_selection(file, "salon", elsewhere) == elsewhere
    assert with_selection(file, "nowhere", elsewhere) == elsewhere
    filled = with_selection(file, "mixture", {"shown-accuracies": "chosen.json"})
    assert filled == {"shown-accuracies": {"ann": 0.7}, "proposers": ["ann"]}
