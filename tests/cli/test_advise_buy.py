"""`moot advise --buy USD`: a race that is paid for, within its cap, nothing twice; who is put out, and what is written."""

from __future__ import annotations

import asyncio
import json
import shutil
import signal
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml

from moot.cli import advise_buy
from moot.cli.app import app
from moot.cli.exit import run_app
from moot.data import load
from moot.simulate.simulated import SimulatedModel
from moot.stats.written_numbers import dollars_alike
from moot.types import Reply, Request

QUESTIONS = 200
PRICE = {"prompt": 1.0, "completion": 4.0}
CHARACTERS: dict[str, dict[str, Any]] = {
    "ann": {"accuracy": 0.58, "power": 1.0},  # a captain who can tell
    "bob": {"accuracy": 0.5, "power": 0.0, "pull": 9.0},  # one who hears nobody but himself
    "cat": {"accuracy": 0.3},
}
Moot = Callable[..., str]


def write_cup(folder: Path, **changed: dict[str, Any]) -> None:
    """A captain who can tell is worth much here; one who stays with his own answer is worth less than the team."""
    cases = [
        {"id": f"q{n}", "text": f"Question {n}?", "choices": ["r", "x", "y", "z"], "answer": "ABCD"[n % 4]}
        for n in range(QUESTIONS)
    ]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, cases)))
    shared = {"provider": "simulated", "correlation": 0.0, "max_tokens": 200, "price": PRICE}
    models = {name: shared | character | changed.get(name, {}) for name, character in CHARACTERS.items()}
    models = {name: {key: value for key, value in each.items() if value is not None} for name, each in models.items()}
    cup = {"name": "cup", "seed": 3, "questions": {"file": "questions.jsonl"}, "models": models, "strategies": ["solo"]}
    (folder / "cup.yaml").write_text(yaml.safe_dump(cup))


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cup")
    write_cup(folder)
    assert run_app(app, ["run", str(folder / "cup.yaml"), "--quiet"]) == 0
    shutil.copy(folder / "cup.db", folder / "fresh.db")
    return folder


class Bill:
    """What the models were asked and what that costs, counted where they answer."""

    def __init__(self) -> None:
        self.calls = 0
        self.usd = 0.0
        self.after: Callable[[int], None] = lambda calls: None


@pytest.fixture
def bill(monkeypatch: pytest.MonkeyPatch) -> Bill:
    """The estimate asks simulated models too, which costs nothing: it is not counted."""
    found, answered, foretold = Bill(), SimulatedModel.generate, advise_buy.estimate

    async def uncounted(*given: Any) -> Any:
        before, found.after, after = (found.calls, found.usd), (lambda calls: None), found.after
        estimate = await foretold(*given)
        (found.calls, found.usd), found.after = before, after
        return estimate

    monkeypatch.setattr(advise_buy, "estimate", uncounted)

    async def counted(self: SimulatedModel, request: Request) -> Reply:
        reply = await answered(self, request)
        found.calls += 1
        found.usd += (reply.usage.prompt * PRICE["prompt"] + reply.usage.completion * PRICE["completion"]) / 1e6
        found.after(found.calls)
        await asyncio.sleep(0)
        return reply

    monkeypatch.setattr(SimulatedModel, "generate", counted)
    return found


