"""Runs of HELM: a folder with ``run_spec.json``, ``scenario_state.json`` and ``per_instance_stats.json``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from moot.data.logs.fields import (
    LETTERS,
    amount,
    items,
    json_document,
    letter_of,
    mapping,
    number,
    share,
    spoken,
    text,
    tokens,
    with_others,
)
from moot.data.logs.helm_metrics import BY_THOUGHT, compared_parts, verdict_metric
from moot.data.logs.log import NOTHING_FOUND, LogEntry, LoggedFigure, LoggedReply, LogRemark, QuestionInLog
from moot.errors import FileError
from moot.stats.counted_words import count

STATE, SPEC, STATS = "scenario_state.json", "run_spec.json", "per_instance_stats.json"
TOTALS = "stats.json"
MAIN_SPLITS = ("test", "valid")
"""HELM asks both, and its tables show the scenario's main one: the test where there is one."""
SEPARATE = "multiple_choice_separate"
THOUGHT_ALOUD = "chain_of_thought"
"""In the name of a method by which a model thinks before it names a letter."""
_LETTER_AT_THE_END = tuple(
    map(
        re.compile,
        (
            r"answer is \(?([A-J])",
            r"\[aA\]nswer:\s*\(?([A-J])",
            r"correct answer is [^A-Za-z]*([A-J])",
            r"correct answer is [^A-Z]*+([A-J])?",
        ),
    )
)
"""How HELM finds that letter: by the first of these that finds one at all. The last goes on to the next capital letter, which is
no other when it is looked for from further on."""

InstanceKey = tuple[str, int]
"""An instance and the trial of its examples."""


@dataclass(frozen=True, slots=True)
class Helm:
    name: ClassVar[str] = "helm"
    endings: ClassVar[tuple[str, ...]] = (".json",)
    metric: str | None = None
    """By which replies are right, where somebody has named it."""

    def read(self, files: Sequence[Path]) -> Iterator[LogEntry]:
        states = [path for path in files if path.name == STATE]
        if not states:
            raise FileError(f"is no run of HELM: expected a folder with {STATE}", file=files[0])
        by_metric: dict[str, dict[str, list[str]]] = {}
        for path in states:
            yield from _run_entries(path, by_metric, self.metric)
        for task, models in by_metric.items():
            if len(models) > 1:
                each = "; ".join(f"{metric} ({', '.join(names)})" for metric, names in models.items())
                yield LogRemark(f"{task}: not all models are judged by the same metric: {each}", task)


@dataclass(frozen=True, slots=True)
class _Run:
    path: Path
    task: str
    model: str
    adapter: Mapping[str, Any]
    stats: Mapping[InstanceKey, Mapping[str, float]]
    metric: str | None
    completions: int
    """The most that a request has: one that failed has fewer, and the samples of the next trial begin behind all."""

    @property
    def thinks_aloud(self) -> bool:
        return THOUGHT_ALOUD in str(self.adapter.get("method")) and self.metric == BY_THOUGHT


