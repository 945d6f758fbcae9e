"""Whether a promise about answers is kept, and whether the interval of a calibration error holds it.

    nice -5 python bench/trust.py [FOLDER with mmlu_pro_answers.parquet]
    nice -5 python bench/trust.py runs [WORLDS]
    nice -5 python bench/trust.py clusters

Simulated: probabilities of being right as they are said, true or too sure by some log-odds; a promise ("of the answers given,
at least 95 % are right") is made on some questions and held against the world itself. Who promises nothing has
broken nothing: so beside it stand the coverage, with that of who knows the world, how often anything was promised, and how often
that was kept.

Runs: whole experiments of scripted players in a world that is known, played by `moot.run` with `abstain: {target}`, and then
`moot fit --promise` on the same store. Of every answer that was given the world tells how likely it is right, given all that was
said, which no label blurs: their mean is held against the target. What `moot fit` wrote is held against 20,000 new questions.

Recorded: ten teams of six, drawn beforehand, of the models of MMLU-Pro. On one half of a team's questions probabilities of
its plurality are learnt, a promise is made on 1,000 (or 300) of the others, and checked on the rest.
"""

from __future__ import annotations

import io
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np

import moot
from moot.cli.fit import fit_command
from moot.decide.candidates import SILENT, Candidates, Floats, candidates_of
from moot.decide.choice_model import learn
from moot.decide.learning import folds_of
from moot.decide.promise import promised
from moot.decide.reliability import reliability
from moot.decide.rule_file import rule_of
from moot.decide.rules import Plurality, taken
from moot.decide.verdict_chance import learn_verdicts

WORLDS = 400
SPLITS = 50
LEARNT_ON = 1_000
"""Questions of the half that are looked at: more hardly move a weight, and take long."""
PENALTY = 3.0
TEAMS = (
    (16, 29, 32, 24, 15, 12),
    (1, 32, 13, 12, 29, 11),
    (15, 2, 29, 3, 23, 1),
    (28, 18, 27, 20, 3, 33),
    (28, 11, 33, 3, 2, 7),
    (3, 14, 9, 19, 22, 1),
    (9, 33, 11, 10, 31, 12),
    (28, 14, 5, 15, 9, 16),
    (28, 20, 21, 6, 17, 15),
    (28, 0, 23, 2, 21, 4),
)
"""By place among the models in the order of their names."""


def world(draw: np.random.Generator, size: int, shape: tuple[float, float], shift: float) -> tuple[Floats, Floats]:
    said = draw.beta(*shape, size)
    true = 1 / (1 + np.exp(-(np.log(said / (1 - said)) + shift)))
    return said, (draw.random(size) < true).astype(float)


def names(size: int) -> list[str]:
    return [str(place) for place in range(size)]


def simulated() -> None:
    print("world                     questions target   kept  coverage  ideal  promised  kept of these")
    shapes = (
        ("mostly sure", (6, 1.5), 0.0),
        ("mixed", (3, 1), 0.0),
        ("too sure", (6, 1.5), -0.5),
        ("half", (2, 2), 0.0),
    )
    for number, (name, shape, shift) in enumerate(shapes):
        draw = np.random.default_rng([18, number])
        said, came = world(draw, 400_000, shape, shift)
        order = np.argsort(-said)
        right_above = np.cumsum(came[order]) / np.arange(1, len(said) + 1)
        for size in (100, 300, 1_000):
            for target in (0.9, 0.95):
                enough = np.flatnonzero(right_above >= target)
                ideal = (enough[-1] + 1) / len(said) if len(enough) else 0.0
                kept, nothing, coverage = 0, 0, []
                for _ in range(WORLDS):
                    promise = promised(*world(draw, size, shape, shift), names(size), target)
                    coverage.append(promise.coverage)
                    if promise.threshold is None:
                        nothing += 1
                    else:
                        kept += came[said >= promise.threshold].mean() >= target
                held = 100 * (kept + nothing) / WORLDS
                made = WORLDS - nothing
                of_these = f"{100 * kept / made:.0f} %" if made else "–"
                told = f"{100 * np.mean(coverage):5.0f} %  {100 * ideal:4.0f} %  {100 * made / WORLDS:5.0f} %  {of_these:>10}"
                print(f"{name:25} {size:9,} {target:6} {held:5.1f} % {told}", flush=True)


