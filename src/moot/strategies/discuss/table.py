"""The table: one discussion as it goes on. It asks whoever speaks next, shows them what they may hear, keeps what is said."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal

from moot.models.cut_out import was_cut
from moot.strategies.discuss.paradigm import Paradigm, Step
from moot.strategies.discuss.personas import Agent
from moot.strategies.discuss.remark import MessageForm, Said, TableRemark
from moot.strategies.discuss.stance import Stance, about, line_of_thought, own_solution, stance, supporters
from moot.strategies.natives import shown_question
from moot.team import SameWords, Team
from moot.team.together import together
from moot.traces import Persona, Trace
from moot.types import Answer, Question

Style = Literal["free-text", "simple", "critical", "reasoning"]
Drafting = Literal["first-agent", "all-agents-drafting", "collective-improvement"]


@dataclass(frozen=True, slots=True)
class Manner:
    """How the agents talk."""

    paradigm: Paradigm
    style: str = "simple"
    drafting: str = "first-agent"
    step_by_step: bool = False
    visible_turns: int = 2
    by_meaning: bool = False
    """Whether a solution in other words is looked at by the team's grouper: where agreement decides, it matters."""


@dataclass
class DiscussionTable:
    """The state of one discussion: it lives as long as one episode."""

    question: Question
    team: Team
    agents: tuple[Agent, ...]
    manner: Manner
    said: list[TableRemark] = field(default_factory=list)
    standing: int | None = None
    """The number of the remark that made the current position."""
    drawn_over_cut: bool = False
    """Whether another might once have become the current position, had nothing been cut out of what was said at once."""

    @property
    def names(self) -> list[str]:
        return [agent.name for agent in self.agents]

    @property
    def spoken(self) -> list[TableRemark]:
        """The remarks in which something was said."""
        return [remark for remark in self.said if remark.said is not None]

    @property
    def current(self) -> TableRemark | None:
        """The remark that made the current position."""
        return None if self.standing is None else self.said[self.standing]

    @property
    def supporters(self) -> tuple[str, ...]:
        """Those who stand behind it."""
        return supporters(self.said, self.standing)

    def own_solution(self, agent: str) -> TableRemark | None:
        """The remark that holds an agent's last solution."""
        return own_solution([remark for remark in self.said if remark.speaker == agent], self.said)

    def steps(self, turn: int) -> list[Step]:
        """Who speaks in this turn, and who at the same time."""
        if turn == 1 and self.manner.drafting == "all-agents-drafting":
            return [Step(tuple(self.names))]
        return self.manner.paradigm.steps(self.names)

    async def take(self, step: Step, turn: int) -> list[TableRemark]:
        """Ask those whose step it is. Each hears what was said before it, none of the others in it."""
        speakers = [agent for agent in self.agents if agent.name in step.speakers]
        heard = [self.heard(agent, turn) for agent in speakers]
        asked = [self._speak(*pair, turn, step.part) for pair in zip(speakers, heard, strict=True)]
        # Who speaks alone needs no task of its own, and most do.
        remarks = [await asked[0]] if len(asked) == 1 else await together(asked)
        alike = await self._alike(remarks)
        placed: list[TableRemark] = []
        for remark in remarks:
            group = alike.get(remark.speaker)
            beside = [other for other in placed if group is not None and alike.get(other.speaker) == group]
            placed.append(await self._placed(remark, [other for other in beside if other.position is not None]))
            self.said.append(placed[-1])
        self.standing = self._stands(placed, turn)
        return placed

    async def _alike(self, remarks: Sequence[TableRemark]) -> dict[str, int]:
        """Of those who spoke at once, by speaker, the number of the group that gave the same solution."""
        given = [
            Answer(remark.speaker, remark.said.solution) for remark in remarks if remark.said and remark.said.solution
        ]
        if len(given) < 2:
            return {}
        grouper = self.team.group if self.manner.by_meaning else partial(SameWords().group, team=self.team)
        grouping = await grouper(self.question, given)
        return {name: number for number, group in enumerate(grouping.groups) for name in group}

    def _stands(self, placed: Sequence[TableRemark], turn: int) -> int | None:
        """The current position after a step. What was said at once is counted together, so no seat comes first."""
        made = [remark for remark in placed if remark.position == remark.number]
        if len(placed) == 1 or not made:
            return made[0].number if made else self.standing
        candidates = [*made, *([self.current] if self.current is not None else [])]
        behind = {remark.number: len(supporters(self.said, remark.number)) for remark in candidates}
        self.drawn_over_cut = self.drawn_over_cut or _hangs_on_cut(candidates, behind)
        most = [remark for remark in candidates if behind[remark.number] == max(behind.values())]
        new = [remark for remark in most if remark in made] or most
        by_words = sorted(new, key=lambda remark: remark.backs or (remark.said.text if remark.said else ""))
        return self.team.random(self.question, "current", turn).choice(by_words).number

    def heard(self, agent: Agent, turn: int) -> list[TableRemark]:
        """What an agent has heard and still remembers. The turn under way counts once it has heard something in it."""
        heard = self.manner.paradigm.hears(agent.name, self.names, self.spoken, turn)
        newest = turn if any(remark.turn == turn for remark in heard) else turn - 1
        return [remark for remark in heard if remark.turn > newest - self.manner.visible_turns]

    def heard_in_the_end(self, agent: Agent, turn: int) -> list[TableRemark]:
        """What has come to an agent when a turn is over, as far as it remembers."""
        heard = self.manner.paradigm.reached(agent.name, self.names, self.spoken, turn)
        return [remark for remark in heard if remark.turn > turn - self.manner.visible_turns]

    def shown(self, heard: Iterable[TableRemark]) -> dict[str, Any]:
        """The remarks as prompts show them: messages with their authors' titles, or bare solutions."""
        if self.manner.drafting == "collective-improvement":
            return {
                "remarks": [],
                "solutions": [remark.said.solution for remark in heard if remark.said and remark.said.solution],
            }
        return {"remarks": [self._shown(remark) for remark in heard], "solutions": []}

    def _shown(self, remark: TableRemark) -> tuple[str, str, str | None]:
        title = next(agent.title for agent in self.agents if agent.name == remark.speaker)
        assert remark.said is not None
        return title, remark.said.text, remark.said.solution or remark.backs

    async def _speak(self, agent: Agent, heard: Sequence[TableRemark], turn: int, part: int) -> TableRemark:
        inputs = self.shown(heard)
        style = self.manner.style
        bare = self.manner.drafting == "collective-improvement"
        form = MessageForm(self.question, solution=style != "reasoning", agree=bool(heard) and not bare)
        prompt = self.team.prompts.beside(__file__).render(
            "discuss",
            **shown_question(self.question),
            **inputs,
            title=agent.title,
            style=style,
            step_by_step=self.manner.step_by_step,
        )
        answer = await self.team.ask(agent.player, self.question, prompt, form, stage="discuss", turn=turn, part=part)
        numbers = tuple(remark.number for remark in heard)
        return TableRemark(
            -1, agent.name, turn, part, answer.value, numbers, outcome=answer.outcome, cause=answer.cause
        )

    async def _placed(self, remark: TableRemark, beside: Sequence[TableRemark]) -> TableRemark:
        """The remark with its number, and with what its speaker stands behind after it.

        `beside`: those that were made at the same time and give the same solution.
        """
        number = len(self.said)
        taken = await self._stance(number, remark, beside) if remark.said is not None else Stance(None)
        return replace(remark, number=number, position=taken.position, backs=taken.backs)

    async def _stance(self, number: int, remark: TableRemark, beside: Sequence[TableRemark]) -> Stance:
        assert remark.said is not None
        spoken_to = about(self.said[place] for place in remark.shown)
        if self.manner.style == "reasoning":
            return line_of_thought(number, remark.said, spoken_to)
        known = {candidate.position: candidate for candidate in (spoken_to, self.current) if candidate is not None}
        same = [candidate for candidate in known.values() if await self._is_same(remark.said, candidate.backs)]
        return stance(number, remark.said, spoken_to, [*same, *beside])

    async def _is_same(self, message: Said, other: str | None) -> bool:
        if message.solution is None or other is None or was_cut(message.solution) or was_cut(other):
            return False
        if message.solution.strip().casefold() == other.strip().casefold():
            return True
        if message.agree is False or not self.manner.by_meaning:
            return False
        grouping = await self.team.group(self.question, [Answer("one", message.solution), Answer("other", other)])
        return len(grouping.groups) == 1

    def traces(self) -> Iterator[Trace]:
        """What an episode keeps of the talk."""
        heard_by: dict[int, list[str]] = {}
        for remark in self.said:
            for number in remark.shown:
                if remark.speaker not in heard_by.setdefault(number, []):
                    heard_by[number].append(remark.speaker)
        yield from (Persona(agent.name, agent.title, agent.player.persona, agent.origin) for agent in self.agents)
        yield from (remark.trace(heard_by.get(remark.number, ())) for remark in self.said)


def _hangs_on_cut(candidates: Sequence[TableRemark], behind: Mapping[int, int]) -> bool:
    """Whether what has lost a part might be in front with what was cut out of it, or bring another there: be it that others gave
    the same, or that lots come out otherwise."""
    unknown = [remark for remark in candidates if was_cut(remark.backs)]
    if not unknown:
        return False
    known = sorted((behind[remark.number] for remark in candidates if remark not in unknown), reverse=True)
    first, second = [*known, 0, 0][:2]
    return second + sum(behind[remark.number] for remark in unknown) >= first
