"""Every way of answering as one option: what it got right, how often it asked, and what that cost, question by question."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from second_way.intervals import mean
from second_way.ranked import Ranked
from second_way.raw import Cell, Episode, Raw, same_words
from second_way.same_calls import differ, made
from second_way.shares import NOBODY_KNOWS, Value, broken, fair, graded, mean_value, value_of
from second_way.tables import Table, by_itself, parts, tables, values_of

Values = Mapping[str, Value]
NATIVE_STAGES = ("draft", "verdict", "rationale")
"""What a player is asked by itself, in one call or in two."""


@dataclass(frozen=True)
class Option:
    """One cell; or several as one, each question then being the mean over them."""

    title: str
    cells: tuple[Cell, ...]
    episodes: tuple[tuple[Episode, ...], ...]
    """By cell."""
    prices: Mapping[str, float | None]
    """By call."""
    left_out: int = 0
    """Questions that only some of its cells have played."""
    of_all: frozenset[str] | None = None
    """Where it is of some of the questions alone: those that had no known cost among all."""

    def on(self, questions: Collection[str]) -> Option:
        """The same of these questions alone."""
        episodes = tuple(tuple(e for e in own if e.question in questions) for own in self.episodes)
        return replace(self, episodes=episodes, of_all=frozenset(self.lacking))

    @cached_property
    def lacking(self) -> Collection[str]:
        return unpriceable(self.episodes) if self.of_all is None else self.of_all

    @cached_property
    def by_cell(self) -> list[dict[str, Value]]:
        return [
            {
                question: value_of([episode.right for episode in several], [episode.answer for episode in several])
                for question, several in _asked(own).items()
            }
            for own in self.episodes
        ]

    @cached_property
    def values(self) -> dict[str, Value]:
        questions = dict.fromkeys(question for own in self.by_cell for question in own)
        return {q: mean_value([own[q] for own in self.by_cell if q in own]) for q in questions}

    def value(self, question: str) -> Value:
        return self.values.get(question, NOBODY_KNOWS)

    def fair(self, asked: Iterable[str]) -> dict[str, Value]:
        """Of those that it has played; none of them known where what is graded of them flatters."""
        return fair({question: self.values[question] for question in asked if question in self.values})

    @cached_property
    def calls(self) -> dict[str, float]:
        """What a question takes of which no play lacks a call: of any other nobody knows it."""
        return {question: taken for question, taken in self.calls_made.items() if question not in self.lacking}

    @cached_property
    def calls_made(self) -> dict[str, float]:
        return self._means(lambda episode: float(len(episode.calls)))

    @cached_property
    def cost_usd(self) -> dict[str, float] | None:
        """As `calls`. None: the price of some call is not known."""
        if self.paid_usd is None:
            return None
        return {question: paid for question, paid in self.paid_usd.items() if question not in self.lacking}

    @cached_property
    def paid_usd(self) -> dict[str, float] | None:
        every = [key for own in self.episodes for episode in own for key in episode.calls]
        if any(self.prices.get(key) is None for key in every):
            return None
        return self._means(lambda episode: sum(self.prices[key] or 0.0 for key in episode.calls))

    def _means(self, spent: object) -> dict[str, float]:
        paid: dict[str, list[float]] = {}
        for own in self.episodes:
            for question, several in _asked(own).items():
                paid.setdefault(question, []).append(mean([spent(episode) for episode in several]))  # type: ignore[operator]
        return {question: mean(several) for question, several in paid.items()}

    @property
    def alone(self) -> bool:
        return all(cell.player is not None for cell in self.cells)

    @property
    def once(self) -> bool:
        """One cell that played no question twice."""
        return len(self.cells) == 1 and all(len(several) == 1 for several in _asked(self.episodes[0]).values())

    @property
    def ungraded(self) -> int:
        return sum(not graded(episode.right) for own in self.episodes for episode in own)


def _asked(episodes: Iterable[Episode]) -> dict[str, list[Episode]]:
    by_question: dict[str, list[Episode]] = {}
    for episode in episodes:
        by_question.setdefault(episode.question, []).append(episode)
    return by_question


def title_of(cell: Cell) -> str:
    named = f"{cell.label}@{cell.player or cell.captain}" if cell.player or cell.captain else cell.label
    return f"{named}, {cell.cohort}" if cell.cohort else named


def option(raw: Raw, cells: Sequence[Cell], title: str) -> Option:
    prices = {key: call["cost_usd"] for key, call in raw.calls.items()}
    plays = [{(episode.question, episode.repeat) for episode in raw.episodes(cell)} for cell in cells]
    every = set.intersection(*plays)
    kept = tuple(tuple(e for e in raw.episodes(cell) if (e.question, e.repeat) in every) for cell in cells)
    some = {question for several in plays for question, _ in several} - {question for question, _ in every}
    return Option(title, tuple(cells), kept, prices, len(some))


def options(raw: Raw) -> dict[str, Option]:
    """One for each cell that has played."""
    named = titles(raw)
    return {named[cell.id]: option(raw, [cell], named[cell.id]) for cell in raw.cells if raw.episodes(cell)}


def gone(raw: Raw, chosen: Iterable[Cell]) -> list[tuple[str, Option]]:
    """Whoever else has played any of these questions, with the name of its experiment: in all that goes by a name under which
    somebody of `chosen` has ever stood. Nobody counts twice, nor who failed every time."""
    wanted = {cell.id for cell in chosen}
    names = {plan.config["name"] for plan in (raw, *raw.beside) if any(cell.id in wanted for cell in plan.cells)}
    told = {_who(cell) for cell in raw.cells}
    found = []
    for plan in raw.beside:
        for cell in plan.cells if plan.config["name"] in names else ():
            if _who(cell) in told:
                continue
            told.add(_who(cell))
            title = title_of(cell) if cell.player is not None else f"{cell.team}/{title_of(cell)}"
            side = option(plan, [cell], title).on(raw.questions)
            if any(episode.outcome != "failed" for episode in side.episodes[0]):
                found.append((plan.config["name"], side))
    return found


def left_behind(raw: Raw) -> int:
    """Questions that were answered for what stands beside under the same name, where it asks some of these as well; one that
    stands here in the same words under another id is not behind."""
    missing: dict[str, int] = {}
    for plan in raw.beside:
        if plan.config["name"] != raw.config["name"]:
            continue
        then, now = ([same_words(row["question"]) for row in each.questions.values()] for each in (plan, raw))
        if not set(then) & set(now):
            continue
        answered = {episode.question for cell in plan.cells for episode in plan.episodes(cell)}
        played = [same_words(plan.questions[question]["question"]) for question in answered]
        for words in set(played):
            behind = min(then.count(words) - now.count(words), played.count(words))
            missing[words] = max(missing.get(words, 0), behind)
    return sum(missing.values())


def mended(raw: Raw) -> int:
    """Questions of which something else was right when they were answered for what stands beside under the same name."""
    right = ("answer", "accepted", "rejected", "lemmatize", "free_order", "known")
    other: set[str] = set()
    for plan in raw.beside:
        if plan.config["name"] != raw.config["name"]:
            continue
        answered = {episode.question for cell in plan.cells for episode in plan.episodes(cell)}
        for question in answered & raw.questions.keys():
            then, now = plan.questions[question], raw.questions[question]
            if then["question"] == now["question"] and any(then.get(key) != now.get(key) for key in right):
                other.add(question)
    return len(other)


def tried_before(raw: Raw, sides: Iterable[str]) -> int:
    """How many different things of other plans went by these names, and have answered some of these questions."""
    sides = list(sides)
    now = {_who(cell) for cell in raw.cells}
    chosen = [cell for side in sides for cell in named(raw, side)]
    answered = {_who(option.cells[0]) for _, option in gone(raw, chosen)}
    tries = set()
    for plan in raw.beside:
        labels = {cell.label for cell in plan.cells}
        meant = [named(plan, side) if re.split("[@,]", side)[0].strip() in labels else [] for side in sides]
        tries.add(tuple(tuple(sorted({_who(cell) for cell in cells} & answered - now)) for cells in meant))
    return sum(any(each) for each in tries)


def _who(cell: Cell) -> str:
    """A player alone is one, whoever is the captain; who learns is one, whatever it was taught by."""
    if cell.player is None and not cell.traits.get("learns"):
        return cell.id
    led = {"captain"} if cell.player is not None else set()
    return json.dumps({key: value for key, value in cell.spec.items() if key not in led}, sort_keys=True)


def titles(raw: Raw) -> dict[str, str]:
    """By cell; with several teams the team's name stands before it."""
    several = len(teams_of(raw)) > 1
    return {
        cell.id: f"{cell.team}/{title_of(cell)}" if several and cell.player is None else title_of(cell)
        for cell in raw.cells
    }