def together() -> None:
    """Questions that hang together, in worlds where less than 0.8 of the answers are right: whoever promises that breaks it."""
    print("\nclusters                                                  right  broken at 0.95  at 0.995")
    for number, (name, right, world) in enumerate(CLUSTERED):
        draw = np.random.default_rng([22, number])
        broken = {0.95: 0, 0.995: 0}
        for _ in range(WORLDS):
            rights, units = world(draw)
            for level in broken:
                promise = promised(np.full(len(rights), 0.85), rights.astype(float), units, 0.8, level=level)
                broken[level] += promise.threshold is not None
        told = "  ".join(f"{100 * count / WORLDS:8.1f} %" for count in broken.values())
        print(f"{name:57} {100 * right:4.1f} % {told}", flush=True)


def of_size(size: int, count: int) -> list[str]:
    return [str(place // size) for place in range(size * count)]


def unequal(draw: np.random.Generator) -> tuple[np.ndarray, list[str]]:
    sizes = draw.choice((1, 3, 9), 120, p=(0.5, 0.3, 0.2))
    lost = (sizes == 9) & (draw.random(120) < 0.37)
    return np.repeat(~lost, sizes), [str(place) for place, size in enumerate(sizes) for _ in range(size)]


CLUSTERED = (
    (
        "100 of 3, the first right with 97 %, the others 60",
        0.723,
        lambda draw: ((draw.random((100, 3)) < (0.97, 0.6, 0.6)).ravel(), of_size(3, 100)),
    ),
    (
        "300 of 3, the first right with 84 %, the others 77",
        0.793,
        lambda draw: ((draw.random((300, 3)) < (0.84, 0.77, 0.77)).ravel(), of_size(3, 300)),
    ),
    (
        "120 alone right with 97 %, 10 of 20 with 60",
        0.739,
        lambda draw: (
            np.r_[draw.random(120) < 0.97, draw.random(200) < 0.6],
            [*(f"alone {place}" for place in range(120)), *of_size(20, 10)],
        ),
    ),
    ("100 of 3, each right with 79.5 % by itself", 0.795, lambda draw: (draw.random(300) < 0.795, of_size(3, 100))),
    (
        "100 of 3, right or wrong as a whole",
        0.795,
        lambda draw: (np.repeat(draw.random(100) < 0.795, 3), of_size(3, 100)),
    ),
    ("120 of 1, 3 and 9, of those of 9 37 % lost as a whole", 0.792, unequal),
)


def intervals() -> None:
    print("\ncalibration error         questions   true  held   low end above it  high end below it  mean width")
    for number, shift in enumerate((0.0, 0.05, 0.15)):
        for size in (60, 200, 1_000):
            draw, worlds = np.random.default_rng([19, number, size]), WORLDS // 2
            found = []
            for world_number in range(worlds):
                said = draw.uniform(0.25, 0.95, size)
                right = (draw.random(size) < said - shift).astype(float)
                found.append(reliability(said, right, names(size), seed=world_number))
            above, below = (100 * np.mean(each) for each in _ends(found, shift))
            width = 100 * np.mean([one.high - one.low for one in found])
            held = 100 - above - below
            told = f"{held:4.1f} %  {above:15.1f} %  {below:15.1f} % {width:8.1f} points"
            print(f"all too high by {shift:<9} {size:9,} {shift:6} {told}", flush=True)


def _ends(found: list, true: float) -> tuple[list[bool], list[bool]]:
    return [one.low > true for one in found], [one.high < true for one in found]


def recorded(folder: Path) -> None:
    print(
        "\nrecorded: MMLU-Pro          right  made on  target  promised  kept of these  coverage  right of these  ideal"
    )
    models, codes, truth = load(folder / "mmlu_pro_answers.parquet")
    means: dict[tuple[int, float], list[tuple[int, int, float]]] = {}
    for number, team in enumerate(TEAMS, 1):
        own = codes[list(team)]
        candidates = candidates_of([models[place] for place in team], own, (own == truth).astype(float))
        draw = np.random.default_rng([20, number])
        chosen = taken(Plurality(), candidates, draw)
        rights = candidates.worth_of(chosen)
        outcomes: dict[tuple[int, float], list[tuple[bool, float, float, float]]] = {}
        for _ in range(SPLITS):
            order = draw.permutation(len(candidates))
            learnt, rest = order[: len(order) // 2][:LEARNT_ON], order[len(order) // 2 :]
            chances = told(candidates, learnt, rest, chosen, rights)
            ranked = rights[rest][np.argsort(-chances)]
            running = np.cumsum(ranked) / np.arange(1, len(rest) + 1)
            for made_on in (300, 1_000):
                for target in (0.9, 0.95):
                    promise = promised(chances[:made_on], rights[rest[:made_on]], names(made_on), target)
                    checked, came = chances[made_on:], rights[rest[made_on:]]
                    enough = np.flatnonzero(running >= target)
                    ideal = (enough[-1] + 1) / len(rest) if len(enough) else 0.0
                    given = np.zeros(len(checked), bool) if promise.threshold is None else checked >= promise.threshold
                    right = float(came[given].mean()) if given.any() else float("nan")
                    outcome = given.any() and right >= target, float(given.mean()), right, ideal
                    outcomes.setdefault((made_on, target), []).append(outcome)
        for (made_on, target), several in outcomes.items():
            coverage, ideal = (float(np.mean([each[place] for each in several])) for place in (1, 3))
            known = [each[2] for each in several if not np.isnan(each[2])]
            kept = sum(each[0] for each in several)
            means.setdefault((made_on, target), []).append((len(known), kept, coverage))
            came_true = f"{100 * np.mean(known):.1f} %" if known else "–"
            line = f"{len(known):9} {kept:14} {100 * coverage:8.0f} %  {came_true:>14} {100 * ideal:5.0f} %"
            print(f"team {number:<22} {100 * rights.mean():5.1f} % {made_on:7,} {target:7} {line}", flush=True)
    for (made_on, target), several in means.items():
        made, kept = (sum(each[place] for each in several) for place in (0, 1))
        splits, coverage = SPLITS * len(several), 100 * float(np.mean([each[2] for each in several]))
        broken = f"{made - kept} broken of {made} promises in {splits} splits ({100 * (made - kept) / splits:.1f} %)"
        print(f"all ten teams: made on {made_on:,}, {target}: {broken}, coverage {coverage:.0f} %")


def told(candidates: Candidates, learnt: np.ndarray, rest: np.ndarray, chosen: np.ndarray, rights: Floats) -> Floats:
    """Of verdicts on `rest`, as a report tells them, but learnt on other questions once and for all."""
    part = folds_of([str(place) for place in learnt], role="verdicts")
    drafted = np.zeros(len(learnt))
    for own in np.unique(part):
        model = learn(candidates.at(learnt[part != own]), PENALTY)
        drafted[part == own] = picked(
            model.probabilities(candidates.at(learnt[part == own])), chosen[learnt[part == own]]
        )
    verdicts = learn_verdicts(drafted, chosen[learnt] == SILENT, rights[learnt])
    model = learn(candidates.at(learnt), PENALTY)
    return verdicts.chances(picked(model.probabilities(candidates.at(rest)), chosen[rest]), chosen[rest] == SILENT)


def picked(chances: Floats, chosen: np.ndarray) -> Floats:
    return chances[np.arange(len(chosen)), np.maximum(chosen, 0)]


def load(path: Path) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Models by name, their answers (players × questions, -1: none) and what is right."""
    import polars

    rows = polars.read_parquet(path).filter(polars.col("same_version"))
    models, questions = (sorted(rows[key].unique().to_list()) for key in ("model", "question_id"))
    seat, place = ({name: number for number, name in enumerate(several)} for several in (models, questions))
    codes = np.full((len(models), len(questions)), SILENT, np.int16)
    truth = np.zeros(len(questions), np.int16)
    for question, model, said, right in rows.select("question_id", "model", "pred", "answer").iter_rows():
        truth[place[question]] = ord(right) - ord("A")
        if said:
            codes[seat[model], place[question]] = ord(said) - ord("A")
    return models, codes, truth


LETTERS = "ABCD"
SEATS = ("ann", "bob", "cat", "dan")
FRESH = 20_000


class KnownWorld:
    """Questions are easy, hard, or traps, on which nearly all say the same wrong thing. The truth is always A, and
    all other letters are alike, so that a posterior goes by who agrees with whom alone."""

    def __init__(self, easy: float, trap: float, sure: float, lost: float) -> None:
        self.easy, self.trap, self.sure, self.lost = easy, trap, sure, lost

    def said(self, draw: np.random.Generator, count: int) -> np.ndarray:
        """Questions × players: numbers of letters."""
        kind = draw.choice(3, size=count, p=(self.easy, self.trap, 1 - self.easy - self.trap))
        right = np.choose(kind[:, None], (self.sure, 0.0, self.lost)) > draw.random((count, len(SEATS)))
        wrong = draw.integers(1, 4, (count, len(SEATS)))
        common = np.repeat(draw.integers(1, 4, (count, 1)), len(SEATS), axis=1)
        trapped = (kind == 1)[:, None] & (draw.random((count, len(SEATS))) < 0.95)
        return np.where(right, 0, np.where(trapped, common, wrong))

    def right_with(self, said: np.ndarray, answers: np.ndarray) -> Floats:
        """That these answers are right, given all that was said."""
        weights = np.stack([self._likely(said, letter) for letter in range(4)], axis=1)
        return weights[np.arange(len(said)), answers] / weights.sum(axis=1)

    def _likely(self, said: np.ndarray, truth: int) -> Floats:
        alike = said == truth
        found = self.easy * np.where(alike, self.sure, (1 - self.sure) / 3).prod(axis=1)
        found += (1 - self.easy - self.trap) * np.where(alike, self.lost, (1 - self.lost) / 3).prod(axis=1)
        for lure in set(range(4)) - {truth}:
            odd = np.where(alike, 0.0, 0.05 / 3)
            found += self.trap / 3 * np.where(said == lure, 0.95 + 0.05 / 3, odd).prod(axis=1)
        return found


RUNS = (
    ("just short of it", KnownWorld(0.55, 0.054, 0.93, 0.4), 0.9),
    ("near it", KnownWorld(0.55, 0.04, 0.93, 0.4), 0.9),
    ("within reach", KnownWorld(0.6, 0.0, 0.95, 0.35), 0.9),
)


def runs(worlds: int) -> None:
    print(
        "world, target             questions rule     kept  nothing given  coverage  right (by the world)  interval holds it"
    )
    for number, (name, world, target) in enumerate(RUNS):
        found: dict[str, list[tuple[float, float, bool]]] = {}
        for place in range(worlds):
            with tempfile.TemporaryDirectory() as folder:
                for rule, outcome in one_run(np.random.default_rng([21, number, place]), world, target, Path(folder)):
                    found.setdefault(rule, []).append(outcome)
        for rule, several in found.items():
            made = [right for right, coverage, _ in several if coverage]
            kept = sum(right >= target for right in made) + len(several) - len(made)
            coverage = 100 * np.mean([coverage for _, coverage, _ in several])
            right = f"{100 * np.mean(made):.1f} %" if made else "–"
            holds = f"{100 * np.mean([held for _, covered, held in several if covered]):.0f} %" if made else "–"
            told = f"{len(several) - len(made):8} of {len(several):3} {coverage:8.0f} % {right:>14} {holds:>18}"
            print(f"{name:20} {target:4} {QUESTIONS:9} {rule:8} {100 * kept / len(several):5.1f} % {told}", flush=True)


QUESTIONS = 300


def one_run(
    draw: np.random.Generator, world: KnownWorld, target: float, folder: Path
) -> Iterator[tuple[str, tuple[float, float, bool]]]:
    """By rule: how right its answers are by the world, how many it gives, and whether the report's interval holds that."""
    said = world.said(draw, QUESTIONS)
    replies = [
        {"model": name, "question_id": f"q{n}", "answer": LETTERS[said[n, seat]]}
        for n in range(QUESTIONS)
        for seat, name in enumerate(SEATS)
    ]
    (folder / "replies.jsonl").write_text("\n".join(map(json.dumps, replies)))
    asked = [
        {"id": f"q{n}", "text": f"Question {n}?", "choices": list("wxyz"), "answer": "A"} for n in range(QUESTIONS)
    ]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, asked)))
    keys = {
        "name": "world",
        "questions": {"file": "questions.jsonl"},
        "models": {name: {"provider": "recorded", "file": "replies.jsonl", "model": name} for name in SEATS},
        "strategies": [{rule: {"abstain": {"target": target}}} for rule in ("vote",)],
    }
    file = folder / "world.yaml"
    file.write_text(json.dumps(keys))
    results = moot.run(file, store=f"sqlite:///{folder / 'world.db'}")
    frame = results.frame("episodes")
    places = {f"q{n}": n for n in range(QUESTIONS)}
    for row in results.figures["accuracy"]:
        if row["strategy"] == "solo":
            continue
        plays = [each for each in frame.iter_rows(named=True) if each["strategy"] == row["strategy"]]
        own = [each for each in plays if each["outcome"] == "answered"]
        numbers = np.array([places[each["question_id"]] for each in own], dtype=int)
        answers = np.array([LETTERS.index(each["answer"]) for each in own], dtype=int)
        right = float(world.right_with(said[numbers], answers).mean()) if own else float("nan")
        given = row["answered"]
        yield row["strategy"], (right, len(own) / QUESTIONS, bool(own) and given["low"] <= right <= given["high"])
    yield from fitted_rules(draw, world, target, file, folder)