def _run_entries(path: Path, by_metric: dict[str, dict[str, list[str]]], wanted: str | None) -> Iterator[LogEntry]:
    """`by_metric`: where is noted which models of a task are judged by which metric."""
    state = mapping(json_document(path))
    adapter = mapping(state.get("adapter_spec"))
    model = text(adapter.get("model")) or text(adapter.get("model_deployment"))
    if model is None or not isinstance(state.get("request_states"), list):
        raise FileError("is no state of HELM: expected adapter_spec.model and request_states", file=path)
    if str(adapter.get("method")).startswith(SEPARATE):
        problem = f"each choice was scored by itself ({adapter['method']}), so there are no replies to read"
        raise FileError(f"{problem}; expected a run with multiple_choice_joint or generation", file=path)
    spec = path.with_name(SPEC)
    named = mapping(json_document(spec)) if spec.is_file() else {}
    every = [(place, mapping(each)) for place, each in enumerate(items(state["request_states"]))]
    unchanged = [(place, each) for place, each in every if not mapping(each.get("instance")).get("perturbation")]
    split = _main_split([each for _, each in unchanged])
    requests = [(place, each) for place, each in unchanged if _split(each) == split]
    of_instances = _stats(path.with_name(STATS))
    stats = {key: own for place, each in requests if (own := of_instances.get(key := _key(each, place))) is not None}
    task = _task(path, named)
    groups = [str(each) for each in items(named.get("groups"))]
    judged = verdict_metric([task.partition(":")[0], *groups], stats.values(), wanted)
    completions = max((len(_completions(each)) for _, each in requests), default=1)
    run = _Run(path, task, model, adapter, stats, judged.metric, completions)
    if run.metric is not None:
        by_metric.setdefault(task, {}).setdefault(run.metric, []).append(model)
    if not run.stats:
        yield LogRemark(f"{path.parent.name}: no {STATS} beside it, so the log has no verdicts", task)
    elif judged.remark is not None:
        yield LogRemark(f"{task}: {judged.remark}", task)
    if run.metric is not None and (stated := _stated(path.with_name(TOTALS), run.metric, split)) is not None:
        yield LoggedFigure(model, task, run.metric, stated)
    for place, each in requests:
        yield from _replies(run, each, place)
    if changed := len(every) - len(unchanged):
        yield LogRemark(
            f"{path.parent.name}: {count(changed, 'request')} with changed words (perturbations) left out", task
        )
    for other, number_of in Counter(_split(each) for _, each in unchanged).items():
        if other != split:
            left_out = f"{count(number_of, 'request')} of the split {other or 'without a name'} left out"
            yield LogRemark(f"{path.parent.name}: {left_out}; the figures are of the split {split}", task)


def _split(request: Mapping[str, Any]) -> str | None:
    return text(mapping(request.get("instance")).get("split"))


def _main_split(requests: Sequence[Mapping[str, Any]]) -> str | None:
    """Of which the figures are; None: the instances say none."""
    there = Counter(map(_split, requests))
    named = [name for name in there if name is not None]
    return next((name for name in (*MAIN_SPLITS, *sorted(named)) if name in there), None)


def _stated(path: Path, metric: str, split: str | None) -> float | None:
    """What HELM itself says of the whole run; None: it does not, or not once."""
    if not path.is_file():
        return None
    own = []
    for each in items(json_document(path)):
        name = mapping(mapping(each).get("name"))
        if name.get("name") == metric and not name.get("perturbation") and not name.get("sub_split"):
            own += [each] if split is None or name.get("split") in (None, split) else []
    return share(mapping(own[0]).get("mean")) if len(own) == 1 else None


def _task(path: Path, spec: Mapping[str, Any]) -> str:
    """What was run, without the model, so that it is the same for all: ``mmlu:subject=law``."""
    scenario, _, arguments = (text(spec.get("name")) or path.parent.name).partition(":")
    kept = [each for each in arguments.split(",") if each and not each.startswith(("model=", "model_deployment="))]
    return f"{scenario}:{','.join(kept)}" if kept else scenario


def _stats(path: Path) -> dict[InstanceKey, dict[str, float]]:
    if not path.is_file():
        return {}
    found: dict[InstanceKey, dict[str, float]] = {}
    for each in items(json_document(path)):
        fields = mapping(each)
        if fields.get("perturbation"):
            continue
        by_name = found.setdefault((str(fields.get("instance_id")), _trial(fields)), {})
        for stat in items(fields.get("stats")):
            name = text(mapping(mapping(stat).get("name")).get("name"))
            value = number(mapping(stat).get("mean"))
            if name is not None and value is not None:
                by_name.setdefault(name, value)
    return found


def _trial(fields: Mapping[str, Any]) -> int:
    trial = fields.get("train_trial_index")
    return trial if isinstance(trial, int) and trial >= 0 else 0


