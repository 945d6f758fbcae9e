"""Simulated models in every role, asked with the real prompts: what the formulae promise is measured at fixed seeds."""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moot.ballots import rule
from moot.grade.group import PartitionForm
from moot.grade.judge import GradesForm
from moot.models.endpoint import EndpointModel
from moot.models.model import Model
from moot.prompts import LANGUAGES, Prompts
from moot.simulate.prompt_reading import read_contents
from moot.simulate.server import running
from moot.simulate.simulated import SimulatedModel
from moot.simulate.world import World
from moot.strategies import strategy
from moot.strategies.argument import ArgumentForm
from moot.strategies.debate import debate as debate_module
from moot.strategies.discuss import discuss
from moot.strategies.discuss.challenge import AgreementForm
from moot.strategies.discuss.paper import Paper, PickForm
from moot.strategies.discuss.personas import RoleForm
from moot.strategies.discuss.remark import MessageForm
from moot.strategies.natives import shown_question
from moot.strategies.peer_review import peer_review
from moot.team import Player, Team
from moot.team.final_line import final_answer
from moot.team.forms import AnswerForm
from moot.traces import Ending, Round, of_kind
from moot.types import Case, Message, Question, Request, Verdict

OPTIONS = ("one", "two", "three", "four")
CASES = [
    Case(Question(f"c{n}", f"Pick {n}", choices=OPTIONS, kind="choice"), "ABCD"[n % 4], comment=None)
    for n in range(600)
]  # fmt: skip
OPEN = [Case(Question(f"o{n}", f"Who is {n}?"), f"Person {n}", accepted=(f"Citizen {n}",)) for n in range(300)]
WORLD = World([*CASES, *OPEN], seed=7)
EN = Prompts("en")
REVIEWING = EN.beside(peer_review.__file__)
DEBATING = EN.beside(debate_module.__file__)
TALK = {language: Prompts(language).beside(discuss.__file__) for language in ("en", "ru")}
REVIEW, ROUND, RESOLUTION = ("strongest", "weakest"), ("steelman", "critique"), ("summary",)

Asked = tuple[str, Mapping[str, Any]]


def model(name: str = "ann", accuracy: float = 0.6, world: World = WORLD, **parameters: Any) -> SimulatedModel:
    return SimulatedModel(name, accuracy=accuracy, world=world, **parameters)


def said(one: SimulatedModel, question: Question, prompt: str, schema: Mapping[str, Any] | None) -> dict[str, Any]:
    """The reply, which must be the same whether the model knows the question by its id or reads it."""
    request = Request((Message("system", "You are one of a team."), Message("user", prompt)), schema=schema)
    read = one.reply(request)
    assert one.reply(Request(request.messages, schema=schema, question_id=question.id)) == read
    return dict(json.loads(read.text))


def argument(conviction: float) -> str:
    return f"[simulated] so it is; conviction {conviction:.2f}."


def review(question: Question, *shown: tuple[str, float], names: Sequence[str] = (), own: str | None = None) -> Asked:
    named = [*names, *[None] * len(shown)]
    responses = [(name, text, argument(sure)) for name, (text, sure) in zip(named, shown, strict=False)]
    prompt = REVIEWING.render(
        "review", **shown_question(question), responses=responses, answered=True, previous=own, free=False
    )
    return prompt, ArgumentForm(question, REVIEW).schema


def debate(question: Question, *positions: tuple[str, int, float], own: str | None) -> Asked:
    shown = [(text, heads, [argument(sure)] * heads) for text, heads, sure in positions]
    prompt = DEBATING.render("debate", **shown_question(question), positions=shown, previous=own, number=2, free=False)
    return prompt, ArgumentForm(question, ROUND).schema


def talk(
    question: Question, *remarks: tuple[str, str, str | None], style: str = "simple", language: str = "en"
) -> Asked:
    manner = {"title": "Agent 1", "style": style, "step_by_step": False, "solutions": []}
    prompt = TALK[language].render("discuss", **shown_question(question), **manner, remarks=list(remarks))
    return prompt, MessageForm(question, solution=style != "reasoning", agree=bool(remarks)).schema


def wrong_letter(case: Case, step: int = 1) -> str:
    return "ABCD"[("ABCD".index(str(case.answer)) + step) % 4]


# --- a review and a debate --------------------------------------------------------------------------------------------


