"""An outage in the middle of a run: who could not be reached is asked again by the next run, and nothing is claimed before."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from beside import in_a_thread
from cup_commands import Row, command, ended, told, write
from outages import asked, gone
from persons import settle

from moot.errors import CallError, GenerationFailed, ServerFailed
from moot.simulate.server import running
from moot.types import Reply, Request

GOOD = {"ann": 0.55, "bob": 0.9, "cat": 0.9}
HISTORY = ("runs", "failures", "losses", "bill_usd", "store")
"""What tells of calls that failed once, and of when something was run."""


def open_questions(many: int) -> list[Row]:
    return [{"id": f"q{n}", "text": f"Who is number {n} of them?", "answer": f"Person {n}"} for n in range(many)]


def cup(folder: Path, strategies: list[Any], questions: int = 12, **keys: Any) -> Path:
    folder.mkdir(exist_ok=True)
    models = {name: {"provider": "simulated", "accuracy": share} for name, share in GOOD.items()}
    teams = {"three": {"players": list(GOOD), "captain": "ann"}}
    return write(folder, open_questions(questions), models=models, teams=teams, strategies=strategies, **keys)


def figures(path: Path) -> Row:
    """Without what tells of history, and of how long something took."""

    def timeless(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: timeless(each) for key, each in value.items() if "seconds" not in key and "latency" not in key}
        return [timeless(each) for each in value] if isinstance(value, list) else value

    return {key: timeless(value) for key, value in told(path).items() if key not in HISTORY}


STRATEGIES: list[Any] = [
    ["solo", "vote"],
    ["vote"],
    ["solo", "talkative"],
    ["solo", "peer-review"],
    ["solo", {"debate": {"quorum": True, "grace_s": 5}}],
    ["solo", "discuss"],
]


@pytest.mark.parametrize("strategies", STRATEGIES, ids=str)
@pytest.mark.parametrize("share", [1, 3])
def test_after_an_outage_the_next_run_gives_what_a_fresh_one_gives(
    tmp_path: Path, strategies: list[Any], share: int
) -> None:
    path, fresh = (cup(tmp_path / name, strategies) for name in ("outage", "fresh"))
    with asked(gone("bob", "cat", questions=lambda n: n % share == 0)):
        assert ended("run", path, "--quiet")[0] == 1
    with asked() as made:
        assert ended("run", path, "--quiet")[0] == 0
        assert ended("run", path, "--quiet")[0] == 0
    with asked() as made_fresh:
        command("run", fresh, "--quiet")
    assert figures(path) == figures(fresh)
    assert made.total() < made_fresh.total()
    if strategies in (["solo", "vote"], ["vote"]):
        assert made == {"bob": 12 // share, "cat": 12 // share}, "what was answered is not asked twice"


def outage(path: Path, *names: str, share: int = 1) -> None:
    with asked(gone(*names, questions=lambda n: n % share == 0)):
        assert ended("run", path, "--quiet")[0] == 1


def test_nothing_is_claimed_of_a_team_whose_members_could_not_be_reached(tmp_path: Path) -> None:
    path = cup(
        tmp_path, ["solo", "vote"], questions=60, primary="vote", hypotheses=["accuracy(vote) < accuracy(solo@bob)"]
    )
    outage(path, "bob", "cat", share=2)
    figures = told(path)
    headline = figures["headline"]
    assert headline["unreached"] == {"questions": 30, "of": 60, "who": ["bob", "cat"], "withheld": True}
    over = headline["over_best_single"]
    assert (over["low"], over["high"], over["p"], headline["low"]) == (None, None, None, None)
    why = "on 30 of 60 questions a model could not be reached (bob, cat)"
    assert over["why"] == why
    assert figures["hypotheses"][0]["verdict"] == "open"
    assert "in 30 of 60 plays of vote a model could not be reached (bob, cat)" in figures["hypotheses"][0]["note"]
    row = next(row for row in figures["unreached"] if row["label"] == "vote")
    assert (row["plays"], row["unreached"], row["who"]) == (60, 30, ["bob", "cat"])
    sentence = f"{why.capitalize()}, so nothing is claimed; moot run asks again."
    assert sentence in headline["sentence"]
    for words in (("report", path), ("report", path, "--section", "accuracy")):
        assert sentence in command(*words), words
    assert "a model not reached on 30 of 60. Nothing is claimed." in command("runs", path)
    assert "In 90 of 180 plays a model could not be reached (bob, cat" in command(
        "report", path, "--section", "unreached"
    )
    status, said = ended("report", path, "--fail-under", "over_best_single.high<0")
    assert status == 1
    assert f"is not known ({why})" in said
    compared = json.loads(command("compare", path, "vote", "solo@ann", "--json"))
    assert compared["unreached"]["questions"] == 30
    command("report", path, "-o", tmp_path / "page.html")
    assert sentence in " ".join((tmp_path / "page.html").read_text(encoding="utf-8").split())
    assert (
        "this many questions: bob (30 of 60) and cat (30 of 60); moot run cup.yaml asks again"
        in ended("advise", path)[1]
    )
    with asked():
        assert ended("run", path, "--quiet")[0] == 0
    assert "unreached" not in told(path)
    assert "could not be reached" not in command("report", path)


def test_of_a_cohort_all_of_which_was_reached_something_is_claimed(tmp_path: Path) -> None:
    """But for the gap to the others' best, who were not."""
    names = {"ann": 0.9, "bob": 0.9, "cat": 0.5, "dan": 0.5}
    sides = [
        "accuracy(vote, open) > 0.2",
        "accuracy(vote, closed) < 0.99",
        "gap_closure(vote, closed) < 9",
        "accuracy(vote) < 1",
    ]
    path = write(
        tmp_path,
        open_questions(60),
        models={name: {"provider": "simulated", "accuracy": share} for name, share in names.items()},
        teams={
            "four": {
                "players": list(names),
                "captain": "each",
                "cohorts": {"open": ["ann", "bob"], "closed": ["cat", "dan"]},
            }
        },
        strategies=["solo", "vote"],
        hypotheses=sides,
    )
    outage(path, "bob", share=2)
    notes = {row["hypothesis"]: (row["verdict"], row["note"] or "") for row in told(path)["hypotheses"]}
    reached = {text: "could not be reached" not in note for text, (_, note) in notes.items()}
    assert reached == {sides[0]: False, sides[1]: True, sides[2]: False, sides[3]: False}
    assert notes[sides[1]][0] == "confirmed"


