"""Discussions from file to figures: scripted agents, and every figure against a count made here in plain Python."""

from __future__ import annotations

import asyncio
import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from statistics import fmean, stdev
from typing import Any
from zlib import crc32

import pytest
from rich.cells import cell_len
from rich.console import Console
from sqlalchemy import Connection, select

from moot.engine.runner import Runner
from moot.experiment.build import build
from moot.experiment.spec import read_experiment
from moot.grade.embedding import MODEL
from moot.grade.normalise import normalise
from moot.measures.cells import Stored
from moot.measures.discussion import similarity as discussion_similarity
from moot.measures.discussion.naming import names_of, options_of, varied
from moot.measures.discussion.sections import discussion_sections
from moot.measures.discussion.talks import overlap_cosine
from moot.models import packaged
from moot.models.scripted import Script, ScriptedModel
from moot.report.figures import figures, find_experiment
from moot.report.sections import all_sections
from moot.report.terminal import print_report
from moot.store import schema
from moot.strategies import label, strategy, traits_of
from moot.strategies.option_values import option_json
from moot.team.player import OCCASION_STRIDE
from moot.types import Request

PLAYERS = ("ann", "bob", "cat", "dan", "eve")
CHOICES = ["red fox", "red hen", "grey fox", "grey goose"]
REPEATS = 2
WORDS = {
    # By question, what ann to eve hold in each repeat. A is right.
    "q0": ("AAAAA", "AAABB"),
    "q1": ("AABAB", "BABAA"),
    "q2": ("BBBBB", "BBBBA"),
    "q3": ("ABABA", "ABCBB"),
    "q4": ("ABCBC", "CBDAA"),
    "q5": ("BCAAA", "DDAAA"),
}
PLANTED = {"q0": "A", "q1": "B", "q2": "C", "q3": "D", "q4": "D", "q5": "D"}


def kind(request: Request) -> str:
    """What is asked for, by the fields of the form."""
    fields = set((request.schema or {}).get("properties", {}))
    known = {"role": "persona", "message": "discuss", "answer": "answer", "agree": "challenge", "grades": "judge"}
    return next((name for key, name in known.items() if key in fields), "ballot")


@dataclass
class Company:
    """Agents who hold what `WORDS` says, whatever they hear, and vote for it; and all ballot papers that they saw."""

    papers: list[tuple[str, int, list[str], str]] = field(default_factory=list)
    """(question, repeat, options as shown, what the voter holds)"""

    def reply(self, player: str, request: Request) -> Script:
        prompt, question = request.messages[-1].content, str(request.question_id)
        if player == "zed":
            return {"reasoning": "", "answer": PLANTED[question]}
        repeat = request.sample % OCCASION_STRIDE
        said = WORDS[question][repeat]
        own = said[PLAYERS.index(player)]
        match kind(request):
            case "discuss":
                latest = (re.findall(r"<solution>\n(.*?)\n</solution>", prompt, re.DOTALL) or [None])[-1]
                message = {"message": f"So it is: {crc32(prompt.encode())}.", "solution": own, "agree": latest == own}
                return {key: value for key, value in message.items() if key in (request.schema or {})["properties"]}
            case "challenge":
                shown = re.findall(r"<answer>\n(.*?)\n</answer>", prompt, re.DOTALL)[0]
                return {"reasoning": "", "agree": shown == own}
            case "ballot":
                options = re.findall(r'<solution n="\d+">\n(.*?)\n</solution>', prompt, re.DOTALL)
                self.papers.append((question, repeat, options, own))
                return {"choice": options.index(own) + 1}
            case _:
                return {"reasoning": "So it is.", "answer": own}

    # What should come out.

    def voted(self, question: str, repeat: int, agents: int = 3) -> tuple[str, int | None]:
        """The answer, and the turn of the decision; None: undecided."""
        said = WORDS[question][repeat][:agents]
        most = max(map(said.count, said))
        winners = {each for each in said if said.count(each) == most}
        return (winners.pop(), 3) if len(winners) == 1 else (said[0], None)

    def agreed(self, question: str, repeat: int) -> tuple[str, int | None]:
        """Majority consensus of three: who speaks agrees with the one before, or says something else."""
        ann, bob, cat = WORDS[question][repeat][:3]
        if ann == bob or bob == cat:
            return bob, 1
        return (ann, 2) if ann == cat else (cat, None)


