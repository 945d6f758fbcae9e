"""`moot plan`: how many questions, and the assumption behind it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import moot
from moot.cli.app import app
from moot.cli.exit import run_app
from moot.stats.bounded_power import PlannedUnits, needed_units
from moot.stats.power import Design, needed


def test_with_a_discordance(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(app, ["plan", "--accuracy", "0.4", "--gain", "0.03", "--discordance", "0.2", "--json"]) == 0
    row = json.loads(capsys.readouterr().out)
    assert row["questions"] == needed(0.4, 0.03, 0.2)
    assert (row["assumed"], row["table"]) == (False, [])
    assert run_app(app, ["plan", "--accuracy", "0.4", "--gain", "0.03", "--discordance", "0.2"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert f"{row['questions']:,} questions show it in 80 of 100 runs" in said
    assert "assumption" not in said


def test_without_one_the_assumption_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(app, ["plan", "--accuracy", "0.4", "--gain", "0.03"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "The 48.6 % are an assumption" in said
    assert run_app(app, ["plan", "--accuracy", "0.4", "--gain", "0.03", "--json"]) == 0
    row = json.loads(capsys.readouterr().out)
    assert row["assumed"]
    assert {each["discordance"]: each["questions"] for each in row["table"]}[0.2] == needed(0.4, 0.03, 0.2)
    assert row["questions"] >= max(each["questions"] for each in row["table"])


def test_only_what_is_possible_is_in_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(app, ["plan", "--accuracy", "0.9", "--gain", "0.06", "--json"]) == 0
    row = json.loads(capsys.readouterr().out)
    assert [each["discordance"] for each in row["table"]] == [0.1]


def test_every_family_of_the_report_is_planned_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Discussions too: two protocols against each other and against their models alone."""
    keys = {
        "name": "talks",
        "questions": {"builtin": "general-en"},
        "models": {name: {"provider": "simulated", "accuracy": 0.5} for name in ("ann", "bob", "cat")},
        "teams": {"three": {"players": ["ann", "bob", "cat"]}},
        "strategies": ["solo", "discuss", {"discuss": {"decision": "unanimity-consensus"}}],
    }
    path = tmp_path / "talks.yaml"
    path.write_text(json.dumps(keys), encoding="utf-8")
    asked = ["plan", str(path), "--accuracy", "0.4", "--gain", "0.1", "--discordance", "0.2"]
    assert run_app(app, [*asked, "--json"]) == 0
    row = json.loads(capsys.readouterr().out)
    families = {family["family"]: family for family in row["families"]}
    assert families["protocol_baselines"]["comparisons"] == 2
    assert families["protocol_baselines"]["questions"] == needed(0.4, 0.1, 0.2, comparisons=2)
    headline = needed(0.4, 0.1, 0.2, power=1 - 0.2 / 3, comparisons=2)
    assert families["headline"] == {"family": "headline", "comparisons": 2, "players": 3, "questions": headline}
    assert (row["family"], row["players"], row["questions"]) == ("headline", 3, headline), "what asks for the most"
    assert run_app(app, asked) == 0
    assert "voting against consensus" in " ".join(capsys.readouterr().out.split())