def test_a_few_plays_without_somebody_leave_a_claim_that_they_cannot_turn_round(tmp_path: Path) -> None:
    path = cup(tmp_path, ["solo", "vote"], questions=60, primary="vote")
    models = {"ann": 0.0, "cat": 0.0, "bob": 0.95}
    spec = json.loads(path.read_text())
    spec["models"] = {name: {"provider": "simulated", "accuracy": share} for name, share in models.items()}
    path.write_text(json.dumps(spec))
    outage(path, "ann", share=30)
    headline = told(path)["headline"]
    assert headline["unreached"] == {"questions": 2, "of": 60, "who": ["ann"], "withheld": False}
    assert headline["over_best_single"]["high"] < 0
    assert "On 2 of 60 questions a model could not be reached (ann); moot run asks again." in headline["words"]
    compared = json.loads(command("compare", path, "vote", "solo@bob", "--json"))
    assert compared["high"] < 0
    assert not compared["unreached"]["withheld"]


def test_compare_claims_nothing_that_those_who_were_not_reached_could_turn_round(tmp_path: Path) -> None:
    path = cup(tmp_path, ["solo", "vote"], questions=60)
    outage(path, "bob", "cat", share=2)
    compared = json.loads(command("compare", path, "vote", "solo@cat", "--json"))
    assert compared["unreached"] == {"questions": 30, "of": 60, "who": ["bob", "cat"], "withheld": True}
    assert (compared["low"], compared["p"], compared["detectable"]) == (None, None, None)
    assert "nothing is claimed" in command("compare", path, "vote", "solo@cat")


def test_who_fails_for_good_is_asked_again_and_nobody_else(tmp_path: Path) -> None:
    path = cup(tmp_path, ["solo", "vote"])
    outage(path, "bob")
    for _ in range(2):
        with asked(gone("bob")) as made:
            status, said = ended("run", path)
        assert (status, made) == (1, {"bob": 12 * 2})
        assert "moot: 12 of 48 episodes failed, 12 went on without bob (unreachable): 12 × bob: ServerFailed" in said


@pytest.mark.parametrize("own_doing", ["refused", "form"])
def test_what_is_the_models_own_doing_is_not_played_again(tmp_path: Path, own_doing: str) -> None:
    path = cup(tmp_path, ["vote"])

    def broken(name: str, request: Request) -> CallError | Reply | None:
        if name != "bob":
            return None
        refusal = Reply("I would rather not.", "refusal")
        return refusal if own_doing == "refused" else GenerationFailed("the form could not be kept")

    with asked(broken):
        assert ended("run", path, "--quiet")[0] == 0
    with asked() as made:
        assert ended("run", path, "--quiet")[0] == 0
    assert made == {}
    assert "unreached" not in told(path)


def test_who_reads_and_who_groups_are_asked_again(tmp_path: Path) -> None:
    """A player alone, whose reply another model reads, and a vote whose answers another model groups."""
    keys = {"grouping": {"model": "gil"}}
    path, fresh = (cup(tmp_path / name, ["solo", "vote"]) for name in ("outage", "fresh"))
    for each in (path, fresh):
        spec = json.loads(each.read_text()) | keys
        spec["models"]["gil"] = {"provider": "simulated", "accuracy": 0.9}
        each.write_text(json.dumps(spec))
    with asked(gone("gil")) as before:
        status, _ = ended("run", path, "--quiet")
    assert before["gil"]
    assert status == 1
    with asked() as made:
        assert ended("run", path, "--quiet")[0] == 0
    assert set(made) == {"gil"}
    with asked():
        command("run", fresh, "--quiet")
    assert figures(path) == figures(fresh)