def teams_of(raw: Raw) -> set[str | None]:
    return {cell.team for cell in raw.cells if cell.player is None}


def named(raw: Raw, text: str) -> list[Cell]:
    """The cells that ``talkative@ann``, ``three/talkative`` or ``vote(early_stop=true)`` speaks of: never of two teams."""
    team = next((name for name in teams_of(raw) if text.startswith(f"{name}/")), None)
    text = text.removeprefix(f"{team}/")
    label, _, who = text.rpartition("@") if "@" in text[text.rfind(")") + 1 :] else (text, "", "")
    cells = [cell for cell in raw.cells if team in (None, cell.team)]
    alike = [cell for cell in cells if cell.label == label] or [cell for cell in cells if cell.strategy == label]
    found = [cell for cell in alike if not who or (cell.player or cell.captain) == who]
    assert len({cell.team for cell in found}) == 1, "a side is one team's"
    return found


def highest(
    choices: Mapping[str, Values],
    asked: Sequence[str] | None = None,
    calls: Mapping[str, Mapping[str, float]] | None = None,
) -> str | None:
    """Most right of what all have played, everything ungraded taken for wrong; of equals the cheaper, then the first."""
    return next(iter(all_highest(choices, asked, calls)), None)


def all_highest(
    choices: Mapping[str, Values],
    asked: Sequence[str] | None = None,
    calls: Mapping[str, Mapping[str, float]] | None = None,
) -> list[str]:
    ranked = Ranked(choices, asked)
    if ranked.lonely or not ranked.names:
        return []

    def merit(name: str) -> tuple[bool, float, float]:
        mine = [choices[name][question] for question in ranked.questions]
        graded = any(value.known is not None for value in mine)
        known = [calls[name][question] for question in ranked.questions if question in calls[name]] if calls else [0.0]
        cost = mean(known) if known else math.inf
        return graded, round(sum(value.least for value in mine), 9), -round(cost, 12)

    top = max(map(merit, ranked.names))
    return [name for name in ranked.names if merit(name) == top]