def drafts(team: Sequence[SimulatedModel], case: Case) -> list[tuple[str, float]]:
    prompt = EN.render("draft", **shown_question(case.question))
    replies = [said(each, case.question, prompt, AnswerForm(case.question).schema) for each in team]
    return [(each["answer"], float(each["reasoning"].split()[-1].rstrip("."))) for each in replies]


def reviewed(cases: Sequence[Case], **parameters: Any) -> float:
    """The share of right answers after a review by the first of four."""
    team = [model(name, 0.5, **parameters) for name in ("ann", "bob", "cat", "dan")]
    right = [
        said(team[0], case.question, *review(case.question, *drafts(team, case)))["answer"] == case.answer
        for case in cases
    ]
    return statistics.mean(right)


def test_right_rationales_persuade_a_reviewer_more_with_a_larger_tell() -> None:
    none, much = (reviewed(CASES[:250], tell=tell, power=0.0) for tell in (0.0, 1.5))
    assert much > none + 0.08


def test_a_reviewer_who_can_tell_takes_the_right_answer_and_a_stubborn_one_its_own() -> None:
    for case in CASES[:100]:
        wrong, other = wrong_letter(case), wrong_letter(case, 2)
        shown = [(wrong, 3.0), (str(case.answer), -3.0), (wrong, 3.0)]
        assert said(model(power=1.0), case.question, *review(case.question, *shown))["answer"] == case.answer
        stubborn = model(power=0.0, pull=99.0)
        assert said(stubborn, case.question, *review(case.question, *shown, own=other))["answer"] == other


def test_a_reviewer_weighs_arguments_and_not_heads_unless_it_follows_the_herd() -> None:
    case = CASES[0]
    crowd, lone = wrong_letter(case), wrong_letter(case, 2)
    shown = [(crowd, 0.0), (crowd, 0.0), (crowd, 0.0), (lone, 2.0)]
    firm = {"power": 0.0, "pull": 0.0, "taste": 0.0}
    careful = said(model(herd=0.0, **firm), case.question, *review(case.question, *shown))
    assert careful["answer"] == lone
    assert f"for {lone}" in careful["strongest"]
    assert f"for {crowd}" in careful["weakest"]
    assert said(model(herd=2.0, **firm), case.question, *review(case.question, *shown))["answer"] == crowd


def test_names_matter_only_to_those_whom_they_awe() -> None:
    def changed(awe: float) -> int:
        one = model(awe=awe, power=0.0)
        pairs = 0
        for case in CASES[:150]:
            shown = [(wrong_letter(case), 0.3), (wrong_letter(case, 2), 0.4), (str(case.answer), 0.2)]
            blind = said(one, case.question, *review(case.question, *shown))
            named = said(one, case.question, *review(case.question, *shown, names=("gpt-5", "llama", "qwen")))
            pairs += blind["answer"] != named["answer"]
        return pairs

    assert changed(0.0) == 0
    assert changed(1.0) > 20


def test_a_debater_keeps_its_previous_answer_not_its_draft() -> None:
    firm = {"power": 0.0, "taste": 0.0, "herd": 0.0, "pull": 0.5}
    for case in CASES[:50]:
        one, two = wrong_letter(case), wrong_letter(case, 2)
        for own in (one, two):
            asked = debate(case.question, (one, 2, 0.1), (two, 2, 0.1), own=own)
            assert said(model(**firm), case.question, *asked)["answer"] == own
        loud = debate(case.question, (one, 1, 0.1), (two, 3, 1.9), own=one)
        assert said(model(**firm), case.question, *loud)["answer"] == two


async def debated(cases: Sequence[Case], **parameters: Any) -> tuple[list[list[float]], list[str]]:
    """For each debate the share of the largest camp, native and after each round; and how each ended."""
    players = [Player(name, model(name, 0.5, **parameters)) for name in ("ann", "bob", "cat", "dan", "eve")]
    played = strategy("debate", {"drafts": "single-call"})
    (team,) = played.lineups(Team("five", tuple(players)))
    shares, endings = [], []
    for case in cases:
        verdict = await played.play(case.question, team)
        natives = {draft.player: draft.text for draft in verdict.answers}
        camps = [natives, *(record.positions for record in of_kind(verdict.traces, Round))]
        shares.append([max(map([*camp.values()].count, camp.values())) / 5 for camp in camps])
        endings += [record.how for record in of_kind(verdict.traces, Ending)]
    return shares, endings


