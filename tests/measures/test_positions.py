"""Position bias from file to figures: scripted deciders, and every figure against what their prompts really showed."""

from __future__ import annotations

import asyncio
import io
import json
import sqlite3
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean
from typing import Any
from zlib import crc32

import pytest
from rich.console import Console

from moot.engine.runner import Runner
from moot.experiment.build import build
from moot.experiment.spec import read_experiment
from moot.models.scripted import Script, ScriptedModel
from moot.report.figures import figures, find_experiment
from moot.report.sections import all_sections
from moot.report.tables import as_frame, section_columns
from moot.report.terminal import print_report
from moot.simulate.prompt_reading import read_shown
from moot.types import Request

PLAYERS = ("ann", "bob", "cat", "dan")
CITIES = ("paris", "lyon", "nice", "metz")
QUESTIONS = 60
SUMMARISER = "zed"


@dataclass
class Company:
    """Players who draft what chance has given them, and decide by the first place or without looking at places."""

    bias: float
    """How often the first shown is taken."""
    shown: dict[tuple[str, str], list[tuple[str, list[str], str]]] = field(default_factory=lambda: defaultdict(list))
    """(what is asked for, who) -> (question, texts as shown, the word)."""

    def draft(self, player: str, question: str) -> str | None:
        number = int(question[1:])
        if number % 12 == 0:
            return "paris"  # all alike
        if number % 12 == 1 and player == "dan":
            return None  # three are shown
        return CITIES[crc32(f"{player} {question}".encode()) % 3]

    def reply(self, player: str, request: Request) -> Script:
        question, prompt = str(request.question_id), request.messages[-1].content
        texts = [each.text for each in read_shown(request.messages)]
        if not texts:
            answer = self.draft(player, question)
            return "I have no idea." if answer is None else {"reasoning": "A hunch.", "answer": answer}
        stage = _stage(request, prompt)
        word = self.word(player, stage, question, texts, request.sample)
        self.shown[stage, player].append((question, texts, word or ""))
        if word is None:
            return "Who knows."
        fields = (request.schema or {}).get("properties", {"reasoning": 0, "answer": 0})
        return {key: word if key == "answer" else "So it is." for key in fields}

    def word(self, player: str, stage: str, question: str, texts: Sequence[str], sample: int) -> str | None:
        lot = crc32(f"{player} {stage} {question} {sample}".encode())
        if int(question[1:]) % 12 == 2:
            return None if lot % 2 else "brest"  # nothing usable, or what nobody has said
        if lot % 100 < 100 * self.bias:
            return texts[0]
        return sorted(texts)[lot // 100 % len(texts)]  # whatever the order


def _stage(request: Request, prompt: str) -> str:
    fields = (request.schema or {}).get("properties", {})
    if "steelman" in fields or "summary" in fields:
        return "debate"
    if "strongest" in fields or "strongest" in prompt:
        return "review"
    if "solvers" in prompt:
        return "summarise"
    return "talkative" if "<reasoning>" in prompt else "silent"


async def played(folder: Path, company: Company, strategies: Sequence[Any], **more: Any) -> dict[str, Any]:
    """Through the real path: a file, a run into a store, and the figures read from it."""
    lines = [{"id": f"q{number}", "text": f"Which city, {number}?", "answer": "Paris"} for number in range(QUESTIONS)]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    names = (*PLAYERS, SUMMARISER)
    spec = {
        "name": "cup",
        "seed": 3,
        "questions": {"file": "questions.jsonl"},
        "models": {name: {"provider": "simulated", "accuracy": 0.5} for name in names},
        "players": {name: {"model": name} for name in PLAYERS},
        "teams": {"four": {"players": list(PLAYERS), "captain": "each"}},
        "grouping": {"match": "only"},
        "strategies": list(strategies),
        **more,
    }
    path = folder / "cup.yaml"
    path.write_text(json.dumps(spec), encoding="utf-8")
    plan = build(read_experiment(path))
    models = {
        name: replace(
            built,
            model=ScriptedModel(name, lambda request, name=name: company.reply(name, request)),  # type: ignore[misc]
        )
        for name, built in plan.models.items()
    }
    store = await plan.store().open()
    try:
        await Runner(replace(plan, models=models), store).run()
        return await store.run(lambda connection: figures(connection, find_experiment(connection, "cup")))
    finally:
        await store.close()


STRATEGIES = (
    "silent",
    "talkative",
    {"adaptive": {"talk_from": 3}},
    {"peer-review": {"drafts": "single-call"}},
    {"mixture": {"summariser": SUMMARISER, "repeats": 2}},
    {
        "mixture": {
            "summariser": SUMMARISER,
            "repeats": 1,
            "order": "ascending",
            "shown_accuracies": dict.fromkeys(PLAYERS, 0.5),
        }
    },
)


def find(rows: Sequence[Mapping[str, Any]], **wanted: Any) -> Mapping[str, Any]:
    (row,) = [row for row in rows if all(row.get(key) == value for key, value in wanted.items())]
    return row


def shares(looks: Sequence[tuple[str, list[str], str]], place: int) -> list[float]:
    """Counted from the prompts: what the text in this place has of the word, where that tells anything."""
    told = [(texts, word) for _, texts, word in looks if word in texts and len(set(texts)) > 1]
    return [(texts[place] == word) / texts.count(word) for texts, word in told]


@pytest.fixture(scope="module")
def company() -> Company:
    return Company(0.5)


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory, company: Company) -> dict[str, Any]:
    return asyncio.run(played(tmp_path_factory.mktemp("cup"), company, STRATEGIES))


