"""cascade at the table: who is asked, when it ends and why, what the last stage is given, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from answering_worlds import answers
from graded_lessons import DOMINATED, NAMES, QUESTION, lessons_of

from moot.decide.asking_order import cheapest_first
from moot.decide.cascade import Cascade
from moot.decide.learnt import LearntVote
from moot.errors import ConnectionFailed, UsageError
from moot.models.model import Wrapper
from moot.models.recorded import RecordedModel
from moot.models.scripted import Script, ScriptedModel
from moot.strategies import label, served, strategy, traits_of
from moot.strategies.option_values import OptionError, option_json
from moot.team import Lesson, Player, Team
from moot.testing import check_strategy
from moot.traces import Cascaded, DecidedByRule, NotNeeded, of_kind
from moot.types import Price, Question, Request, Verdict

ALIKE = lessons_of(answers((0.6, 0.6, 0.6, 0.6), 60, choices=4, seed=1))


def seated(
    words: Sequence[str | None],
    lessons: tuple[Lesson, ...] = (),
    prices: Sequence[Price | None] = (),
    captain: str | None = None,
) -> Team:
    def script(name: str, word: str | None, price: Price | None) -> ScriptedModel:
        def reply(request: Request) -> Script:
            return ConnectionFailed("away") if word is None else {"reasoning": f"{name} says so.", "answer": word}

        return ScriptedModel(f"model of {name}", reply, price=price)

    asked = prices or [Price(0, 0)] * len(words)
    players = tuple(
        Player(name, script(name, word, price)) for name, word, price in zip(NAMES, words, asked, strict=False)
    )
    return Team("four", players, captain=captain, lessons=lessons).seated()


async def path(played: Cascade, team: Team, question: Question = QUESTION) -> tuple[Verdict, Cascaded]:
    verdict = await played.play(question, team)
    (record,) = of_kind(verdict.traces, Cascaded)
    asked = [name for wave in record.asked for name in wave]
    assert sorted({call.player for call in team.journal}) == sorted(asked)
    unasked = [name for name in NAMES if name not in asked]
    assert [name for dropped in of_kind(verdict.traces, NotNeeded) for name in dropped.players] == unasked
    assert [draft.player for draft in verdict.answers] == list(NAMES)
    return verdict, record


async def test_it_stops_once_the_rest_cannot_change_the_vote() -> None:
    given = Cascade(order=("dan", "bob", "ann", "cat"))
    verdict, record = await path(given, seated(["B", "B", "C", "B"]))
    assert (verdict.answer, verdict.who) == ("B", ("ann", "bob", "dan"))
    assert record == Cascaded((("dan",), ("bob",), ("ann",)), "decided", order="in the order that is given")
    _, record = await path(given, seated(["B", "A", "C", "D"]))
    assert record.asked == (("dan",), ("bob",), ("ann",), ("cat",))
    assert record.stopped == "everybody"


async def test_in_waves() -> None:
    _, record = await path(Cascade(order=NAMES, wave=3), seated(["B", "B", "B", "C"]))
    assert record.asked == (("ann", "bob", "cat"),)


async def test_a_silent_one_was_asked_and_is_absent() -> None:
    verdict, record = await path(Cascade(order=NAMES), seated([None, "B", "B", "B"]))
    assert record.asked == (("ann",), ("bob",), ("cat",))
    assert (verdict.answer, verdict.absent) == ("B", ("ann",))
    nothing, record = await path(Cascade(order=NAMES), seated([None] * 4))
    assert (nothing.answer, nothing.outcome, record.stopped) == (None, "failed", "everybody")


async def test_cheapest_first() -> None:
    prices = [Price(9, 9), Price(1, 3), Price(2, 1), Price(0, 0)]
    _, record = await path(Cascade(order="cheapest"), seated(["B", "B", "B", "B"], prices=prices))
    assert record.asked == (("dan",), ("cat",), ("bob",))
    assert record.order == "the cheapest first"


def of_recordings(
    folder: Path,
    costs: Sequence[float | None],
    prices: Sequence[Price | None] = (None,) * 4,
    tokens: Sequence[int | None] = (None,) * 4,
) -> Team:
    """Whose replies took this, each the half of it and one and a half of it."""
    path = folder / "replies.jsonl"
    rows = [
        {
            "model": name,
            "question_id": f"q{number}",
            "answer": "B",
            "cost_usd": cost and cost * (number + 0.5),
            "completion_tokens": written and written + number,
        }
        for name, cost, written in zip(NAMES, costs, tokens, strict=True)
        for number in range(2)
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    models = [RecordedModel(name, file=path, model=name, then=price) for name, price in zip(NAMES, prices, strict=True)]
    return Team("four", tuple(Player(name, Wrapper(model)) for name, model in zip(NAMES, models, strict=True)))


def test_cheapest_first_by_what_recorded_replies_cost(tmp_path: Path) -> None:
    assert cheapest_first(of_recordings(tmp_path, [0.3, 0.1, 0.2, 0.0])) == ["dan", "bob", "cat", "ann"]
    listed = [Price(1, 1), Price(2, 2), Price(0, 0), Price(3, 3)]
    assert cheapest_first(of_recordings(tmp_path, [None] * 4, listed)) == ["cat", "ann", "bob", "dan"]


FEW_TOKENS = (40, 30, 20, 10)


@pytest.mark.parametrize(
    ("costs", "tokens", "order", "words"),
    [
        (
            [0.3, 0.0, 0.0, 0.1],
            FEW_TOKENS,
            "cat bob dan ann",
            "the cheapest first, of equals whoever writes fewest tokens",
        ),
        ([0.3, 0.0, 0.0, 0.1], (1, 2, None, 3), "bob cat dan ann", "the cheapest first, of equals whoever sits first"),
        ([0.0] * 4, FEW_TOKENS, "dan cat bob ann", "all cost nothing, so whoever writes fewest tokens first"),
        ([0.0] * 4, (None,) * 4, "ann bob cat dan", "all cost nothing, so in the order of the seats"),
        ([0.1] * 4, FEW_TOKENS, "dan cat bob ann", "all cost the same, so whoever writes fewest tokens first"),
    ],
)
def test_of_equally_cheap_ones_it_is_said_who_comes_first(
    costs: list[float | None], tokens: tuple[int | None, ...], order: str, words: str, tmp_path: Path
) -> None:
    team = of_recordings(tmp_path, costs, tokens=tokens)
    assert cheapest_first(team) == order.split()
    assert Cascade(order="cheapest").asking(team).why_order == words
    learning = Cascade(order="cheapest", until=0.8)
    assert learning.asking(replace(team, lessons=ALIKE)).why_order == words
    assert learning.asking(team).why_order == words, "also where nothing can be learnt"


async def test_who_is_known_to_cost_nothing_comes_first_on_whichever_scale(tmp_path: Path) -> None:
    """Models in this process have the price 0/0, beside recordings whose replies had a cost."""
    recorded = of_recordings(tmp_path, [0.3, 0.1, 0.2, 0.4])
    local = seated(["B"] * 4)
    mixed = replace(recorded, players=(*recorded.players[:3], local.players[3]))
    assert cheapest_first(mixed) == ["dan", "bob", "cat", "ann"]
    priced = seated(["B"] * 4, prices=[Price(9, 9), Price(0, 0), Price(2, 1), Price(0, 0)])
    _, record = await path(Cascade(order="cheapest"), priced)
    assert record.asked[:2] == (("bob",), ("dan",))
    assert record.order == "the cheapest first, of equals whoever sits first"


def test_what_is_known_of_some_replies_alone_is_not_known(tmp_path: Path) -> None:
    team = of_recordings(tmp_path, [0.1] * 4)
    lines = (tmp_path / "replies.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    rows[2]["cost_usd"] = None
    (tmp_path / "half.jsonl").write_text("\n".join(map(json.dumps, rows)))
    half = [RecordedModel(name, file=tmp_path / "half.jsonl", model=name) for name in NAMES]
    seats = tuple(Player(model.name, Wrapper(model)) for model in half)
    problem = (
        "order: cheapest: what bob costs is not known of all its recorded replies to these questions "
        "\\(it is of 1\\); expected a price"
    )
    with pytest.raises(UsageError, match=problem):
        cheapest_first(replace(team, players=seats))


@pytest.mark.parametrize(
    ("costs", "prices", "problem"),
    [
        (
            [0.1, None, 0.1, 0.1],
            [None] * 4,
            "what bob costs is not known; expected a price, .*, or cost_usd in its recorded",
        ),
        (
            [None] * 4,
            [None] * 4,
            "what ann costs is not known; expected a price, .*, or cost_usd in its recorded replies",
        ),
        (
            [0.1, None, 0.1, 0.1],
            [Price(1, 1)] * 3 + [None],
            "what dan costs is known by its recorded replies, and what ann",
        ),
    ],
)
def test_what_nobody_knows_is_no_order(
    costs: list[float | None], prices: list[Price | None], problem: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=f"order: cheapest: {problem}"):
        cheapest_first(of_recordings(tmp_path, costs, prices))


async def test_learnt_takes_what_learnt_takes_and_asks_fewer() -> None:
    """Also where what was learnt did not stand, and the best or the vote decides."""
    draw = np.random.default_rng(3)
    calls = 0
    for lessons in (DOMINATED, ALIKE, lessons_of(answers((0.8, 0.7, 0.5, 0.2), 300, choices=6, silent=0.1, seed=5))):
        for number in range(12):
            words = [None if draw.random() < 0.1 else "ABCD"[draw.integers(3)] for _ in NAMES]
            question = replace(QUESTION, id=f"q{number}")
            verdict, record = await path(Cascade(captain="bob"), seated(words, lessons, captain="bob"), question)
            whole = await LearntVote().play(question, seated(words, lessons, captain="bob"))
            assert (verdict.answer, verdict.outcome) == (whole.answer, whole.outcome)
            calls += len(record.asked)
    assert calls < 0.75 * 36 * 4


async def test_sure_enough() -> None:
    played = Cascade(order="best", until=0.8)
    verdict, record = await path(played, seated(["A", "B", "B", "B"], DOMINATED))
    assert (verdict.answer, record.asked, record.stopped) == ("A", (("ann",),), "sure")
    assert (record.until, record.order) == (0.8, "who was right most often first")
    (chance,) = record.probabilities
    assert 0.8 <= chance <= 1
    (rule,) = of_kind(verdict.traces, DecidedByRule)
    assert rule.probability == chance
    # Nobody is that sure of what one of these says: everybody is asked, and how sure it was is told after each.
    _, record = await path(Cascade(order=NAMES, until=0.99), seated(["A", "B", "C", "D"], ALIKE))
    assert record.stopped == "everybody"
    assert len(record.probabilities) == 4


async def test_the_last_stage_decides_from_the_same_drafts_where_it_is_not_sure() -> None:
    played = Cascade(order="best", until=0.8, then="talkative", captain="cat")
    team = seated(["A", "B", "B", "B"], DOMINATED, captain="cat")
    verdict, record = await path(played, team)
    assert (verdict.answer, record.then, len(team.journal)) == ("A", None, 1)
    unsure = seated(["A", "B", "C", "D"], ALIKE, captain="cat")
    verdict, record = await path(replace(played, until=0.99), unsure)
    assert (record.then, record.stopped, verdict.who) == ("talkative", "everybody", ("cat",))
    assert [call.stage for call in unsure.journal] == ["draft"] * 4 + ["talkative"]
    assert all(f"{word}\n" in unsure.journal[-1].request.messages[-1].content for word in "ABCD")


@pytest.mark.parametrize("then", ["peer-review", "debate", {"debate": {"max_rounds": 1}}, "vote", "silent", "adaptive"])
async def test_last_stages(then: Any) -> None:
    played = strategy("cascade", {"order": ["ann", "bob", "cat", "dan"], "until": 0.99, "then": then, "captain": "ann"})
    assert isinstance(played, Cascade)
    team = seated(["A", "B", "C", "D"], ALIKE, captain="ann")
    _, record = await path(played, team)
    assert record.then == (then if isinstance(then, str) else "debate")
    bound = traits_of(played).calls
    assert bound is not None
    assert len(team.journal) <= bound.at_most(4)
    assert sum(call.stage == "draft" for call in team.journal) == 4


async def test_where_nothing_can_be_learnt_everybody_is_asked_and_it_is_said() -> None:
    verdict, record = await path(Cascade(until=0.9), seated(["A", "B", "B", "B"], DOMINATED[:19]))
    assert (verdict.answer, record.stopped, record.probabilities) == ("B", "everybody", ())
    assert record.order == "in the order of the seats"
    (rule,) = of_kind(verdict.traces, DecidedByRule)
    assert "19 graded questions; expected 20 or more" in rule.why


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"order": ["ann", "ann"]}, "order: 'ann' stands twice"),
        ({"order": []}, "order: expected every player by name"),
        ({"order": "first"}, "order: expected .*best.*found 'first'"),
        ({"until": 0.5}, "until: expected .*found 0.5"),
        ({"until": 1}, "until: expected .*found 1"),
        ({"until": "soon"}, "until: expected .*decided.*found 'soon'"),
        ({"wave": 0}, "wave: expected"),
        ({"then": "talkative"}, "then: decides where a probability is not reached; expected one, such as until: 0.95"),
        ({"until": 0.9, "then": "talkativ"}, "then: strategy 'talkativ' is unknown; .*talkative"),
        ({"until": 0.9, "then": "learnt"}, "then: learnt learns itself"),
        ({"until": 0.9, "then": "cascade"}, "then: cascade learns itself"),
        ({"until": 0.9, "then": "solo"}, "then: solo is a player alone"),
        ({"until": 0.9, "then": "discuss"}, "then: discuss does not decide from the drafts of a cascade"),
        ({"until": 0.9, "then": {"debate": {"drafts": "double-call"}}}, "then: debate does not decide from the drafts"),
        ({"until": 0.9, "then": {"debate": {"rounds": 2}}}, "then: strategy 'debate' has no option 'rounds'"),
        ({"until": 0.9, "then": {"silent": {"captain": "ann"}}}, "then: captain stands beside then"),
        ({"until": 0.9, "then": {"silent": None, "vote": None}}, "then: expected one strategy, found silent, vote"),
        ({"order": ["ann", "bob"], "from": {"form": 1}}, "from: nothing learnt is made use of"),
    ],
)
def test_bad_options(options: dict[str, Any], problem: str) -> None:
    with pytest.raises((OptionError, UsageError), match=problem):
        strategy("cascade", options)


def test_orders_that_do_not_fit_the_team() -> None:
    team = seated(["A"] * 4)
    with pytest.raises(UsageError, match="order: 'eve' is not in team 'four'; expected each of ann, bob, cat, dan"):
        Cascade(order=("ann", "eve")).lineups(team)
    with pytest.raises(UsageError, match="order: 'cat' of team 'four' is missing; expected each of ann, bob, cat, dan"):
        Cascade(order=("ann", "bob")).lineups(team)
    unpriced = seated(["A"] * 4, prices=[Price(1, 1), None, None, None])
    with pytest.raises(
        UsageError, match="order: cheapest: what bob costs is not known; expected a price, as in models"
    ):
        Cascade(order="cheapest").lineups(unpriced)
    with pytest.raises(UsageError, match="has no captain"):
        Cascade(until=0.9, then="talkative").lineups(team)


def test_what_it_says_of_itself() -> None:
    played = Cascade(order=("ann", "bob"))
    assert not traits_of(played).learns
    assert traits_of(Cascade(order="best")).learns
    assert traits_of(Cascade(order=("ann", "bob"), until=0.9)).learns
    dear = strategy("cascade", {"until": 0.9, "then": {"debate": {"max_rounds": 1}}})
    assert label(dear) == "cascade(until=0.9, then={debate: {max_rounds: 1}})"
    assert option_json(dear)["given"] == {"until": 0.9, "then": {"debate": {"max_rounds": 1}}}
    assert traits_of(dear).prompts == ("draft", "group", "debate", "resolution")
    quick = served(dear)
    assert isinstance(quick, Cascade)
    assert quick.then == {"debate": {"max_rounds": 1, "quorum": True}}
    assert hash(dear) != hash(quick)


@pytest.mark.parametrize(
    "played",
    [
        Cascade(until=0.8),
        Cascade(order="best"),
        Cascade(order="cheapest", wave=2),
        Cascade(until=0.9, then="talkative"),
        Cascade(until=0.9, then="peer-review"),
    ],
    ids=label,
)
async def test_it_keeps_the_contract(played: Cascade) -> None:
    await check_strategy(played)


@pytest.mark.parametrize("then", [None, "vote", "silent"])
def test_it_is_no_plain_vote_whatever_comes_last(then: str | None) -> None:
    """Who compares voting with talking does not mean it."""
    assert traits_of(Cascade(until=0.9, then=then)).weighs