async def test_agreement_grows_with_rounds_and_some_debates_get_stuck() -> None:
    shares, endings = await debated(CASES[:40])
    debates = [each for each in shares if len(each) > 1]
    natives, firsts, lasts = ([each[place] for each in debates] for place in (0, 1, -1))
    assert statistics.mean(natives) + 0.1 < statistics.mean(firsts) <= statistics.mean(lasts)
    assert {"unanimous", "consensus", "stuck"} <= set(endings)


@pytest.mark.long
async def test_with_one_ear_for_all_debates_end_sooner() -> None:
    alike, unlike = [(await debated(CASES[:20], taste=taste, power=0.0))[1] for taste in (0.0, 2.0)]
    assert alike.count("stuck") < unlike.count("stuck")


def test_a_resolution_is_read_from_the_positions_not_from_the_transcript() -> None:
    case = CASES[3]
    kept, lost = wrong_letter(case), wrong_letter(case, 2)
    transcript = [[(lost, [argument(9.0)]), (kept, [argument(0.0)])]]
    prompt = DEBATING.render(
        "resolution",
        **shown_question(case.question),
        positions=[(kept, None, [argument(1.0)])],
        transcript=transcript,
        previous=kept,
        free=False,
    )
    form = ArgumentForm(case.question, RESOLUTION)
    reply = said(model(power=0.0, accuracy=0.0, pull=9.0), case.question, prompt, form.schema)
    assert reply["answer"] == kept
    assert reply["summary"].startswith("[simulated]")


# --- a discussion -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_told_to_look_for_flaws_it_agrees_less(language: str) -> None:
    def agreed(style: str, doubt: float) -> float:
        one = model(doubt=doubt, power=0.0)
        replies = [
            said(
                one,
                case.question,
                *talk(case.question, ("Agent 2", argument(0.8), "B"), style=style, language=language),
            )
            for case in CASES[:200]
        ]
        assert all(each["agree"] == (each["solution"] == "B") for each in replies)
        return statistics.mean(each["agree"] for each in replies)

    assert agreed("critical", 0.0) == agreed("simple", 0.5)
    assert agreed("critical", 0.5) == pytest.approx(0.5 * agreed("simple", 0.5), abs=0.1)


def test_it_knows_its_own_words_by_its_title_and_counts_everybody_once() -> None:
    case = CASES[0]
    mine, others = wrong_letter(case), wrong_letter(case, 2)
    remarks = [("Agent 1", argument(0), mine), ("Agent 10", argument(0), others), ("Agent 10", argument(0), others)]
    prompt, schema = talk(case.question, *remarks)
    assert read_contents((Message("user", prompt),)).own == mine
    firm = {"power": 0.0, "taste": 0.0}
    assert said(model(**firm, pull=0.1), case.question, prompt, schema) | {"message": ""} == {
        "message": "",
        "solution": mine,
        "agree": False,
    }


@pytest.mark.parametrize("title", ["Agent 10", "Agent 1 (poet)"])
def test_a_title_is_not_meant_by_one_that_begins_alike(title: str) -> None:
    manner = {"title": title, "style": "simple", "step_by_step": False, "solutions": []}
    prompt = TALK["en"].render(
        "discuss", **shown_question(CASES[0].question), **manner, remarks=[("Agent 1", "hm", "A")]
    )
    assert read_contents((Message("user", prompt),)).own is None


def test_an_agent_may_be_persuaded_by_a_better_argument() -> None:
    one = model(power=0.0)
    persuaded = [
        statistics.mean(
            said(one, case.question, *talk(case.question, ("Agent 2", argument(sure), wrong_letter(case))))["agree"]
            for case in CASES[:150]
        )
        for sure in (-2.0, 0.0, 2.0)
    ]
    assert persuaded[0] + 0.2 < persuaded[1] < persuaded[2] - 0.2