def test_through_a_server_that_fails_and_is_mended(tmp_path: Path) -> None:
    served = {"seed": 7, "models": {name: {"accuracy": share} for name, share in GOOD.items()}}
    paths = [cup(tmp_path / name, ["solo", "vote"], primary="vote") for name in ("outage", "fresh")]

    def point(base_url: str) -> None:
        endpoint = {"provider": "endpoint", "base_url": base_url, "retries": {"attempts": 1}}
        for path in paths:
            spec = json.loads(path.read_text()) | {"models": {name: {**endpoint, "model": name} for name in GOOD}}
            path.write_text(json.dumps(spec))

    faults = [{"kind": 500, "model": name, "after": 3} for name in ("bob", "cat")]
    with in_a_thread(running({**served, "faults": faults})) as server:
        point(server.base_url)
        port = int(server.base_url.split(":")[2].split("/")[0])
        assert ended("run", paths[0], "--quiet")[0] == 1
        answered = server.stats["outcomes"]["ok"]
    assert answered < 3 * 12
    with in_a_thread(running(served, port=port)) as server:
        assert ended("run", paths[0], "--quiet")[0] == 0
        assert server.stats["outcomes"]["ok"] == 3 * 12 - answered
        command("run", paths[1], "--quiet")
    assert figures(paths[0]) == figures(paths[1])


def test_a_store_of_before_tells_by_its_transcripts(tmp_path: Path) -> None:
    path = cup(tmp_path, ["solo", "vote"])
    outage(path, "bob", share=3)
    with closing(sqlite3.connect(path.with_suffix(".db"))) as connection, connection:
        without = connection.execute("SELECT cell, question, unreached FROM episodes ORDER BY 1, 2").fetchall()
        connection.execute("ALTER TABLE episodes DROP COLUMN unreached")
        connection.execute("DELETE FROM migrations WHERE name = '0020-unreached'")
    command("runs", path)
    with asked() as made:
        assert ended("run", path, "--quiet")[0] == 0
    assert made == {"bob": 4}
    assert sum(unreached is not None for *_, unreached in without) == 8