def _key(request: Mapping[str, Any], place: int) -> InstanceKey:
    return text(mapping(request.get("instance")).get("id")) or str(place), _trial(request)


def _completions(request: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [mapping(each) for each in items(mapping(request.get("result")).get("completions"))]


def _replies(run: _Run, request: Mapping[str, Any], place: int) -> Iterator[LoggedReply]:
    instance = mapping(request.get("instance"))
    ident, trial = _key(request, place)
    question = _question(run, request, instance, ident)
    stats = run.stats.get((ident, trial), {})
    worth = share(stats.get(run.metric)) if run.metric is not None else None
    result = mapping(request.get("result"))
    completions = _completions(request)
    if not run.thinks_aloud:  # that metric is of the first reply, the others are of the likeliest
        completions.sort(key=lambda each: -(number(each.get("logprob")) or 0.0))
    keys = _letters(request)
    usage = tokens(stats.get("num_prompt_tokens"), stats.get("num_completion_tokens", stats.get("num_output_tokens")))
    seconds = amount(result.get("request_time"))
    there = {"tokens": usage != tokens(None, None), "seconds": seconds is not None}
    alone = len(completions) == 1  # of several the tokens and the time are counted together
    for number_of, completion in enumerate(completions or [{}] * max(1, run.completions)):
        said = text(completion.get("text")) if result.get("success") is not False else None
        yield LoggedReply(
            run.model,
            question,
            run.path,
            text=said,
            answer=_answer(said, keys, run),
            sample=trial * max(1, run.completions) + number_of,
            worth=worth if number_of == 0 else None,
            usage=usage if alone else tokens(None, None),
            seconds=seconds if alone else None,
            problem=text(result.get("error")),
            together=() if alone else tuple(name for name, counted in there.items() if counted),
        )


def _letters(request: Mapping[str, Any]) -> Mapping[str, str]:
    """The choices by the letter under which the model was shown them; none: it was shown none."""
    shown = request.get("output_mapping")
    return {str(letter).strip(): str(words) for letter, words in mapping(shown).items()}


def _question(run: _Run, request: Mapping[str, Any], instance: Mapping[str, Any], ident: str) -> QuestionInLog:
    asked = mapping(instance.get("input"))
    words = text(asked.get("text")) or spoken(
        mapping(next(iter(items(asked.get("messages"))[-1:]), None)).get("content")
    )
    words = words or ""  # such a question is left out, and told
    references = [mapping(each) for each in items(instance.get("references"))]
    right = [
        said
        for each in references
        if "correct" in items(each.get("tags")) and (said := text(mapping(each.get("output")).get("text"))) is not None
    ]
    shown = _letters(request)
    category = text(instance.get("sub_split"))
    if shown:
        choices = tuple(shown.values())
        reference = letter_of(right[0], choices, ("texts",)) if len(right) == 1 else None
        return QuestionInLog(ident, words, choices, reference, category=category, task=run.task)
    first, others = with_others(right)
    compared = compared_parts(right, run.metric)
    return QuestionInLog(ident, words, (), first, others, category=category, task=run.task, compared=compared)


def _answer(said: str | None, shown: Mapping[str, str], run: _Run) -> str | None:
    """None: to be read here. HELM takes a reply that is a letter, or the letter that the thoughts end with."""
    if said is None or run.adapter.get("output_mapping_pattern"):
        return None
    if not shown:
        return said.strip() if "\n" not in said.strip() else None
    letters = list(shown)
    if run.thinks_aloud:
        found = next((match[1] for each in _LETTER_AT_THE_END for match in each.finditer(said) if match[1]), "")
    elif THOUGHT_ALOUD in str(run.adapter.get("method")):
        return None
    else:
        found = said.strip()
    return LETTERS[letters.index(found)] if found in shown else NOTHING_FOUND
