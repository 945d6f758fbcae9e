"""The simulation is a statistical model: what is promised in its formulae is measured here, at fixed seeds."""

from __future__ import annotations

import json
import statistics
import time
import tracemalloc
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moot.errors import RequestRejected, UsageError
from moot.models.model import Model, call_key
from moot.models.overheard import overhearing
from moot.simulate.prompt_reading import read_question, read_shown
from moot.simulate.schema_instance import instance
from moot.simulate.simulated import SimulatedModel
from moot.simulate.world import World
from moot.types import UNKNOWN, Case, Message, Question, Request, Usage

QUESTIONS = 1_500


def open_case(number: int) -> Case:
    return Case(Question(str(number), f"Who is number {number}?"), f"Person {number}")


def choice_case(number: int) -> Case:
    question = Question(f"c{number}", f"Pick {number}", choices=("one", "two", "three", "four"), kind="choice")
    return Case(question, "ABCD"[number % 4])


def answer_schema(*allowed: str) -> dict[str, Any]:
    answer = {"type": "string", "enum": list(allowed)} if allowed else {"type": "string"}
    return {
        "type": "object",
        "properties": {"reasoning": {"type": "string"}, "answer": answer},
        "required": ["reasoning", "answer"],
        "additionalProperties": False,
    }


def prompt_of(question: Question) -> str:
    options = "".join(f"{letter}. {text}\n" for letter, text in zip(question.letters, question.choices, strict=True))
    shown = f"\n<options>\n{options}</options>" if options else ""
    return f"<question>\n{question.text}\n</question>{shown}\nReply with JSON."


def ask(question: Question, *shown: str, sample: int = 0, **params: Any) -> Request:
    answers = "".join(f'\n<answer n="{n}">\n{text}\n</answer>' for n, text in enumerate(shown, start=1))
    return Request(
        (Message("user", prompt_of(question) + answers),),
        params=params,
        schema=answer_schema(*question.letters),
        sample=sample,
        question_id=question.id,
    )


def said(model: SimulatedModel, request: Request) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(model.reply(request).text)
    return read


def conviction(reasoning: str) -> float:
    return float(reasoning.split("conviction ")[1].rstrip("."))


CASES = [open_case(number) for number in range(QUESTIONS)]
WORLD = World(CASES, seed=7)


def answers(model: SimulatedModel, cases: Sequence[Case] = CASES) -> list[str]:
    return [said(model, ask(case.question))["answer"] for case in cases]


def rights(model: SimulatedModel, cases: Sequence[Case] = CASES) -> list[bool]:
    return [answer == case.answer for answer, case in zip(answers(model, cases), cases, strict=True)]


@pytest.mark.parametrize("accuracy", [0.0, 0.2, 0.37, 0.8, 1.0])
def test_accuracy_is_what_was_asked_for(accuracy: float) -> None:
    model = SimulatedModel("ann", accuracy=accuracy, world=WORLD)
    deviation = (accuracy * (1 - accuracy) / QUESTIONS) ** 0.5
    assert statistics.mean(rights(model)) == pytest.approx(accuracy, abs=3.5 * deviation)


def test_accuracy_holds_for_choices_families_and_temperature() -> None:
    cases = [choice_case(number) for number in range(QUESTIONS)]
    model = SimulatedModel("ann", accuracy=0.6, world=World(cases, 3), family="f", family_correlation=0.4)
    warm = [said(model, ask(case.question, temperature=1, sample=4))["answer"] == case.answer for case in cases]
    assert statistics.mean(rights(model, cases)) == pytest.approx(0.6, abs=0.03)
    assert statistics.mean(warm) == pytest.approx(0.6, abs=0.03)


def errors_correlation(correlation: float, **family: Any) -> float:
    models = (
        SimulatedModel(name, accuracy=0.4, world=WORLD, correlation=correlation, **family) for name in ("ann", "bob")
    )
    one, two = ([float(right) for right in rights(model, CASES[:2_000])] for model in models)
    return statistics.correlation(one, two)


