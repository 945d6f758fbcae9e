"""`moot.run` and `moot.arun`: play, grade and report from Python, inside and outside of an event loop."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import signal
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
import yaml
from page_data import page_text

import moot
from moot import Case, Question, Request, ScriptedModel, Traits, Verdict
from moot import results as results_module
from moot.cli.app import app
from moot.cli.exit import run_app
from moot.errors import ConnectionFailed, FileError, UsageError
from moot.measures.section import Column, Section
from moot.measures.source import Source
from moot.needs import Needs
from moot.report import figures as figures_module
from moot.strategies.vote import Vote
from moot.team import Team
from moot.types import Price, Reply, Usage

CASES = [Case(Question("1", "Capital of France?"), "Paris"), Case(Question("2", "Capital of Spain?"), "Madrid")]


def says(name: str, word: str = "Paris") -> ScriptedModel:
    return ScriptedModel(name, lambda request: {"reasoning": "known", "answer": word})


def keys(**more: Any) -> dict[str, Any]:
    return {"name": "cup", "models": {"ann": says("ann"), "bob": says("bob")}, "questions": CASES, **more}


def rows(results: moot.Results) -> list[tuple[str, float, int]]:
    return [(row["label"], row["value"], row["n"]) for row in results.figures["accuracy"]]


def test_a_mapping_is_played_graded_and_reported(tmp_path: Path) -> None:
    results = moot.run(keys(strategies=["solo", "vote"]))
    assert results.state == "done"
    assert rows(results) == [("solo", 0.5, 2), ("solo", 0.5, 2), ("vote", 0.5, 2)]
    assert results.failures == {}
    assert results.headline.startswith("On these 2 questions")
    assert results.sections[0].id == "accuracy"
    assert results.frame("episodes").height == 6
    assert set(results.frame("episodes")["experiment"]) == {"cup"}
    assert "Capital of Spain?" in page_text(results.save(tmp_path / "report.html"))
    assert results.headline in results._repr_html_().replace("&#x27;", "'").replace("&quot;", '"')


def test_the_store_of_a_mapping_lives_as_long_as_the_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    results = moot.run(keys())
    place = Path(results.store.url.removeprefix("sqlite:///"))
    assert place.is_file()
    assert list(tmp_path.iterdir()) == []
    del results
    gc.collect()
    assert not place.parent.exists()


def test_a_file_is_kept_in_its_own_store_and_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "cup.yaml"
    models = {"ann": {"provider": "simulated", "accuracy": 0.5}}
    path.write_text(
        yaml.safe_dump({"name": "cup", "models": models, "questions": {"builtin": "facts-en", "sample": 9}})
    )
    results = moot.run(str(path))
    assert (tmp_path / "cup.db").is_file()
    assert run_app(app, ["report", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(results.figures))
    again = moot.run(path)
    assert again.frame("calls").height == results.frame("calls").height == 9
    assert rows(again) == rows(results)


def test_a_store_may_be_named(tmp_path: Path) -> None:
    first = moot.run(keys(), store=tmp_path / "kept.db")
    second = moot.run(
        keys(models={"ann": ScriptedModel("ann", []), "bob": ScriptedModel("bob", [])}), store=tmp_path / "kept.db"
    )
    assert second.state == "done", "scripts that have nothing to say: every call is in the store"
    assert rows(second) == rows(first)
    assert moot.open_store(str(tmp_path / "kept.db")).experiments().height == 1


async def test_inside_of_a_running_loop_both_work() -> None:
    loop = asyncio.get_running_loop()
    awaited = await moot.arun(keys())
    called = moot.run(keys())
    assert asyncio.get_running_loop() is loop
    assert rows(awaited) == rows(called)


def test_outside_of_the_main_thread_it_works_too() -> None:
    heard: list[moot.Results] = []
    thread = threading.Thread(target=lambda: heard.append(moot.run(keys())))
    thread.start()
    thread.join()
    assert heard[0].state == "done"


def test_an_experiment_with_limit_and_more_of_everything() -> None:
    experiment = moot.Experiment(**keys())
    results = moot.run(experiment, limit=1, strategies=[Vote()], models={"cat": says("cat")})
    assert rows(results) == [("solo", 1.0, 1)] * 3 + [("vote", 1.0, 1)]
    assert results.figures["questions"] == 1
    assert list(experiment.models) == ["ann", "bob"], "what was given is not changed"


def test_a_model_object_takes_the_place_of_a_files_model(tmp_path: Path) -> None:
    path = tmp_path / "cup.yaml"
    models = {"ann": {"provider": "endpoint", "base_url": "http://127.0.0.1:9/v1", "model": "any"}}
    path.write_text(
        yaml.safe_dump({"name": "cup", "models": models, "questions": {"builtin": "facts-en", "sample": 3}})
    )
    ann = says("ann")
    results = moot.run(path, models={"ann": ann}, store=tmp_path / "tried.db")
    assert results.state == "done"
    assert len(ann.requests) == 3


def test_bad_input_is_an_exception_before_any_call() -> None:
    ann = says("ann")
    for options, error in (
        ({"limit": 0}, "limit: expected a whole number from 1 on"),
        ({"budget_usd": 0.0}, "budget_usd: expected a number above 0"),
        ({"measures": [5]}, "5 is no measure"),
        ({"measures": [Episodes]}, r"the class Episodes is no measure; give an instance: Episodes\(\), not Episodes"),
        ({"store": "mysql://x"}, "is no store"),
        ({"graders": [5]}, "5 is no grader"),
        ({"ballots": [5]}, "5 is no rule of voting"),
    ):
        with pytest.raises(UsageError, match=error):
            moot.run({"name": "cup", "models": {"ann": ann}, "questions": CASES}, **options)
    with pytest.raises(FileError, match=r"^questions: Field required"):
        moot.run({"name": "cup", "models": {"ann": ann}})
    with pytest.raises(FileError, match="no such file"):
        moot.run("nowhere.yaml")
    with pytest.raises(TypeError, match="run\\(\\) has no argument 'limits'"):
        moot.run({"name": "cup", "models": {"ann": ann}, "questions": CASES}, limits=3)  # type: ignore[call-arg]
    assert ann.requests == []


def test_failed_episodes_are_a_state(tmp_path: Path) -> None:
    broken = ScriptedModel("ann", lambda request: ConnectionFailed("the line is dead"))
    results = moot.run({"name": "cup", "models": {"ann": broken}, "questions": CASES})
    assert results.state == "failed"
    assert results.failures == {"ConnectionFailed: the line is dead": 2}


class Priced(ScriptedModel):
    """A model that costs a dollar a call, and says how long its replies are."""

    max_tokens = 10

    async def generate(self, request: Request) -> Reply:
        await super().generate(request)
        return Reply('{"reasoning": "", "answer": "Paris"}', usage=Usage(10, 10), cost_usd=1.0)


def test_a_reached_budget_is_a_state() -> None:
    ann = Priced("ann", lambda request: "{}", price=Price(1_000_000, 90_000))
    many = [Case(Question(str(number), "Capital of France?"), "Paris") for number in range(200)]
    results = moot.run({"name": "cup", "models": {"ann": ann}, "questions": many}, budget_usd=500.0)
    assert results.state == "budget"
    assert results.stopped_by is not None
    assert "500" in results.stopped_by
    assert len(ann.requests) < 200


def test_a_priced_object_without_a_longest_reply_cannot_keep_a_budget() -> None:
    ann = ScriptedModel("ann", [], price=Price(1, 1))
    with pytest.raises(FileError, match=r"models.ann: has a price but no max_tokens"):
        moot.run({"name": "cup", "models": {"ann": ann}, "questions": CASES, "budget_usd": 1.0})


def test_ctrl_c_is_a_state() -> None:
    def interrupting(request: Request) -> Mapping[str, Any]:
        os.kill(os.getpid(), signal.SIGINT)
        return {"reasoning": "", "answer": "Paris"}

    before = signal.getsignal(signal.SIGINT)
    many = [Case(Question(str(number), "Capital of France?"), "Paris") for number in range(2000)]
    results = moot.run({"name": "cup", "models": {"ann": ScriptedModel("ann", interrupting)}, "questions": many})
    assert results.state == "interrupted"
    assert results.figures["experiment"] == "cup"
    assert signal.getsignal(signal.SIGINT) is before


async def test_a_cancelled_run_is_cancelled(tmp_path: Path) -> None:
    started = asyncio.Event()

    class Slow(ScriptedModel):
        async def generate(self, request: Request) -> Reply:
            started.set()
            await asyncio.sleep(3600)
            return await super().generate(request)

    playing = asyncio.create_task(moot.arun(keys(models={"ann": Slow("ann", [])}), store=tmp_path / "kept.db"))
    await started.wait()
    playing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await playing
    assert moot.open_store(str(tmp_path / "kept.db")).experiments().height == 1


@dataclass(frozen=True)
class Episodes:
    """How many there are."""

    name: ClassVar[str] = "episodes-counted"
    needs: ClassVar[Needs] = Needs()

    def figures(self, run: Source) -> dict[str, Any]:
        return {"episodes_counted": sum(len(run.seen(cell)) for cell in run.cells)}

    def sections(self, figures: Mapping[str, Any]) -> Iterator[Section]:
        rows = [{"episodes": figures["episodes_counted"]}]
        yield Section("episodes-counted", "How many there are", (), (Column("episodes", "episodes"),), rows)


def interrupting_measure(once: threading.Event) -> Any:
    """Takes its figures while somebody presses Ctrl-C, and goes on only when that has arrived."""

    @dataclass(frozen=True)
    class Pressed(Episodes):
        name: ClassVar[str] = "pressed"

        def figures(self, run: Source) -> dict[str, Any]:
            os.kill(os.getpid(), signal.SIGINT)
            assert once.wait(20)
            return {"pressed": 1}

        def sections(self, figures: Mapping[str, Any]) -> Iterator[Section]:
            return iter(())

    return Pressed()


def test_ctrl_c_while_figures_are_taken_is_a_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arrived = threading.Event()
    interrupted_by = results_module._Job.interrupt

    def interrupt(job: Any) -> None:
        interrupted_by(job)
        arrived.set()

    monkeypatch.setattr(results_module._Job, "interrupt", interrupt)
    before = signal.getsignal(signal.SIGINT)
    results = moot.run(keys(), measures=[interrupting_measure(arrived), Episodes()])
    assert signal.getsignal(signal.SIGINT) is before
    assert results.state == "interrupted"
    assert rows(results) == [("solo", 0.5, 2), ("solo", 0.5, 2)]
    assert results.figures["pressed"] == 1
    assert "episodes_counted" not in results.figures
    assert results.figures["not_taken"] == ["episodes-counted"]
    assert results.stopped_by == "interrupted while figures were taken; missing are those of episodes-counted"
    assert {"accuracy", "not-taken"} <= {section.id for section in results.sections}
    assert "plugin_failures" not in results.figures
    assert "episodes-counted" in results._repr_html_()
    assert results.frame("episodes").height == 4
    assert "episodes-counted" in page_text(results.save(tmp_path / "report.html"))


def test_ctrl_c_before_the_first_figure_leaves_what_was_played(monkeypatch: pytest.MonkeyPatch) -> None:
    first = figures_module.Source

    def pressed(*args: Any, **kwargs: Any) -> Source:
        os.kill(os.getpid(), signal.SIGINT)
        assert arrived.wait(20)
        return first(*args, **kwargs)

    arrived = threading.Event()
    interrupted_by = results_module._Job.interrupt
    monkeypatch.setattr(results_module._Job, "interrupt", lambda job: (interrupted_by(job), arrived.set()))
    monkeypatch.setattr(figures_module, "Source", pressed)
    results = moot.run(keys())
    assert results.state == "interrupted"
    assert "Nothing has been played" not in results.headline
    assert "interrupted while figures were taken" in results.headline
    assert "cup" in repr(results)
    assert results.frame("episodes").height == 4


async def test_cancelled_while_figures_are_taken_it_is_cancelled_and_kept(tmp_path: Path) -> None:
    started, gone_on = threading.Event(), threading.Event()

    @dataclass(frozen=True)
    class Held(Episodes):
        name: ClassVar[str] = "held"

        def figures(self, run: Source) -> dict[str, Any]:
            started.set()
            assert gone_on.wait(20)
            return {}

        def sections(self, figures: Mapping[str, Any]) -> Iterator[Section]:
            return iter(())

    taken: list[str] = []

    @dataclass(frozen=True)
    class After(Held):
        name: ClassVar[str] = "after"

        def figures(self, run: Source) -> dict[str, Any]:
            taken.append(self.name)
            return {}

    playing = asyncio.create_task(moot.arun(keys(), store=tmp_path / "kept.db", measures=[Held(), After()]))
    await asyncio.to_thread(started.wait, 20)
    playing.cancel()
    asyncio.get_running_loop().call_later(0.05, gone_on.set)
    with pytest.raises(asyncio.CancelledError):
        await playing
    assert taken == []
    assert moot.open_store(str(tmp_path / "kept.db")).frame("episodes").height == 4


def test_a_measure_given_as_an_object_is_in_figures_sections_and_page(tmp_path: Path) -> None:
    results = moot.run(keys(), measures=[Episodes()])
    assert results.figures["episodes_counted"] == 4
    assert "episodes-counted" in [section.id for section in results.sections]
    assert "How many there are" in page_text(results.save(tmp_path / "report.html"))
    assert "How many there are" in results._repr_html_()
    assert "episodes_counted" not in moot.run(keys()).figures


def test_progress_goes_to_stderr_when_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    moot.run(keys())
    assert capsys.readouterr() == ("", "")
    moot.run(keys(), quiet=False)
    out, err = capsys.readouterr()
    assert out == ""
    assert "cup: 4/4 episodes" in err


def test_a_measure_under_the_name_of_another_is_refused() -> None:
    @dataclass(frozen=True)
    class Accuracy(Episodes):
        name: ClassVar[str] = "accuracy"

    with pytest.raises(UsageError, match=r"measure 'accuracy' is moot\.measures\.accuracy\.measure:Accuracy already"):
        moot.run(keys(), measures=[Accuracy()])


@dataclass(frozen=True)
class Unsure:
    """The first draft, on which nobody has agreed."""

    name: ClassVar[str] = "unsure"
    traits: ClassVar[Traits] = Traits(prompts=("draft",), drafts="single-call", word="player", asks="nobody")

    def lineups(self, team: Team) -> tuple[Team, ...]:
        return (replace(team, captain=None),)

    async def play(self, question: Question, team: Team) -> Verdict:
        drafts = tuple(await team.drafts(question))
        return Verdict(drafts[0].text, "undecided", answers=drafts, who=(drafts[0].player,))


def test_an_answer_on_which_nobody_agreed_is_an_answer() -> None:
    (row,) = moot.run(keys(strategies=[Unsure()])).figures["accuracy"]
    assert row["outcomes"] == {"undecided": 2}
    assert (row["answered"]["value"], row["answered"]["n"]) == (0.5, 2)


def test_native_answers_that_are_drafts_stand_under_no_strategy_that_nobody_played() -> None:
    cases = [Case(Question("1", "Capital of France?"), "Paris", category="cities")]
    results = moot.run(keys(questions=cases, strategies=["vote"]))
    assert {row["strategy"] for row in results.figures["categories"]} == {"vote", "drafted"}


def test_models_may_be_given_beside_the_mapping_alone(tmp_path: Path) -> None:
    results = moot.run(
        {"name": "cup", "questions": [Case(Question("1", "Who?"), "A")]},
        models={"ann": ScriptedModel("ann", lambda request: '{"reasoning": "", "answer": "A"}')},
    )
    assert results.state == "done"
    assert results.figures["accuracy"][0]["value"] == 1.0
