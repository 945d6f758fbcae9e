"""A first experiment file, with a word on every part of it: what `moot init` writes.

It is written as text, since comments are half of it. Whatever comes from elsewhere (names of models, of columns, of files)
goes through the YAML writer, so that it is read back as it was; nothing in it is ever a key's value.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from moot.config.flow import comment, flow
from moot.config.key_lines import KeyLines
from moot.config.yaml_file import YamlFile, parsed_yaml
from moot.experiment.embedded_team import OTHERWISE, embedded_players
from moot.experiment.spec import Experiment, ExperimentFile

USUAL_FILE = "moot.yaml"
SEED = 7
REPLY_TOKENS, THINKING_TOKENS, SMALL_TOKENS = 1000, 4000, 400
MOST_NAME = 40
_THINKS = re.compile(r"\b(o[1-9]|gpt-5|gpt-oss|r1|qwq|qwen-?3|magistral|grok-[34])|think|reason", re.IGNORECASE)
"""Names of models whose thoughts count as a part of the reply, so that a short one would be cut within them."""
_OPENAI = "api.openai.com"
_NO_TEMPERATURE = re.compile(r"(o[1-9]|gpt-5)\b", re.IGNORECASE)
_PRICE = "# price: {prompt: X, completion: Y}   # USD per million tokens; left out it is unknown, which is not free"
"""No number: one that somebody forgot to change would be a false bill."""
_TOLD = "how they are told to go about it"
_INSTRUCTED = {"ann": "", "bob": "break-down", "cat": "opposite"}


@dataclass(frozen=True, slots=True)
class StarterModel:
    """A model to be written down: its keys, where it is, and whether one can expect little of it."""

    title: str
    keys: Mapping[str, Any]
    where: str
    small: bool = False
    simulated: bool = False
    priced: bool = False
    """Whether somebody may have to pay for it."""


@dataclass(frozen=True, slots=True)
class StarterQuestions:
    """What stands under `questions`, what is to be said of it, and what the answers are."""

    keys: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    count: int | None = None
    open_answers: bool = False
    language: str = "en"


def endpoint(
    base_url: str,
    model: str,
    where: str,
    *,
    concurrent: int,
    small: bool = False,
    simulated: bool = False,
    variable: str | None = None,
) -> StarterModel:
    """A model behind an address on this machine, which nobody pays for by the token."""
    keys: dict[str, Any] = {"provider": "endpoint", "base_url": base_url, "model": model}
    keys |= {"api_key_env": variable} if variable is not None else {}
    params = _params(base_url, model) | ({"max_tokens": SMALL_TOKENS} if small else {})
    keys |= {"params": params, "limits": {"concurrent": concurrent}}
    return StarterModel(model, keys, where, small=small, simulated=simulated)


def hosted(base_url: str, model: str, where: str, *, variable: str, through_proxy: bool) -> StarterModel:
    """A model of a hosted API. Only the name of the variable with its key is written."""
    keys: dict[str, Any] = {"provider": "endpoint", "base_url": base_url, "model": model, "api_key_env": variable}
    keys |= {"params": _params(base_url, model), "limits": {"concurrent": 8}}
    return StarterModel(model, keys | ({"proxy": "env"} if through_proxy else {}), where, priced=True)


def packaged(model: str) -> StarterModel:
    keys = {"provider": "local", "model": model, "params": {"temperature": 0, "max_tokens": SMALL_TOKENS}}
    return StarterModel(model, keys, "a small model inside this process", small=True)


def simulated() -> list[StarterModel]:
    """Players for trying the commands out."""
    where = "simulated, not real: it answers by chance"
    strengths = {"ann": 0.7, "bob": 0.6, "cat": 0.5}
    return [
        StarterModel(name, {"provider": "simulated", "accuracy": accuracy}, where, simulated=True)
        for name, accuracy in strengths.items()
    ]


def _params(base_url: str, model: str) -> dict[str, Any]:
    own = model.rpartition("/")[2]
    most = THINKING_TOKENS if _THINKS.search(own) else REPLY_TOKENS
    if _OPENAI in base_url:
        return {"temperature": None if _NO_TEMPERATURE.match(own) else 0, "max_completion_tokens": most}
    return {"temperature": 0, "max_tokens": most}


@dataclass(frozen=True, slots=True)
class StarterFile:
    """The whole file."""

    path: Path
    models: Sequence[StarterModel]
    questions: StarterQuestions
    others: Sequence[StarterModel] = field(default=())
    """Models that could be taken too, written as comments."""
    taken: Collection[str] = ()
    """Names of the experiments beside it: two of one name would be versions of one experiment."""

    @property
    def text(self) -> str:
        return "\n".join(self._lines()) + "\n"

    def checked(self) -> ExperimentFile:
        """What was written, read back."""
        return ExperimentFile(self.path, Experiment.model_validate(self.parsed().values), KeyLines(None))

    def parsed(self) -> YamlFile:
        """As it will be read, be it settled or not: no file is written that cannot be."""
        return parsed_yaml(self.text, self.path)

    @property
    def named(self) -> dict[str, StarterModel]:
        """Models by the names that they get in the file."""
        names: dict[str, StarterModel] = {}
        for model in self.models:
            short = _short(model.title)
            free = (
                name for number in range(1, len(self.models) + 2) if (name := _numbered(short, number)) not in names
            )
            names[next(free)] = model
        return names

    @property
    def name(self) -> str:
        """That of the file, or, where it is called as usual, of its questions; and one that no other file here has."""
        usual = self.path.name == USUAL_FILE
        short = _short(Path((self.questions.keys.get("file") if usual else None) or self.path).stem)
        taken = {name.casefold() for name in self.taken}  # of some disks, so that stores are not shared either
        return next(name for number in count(1) if (name := _numbered(short, number)).casefold() not in taken)

    @property
    def only_small(self) -> bool:
        return all(model.small for model in self.models)

    @property
    def judges(self) -> list[str]:
        """Two models that can tell whether an answer means the same; none where every answer is a choice, or nobody can."""
        simulated_too = all(model.simulated for model in self.models)
        able = [name for name, model in self.named.items() if not model.small and model.simulated == simulated_too]
        return able[:2] if self.questions.open_answers and len(able) > 1 else []

    @property
    def players(self) -> dict[str, dict[str, Any]]:
        """One for each model; of a single one, several who go about it differently.

        Worked examples are for questions that are known to hold none of them.
        """
        if len(self.models) > 1:
            return {name: {"model": name} for name in self.named}
        (model,) = self.named
        if self.only_small:
            known = "builtin" in self.questions.keys and self.questions.open_answers
            players = embedded_players(self.questions.language if known else OTHERWISE)
            return {name: {"model": model, **keys} for name, keys in players.items()}
        return {
            name: {"model": model, "instruction": how} if how else {"model": model} for name, how in _INSTRUCTED.items()
        }

    def _lines(self) -> Iterator[str]:
        yield "# An experiment of moot, written by `moot init`; docs/experiment-file.md has every key."
        yield f"name: {flow(self.name)}"
        yield f"seed: {SEED}"
        if self.questions.language != "en":
            yield f"language: {self.questions.language}"
        if self.only_small:
            yield "prompts: small          # shorter words, for small models"
        yield from ("", *self._questions(), "", *self._models(), "", *self._team(), "", *self._rest())

    def _questions(self) -> Iterator[str]:
        if self.questions.count is not None:
            more = "; `sample: 50` below takes so many of them" if self.questions.count > 50 else ""
            yield f"# {self.questions.count} questions{more}."
        yield from _comments(self.questions.notes)
        yield "questions:"
        yield from (f"  {flow(key)}: {flow(value)}" for key, value in self.questions.keys.items())

    def _models(self) -> Iterator[str]:
        if any(model.simulated for model in self.models):
            yield "# Simulated models say nothing about real ones: put your own in their place."
        yield "models:"
        for name, model in self.named.items():
            yield from _model(name, model)
        for model in self.others:
            yield from (f"  # {line[2:].removeprefix('# ')}" for line in _model(_short(model.title), model))

    def _team(self) -> Iterator[str]:
        if len(self.models) == 1:
            how = "what they are shown first" if any("examples" in keys for keys in self.players.values()) else _TOLD
            yield f"# One model: its players differ by {how}. Different models make a better team."
        else:
            yield "# Who plays. A model that is added above wants a line here, and a place in the team."
        yield "players:"
        for name, keys in self.players.items():
            yield from _player(name, keys)
        yield "teams:"
        yield f"  all: {flow({'players': list(self.players), 'captain': 'each'})}"
        yield "strategies:"
        yield "  - solo        # each alone: what any team is measured against"
        yield "  - vote        # the answer that most of them gave"
        yield "  - talkative   # a captain decides, having read all answers and reasons: each in turn"

    def _rest(self) -> Iterator[str]:
        if self.judges:
            yield "# Who grades an answer that is not the reference word for word: what both say counts."
            yield f"judge: {flow({'models': self.judges})}"
        elif self.questions.open_answers:
            yield "# An answer counts as right where its words are those of the reference. Two able models could judge the rest:"
            yield "# judge: {models: [..., ...]}"
        captain = next(iter(self.players))
        yield "# The headline, if you declare one before the first run:"
        yield f"# primary: {flow(f'talkative@{captain}')}"
        if any(model.priced for model in (*self.models, *self.others)):
            yield "# No call starts that could go beyond this; it needs the prices:"
            yield "# budget_usd: 5"


def _player(name: str, keys: Mapping[str, Any]) -> Iterator[str]:
    """In a line; with worked examples, these in a line each."""
    if "examples" not in keys:
        yield f"  {flow(name)}: {flow(dict(keys))}"
        return
    yield f"  {flow(name)}:"
    yield from (f"    {key}: {flow(value)}" for key, value in keys.items() if key != "examples")
    yield "    examples:"
    yield from (f"      - {flow(example)}" for example in keys["examples"])


def _model(name: str, model: StarterModel) -> Iterator[str]:
    yield from (f"  {line}" for line in _comments([model.where]))
    yield f"  {flow(name)}:"
    yield from (f"    {key}: {flow(value)}" for key, value in model.keys.items())
    if model.priced:
        yield f"    {_PRICE}"


def _comments(notes: Iterable[str]) -> Iterator[str]:
    return map(comment, notes)


def _short(title: str) -> str:
    """A name that a file may have: qwen3-8b of org/Qwen3-8B.gguf:latest."""
    own = re.split(r"[/\\]", title.strip("/\\"))[-1].removesuffix(":latest").removesuffix(".gguf")
    name = re.sub(r"[^\w.-]+", "-", own).strip("-.")[:MOST_NAME]
    return "each-1" if name == "each" else name or "model"


def _numbered(name: str, number: int) -> str:
    return name if number == 1 else f"{name}-{number}"
