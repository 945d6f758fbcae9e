"""The commands by name. Each module is imported only when its command runs, so that `moot --help` is quick."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from moot import __version__
from moot.cli.daily_commands import log, run, runs, show, watch
from moot.cli.deciding_commands import advise, fit
from moot.cli.exit import Interruptible
from moot.cli.import_command import import_logs
from moot.cli.init import init
from moot.cli.models import app as models_app
from moot.cli.reporting_commands import compare, report
from moot.cli.serving_commands import mcp, purge, serve
from moot.cli.simulate import simulate

app = typer.Typer(
    cls=Interruptible,
    help="Teams of language models that answer questions together, and the evidence of whether it helps.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

AskedKind = Literal["open", "choice", "yes-no", "text"]
"""As `moot.types.QuestionKind` has it, which would be a third of what `moot --help` loads."""
File = Annotated[Path, typer.Argument(metavar="FILE", help="The experiment file (YAML).", show_default=False)]


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"moot {__version__}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say which moot.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks.")] = False,
) -> None:
    """Teams of language models that answer questions together, and the evidence of whether it helps."""


app.command()(run)


app.command()(report)
app.command()(compare)
app.command()(runs)
app.command()(watch)


@app.command()
def plan(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE", help="An experiment: corrected for what its report compares.", show_default=False
        ),
    ] = None,
    accuracy: Annotated[float | None, typer.Option(help="What is expected without the gain: 0.4.")] = None,
    gain: Annotated[float | None, typer.Option(help="The difference to be seen: 0.03.")] = None,
    discordance: Annotated[
        float | None, typer.Option(help="The share of questions on which the two differ; left out: assumed.")
    ] = None,
    pilot: Annotated[
        Path | None,
        typer.Option(
            "--from", metavar="PILOT", help="An experiment that was played: accuracy, discordance and cost from it."
        ),
    ] = None,
    store: Annotated[str | None, typer.Option(help="Read the pilot from this store: sqlite:///PATH.")] = None,
    power: Annotated[float, typer.Option(help="How sure one wants to be to see it.")] = 0.8,
    alpha: Annotated[float, typer.Option(help="How often chance alone may look like a gain.")] = 0.05,
    comparisons: Annotated[
        int | None, typer.Option(min=1, help="How many comparisons are printed together, and corrected for.")
    ] = None,
    cluster_size: Annotated[
        int | None, typer.Option(min=1, help="How many questions hang together, such as those on one passage.")
    ] = None,
    apart: Annotated[
        float, typer.Option(help="Of scores: by how much two differ at the most where they differ.")
    ] = 1.0,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON on stdout.")] = False,
) -> int:
    """How many questions are needed to see a gain, before any is asked."""
    from moot.cli.plan import Planned, PlannedFrom, expected, plan_command
    from moot.stats.bounded_power import PlannedUnits

    units = PlannedUnits((cluster_size or 1,), apart)
    told = PlannedFrom(file or pilot, comparisons, cluster_size, store)
    if pilot is not None:
        from moot.cli.pilot import PilotPlan, pilot_command

        given = {"--accuracy": accuracy, "--discordance": discordance, "--apart": None if apart == 1.0 else apart}
        return pilot_command(PilotPlan(pilot, store, gain, power, alpha, units, told), given, as_json=as_json)
    planned = Planned(*expected(accuracy, gain, store), discordance, power, alpha, units)
    return plan_command(planned, told, as_json=as_json)


@app.command()
def ask(
    question: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="QUESTION",
            help="What you want to know; - reads it from stdin, and so does a pipe where it is left out.",
            show_default=False,
        ),
    ] = None,
    team: Annotated[Path | None, typer.Option(help="A team file; without one the embedded local team plays.")] = None,
    strategy: Annotated[
        str | None,
        typer.Option(
            help="How the team decides: vote, silent@ann, six/vote. Left out: the file's primary, talkative or vote."
        ),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Every strategy and captain of the file.")] = False,
    choice: Annotated[list[str] | None, typer.Option(help="One possible answer; give it several times.")] = None,
    kind: Annotated[
        AskedKind | None,
        typer.Option(
            help="What answer is wanted: text is a long one. Left out: as the file's questions say, else open."
        ),
    ] = None,
    file: Annotated[
        list[Path] | None,
        typer.Option(metavar="NOTES.md", help="A document that it is about (.md, .txt); give it several times."),
    ] = None,
    last: Annotated[
        bool, typer.Option("-c", "--continue", help="Go on from the last question: same team, what was said before it.")
    ] = False,
    after: Annotated[str | None, typer.Option(metavar="ID", help="Go on from this one: see moot log.")] = None,
    no_log: Annotated[bool, typer.Option("--no-log", help="Do not keep it for moot log.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="The verdicts as JSON on stdout.")] = False,
) -> int:
    """Ask a team one question and watch it answer. The answer comes last."""
    from moot.cli.ask import AskOptions, ask_command, one_question

    about = tuple(file or ())
    asked = AskOptions(team, strategy, tuple(choice or ()), every, last, after, not no_log, kind, about)
    return ask_command(one_question(question or [], team), asked, as_json=as_json)


for _command in (advise, fit, log, serve, mcp, purge):
    app.command()(_command)
app.command("import")(import_logs)
app.command()(show)


@app.command()
def demo(
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write the page, such as demo.html.")] = None,
    unpack: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Write the recorded stores and their files there.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The figures on stdout, nothing else.")] = False,
) -> int:
    """Two real runs, recorded: what moot tells. No model is needed, nothing is asked."""
    from moot.cli.demo import demo_command

    return demo_command(page=output, folder=unpack, as_json=as_json)


@app.command()
def doctor(
    file: File, every: Annotated[bool, typer.Option("--all", help="Every model and strategy, be it longer.")] = False
) -> int:
    """Is every model there, does it answer in the required form, and what would the run cost?"""
    from moot.cli.doctor import doctor_command

    return doctor_command(file, every=every)


@app.command()
def schema() -> int:
    """Print the JSON Schema of the experiment file."""
    from moot.cli.schema import schema_command

    return schema_command()


app.command()(init)
app.command()(simulate)
app.add_typer(models_app, name="models")


@app.command()
def grade(
    file: File,
    judge: Annotated[
        list[str] | None, typer.Option(help="A model of the file that judges instead; give it twice for two judges.")
    ] = None,
    batch: Annotated[
        int | None, typer.Option(min=1, max=100, help="How many answers a judge sees in a call; 1: each by itself.")
    ] = None,
    settle: Annotated[bool, typer.Option("--settle", help="A person decides what is disputed or ungraded.")] = False,
    anew: Annotated[
        bool, typer.Option("--anew", help="Ask a grader of your own again about what it has graded.")
    ] = False,
    store: Annotated[str | None, typer.Option(help="Grade this store: sqlite:///PATH.")] = None,
) -> int:
    """Grade again from the store: by match, judges and persons' words. No player is called."""
    from moot.cli.grade import grade_command

    return grade_command(file, judges=judge or [], batch=batch, settling=settle, store=store, anew=anew)