def test_as_many_comparisons_are_planned_for_as_a_report_corrects_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Talking where it pays is held against always voting and against always talking: a table has two of them."""
    keys = {
        "name": "talks",
        "questions": {"builtin": "general-en", "sample": 8},
        "models": {name: {"provider": "simulated", "accuracy": 0.5} for name in ("ann", "bob", "cat")},
        "teams": {"three": {"players": ["ann", "bob", "cat"], "captain": "each"}},
        "strategies": ["vote", "talkative"],
    }
    path = tmp_path / "talks.yaml"
    path.write_text(json.dumps(keys), encoding="utf-8")
    asked = ["plan", str(path), "--accuracy", "0.4", "--gain", "0.1", "--discordance", "0.2", "--json"]
    assert run_app(app, asked) == 0
    planned = {row["family"]: row["comparisons"] for row in json.loads(capsys.readouterr().out)["families"]}
    learnt = moot.run(path).figures["talk_threshold"]
    assert planned["talk_threshold"] == sum("p_holm" in learnt[over] for over in ("over_vote", "over_talk")) == 2


def test_a_primary_has_to_beat_everybody_who_plays_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keys = {
        "name": "teams",
        "questions": {"builtin": "general-en"},
        "models": {name: {"provider": "simulated", "accuracy": 0.5} for name in ("ann", "bob", "cat", "dan", "eve")},
        "teams": {
            "two": {"players": ["ann", "bob"], "captain": "ann"},
            "three": {"players": ["cat", "dan", "eve"], "captain": "cat"},
        },
        "strategies": ["solo", "talkative"],
    }
    path = tmp_path / "teams.yaml"
    for primary, options, players in ((None, 2, 5), ("talkative@ann", 1, 5)):
        path.write_text(json.dumps({**keys, **({"primary": primary} if primary else {})}), encoding="utf-8")
        asked = ["plan", str(path), "--accuracy", "0.4", "--gain", "0.1", "--discordance", "0.2", "--json"]
        assert run_app(app, asked) == 0
        row = json.loads(capsys.readouterr().out)
        (headline,) = [family for family in row["families"] if family["family"] == "headline"]
        assert (headline["comparisons"], headline["players"]) == (options, players)
        assert headline["questions"] == needed(0.4, 0.1, 0.2, power=1 - 0.2 / players, comparisons=options)


@pytest.mark.parametrize(
    ("alone", "players"),
    [
        ([], 2),
        ([{"solo": {"drafts": "double-call"}}], 2),
        (["solo"], 4),
        (["solo", {"solo": {"drafts": "double-call"}}], 4),
    ],
    ids=["nobody", "the same way", "another", "both"],
)
def test_who_is_asked_alone_in_another_way_than_at_the_table_has_to_be_beaten_twice(
    alone: list[object], players: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """At the table in two calls. A third model plays alone and sits at no table: nobody has to beat it."""
    keys = {
        "name": "ways",
        "questions": {"builtin": "general-en"},
        "models": {name: {"provider": "simulated", "accuracy": 0.5} for name in ("ann", "bob", "cat")},
        "teams": {"two": {"players": ["ann", "bob"], "captain": "ann"}},
        "strategies": [{"peer-review": {"drafts": "double-call"}}, *alone],
    }
    path = tmp_path / "ways.yaml"
    path.write_text(json.dumps(keys), encoding="utf-8")
    assert run_app(app, ["plan", str(path), *SMALL[1:], "--json"]) == 0
    planned = {family["family"]: family for family in json.loads(capsys.readouterr().out)["families"]}
    assert planned["headline"]["players"] == players


SMALL = ["plan", "--accuracy", "0.4", "--gain", "0.1", "--discordance", "0.2"]


def test_clusters_are_counted_and_not_their_questions(capsys: pytest.CaptureFixture[str]) -> None:
    """All questions of a cluster may do alike: then it is worth one of them."""
    assert run_app(app, [*SMALL, "--cluster-size", "5", "--json"]) == 0
    row = json.loads(capsys.readouterr().out)
    clusters = needed(0.4, 0.1, 0.2)
    assert clusters is not None
    assert (row["clusters"], row["cluster_size"], row["questions"]) == (clusters, 5, 5 * clusters)
    assert run_app(app, [*SMALL, "--cluster-size", "5"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert f"{5 * clusters:,} questions in {clusters:,} clusters show it in 80 of 100 runs" in said
    assert "however much the questions of a cluster are alike" in said
    assert "McNemar" not in said


def test_the_clusters_of_a_file_are_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Passages of one to nine questions: more of them than of passages that are all of one size."""
    questions = [
        {"id": f"{passage} {place}", "text": f"{passage}, {place}?", "answer": "yes", "cluster": str(passage)}
        for passage in range(1, 10)
        for place in range(passage)
    ]
    (tmp_path / "asked.jsonl").write_text("\n".join(map(json.dumps, questions)), encoding="utf-8")
    keys = {
        "name": "passages",
        "questions": {"file": "asked.jsonl"},
        "models": {"ann": {"provider": "simulated", "accuracy": 0.5}},
        "strategies": ["solo"],
    }
    path = tmp_path / "passages.yaml"
    path.write_text(json.dumps(keys), encoding="utf-8")
    assert run_app(app, ["plan", str(path), *SMALL[1:], "--json"]) == 0
    row = json.loads(capsys.readouterr().out)
    units = PlannedUnits(tuple(range(1, 10)))
    assert row["clusters"] == needed_units(Design(0.4, 0.1, 0.2), units) > (needed(0.4, 0.1, 0.2) or 0)
    assert (row["cluster_size"], row["questions"]) == (5, 5 * row["clusters"])
    assert all(family["clusters"] * 5 == family["questions"] for family in row["families"] if "questions" in family)
    assert run_app(app, ["plan", str(path), *SMALL[1:], "--cluster-size", "2"]) == 2
    assert "the file says which questions hang together" in capsys.readouterr().err


def test_scores(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["plan", "--accuracy", "0.4", "--gain", "0.05", "--discordance", "0.5", "--apart", "0.3"]
    assert run_app(app, [*asked, "--json"]) == 0
    row = json.loads(capsys.readouterr().out)
    assert row["questions"] == needed_units(Design(0.4, 0.05, 0.5), PlannedUnits(apart=0.3))
    assert row["apart"] == 0.3
    assert run_app(app, asked) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "by 0.3 at the most" in said
    assert "McNemar" not in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--accuracy", "0.4", "--gain", "0.1", "--apart", "0.5"], "discordance: expected with --apart"),
        (["--accuracy", "0.4", "--gain", "0.1", "--discordance", "0.2", "--apart", "0.3"], "expected 0.333333 or more"),
        (["--accuracy", "0.4", "--gain", "0.1", "--discordance", "0.2", "--apart", "1.5"], "apart"),
        (["--accuracy", "0.4", "--gain", "0.3", "--discordance", "0.2"], "expected 0.3 or more, found 0.2"),
        (["--accuracy", "0.4", "--gain", "0"], "that is not 0"),
        (["--accuracy", "1.4", "--gain", "0.1"], "between 0 and 1"),
        (["--accuracy", "0.9", "--gain", "0.2"], "which is no accuracy"),
        (["--accuracy", "0.4", "--gain", "0.03", "--power", "1"], "power"),
    ],
)
def test_mistakes(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(app, ["plan", *arguments]) == 2
    assert said in capsys.readouterr().err
