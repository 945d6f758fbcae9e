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
    help="Teams of language models that answer questions together, and evidence of whether it helps.",
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
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks.")] = False,
) -> None:
    """Teams of language models that answer questions together, and evidence of whether it helps."""


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
            metavar="FILE", help="An experiment; correct for the comparisons of its report.", show_default=False
        ),
    ] = None,
    accuracy: Annotated[float | None, typer.Option(help="Expected accuracy without the gain, such as 0.4.")] = None,
    gain: Annotated[float | None, typer.Option(help="The difference to detect, such as 0.03.")] = None,
    discordance: Annotated[
        float | None, typer.Option(help="Share of questions on which the two differ; assumed by default.")
    ] = None,
    pilot: Annotated[
        Path | None,
        typer.Option(
            "--from", metavar="PILOT", help="A finished experiment to take accuracy, discordance and cost from."
        ),
    ] = None,
    store: Annotated[str | None, typer.Option(help="Read the pilot from this store: sqlite:///PATH.")] = None,
    power: Annotated[float, typer.Option(help="Probability of detecting it.")] = 0.8,
    alpha: Annotated[float, typer.Option(help="How often chance alone may look like a gain.")] = 0.05,
    comparisons: Annotated[int | None, typer.Option(min=1, help="Number of comparisons to correct for.")] = None,
    cluster_size: Annotated[
        int | None, typer.Option(min=1, help="Questions per cluster, such as those on one passage.")
    ] = None,
    apart: Annotated[float, typer.Option(help="For scores: the largest difference between two.")] = 1.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """Work out how many questions it takes to see a gain, before asking any."""
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
            help="The question; - reads it from stdin, as does a pipe when it is left out.",
            show_default=False,
        ),
    ] = None,
    team: Annotated[Path | None, typer.Option(help="A team file; by default the embedded local team.")] = None,
    strategy: Annotated[
        str | None,
        typer.Option(
            help="How the team decides: vote, silent@ann, six/vote. Default: the file's primary, talkative or vote."
        ),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Play every strategy and captain of the file.")] = False,
    choice: Annotated[list[str] | None, typer.Option(help="A possible answer; repeat it for each one.")] = None,
    kind: Annotated[
        AskedKind | None,
        typer.Option(help="Kind of answer; text is a long one. Default: that of the file's questions, else open."),
    ] = None,
    file: Annotated[
        list[Path] | None,
        typer.Option(metavar="NOTES.md", help="A document the question is about (.md, .txt); may be repeated."),
    ] = None,
    last: Annotated[
        bool, typer.Option("-c", "--continue", help="Continue from the last question, with its team and history.")
    ] = False,
    after: Annotated[str | None, typer.Option(metavar="ID", help="Continue from this question: see moot log.")] = None,
    no_log: Annotated[bool, typer.Option("--no-log", help="Do not record it for moot log.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the verdicts as JSON.")] = False,
) -> int:
    """Ask a team one question and watch it answer. The answer is printed last."""
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
        Path | None, typer.Option(metavar="FOLDER", help="Unpack the recorded stores and their files there.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print only the figures, as JSON.")] = False,
) -> int:
    """Show two recorded real runs. No model is needed, and none is called."""
    from moot.cli.demo import demo_command

    return demo_command(page=output, folder=unpack, as_json=as_json)


@app.command()
def doctor(
    file: File,
    every: Annotated[bool, typer.Option("--all", help="Show every model and strategy, however many.")] = False,
) -> int:
    """Check that every model answers in the required form, and what the run would cost."""
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
        list[str] | None, typer.Option(help="A model of the file to judge instead; repeat it for two judges.")
    ] = None,
    batch: Annotated[
        int | None, typer.Option(min=1, max=100, help="Answers shown to a judge per call; 1: one at a time.")
    ] = None,
    settle: Annotated[bool, typer.Option("--settle", help="Let a person decide what is disputed or ungraded.")] = False,
    anew: Annotated[bool, typer.Option("--anew", help="Ask your own grader again about what it has graded.")] = False,
    served: Annotated[bool, typer.Option("--served", help="What the team was asked while being served.")] = False,
    store: Annotated[str | None, typer.Option(help="Grade this store: sqlite:///PATH.")] = None,
) -> int:
    """Grade again from the store: by match, judges or people. No player is called."""
    from moot.cli.grade import grade_command

    return grade_command(file, judges=judge or [], batch=batch, settling=settle, store=store, anew=anew, served=served)


@app.command()
def export(
    file: File,
    output: Annotated[Path, typer.Option("-o", "--output", help="The file to write; - is stdout.")],
    store: Annotated[str | None, typer.Option(help="Read this store: sqlite:///PATH.")] = None,
    questions: Annotated[
        bool, typer.Option("--questions", help="Export the questions instead, with the answers found right.")
    ] = False,
    served: Annotated[bool, typer.Option("--served", help="What the team was asked while being served.")] = False,
) -> int:
    """Export the store as recorded replies: each player's drafts, with its name as `model` and the repeat as `sample`."""
    from moot.cli.export import export_command

    return export_command(file, output, store=store, questions=questions, served=served)


@app.command()
def play(
    package: Annotated[
        str | None,
        typer.Argument(
            metavar="PACKAGE",
            help="A question file or a built-in set; by default the team file's own.",
            show_default=False,
        ),
    ] = None,
    team: Annotated[Path | None, typer.Option(help="A team file; by default the embedded local team.")] = None,
    captain: Annotated[str | None, typer.Option(help="me: you have the last word; or a player's name.")] = None,
    seat: Annotated[str | None, typer.Option(help="me: your answer joins the team's.")] = None,
    strategy: Annotated[str | None, typer.Option(help="How the team decides.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first N questions.")] = None,
    clock: Annotated[bool, typer.Option("--clock/--no-clock", help="60 seconds for your answer.")] = True,
) -> int:
    """Play the quiz as a game, the team against the audience, to six points. Take a seat or the captain's chair, or watch."""
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
    k: Annotated[str, typer.Option(help="Team size; several are compared: 3,5,7.")] = "5",
    method: Annotated[str, typer.Option(help="A selector, several separated by commas, or all.")] = "all",
    m: Annotated[
        int | None,
        typer.Option(
            min=1, help="Number of questions to choose on; default 400, or four fifths of all.", show_default=False
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the splits and of every draw.")] = 0,
    splits: Annotated[int, typer.Option(min=1, help="Number of random splits; one says little.")] = 1,
    where: Annotated[
        list[str] | None, typer.Option(help="Keep part of the labels: same_version, category=law, model!=x.")
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option(help="An option of the method: tau=0.5; with several: exact.objective=truth.")
    ] = None,
    calls: Annotated[int | None, typer.Option(min=0, help="Maximum summariser calls per method and split.")] = None,
    against: Annotated[
        str | None,
        typer.Option(help="The method to compare all others with; default top-accuracy.", show_default=False),
    ] = None,
    label_kind: Annotated[
        str | None,
        typer.Option(
            "--labels", help="What a label matrix holds: choices, or free answers (free).", show_default=False
        ),
    ] = None,
    summariser: Annotated[str | None, typer.Option(help="A model of the file; by default that of its mixture.")] = None,
    without_own_model: Annotated[
        bool, typer.Option("--without-own-model", help="Leave out proposers of the summariser's own model.")
    ] = False,
    store: Annotated[str | None, typer.Option(help="Read this store: sqlite:///PATH.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print only the rows, as JSON.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="Print every table instead of the summary.")] = False,
) -> int:
    """Choose complementary proposers, and measure the choice on held-out questions."""
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