def test_errors_of_two_models_go_together_as_much_as_asked() -> None:
    none, some, much = (errors_correlation(value) for value in (0.0, 0.4, 0.9))
    assert none == pytest.approx(0.0, abs=0.05)
    assert some > none + 0.15
    assert much > some + 0.25


def test_a_family_shares_more_than_difficulty() -> None:
    kin = errors_correlation(0.3, family="kin", family_correlation=0.4)
    assert kin > errors_correlation(0.3) + 0.15


def test_wrong_models_fall_for_the_same_lure() -> None:
    ann, bob = (SimulatedModel(name, accuracy=0.3, world=WORLD, correlation=0.0) for name in ("ann", "bob"))
    agreed = [
        one == two
        for one, two, case in zip(answers(ann), answers(bob), CASES, strict=True)
        if case.answer not in (one, two)
    ]
    # The geometric law at 0.4 gives the sum of squared shares a / (2 - a) = 0.25; at no attraction it is 1 / 24.
    assert statistics.mean(agreed) == pytest.approx(0.25, abs=0.03)
    loose, free = (
        SimulatedModel(name, accuracy=0.3, world=WORLD, correlation=0.0, attraction=0.0) for name in ("ann", "bob")
    )
    chance = [
        one == two
        for one, two, c in zip(answers(loose), answers(free), CASES, strict=True)
        if c.answer not in (one, two)
    ]
    assert statistics.mean(chance) == pytest.approx(1 / 24, abs=0.02)


def test_which_letter_is_the_lure_differs_between_questions() -> None:
    cases = [Case(choice_case(number).question, "A") for number in range(600)]
    model = SimulatedModel("ann", accuracy=0.0, world=World(cases, seed=3), attraction=1.0)
    fallen = answers(model, cases)
    assert {letter for letter in "ABCD" if fallen.count(letter) > 150} == {*"BCD"}


def test_a_right_rationale_sounds_better() -> None:
    model = SimulatedModel("ann", accuracy=0.5, world=WORLD, tell=0.8)
    heard: dict[bool, list[float]] = {True: [], False: []}
    for case in CASES:
        reply = said(model, ask(case.question))
        assert reply["reasoning"].startswith("[simulated]")
        heard[reply["answer"] == case.answer].append(conviction(reply["reasoning"]))
    assert statistics.mean(heard[True]) - statistics.mean(heard[False]) == pytest.approx(0.8, abs=0.12)
    assert statistics.stdev(heard[False]) == pytest.approx(1.0, abs=0.06)


def captain_accuracy(captain: SimulatedModel, drafts: Sequence[Sequence[str]], *, talk: bool = False) -> float:
    right = []
    for case, *shown in zip(CASES, *drafts, strict=False):
        seen = shown if talk else [each.partition("\n")[0] for each in shown]
        right.append(said(captain, ask(case.question, *seen))["answer"] == case.answer)
    return float(statistics.mean(right))


def drafts_of(team: Sequence[SimulatedModel], cases: Sequence[Case]) -> list[list[str]]:
    """Each model's answers, every one with its rationale, as a captain is shown them."""
    drafts = []
    for model in team:
        replies = [said(model, ask(case.question)) for case in cases]
        drafts.append([f"{r['answer']}\n<reasoning>\n{r['reasoning']}\n</reasoning>" for r in replies])
    return drafts


@pytest.mark.long
def test_a_captain_of_full_power_reaches_the_skyline_and_one_of_none_does_not() -> None:
    team = [SimulatedModel(name, accuracy=0.35, world=WORLD, tell=1.5) for name in ("ann", "bob", "cat", "dan")]
    cases = CASES[:1_500]
    drafts = drafts_of(team, cases)
    skyline = statistics.mean(
        any(each[place].partition("\n")[0] == case.answer for each in drafts) for place, case in enumerate(cases)
    )
    knowing = SimulatedModel("ann", accuracy=0.35, world=WORLD, power=1.0)
    silent = SimulatedModel("ann", accuracy=0.35, world=WORLD, power=0.0)
    assert captain_accuracy(knowing, drafts) == skyline
    alone, talked = captain_accuracy(silent, drafts), captain_accuracy(silent, drafts, talk=True)
    assert alone < skyline - 0.1
    assert alone < talked < skyline - 0.03  # rationales tell something, but not all