def plays() -> list[tuple[str, int]]:
    return [(question, repeat) for question in WORDS for repeat in range(REPEATS)]


def mean(values: Mapping[tuple[str, int], float]) -> float:
    return fmean(fmean(values[question, repeat] for repeat in range(REPEATS)) for question in WORDS)


NONE = {"personas": "none"}
STRATEGIES: list[Any] = [
    "solo",
    *({"discuss": {**NONE, "agents": agents}} for agents in (1, 3, 5)),
    {"discuss": {**NONE, "vote_from": 1}},
    {"discuss": {**NONE, "max_turns": 3}},
    {"discuss": {**NONE, "decision": "majority-consensus"}},
    {"discuss": {**NONE, "decision": "solution-counting"}},
    {"discuss": {**NONE, "style": "critical"}},
    {"discuss": {**NONE, "drafting": "all-agents-drafting"}},
    {"discuss": {**NONE, "challenge": "solution"}},
    {"discuss": {**NONE, "challenge": "wrong", "planted_by": "zed"}},
    {"discuss": {**NONE, "agents": 1, "max_turns": 1, "vote_from": 1, "step_by_step": True}},
]


async def played(
    folder: Path, company: Any, strategies: Sequence[Any], *, open_ended: bool = False, **more: Any
) -> Any:
    """Run it, and give the figures and the judgements that are in the store then."""
    lines = [
        {"id": name, "text": f"Which, {name}?", "answer": "A" if not open_ended else "Don"}
        | ({} if open_ended else {"choices": CHOICES})
        for name in WORDS
    ]
    sets: dict[str, list[str]] = {}
    for line in lines:
        sets.setdefault("odd" if int(line["id"][1:]) % 2 else "even", []).append(json.dumps(line))
    for name, written in sets.items():
        (folder / f"{name}.jsonl").write_text("\n".join(written), encoding="utf-8")
    names = (*PLAYERS, "zed", *more.get("judge", {}).get("models", ()))
    spec = {
        "name": "talk",
        "seed": 3,
        "repeats": REPEATS,
        "questions": [{"file": f"{name}.jsonl"} for name in sets],
        "models": {name: {"provider": "simulated", "accuracy": 0.5} for name in names},
        "players": {name: {"model": name} for name in PLAYERS},
        "teams": {"five": {"players": list(PLAYERS)}},
        "strategies": list(strategies),
        **more,
    }
    path = folder / "talk.yaml"
    path.write_text(json.dumps(spec), encoding="utf-8")
    plan = build(read_experiment(path))
    models = {
        name: replace(built, model=ScriptedModel(name, lambda request, name=name: company.reply(name, request)))
        for name, built in plan.models.items()
    }
    store = await plan.store().open()
    try:
        await Runner(replace(plan, models=models), store).run()
        found = await store.run(lambda connection: figures(connection, find_experiment(connection, "talk")))
        return found, await store.run(_judged)
    finally:
        await store.close()


def _judged(connection: Connection) -> list[tuple[str, int | None]]:
    table = schema.judgements
    return [(row.answer, row.right) for row in connection.execute(select(table))]


@pytest.fixture(scope="module")
def company() -> Company:
    return Company()


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory, company: Company) -> dict[str, Any]:
    found, _ = asyncio.run(played(tmp_path_factory.mktemp("talk"), company, STRATEGIES))
    return dict(found)


def row_of(
    rows: Sequence[Mapping[str, Any]], protocol: str, more: str | None = None, **wanted: Any
) -> Mapping[str, Any]:
    named = {"protocol": protocol, "with": more, **wanted}
    (row,) = (row for row in rows if all(row[key] == value for key, value in named.items()))
    return row


