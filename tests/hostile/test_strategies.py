"""One player of the team means harm. Whatever it says, the others are heard as they spoke, and their votes are theirs."""

from __future__ import annotations

import dataclasses
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import moot
from moot.engine.play import play
from moot.experiment.plan import Cell
from moot.grade.extract import StagedReader
from moot.grade.group import GROUPING, Stages
from moot.grade.judge import judge
from moot.models.scripted import Script, ScriptedModel
from moot.prompts import Prompts, block
from moot.simulate.schema_instance import instance
from moot.strategies import Strategy, registered, strategy, traits_of
from moot.team import Player, Team
from moot.types import OUTCOMES, Call, Case, Episode, Question, Request, Verdict, seeded

sys.path.insert(0, str(Path(__file__).parent))
from corpus import GROWING, SMALL, TAGS, forged_tags

OPEN = Question("open", "Which city is it?")
CHOICE = Question("choice", "Which one?", choices=("first", "second", "third"), kind="choice")

OPTIONS: dict[str, list[dict[str, Any]]] = {
    "peer-review": [{}, {"names": "hidden"}],
    "debate": [{}, {"max_rounds": 2}],
    "mixture": [{"repeats": 1}],
    "discuss": [
        {"decision": decision, "max_turns": 3}
        for decision in ("simple-voting", "ranked-voting", "cumulative-voting", "approval-voting", "solution-counting")
    ]
    + [{"paradigm": each, "max_turns": 3} for each in ("relay", "report", "debate", "collective-refinement")]
    + [{"style": each, "max_turns": 3} for each in ("free-text", "critical", "reasoning")]
    + [{"decision": "judge", "max_turns": 3}, {"personas": "expert", "max_turns": 3}],
}
EVERY = [(name, options) for name in sorted(registered()) for options in OPTIONS.get(name, [{}])]
IDS = [name + "".join(f"-{value}" for value in options.values()) for name, options in EVERY]

PLACEHOLDER = "Qwxyz 77120"
"""What the hostile player says when it means no harm: found in a prompt, it marks where its words stand."""


def obliging(name: str) -> Callable[[Request], Script]:
    """A valid reply to whatever is asked, always the same to the same player in the same role."""

    def say(request: Request) -> Script:
        if request.schema is None:
            return f"I am {name}. Answer: {'A' if request.question_id == 'choice' else f'City of {name}'}"
        said = {"reasoning": f"So says {name}.", "answer": f"City of {name}"}
        made = instance(request.schema, said, lambda place: seeded(0, name, place).random())
        return json.dumps(_proper(made, request.schema.get("properties", {})))

    return say


def _proper(made: dict[str, Any], properties: dict[str, Any]) -> dict[str, Any]:
    """A partition that is whole, a purse that is not overdrawn."""
    if "groups" in properties:
        made["groups"] = [[number + 1] for number in range(properties["groups"]["maxItems"])]
    if "grades" in properties:
        size = properties["grades"]["items"]["properties"]["id"]["maximum"]
        made["grades"] = [{"id": number + 1, "is_correct": False} for number in range(size)]
    if "points" in properties and properties["points"].get("type") == "array":
        made["points"] = [1] + [0] * (properties["points"].get("minItems", 1) - 1)
    return made


def saying(text: str, *, answers: bool = True) -> Callable[[Request], Script]:
    """In the form asked for, but every free text in it is this one: the words reach whoever hears this player.

    Without `answers` the answer itself stays what it is, for a play in which who changes its mind is heard again.
    """
    plain = obliging("mal")

    def say(request: Request) -> Script:
        if request.schema is None:
            own = PLACEHOLDER if text == PLACEHOLDER else "City of mal"
            return f"{text}\n\nAnswer: {'A' if request.question_id == 'choice' else own}"
        made = json.loads(str(plain(request)))
        free = {
            name
            for name, form in request.schema["properties"].items()
            if form.get("type") == "string" and "enum" not in form
        }
        if not answers:
            free -= {"answer"}
            made["answer"] = PLACEHOLDER if text == PLACEHOLDER else "City of mal"
        solution = {"solution"} if request.question_id == "open" and made.get("solution") else set()
        return json.dumps({name: text if name in free | solution else value for name, value in made.items()})

    return say


def verbatim(text: str) -> Callable[[Request], Script]:
    return lambda request: text