def ends_of_intervals(value: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """Every end and every p of what is told, but for bounds."""
    if isinstance(value, list):
        for each in value:
            yield from ends_of_intervals(each, place)
    elif isinstance(value, dict):
        for key, each in value.items():
            if key.removesuffix("_holm").rpartition("_")[2] in ("low", "high", "p") and not isinstance(each, dict):
                yield f"{place}.{key}", each
            elif key != "bounds":
                yield from ends_of_intervals(each, f"{place}.{key}")


ALL_KINDS: list[Any] = [
    [
        "solo",
        "vote",
        "talkative",
        "adaptive",
        "learnt",
        {"cascade": {"order": ["ann", "bob", "cat"], "until": "decided"}},
    ],
    ["solo", "peer-review", "debate", "discuss", "mixture"],
]


@pytest.mark.parametrize("strategies", ALL_KINDS, ids=str)
def test_no_table_has_an_interval_where_too_many_plays_were_without_somebody(
    tmp_path: Path, strategies: list[Any]
) -> None:
    """What ann did alone is whole; she plays in no team of which anything else is."""
    path = cup(tmp_path, strategies, questions=30)
    outage(path, "bob", "cat", share=2)
    figures = told(path)
    assert all(row["value"] is not None for row in figures["accuracy"])
    rows = {key: value for key, value in figures.items() if key not in ("accuracy", "players", "protocols", "power")}
    alone = [row for row in figures["accuracy"] + figures["players"] if row.get("player") == "ann"]
    assert all(row["low"] is not None for row in alone)
    rows["others"] = [row for row in figures["accuracy"] + figures["players"] if row.get("player") != "ann"]
    left = {place for place, end in ends_of_intervals(rows) if end is not None}
    bounds = {".frontier.within_bounds.low", ".frontier.within_bounds.high"}  # whatever comes of it: these are no guess
    assert left - bounds <= {".frontier.low", ".frontier.high"}, "ann alone is on it"
    assert [row["of"] for row in figures["frontier"] if row["low"] is not None] == ["solo@ann"]
    assert not any(row["beaten_by"] for row in figures["frontier"])
    command("report", path, "--all")
    command("report", path, "-o", tmp_path / "page.html")
    command("report", path, "--format", "latex", "-o", tmp_path / "tables")


def test_what_is_about_another_team_keeps_its_intervals(tmp_path: Path) -> None:
    path = cup(tmp_path, ["solo", "vote"], questions=24)
    spec = json.loads(path.read_text())
    spec["teams"] = {
        "three": {"players": list(GOOD), "captain": "ann"},
        "two": {"players": ["ann", "bob"], "captain": "ann"},
    }
    path.write_text(json.dumps(spec))
    outage(path, "cat", share=2)
    figures = told(path)
    ends = {row["team"]: row["low"] for row in figures["accuracy"] if row["label"] == "vote"}
    assert ends["three"] is None
    assert ends["two"] is not None
    tops = {row["team"]: row["skyline"]["low"] for row in figures["teams"]}
    assert tops["three"] is None
    assert tops["two"] is not None
    assert {row["player"]: row["low"] is None for row in figures["accuracy"] if row["label"] == "solo"} == {
        "ann": False,
        "bob": False,
        "cat": True,
    }


def test_one_play_in_twenty_leaves_intervals_and_one_more_does_not(tmp_path: Path) -> None:
    for many, whole in ((1, True), (2, False)):
        path = cup(tmp_path / str(many), ["solo", "vote"], questions=20)
        with asked(gone("cat", questions=lambda n, many=many: n < many)):
            assert ended("run", path, "--quiet")[0] == 1
        figures = told(path)
        rows = {row.get("player"): row for row in figures["accuracy"]}
        assert (rows["cat"]["low"] is not None) is whole
        assert (figures["headline"]["low"] is not None) is whole
        assert figures["headline"]["unreached"]["withheld"] is not whole


def test_two_that_cannot_be_told_apart_have_no_interval_either(tmp_path: Path) -> None:
    path = cup(tmp_path, ["solo", "vote", "talkative"], questions=24)
    outage(path, "bob", "cat", share=2)
    compared = json.loads(command("compare", path, "vote", "talkative", "--json"))
    assert (compared["low"], compared["p"], compared["unreached"]["withheld"]) == (None, None, True)


def test_two_runs_beside_each_other_go_by_it_too(tmp_path: Path) -> None:
    broken, whole = (cup(tmp_path / name, ["solo", "vote"], questions=24) for name in ("broken", "whole"))
    outage(broken, "bob", "cat", share=2)
    with asked():
        command("run", whole, "--quiet")
    both = json.loads(command("report", broken, whole, "--json"))
    assert both["unreached"] == ["solo@bob", "solo@cat", "vote@ann"]
    ends = {row["of"]: row["low"] for row in both["comparisons"]}
    assert {of: end is None for of, end in ends.items()} == {
        "solo@ann": False,
        "solo@bob": True,
        "solo@cat": True,
        "vote@ann": True,
    }
    said = " ".join(command("report", broken, whole).split())
    assert "Nothing is claimed where a model could not be reached (solo@bob, solo@cat, vote@ann)" in said


def test_nobody_is_chosen_with_intervals_among_those_who_were_not_reached(tmp_path: Path) -> None:
    path = cup(tmp_path, ["solo"], questions=24)
    outage(path, "bob", "cat", share=2)
    said = command("select", path, "--k", "2", "--json")
    rows = json.loads(said[said.index("[") :])
    assert all(row["unreached"] == ["bob", "cat"] for row in rows)
    assert {end for _, end in ends_of_intervals(rows)} == {None}
    said = " ".join(command("select", path, "--k", "2").split())
    assert (
        "On more than a few questions a model could not be reached (bob, cat); these labels count as not right" in said
    )
    assert "moot run asks them again." in said


@pytest.mark.parametrize("replies", [0, 1, 8])
def test_a_player_of_another_team_who_was_not_reached_may_be_better(tmp_path: Path, replies: int) -> None:
    """Be it that some of its replies came or that none did."""
    path = cup(tmp_path, ["solo", "vote"], questions=90, seed=3)
    spec = json.loads(path.read_text())
    accuracies = {"ann": 0.6, "cat": 0.6, "dan": 0.6, "eve": 0.6, "bob": 0.97}
    spec["models"] = {name: {"provider": "simulated", "accuracy": share} for name, share in accuracies.items()}
    spec["teams"] = {"four": {"players": ["ann", "cat", "dan", "eve"]}, "two": {"players": ["bob", "ann"]}}
    path.write_text(json.dumps(spec | {"primary": "four/vote"}))
    with asked(gone("bob", questions=lambda n: n >= replies)):
        assert ended("run", path, "--quiet")[0] == 1
    headline = told(path)["headline"]
    assert headline["over_best_single"]["difference"] > 0
    assert headline["over_best_single"]["low"] is None
    assert headline["unreached"]["withheld"]
    assert headline["unreached"]["questions"] == 90 - replies
    status, said = ended("report", path, "--fail-under", "over_best_single.low>0")
    assert status == 1
    assert "a model could not be reached (bob)" in said


def test_over_its_captain_a_team_claims_what_compare_claims(tmp_path: Path) -> None:
    """The captain alone is weak and was not reached on a few questions; nothing else was missing."""
    path = cup(tmp_path, ["solo", "talkative"], questions=60, primary="talkative")
    spec = json.loads(path.read_text())
    for name, share in {"ann": 0.45, "bob": 0.7, "cat": 0.7}.items():
        spec["models"][name]["accuracy"] = share
    path.write_text(json.dumps(spec))
    for many in (2, 3):
        with asked(gone("ann", questions=lambda n, many=many: n < many)):
            ended("run", path, "--quiet")
        over = told(path)["headline"]["over_captain"]
        compared = json.loads(command("compare", path, "talkative", "solo@ann", "--json"))
        assert (over["low"] is None) is (compared["low"] is None)
        path.with_suffix(".db").unlink()


def test_texts_of_a_team_that_was_not_whole_are_not_called_better_or_worse(tmp_path: Path) -> None:
    """Nobody knows what they would be preferred to."""
    path = cup(tmp_path, ["talkative"], questions=40)
    spec = json.loads(path.read_text())
    for number, (name, power) in enumerate({"ann": 0.3, "bob": 0.95, "cat": 0.3}.items()):
        spec["models"][name] |= {"power": power, "words": 40 + number}
    spec["models"]["jim"] = {"provider": "simulated", "accuracy": 0.9}
    spec |= {"judge": {"models": ["jim"], "pairwise": True}, "primary": "talkative@ann"}
    texts = [{"id": f"q{n}", "text": f"Write plan {n}.", "kind": "text"} for n in range(40)]
    Path(tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, texts)), encoding="utf-8")
    path.write_text(json.dumps(spec))
    outage(path, "bob", share=2)
    figures = told(path)
    preferred = figures["headline"]["preferred"]
    assert (preferred["low"], preferred["p"], preferred["better"], preferred["worse"]) == (None, None, False, False)
    assert preferred["unreached"]["withheld"]
    assert "questions a model could not be reached (bob)" in figures["headline"]["sentence"]
    for row in figures["preferences"]["options"]:
        assert (row["better"], row["worse"], row["low"]) == (False, False, None)
    ratings = figures["preferences"]["ratings"]
    assert any(row["value"] for row in ratings)
    assert all(row["low"] is row["high"] is None for row in ratings), "each is a distance to somebody who was missing"


