"""Options: whatever a file or a program says is taken as it was meant, or refused with what was expected."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, cast

import pytest
from annotated_types import Ge, Gt, Le, Lt
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from installing import bring

from moot.errors import FileError, UsageError
from moot.experiment.build import build
from moot.experiment.spec import read_experiment
from moot.strategies import Strategy, label, registered, strategy, strategy_class
from moot.strategies.captaincy import Captained
from moot.strategies.debate.debate import Debate
from moot.strategies.discuss.discuss import Discuss
from moot.strategies.mixture.mixture import Mixture
from moot.strategies.option_values import OptionError, built, checked_object, option_json, option_value
from moot.strategies.peer_review.peer_review import PeerReview
from moot.strategies.solo import Solo
from moot.strategies.vote import Vote
from moot.team import Team
from moot.types import Question, Verdict

WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("vote", {"early_stop": "false"}, "early_stop: expected true or false, found 'false'"),
    ("vote", {"early_stop": "no"}, "early_stop: expected true or false, found 'no'"),
    ("vote", {"early_stop": 1}, "early_stop: expected true or false, found 1"),
    ("vote", {"early_stop": 0}, "early_stop: expected true or false, found 0"),
    ("vote", {"early_stop": None}, "early_stop: expected true or false, found nothing"),
    ("adaptive", {"talk_from": "3"}, "talk_from: expected a whole number from 1 on, found '3'"),
    ("adaptive", {"talk_from": 3.0}, "talk_from: expected a whole number from 1 on, found 3.0"),
    ("adaptive", {"talk_from": 2.5}, "talk_from: expected a whole number from 1 on, found 2.5"),
    ("adaptive", {"talk_from": True}, "talk_from: expected a whole number from 1 on, found true"),
    ("adaptive", {"talk_from": 0}, "talk_from: expected a whole number from 1 on, found 0"),
    ("adaptive", {"talk-from": 0}, "talk-from: expected a whole number from 1 on, found 0"),
    ("debate", {"grace_s": float("nan")}, "grace_s: expected a number from 0 on, and a finite one, found nan"),
    ("debate", {"grace_s": float("inf")}, "grace_s: expected a number from 0 on, and a finite one, found inf"),
    ("debate", {"grace_s": "1"}, "grace_s: expected a number from 0 on, found '1'"),
    ("debate", {"grace_s": True}, "grace_s: expected a number from 0 on, found true"),
    (
        "mixture",
        {"temperature": float("nan")},
        "temperature: expected a number from 0 to 2, and a finite one, found nan",
    ),
    ("mixture", {"temperature": float("-inf")}, "temperature: expected a number from 0 to 2, and a finite one"),
    ("mixture", {"temperature": 2.1}, "temperature: expected a number from 0 to 2, found 2.1"),
    ("debate", {"drafts": "doubel-call"}, "found 'doubel-call'; did you mean 'double-call'?"),
    ("discuss", {"paradigm": "memry"}, "debate or collective-refinement, found 'memry'; did you mean 'memory'?"),
    ("discuss", {"personas": "experts"}, "personas: expected expert, none, keys and values (a whole number each) or"),
    ("discuss", {"personas": {"neutral": "1"}}, "personas: 'neutral': expected a whole number, found '1'"),
    ("mixture", {"proposers": "ann"}, "proposers: expected a list (a text each), found 'ann'"),
    ("mixture", {"proposers": ["ann", 3]}, "proposers: item 2: expected a text, found 3"),
    ("mixture", {"shown_accuracies": {"ann": "0.5"}}, "'ann': expected a number from 0 to 1, found '0.5'"),
    ("mixture", {"shown_accuracies": {"ann": 0.5, "bob": 70}}, "'bob': expected a number from 0 to 1, found 70"),
    ("mixture", {"shown_accuracies": {3: 0.5}}, "found the key 3, which is no text"),
    ("mixture", {"summariser": ["sue"]}, "summariser: expected a text, found a list"),
    ("silent", {"captain": Path("ann")}, "captain: expected a text, found"),
    ("adaptive", {"talk_fro": 3}, "has no option 'talk_fro'; expected captain, talk_from; did you mean 'talk_from'?"),
    ("talkative", {"reasons": True}, "strategy 'talkative' has no option 'reasons'; expected captain"),
    ("solo", {3: True}, "strategy 'solo' has no option 3"),
]


@pytest.mark.parametrize(("name", "options", "words"), WRONG, ids=[f"{name} {options}" for name, options, _ in WRONG])
def test_refused_with_what_was_expected(name: str, options: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError, match=re.escape(words)) as raised:
        strategy(name, options)
    (key,) = options
    assert raised.value.option == str(key), "so that a file's line can be named"


def test_a_file_says_where(tmp_path: Path) -> None:
    path = tmp_path / "cup.yaml"
    path.write_text(
        """name: cup