@pytest.mark.parametrize(("more", "agents"), [("1 agent", 1), (None, 3), ("5 agents", 5)])
def test_scores_with_deviation_and_interval(
    talk: dict[str, Any], company: Company, more: str | None, agents: int
) -> None:
    right = {play: float(company.voted(*play, agents)[0] == "A") for play in plays()}
    row = row_of(talk["protocols"], "simple-voting", more, whole=True)
    assert row["value"] == pytest.approx(mean(right))
    assert row["deviation"] == pytest.approx(stdev(fmean(right[q, r] for q in WORDS) for r in range(REPEATS)))
    assert row["low"] < row["value"] < row["high"]
    assert (row["n"], row["repeats"], row["small"]) == (6, 2, True)
    odd = row_of(talk["protocols"], "simple-voting", more, dataset="odd")
    assert odd["value"] == pytest.approx(fmean(right[q, r] for q in ("q1", "q3", "q5") for r in range(REPEATS)))


def test_players_alone_stand_beside(talk: dict[str, Any]) -> None:
    row = row_of(talk["protocols"], "solo@bob", whole=True)
    assert row["value"] == pytest.approx(fmean(WORDS[q][r][1] == "A" for q, r in plays()))
    steps = row_of(talk["protocols"], "simple-voting", "ann alone, step by step", whole=True)
    assert steps["value"] == row_of(talk["protocols"], "solo@ann", whole=True)["value"]


def test_turns_to_a_decision(talk: dict[str, Any], company: Company) -> None:
    for protocol, ended in (("simple-voting", company.voted), ("majority-consensus", company.agreed)):
        turns = [ended(*play)[1] for play in plays()]
        assert None in turns, "there is something undecided"
        row = row_of(talk["protocol_turns"], protocol)
        assert {each["turn"]: each["times"] for each in row["turns"]} == {t: turns.count(t) for t in turns if t}
        assert row["undecided"] == pytest.approx(turns.count(None) / len(turns))
        assert row["rounds"] == pytest.approx(fmean(turn or 5 for turn in turns))
        assert row["no_answer"] == 0
    assert row_of(talk["protocol_turns"], "majority-consensus")["family"] == "consensus"
    own = [row for row in talk["protocol_turns"] if row["family"] == "voting" and row["with"] is None]
    voting = next(row for row in talk["protocol_rounds"] if row["family"] == "voting")
    assert voting["rounds"] == pytest.approx(fmean(row["rounds"] for row in own)), (
        "of those that differ in nothing else"
    )
    assert {row["family"]: row["protocols"] for row in talk["protocol_rounds"]} == {
        "voting": ["simple-voting", "solution-counting"],
        "consensus": ["majority-consensus"],
    }


def test_cost_beside_a_single_model(talk: dict[str, Any], company: Company) -> None:
    assert row_of(talk["protocol_cost"], "solo@ann")["calls"] == 1
    one = row_of(talk["protocol_cost"], "simple-voting", "1 agent")
    assert (one["calls"], one["calls_ratio"]) == (3, 3), "three turns; the last solution is there already"
    counted = row_of(talk["protocol_cost"], "solution-counting")
    calls = [3 * 3 if company.voted(*play)[1] else 5 * 3 for play in plays()]  # counting takes no call
    assert counted["calls"] == pytest.approx(fmean(calls))
    assert counted["calls_ratio"] == pytest.approx(fmean(calls))
    assert counted["tokens_ratio"] is None, "a script counts no tokens"


def test_scaling_in_agents_and_rounds(talk: dict[str, Any], company: Company) -> None:
    rows = {(row["along"], row["key"]): row for row in talk["scaling"]}
    assert set(rows) == {("agents", "agents"), ("rounds", "vote_from"), ("rounds", "max_turns")}
    agents = rows["agents", "agents"]
    means = {n: mean({play: float(company.voted(*play, n)[0] == "A") for play in plays()}) for n in (1, 3, 5)}
    assert {point["x"]: pytest.approx(point["value"]) for point in agents["points"]} == means
    assert agents["slope"] == pytest.approx((means[5] - means[1]) / 4), "least squares through three even points"
    assert agents["low"] < agents["slope"] < agents["high"]
    assert agents["points"][1]["line"] == pytest.approx(fmean(means.values()))
    assert [point["x"] for point in rows["rounds", "max_turns"]["points"]] == [3, 5]
    (section,) = (each for each in discussion_sections(talk) if each.id == "scaling-agents")
    assert "points for one more agent, by least squares on 6 questions" in section.words[0]
    ends = [(row["x"], row["value"]) for row in section.rows if row["name"] == "simple-voting, line"]
    assert ends == [
        (1, pytest.approx(agents["intercept"] + agents["slope"])),
        (5, pytest.approx(agents["points"][2]["line"])),
    ]


