"""`moot ask` about anything open: an answer of a page is read whole, below a table that stays a table."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from stub_endpoint import answering
from terminal import COLUMNS, ROWS, ran_in_pipe, seen_in_terminal

from moot.cli.console import Console
from moot.cli.watched import Watched
from moot.experiment.build import build
from moot.experiment.spec import read_experiment
from moot.types import Question

PAGE = """## Options
1. *Cookies*: simple, signed, and everybody has them; the browser sends them along with every single request there is
2. Redis

```python
    r.setex("session", 3600, user)
```
See https://example.org/a/very/long/address/that/no/column/could/ever/hold/in/one/line?and=more"""
SHOWN = PAGE + "\x1b[2J end"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("long")
    with answering(json.dumps({"reasoning": "Because. " * 200, "answer": SHOWN})) as url:
        models = {name: {"provider": "endpoint", "base_url": url, "model": name} for name in ("ann", "bob", "cat")}
        values = {"name": "long", "models": models, "strategies": ["solo", "vote"]}
        (folder / "long.yaml").write_text(json.dumps(values), encoding="utf-8")
        yield folder


ASK = ("ask", "How do I keep a session?", "--team", "long.yaml", "--no-log")
AS_IT_IS = SHOWN.replace("\x1b", "␛").split("\n")


def test_an_answer_of_a_page_stands_below_a_table_of_a_screen(folder: Path) -> None:
    lines = seen_in_terminal(folder, *ASK)
    end = len(AS_IT_IS)
    assert lines[-end:] == AS_IT_IS, "with its own line breaks, and no others"
    table = lines[:-end]
    assert len(table) <= ROWS
    assert not [line for line in table if len(line) > COLUMNS]
    rows = [line.split("│") for line in table if line.startswith("│")]
    assert all(len(row[3].strip()) > 15 for row in rows if row[1].split() == ["ann"]), "wide enough to be read"
    assert sum("…" in row[3] for row in rows) == 4, "three players and the vote, each cut at its third line"


@pytest.mark.parametrize("option", [(), ("--all",)])
def test_in_a_pipe_the_answer_is_alone(folder: Path, option: tuple[str, ...]) -> None:
    done = ran_in_pipe(folder, *ASK, *option)
    if not option:
        assert done.stdout.split("\n") == [*AS_IT_IS, ""]
    else:
        blocks = done.stdout.split("\n\nvote:\n")
        assert blocks[-1].split("\n") == [*AS_IT_IS, ""], "each under its name"
    assert "seconds" in done.stderr, "the table"


def test_short_columns_leave_room_to_the_long_one(tmp_path: Path) -> None:
    with answering(
        json.dumps({"reasoning": "It was the capital in every atlas that I have ever read.", "answer": "Paris"})
    ) as url:
        models = {name: {"provider": "endpoint", "base_url": url, "model": name} for name in ("ann", "bob")}
        (tmp_path / "short.yaml").write_text(json.dumps({"name": "short", "models": models}), encoding="utf-8")
        lines = seen_in_terminal(tmp_path, "ask", "Which?", "--team", "short.yaml", "--no-log")
    assert lines[-1] == "Paris"
    because = next(line.split("│")[4].strip() for line in lines if "│ ann" in line)
    assert len(because) > 30


@pytest.mark.parametrize("several", [False, True])
def test_a_long_name_leaves_room_to_the_answers(tmp_path: Path, several: bool) -> None:
    names = ["large-language-model", "another", "small", "tiny", "one-more"]
    orders = [names, names[::-1]] if several else [names]
    with answering(json.dumps({"reasoning": "It was so in every atlas.", "answer": "Paris"})) as url:
        values = {
            "name": "wide",
            "models": {name: {"provider": "endpoint", "base_url": url, "model": name} for name in names},
            "strategies": [{"cascade": {"order": order}} for order in orders],
        }
        (tmp_path / "wide.yaml").write_text(json.dumps(values), encoding="utf-8")
        lines = seen_in_terminal(tmp_path, "ask", "Which?", "--team", "wide.yaml", "--no-log", "--all")
    assert not [line for line in lines if len(line) > COLUMNS]
    assert "answer" in next(line for line in lines if "who" in line)
    rows = [[part.strip() for part in line.split("│")] for line in lines if line.startswith("│")]
    answers = {row[1]: row[3] for row in rows}
    assert answers[names[0]] == answers["small"] == "Paris"
    decided = [row for row in rows if row[1].startswith("cascade")]
    assert [row[3] for row in decided] == ["Paris"] * len(orders)
    assert (decided[0][1] == "cascade") is not several, "folded where its options tell it from another"


@pytest.mark.parametrize("loading", [True, False])
def test_while_weights_are_loaded_it_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str], loading: bool) -> None:
    (tmp_path / "team.yaml").write_text("{name: team, models: {ann: {provider: simulated, accuracy: 1}}}")
    cells = build(read_experiment(tmp_path / "team.yaml", with_questions=False)).cells
    Console().print(Watched(cells, is_loading=lambda: loading).view())
    assert ("loading the model" in capsys.readouterr().out) == loading


@pytest.mark.parametrize(
    ("strategy", "numbers"),
    [("talkative", ""), ("council", ""), ("mixture", ""), ("vote", "①②③")],
)
def test_at_the_table_a_text_is_that_of_its_seat_and_no_two_are_called_different_unless_somebody_compared_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], strategy: str, numbers: str
) -> None:
    names = ("ann", "bob", "cat")
    values = {
        "name": "desk",
        "seed": 3,
        "models": {
            **{name: {"provider": "simulated", "accuracy": 0.5, "power": 0.0, "words": 20} for name in names},
            "jim": {"provider": "simulated", "accuracy": 0.5},
        },
        "players": {name: {"model": name} for name in names},
        "teams": {"three": {"players": names, "captain": "ann"}},
        "strategies": [{"mixture": {"summariser": "ann"}} if strategy == "mixture" else strategy],
        "grouping": {"model": "jim"},
    }
    (tmp_path / "team.yaml").write_text(json.dumps(values))
    cells = build(read_experiment(tmp_path / "team.yaml", with_questions=False)).cells
    table = Watched(cells)
    asyncio.run(table.play(Question("q", "Write a toast.", kind="text")))
    Console().print(table.view())
    told = capsys.readouterr().out
    (episode,) = table.episodes.values()
    own = {answer.player: answer.text for answer in episode.verdict.answers}
    assert {name: mind.answers for name, mind in table.minds.items()} == {name: [own[name]] for name in names}
    assert (episode.verdict.answer == own["ann"]) == (strategy == "vote"), "else its seat could have shown the team's"
    assert "".join(sign for sign in told if sign in "①②③") == numbers
    assert "(was" not in told