def test_a_captain_counts_votes_hears_conviction_and_is_pulled_to_its_own_draft() -> None:
    question = CASES[0].question
    captain = SimulatedModel("ann", accuracy=1.0, world=WORLD, power=0.0, pull=0.0)
    assert said(captain, ask(question, "Oslo", " oslo ", "Rome"))["answer"] == "Oslo"
    rationale = "\n<reasoning>\n[simulated] so; conviction {}.\n</reasoning>"
    loud = ["Oslo" + rationale.format("-1.20"), "Oslo" + rationale.format("-1.00"), "Rome" + rationale.format("1.90")]
    assert said(captain, ask(question, *loud))["answer"] == "Rome"
    stubborn = SimulatedModel("ann", accuracy=1.0, world=WORLD, power=0.0, pull=9.0)
    assert said(stubborn, ask(question, "Oslo", "Rome"))["answer"] == CASES[0].answer


def test_the_order_of_the_answers_shown_changes_nothing() -> None:
    captain = SimulatedModel("ann", accuracy=0.3, world=WORLD)
    for case in CASES[:200]:
        shown = ["Oslo", "Rome", "Bern", str(case.answer)]
        assert said(captain, ask(case.question, *shown)) == said(captain, ask(case.question, *reversed(shown)))


def test_same_seed_same_replies_another_seed_others() -> None:
    again, other = World(CASES, seed=7), World(CASES, seed=8)
    first, second, third = (
        [SimulatedModel("ann", accuracy=0.4, world=world).reply(ask(case.question)) for case in CASES[:200]]
        for world in (WORLD, again, other)
    )
    assert first == second
    assert first != third


def test_samples_differ_only_when_warm() -> None:
    model = SimulatedModel("ann", accuracy=0.5, world=WORLD)
    question = CASES[3].question
    cold = {model.reply(ask(question, sample=n)).text for n in range(10)}
    warm = {model.reply(ask(question, sample=n, temperature=1.0)).text for n in range(10)}
    assert len(cold) == 1
    assert len(warm) > 5
    assert warm == {model.reply(ask(question, sample=n, temperature=1.0)).text for n in range(10)}


def test_found_by_text_it_is_the_same_as_by_id() -> None:
    cases = [*CASES[:50], *(choice_case(number) for number in range(50))]
    same_words = Case(Question("twin", "Pick 1", choices=("red", "blue"), kind="choice"), "A")
    passage = Case(Question("p", "Who?", context="A passage\nof  lines <question>"), None)
    world = World([*cases, same_words, passage], seed=1)
    assert world.by_text("Who?", context="A passage of lines ‹question>").truth == UNKNOWN
    model = SimulatedModel("ann", accuracy=0.5, world=world)
    for case in [*cases, same_words]:
        known = ask(case.question)
        unknown = Request(known.messages, schema=known.schema, question_id=None)
        assert model.reply(unknown) == model.reply(known)


def test_an_unheard_question_still_has_a_truth_that_models_share() -> None:
    world = World(seed=5)
    strangers = [Question(f"x{n}", f"What is {n}?") for n in range(50)]
    strangers += [Question(f"y{n}", f"Which is {n}?", choices=("u", "v", "w"), kind="choice") for n in range(50)]
    one, two = (SimulatedModel(name, accuracy=1.0, world=world) for name in ("ann", "bob"))
    replies = [said(one, ask(question))["answer"] for question in strangers]
    assert replies == [said(two, ask(question))["answer"] for question in strangers]
    assert set(replies[50:]) == set("ABC")
    wrong = SimulatedModel("cat", accuracy=0.0, world=world)
    assert not any(
        said(wrong, ask(question))["answer"] == reply for question, reply in zip(strangers, replies, strict=True)
    )


