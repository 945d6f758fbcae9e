"""What is left of a report where more than one play in twenty of a strategy went on without somebody: no intervals."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from second_way.compare import Near
from second_way.diversity import thirds
from second_way.options import named
from second_way.raw import Cell, Raw

Row = dict[str, Any]
ENDS = ("low", "high", "p", "low_holm", "high_holm", "p_holm")
ONE_BY_ONE = ("headline", "hypotheses", "power", "unreached")
"""Where such plays are weighed by themselves, or nothing has an interval."""
OF_A_TEAM = ("skyline", "best_single", "talk_threshold")
"""No rows of a table; whom such a figure names is what came out, of all who may have come out."""
NAMES = ("label", "from", "stage", "team", "cohort", "captain", "player")
BY_ALL_DRAFTS = ("d", "self_choice", "places", "ece")
"""What a row tells that rests on all drafts and on whoever groups them: by the number of answers, whose draft was chosen, from
which place, and how sure one could be."""


def lacking(raw: Raw, cells: Iterable[Cell], n: int | None) -> bool:
    """`n`: how many questions are counted, any of which may lack somebody."""
    plays = [raw.episodes(cell) for cell in cells]
    return _lacking(raw, [episode for own in plays for episode in own]) or any(_among(own, n) for own in plays)


def _among(plays: Iterable[Any], n: int | None) -> bool:
    """A question whose plays lack somebody in part is so much of one."""
    parts: dict[str, list[int]] = {}
    for episode in plays:
        part = parts.setdefault(episode.question, [0, 0])
        part[0] += bool(episode.unreached)
        part[1] += episode.value is not None
    return bool(n) and _many(sum(min(1, without / max(1, every)) for without, every in parts.values()), n or 0)


def _lacking(raw: Raw, plays: Iterable[Any], part: float = 1.0) -> bool:
    """Of texts, and of what somebody has said the right of, each by itself: a figure may be of one of these alone."""
    counts: dict[tuple[Any, ...], list[int]] = {}
    for play in plays:
        content = raw.questions[play.question]
        how = (content["question"].get("kind") == "text", raw.waits(play.question))
        count = counts.setdefault(how, [0, 0])
        count[0] += bool(play.unreached)
        count[1] += 1
    return any(_many(without, part * every) for without, every in counts.values())


def _many(without: float, plays: float) -> bool:
    return 20 * without > plays


def without_intervals(raw: Raw, figures: Mapping[str, Any]) -> Row:
    if not any(episode.unreached for cell in raw.cells for episode in raw.episodes(cell)):
        return dict(figures)
    rows = _Rows(raw)
    told = {key: each if key in ONE_BY_ONE else rows.walk(key, each, {}) for key, each in figures.items()}
    if any(rows.concerned({"of": row["of"], "label": row["label"]}) for row in figures.get("frontier", ())):
        nobody = ("within_low", "within_high", "beaten_by")
        told["frontier"] = [{**row, **dict.fromkeys(nobody)} for row in told["frontier"]]
    return told


@dataclass(frozen=True)
class _Rows:
    """Each row by the plays that it is about."""

    raw: Raw

    def walk(self, key: str, value: Any, above: Mapping[str, Any]) -> Any:
        if isinstance(value, list):
            rows = [self.walk(key, each, above) for each in value]
            linked = key == "ratings" and any(self.concerned({**above, **row}) for row in value)
            return [_bare(row) for row in rows] if linked else rows
        if not isinstance(value, dict) or key in ("bounds", "within_bounds"):
            return value
        wanted = ("team",) if key in OF_A_TEAM else ("of", "against", "a", "b", "towards", *NAMES)
        identity = {**above, **{name: value[name] for name in wanted if isinstance(value.get(name), str)}}
        identity |= {"asked": asked} if (asked := self._asked(key, value)) else {}
        of_sets = key in ("mean_over_sets", "set_groups")
        identity |= {"at": value["n"]} if isinstance(value.get("n"), int) and not of_sets else {}
        identity |= {"drafts": True} if any(name in value for name in BY_ALL_DRAFTS) else {}
        row = {name: self.walk(name, each, identity) for name, each in value.items()}
        if self.concerned(identity):
            return _bare(row)
        # Few plays of all may be many of those that a rate is over.
        for figure, (some, every) in _over_some(key, value).items():
            about = (
                {name: identity[name] for name in ("team", "cohort") if name in identity} if key == "gap" else identity
            )
            if self.concerned(about, some / every if every else 0.0):
                row |= {name: None for name in (f"{figure}{end}" for end in ENDS) if name in row}
                row |= {name: False for name in ("better", "worse", "alone_better") if name in row and not figure}
        return row

    def _asked(self, key: str, row: Mapping[str, Any]) -> list[set[str]]:
        """The questions of a row, or those of every part that it is a mean of; nothing where it says no more than others."""
        questions = self.raw.questions
        by_set: dict[str, set[str]] = {}
        for question, content in questions.items():
            by_set.setdefault(content["set"], set()).add(question)
        people = {question for question, content in questions.items() if content.get("human")}
        if key in ("mean_over_sets", "set_groups"):
            file = self.raw.config["questions"]
            group = {each.get("name", Path(each["file"]).stem): each.get("group") for each in file}
            return [by_set[name] for name in by_set if row.get("group") in (None, group[name])]
        if "datasets" in row:
            return [by_set[part["dataset"]] for part in row["datasets"]]
        if "difficulty" in row:
            solved = {question: questions[question]["human"] for question in people}
            level = thirds({question: some / every for question, (some, every) in solved.items()})
            return [{question for question in people if level[question] == row["difficulty"]}]
        if (name := row.get("question_set", row.get("dataset"))) in by_set and name and not row.get("whole"):
            return [by_set[name]]
        if row.get("criterion"):
            has = {q: [each[0] for each in content.get("rubric") or ()] for q, content in questions.items()}
            return [{q for q, names in has.items() if row["criterion"] in names}]
        if row.get("category"):
            return [{q for q, content in questions.items() if content.get("category") == row["category"]}]
        return [people] if key == "human" else []

    def concerned(self, row: Mapping[str, Any], part: float = 1.0) -> bool:
        """Whether of any cell that a row is about too many plays on its questions are such; or too many for a figure that is
        over so large a part of them."""
        parts = row.get("asked", [set(self.raw.questions)])
        sides = [_side(self.raw, row[side]) for side in ("a", "b") if side in row]
        if len(sides) == 2 and all(sides):
            both = set.intersection(*({e.question for cell in side for e in self.raw.episodes(cell)} for side in sides))
            parts = [part & both for part in parts]
        cells = self._cells(row)
        if "towards" in row:  # its best is what the gap ends at
            theirs = [cell for cell in self.raw.cells if cell.cohort == row["towards"]]
            members = {each["name"] for cell in theirs for each in cell.spec.get("players", ())}
            cells = [*cells, *theirs, *(cell for cell in self.raw.cells if cell.player in members)]
        if row.get("drafts"):
            ways = {cell.traits.get("drafts") for cell in cells} - {None}
            table = self._cells({name: row[name] for name in ("team", "cohort") if name in row})
            plain = [cell for cell in table if cell.player or cell.traits.get("hears") == "nothing"]
            cells += [cell for cell in plain if cell.traits.get("drafts") in ways]
        for cell in cells:
            for asked in parts:
                plays = [episode for episode in self.raw.episodes(cell) if episode.question in asked]
                if _lacking(self.raw, plays, part) or _among(plays, row.get("at")):
                    return True
        return False

    def _cells(self, row: Mapping[str, Any]) -> list[Cell]:
        """Which it names; or one of its sides does; or all that its team played."""
        raw, row = self.raw, dict(row)
        labels, teams, cohorts = ({getattr(cell, name) for cell in raw.cells} for name in ("label", "team", "cohort"))
        if row.get("team") not in teams:  # one of its tables, by cohort or by how they drafted
            table = re.sub(r" \([a-z-]+\)$", "", row.get("team", ""))
            row["team"], _, cohort = (table, "", "") if table in teams else table.rpartition("/")
            row.setdefault("cohort", cohort)
        if row.get("label") not in labels and row.get("from") in labels:
            row["label"] = row["from"]
        known = {"label": labels, "stage": labels, "team": teams, "captain": {cell.captain for cell in raw.cells}}
        known |= {"cohort": cohorts, "from": set()}
        row = {name: value for name, value in row.items() if name not in known or value in known[name]}
        compared = [cell for side in ("a", "b") if side in row for cell in _side(raw, row[side])]
        if compared:
            return [cell for cell in compared if _about(raw, cell, row)]
        titled = [_side(raw, row[side]) for side in ("of", "against") if side in row]
        by_title = [cell for cells in titled for cell in cells]
        return by_title + ([] if titled and all(titled) else [cell for cell in raw.cells if _about(raw, cell, row)])


def _over_some(key: str, row: Mapping[str, Any]) -> dict[str, tuple[float, float]]:
    """Figures over what came up, by what their ends are called: how much that is, and of how much."""
    if "regression_rate" in row:
        pairs, rescued, spoilt = row["n_pairs"], row["rescues"] or 0, row["regressions"] or 0
        found = {f"{name}_": (row[f"{name}_n"], pairs) for name in ("rescue_rate", "regression_rate")}
        found |= {"": (min(rescued, spoilt), pairs)}
        return found | {"with_recovered_": (min(rescued + (row["recovered"] or 0), spoilt), pairs)}
    if "in_rounds" in row:
        debates = sum(row["endings"].values())
        return {"": (debates, debates + row["unanimous_before"] + row.get("unknown", 0))}
    if "did_not_say" in row:
        return {"net_": (row["challenged"], row["agents"])}
    if "self_choice" in row:
        plays = row["n"] + row["unknown"] + row["not_asked"]
        return {f"{name.removesuffix('n')}": (row[name], plays) for name in row if name.endswith("_n")}
    if "stronger" in row and "value" in row:
        return {"": (max(0.0, (row["stronger"] or 0.0) - (row["alone"] or 0.0)), 1.0)}
    if key == "gap" or "rho" in row:
        return {"": (0.0, 1.0)}
    return dict.fromkeys(_chosen(key, row), (0.0, 1.0))


def _chosen(key: str, row: Mapping[str, Any]) -> list[str]:
    """What places and preferences claim: no grade says how far a play that is missing could move them."""
    if key == "places":
        return [""] if _leaves_out(row, "", 0.0) else []
    if "first_difference" in row:
        return [name for name in ("first_", "last_") if _leaves_out(row, name, 0.0)]
    return [""] if ("wins" in row or "better" in row) and _leaves_out(row, "", 0.5) else []


def _leaves_out(row: Mapping[str, Any], figure: str, chance: float) -> bool:
    ends = {name: row.get(f"{figure}{name}") for name in ENDS}
    told = {name: end.value if isinstance(end, Near) else end for name, end in ends.items()}
    said = {name: end for name, end in told.items() if isinstance(end, float)}
    return any(
        end <= 0.05 if name.startswith("p") else end > chance if name.startswith("low") else end < chance
        for name, end in said.items()
    )


def _bare(row: Row) -> Row:
    """Neither interval nor p, but for what people had right; and no claim."""
    ends = {name for name in row if any(name == end or name.endswith(f"_{end}") for end in ENDS)}
    nothing = dict.fromkeys(ends - {"human_low", "human_high"})
    return {**row, **nothing, **{name: False for name in row if name in ("better", "worse", "alone_better")}}


def _side(raw: Raw, text: str) -> list[Cell]:
    """Nobody, where it is called by no name of who played."""
    side, _, cohort = text.rpartition(", ")
    if cohort not in {cell.cohort for cell in raw.cells}:
        side, cohort = text, ""
    try:
        return [cell for cell in named(raw, side) if cohort in ("", cell.cohort)]
    except AssertionError:
        return []


def _about(raw: Raw, cell: Cell, row: Mapping[str, Any]) -> bool:
    """One play of it is one of the row's; or it is what a member said alone."""
    for name in ("team", "cohort", "captain", "label"):
        if name in row and getattr(cell, name) not in (None, row[name]):
            return False
    if cell.player is None:
        missed = {name for episode in raw.episodes(cell) for name in episode.unreached}
        staged = row.get("stage", cell.label) == cell.label
        return staged and ("label" in row or row.get("player", "") in {"", *missed})
    if row.get("player", cell.player) != cell.player:
        return False
    seats = [
        {each["name"] for each in other.spec["players"]}
        for other in raw.cells
        if other.team is not None and other.team == row.get("team") and row.get("cohort") in (None, other.cohort)
    ]
    return "label" in row or not seats or cell.player in set().union(*seats)