def test_a_table_of_a_cohort_is_one_of_its_team_and_the_other_cohort_keeps_its_own(tmp_path: Path) -> None:
    path = cup(tmp_path, ["solo", "vote", "peer-review"], questions=24)
    spec = json.loads(path.read_text())
    spec["models"]["dan"] = {"provider": "simulated", "accuracy": 0.6}
    spec["teams"] = {"four": {"players": [*GOOD, "dan"], "cohorts": {"x": ["ann", "bob"], "y": ["cat", "dan"]}}}
    path.write_text(json.dumps(spec))
    with asked(gone("bob", questions=lambda n: n % 2 == 0)):
        status, said = ended("run", path, "--quiet")
    assert status == 1, said
    figures = told(path)
    tables = ("gap", "gains", "comparisons", "diversity", "diversity_captains", "safety", "cohort_models", "players")
    rows = [(key, row) for key in tables for row in figures.get(key, ())]
    of_x = [(key, row) for key, row in rows if row.get("cohort") == "x" or "/x" in (row.get("team") or "")]
    of_x = [(key, row) for key, row in of_x if row.get("player") != "ann"]  # who was whole alone
    assert {key for key, _ in of_x} >= {"gains", "safety", "diversity"}
    assert [(key, place) for key, row in of_x for place, end in ends_of_intervals(row) if end is not None] == []
    (whole,) = [row for row in figures["accuracy"] if (row["label"], row.get("cohort")) == ("vote", "y")]
    assert whole["low"] is not None
    assert all(row["net_share_low"] is not None for row in figures["safety"] if row["cohort"] == "y")


def test_a_strategy_that_was_whole_keeps_its_rows_beside_one_that_was_not(tmp_path: Path) -> None:
    """The captain was away when it was to read the others' drafts; its own had come."""
    path = cup(tmp_path, ["solo", "vote", {"peer-review": {"drafts": "single-call"}}], questions=24)

    asked_before: Counter[str] = Counter()

    def second(name: str, request: Request) -> CallError | None:
        asked_before[request.question_id or ""] += name == "ann"
        away = name == "ann" and asked_before[request.question_id or ""] > 1
        return ServerFailed("the server is down", status=500) if away else None

    with asked(second):
        ended("run", path, "--quiet")
    figures = told(path)
    without = {row["label"] for row in figures["unreached"]}
    assert without == {"peer-review(drafts=single-call)"}
    lows = {row["label"]: row["low"] for row in figures["accuracy"] if row["label"] != "solo"}
    assert lows["vote"] is not None
    assert lows["peer-review(drafts=single-call)"] is None
    assert all(row["low"] is not None for row in figures["players"] if row["from"] == "solo")
    for row in figures["safety"]:
        assert (row["net_share_low"] is None) is (row["stage"] != "vote"), row["stage"]


def test_the_form_that_answers_are_asked_in_is_compared_only_where_all_were_reached(tmp_path: Path) -> None:
    path = cup(tmp_path, ["solo", {"solo": {"drafts": "double-call"}}, "vote"], questions=24)
    outage(path, "bob", share=2)
    figures = told(path)
    tables = {key: figures[key] for key in ("formatting_tax", "formatting_tax_models") if key in figures}
    assert tables
    assert {end for _, end in ends_of_intervals(tables)} == {None}