def fitted_rules(
    draw: np.random.Generator, world: KnownWorld, target: float, file: Path, folder: Path
) -> Iterator[tuple[str, tuple[float, float, bool]]]:
    written = folder / "rule.json"
    with redirect_stdout(io.StringIO()):
        fit_command(file, written, served=False, promises=[target], team=None, store=f"sqlite:///{folder / 'world.db'}")
    rule = rule_of(json.loads(written.read_text()))
    said = world.said(draw, FRESH)
    candidates = candidates_of(SEATS, said.T, (said.T == 0).astype(float))
    for kind, several in rule.promises.items():
        taken_by = rule.kept_rule.rule if kind == rule.kept_rule.kind else Plurality()
        chosen = taken(taken_by, candidates, draw)
        chances = picked(rule.kept_rule.model.probabilities(candidates), chosen)
        threshold = several[0].threshold
        given = np.zeros(FRESH, bool) if threshold is None else chances >= threshold
        right = float(candidates.worth_of(chosen)[given].mean()) if given.any() else float("nan")
        yield f"fit {'vote' if kind == 'plurality' else 'kept'}", (right, float(given.mean()), True)


if __name__ == "__main__":
    started = time.process_time()
    if sys.argv[1:2] == ["clusters"]:
        together()
        sys.exit()
    if sys.argv[1:2] == ["runs"]:
        runs(int(sys.argv[2]) if len(sys.argv) > 2 else 100)
        sys.exit()
    simulated()
    intervals()
    if len(sys.argv) > 1:
        recorded(Path(sys.argv[1]))
    print(f"\n{time.process_time() - started:.0f} s of CPU")