@pytest.fixture
def moot(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, played: Path, bill: Bill
) -> Moot:
    shutil.copytree(played, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("moot.advise.find.FEWEST", 1_000)  # learning takes most of the time

    def run(*arguments: object, ends: int = 0, errors: bool = False) -> str:
        capsys.readouterr()
        code = run_app(app, ["advise", "cup.yaml", *map(str, arguments)])
        out, err = capsys.readouterr()
        assert code == ends, (out, err)
        return err if errors else out

    return run


def bought(text: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text)["bought"]
    return found


def rows_of(told: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {row["option"]: row for row in told["options"]}


def raced(told: dict[str, Any]) -> dict[str, Any]:
    """Without what was paid when."""
    return {key: value for key, value in told.items() if not key.startswith("spent") and key != "calls_now"}


def paid(folder: Path) -> tuple[int, float]:
    """Calls and money of the purchase, as the store has them."""
    with sqlite3.connect(folder / "cup.db") as store:
        query = "select count(*), coalesce(sum(cost_usd), 0) from calls where experiment = 'cup:bought'"
        calls, usd = store.execute(query).fetchone()
    return calls, usd


def as_with_one_point(moot: Moot, monkeypatch: pytest.MonkeyPatch) -> None:
    """A race pays for every option weighed: in so small a world nobody would be put out in time."""
    points = json.loads(moot("--json"))["weighed"]
    monkeypatch.setattr("moot.cli.advise_buy.RACE_ALPHA", 0.05 * points)


def test_a_race_pays_for_every_point_that_might_have_been_the_incumbent(
    moot: Moot, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = rows_of(bought(moot("--buy", 5, "--try", "talkative", "--json")))
    as_with_one_point(moot, monkeypatch)
    early = rows_of(bought(moot("--buy", 5, "--try", "talkative", "--json")))
    assert early["talkative@bob"]["out_after"] is not None
    out_late = late["talkative@bob"]["out_after"]
    assert out_late is None or out_late > early["talkative@bob"]["out_after"]


def test_the_race_ends_with_the_best_and_before_the_questions_do(
    moot: Moot, bill: Bill, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    as_with_one_point(moot, monkeypatch)
    told = bought(moot("--buy", 5, "--try", "talkative", "--json"))
    assert told["winner"] == told["take"] == "talkative@ann"
    assert told["left"] == ["talkative@ann"]
    assert told["stopped"] == "one left"
    assert told["heard"] < told["of"] == 100
    rows = rows_of(told)
    assert rows["talkative@ann"]["out_after"] is None
    assert rows["talkative@ann"]["plays"] < told["questions"]
    assert rows[told["incumbent"]]["plays"] == 0
    assert rows["talkative@bob"]["out_after"] <= told["heard"]
    assert told["difference"] > 0.05
    assert "better than" in told["sentence"]
    assert "without an interval" in told["sentence"]
    assert (bill.calls, pytest.approx(bill.usd)) == (told["calls_now"], told["spent_usd"])
    assert paid(tmp_path) == (bill.calls, pytest.approx(bill.usd))
    assert told["heard"] < told["of"]
    again = bought(moot("--buy", 0.000001, "--try", "talkative", "--json"))
    assert raced(again) == raced(told), "whatever a wave could be paid with, what it took is what it took"
    assert (again["calls_now"], again["spent_usd"]) == (0, 0)
    assert again["spent_before_usd"] == told["spent_usd"]
    text = " ".join(moot("--buy", 0.000001, "--try", "talkative").split())
    assert f"{told['calls']} calls beyond the drafts" in text
    assert "% saved); nothing paid now, $" in text


def test_what_small_money_bought_one_by_one_more_money_does_not_buy_anew(
    moot: Moot, bill: Bill, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who was put out in the midst of what would be a wave is not asked what it was spared."""
    as_with_one_point(moot, monkeypatch)
    with monkeypatch.context() as short:
        short.setattr("moot.engine.stage_race.IN_A_WAVE", 1)
        told = bought(moot("--buy", 5, "--json"))
    made = bill.calls
    assert raced(bought(moot("--buy", 5, "--json"))) == raced(told)
    assert bill.calls == made


def test_who_cannot_be_the_best_is_asked_no_further(moot: Moot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two captains who can tell are left, and the questions go on without the other two."""
    as_with_one_point(moot, monkeypatch)
    told = bought(moot("--buy", 5, "--json"))
    rows = rows_of(told)
    assert told["left"] == ["talkative@ann", "silent@ann"]
    assert told["winner"] is None
    assert told["stopped"] == "questions"
    for name in ("talkative@bob", "silent@bob"):
        assert rows[name]["heard"] == rows[name]["out_after"] < told["heard"] == 100
        assert rows[name]["plays"] < rows["talkative@ann"]["plays"] == told["questions"]
    assert told["calls"] == sum(row["calls"] for row in rows.values()) < told["calls_of_all"]
    assert told["calls_of_all"] == 4 * told["questions"]
    assert told["saved"] == pytest.approx(1 - told["calls"] / told["calls_of_all"], abs=1e-6)


def test_the_cap_is_kept_and_a_second_purchase_goes_on(moot: Moot, bill: Bill, tmp_path: Path) -> None:
    first = bought(moot("--buy", 0.004, "--json", ends=3))
    assert first["stopped"] == "budget"
    assert first["winner"] is None
    assert 0 < bill.usd <= 0.004
    assert first["spent_usd"] == pytest.approx(bill.usd, abs=1e-6)
    second = bought(moot("--buy", 0.004, "--json", ends=3))
    assert second["spent_before_usd"] == pytest.approx(first["spent_usd"], abs=1e-6)
    assert second["spent_usd"] > 0.001, "what was spent before is no part of it"
    assert second["heard"] > first["heard"]
    assert 0.004 < bill.usd <= 0.008
    last = bought(moot("--buy", 5, "--json"))
    assert last["stopped"] == "questions"
    assert paid(tmp_path) == (bill.calls, pytest.approx(bill.usd)), "no call was made twice"
    shutil.copy(tmp_path / "fresh.db", tmp_path / "cup.db")
    assert raced(bought(moot("--buy", 5, "--json"))) == raced(last), "in one go it comes to the same"


def test_each_command_may_spend_its_sum_and_the_first_line_says_what_was_spent_before(moot: Moot, bill: Bill) -> None:
    said = moot("--buy", 0.004, errors=True, ends=3)
    assert said.startswith("moot: racing "), "nothing was spent before"
    before_usd = bill.usd
    spent, may = dollars_alike(before_usd, 0.002)
    first, racing, *_ = moot("--buy", 0.002, errors=True, ends=3).splitlines()
    assert first == f"moot: earlier commands have spent {spent} on this; this one may spend {may} anew"
    assert racing.startswith("moot: racing ")
    assert before_usd < bill.usd <= before_usd + 0.002
    assert "resumes where it stopped, and may spend as much again" in " ".join(moot("--buy", 0.003, ends=3).split())


def test_nothing_is_paid_twice(moot: Moot, bill: Bill, tmp_path: Path) -> None:
    first = bought(moot("--buy", 5, "--try", "talkative", "--json"))
    made = bill.calls
    again = bought(moot("--buy", 5, "--try", "talkative", "--json"))
    assert bill.calls == made
    assert raced(again) == raced(first)
    poor = bought(moot("--buy", 0.000001, "--try", "talkative", "--json"))
    assert bill.calls == made
    assert [poor[key] for key in ("left", "heard", "stopped")] == [first[key] for key in ("left", "heard", "stopped")]
    assert again["spent_usd"] == 0
    assert again["spent_before_usd"] == first["spent_usd"]
    cup = yaml.safe_load((tmp_path / "cup.yaml").read_text())
    cup["strategies"] = ["solo", {"talkative": {"captain": "ann"}}]
    (tmp_path / "cup.yaml").write_text(yaml.safe_dump(cup))
    assert run_app(app, ["run", "cup.yaml", "--quiet"]) == 0
    assert bill.calls - made == QUESTIONS - rows_of(first)["talkative@ann"]["plays"], "a run finds what was bought"


def test_the_winner_is_written_as_it_was_raced(moot: Moot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    as_with_one_point(moot, monkeypatch)
    told = bought(moot("--buy", 5, "--try", "talkative", "--json", "-o", "team.yaml"))
    team = yaml.safe_load((tmp_path / "team.yaml").read_text())
    (entry,) = team["strategies"]
    assert entry["cascade"]["then"] == "talkative"
    assert entry["cascade"]["captain"] == "ann"
    assert entry["cascade"]["until"] == told["below"]
    chosen = set(json.loads((tmp_path / "team.chosen.json").read_text())[0]["chosen_on"])
    learnt_on = set(json.loads((tmp_path / "team.rule.json").read_text())["chosen_on"])
    assert len(learnt_on) == 100
    assert len(chosen) == 200, "all questions say which point was raced against, and no report about it uses any"
    (tmp_path / "again.yaml").write_text(yaml.safe_dump({**team, "questions": {"file": "questions.jsonl"}}))
    assert run_app(app, ["run", "again.yaml", "--quiet"]) == 0
    raced_on = {
        case.digest for case in load(tmp_path / "questions.jsonl") if case.question.wording in chosen - learnt_on
    }
    with sqlite3.connect(tmp_path / "cup-advised.db") as store:
        scores = dict(store.execute('select "case", value from scores').fetchall())
    right = [scores[case] for case in raced_on]
    assert len(right) == told["of"] == 100
    row = rows_of(told)["talkative@ann"]
    assert 0 <= sum(right) - row["accuracy"] * row["heard"] <= told["of"] - told["heard"], "the rest was not heard"


def test_ctrl_c_keeps_what_was_bought(moot: Moot, bill: Bill, tmp_path: Path) -> None:
    bill.after = lambda calls: signal.raise_signal(signal.SIGINT) if calls == 20 else None
    cut = bought(moot("--buy", 5, "--json", ends=130))
    assert cut["stopped"] == "interrupted"
    assert bill.calls < 4 * cut["questions"]
    bill.after = lambda calls: None
    whole = bought(moot("--buy", 5, "--json"))
    assert whole["stopped"] == "questions"
    assert paid(tmp_path)[0] == bill.calls


def test_it_is_told_in_words(moot: Moot, monkeypatch: pytest.MonkeyPatch) -> None:
    as_with_one_point(moot, monkeypatch)
    lines = moot("--buy", 5, "--try", "talkative").rstrip("\n").split("\n")
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    text = " ".join(" ".join(lines).split())
    assert "out after" in text
    assert "> " in text
    assert "Take talkative@ann where the drafts are not sure" in text
    assert "calls beyond the drafts" in text
    assert "--buy 5 -o team.yaml writes it, without another call." in text
    before = moot("--buy", 0.002, errors=True, ends=3)
    assert "if no option is eliminated; never more than $0.0020" in before


def test_where_everything_is_sure_there_is_nothing_to_buy(
    moot: Moot, bill: Bill, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("moot.advise.staged.THRESHOLDS", (0.01,))
    told = bought(moot("--buy", 5, "--json"))
    assert told["sentence"].startswith("There is nothing to buy")
    assert told["questions"] == told["calls"] == bill.calls == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--buy", "0"], "--buy: expected more than 0 USD, found 0"),
        (["--buy", "-1"], "--buy: expected more than 0 USD"),
        (["--buy", "nan"], "--buy: expected more than 0 USD"),
        (["--buy", "inf"], "--buy: expected more than 0 USD"),
        (["--try", "talkative"], "expected --buy USD with it"),
        (["--buy", "1", "--try", ","], "--try: expected strategies"),
        (["--buy", "1", "--try", "talkativ"], "--try: "),
        (["--buy", "1", "--try", "learnt"], "--try: learnt learns itself"),
        (["--buy", "1", "--try", "solo"], "--try: solo is a player alone"),
    ],
)
def test_what_is_refused(moot: Moot, bill: Bill, arguments: list[str], words: str) -> None:
    assert words in " ".join(moot(*arguments, ends=2, errors=True).split())
    assert bill.calls == 0


def test_labels_name_nobody_who_could_be_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "labels.csv").write_text("question_id,model,pred,answer\n1,ann,A,A\n")
    assert run_app(app, ["advise", str(tmp_path / "labels.csv"), "--buy", "1"]) == 2
    assert "labels and recordings name nobody who could be asked" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({}, "cup.yaml:5: models.dear: has no price, so no budget can be kept; expected price:"),
        ({"price": PRICE}, "models.dear: has a price but no max_tokens"),
    ],
)
def test_what_cannot_be_priced_is_refused_before_any_call(
    moot: Moot, bill: Bill, tmp_path: Path, keys: dict[str, Any], words: str
) -> None:
    cup = yaml.safe_load((tmp_path / "cup.yaml").read_text())
    cup["models"]["dear"] = {"provider": "endpoint", "base_url": "http://127.0.0.1:9/v1", "model": "dear", **keys}
    cup["grouping"] = {"model": "dear"}
    (tmp_path / "cup.yaml").write_text(yaml.safe_dump(cup))
    assert words.split(" ", 1)[1] in " ".join(moot("--buy", 1, ends=2, errors=True).split())
    assert bill.calls == 0
    assert not paid(tmp_path)[0]


def test_nothing_is_claimed_by_what_was_raced(moot: Moot, capsys: pytest.CaptureFixture[str]) -> None:
    """How long each was asked hangs on how it fared: a report of these plays tells what there is, and no more."""
    moot("--buy", 5, "--json")
    assert run_app(app, ["runs", "cup.yaml", "--json"]) == 0
    (held,) = json.loads(capsys.readouterr().out)
    (run,) = [run for run in held["runs"] if run["experiment"] == "cup:bought"]
    assert run["headline"]["cut_short"]
    assert run["headline"]["low"] is None


def test_what_another_purchase_holds_is_no_money_to_spend(
    moot: Moot, bill: Bill, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It settles at less, or at nothing: the difference belongs to nobody."""
    moot("--buy", 0.0001, ends=3)  # so that there are tables
    held = {"id": "x" * 32, "experiment": "cup:bought", "usd": 2.0, "holder": "somebody", "created_at": time.time()}
    with sqlite3.connect(tmp_path / "cup.db") as store:
        names = ", ".join(held)
        store.execute(f"insert into reservations ({names}) values ({', '.join('?' * len(held))})", [*held.values()])
    monkeypatch.setattr("moot.store.ledger.living_holders", lambda connection: {"somebody"})
    foretold = advise_buy.estimate

    async def freed(*given: Any) -> Any:
        with sqlite3.connect(tmp_path / "cup.db") as store:
            store.execute("delete from reservations")
        return await foretold(*given)

    monkeypatch.setattr(advise_buy, "estimate", freed)
    bill.usd = 0.0
    told = bought(moot("--buy", 0.002, "--json", ends=3))
    assert bill.usd <= 0.002
    assert told["spent_usd"] == pytest.approx(bill.usd, abs=1e-6)
    assert told["spent_before_usd"] < 0.0002


def test_what_was_under_way_when_it_was_killed_is_told_as_the_most_it_can_be(
    moot: Moot, bill: Bill, tmp_path: Path
) -> None:
    """Nobody knows what was billed for it: it stays counted, and is not told as money that was spent."""
    told = bought(moot("--buy", 0.003, "--json", ends=3))
    assert (told["lost_usd"], told["lost_before_usd"]) == (0, 0)
    with closing(sqlite3.connect(tmp_path / "cup.db")) as connection, connection:
        left = ("killed", "cup:bought", 0.002, "somebody who is dead", time.time())
        connection.execute(
            "INSERT INTO reservations (id, experiment, usd, holder, created_at) VALUES (?, ?, ?, ?, ?)", left
        )
    text = " ".join(moot("--buy", 0.000001, ends=3).split())
    spent, booked = f"{told['spent_usd'] + 0.002:.4f}", "$0.0020 of it booked for calls whose reply never came"
    assert f"nothing paid now, at most ${spent} before, {booked}." in text
    again = bought(moot("--buy", 0.000001, "--json", ends=3))
    assert again["lost_before_usd"] == 0.002
    assert again["spent_before_usd"] == pytest.approx(bill.usd + 0.002)