def test_a_weak_player_of_another_team_withholds_nothing(tmp_path: Path) -> None:
    """With all that failed right it would not be the best."""
    path = cup(tmp_path, ["solo", "vote"], questions=60, primary="three/vote")
    spec = json.loads(path.read_text())
    spec["models"]["dan"] = {"provider": "simulated", "accuracy": 0.2}
    spec["teams"] |= {"two": {"players": ["dan", "ann"], "captain": "ann"}}
    path.write_text(json.dumps(spec))
    with asked(gone("dan", questions=lambda n: n % 4 == 0)):
        assert ended("run", path, "--quiet")[0] == 1
    headline = told(path)["headline"]
    assert headline["low"] is not None
    assert headline["over_best_single"]["low"] is not None


def two_sets(folder: Path) -> Path:
    """Sixty questions of one set, twelve of another; both are of both categories."""
    path = cup(folder, ["solo", "vote"], questions=2)
    for name, many in (("know", 60), ("reason", 12)):
        rows = [
            {**row, "id": f"{name}{n}", "text": f"{name}: {row['text']}", "category": "one" if n % 2 else "two"}
            for n, row in enumerate(open_questions(many))
        ]
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    files = [{"file": f"{name}.jsonl", "group": group} for name, group in (("know", "recall"), ("reason", "thought"))]
    path.write_text(json.dumps(json.loads(path.read_text()) | {"questions": files}))
    return path


def bob_gone_on(path: Path, *questions: str) -> Row:
    def down(name: str, request: Request) -> CallError | None:
        away = name == "bob" and (request.question_id or "").rpartition("/")[2] in questions
        return ServerFailed("the server is down", status=500) if away else None

    with asked(down):
        assert ended("run", path, "--quiet")[0] == 1
    return told(path)


def test_a_small_set_goes_by_its_own_plays_and_so_does_a_mean_over_sets(tmp_path: Path) -> None:
    """Three of 72 questions are few, and of a set of twelve they are a quarter."""
    figures = bob_gone_on(two_sets(tmp_path), "reason0", "reason2", "reason4")

    def kept(key: str, **names: str) -> set[bool]:
        rows = [row for row in figures[key] if names.items() <= row.items() and row.get("player") in (None, "bob")]
        assert rows
        return {row["low"] is not None for row in rows}

    assert kept("accuracy") == {True}
    assert kept("question_sets", question_set="reason") == {False}
    assert kept("question_sets", question_set="know") == {True}
    assert (kept("set_groups", group="thought"), kept("set_groups", group="recall")) == ({False}, {True})
    assert kept("mean_over_sets") == {False}, "each set counts as much as the other"
    assert (kept("categories", category="one"), kept("categories", category="two")) == ({True}, {False})
    assert all(row["low"] is not None for row in figures["mean_over_sets"] if row.get("player") in ("ann", "cat"))


def test_the_sets_that_all_were_reached_in_keep_their_intervals(tmp_path: Path) -> None:
    figures = bob_gone_on(two_sets(tmp_path), *(f"reason{n}" for n in range(12)))
    bob = [row for row in figures["question_sets"] if row.get("player") in (None, "bob")]
    assert {(row["question_set"], row["low"] is not None) for row in bob} == {("know", True), ("reason", False)}
    assert {row["low"] for row in figures["accuracy"] if row.get("player") in (None, "bob")} == {None}


def test_what_learns_in_the_run_rests_on_all_that_taught_it(tmp_path: Path) -> None:
    """The cascade asks cat alone, and is surest of cat, as long as bob is not heard."""
    rule = {"cascade": {"order": ["cat", "ann", "bob"], "until": 0.51}}
    path = cup(
        tmp_path, ["solo", rule], questions=40, hypotheses=["accuracy(cascade) > 0.3", "accuracy(solo@cat) > 0.3"]
    )
    outage(path, "bob", share=3)
    figures = told(path)
    (row,) = figures["cascade"]
    assert (row["asked"], row["low"]) == ({"ann": 0.0, "bob": 0.0, "cat": 1.0}, None)
    assert [row["low"] for row in figures["accuracy"] if row["strategy"] == "cascade"] == [None]
    learnt, alone = figures["hypotheses"]
    assert (learnt["verdict"], learnt["p"], alone["verdict"]) == ("open", None, "confirmed")
    assert "in 40 of 40 plays of cascade" in learnt["note"]
    assert "(bob)" in learnt["note"]
    headline = figures["headline"]
    assert (headline["low"], headline["unreached"]["withheld"], headline["unreached"]["who"]) == (None, True, ["bob"])
    assert json.loads(command("compare", path, "cascade", "solo@cat", "--json"))["low"] is None
    with asked():
        assert ended("run", path, "--quiet")[0] == 0
    after = told(path)
    assert "unreached" not in after
    assert after["hypotheses"][0]["verdict"] == "confirmed"


def test_a_few_lessons_without_somebody_leave_what_was_learnt_its_intervals(tmp_path: Path) -> None:
    rule = {"cascade": {"order": ["cat", "ann", "bob"], "until": 0.51}}
    path = cup(tmp_path, ["solo", rule], questions=40)
    outage(path, "bob", share=40)
    assert all(row["low"] is not None for row in told(path)["accuracy"])