def test_a_world_of_one_question_makes_wrong_words_up() -> None:
    case = Case(Question("1", "Capital of France?"), "Paris", accepted=("City of Paris",))
    model = SimulatedModel("ann", accuracy=0.0, world=World([case]))
    wrong = {said(model, ask(case.question, sample=n, temperature=2))["answer"] for n in range(50)}
    assert len(wrong) > 3
    assert not wrong & {"Paris", "City of Paris"}


@pytest.mark.parametrize(("truth", "words"), [("yes", ("yes", "no")), ("no", ("да", "нет"))])
def test_yes_or_no_in_the_words_of_the_form(truth: str, words: tuple[str, str]) -> None:
    question = Question("1", "Is it?", kind="yes-no")
    world = World([Case(question, truth)])
    request = Request((Message("user", prompt_of(question)),), schema=answer_schema(*words), question_id="1")
    right = words[0] if truth == "yes" else words[1]
    assert said(SimulatedModel("ann", accuracy=1.0, world=world), request)["answer"] == right
    assert said(SimulatedModel("bob", accuracy=0.0, world=world), request)["answer"] in {*words} - {right}


def test_refusals_garbled_replies_and_cut_ones() -> None:
    shy = SimulatedModel("shy", accuracy=0.5, world=WORLD, refuse=0.3)
    refused = [shy.reply(ask(case.question)).refused for case in CASES[:1000]]
    assert statistics.mean(refused) == pytest.approx(0.3, abs=0.05)
    vague = SimulatedModel("vague", accuracy=0.5, world=WORLD, garble=0.5)
    tries = [vague.reply(Request((), question_id="1", attempt=n)).text.startswith("{") for n in range(40)]
    assert {True, False} == set(tries)
    cut = SimulatedModel("ann", accuracy=0.5, world=WORLD).reply(ask(CASES[0].question, max_tokens=5))
    assert (cut.finish, len(cut.text), cut.usage.completion) == ("length", 20, 5)


