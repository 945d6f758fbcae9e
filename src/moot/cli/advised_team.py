"""`moot advise -o team.yaml`: the team to take as a file that `moot serve` takes as it is.

It stands beside the experiment file, whose paths are relative to it. What the choice was made on goes with it,
in a file of its own, so that no figure about the team uses these questions. That is all of them, since all say which point of the
frontier is taken; where there is one point alone, those kept apart have chosen nothing, and may be used.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from moot.advise.advice import Advice
from moot.advise.known import KnownDrafts, parted_in_two
from moot.advise.options import AdvisedOption
from moot.advise.staged import StagedOption
from moot.cli.advise_input import EXPERIMENTS, AdviceInput
from moot.cli.fit import told_beside
from moot.cli.outputs import checked_output
from moot.cli.rule_output import write_rule
from moot.config.flow import comment, flow
from moot.config.yaml_file import read_yaml
from moot.decide.kinds_apart import models_by_kind, most_probable_by_kind, without_kinds
from moot.decide.rule_figures import rule_figures
from moot.decide.rule_file import BY_KIND, FORM_BY_KIND, part_content, rule_content
from moot.decide.rules import DIGITS
from moot.errors import FileError, UsageError
from moot.experiment.build import build
from moot.experiment.model_specs import RecordedSpec
from moot.experiment.selected import CHOSEN_ON
from moot.experiment.spec import ExperimentFile, read_experiment
from moot.foreign_files import text_of
from moot.foreign_json import read_json
from moot.pasted import pasted
from moot.whole_files import written_whole

TEAM = "advised"
ADVISED = "What moot advise took from"
KEPT = ("seed", "language", "prompts", "grouping", "extract", "grader", "replies_in_flight_mb")
"""Keys that shape how a team is asked and answers, and stay as they are; the rest is about the experiment."""


def check_writable(paths: Sequence[Path], output: Path, store: str | None) -> None:
    """Before anything is read."""
    if paths[0].suffix.lower() not in EXPERIMENTS:
        raise UsageError(
            f"-o {output}: labels and recordings name no endpoint that could be served; expected an experiment file, or"
            " moot advise without -o, which names the players"
        )
    if output.suffix.lower() not in EXPERIMENTS:
        raise UsageError(f"-o {output}: expected a name that ends in .yaml")
    if output.resolve().parent != paths[0].resolve().parent:
        raise UsageError(f"-o {output}: expected a file beside {paths[0]}, whose paths are relative to it")
    for each in (output, *_beside(output)):
        checked_output(each, paths, store, replaceable=_is_advice)
        if each.exists() and not _is_advice(each):
            raise UsageError(f"-o: {each} is there already and is no advice; expected another name")


def _beside(output: Path) -> tuple[Path, Path]:
    """The questions that the team was chosen on, and its rule."""
    return output.with_suffix(".chosen.json"), output.with_suffix(".rule.json")


def _is_advice(path: Path) -> bool:
    """What an earlier advice wrote may be written anew."""
    try:
        text = text_of(path)
        if path.suffix.lower() in EXPERIMENTS:
            return text.startswith(comment(ADVISED))
        content = read_json(text)
    except (OSError, ValueError, FileError):
        return False
    first = content[0] if isinstance(content, list) and content else content
    return isinstance(first, dict) and CHOSEN_ON in first


def written_team(
    output: Path,
    advice: Advice,
    reading: AdviceInput,
    staged: StagedOption | None = None,
    raced_on: Collection[str] = (),
) -> list[str]:
    """Writes the team's file and what goes with it; the lines that say so.

    `staged`: what has won a race against the point to take. `raced_on`: the questions of that race, by their marks.
    """
    taken, file = advice.recommended, reading.file
    assert taken is not None, "looked at before"
    assert file is not None, "looked at before"
    option = taken.option if staged is None else staged.cascade
    parts = parted_in_two(reading.drafts.units)
    search = reading.drafts.at(parts.search)
    learnt_on = {reading.questions[place] for place in parts.search}
    marks = sorted(set(reading.questions) if len(advice.points) > 1 else learnt_on | set(raced_on))
    chosen, rule = _beside(output)
    names = list(option.names(advice.players)) if staged is None else staged.at_table(advice.players, file.spec.players)
    accuracies = {advice.players[seat]: round(float(search.worth[seat].mean()), DIGITS) for seat in option.seats}
    write_rule(chosen, [{"team": names, "accuracies": accuracies, CHOSEN_ON: marks}])
    if option.learnt is not None:
        write_rule(rule, {**_rule(option, advice, reading, search), CHOSEN_ON: sorted(learnt_on)})
    played = taken.option if staged is None else staged
    text = "\n".join(_lines(file, names, chosen.name, played.as_strategy(advice.players, rule.name))) + "\n"
    try:
        with written_whole(output) as draft:
            draft.write_text(text, encoding="utf-8")
    except OSError as error:
        raise FileError(f"cannot be written: {error.strerror or error}", file=output) from None
    build(read_experiment(output, with_questions=False), asked=False)
    beside = [chosen.name, *([rule.name] if option.learnt is not None else [])]
    written = f"Written: {output}, with {' and '.join(beside)} beside it."
    if recorded := [name for name in sorted(names) if _is_recorded(file, name)]:
        them, are = ("it", "is a recording") if len(recorded) == 1 else ("them", "are recordings")
        nothing_new = f"{', '.join(recorded)} {are}, and moot serve has no answer of {them} to a new question"
        return [f"{written} Note: {nothing_new}: run {file.path.name} with models that answer, and advise again"]
    return [f"{written} Then: moot serve {pasted(output)}"]


def _is_recorded(file: ExperimentFile, player: str) -> bool:
    return isinstance(file.spec.models[file.spec.players[player].model], RecordedSpec)


def _lines(file: ExperimentFile, names: Sequence[str], chosen: str, strategy: str | Mapping[str, Any]) -> Iterator[str]:
    values: Mapping[str, Any] = read_yaml(file.path).values
    spec = file.spec
    players = {name: spec.players[name] for name in names}
    grouping = spec.grouping.model if spec.grouping is not None else None
    readers = spec.extract.models if spec.extract is not None else []
    wanted = {*(player.model for player in players.values()), *readers, *([grouping] if grouping else [])}
    yield comment(f"{ADVISED} {file.path.name}, chosen on the questions that {chosen} names.")
    yield f"name: {flow(f'{spec.name}-{TEAM}')}"
    for key in KEPT:
        if key in values:
            yield f"{key}: {flow(values[key])}"
    yield "models:"
    for name, model in values["models"].items():
        if name in wanted:
            yield f"  {flow(name)}: {flow(model)}"
    yield "players:"
    declared = values.get("players") or {}
    for name in names:
        yield f"  {flow(name)}: {flow(declared.get(name, {'model': players[name].model}))}"
    yield "teams:"
    yield f"  {TEAM}: {flow({'players': list(names), 'selection': chosen})}"
    yield f"strategies: {flow([strategy])}"


def _rule(option: AdvisedOption, advice: Advice, reading: AdviceInput, search: KnownDrafts) -> dict[str, Any]:
    """As `moot fit` writes it."""
    learnt, table = option.learnt, reading.table
    assert learnt is not None, "looked at before"
    assert table is not None, "of an experiment"
    by_name = {seat.name: seat for seat in table.seats}
    seats = [by_name[advice.players[seat]] for seat in option.seats]
    learnt_from = {"experiment": reading.origin, "team": TEAM, "questions": learnt.questions}
    candidates, units = search.candidates(option.seats), search.units
    figures = rule_figures(learnt, candidates, units, most_probable_by_kind if search.kinds else None)
    accuracy = [float(search.worth[seat].mean()) for seat in option.seats]
    content = rule_content(
        without_kinds(learnt),
        seats,
        table.prompts,
        accuracy=accuracy,
        told=told_beside(learnt, figures, reading.notes, learnt_from),
        stages=option.stages,
        kinds=search.kinds or reading.kinds,
    )
    if not search.kinds:
        return content
    by_kind = {
        kind: part_content(model, option.stages_by_kind.get(kind, {}), search.kinds.count(kind))
        for kind, model in models_by_kind(candidates, units).items()
    }
    return {**content, "form": FORM_BY_KIND, BY_KIND: by_kind}
