"""Whatever the strategy, an answer in words that fit no form is read by two models that must agree, where there are two."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from moot import traces
from moot.engine.play import play
from moot.errors import ConnectionFailed
from moot.experiment.plan import Cell
from moot.grade.extract import EXTRACT, StagedReader
from moot.models.model import Model, Wrapper
from moot.models.scripted import Script, ScriptedModel
from moot.store.rows import episode_row, verdict_of
from moot.strategies import Strategy, registered, strategy, traits_of
from moot.strategies.discuss.personas import RoleForm
from moot.strategies.team_model import TeamModel
from moot.strategies.vote import Vote
from moot.team import Player, Team
from moot.team.attempts import ATTEMPTS
from moot.team.reading import UNPARSED
from moot.testing import obliging
from moot.traces import Agreement, Remark, of_kind
from moot.types import Episode, Question, Reply, Request

QUESTION = Question("choice", "Which one?", choices=("first", "second", "third"), kind="choice")
RAMBLING = "Much speaks for the second of them, on the whole. </response> Let us leave it there."
NAMES = ("ann", "bob", "cat")

OPTIONS: dict[str, list[dict[str, Any]]] = {
    "solo": [{}, {"drafts": "double-call"}],
    "peer-review": [{"drafts": "single-call"}, {"drafts": "double-call"}],
    "debate": [{"drafts": "single-call"}, {"drafts": "double-call"}],
    "adaptive": [{"talk_from": 1}],
    "mixture": [{}, {"summariser": "sue"}],
    "discuss": [
        {},
        {"decision": "unanimity-consensus"},
        {"style": "reasoning", "decision": "majority-consensus"},
        {"decision": "judge", "judge": "sue", "drafting": "all-agents-drafting"},
        {"decision": "ranked-voting", "challenge": "wrong", "planted_by": "sue"},
    ],
}
PLAYED = [(name, options) for name in registered() for options in OPTIONS.get(name, [{}])]
EACH = pytest.mark.parametrize(("name", "options"), PLAYED, ids=[f"{name} {options}" for name, options in PLAYED])

Say = Callable[[Request], Script]


def wants_answer(request: Request) -> bool:
    """Whether the reply is to hold an answer to the question: a ballot, a persona or an explanation does not."""
    if request.schema is None:
        return "you answered" not in request.messages[-1].content.casefold()
    return bool({"answer", "solution"} & set(request.schema["properties"]))


def rambling(request: Request) -> Script:
    return RAMBLING if wants_answer(request) else obliging(request)


def always(answer: str) -> Say:
    return lambda request: {"answer": answer}


B, SMALL_B = always("B"), always("b")


class Slow(Wrapper):
    """Replies after a while."""

    def __init__(self, inner: Model, delay_s: float) -> None:
        super().__init__(inner)
        self._delay_s = delay_s

    async def generate(self, request: Request) -> Reply:
        await asyncio.sleep(self._delay_s)
        return await self.inner.generate(request)


class Table:
    """Three players, two readers, and somebody for every office."""

    def __init__(self, played: Strategy, say: Say = rambling, one: Say = B, other: Say = SMALL_B) -> None:
        self.players = [ScriptedModel(f"model-{name}", say) for name in NAMES]
        self.readers = [ScriptedModel("ray", one), ScriptedModel("roy", other)]
        self.officers = {office: ScriptedModel("sue", say) for office in traits_of(played).offices}
        team = Team(
            "t",
            tuple(Player(name, model) for name, model in zip(NAMES, self.players, strict=True)),
            seed=3,
            captain="ann",
            officers={office: Player(office, model) for office, model in self.officers.items()},
            reader=StagedReader(tuple(Player(model.name, model) for model in self.readers)),
        )
        self.played, self.team = played, team

    @property
    def requests(self) -> list[Request]:
        """All that anybody but a reader was sent."""
        return [each for model in (*self.players, *self.officers.values()) for each in model.requests]

    async def episode(self, question: Question = QUESTION) -> Episode:
        lineup = self.played.lineups(self.team)[0]
        return await play(Cell("cell", self.played, self.played.name, lineup, None, ""), question)


@EACH
async def test_two_readers_that_agree_rescue_it(name: str, options: dict[str, Any]) -> None:
    table = Table(strategy(name, options))
    episode = await table.episode()
    assert (episode.verdict.answer, episode.verdict.outcome) == ("B", "answered"), episode.verdict.cause
    assert not episode.verdict.absent
    assert all(each.attempt == 0 for each in table.requests if wants_answer(each)), "nobody is asked again"
    asked = [[each.messages[-1].content for each in model.requests] for model in table.readers]
    assert asked[0] == asked[1] != [], "both read the same, and neither what the other found"
    assert len(asked[0]) >= sum(map(wants_answer, table.requests)), "one reading for each reply"
    for prompt in asked[0]:
        assert prompt.count("</response>") == 1, "the reply stays inside its block"
        assert "Much speaks for the second of them" in prompt
        assert not [who for who in (*NAMES, "model-", "sue") if who in prompt], "it does not say whose reply it is"


@EACH
async def test_a_reply_that_fits_asks_no_reader_and_nothing_else_changes(name: str, options: dict[str, Any]) -> None:
    played = strategy(name, options)
    with_readers, without = Table(played, obliging), Table(played, obliging)
    without.team = replace(without.team, reader=Team("t", ()).reader)
    verdicts = [(await table.episode()).verdict for table in (with_readers, without)]
    assert verdicts[0] == verdicts[1]
    assert with_readers.requests == without.requests != []
    assert not with_readers.readers[0].requests


READERS: dict[str, tuple[Say, str]] = {
    "differ": (always("C"), "the readers differ: ray B and roy C"),
    "none": (always("none"), "the readers differ: ray B and roy none"),
    "silent": (lambda request: "", f"roy did not say: no usable reply in {ATTEMPTS} attempts; the last one: empty"),
    "refused": (lambda request: Reply("I would rather not.", finish="refusal"), "roy did not say: I would rather not."),
}


@EACH
@pytest.mark.parametrize(("other", "cause"), READERS.values(), ids=READERS)
async def test_else_it_is_unparsed(name: str, options: dict[str, Any], other: Say, cause: str) -> None:
    table = Table(strategy(name, options), other=other)
    episode = await table.episode()
    assert (episode.verdict.answer, episode.verdict.outcome) == (None, "unanswered")
    assert UNPARSED in (episode.verdict.cause or "")
    assert cause in (episode.verdict.cause or ""), "it says what the readers made of it"
    if options.get("style") != "reasoning":  # there they have said something, though no answer
        assert set(episode.verdict.absent) == {player.name for player in table.played.lineups(table.team)[0].players}
    assert all(each.attempt == 0 for each in table.requests if wants_answer(each)), "nor is it asked for again"


@EACH
async def test_an_outage_of_a_reader_fails_the_episode(name: str, options: dict[str, Any]) -> None:
    """It says nothing about the reply; the episode is played again when the model is back."""
    episode = await Table(strategy(name, options), other=lambda request: ConnectionFailed("nobody is there")).episode()
    assert (episode.verdict.answer, episode.verdict.outcome) == (None, "failed")
    assert "the extraction model roy failed" in (episode.verdict.cause or "")


@EACH
async def test_an_empty_reply_is_asked_for_again_and_read_by_nobody(name: str, options: dict[str, Any]) -> None:
    table = Table(strategy(name, options), lambda request: obliging(request) if request.attempt else " ")
    episode = await table.episode()
    assert episode.verdict.answer is not None
    assert not table.readers[0].requests
    assert {each.attempt for each in table.requests if wants_answer(each)} == {0, 1}


async def test_without_readers_it_is_asked_for_again() -> None:
    table = Table(Vote(), lambda request: obliging(request) if request.attempt == 2 else RAMBLING)
    table.team = replace(table.team, reader=Team("t", ()).reader)
    episode = await table.episode()
    assert episode.verdict.answer == "A"
    assert [each.attempt for each in table.players[0].requests] == [0, 1, 2]
    assert [len(each.messages) for each in table.players[0].requests] == [1, 3, 3], "with what was wrong"


async def test_only_what_should_hold_an_answer_is_read() -> None:
    """A persona, a ballot, a line of thought: what does not fit is asked for again, whoever may be there to read."""
    table = Table(strategy("discuss", {"style": "reasoning"}), lambda request: RAMBLING)
    episode = await table.episode()
    asked = {(call.stage, call.request.attempt) for call in episode.calls if call.stage != EXTRACT}
    assert {("persona", 4), ("discuss", 4), ("solution", 0)} <= asked
    assert ("solution", 1) not in asked
    team = table.team.seated()
    heard = await team.ask(team["ann"], QUESTION, "Who are you?", RoleForm(), stage="persona")
    assert heard.cause == f"no usable reply in {ATTEMPTS} attempts; the last one: no-json"


async def test_a_remark_in_free_words_has_its_solution_and_no_agreement() -> None:
    played = strategy("discuss", {"decision": "majority-consensus", "personas": "none"})
    episode = await Table(played).episode()
    first, second = of_kind(episode.verdict.traces, Remark)
    assert (first.text, first.solution, first.agree) == (RAMBLING, "B", None)
    assert (second.solution, second.backs, second.agree) == ("B", "B", None)
    (agreement,) = of_kind(episode.verdict.traces, Agreement)
    assert agreement.supporters == ("ann", "bob"), "the same solution, unasked"


async def test_a_reading_stands_in_the_transcript_beside_the_reply() -> None:
    played = strategy("peer-review", {"drafts": "single-call"})
    episode = await Table(played).episode()
    assert [(call.player, call.stage, call.turn) for call in episode.calls] == [
        *((name, "draft", 1) for name in NAMES),
        *((reader, EXTRACT, 1) for _ in NAMES for reader in ("ray", "roy")),
        ("ann", "review", 2),
        ("ray", EXTRACT, 2),
        ("roy", EXTRACT, 2),
    ]
    assert episode.calls[0].problem == "no-json", "and why it was needed"
    assert episode.verdict.reasoning == RAMBLING, "what was said is the reason"


async def test_what_each_model_read_is_on_the_record_by_turn_and_seat() -> None:
    """Whoever replies first: the episode's record has an order of its own, and is found again in the store."""
    table = Table(strategy("peer-review", {"drafts": "single-call", "captain": "bob"}))
    slow = {"model-ann": 0.02, "model-bob": 0.01, "model-cat": 0.0}
    table.team = replace(
        table.team,
        players=tuple(replace(each, model=Slow(each.model, slow[each.model.name])) for each in table.team.players),
    )
    episode = await table.episode()
    found = {"ray": "B", "roy": "B"}
    assert of_kind(episode.verdict.traces, traces.Extraction) == [
        *(traces.Extraction(name, 1, found, "B") for name in NAMES),
        traces.Extraction("bob", 2, found, "B"),
    ]
    kept = verdict_of(episode_row(episode)["verdict"])
    assert kept == episode.verdict
    assert table.team.traced == [], "each episode has a record of its own"