def test_what_the_prompts_showed(cup: dict[str, Any], company: Company) -> None:
    rows = cup["position_bias"]
    for stage, by, label in (
        ("silent", "captain", "silent"),
        ("talkative", "captain", "talkative"),
        ("review", "reviewer", "peer-review(drafts=single-call)"),
    ):
        every = [look for name in PLAYERS for look in company.shown[stage, name]]
        for captain, looks in [(None, every), *((name, company.shown[stage, name]) for name in PLAYERS)]:
            row = find(rows, label=label, captain=captain)
            first, last = shares(looks, 0), shares(looks, -1)
            assert (row["by"], row["decisions"]) == (by, len(first))
            assert (row["first"], row["last"]) == pytest.approx((fmean(first), fmean(last)))
            assert row["first_difference"] == pytest.approx(row["first"] - row["chance"])
            assert row["decisions"] + sum(row["apart"].values()) == QUESTIONS * (4 if captain is None else 1)
            assert bool(row["places"]) == (captain is None), "place by place over all of them only"


def test_summarisers(cup: dict[str, Any], company: Company) -> None:
    drawn, fixed = [row for row in cup["position_bias"] if row["by"] == "summariser"]
    assert drawn["summariser"] == fixed["summariser"] == SUMMARISER
    assert drawn["decisions"] + sum(drawn["apart"].values()) == 2 * QUESTIONS
    assert drawn["n"] < drawn["decisions"], "repeats of a question are one cluster"
    seen = company.shown["summarise", SUMMARISER]
    assert len(seen) >= 3 * QUESTIONS, "two repeats, and once in a fixed order"
    # Sorted by accuracy, a place says who stands there: nothing can be told about the place itself.
    assert fixed["apart"] == {"not_drawn": QUESTIONS}
    assert (fixed["first"], fixed["first_p"], fixed["decisions"]) == (None, None, 0)


def test_nothing_is_lost(cup: dict[str, Any]) -> None:
    row = find(cup["position_bias"], label="silent", captain=None)
    assert row["apart"]["alike"] == 4 * QUESTIONS // 12
    assert row["apart"]["new"] + row["apart"]["no_answer"] == 4 * QUESTIONS // 12
    adaptive = find(cup["position_bias"], strategy="adaptive", captain=None)
    assert adaptive["apart"]["not_shown"] > 0, "where the vote stood no captain was asked"
    assert adaptive["decisions"] + sum(adaptive["apart"].values()) == 4 * QUESTIONS


