"""Random experiments, each from its number: questions, players, teams, strategies with options, judges, grouping, repeats.

Models are simulated, so that everything runs through the command and is the same twice. Some refuse, some garble, some
have nothing to say to some questions; some questions only a judge can settle.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from second_way.raw import same_words, under_its_id

PLAYERS = ("ann", "bob", "cat", "dan", "eve")

DISCUSSIONS: tuple[dict[str, Any], ...] = (
    {"decision": "simple-voting"},
    {"decision": "ranked-voting", "drafting": "all-agents-drafting"},
    {"decision": "cumulative-voting", "paradigm": "relay"},
    {"decision": "approval-voting", "drafting": "collective-improvement"},
    {"decision": "majority-consensus"},
    {"decision": "unanimity-consensus", "paradigm": "report"},
    {"decision": "solution-counting", "style": "critical"},
)


OTHERWISE_SPELT = (
    "accuracy(talkative) - 0.05 > accuracy(solo)",
    "0.3 < accuracy(talkative)",
    "-100 * accuracy(solo) < 5 - 100 * accuracy(talkative)",
    "accuracy(talkative) / accuracy(solo) > 1",
    "accuracy(talkative) / accuracy(solo) < 1.3",
    "accuracy(talkative) * skyline(solo) > 0.3",
    "accuracy(solo) * accuracy(solo) < 0.25",
    "safety_multiple(talkative) > 0.5 * accuracy(solo)",
)


def experiment(number: int, folder: Path, *, choices: bool = False) -> dict[str, Any]:
    """The keys of an experiment file; what it refers to is written into the folder. `choices`: no open questions."""
    draw = random.Random(number)
    open_questions = draw.random() < 0.4 and not choices
    players = list(PLAYERS[: draw.randint(2, 4)])
    repeats = draw.choice((1, 1, 2, 3))
    models: dict[str, Any] = {name: _model(draw) for name in players}
    keys: dict[str, Any] = {
        "name": f"world-{number}",
        "seed": draw.randrange(1000),
        "questions": _questions(draw, folder, open_questions=open_questions),
        "models": models,
        "players": {name: {"model": name} for name in players},
        "teams": {"table": _team(draw, players)},
        "strategies": list(_strategies(draw)),
        "repeats": repeats,
    }
    if open_questions:
        keys |= _officers(draw, models)
    return keys | _claims(random.Random(f"claims {number}"), keys)


def cohorts_and_names(number: int, folder: Path) -> dict[str, Any]:
    """Two cohorts of which everybody reviews, with names and without: what random experiments hardly ever have at once."""
    keys = {**experiment(number, folder), "name": f"cohorts-{number}"}
    draw = random.Random(f"cohorts {number}")
    players = list(PLAYERS[:4])
    officers = {name: model for name, model in keys["models"].items() if name not in PLAYERS}
    keys["models"] = {**{name: _model(draw) for name in players}, **officers}
    keys["players"] = {name: {"model": name} for name in players}
    cohorts = {"left": players[:2], "right": players[2:]}
    keys["teams"] = {"table": {"players": players, "captain": "each", "cohorts": cohorts}}
    review = {"drafts": draw.choice(("single-call", "double-call"))}
    keys["strategies"] = [
        *draw.sample(["solo", "talkative", {"debate": {"max_rounds": 2}}], 1),
        {"peer-review": review},
    ]
    keys["strategies"].append({"peer-review": {**review, "names": "shown"}})
    kept = {key: value for key, value in keys.items() if key not in ("primary", "hypotheses")}
    return kept | _claims(random.Random(f"claims {number}"), kept)


def two_teams(number: int, folder: Path) -> dict[str, Any]:
    """Two teams of one file that share a player, or (of odd numbers) none; in every fourth world both have cohorts of the
    same names. What is claimed is claimed of one of them, or of one against the other."""
    keys = {**experiment(number, folder), "name": f"teams-{number}"}
    draw = random.Random(f"teams {number}")
    officers = {name: model for name, model in keys["models"].items() if name not in PLAYERS}
    keys["models"] = {**{name: _model(draw) for name in PLAYERS}, **officers}
    keys["players"] = {name: {"model": name} for name in PLAYERS}
    first, second = list(PLAYERS[:3]), list(PLAYERS[3:] if number % 2 else PLAYERS[2:4])
    keys["teams"] = {
        "first": {"players": first, "captain": draw.choice(("each", first[0]))},
        "second": {"players": second, "captain": draw.choice(("each", second[-1]))},
    }
    if number % 4 == 3:
        for team in keys["teams"].values():
            team["cohorts"] = {"left": team["players"][:1], "right": team["players"][1:]}
    keys["strategies"] = ["solo", *draw.sample(["vote", "silent", "talkative", {"peer-review": {}}], 2)]
    kept = {key: value for key, value in keys.items() if key not in ("primary", "hypotheses")}
    return kept | _claims_of_teams(draw, kept)


def _claims_of_teams(draw: random.Random, keys: dict[str, Any]) -> dict[str, Any]:
    """Of each team by itself, and of the two beside each other."""
    one, other = (label_of(entry) for entry in keys["strategies"][1:])
    name, team = draw.choice([*keys["teams"].items()])
    captain = draw.choice(team["players"]) if team["captain"] == "each" else team["captain"]
    every = [
        f"accuracy(first/{one}) - accuracy(second/{one}) > 0",
        f"accuracy(second/{other}) - accuracy(solo) > 0",
        f"accuracy(first/{other}) - accuracy(first/{one}) < 0.2",
        *(f"{function}({side}/{one}) > 0.4" for function in ("skyline", "gap_closure") for side in keys["teams"]),
        *(f"{function}({side}/{other}) > 0" for function in ("net", "accuracy") for side in keys["teams"]),
        f"cost(first/{one}) < 0.01",
    ]
    if "cohorts" in team:
        every = [f"{function}({name}/{one}, right) > 0.2" for function in ("accuracy", "skyline")] + every[:4]
        captain = draw.choice(team["players"])
    primary = draw.choice([f"{name}/{other}@{captain}", f"{name}/{other}"]) if draw.random() < 0.7 else None
    return {"hypotheses": every[:6], **({"primary": primary} if primary and "cohorts" not in team else {})}


def troubled(number: int, folder: Path) -> tuple[dict[str, Any], dict[str, float]]:
    """Open questions, of some of which nobody knows the answer; players, judges and who groups fail now and then.

    The second value says of which model which share of the calls is to fail."""
    keys = {**experiment(number, folder, choices=False), "name": f"troubled-{number}"}
    draw = random.Random(f"troubled {number}")
    choices = draw.random() < 0.3
    keys["questions"] = _questions(draw, folder, open_questions=not choices)
    _unknown(draw, folder)
    if not choices and "judge" not in keys:
        keys |= _officers(draw, keys["models"])
    shares = {name: (0.05 if name in PLAYERS else 0.2) for name in keys["models"] if draw.random() < 0.7}
    return keys, shares


def few_waiting(number: int, folder: Path) -> tuple[dict[str, Any], dict[str, float]]:
    """Open questions by the dozen, of which a few answers wait for the judge: few enough for a figure over the others."""
    draw = random.Random(f"waiting {number}")
    players = list(PLAYERS[:2])
    models = {name: {**_model(draw), "temperature": 0} for name in players}
    rows = [_question(draw, f"few-{n}", True) for n in range(44)]
    (folder / "first.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    models["judy"] = {"provider": "simulated", "accuracy": 0.9, "judgement": 0.9}
    keys: dict[str, Any] = {
        "name": f"waiting-{number}",
        "seed": draw.randrange(1000),
        "questions": {"file": "first.jsonl"},
        "models": models,
        "players": {name: {"model": name} for name in players},
        "teams": {"table": {"players": players, "captain": draw.choice(("each", players[0]))}},
        "strategies": ["solo", "talkative"],
        "judge": {"models": ["judy"]},
        "hypotheses": ["accuracy(talkative) > 0.3", "accuracy(talkative) - accuracy(solo) > 0", *OTHERWISE_SPELT],
    }
    return keys, {"judy": 0.04}


def rivals_waiting(number: int, folder: Path) -> tuple[dict[str, Any], dict[str, float]]:
    """Three players of whom nobody knows who is the best, so much of what they say waits for the judge; and a captain who can
    tell, so that little of the team's does."""
    keys, _ = few_waiting(number, folder)
    players = list(PLAYERS[:3])
    draw = random.Random(f"rivals {number}")
    able = {name: {**_model(draw), "accuracy": 0.5, "power": 0.95, "temperature": 0} for name in players}
    keys |= {"name": f"rivals-{number}", "models": {**able, "judy": keys["models"]["judy"]}, "primary": "silent"}
    keys |= {"players": {name: {"model": name} for name in players}, "strategies": ["solo", "silent"]}
    keys["teams"] = {"table": {"players": players, "captain": players[number % 3]}}
    del keys["hypotheses"]
    return keys, {"judy": 0.2}