questions: {builtin: facts-en, sample: 2}
models: {ann: {provider: simulated, accuracy: 0.5}}
strategies:
  - solo
  - vote:
      captain: ann
      early_stop: "false"
"""
    )
    with pytest.raises(FileError) as raised:
        build(read_experiment(path))
    assert f"{path}:8: strategies.1.vote.early_stop: expected true or false, found 'false'" in str(raised.value)


def test_taken_in_their_form() -> None:
    mixture = strategy("mixture", {"proposers": ["ann", "bob"], "shown_accuracies": {"ann": 1, "bob": 0.5}})
    assert isinstance(mixture, Mixture)
    assert (mixture.proposers, mixture.shown_accuracies) == (("ann", "bob"), {"ann": 1.0, "bob": 0.5})
    debate = strategy("debate", {"grace_s": 30, "max-rounds": 2})
    assert isinstance(debate, Debate)
    assert (debate.grace_s, type(debate.grace_s), debate.max_rounds) == (30.0, float, 2)
    assert option_json(debate)["given"] == {"grace_s": 30.0, "max_rounds": 2}
    large = strategy("adaptive", {"talk_from": 2**63 - 1})
    assert label(large) == f"adaptive(talk_from={2**63 - 1})"


def test_what_must_hold_between_options_is_the_strategy_s_word() -> None:
    with pytest.raises(UsageError, match="proposers: 'ann' stands twice"):
        strategy("mixture", {"proposers": ["ann", "ann"]})


# --- of a plug-in -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Panel:
    """As somebody else would write it."""

    name: ClassVar[str] = "panel"

    size: Annotated[int, Gt(0), Le(9)]
    mood: Literal["mild", "strict"] = "mild"
    weights: Mapping[str, Annotated[float, Ge(0), Lt(1)]] = field(default_factory=dict)
    seats: tuple[str, ...] = ()
    note: str | None = "none so far"
    open: bool = True

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return (team,)

    async def play(self, question: Question, team: Team) -> Verdict:
        raise NotImplementedError


@pytest.fixture(name="_plugged_in")
def _plugged_in(monkeypatch: pytest.MonkeyPatch) -> None:
    bring(monkeypatch, "moot.strategies", {"panel": f"{__name__}:Panel"})


@pytest.mark.usefixtures("_plugged_in")
@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "strategy 'panel' needs the option 'size'; expected a whole number above 0 up to 9"),
        ({"size": 10}, "size: expected a whole number above 0 up to 9, found 10"),
        ({"size": "3"}, "size: expected a whole number above 0 up to 9, found '3'"),
        ({"size": 3, "mood": "stritc"}, "mood: expected mild or strict, found 'stritc'; did you mean 'strict'?"),
        ({"size": 3, "weights": {"a": 1}}, "weights: 'a': expected a number from 0 on below 1, found 1"),
        ({"size": 3, "open": "yes"}, "open: expected true or false, found 'yes'"),
        ({"size": 3, "seat": ["a"]}, "has no option 'seat'"),
    ],
)
def test_a_plug_in_is_checked_alike(options: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError, match=re.escape(words)):
        strategy("panel", options)


def test_types_that_nobody_can_know_are_named() -> None:
    @dataclass(frozen=True)
    class Strange:
        name: ClassVar[str] = "strange"
        size: Nowhere = 3  # type: ignore[name-defined]  # noqa: F821

    @dataclass(frozen=True)
    class Callback:
        name: ClassVar[str] = "callback"
        traits: ClassVar[Unheard]  # type: ignore[name-defined]  # noqa: F821
        team: Team | None = None
        size: int = 1

    with pytest.raises(OptionError, match="size: its type 'Nowhere' cannot be read"):
        built(Strange, {"size": 3}, named="strange")
    with pytest.raises(OptionError, match="team: nothing that a file can say is a Team"):
        built(Callback, {"size": 3}, named="callback")
    with pytest.raises(OptionError, match="is no dataclass"):
        built(int, {}, named="int")


# --- of an object -----------------------------------------------------------------------------------------------------


OBJECTS: list[tuple[Any, str]] = [
    (Vote(early_stop="false"), "early_stop: expected true or false, found 'false'"),  # type: ignore[arg-type]
    (Vote(early_stop=1), "early_stop: expected true or false, found 1"),  # type: ignore[arg-type]
    (Vote(captain=3), "captain: expected a text, found 3"),  # type: ignore[arg-type]
    (Debate(grace_s=float("nan")), "grace_s: expected a number from 0 on, and a finite one, found nan"),
    (Debate(max_rounds=0), "max_rounds: expected a whole number from 1 on, found 0"),
    (Solo("triple-call"), "drafts: expected single-call or double-call, found 'triple-call'"),  # type: ignore[arg-type]
    (Mixture(repeats=0), "repeats: expected a whole number from 1 on, found 0"),
    (Mixture(shown_accuracies={"ann": 70}), "shown_accuracies: 'ann': expected a number from 0 to 1, found 70"),
    (Panel("3"), "size: expected a whole number above 0 up to 9, found '3'"),  # type: ignore[arg-type]
    (Panel(3, seats=(1,)), "seats: item 1: expected a text, found 1"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("made", "words"), OBJECTS, ids=[words for _, words in OBJECTS])
def test_an_object_is_checked_like_a_file(made: Any, words: str) -> None:
    with pytest.raises(OptionError, match=re.escape(words)):
        checked_object(made)


def test_an_object_comes_back_in_form() -> None:
    for made in (Vote(), Mixture(shown_accuracies={"ann": 0.5}), Discuss(personas=("a", "b", "c")), Panel(3)):
        assert checked_object(made) is made
    listed = checked_object(Panel(3, seats=["a"]))  # type: ignore[arg-type]
    assert listed == Panel(3, seats=("a",))
    assert type(checked_object(Debate(grace_s=3)).grace_s) is float

    class Loose:
        name = "loose"

    with pytest.raises(OptionError, match="strategy 'loose' is no dataclass"):
        checked_object(Loose())


@pytest.mark.parametrize("name", registered())
def test_every_strategy_as_it_comes_is_in_form(name: str) -> None:
    made = strategy(name)
    assert checked_object(made) is made


def test_common_options_are_declared_once() -> None:
    captained = [
        kind for kind in map(strategy_class, registered()) if "captain" in [each.name for each in fields(kind)]
    ]
    assert len(captained) == 11
    assert all(issubclass(kind, Captained) and "captain" not in vars(kind)["__annotations__"] for kind in captained)


# --- labels -----------------------------------------------------------------------------------------------------------

AWKWARD = st.lists(st.sampled_from([*"ab,=()[]{}'\"\\ \n\r#:", "True", "None", "3", ", open=False"]), max_size=5).map(
    "".join
)
PANELS = st.builds(
    Panel,
    size=st.integers(1, 9),
    mood=st.sampled_from(["mild", "strict"]),
    weights=st.dictionaries(AWKWARD, st.floats(0, 0.9), max_size=2),
    seats=st.lists(AWKWARD, max_size=3).map(tuple),
    note=st.none() | AWKWARD,
    open=st.booleans(),
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # no test depends on a quiet machine
@given(PANELS, PANELS)
def test_what_differs_has_another_label(one: Panel, other: Panel) -> None:
    assert (label(one) == label(other)) == (one == other)
    assert "\n" not in label(one)


@given(AWKWARD, AWKWARD)
def test_a_text_is_never_mistaken_for_another_option(one: str, other: str) -> None:
    made = [Discuss(decision="judge", judge=f"x{one}"), Discuss(decision="judge", judge=f"x{other}")]
    assert (label(made[0]) == label(made[1])) == (one == other)
    assert label(Panel(3, note=one)) != label(Panel(3, note=None))


def test_labels_stay_as_they_were() -> None:
    """Results are kept under them: what was played under an older version is found again."""
    assert label(Vote(captain="ann")) == "vote"
    assert label(Vote(early_stop=True)) == "vote(early_stop=True)"
    assert label(strategy("debate", {"grace_s": 30, "max_rounds": 2})) == "debate(max_rounds=2, grace_s=30)"
    assert label(Mixture()) == "mixture"
    assert label(Mixture(temperature=None, proposers=("a", "b"))) == "mixture(proposers=('a', 'b'), temperature=None)"
    assert label(PeerReview(names="shown")) == "peer-review(names=shown)"
    planted = {"personas": {"neutral": 1}, "challenge": "wrong", "planted_by": "gpt-4.1/mini:x"}
    assert label(strategy("discuss", planted)) == (
        "discuss(personas={'neutral': 1}, challenge=wrong, planted_by=gpt-4.1/mini:x)"
    )
    assert label(Discuss(decision="judge", judge="a, judge=b")) == 'discuss(decision=judge, judge="a, judge=b")'


def test_an_option_called_captain_that_names_none_is_in_the_label() -> None:
    """Two ways of playing must not become one cell because of what their option is called."""

    @dataclass(frozen=True, slots=True)
    class Tone:
        name: ClassVar[str] = "tone"
        captain: str = "gentle"

    assert label(cast(Strategy, Tone("strict"))) == "tone(captain=strict)"
    assert label(Vote(captain="ann")) == "vote"


def test_what_json_does_not_have_is_found_inside_of_lists_too() -> None:
    with pytest.raises(OptionError, match="personas"):
        built(Discuss, {"personas": [{1: 2}, "b", "c"]}, named="strategy 'discuss'")
    with pytest.raises(OptionError, match="personas"):
        built(Discuss, {"personas": [object(), "b", "c"]}, named="strategy 'discuss'")


def test_a_value_equal_to_its_default_is_not_given() -> None:
    @dataclass(frozen=True)
    class Several:
        words: tuple[str, ...] = ("to be", "or not")
        steps: Mapping[str, int] = field(default_factory=lambda: {"one": 1})

    same = built(Several, {"words": ["to be", "or not"], "steps": {"one": 1}}, named="several")
    assert same.words is not Several.words, "equal, and another object"
    assert option_json(same) == {"given": {}, "default": {"words": ["to be", "or not"], "steps": {"one": 1}}}
    assert option_json(Several(("to be",))) == {"given": {"words": ["to be"]}, "default": {"steps": {"one": 1}}}


@dataclass(frozen=True)
class Wide:
    name: ClassVar[str] = "wide"
    times: int | str = 1
    known_to_checkers: ClassVar[NobodyKnows]  # type: ignore[name-defined]  # noqa: F821


@dataclass(frozen=True)
class Narrow(Wide):
    times: int = 1


def test_the_type_of_an_option_is_that_of_the_class_itself() -> None:
    assert option_value(Wide, "times", "often") == "often"
    with pytest.raises(OptionError, match="times: expected"):
        option_value(Narrow, "times", "often")