def test_differences_against_the_default_and_against_counting(talk: dict[str, Any], company: Company) -> None:
    rows = {(row["part"], row["of"]): row for row in talk["protocol_differences"]}
    assert set(rows) == {
        ("style", "critical"),
        ("drafting", "all-agents-drafting"),
        ("decision", "simple-voting"),
        ("decision", "majority-consensus"),
    }
    voted = {play: float(company.voted(*play)[0] == "A") for play in plays()}
    agreed = {play: float(company.agreed(*play)[0] == "A") for play in plays()}
    consensus = rows["decision", "majority-consensus"]
    assert consensus["difference"] == pytest.approx(mean(agreed) - mean(voted))
    assert consensus["difference"] != 0
    assert (consensus["against"], consensus["test"], consensus["family"]) == ("solution-counting", "score", 4)
    assert {row["with"] for row in rows.values()} == {None}, "nothing else sets these rows apart"
    assert rows["style", "critical"]["difference"] == 0, "these agents hold what they hold"


@pytest.mark.parametrize("weights", [False, True])
async def test_likeness_beside_score(
    tmp_path: Path, company: Company, monkeypatch: pytest.MonkeyPatch, weights: bool
) -> None:
    if weights and not packaged.find(MODEL).there:
        pytest.skip(f"the weights of {MODEL} are not here")
    if not weights:
        monkeypatch.setattr(discussion_similarity.packaged, "find", lambda name: replace(MISSING, name=name))
    found, _ = await played(tmp_path, company, [{"discuss": NONE}])
    (row,) = found["similarity"]
    assert row["method"] == (f"cosine of {MODEL}" if weights else "words in common")
    assert (row["n"], row["sampled"]) == (6, False)
    assert row["accuracy"] == pytest.approx(mean({play: float(company.voted(*play)[0] == "A") for play in plays()}))
    texts = {play: [CHOICES["ABCD".index(letter)] for letter in WORDS[play[0]][play[1]][:3]] for play in plays()}
    shared = mean(
        {play: fmean(overlap_cosine(*pair) for pair in combinations(each, 2)) for play, each in texts.items()}
    )
    if weights:
        assert shared < row["similarity"] < 1, "foxes are more like geese than their letters are"
    else:
        assert row["similarity"] == pytest.approx(shared)


MISSING = replace(packaged.find(MODEL), parts=(replace(packaged.find(MODEL).parts[0], file="not there"),), sha256="0")