def test_a_planted_bias_is_found(cup: dict[str, Any]) -> None:
    for label in ("silent", "talkative", "peer-review(drafts=single-call)"):
        row = find(cup["position_bias"], label=label, captain=None)
        assert row["first_low"] > 0.1
        assert row["first_p_holm"] < 0.01
        assert row["places"][0]["low"] > 0 > row["last_difference"]
        assert [each["place"] for each in row["places"]] == [1, 2, 3, 4]
        assert row["places"][3]["decisions"] < row["places"][2]["decisions"], "dan was silent now and then"
    assert cup["position_bias"][0]["family"] == 2 * sum(row["decisions"] > 0 for row in cup["position_bias"])


async def test_without_a_bias_nothing_is_found(tmp_path: Path) -> None:
    found = await played(tmp_path, Company(0.0), STRATEGIES[:5])
    rows = [row for row in found["position_bias"] if row["captain"] is None]
    assert {row["by"] for row in rows} == {"captain", "reviewer", "summariser"}
    for row in rows:
        for end in ("first", "last"):
            assert row[f"{end}_low"] < 0 < row[f"{end}_high"]
            assert row[f"{end}_p_holm"] > 0.05


DEBATE = {"debate": {"drafts": "single-call", "max_rounds": 2}}


@pytest.fixture(scope="module")
def debaters() -> Company:
    return Company(0.6)


@pytest.fixture(scope="module")
def debate(tmp_path_factory: pytest.TempPathFactory, debaters: Company) -> dict[str, Any]:
    return asyncio.run(played(tmp_path_factory.mktemp("debate"), debaters, [DEBATE, "silent"]))


def test_debaters_by_what_their_prompts_showed(debate: dict[str, Any], debaters: Company) -> None:
    rows = [row for row in debate["position_bias"] if row["by"] == "debater"]
    assert [row["captain"] for row in rows] == [None, *PLAYERS], "one debate for all its line-ups, told by its readers"
    every = [look for name in PLAYERS for look in debaters.shown["debate", name]]
    for reader, looks in [(None, every), *((name, debaters.shown["debate", name]) for name in PLAYERS)]:
        row = find(rows, captain=reader)
        first, last = shares(looks, 0), shares(looks, -1)
        assert row["decisions"] == len(first) > QUESTIONS / 2, "several rounds a question"
        assert (row["first"], row["last"]) == pytest.approx((fmean(first), fmean(last)))
        assert row["chance"] == pytest.approx(fmean(1 / len(texts) for _, texts, word in looks if word in texts))
        assert row["n"] <= QUESTIONS
        assert bool(row["places"]) == (reader is None)
    whole = rows[0]
    assert whole["apart"]["not_shown"] == 4 * QUESTIONS // 12, "where all agreed nobody was shown anything"
    assert whole["apart"]["new"] + whole["apart"]["no_answer"] > 0
    assert sum(whole["apart"].values()) == sum(sum(row["apart"].values()) for row in rows[1:])
    assert whole["first_low"] > 0.1 > 0 > whole["last_difference"]
    assert whole["first_p_holm"] < 0.01
    assert whole["family"] == 2 * sum(row["decisions"] > 0 for row in debate["position_bias"])


def test_debaters_stand_in_the_section(debate: dict[str, Any]) -> None:
    bias = next(section for section in all_sections(debate) if section.id == "position-bias")
    (row,) = [row for row in bias.rows if row["by"] == "debater" and row["place"] == "first"]
    assert row["name"] == "debate(max_rounds=2, drafts=single-call)"
    single = next(section for section in all_sections(debate) if section.id == "position-deciders")
    assert {row["captain"] for row in single.rows if row["by"] == "debater"} == set(PLAYERS)


