"""A team as a solver of Inspect (extra `inspect`): its tasks and scorers, our strategies.

    from moot.serve.inspect import team_solver
    Task(dataset=..., solver=team_solver("team.yaml", "six/talkative"), scorer=choice())

The team can also be Inspect's *model*: serve it and name the address, as any OpenAI-compatible one.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

try:
    from inspect_ai.model import ChatMessageAssistant, ModelOutput, ModelUsage
    from inspect_ai.solver import Generate, Solver, TaskState, solver
except ImportError as error:
    raise ImportError("moot.serve.inspect needs the extra inspect: pip install 'moot[inspect]'") from error

from moot.live.answered_question import AnsweredQuestion
from moot.live.asked_question import question_of
from moot.live.team import LiveTeam, load_team
from moot.serve.chat import moot_field
from moot.serve.paid_off import offer_by_name


class _Shared:
    """One team for all samples that are being solved; closed when the last of them is done, for nobody else will."""

    def __init__(self, path: str | Path, *, named: bool) -> None:
        """`named`: one of its strategies is, so that it does not matter whether what paid off can be asked."""
        self._path, self._named = path, named
        self._team: LiveTeam | None = None
        self._users = 0
        self._door = asyncio.Lock()

    @asynccontextmanager
    async def team(self) -> AsyncIterator[LiveTeam]:
        async with self._door:
            if self._team is None:
                opened = load_team(self._path)
                opened.offer = await offer_by_name(opened, every=self._named)
                await opened.open()
                self._team = opened
            team = self._team
            self._users += 1
        try:
            yield team
        finally:
            async with self._door:
                self._users -= 1
                if not self._users:
                    self._team = None
                    await team.close()


@solver
def team_solver(path: str | Path, model: str | None = None) -> Solver:
    """Each sample is a question to the team of this file; `model` is one of its strategies: ``six/vote``. Left out: what paid
    off in its run."""
    shared = _Shared(path, named=model is not None)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        async with shared.team() as team:
            choices = [choice.value for choice in state.choices]
            language = team.experiment.spec.language
            asked = await team.play(question_of(state.input_text, choices, language), model)
        answer = asked.verdict.answer or ""
        for place, letter in enumerate(asked.episode.question.letters):
            state.choices.mark_choice(place, letter == answer)
        state.messages.append(ChatMessageAssistant(content=answer, model=asked.model))
        state.output = _output(asked, answer)
        state.metadata = {**(state.metadata or {}), "moot": moot_field(asked)}
        return state

    return solve


def _output(asked: AnsweredQuestion, answer: str) -> ModelOutput:
    output = ModelOutput.from_content(asked.model, answer)
    prompt, completion = asked.usage.prompt, asked.usage.completion
    if prompt is not None and completion is not None:  # it has numbers for all, or no usage
        output.usage = ModelUsage(input_tokens=prompt, output_tokens=completion, total_tokens=prompt + completion)
    return output