@dataclass(frozen=True)
class Singles:
    """Everybody at some tables, alone. Who drafts in two ways is a single in each of them."""

    values: dict[str, dict[str, Value]]
    players: dict[str, str]
    tables: dict[str, Table]
    came: dict[str, dict[str, set[bool]]]
    """By single and question: whether anything ever came, of plays that somebody waited for."""
    same: dict[str, list[Table]]
    """Every table that asks it to the same effect."""
    unrecorded: dict[str, set[str]]
    """By single: the questions to which a recording has no reply of it."""

    def may_come(self, name: str) -> set[str]:
        """The questions on which a call of it failed, or a recording has no reply."""
        return {q for q, value in self.values[name].items() if any(map(broken, value.grades))} | self.unrecorded[name]

    def silent(self, name: str, asked: Sequence[str]) -> bool:
        """Whether all that was asked of it here, and waited for, failed."""
        return {came for question in asked for came in self.came[name].get(question, ())} == {False}


def singles(raw: Raw, several: Iterable[Option]) -> Singles:
    """And whoever played alone, whatever else they were asked at their tables, and at whichever."""
    cells = [cell for side in several for cell in side.cells]
    every = tables(raw)
    teams = {table.team for table in every if any(cell in cells for cell in table.cells)}
    found = Singles({}, {}, {}, {}, {}, {})
    here = [
        table
        for table in every
        if table.team in teams and (any(cell in cells for cell in table.cells) or (table.usual and table.solo))
    ]
    told = {cell.id for table in here for cell in table.solo.values()}
    elsewise = [cell for cell in raw.cells if cell.player is not None and cell.id not in told]
    for table in (*here, *(by_itself(raw, cell) for cell in elsewise)):
        for player, plays in parts(table.alone, lambda play: play.player).items():
            values = values_of(plays)
            title = _seat(raw, found, player, table, values)
            for play in plays:
                if play.heard:
                    found.came.setdefault(title, {}).setdefault(play.question, set()).add(not play.failed)
            found.came.setdefault(title, {})
            found.unrecorded.setdefault(title, set()).update(play.question for play in plays if play.unrecorded)
    return _plain_at_the_table(found, {table.name for table in here if any(cell in cells for cell in table.cells)})


def _plain_at_the_table(found: Singles, playing: Collection[str]) -> Singles:
    """Who drafts at a table in question bears the bare name; its namesake that was there first bears how it was asked."""
    names = {title: title for title in found.players}
    for player in set(found.players.values()):
        first, *others = [title for title, name in found.players.items() if name == player]
        seated = [title for title in others if found.tables[title].name in playing]
        solo = found.tables[first].solo.get(player)
        if seated and solo is not None and found.tables[first].name not in playing:
            names[first], names[seated[0]] = f"{player} ({solo.label})", player
    fields = (found.values, found.players, found.tables, found.came, found.same, found.unrecorded)
    return Singles(*({names[title]: value for title, value in field.items()} for field in fields))  # type: ignore[arg-type]