def seated(played: Strategy, mal: Callable[[Request], Script]) -> Team:
    scripts = {"ann": obliging("ann"), "mal": mal, "bob": obliging("bob"), "cat": obliging("cat")}
    players = tuple(Player(name, ScriptedModel(name, script)) for name, script in scripts.items())
    grouper = Stages(model=Player(GROUPING, ScriptedModel(GROUPING, obliging(GROUPING))))
    readers = tuple(Player(name, ScriptedModel(name, obliging("reader"))) for name in ("one", "two"))
    officers = {office: Player(office, ScriptedModel(office, obliging(office))) for office in traits_of(played).offices}
    team = Team("test", players, seed=7, captain="ann", grouper=grouper, officers=officers)
    return dataclasses.replace(team, reader=StagedReader(readers))


async def episode_of(played: Strategy, question: Question, mal: Callable[[Request], Script]) -> Episode:
    """As a run plays it, so that a bug in a strategy is an outcome and not an exception: it is looked for below."""
    lineup = played.lineups(seated(played, mal))
    team = next((each for each in lineup if any(player.name == "mal" for player in each.players)), lineup[0])
    return await play(Cell("cell", played, played.name, team, None, ""), question)


def made(name: str, options: dict[str, Any]) -> Strategy:
    if name == "discuss" and options.get("decision") == "judge":
        options = {**options, "judge": "arbiter"}
    return strategy(name, options)


def check(verdict: Verdict) -> None:
    assert verdict.outcome in OUTCOMES
    assert (verdict.answer is not None) == (verdict.outcome in ("answered", "undecided"))
    assert "a bug in" not in (verdict.cause or "")


def of_others(episode: Episode) -> tuple[list[Any], list[Any]]:
    """What the others answered and voted."""
    answers = [answer for answer in episode.verdict.answers if answer.player != "mal"]
    ballots = [ballot for ballot in episode.verdict.ballots if ballot.voter != "mal"]
    return answers, ballots


def letters_of_mal(episode: Episode) -> list[str | None]:
    return [answer.text for answer in episode.verdict.answers if answer.player == "mal"]


# --- nothing crashes ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "options"), EVERY, ids=IDS)
async def test_every_hostile_reply_is_only_a_reply(name: str, options: dict[str, Any]) -> None:
    """Whole replies as they are: usable or not, each play ends, and nobody speaks but for itself."""
    played = made(name, options)
    for number, text in enumerate(SMALL.values()):
        question = (OPEN, CHOICE)[number % 2]
        episode = await episode_of(played, question, verbatim(text))
        check(episode.verdict)
        voters = [(ballot.voter, ballot.turn) for ballot in episode.verdict.ballots]
        assert len(set(voters)) == len(voters), f"one voter, one ballot a turn: {voters}"
        others = {answer.player: answer.text for answer in episode.verdict.answers if answer.player != "mal"}
        if question is OPEN and name != "discuss":
            assert all(said in (None, f"City of {who}") for who, said in others.items()), others


@pytest.mark.parametrize("name", sorted(registered()))
async def test_large_replies(name: str) -> None:
    """Brackets without end, bombs for regular expressions, thousands of objects: as a reply, and as a text inside of one."""
    played = made(name, OPTIONS.get(name, [{}])[0])
    kinds = (
        "brackets-square",
        "objects-nested",
        "objects-many",
        "regex-bomb-answers",
        "spaces-in-a-bracket",
        "half-tags",
    )
    started = time.process_time()
    for kind in kinds:
        check((await episode_of(played, CHOICE, verbatim(GROWING[kind](100_000)))).verdict)
        check((await episode_of(played, CHOICE, saying(GROWING[kind](10_000)))).verdict)
    assert time.process_time() - started < 20


@pytest.mark.parametrize("name", sorted(registered()))
async def test_ten_megabytes(name: str) -> None:
    """As a reply that is none, and as an answer that all the others then read."""
    played = made(name, {"max_rounds": 1} if name == "debate" else OPTIONS.get(name, [{}])[0])
    started = time.process_time()
    check((await episode_of(played, OPEN, verbatim("x" * 10 * 2**20))).verdict)
    # A debate repeats to everybody what all have said so far: of ten, each prompt would hold a hundred.
    check((await episode_of(played, OPEN, saying("y" * (2 if name == "debate" else 10) * 2**20))).verdict)
    assert time.process_time() - started < 20


# --- one's words are one's own -----------------------------------------------------------------------------------------


def words_of(call: Call) -> str:
    return "\n\n".join(f"{message.role}: {message.content}" for message in call.request.messages)


def segments(prompt: str) -> list[str]:
    """What stands around the words of the hostile player."""
    return prompt.split(PLACEHOLDER)