def waiting_reviews(number: int, folder: Path) -> tuple[dict[str, Any], dict[str, float]]:
    """Reviews and debates over two sets of open questions of which some answers wait for the judge: in some worlds so few
    that there are figures over the others, in some too many."""
    draw = random.Random(f"waiting reviews {number}")
    players = list(PLAYERS[:2])
    for name in ("first", "second"):
        rows = [_question(draw, f"{name}-{n}", True) for n in range(draw.randint(22, 30))]
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    keys: dict[str, Any] = {
        "name": f"waiting-reviews-{number}",
        "seed": draw.randrange(1000),
        "questions": [{"file": f"{name}.jsonl", "group": "all"} for name in ("first", "second")],
        "models": {name: {**_model(draw), "accuracy": round(draw.uniform(0.4, 0.6), 2)} for name in players},
        "players": {name: {"model": name} for name in players},
        "teams": {"table": {"players": players, "captain": "each"}},
        "strategies": ["solo", {"peer-review": {"drafts": "single-call"}}],
        "judge": {"models": ["judy"]},
    }
    keys["strategies"].append({"debate": {"max_rounds": 2, "drafts": "single-call"}})
    for model in keys["models"].values():
        model |= {"herd": 2.0, "pull": 0.0}
    keys["models"]["judy"] = {"provider": "simulated", "accuracy": 0.9, "judgement": 0.8}
    return keys, {"judy": (0.01, 0.02, 0.3)[number % 3]}