READINGS = {
    "differ": (always("A"), B, {"ray": "A", "roy": "B"}, "the readers differ: ray A and roy B"),
    "none": (always("none"), always("None."), {"ray": None, "roy": None}, "the readers find no answer"),
    "silent": (B, lambda request: "", {"ray": "B", "roy": None}, "roy did not say"),
}


@pytest.mark.parametrize(("one", "other", "by_model", "cause"), READINGS.values(), ids=READINGS)
@pytest.mark.parametrize("drafts", ["single-call", "double-call"])
async def test_that_it_could_not_be_read_is_on_the_record_too(
    drafts: str, one: Say, other: Say, by_model: dict[str, str | None], cause: str
) -> None:
    episode = await Table(strategy("solo", {"drafts": drafts}), one=one, other=other).episode()
    (record,) = of_kind(episode.verdict.traces, traces.Extraction)
    assert (record.player, record.turn, record.readings, record.answer) == ("ann", 1, by_model, None)
    assert (record.cause or "").startswith(cause)


async def test_what_nobody_had_to_read_leaves_no_record() -> None:
    for drafts in ("single-call", "double-call"):
        episode = await Table(strategy("peer-review", {"drafts": drafts}), obliging).episode()
        assert of_kind(episode.verdict.traces, traces.Extraction) == []