async def test_a_debate_in_which_places_do_not_matter(tmp_path: Path) -> None:
    found = await played(tmp_path, Company(0.0), [DEBATE])
    row = find(found["position_bias"], by="debater", captain=None)
    for end in ("first", "last"):
        assert row[f"{end}_low"] < 0 < row[f"{end}_high"]
        assert row[f"{end}_p_holm"] > 0.05


async def test_debates_of_which_the_orders_were_not_kept_are_not_known(tmp_path: Path) -> None:
    """A store may be older than the orders in it: what it has of them is told, and the rest counted."""
    whole = find((await played(tmp_path, Company(0.0), [DEBATE]))["position_bias"], by="debater", captain=None)
    connection = sqlite3.connect(tmp_path / "cup.db")
    questions = [row[0] for row in connection.execute("SELECT DISTINCT question FROM episodes ORDER BY question")]
    for old in (questions[: QUESTIONS // 2], questions):
        for question in old:
            query = "SELECT rowid, verdict FROM episodes WHERE question = ?"
            for row, content in connection.execute(query, (question,)).fetchall():
                verdict = json.loads(content)
                verdict["traces"] = [record for record in verdict["traces"] if record["kind"] != "shown"]
                changed = (json.dumps(verdict), row)
                connection.execute("UPDATE episodes SET verdict = ? WHERE rowid = ?", changed)
        connection.commit()
        found = await read(tmp_path)
        if len(old) < len(questions):
            row = find(found["position_bias"], by="debater", captain=None)
            assert 0 < row["decisions"] < whole["decisions"]
            assert row["decisions"] + sum(row["apart"].values()) == whole["decisions"] + sum(whole["apart"].values())
            assert row["apart"]["unknown"] > 0
        else:
            assert "position_bias" not in found
    connection.close()


async def read(folder: Path) -> dict[str, Any]:
    store = await build(read_experiment(folder / "cup.yaml")).store().open()
    try:
        return await store.run(lambda connection: figures(connection, find_experiment(connection, "cup")))
    finally:
        await store.close()


async def test_unanimous_debates_say_nothing(tmp_path: Path) -> None:
    class Agreed(Company):
        def draft(self, player: str, question: str) -> str | None:
            return "paris"

    assert "position_bias" not in await played(tmp_path, Agreed(0.0), [DEBATE])


def test_one_section_for_all_who_decide(cup: dict[str, Any]) -> None:
    sections = {section.id: section for section in all_sections(cup)}
    bias = sections["position-bias"]
    assert bias.title == "Position bias"
    assert {row["by"] for row in bias.rows} == {"captain", "reviewer", "summariser"}
    assert len(bias.rows) == 2 * 6
    assert {row["captain"] for row in sections["position-deciders"].rows} == set(PLAYERS)
    assert any("all alike" in sentence and "no answer" in sentence for sentence in bias.words)
    places = sections["position-places"]
    assert {row["place"] for row in places.rows} == {1, 2, 3, 4}
    assert {each.key for each in places.columns} >= {places.chart.x, places.chart.y}  # type: ignore[union-attr]
    table = as_frame(section_columns(bias))
    assert {"name", "place", "chosen", "low", "p_holm", "decisions", "alike"} <= set(table.columns)
    console = Console(file=io.StringIO(), width=80, color_system=None)
    print_report(cup, console)
    said = console.file.getvalue()  # type: ignore[attr-defined]
    titles = [section.title for section in all_sections(cup) if section.id.startswith("position")]
    lines = [line.partition(":")[0].strip() for line in said.splitlines()]
    assert [line for line in lines if line in titles] == titles, "each once, as on the page"
    assert max(map(len, said.splitlines())) <= 80


async def test_a_run_in_which_nobody_is_shown_drafts_says_nothing(tmp_path: Path) -> None:
    found = await played(tmp_path, Company(0.0), ["solo", "vote"])
    assert "position_bias" not in found
    assert not [section for section in all_sections(found) if section.id.startswith("position")]