def test_reasoning_names_no_answer_and_follows_the_better_line_of_thought() -> None:
    agreed = []
    for sure in (-3.0, 3.0):
        replies = [
            said(model(), case.question, *talk(case.question, ("Agent 2", argument(sure), None), style="reasoning"))
            for case in CASES[:100]
        ]
        assert all({*each} == {"message", "agree"} for each in replies)
        assert all("points to" not in each["message"] for each in replies)
        agreed.append(statistics.mean(each["agree"] for each in replies))
    assert agreed[0] < 0.2 < 0.8 < agreed[1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_final_solution_starts_from_what_it_said_last(language: str) -> None:
    for case in CASES[:40]:
        own = wrong_letter(case)
        inputs = {"title": "Agent 1", "step_by_step": False, "solutions": [], "own": (argument(0), own)}
        remarks = [("Agent 2", argument(0), wrong_letter(case, 2))]
        prompt = TALK[language].render("solution", **shown_question(case.question), **inputs, remarks=remarks)
        firm = model(power=0.0, pull=9.0, accuracy=1.0)
        assert said(firm, case.question, prompt, AnswerForm(case.question).schema)["answer"] == own


def test_personas_are_short_and_differ() -> None:
    taken: list[str] = []
    for place in range(10):
        prompt = TALK["en"].render("persona", **shown_question(CASES[0].question), taken=taken)
        form = RoleForm(tuple(each.partition(" (")[0] for each in taken))
        role = form.read(said(model("ann"), CASES[0].question, prompt, form.schema))
        assert len(str(role)) < 120
        taken.append(str(role))
        assert place < 1 or len({each.casefold() for each in taken}) == place + 1


# --- ballots ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("decision", ["simple-voting", "ranked-voting", "cumulative-voting", "approval-voting"])
def test_a_ballot_puts_its_belief_first(decision: str) -> None:
    several = 0
    for case in CASES[:150]:
        ((belief, _),) = drafts([one := model(power=0.0)], case)
        paper = Paper(rule(decision), (2, 0, 3, 1))
        shown = ["ABCD"[option] for option in paper.order]
        inputs = {"ballot": paper.kind, "most": paper.most, "budget": paper.budget}
        prompt = TALK["en"].render("ballot", **shown_question(case.question), solutions=shown, **inputs)
        ballot = paper.read(said(one, case.question, prompt, paper.schema))
        place = "ABCD".index(belief)
        if decision == "ranked-voting":
            assert ballot[place] == 1
            assert len(ballot) == 4
        elif decision == "cumulative-voting":
            assert sum(ballot.values()) == 25
            assert ballot[place] == max(ballot.values())
        else:
            assert place in ballot
        several += len(ballot) > 1
    assert (several == 0) == (decision == "simple-voting"), "some options are close to each other"


def test_a_judge_of_a_discussion_picks_what_it_can_tell_is_right() -> None:
    for case in CASES[:60]:
        solutions = [wrong_letter(case), str(case.answer), wrong_letter(case, 2)]
        prompt = TALK["en"].render("pick", **shown_question(case.question), solutions=solutions)
        form = PickForm(3)
        assert form.read(said(model(power=1.0, accuracy=0.0), case.question, prompt, form.schema)) == 1


# --- a challenge ------------------------------------------------------------------------------------------------------


def challenge(case: Case, answer: str, *, disagreed: bool = False) -> Asked:
    inputs = {"answer": answer, "facts": None, "remarks": [], "solutions": [], "disagreed": disagreed}
    form = AnswerForm(case.question) if disagreed else AgreementForm()
    return TALK["en"].render("challenge", **shown_question(case.question), **inputs), form.schema


def test_who_can_tell_agrees_with_the_right_answer_and_who_knows_better_with_no_other() -> None:
    for case in [*CASES[:60], *OPEN[:60]]:
        knows = model(accuracy=1.0, power=1.0, tell=9.0)
        assert said(knows, case.question, *challenge(case, str(case.answer)))["agree"] is True
        wrong = said(model(accuracy=0.0), case.question, *challenge(case, str(case.answer), disagreed=True))["answer"]
        assert wrong != case.answer, "a new answer is another one"
        assert said(knows, case.question, *challenge(case, wrong))["agree"] is False
        assert said(knows, case.question, *challenge(case, wrong, disagreed=True))["answer"] == case.answer


def test_a_wrong_belief_gives_way_at_times() -> None:
    unsure = [said(model(accuracy=0.0), c.question, *challenge(c, str(c.answer)))["agree"] for c in CASES[:200]]
    assert 0.1 < statistics.mean(unsure) < 0.9


@pytest.mark.parametrize("language", LANGUAGES)
def test_planted_answers_are_lures_or_beside_the_point(language: str) -> None:
    prompts = TALK[language]
    for case in [*CASES[:60], *OPEN[:60]]:
        form = AnswerForm(case.question)
        planted = prompts.render("plant", **shown_question(case.question), plant="wrong")
        lure = said(model(accuracy=1.0, attraction=1.0), case.question, planted, form.schema)["answer"]
        drafted = drafts([model(accuracy=0.0, attraction=1.0)], case)[0][0]
        assert lure == drafted != case.answer
        beside = prompts.render("plant", **shown_question(case.question), plant="irrelevant")
        open_form = AnswerForm(Question(case.question.id, case.question.text))
        word = said(model(accuracy=1.0), case.question, beside, open_form.schema)["answer"]
        assert said(model("bob"), case.question, *challenge(case, word))["agree"] is False


# --- instructions and personas ----------------------------------------------------------------------------------------


def under(one: SimulatedModel, case: Case, system: str) -> str:
    messages = (Message("system", system), Message("user", EN.render("draft", **shown_question(case.question))))
    return str(json.loads(one.reply(Request(messages, schema=AnswerForm(case.question).schema)).text)["answer"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_one_model_under_two_instructions_is_two_proposers_equally_good(language: str) -> None:
    plain, logic, poet = (
        Prompts(language).render("player", instruction=instruction, persona=persona)
        for instruction, persona in (("", ""), ("Use formal logic. Step by step.", ""), ("", "a poet (of sorts)"))
    )
    one = model(guise=0.5)
    answers = {each: [under(one, case, each) for case in CASES] for each in ("", plain, logic, poet)}
    assert answers[""] == answers[plain], "what every player is told changes nothing"
    for system in (logic, poet):
        alike = statistics.mean(a == b for a, b in zip(answers[plain], answers[system], strict=True))
        assert 0.6 < alike < 0.95
        right = statistics.mean(a == case.answer for a, case in zip(answers[system], CASES, strict=True))
        assert right == pytest.approx(0.6, abs=3.5 * (0.6 * 0.4 / len(CASES)) ** 0.5)


# --- judging and grouping ---------------------------------------------------------------------------------------------


def grades(one: SimulatedModel, case: Case, answers: Sequence[str]) -> list[bool]:
    inputs = {"reference": case.answer, "accepted": case.accepted, "rejected": (), "comment": None}
    prompt = EN.render("judge", question=case.question.text, **inputs, answers=answers)
    form = GradesForm(len(answers))
    return form.read(said(one, case.question, prompt, form.schema))


def test_a_judge_is_right_as_often_as_its_judgement_says() -> None:
    one = model("judge", judgement=0.9)
    right = []
    for number, case in enumerate(OPEN):
        answers = [f"the {case.answer}!", f"citizen {number}", f"Person {number + 1}", "nobody"]
        right += [a is b for a, b in zip(grades(one, case, answers), (True, True, False, False), strict=True)]
    deviation = (0.9 * 0.1 / len(right)) ** 0.5
    assert statistics.mean(right) == pytest.approx(0.9, abs=3.5 * deviation)
    sure = model("judge", judgement=1.0)
    assert grades(sure, OPEN[0], ["PERSON 0", "Person 1"]) == [True, False]


def groups(one: SimulatedModel, case: Case, answers: Sequence[str]) -> list[list[int]]:
    prompt = EN.render("group", question=case.question.text, answers=answers, reference=None)
    form = PartitionForm(len(answers))
    return form.read(said(one, case.question, prompt, form.schema))


def test_a_grouping_model_joins_what_means_the_same() -> None:
    answers = ["Person 3", "Rome", "the «Rome»", "Citizen 3", "Oslo"]
    assert groups(model(judgement=1.0), OPEN[3], answers) == [[0, 3], [1, 2], [4]]
    mistaken = [groups(model(judgement=0.9), case, ["Rome", "Oslo", "Bern"]) != [[0], [1], [2]] for case in OPEN]
    assert 0.1 < statistics.mean(mistaken) < 0.3, "two of three may be misread; the first has nobody to join"


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(max_size=8), min_size=1, max_size=7), st.floats(0, 1))
def test_whatever_the_answers_the_groups_are_a_partition(answers: list[str], judgement: float) -> None:
    parts = groups(model(judgement=judgement), OPEN[5], answers)
    assert sorted(number for part in parts for number in part) == list(range(len(answers)))


# --- free words, and no schema ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_double_call_is_a_line_and_then_reasons(language: str) -> None:
    prompts = Prompts(language)
    for case in [CASES[0], OPEN[0]]:
        ask = prompts.render("verdict", **shown_question(case.question))
        line = model(accuracy=1.0).reply(Request((Message("user", ask),))).text
        assert final_answer(line, case.question) == case.answer
        assert "\n" not in line
        ask = prompts.render("rationale", **shown_question(case.question), answer="B")
        reasons = model().reply(Request((Message("user", ask),))).text
        assert "points to B" in reasons
        assert "conviction" in reasons
        assert "{" not in reasons


def test_without_a_schema_the_fields_are_those_that_the_prompt_names() -> None:
    case = CASES[0]
    prompt, schema = talk(case.question, ("Agent 2", argument(0.5), "B"))
    assert said(model(), case.question, prompt, None) == said(model(), case.question, prompt, schema)
    prompt, _ = review(case.question, ("A", 0.5), ("B", 0.1))
    assert {*said(model(), case.question, prompt, None)} == {*REVIEW, "reasoning", "answer"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_in_free_words_it_argues_and_ends_on_a_line(language: str) -> None:
    """The same word as in the form: reasons and not heads count, and the argument has its conviction."""
    case = CASES[0]
    shown = [(None, "A", argument(0.5)), (None, "B", argument(0.1))]
    asked = {**shown_question(case.question), "responses": shown, "answered": True, "previous": None}
    reviewing = Prompts(language).beside(peer_review.__file__)
    free = Request((Message("user", reviewing.render("review", **asked, free=True)),))
    strict = said(model(), case.question, reviewing.render("review", **asked, free=False), None)
    words, _, line = model().reply(free).text.rpartition("\n")
    assert line == f"{'Answer' if language == 'en' else 'Ответ'}: {strict['answer']}"
    assert words.strip() == strict["reasoning"]


def test_what_the_team_settled_on_is_written_down_as_it_is() -> None:
    shown = {"question": OPEN[0].question.text, "answer": "Rome", "reasoning": "so it is", "schema": None}
    prompt = EN.render("dress", **shown)
    schema = {"type": "object", "properties": {"answer": {"type": "string"}, "agree": {"type": "string"}}}
    assert said(model(accuracy=1.0), OPEN[0].question, prompt, schema)["answer"] == "Rome"


def test_a_russian_captain_reads_yes_and_no() -> None:
    question = Question("y", "Так ли это?", kind="yes-no", language="ru")
    prompt = Prompts("ru").render("captain", **shown_question(question), answers=[("no", None), ("no", None)])
    world = World([Case(question, "yes")])
    reply = said(model(accuracy=1.0, world=world, power=0.0), question, prompt, AnswerForm(question).schema)
    assert reply["answer"] == "нет"


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("debate", {"drafts": "double-call"}),
        ("discuss", {"decision": "cumulative-voting", "drafting": "all-agents-drafting", "style": "critical"}),
        ("discuss", {"decision": "unanimity-consensus", "challenge": "solution"}),
    ],
)
async def test_over_http_a_team_plays_as_it_does_in_process(name: str, options: Mapping[str, Any]) -> None:
    cases, seats = CASES[:4], ("ann", "bob", "cat")
    world = World(cases, seed=7)
    played = strategy(name, options)

    async def verdicts(models: Sequence[Model]) -> list[Verdict]:
        (team,) = played.lineups(Team("three", tuple(Player(each.name, each) for each in models)))
        return [await played.play(case.question, team) for case in cases]

    config = {"seed": 7, "models": {seat: {"accuracy": 0.5} for seat in seats}}
    async with running(config, cases=cases) as server:
        remote = [EndpointModel(seat, base_url=server.base_url, model=seat) for seat in seats]
        heard = await verdicts(remote)
        for each in remote:
            await each.close()
    assert heard == await verdicts([model(seat, 0.5, world=world) for seat in seats])


def test_a_field_of_the_same_name_and_another_form_is_filled_in_its_own_form() -> None:
    schema = {
        "type": "object",
        "properties": {
            "agree": {"type": "string"},
            "groups": {"type": "array", "items": {"type": "string"}, "minItems": 1},
            "role": {"enum": ["user", "assistant"]},
            "description": {"type": "integer"},
        },
        "required": ["agree", "groups", "role", "description"],
    }
    shown = '<question>\nWho?\n</question>\n<answer n="1">\nRome\n</answer>'
    reply = said(model(), Question("x", "Who?"), shown, schema)
    assert isinstance(reply["agree"], str)
    assert all(isinstance(each, str) for each in reply["groups"])
    assert reply["role"] in ("user", "assistant")
    assert isinstance(reply["description"], int)