def waiting_proposers(number: int, folder: Path) -> tuple[dict[str, Any], dict[str, float]]:
    """Players alone on open questions, to choose from while some answers wait for the judge: few, or many; of some
    questions nobody knows what is right in every other world."""
    draw = random.Random(f"proposers {number}")
    players = list(PLAYERS[:4])
    rows = [_question(draw, f"open-{n}", True) for n in range(40)]
    (folder / "first.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    if number % 2:
        _unknown(draw, folder)
    keys: dict[str, Any] = {
        "name": f"proposers-{number}",
        "seed": draw.randrange(1000),
        "questions": {"file": "first.jsonl"},
        "models": {name: {**_model(draw), "correlation": 0.2} for name in players},
        "players": {name: {"model": name} for name in players},
        "teams": {"table": {"players": players}},
        "strategies": ["solo"],
        "judge": {"models": ["judy"]},
    }
    keys["models"]["judy"] = {"provider": "simulated", "accuracy": 0.9, "judgement": 0.8}
    return keys, {"judy": (0.06, 0.3, 1.0)[number % 3]}


def gaps_over_clusters(number: int, folder: Path) -> tuple[dict[str, Any], dict[str, float]]:
    """Two cohorts that review, on questions that hang together in clusters of one to five. Every other world has open
    questions of which a few answers wait for the judge."""
    draw = random.Random(f"gaps {number}")
    players, waiting = list(PLAYERS[:4]), bool(number % 2)
    rows: list[dict[str, Any]] = []
    while len(rows) < 32:
        several = [_question(draw, f"{len(rows)}-{n}", waiting) for n in range(draw.randint(1, 5))]
        rows += [{**row, "cluster": f"passage {len(rows)}"} for row in several]
    (folder / "first.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    levels = dict(zip(players, (0.35, 0.45, 0.8, 0.85), strict=True))
    keys: dict[str, Any] = {
        "name": f"gaps-{number}",
        "seed": draw.randrange(1000),
        "questions": {"file": "first.jsonl"},
        "models": {name: {"provider": "simulated", "accuracy": level} for name, level in levels.items()},
        "players": {name: {"model": name} for name in players},
        "teams": {"table": {"players": players, "captain": "each"}},
        "strategies": ["solo", {"peer-review": {"drafts": "single-call"}}],
        "hypotheses": ["gap_closure(peer-review, left) > 0.1"],
    }
    keys["teams"]["table"]["cohorts"] = {"left": players[:2], "right": players[2:]}
    if waiting:
        keys["models"]["judy"] = {"provider": "simulated", "accuracy": 0.9, "judgement": 0.9}
        keys["judge"] = {"models": ["judy"]}
    return keys, {"judy": 0.05}


def asked_twice(number: int, folder: Path) -> tuple[dict[str, Any], dict[str, float]]:
    """The same, and every third question once more in another set under another id and spacing, some of them in a cluster
    there; so clusters of two sets may be one."""
    keys, shares = gaps_over_clusters(number, folder)
    draw = random.Random(f"twice {number}")
    rows = [json.loads(line) for line in (folder / "first.jsonl").read_text(encoding="utf-8").splitlines()]
    again = [{**row, "id": f"again {row['id']}", "text": f" {row['text']}  "} for row in rows[::3]]
    for row in again:
        del row["cluster"]
        row |= {"cluster": f"page {draw.randint(1, 9)}"} if draw.random() < 0.5 else {}
    (folder / "second.jsonl").write_text("\n".join(map(json.dumps, again)), encoding="utf-8")
    sets = [{"file": f"{name}.jsonl"} for name in ("first", "second")]
    return {**keys, "name": f"twice-{number}", "questions": sets}, shares


def sure_and_unsure(number: int, folder: Path, questions: int = 30, discussed: Sequence[Any] = ()) -> dict[str, Any]:
    """So many questions that probabilities are learnt from them; some have categories, some worlds repeats; one player is
    better than the others, some refuse now and then, and captains may say what nobody had drafted."""
    draw = random.Random(f"sure {number}")
    players = list(PLAYERS[:3])
    rows = [_question(draw, f"q-{n}", False) for n in range(questions + draw.randrange(6))]
    (folder / "first.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    levels = dict(zip(players, (0.8, 0.5, 0.4), strict=True))
    models = {name: {**_model(draw), "accuracy": level, "temperature": 1.0} for name, level in levels.items()}
    return {
        "name": f"sure-{number}",
        "seed": draw.randrange(1000),
        "questions": {"file": "first.jsonl"},
        "models": models,
        "players": {name: {"model": name} for name in players},
        "teams": {"table": {"players": players, "captain": players[number % 3]}},
        "strategies": ["vote", "talkative", *(["silent"] if number % 2 else []), *discussed],
        "repeats": 1 + number % 2,
    }


def one_after_another(number: int, folder: Path) -> dict[str, Any]:
    """Cascades of several kinds beside what asks everybody, on enough questions to learn from."""
    keys = sure_and_unsure(number, folder)
    names = keys["teams"]["table"]["players"]
    cascades: list[Any] = [
        "cascade",
        {"cascade": {"order": "best", "until": 0.9, "then": "talkative"}},
        {"cascade": {"order": names[::-1], "wave": 2}},
    ]
    # What learns in a way of its own learns anew for every fold: one such is enough in a world.
    rules = ["learnt", "leader"] if number % 2 else ["learnt", {"weighted": {"weights": {names[0]: 2.5, names[1]: 0}}}]
    return {
        **keys,
        "name": f"cascades-{number}",
        "strategies": ["vote", "talkative", *rules, {"vote": {"abstain": {"below": 0.6}}}, *cascades],
    }


def abstaining(number: int, folder: Path, questions: int = 34) -> dict[str, Any]:
    """A vote that gives no answer where it is not sure enough, beside one that always does."""
    keys = {**sure_and_unsure(number, folder, questions), "name": f"abstaining-{number}"}
    keys["strategies"] = ["solo", "vote", {"vote": {"abstain": {"below": (0.7, 0.5)[number % 2]}}}]
    return keys


def little_feedback(number: int, folder: Path) -> tuple[dict[str, Any], dict[str, float]]:
    """The same as a served team has it: of most questions nobody has said what is right, be it of those that were answered
    or of the others, and now and then nobody is heard."""
    keys = {**abstaining(number, folder, 60), "name": f"feedback-{number}"}
    _unknown(random.Random(f"feedback {number}"), folder, 0.4)
    return keys, dict.fromkeys(keys["models"], 0.15)


def sure_in_clusters(number: int, folder: Path) -> dict[str, Any]:
    """The same, on questions of which one to three hang together."""
    keys = {**sure_and_unsure(number, folder, 45), "name": f"sure-clusters-{number}"}
    draw = random.Random(f"sure clusters {number}")
    rows = [json.loads(line) for line in (folder / "first.jsonl").read_text(encoding="utf-8").splitlines()]
    place = 0
    while place < len(rows):
        several = draw.randint(1, 3)
        for row in rows[place : place + several]:
            row["cluster"] = f"passage {place}"
        place += several
    (folder / "first.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return keys


def waiting_challenges(number: int, folder: Path) -> tuple[dict[str, Any], dict[str, float]]:
    """Challenge rounds on open questions: what agents say instead, and what was planted, waits for the judge now and then."""
    draw = random.Random(f"waiting challenges {number}")
    players = list(PLAYERS[:3])
    rows = [_question(draw, f"open-{n}", True) for n in range(draw.randint(16, 24))]
    (folder / "first.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    if number % 2:
        _unknown(draw, folder)
    base = {"max_turns": 2, "vote_from": 1, "personas": "none"}
    keys: dict[str, Any] = {
        "name": f"waiting-challenges-{number}",
        "seed": draw.randrange(1000),
        "questions": {"file": "first.jsonl"},
        "models": {name: _model(draw) for name in (*players, "pat")},
        "players": {name: {"model": name} for name in players},
        "teams": {"table": {"players": players}},
        "strategies": [{"discuss": {**base, "challenge": "solution"}}],
        "repeats": draw.choice((1, 2)),
        "judge": {"models": ["judy"]},
    }
    keys["strategies"].append({"discuss": {**base, "challenge": "wrong", "planted_by": "pat"}})
    keys["models"]["judy"] = {"provider": "simulated", "accuracy": 0.9, "judgement": 0.8}
    return keys, {"judy": (0.01, 0.03, 0.3)[number % 3]}


def other_calls(number: int, folder: Path) -> dict[str, Any]:
    """Beside any others one or two strategies whose drafts are calls of their own."""
    keys = {**experiment(number, folder), "name": f"calls-{number}"}
    draw = random.Random(f"calls {number}")
    hinted = [{"hinted": {"usual_words": False}}, "hinted", {"hinted": {"captain_only": True}}]
    chosen = draw.sample(hinted, draw.randint(1, 2))
    keys["strategies"] = [entry for entry in keys["strategies"] if isinstance(entry, str) or "discuss" not in entry][:3]
    keys["strategies"] += chosen
    draw.shuffle(keys["strategies"])
    kept = {key: value for key, value in keys.items() if key not in ("primary", "hypotheses")}
    return kept | _claims(random.Random(f"claims {number}"), kept)


def unheard(number: int, folder: Path) -> dict[str, Any]:
    """A vote that waits for nobody whom it does not need, beside nothing or beside what hears everybody; first comes the vote.

    Five players of whom some are slow (`faults.slow`), so that many questions are settled without them."""
    keys = {**experiment(number, folder), "name": f"unheard-{number}"}
    draw = random.Random(f"unheard {number}")
    officers = {name: model for name, model in keys["models"].items() if name not in PLAYERS}
    keys["models"] = {**{name: _model(draw) for name in PLAYERS}, **officers}
    for model in list(keys["models"].values())[: len(PLAYERS)]:
        model["accuracy"] = round(draw.uniform(0.6, 0.95), 2)
    keys["players"] = {name: {"model": name} for name in PLAYERS}
    keys["teams"] = {"table": {"players": list(PLAYERS), "captain": draw.choice(("each", "ann"))}}
    beside = ([], ["solo"], ["talkative"], [{"adaptive": {"talk_from": 3}}])
    keys["strategies"] = [{"vote": {"early_stop": True}}, *beside[number % len(beside)]]
    return {key: value for key, value in keys.items() if key not in ("primary", "hypotheses")}


def stopped(number: int, folder: Path) -> dict[str, Any]:
    """Everybody plays alone and leads, with all questions graded at once: what is missing is only what was not played."""
    keys = {**experiment(number, folder, choices=True), "name": f"stopped-{number}"}
    draw = random.Random(f"stopped {number}")
    players = list(PLAYERS[:3])
    keys["models"] = {name: _model(draw) for name in players}
    keys["players"] = {name: {"model": name} for name in players}
    keys["teams"] = {"table": {"players": players, "captain": "each"}}
    keys["strategies"] = ["solo", draw.choice(("silent", "talkative")), {"peer-review": {"drafts": "single-call"}}]
    kept = {key: value for key, value in keys.items() if key not in ("primary", "hypotheses")}
    kept["strategies"].append({"solo": {"drafts": "double-call"}})
    whose = ("accuracy(peer-review) > 0.5", "skyline(peer-review) > 0.5", "net(peer-review) > 0")
    return kept | {"hypotheses": [*whose, "safety_multiple(peer-review) > 1"]}


def _unknown(draw: random.Random, folder: Path, share: float = 0.2) -> None:
    """Of some questions nobody knows what is right."""
    for path in sorted(folder.glob("*.jsonl")):
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        for row in rows:
            if draw.random() < share:
                row["meta"] = {"unknown": True}
        path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")


def reading(number: int, folder: Path) -> dict[str, Any]:
    """Questions on passages that are scored by words in common, some of which cannot be answered."""
    keys = {**experiment(number, folder, choices=True), "name": f"reading-{number}"}
    draw = random.Random(f"reading {number}")
    words = ["the", "quick", "brown", "fox", "jumps", "over", "a", "lazy", "dog", "in", "the", "old", "park"]
    rows: list[dict[str, Any]] = []
    for place in range(draw.randint(5, 9)):
        row = {"id": f"r{place}", "text": f"What does passage {place} say?", "context": " ".join(words)}
        row |= {"answer": None if draw.random() < 0.3 else " ".join(draw.sample(words, draw.randint(1, 4)))}
        rows.append(row | {"meta": {"score": "f1"}})
    (folder / "first.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    keys["questions"] = {"file": "first.jsonl"}
    keys["strategies"] = ["solo", "vote", "talkative", {"peer-review": {"drafts": "single-call"}}]
    keys["strategies"].append({"debate": {"max_rounds": 2, "drafts": "single-call"}})
    return {key: value for key, value in keys.items() if key not in ("primary", "hypotheses")}


def judged_by_rubric(number: int, folder: Path) -> dict[str, Any]:
    """Long answers that two judges give points for, one of whom plays; a question in two has a rubric of its own."""
    draw = random.Random(f"rubric {number}")
    clear, sound = (
        {"name": name, "points": draw.choice((1, 2.5, 4)), "says": f"It is {name}."} for name in ("clear", "sound")
    )
    own = [clear, {"name": "short", "points": 3, "says": "It is short."}]
    rows: list[dict[str, Any]] = [
        {"id": f"t{place}", "text": f"Write about {place}.", "kind": "text", **({"rubric": own} if place % 2 else {})}
        for place in range(draw.randint(16, 20))
    ]
    (folder / "texts.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    names = ("ann", "bob", "cat")
    models = {
        name: {"provider": "simulated", "accuracy": round(draw.uniform(0.4, 0.8), 2), "words": draw.randint(15, 60)}
        for name in (*names, "jim")
    }
    return {
        "name": f"rubric-{number}",
        "seed": number,
        "questions": {"file": "texts.jsonl"},
        "models": models,
        "players": {name: {"model": name} for name in names},
        "teams": {"table": {"players": list(names), "captain": "each"}},
        "strategies": ["solo", "talkative"],
        "repeats": draw.randint(1, 2),
        "judge": {"models": ["jim", "cat"]},
        "rubric": [clear, sound],
    }


def one_at_a_time(number: int, folder: Path) -> dict[str, Any]:
    """A summariser who is no player reads proposers one by one, and all of them; in orders of several kinds."""
    keys = {**experiment(number, folder), "name": f"one-{number}"}
    draw = random.Random(f"one {number}")
    players = list(keys["players"])
    keys["models"]["sue"] = _model(draw)
    usual = {"summariser": "sue", "repeats": draw.randint(1, 2)}
    accuracies = {player: round(draw.uniform(0.3, 0.8), 2) for player in players}
    keys["strategies"] = ["solo", {"mixture": {**usual, "order": "ascending", "shown_accuracies": accuracies}}]
    keys["strategies"] += [{"mixture": {**usual, "proposers": [player]}} for player in players]
    keys["strategies"].append({"mixture": {**usual, "accuracies": "hidden"}})
    return {key: value for key, value in keys.items() if key not in ("primary", "hypotheses")}


def chosen_team(number: int, folder: Path) -> dict[str, Any]:
    """A team that was chosen on some of the questions, which say nothing for it, beside others that play all of them."""
    keys = {**one_at_a_time(number, folder), "name": f"chosen-{number}"}
    draw = random.Random(f"chosen {number}")
    files = sorted(folder.glob("*.jsonl"))
    asked = [json.loads(line) for path in files for line in path.read_text(encoding="utf-8").splitlines()]
    players = list(keys["players"])
    keys["teams"] = {"table": {"players": players, "captain": keys["teams"]["table"]["captain"]}}
    on = draw.sample(asked, round(len(asked) * draw.choice((0.3, 0.6, 0.9))))
    selection = {"team": players[:2], "accuracies": dict.fromkeys(players, 0.5), **_chosen_on(draw, on)}
    (folder / "team.json").write_text(json.dumps([selection]), encoding="utf-8")
    usual = {"summariser": "sue", "repeats": draw.randint(1, 2), "shown_accuracies": "team.json"}
    keys["strategies"] = [*draw.sample(["solo", "vote", "talkative"], 2), {"mixture": usual}]
    keys["strategies"] += [{"mixture": {**usual, "proposers": players}}] if draw.random() < 0.5 else []
    draw.shuffle(keys["strategies"])
    return keys


def _chosen_on(draw: random.Random, questions: list[dict[str, Any]]) -> dict[str, list[str]]:
    """As the forms of it are: by words, which may have been asked under other ids, spaced otherwise and with choices in
    another order; by digests of before; by ids, some of which nobody has here."""
    form = draw.choice(("words", "before", "ids"))
    if form == "ids":
        beside = [f"elsewhere-{n}" for n in range(draw.randrange(3))]
        return {"chosen_on_ids": [*(question["id"] for question in questions), *beside]}
    if form == "before":
        return {"chosen_on": [under_its_id(question) for question in questions]}
    for question in questions:
        question |= {"id": "other", "text": question["text"].replace(" ", " \n")}
        if choices := question.get("choices"):
            question["choices"] = choices[::-1]
    return {"chosen_on": [same_words(question) for question in questions]}


def discussions(number: int, folder: Path) -> dict[str, Any]:
    """Protocols that differ in one thing from each other, one agent by itself, and challenge rounds."""
    keys = {**experiment(number, folder, choices=True), "name": f"talks-{number}"}
    draw = random.Random(f"talks {number}")
    keys = {key: value for key, value in keys.items() if key not in ("primary", "hypotheses")}
    players = list(PLAYERS[:3])
    keys["models"] = {name: _model(draw) for name in (*players, "pat")}
    keys["players"] = {name: {"model": name} for name in players}
    who = random.Random(f"told {number}")
    if who.random() < 0.3:  # as in the paper, all seats have one model
        keys["players"] |= {name: {"model": players[0]} for name in players}
    elif random.Random(f"seats {number}").random() < 0.6:  # two of three seats have one
        keys["players"][players[1]] = {"model": players[0]}
    if who.random() < 0.5:
        keys["players"][who.choice(players)]["instruction"] = who.choice(
            ("You are a careful expert.", "Do not think step by step.", "Think step by step.")
        )
    careful = who.sample(players, who.randint(0, 3)) if who.random() < 0.7 else [*players, *players[:2]]
    told = {f"careful-{n}": {"model": name, "instruction": "Think step by step."} for n, name in enumerate(careful)}
    keys["players"] |= told
    keys["teams"] = {"table": {"players": [*players, *told]}}  # three talk; the others are there to play alone
    if (
        random.Random(f"again {number}").random() < 0.3
    ):  # two of one model are told different things, and the first sits twice
        brief = {"model": players[0], "instruction": "Be brief."}
        keys["players"] = {players[0]: {"model": players[0]}, players[1]: brief}
        keys["teams"] = {"table": {"players": players[:2]}}
    base = {"max_turns": 3, "vote_from": 2}
    other = [
        {"decision": "solution-counting"},
        {"decision": "unanimity-consensus"},
        {"decision": "approval-voting"},
        {"drafting": "all-agents-drafting"},
        {"style": "critical"},
        {"paradigm": "relay"},
        {"personas": "none"},
        {"step_by_step": True},
        {"agents": 2},
        {"agents": 1, "max_turns": 1, "vote_from": 1, "step_by_step": draw.random() < 0.5},
        {"max_turns": 2},
        {"vote_from": 1},
        {"max_turns": 4, "vote_from": 3},
        {"challenge": "solution"},
        {"challenge": "wrong", "planted_by": "pat"},
    ]
    if number % 2:
        _unknown(draw, folder)
    keys["strategies"] = ["solo", {"discuss": base}]
    keys["strategies"] += [{"discuss": {**base, **options}} for options in draw.sample(other, 6)]
    return keys


def people_and_sets(number: int, folder: Path) -> dict[str, Any]:
    """Two sets in two groups, categories, and people beside the players: enough of each for intervals; votes, talks, and
    something that learns in the run and asks few."""
    draw = random.Random(f"people {number}")
    for name, many in (("first", 16), ("second", 14)):
        rows = [_question(draw, f"{name}-{n}", False) for n in range(many)]
        rows = [{**row, "human": {"solved": draw.randint(2, 9), "asked": 10}} for row in rows]
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    levels = dict(zip(PLAYERS[:3], draw.sample((0.9, 0.7, 0.5), 3), strict=True))
    return {
        "name": f"people-{number}",
        "seed": draw.randrange(1000),
        "questions": [
            {"file": "first.jsonl", "group": "knowledge"},
            {"file": "second.jsonl", "group": "reasoning"},
        ],
        "models": {name: {"provider": "simulated", "accuracy": level} for name, level in levels.items()},
        "players": {name: {"model": name} for name in levels},
        "teams": {"table": {"players": list(levels), "captain": draw.choice(("each", "ann"))}},
        "strategies": [*(["solo"] if number % 3 else []), "vote", "talkative", "cascade"],
    }


def compared_texts(number: int, folder: Path) -> dict[str, Any]:
    """Long answers that two judges, who do not play, compare two by two."""
    draw = random.Random(f"texts {number}")
    rows = [{"id": f"t{place}", "text": f"Write about {place}.", "kind": "text"} for place in range(18)]
    (folder / "texts.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    levels = dict(zip(PLAYERS[:3], draw.sample((0.9, 0.5, 0.3), 3), strict=True))
    models = {
        name: {"provider": "simulated", "accuracy": level, "power": level, "words": draw.randint(30, 50)}
        for name, level in levels.items()
    }
    judges = {"jim": {"provider": "simulated", "accuracy": 0.9}, "ivy": {"provider": "simulated", "accuracy": 0.5}}
    return {
        "name": f"texts-{number}",
        "seed": number,
        "questions": {"file": "texts.jsonl"},
        "models": models | judges,
        "players": {name: {"model": name} for name in models},
        "teams": {"table": {"players": list(models), "captain": draw.choice(("each", "ann"))}},
        "strategies": ["solo", "talkative"],
        "judge": {"models": list(judges), "pairwise": True},
    }


def _model(draw: random.Random) -> dict[str, Any]:
    model: dict[str, Any] = {"provider": "simulated", "accuracy": round(draw.uniform(0.2, 0.9), 2)}
    model["temperature"] = draw.choice((0, 0, 1.0))
    if draw.random() < 0.3:
        model["refuse"] = 0.15
    if draw.random() < 0.2:
        model["garble"] = 0.3
    if draw.random() < 0.5:
        model["price"] = {"prompt": 0.5, "completion": 2.0}
    return model


def _questions(draw: random.Random, folder: Path, *, open_questions: bool) -> Any:
    sets = ["first", "second"] if draw.random() < 0.3 else ["first"]
    for name in sets:
        rows = [_question(draw, f"{name}-{n}", open_questions) for n in range(draw.randint(4, 12))]
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    if len(sets) == 1:
        return {"file": "first.jsonl"}
    return [{"file": f"{name}.jsonl", "group": draw.choice(("knowledge", "reasoning"))} for name in sets]


def _question(draw: random.Random, ident: str, open_question: bool) -> dict[str, Any]:
    row: dict[str, Any] = {"id": ident, "text": f"What is meant by {ident}?"}
    if open_question:
        row |= {"answer": f"answer {ident}", "accepted": [f"the answer {ident}"]}
    else:
        choices = [f"{ident} is {word}" for word in ("red", "green", "blue", "grey")[: draw.randint(2, 4)]]
        row |= {"choices": choices, "answer": "ABCD"[draw.randrange(len(choices))]}
    if draw.random() < 0.5:
        row["human"] = {"solved": draw.randint(0, 10), "asked": 10}
    if draw.random() < 0.5:
        row["category"] = draw.choice(("colours", "words"))
    return row


def _team(draw: random.Random, players: list[str]) -> dict[str, Any]:
    team: dict[str, Any] = {"players": players, "captain": draw.choice(("each", players[0]))}
    if len(players) >= 4 and draw.random() < 0.5:
        team["cohorts"] = {"left": players[:2], "right": players[2:]}
    return team


def _strategies(draw: random.Random) -> Iterator[Any]:
    """At least one; any of the others with even chances, so that no figure can lean on another strategy's being there."""
    every = all_strategies(draw)
    chosen = [entry for entry in every if draw.random() < 0.4]
    yield from chosen or [draw.choice(every)]


def all_strategies(draw: random.Random) -> list[Any]:
    return [
        "solo",
        "vote",
        {"vote": {"early_stop": True}},
        "silent",
        "talkative",
        {"adaptive": {"talk_from": 2}},
        "peer-review",
        {"peer-review": {"drafts": "double-call"}},
        {"solo": {"drafts": "double-call"}},
        {"debate": {"max_rounds": 2}},
        {"mixture": {"repeats": 2}},
        {"discuss": {"agents": 3, "max_turns": 3, "vote_from": 2, **draw.choice(DISCUSSIONS)}},
    ]


def label_of(entry: Any) -> str:
    """As the report calls it."""
    if isinstance(entry, str):
        return entry
    ((name, options),) = entry.items()
    if name == "peer-review":  # which is done in two calls anyhow
        options = {key: value for key, value in options.items() if value != "double-call"}
    if not options:
        return str(name)
    return f"{name}({', '.join(f'{key}={value}' for key, value in options.items())})"


def _claims(draw: random.Random, keys: dict[str, Any]) -> dict[str, Any]:
    """What some files say beforehand: a primary, and hypotheses of every kind."""
    entries = [entry for entry in keys["strategies"] if isinstance(entry, str) or "discuss" not in entry]
    team = keys["teams"]["table"]
    labels = [label_of(entry) for entry in entries]
    led = [label for label in labels if not label.startswith("solo")]
    claims: dict[str, Any] = {}
    if led and draw.random() < 0.3:
        captain = draw.choice(team["players"]) if team["captain"] == "each" else team["captain"]
        claims["primary"] = draw.choice([f"{draw.choice(led)}@{captain}", draw.choice(led)])
    if not led or draw.random() < 0.5:
        return claims
    one, other = draw.choice(labels), draw.choice(led)
    every = [
        f"accuracy({other}) - accuracy({one}) > 0",
        f"accuracy({one}) - accuracy({other}) < 0.2",
        f"accuracy({other}) > 0.3",
        f"skyline({other}) - accuracy({one}) > 0.05",
        f"skyline({other}) < 0.99",
        f"net({other}) > 0",
        f"net({other}) - 10 * accuracy({other}) < 3",
        f"safety_multiple({other}) > 1",
        f"gap_closure({other}) > 0.2",
        f"cost({other}) < 0.01",
        f"2 * accuracy({other}) - accuracy({one}) > 0.1",
        f"accuracy({other}) > accuracy({one}) / 2",
        f"accuracy({other}) / accuracy({one}) > 1.1",
        f"accuracy({other}) * accuracy({other}) > 0.2",
        f"safety_multiple({other}) > 0.2 * accuracy({one})",
        f"net({other}) * accuracy({one}) < 0.5 * safety_multiple({other})",
    ]
    if "cohorts" in team:
        every += [f"safety_multiple({other}, left) > 1", f"accuracy({other}, right) > 0.5"]
        every += [f"gap_closure({other}, left) > 0", f"skyline({other}, right) > 0.2"]
    return {**claims, "hypotheses": sorted(draw.sample(every, draw.randint(1, 5)), key=every.index)}


def _officers(draw: random.Random, models: dict[str, Any]) -> dict[str, Any]:
    officers: dict[str, Any] = {}
    if draw.random() < 0.7:
        names = ["judy", "jack"][: draw.randint(1, 2)]
        models |= {name: {"provider": "simulated", "accuracy": 0.9, "judgement": 0.9} for name in names}
        officers["judge"] = {"models": names}
    if draw.random() < 0.5:
        models["gus"] = {"provider": "simulated", "accuracy": 0.9, "judgement": 0.95}
        officers["grouping"] = {"model": "gus"}
    return officers