def test_people_beside_players_have_their_own_interval_and_the_others_none(tmp_path: Path) -> None:
    path = cup(tmp_path, ["solo", "vote"], questions=24)
    rows = [{**row, "human": {"solved": 60 + n, "asked": 100}} for n, row in enumerate(open_questions(24))]
    (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    outage(path, "bob", share=2)
    by_player = {row.get("player"): row for row in told(path)["human"] if row["label"] == "solo"}
    for name in ("bob", "ann"):
        ends = {by_player[name][key] is None for key in ("low", "difference_low", "p", "p_holm")}
        assert ends == {name == "bob"}
        assert by_player[name]["human_low"] is not None


@pytest.mark.parametrize(("graded", "texts", "down"), [(84, 16, (500, 504)), (8, 92, (0, 4))])
def test_what_is_graded_in_one_way_goes_by_its_own_plays(
    tmp_path: Path, graded: int, texts: int, down: tuple[int, int]
) -> None:
    """A fourth of the texts, or half of what has a reference: four plays in a hundred of all."""
    path = cup(tmp_path, ["solo", "talkative"], questions=graded, primary="talkative")
    asked_for = [{"id": f"q{500 + n}", "text": f"Write plan {n}.", "kind": "text"} for n in range(texts)]
    with (tmp_path / "q.jsonl").open("a") as file:
        file.writelines("\n" + json.dumps(each) for each in asked_for)
    with asked(gone("bob", questions=lambda n: down[0] <= n < down[1])):
        assert ended("run", path, "--quiet")[0] == 1
    figures = told(path)
    assert [(row["unreached"], row["plays"]) for row in figures["unreached"]] == [(4, 100)] * 2
    (bob,) = [row for row in figures["accuracy"] if row.get("player") == "bob"]
    assert (bob["low"], bob["high"]) == (None, None)
    over = figures["headline"]["over_best_single"]
    assert (over["low"], over["high"], over["p"]) == (None, None, None)


def texts(folder: Path, many: int, few: int, strategies: list[Any], *, own: Row | None = None, **keys: Any) -> Path:
    """So many questions that want texts; the first `few` have keys of their own."""
    path = cup(folder, strategies, questions=2, **keys)
    rows = [
        {"id": f"q{n}", "text": f"Write plan {n}.", "kind": "text", **(own or {} if n < few else {})}
        for n in range(many)
    ]
    (folder / "q.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    spec = json.loads(path.read_text())
    for model in spec["models"].values():
        model |= {"words": 12}
    path.write_text(json.dumps(spec))
    return path


def away_on_half_of(path: Path, few: int) -> None:
    with asked(gone("bob", questions=lambda n: n < few and n % 2 == 0)):
        assert ended("run", path, "--quiet")[0] == 1


def test_of_texts_that_people_have_graded_the_plays_are_those_of_these_texts(tmp_path: Path) -> None:
    """Six plays of 120 are few, and of the twelve that a person has graded they are half."""
    side = "accuracy(solo@bob) < 0.9"
    path = texts(tmp_path, 120, 12, ["solo", "talkative"], hypotheses=[side, "accuracy(solo@ann) < 0.99"])
    away_on_half_of(path, 12)
    assert settle(lambda: command("grade", path, "--settle"), lambda shown: first_of(shown, 12)) >= 12
    figures = told(path)
    assert [(row["unreached"], row["plays"]) for row in figures["unreached"]] == [(6, 120)] * 2
    accuracies = {row.get("player"): row for row in figures["accuracy"]}
    assert accuracies["bob"]["n"] == 12
    assert (accuracies["bob"]["low"], accuracies[None]["low"], figures["headline"]["low"]) == (None, None, None)
    assert accuracies["ann"]["low"] is not None
    bob, ann = figures["hypotheses"]
    assert (bob["low"], bob["p"], ann["low"] is not None) == (None, None, True)
    alone = ("accuracy", "players", "frontier", "hypotheses", "cohort_models")
    assert figures["headline"].pop("after_the_fact")["of"] in ("solo@ann", "solo@cat"), "who was whole"
    rest = {key: value for key, value in figures.items() if key not in alone}
    left = {place for place, end in ends_of_intervals(rest) if end is not None}
    assert left == set()


def first_of(shown: str, few: int) -> bool | None:
    """A person's word, as it falls, on the first questions; none on the others."""
    number = int(shown.partition("Write plan ")[2].partition(".")[0])
    return len(shown.partition("answer")[2]) % 3 > 0 if number < few else None


def test_a_criterion_goes_by_the_plays_of_the_questions_that_have_it(tmp_path: Path) -> None:
    clear, safe = ({"name": name, "points": 4, "says": f"It is {name}."} for name in ("clear", "safe"))
    path = texts(tmp_path, 100, 10, ["solo"], own={"rubric": [clear, safe]}, rubric=[clear])
    spec = json.loads(path.read_text())
    spec["models"]["jim"] = {"provider": "simulated", "accuracy": 0.9}
    path.write_text(json.dumps(spec | {"players": {n: {"model": n} for n in GOOD}, "judge": {"models": ["jim"]}}))
    away_on_half_of(path, 10)
    rows = {(row["player"], row["criterion"]): row for row in told(path)["rubric"]["criteria"]}
    assert (rows["bob", "safe"]["n"], rows["bob", "safe"]["low"]) == (10, None)
    assert rows["ann", "safe"]["low"] is not None


def texts_beside(folder: Path, graded: int, many: int) -> Path:
    """A team that is better where something is graded, beside texts that nobody grades."""
    folder.mkdir(exist_ok=True)
    rows: list[Row] = [
        {"id": f"q{n}", "text": f"Thing {n}?", "choices": ["a", "b", "c"], "answer": "abc"[n % 3]}
        for n in range(graded)
    ]
    rows += [{"id": f"q{graded + n}", "text": f"Write plan {n}.", "kind": "text"} for n in range(many)]
    models = {n: {"provider": "simulated", "accuracy": 0.8, "power": 0.6, "words": 12} for n in ("bob", "cat")}
    teams = {"two": {"players": ["bob", "cat"], "captain": "cat"}}
    keys = {"primary": "talkative", "hypotheses": ["accuracy(talkative) > accuracy(solo@bob)"]}
    return write(folder, rows, models=models, teams=teams, strategies=["solo", "talkative"], **keys)


def test_what_failed_may_be_right_where_nobody_grades_and_the_bounds_say_so(tmp_path: Path) -> None:
    """One text of 32 is few, and with it right the team is no better."""
    path = texts_beside(tmp_path, 400, 32)
    with asked(gone("bob", questions=lambda n: n == 400)):
        assert ended("run", path, "--quiet")[0] == 1
    during = told(path)
    compared = json.loads(command("compare", path, "talkative", "solo@bob", "--json"))
    with asked():
        assert ended("run", path, "--quiet")[0] == 0
    after = told(path)
    assert "cannot be told" in after["headline"]["words"][1]
    assert "cannot be told" in during["headline"]["words"][1]
    assert (during["hypotheses"][0]["verdict"], after["hypotheses"][0]["verdict"]) == ("open", "open")
    assert "reverse it" in compared["why"]
    for row in (during["headline"]["over_best_single"], during["hypotheses"][0], compared):
        assert row["bounds"]["low"] <= after["headline"]["over_best_single"]["bounds"]["low"] + 1e-9


def gains(board: Path) -> list[Row]:
    rows = json.loads((board / "leaderboard.json").read_text(encoding="utf-8"))["rows"]
    return [row["gain"] for row in rows if row["gain"]]


def test_where_the_verdict_cannot_tell_a_gain_nothing_else_does(tmp_path: Path) -> None:
    """Nothing failed; the texts could turn round what is graded."""
    path = texts_beside(tmp_path, 200, 20)
    with asked():
        command("run", path, "--quiet")
    over = told(path)["headline"]["over_best_single"]
    assert over["low"] > 0
    assert "reverse it" in over["why"]
    for condition in ("over_best_single.low>0", "over_best_single.difference>0", "over_best_single.p<0.05"):
        status, said = ended("report", path, "--fail-under", condition)
        assert status == 1
        assert "is not known (over the 200 graded pairs alone; the ungraded answers could reverse it)" in said
    assert ended("report", path, "--fail-under", "over_best_single.n>199")[0] == 0
    said = " ".join(command("runs", path).split())
    assert f"which cannot be told apart from {over['single']} alone" in said
    assert " points" not in said
    command("report", path, "--publish", tmp_path / "board")
    (gain,) = gains(tmp_path / "board")
    assert (gain["value"], gain["low"], gain["high"]) == (None, None, None)
    assert gain["why"].startswith("cannot be told: over the 200 graded pairs alone")
    assert "cannot be told" in (tmp_path / "board" / "index.html").read_text(encoding="utf-8")
    assert "What it found cannot be told" in " ".join(command("plan", "--from", path, "--gain", "0.05").split())
    assert json.loads(command("plan", "--from", path, "--gain", "0.05", "--json"))["pilot"]["low"] is None


def test_no_gain_is_told_of_a_run_that_claims_nothing_by_the_leaderboard_or_a_plan(tmp_path: Path) -> None:
    path = cup(tmp_path, ["solo", "vote"], questions=40, primary="vote")
    outage(path, "bob", share=2)
    command("report", path, "--publish", tmp_path / "board")
    (gain,) = gains(tmp_path / "board")
    assert gain["low"] is gain["high"] is None
    assert "a model could not be reached (bob)" in gain["why"]
    status, said = ended("plan", "--from", path, "--gain", "0.05")
    assert status == 2
    assert "on 20 of 40 questions a model could not be reached (bob); moot run asks them again" in said


def test_after_an_outage_no_team_is_named_as_the_one_to_take(tmp_path: Path) -> None:
    path = cup(tmp_path, ["solo"], questions=24)
    outage(path, "bob", share=2)
    said = " ".join(command("select", path, "--k", "2").split())
    assert "No team to take yet: on too many questions there is no reply of bob." in said
    assert "The team to take" not in said
    assert "moot select" not in said
    with asked():
        assert ended("run", path, "--quiet")[0] == 0
    assert "The team to take" in command("select", path, "--k", "2")