async def test_many_answers_are_sampled(tmp_path: Path, company: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    if not packaged.find(MODEL).there:
        pytest.skip(f"the weights of {MODEL} are not here")
    monkeypatch.setattr(discussion_similarity, "EMBEDDED", 3)
    found, _ = await played(tmp_path, company, [{"discuss": NONE}])
    (row,) = found["similarity"]
    assert row["sampled"]
    assert 0 < row["n"] < 6
    (section,) = (each for each in discussion_sections(found) if each.id == "similarity")
    assert any("sample" in sentence for sentence in section.words)


def test_position_on_the_ballot(talk: dict[str, Any], company: Company) -> None:
    row = row_of(talk["position_bias"], "simple-voting", "5 agents")
    unlike = [play for play in plays() if len(set(WORDS[play[0]][play[1]])) > 1]
    assert row["n"] == len({question for question, _ in unlike})
    votes = {play: 1 if company.voted(*play, 5)[1] else 3 for play in unlike}
    assert row["decisions"] == 5 * sum(votes.values())
    assert row["chance"] == pytest.approx(
        sum(5 * votes[q, r] / len(set(WORDS[q][r])) for q, r in unlike) / row["decisions"]
    )
    assert row["first_difference"] == pytest.approx(row["first"] - row["chance"])
    three = row_of(talk["position_bias"], "simple-voting", "vote from 1")
    assert three["apart"] == {}
    assert all(row["protocol"] == "simple-voting" for row in talk["position_bias"]), "nobody else casts ballots"
    assert {row["by"] for row in talk["position_bias"]} == {"voter"}
    assert talk["position_bias"][0]["family"] == 2 * len(talk["position_bias"])


async def test_first_places_are_those_that_were_shown(tmp_path: Path) -> None:
    company = Company()
    found, _ = await played(tmp_path, company, [{"discuss": {**NONE, "max_turns": 3}}])
    (row,) = found["position_bias"]
    firsts = [options[0] == own for _, _, options, own in company.papers]
    assert row["decisions"] == len(firsts)
    assert row["first"] == pytest.approx(fmean(firsts))


def test_challenges(talk: dict[str, Any], company: Company) -> None:
    row = row_of(talk["challenges"], "simple-voting", setting="solution")
    said = [(company.voted(*play)[0], own) for play in plays() for own in WORDS[play[0]][play[1]][:3]]
    objected = [(shown, own) for shown, own in said if shown != own]
    assert (row["agents"], row["challenged"]) == (len(said), len(objected))
    assert row["rate"] == pytest.approx(len(objected) / len(said))
    better, worse = (sum(pair[place] == "A" for pair in objected) for place in (1, 0))
    assert (row["improved"], row["worsened"]) == (better, worse)
    assert row["net"] == pytest.approx((better - worse) / len(objected))
    assert (row["part"], row["not_held"], row["did_not_say"], row["n"]) == ("shown", 0, 0, 6)


def test_planted_answers_that_are_right_stand_apart(talk: dict[str, Any]) -> None:
    apart = row_of(talk["challenges"], "simple-voting", part="planted, but right")
    wrong = row_of(talk["challenges"], "simple-voting", part="planted")
    assert {row["setting"] for row in (apart, wrong)} == {"wrong"}
    assert (apart["n"], wrong["n"]) == (1, 5)
    for row, chosen in ((apart, ["q0"]), (wrong, [q for q in WORDS if q != "q0"])):
        said = [(PLANTED[q], own) for q in chosen for r in range(REPEATS) for own in WORDS[q][r][:3]]
        objected = [own for shown, own in said if shown != own]
        assert row["rate"] == pytest.approx(len(objected) / len(said))
        assert row["improved"] == (0 if row is apart else objected.count("A"))
    (section,) = (each for each in discussion_sections(talk) if each.id == "challenges")
    assert any("set apart" in sentence for sentence in section.words)


def test_everything_is_json_and_fits(talk: dict[str, Any]) -> None:
    json.dumps(talk, allow_nan=False)
    console = Console(width=80, record=True, file=io.StringIO())
    print_report(talk, console)
    text = console.export_text()
    drawn = [section for section in discussion_sections(talk) if section.rows]
    assert len(drawn) == 15
    for section in drawn:
        assert section.title in text
    assert max(map(cell_len, text.splitlines())) <= 80


class Rivers:
    """Open answers: what is asked of the judge, and what it is asked about."""

    def __init__(self) -> None:
        self.judged: list[str] = []

    def reply(self, player: str, request: Request) -> Script:
        prompt = request.messages[-1].content
        if player == "jan":
            given = re.findall(r'<answer n="\d+">\n(.*?)\n</answer>', prompt, re.DOTALL)
            self.judged += given
            return {"grades": [{"id": n, "is_correct": "Don" in each} for n, each in enumerate(given, start=1)]}
        if player == "zed":
            return {"reasoning": "", "answer": "the lower Don" if request.question_id == "q0" else "Ob"}
        asked = kind(request)
        if asked == "discuss":
            fields = (request.schema or {})["properties"]
            message = {"message": "hm", "solution": "Oka", "agree": True}
            return {key: value for key, value in message.items() if key in fields}
        if asked == "challenge":
            return {"reasoning": "", "agree": player == "ann"}
        new = {"bob": "the quiet Don", "cat": "Neva"}.get(player, "Oka") if "do not agree" in prompt else "Oka"
        return {"reasoning": "", "answer": new}


async def test_judges_hear_what_a_challenge_brought(tmp_path: Path) -> None:
    company = Rivers()
    settings = [{"challenge": "solution"}, {"challenge": "wrong", "planted_by": "zed"}]
    strategies = [{"discuss": {**NONE, **each}} for each in settings]
    found, judged = await played(tmp_path, company, strategies, open_ended=True, judge={"models": ["jan"]})
    expected = {"Oka": False, "the quiet Don": True, "Neva": False, "Ob": False, "the lower Don": True}
    assert dict(judged) == {normalise(name): right for name, right in expected.items()}
    assert len(company.judged) == len(judged), "equal answers to one question once"
    own = row_of(found["challenges"], "simple-voting", setting="solution")
    assert (own["improved"], own["worsened"], own["ungraded"]) == (12, 0, 0)
    assert own["net"] == pytest.approx(1 / 2), "bob improves it, cat does not"
    assert own["rate"] == pytest.approx(2 / 3)
    apart = row_of(found["challenges"], "simple-voting", part="planted, but right")
    assert (apart["n"], apart["improved"], apart["worsened"]) == (1, 0, 2), "cat gives up what is right, twice"


async def test_rows_that_only_a_detail_tells_apart_are_told_apart(tmp_path: Path) -> None:
    """Of planted answers it is a detail who wrote them, but where nothing else differs."""
    challenged = [{"challenge": "wrong", "planted_by": name} for name in ("zed", "jan")]
    strategies = [{"discuss": {**NONE, **each}} for each in (*challenged, {"challenge": "solution"}, {})]
    found, _ = await played(tmp_path, Company(), strategies, judge={"models": ["jan"]})
    names = {row["label"]: row["with"] for row in found["protocols"]}
    assert set(names.values()) == {
        *("challenge wrong, planted by zed", "challenge wrong, planted by jan", "challenge solution"),
        None,
    }
    (section,) = (section for section in all_sections(found) if section.id == "challenges")
    words = [column.key for column in section.columns if column.key in ("protocol", "with", "setting", "part")]
    assert len({tuple(row[key] for key in words) for row in section.rows}) == len(section.rows)


async def test_without_discussions_there_is_nothing(tmp_path: Path) -> None:
    found, _ = await played(tmp_path, Company(), ["solo", "vote"])
    assert not {"protocols", "scaling", "similarity", "challenges"} & set(found)
    assert not {"protocols", "challenges"} & {section.id for section in all_sections(found)}


def cell_of(**options: Any) -> Stored:
    """A discussion as a store keeps it."""
    played = strategy("discuss", options)
    kept = option_json(played)
    return Stored(
        id=str(options),
        strategy=played.name,
        label=label(played),
        team="five",
        captain=None,
        player=None,
        cohort=None,
        spec="{}",
        given=kept["given"],
        options={**kept["default"], **kept["given"]},
        traits=traits_of(played),
    )


def test_options_are_values_and_never_their_words() -> None:
    """A text that looks like another option changes nothing but itself."""
    plain = cell_of(agents=2, personas=["one", "two"], decision="judge", judge="eve")
    tricky = cell_of(agents=2, personas=["one, agents=4", "two (b)"], decision="judge", judge="eve, style=critical")
    assert varied([plain, tricky]) == ["personas", "judge"]
    assert options_of(plain)["paradigm"] == "memory", "left out is a way too"
    assert varied([cell_of(), cell_of(paradigm="memory")]) == []
    names = names_of([cell_of(), cell_of(agents=5, style="critical", vote_from=2), cell_of(paradigm="relay")])
    assert [row["with"] for row in names.values()] == [None, "critical, 5 agents, vote from 2", "relay"]