@app.command()
def export(
    file: File,
    output: Annotated[Path, typer.Option("-o", "--output", help="The file to write; - is stdout.")],
    store: Annotated[str | None, typer.Option(help="Read this store: sqlite:///PATH.")] = None,
    questions: Annotated[
        bool, typer.Option("--questions", help="The questions instead, with what turned out to be right.")
    ] = False,
    served: Annotated[bool, typer.Option("--served", help="What the file's team was asked when served.")] = False,
) -> int:
    """The store as recorded replies: each player's drafts, with the player's name as `model`, the repeat as `sample`."""
    from moot.cli.export import export_command

    return export_command(file, output, store=store, questions=questions, served=served)


@app.command()
def play(
    package: Annotated[
        str | None,
        typer.Argument(
            metavar="PACKAGE",
            help="A file of questions, or a built-in set; left out: those of the team's file.",
            show_default=False,
        ),
    ] = None,
    team: Annotated[Path | None, typer.Option(help="A team file; without one the embedded local team plays.")] = None,
    captain: Annotated[str | None, typer.Option(help="me: you have the last word. Or a player's name.")] = None,
    seat: Annotated[str | None, typer.Option(help="me: your answer joins the team's.")] = None,
    strategy: Annotated[str | None, typer.Option(help="How the team decides.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first N questions.")] = None,
    clock: Annotated[bool, typer.Option("--clock/--no-clock", help="60 seconds for your answer.")] = True,
) -> int:
    """The quiz as a game: the team against the audience, to six points. Take a seat, the captain's chair, or watch."""
    from moot.cli.play import play_command

    return play_command(package, team=team, captain=captain, seat=seat, strategy=strategy, limit=limit, clock=clock)


@app.command()
def select(
    labels: Annotated[
        Path,
        typer.Argument(
            metavar="LABELS|FILE",
            help="A label matrix (.parquet, .csv, .jsonl) or an experiment file.",
            show_default=False,
        ),
    ],
    k: Annotated[str, typer.Option(help="The size of the team; several are compared: 3,5,7.")] = "5",
    method: Annotated[str, typer.Option(help="A selector, several with commas between, or all.")] = "all",
    m: Annotated[
        int | None, typer.Option(min=1, help="Questions to choose on; 400 or four fifths of all.", show_default=False)
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the splits and of every draw.")] = 0,
    splits: Annotated[int, typer.Option(min=1, help="Random splits: one says little.")] = 1,
    where: Annotated[
        list[str] | None, typer.Option(help="Keep a part of the labels: same_version, category=law, model!=x.")
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option(help="An option of the method: tau=0.5; among several: exact.objective=truth.")
    ] = None,
    calls: Annotated[
        int | None, typer.Option(min=0, help="At most so many summariser calls a method and split.")
    ] = None,
    against: Annotated[
        str | None, typer.Option(help="The method that all others are compared with; top-accuracy.", show_default=False)
    ] = None,
    label_kind: Annotated[
        str | None,
        typer.Option(
            "--labels", help="What a label matrix holds: choices, or free answers (free).", show_default=False
        ),
    ] = None,
    summariser: Annotated[str | None, typer.Option(help="A model of the file; else that of its mixture.")] = None,
    without_own_model: Annotated[
        bool, typer.Option("--without-own-model", help="Leave out proposers of the summariser's own model.")
    ] = False,
    store: Annotated[str | None, typer.Option(help="Read this store: sqlite:///PATH.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The rows on stdout, nothing else.")] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Every table, and not the screen that ends with a team.")
    ] = False,
) -> int:
    """Choose complementary proposers, and measure the choice on questions it never saw."""
    from moot.cli.select import select_command

    return select_command(
        labels,
        k=k,
        method=method,
        m=m,
        seed=seed,
        splits=splits,
        where=where or [],
        options=option or [],
        calls=calls,
        against=against,
        label_kind=label_kind,
        summariser=summariser,
        without_own_model=without_own_model,
        store=store,
        as_json=as_json,
        everything=everything,
    )