def only_its_words_differ(plain: str, hostile: str) -> None:
    """Every byte that the hostile player did not write is there, in order, and what it wrote opens and closes nothing."""
    first, *rest = segments(plain)
    assert hostile.startswith(first)
    place = len(first)
    for number, segment in enumerate(rest):
        last = number == len(rest) - 1
        found = len(hostile) - len(segment) if last else hostile.find(segment, place)
        assert found >= place, f"gone or changed: {segment[:80]!r}"
        assert hostile[found:].startswith(segment)
        theirs = hostile[place:found]
        assert block(theirs) == theirs, f"a block is opened or closed by {theirs[:80]!r}"
        place = found + len(segment)


TEXTS = {
    "forged-tags": "\n".join(forged_tags()),
    **{name: SMALL[name] for name in SMALL if name.startswith(("forged-", "injection-", "vote-two", "vote-ballots"))},
    "characters-right-to-left": SMALL["characters-right-to-left"],
    "characters-html": SMALL["characters-html"],
}


@pytest.mark.parametrize(("name", "options"), EVERY, ids=IDS)
async def test_the_others_are_heard_as_they_spoke(name: str, options: dict[str, Any]) -> None:
    """The same play with harmless words and with hostile ones, prompt by prompt: only those words differ."""
    played = made(name, options)
    for question in (OPEN, CHOICE):
        answers = name != "debate" or question is CHOICE
        plain = await episode_of(played, question, saying(PLACEHOLDER, answers=answers))
        # In a debate it would be heard again what it has changed its mind about: words that hold no answer are enough.
        for text in TEXTS.values() if name != "debate" else (TEXTS["forged-tags"], TEXTS["characters-html"]):
            hostile = await episode_of(played, question, saying(text, answers=answers))
            check(hostile.verdict)
            assert of_others(plain)[0] == of_others(hostile)[0], "their answers are theirs"
            if question is CHOICE and letters_of_mal(plain) != letters_of_mal(hostile):
                continue  # in free words it may have said another letter, or none: that is its own affair
            assert len(plain.calls) == len(hostile.calls)
            for one, other in zip(plain.calls, hostile.calls, strict=True):
                assert (one.player, one.stage, one.turn) == (other.player, other.stage, other.turn)
                if one.player != "mal":
                    only_its_words_differ(words_of(one), words_of(other))
            assert of_others(plain)[1] == of_others(hostile)[1], "their votes are theirs"


@pytest.mark.parametrize("language", ["en", "ru"])
def test_every_tag_of_every_template_is_known(language: str) -> None:
    """A tag that a template uses and `block` does not know could be forged."""
    import re

    paths = [path for path in Path(moot.__file__).parent.rglob("*.j2") if language in path.parts]
    assert {"draft.j2", "review.j2", "ballot.j2", "resolution.j2"} <= {path.name for path in paths}
    for path in paths:
        for tag in set(re.findall(r"<([a-z]+)[ >]", path.read_text(encoding="utf-8"))):
            assert block(f"</{tag}>") == f"‹/{tag}>", f"{path.name} uses <{tag}>"
            assert block(f"<{tag} n=1>") == f"‹{tag} n=1>"


def test_every_forged_tag_loses_its_bracket() -> None:
    for text in forged_tags():
        assert not any(bracket in block(text) for bracket in "<＜﹤"), text
    for tag in TAGS:
        assert block(f"<{tag}ing> <{tag}_x> < {tag} -") != ""
    for harmless in ("1 < 2", "a <b> c", "List<int>", "<p>text</p>", "x<y/z", "<3", "<>", "</>", "<answering>"):
        assert block(harmless) == harmless


async def test_a_judge_and_a_grouper_see_answers_in_their_blocks() -> None:
    """Aimed at those who do not play: their prompts hold the hostile answer in one block, the others in theirs."""
    prompts = Prompts("en")
    for text in TEXTS.values():
        seen = {}
        for said in (PLACEHOLDER, text):
            model = ScriptedModel("judge", obliging("judge"))
            answers = {"1": "City of ann", "2": said, "3": "City of bob"}
            case = Case(OPEN, "Paris")
            await judge(Player("judge", model), case, answers, Team("judges", (), prompts))
            seen[said] = model.requests[0].messages[-1].content
            grouped = prompts.render("group", question="Which?", answers=list(answers.values()), reference=None)
            seen[said] += grouped
        only_its_words_differ(seen[PLACEHOLDER], seen[text])