async def test_it_is_a_model_and_its_key_holds_all_that_shapes_the_reply() -> None:
    request = ask(CASES[0].question)
    model = SimulatedModel("ann", accuracy=0.5, world=WORLD)
    assert isinstance(model, Model)
    reply = await model.generate(request)
    assert reply.version == "simulated/2 ann"
    assert reply.cost_usd == 0.0
    assert reply.usage == Usage(prompt=len(request.messages[0].content) // 4, completion=len(reply.text) // 4)
    others = [
        SimulatedModel("ann", accuracy=0.6, world=WORLD),
        SimulatedModel("ann", accuracy=0.5, world=WORLD, power=0.2),
        SimulatedModel("ann", accuracy=0.5, world=World(CASES, seed=8)),
        SimulatedModel("ann", accuracy=0.5, world=World(CASES[:9], seed=7)),
    ]
    keys = {call_key(each, request) for each in [model, *others]}
    keys |= {call_key(model, ask(CASES[0].question, "Rome")), call_key(model, ask(CASES[0].question, temperature=1))}
    assert len(keys) == 7
    assert "Person 0" not in json.dumps(model.shape(request))


def test_parameters_out_of_range_are_named() -> None:
    with pytest.raises(UsageError, match="'ann': accuracy must be between 0 and 1"):
        SimulatedModel("ann", accuracy=1.2, world=WORLD)
    with pytest.raises(UsageError, match="family_correlation"):
        SimulatedModel("ann", accuracy=0.2, world=WORLD, correlation=0.9, family="f", family_correlation=0.2)


def test_reading_a_prompt() -> None:
    text = (
        "<context>\nlong\n</context>\n<question>\nTwo\nlines\n</question>\n"
        "<options>\nA. one\nB. two\nmore\n</options>\n"
        '<answer n="1">\nRome\n<reasoning>\nold conviction 3.0, now conviction -0.25.\n</reasoning>\n</answer>\n'
        '<answer n="2">\n\n</answer>'
    )
    messages = [Message("system", "<question>\nno\n</question>"), Message("user", text), Message("user", "again")]
    asked = read_question(messages)
    assert (asked.text, asked.choices, asked.context) == ("Two\nlines", ("one", "two\nmore"), "long")
    assert [(each.text, each.conviction) for each in read_shown(messages)] == [("Rome", -0.25), ("", None)]
    assert read_question([Message("user", "just words")]).text == "just words"


def test_a_lure_is_found_without_a_walk_through_all_questions_that_have_the_same_answer() -> None:
    class Counted(list[str]):
        read = 0

        def __getitem__(self, place: Any) -> Any:
            Counted.read += 1
            return super().__getitem__(place)

    alike = World([Case(Question(id=f"q{n}", text=f"question {n}"), "Paris") for n in range(2_000)], seed=3)
    alike._truths = Counted(alike._truths)
    facts = alike.by_id("q1")
    assert facts is not None
    assert alike.wrong(facts, 0.99, 0.1) != "Paris"
    assert Counted.read < 10


def test_a_question_takes_less_than_half_a_kilobyte() -> None:
    tracemalloc.start()
    try:
        world = World((open_case(number) for number in range(10_000)), seed=1)
        used, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert used / len(world) < 500


# --- forms ---------------------------------------------------------------------------------------------------------

names = st.sampled_from(["reasoning", "answer", "vote", "score", "why"])
scalars = st.one_of(
    st.builds(
        lambda low, more: {"type": "string", "minLength": low, "maxLength": low + more},
        st.integers(0, 9),
        st.integers(0, 9),
    ),
    st.builds(
        lambda low, more: {"type": "integer", "minimum": low, "maximum": low + more},
        st.integers(-9, 9),
        st.integers(0, 9),
    ),
    st.builds(
        lambda low, more: {"type": "number", "exclusiveMinimum": low, "maximum": low + more},
        st.integers(-9, 9),
        st.integers(1, 9),
    ),
    st.builds(lambda step: {"type": "integer", "minimum": -3, "multipleOf": step}, st.integers(1, 5)),
    st.just({"type": "boolean"}),
    st.just({"type": ["null", "string"]}),
    st.builds(lambda values: {"enum": values}, st.lists(st.integers() | st.text(max_size=3), min_size=1, max_size=4)),
    st.builds(lambda value: {"const": value}, st.integers() | st.text(max_size=3)),
)


def objects(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    properties = st.dictionaries(names, inner, max_size=4)
    return properties.map(
        lambda parts: {"type": "object", "properties": parts, "required": [*parts], "additionalProperties": False}
    )


def arrays(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.builds(
        lambda item, low, more: {"type": "array", "items": item, "minItems": low, "maxItems": low + more},
        inner, st.integers(0, 3), st.integers(0, 3),
    )  # fmt: skip


schemas = st.recursive(
    scalars,
    lambda inner: (
        objects(inner) | arrays(inner) | st.lists(inner, min_size=1, max_size=3).map(lambda each: {"anyOf": each})
    ),
    max_leaves=8,
)


def fits(value: Any, schema: dict[str, Any]) -> bool:
    """A validator of its own, of the part of JSON Schema that the strategy above uses."""
    if "anyOf" in schema:
        return any(fits(value, option) for option in schema["anyOf"])
    if "const" in schema:
        return bool(value == schema["const"])
    if "enum" in schema:
        return value in schema["enum"]
    kind = schema["type"]
    if kind == "object":
        parts = schema["properties"]
        return isinstance(value, dict) and {*value} == {*parts} and all(fits(value[key], parts[key]) for key in parts)
    if kind == "array":
        sized = isinstance(value, list) and schema["minItems"] <= len(value) <= schema["maxItems"]
        return sized and all(fits(each, schema["items"]) for each in value)
    if kind == "string":
        return isinstance(value, str) and schema["minLength"] <= len(value) <= schema["maxLength"]
    if kind == "boolean":
        return isinstance(value, bool)
    if isinstance(kind, list):
        return value is None or isinstance(value, str)
    numeric = isinstance(value, int) if kind == "integer" else isinstance(value, int | float)
    return (
        numeric
        and not isinstance(value, bool)
        and schema.get("minimum", value) <= value <= schema.get("maximum", value)
        and ("exclusiveMinimum" not in schema or value > schema["exclusiveMinimum"])
        and value % schema.get("multipleOf", 1 if kind == "integer" else value or 1) == 0
    )


@settings(max_examples=80, deadline=None)
@given(objects(schemas), st.integers(0, 99))
def test_replies_are_valid_instances_of_any_form(schema: dict[str, Any], sample: int) -> None:
    model = SimulatedModel("ann", accuracy=0.5, world=World(seed=2))
    request = Request((Message("user", "Who?"),), {"temperature": 1}, schema, sample)
    reply = json.loads(model.reply(request).text)
    assert fits(reply, schema), (reply, schema)


def test_references_unions_and_recursion() -> None:
    node = {
        "type": "object",
        "properties": {"next": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]}},
        "required": ["next"],
    }
    schema = {
        "$defs": {"node": node, "side": {"enum": ["left", "right"]}},
        "type": "object",
        "properties": {
            "answer": {"$ref": "#/$defs/side"},
            "chain": {"$ref": "#/$defs/node"},
            "ranking": {
                "type": "array",
                "items": {"enum": [*"ABCDE"]},
                "uniqueItems": True,
                "minItems": 5,
                "maxItems": 5,
            },
            "both": {"allOf": [{"type": "integer", "minimum": 3}, {"maximum": 4}]},
        },
    }
    model = SimulatedModel("ann", accuracy=0.5, world=World(seed=2))
    reply = json.loads(model.reply(Request((Message("user", "Who?"),), schema=schema)).text)
    assert reply["answer"] in ("left", "right")
    assert sorted(reply["ranking"]) == [*"ABCDE"]
    assert reply["both"] in (3, 4)
    link = reply["chain"]
    while link is not None:
        link = link["next"]


def test_a_form_that_cannot_be_followed_is_rejected_like_by_a_server() -> None:
    endless = {"properties": {"a": {"$ref": "#"}}, "required": ["a"]}
    wide = {"properties": {"a": {"type": "array", "minItems": 3, "items": {"$ref": "#"}}}, "required": ["a"]}
    model = SimulatedModel("ann", accuracy=0.5, world=World(seed=2))
    for schema in (endless, wide, {"properties": 3, "allOf": 1}, {"properties": {"a": {"enum": 7}}}):
        with pytest.raises(RequestRejected, match="response_format"):
            model.reply(Request((Message("user", "Who?"),), schema=schema))


def test_a_form_that_is_no_object_gets_a_value_too() -> None:
    draws = {"": 0.99}
    assert instance({"type": "integer", "minimum": 1, "maximum": 3}, {}, lambda path: draws[path]) == 3


def test_speed() -> None:
    """Printed, not asserted: machines differ."""
    model = SimulatedModel("ann", accuracy=0.5, world=WORLD)
    requests = [ask(case.question, "Rome", "Oslo", "Rome") for case in CASES]
    started = time.perf_counter()
    for request in requests:
        model.reply(request)
    print(f"{len(requests) / (time.perf_counter() - started):,.0f} captain replies a second")


async def test_who_listens_hears_a_reply_as_if_it_were_written() -> None:
    """So that what is shown of a reply before its end can be tried with nothing behind it."""
    heard: list[str] = []

    class Listening:
        is_bound = False

        def voice(self) -> Any:
            return heard.append

    ann = SimulatedModel("ann", accuracy=0.4, world=WORLD)
    asked = Request((Message("user", "<question>\nWhich river?\n</question>"),))
    with overhearing(Listening()):
        reply = await ann.generate(asked)
    assert "".join(heard) == reply.text
    assert len(heard) > 1
    assert await ann.generate(asked) == reply
    assert "".join(heard) == reply.text, "nobody listened to the second"