def _seat(raw: Raw, found: Singles, player: str, table: Table, values: dict[str, Value]) -> str:
    """Beside whom it is the same: worth the same on the same questions, or asked by the same calls."""
    for title in [title for title, name in found.players.items() if name == player]:
        kept = found.tables[title]
        if found.values[title] == values or _same(raw, player, kept, table):
            more = len(values) > len(found.values[title])
            found.tables[title] = table if more else kept
            found.values[title] = values | found.values[title]
            found.same[title].append(table)
            return title
    title = f"{player} ({table.name})" if player in found.players else player
    found.values[title], found.players[title], found.tables[title] = values, player, table
    found.same[title] = [table]
    return title


def _same(raw: Raw, player: str, one: Table, other: Table) -> bool:
    sides = []
    for table in (one, other):
        solo = [table.solo[player]] if player in table.solo else []
        drafts = {place: draft for cell in (*table.cells, *solo) for place, draft in made(raw, cell).items()}
        sides.append({place: draft for place, draft in drafts.items() if place[2] == player})
    if one.solo.get(player) is not None and one.solo.get(player) == other.solo.get(player):
        return True
    both = sides[0].keys() & sides[1].keys()
    kinds = [{cell.traits.get("drafts") or "single-call" for cell in table.cells} for table in (one, other)]
    by_calls = not differ(sides[0], sides[1])
    return by_calls if both else one.usual and other.usual and kinds[0] == kinds[1]


def cut_short(episodes: Iterable[Episode]) -> set[str]:
    """Questions of which a play failed, or went on without somebody whose call did."""
    return {episode.question for episode in episodes if _lacking(episode)}


def unpriceable(cells: Sequence[Sequence[Episode]]) -> set[str]:
    """Questions of which nobody knows what they take: those cut short. Or all, where those that are not may be the cheap ones:
    more than one in twenty is cut short, and not all take equally many calls, as far as they were made."""
    lacking = cut_short(episode for own in cells for episode in own)
    taken: dict[str, list[float]] = {}
    for own in cells:
        for question, several in _asked(own).items():
            taken.setdefault(question, []).append(mean([float(len(episode.calls)) for episode in several]))
    each = {question: mean(several) for question, several in taken.items()}
    whole = [each[question] for question in each if question not in lacking]
    if not whole or 20 * len(lacking) <= len(each):
        return lacking
    equal = max(whole) - min(whole) < 1e-9 and all(each[question] < min(whole) - 1e-9 for question in lacking)
    return lacking if equal else {*each}


def _lacking(episode: Episode) -> bool:
    """What it took is less than such a question takes."""
    return episode.outcome == "failed" or bool(episode.unreached) or episode.lacks_calls


class CostAlone(NamedTuple):
    calls: float | None
    usd: float | None
    questions: tuple[str, ...] | None = None
    """Over which; None: not known."""


def cost_alone(raw: Raw, table: Table, player: str, asked: Sequence[str]) -> CostAlone:
    """Calls and money a question of somebody asked alone as at a table, over those of which it is known."""
    answers: dict[str, list[Sequence[str]]] = {}
    if player in table.solo:
        own = raw.episodes(table.solo[player])
        for episode in own:
            answers.setdefault(episode.question, []).append(episode.calls)
        asked = [question for question in asked if question in answers.keys() - unpriceable([own])]
    else:
        answers = _drafted(raw, table, player)
    if not asked:
        return CostAlone(None, None, ())
    if any(not answers.get(question) for question in asked):
        return CostAlone(None, None)
    calls = mean([mean([float(len(keys)) for keys in answers[question]]) for question in asked])
    costs = [[[raw.calls[key]["cost_usd"] for key in keys] for keys in answers[question]] for question in asked]
    if any(cost is None for several in costs for keys in several for cost in keys):
        return CostAlone(calls, None, tuple(asked))
    return CostAlone(calls, mean([mean([sum(keys) for keys in several]) for several in costs]), tuple(asked))


def _drafted(raw: Raw, table: Table, player: str) -> dict[str, list[Sequence[str]]]:
    """The calls of its drafts, each set of drafts once."""
    rows = {(row["cell"], row["question_id"], row["repeat"]): row for row in raw.tables["verdicts"]}
    answers: dict[str, list[Sequence[str]]] = {}
    told: set[tuple[str, int]] = set()
    for cell in table.cells:
        if cell.traits.get("drafts") is None:
            continue
        for episode in raw.episodes(cell):
            place = episode.question, episode.repeat // int(cell.traits.get("repeats", 1))
            if place in told:
                continue
            told.add(place)
            steps = json.loads(rows[cell.id, episode.question, episode.repeat]["transcript"])
            keys = [s[3] for s in steps if s[0] == player and s[2] == 1 and s[1] in NATIVE_STAGES and s[3]]
            keys = [key for key in keys if key not in raw.never_made]
            if keys:
                answers.setdefault(episode.question, []).append(list(dict.fromkeys(keys)))
    return answers