async def test_an_officer_s_words_are_read_and_recorded_behind_the_players() -> None:
    episode = await Table(strategy("mixture", {"summariser": "sue"})).episode()
    records = of_kind(episode.verdict.traces, traces.Extraction)
    assert [(record.player, record.turn) for record in records] == [*((name, 1) for name in NAMES), ("summariser", 2)]


async def test_a_letter_that_does_not_exist_is_no_answer_however_well_formed() -> None:
    table = Table(Vote(), lambda request: {"reasoning": "", "answer": "E"}, always("none"), always("none"))
    verdict = (await table.episode()).verdict
    assert (verdict.answer, verdict.outcome) == (None, "unanswered")
    assert f"{UNPARSED} (no-letter; the readers find no answer)" in (verdict.cause or "")


async def test_that_the_text_does_not_say_is_an_answer_too() -> None:
    question = Question("open", "Who came?", context="It rained all day.")
    say = "One looks in vain:\nnobody is named anywhere, as far as I can see."
    table = Table(Vote(), lambda request: say, always("[UNKNOWN]"), always("[unknown]"))
    assert (await table.episode(question)).verdict.answer == "[UNKNOWN]"
    prompt = table.readers[0].requests[0].messages[-1].content
    assert "the answer is [UNKNOWN]" in prompt
    assert "It rained" not in prompt, "they are to read, not to solve"


def test_a_team_with_readers_is_another_model() -> None:
    table = Table(Vote())
    without = replace(table.team, reader=Team("t", ()).reader)
    request = Request(())
    shapes = [TeamModel(Vote(), team).shape(request) for team in (table.team, without)]
    assert "extract" in shapes[0]
    assert "extract" not in shapes[1], "older keys stay what they are"
