"""`moot run`, `runs`, `log`, `watch` and `show` as they are typed: their options, and nothing that takes long to import."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def run(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The experiment file (YAML).", show_default=False)],
    store: Annotated[
        str | None, typer.Option(help="Store the run here instead: sqlite:///PATH or postgresql://...")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first N questions.")] = None,
    budget_usd: Annotated[float | None, typer.Option(min=0, help="A hard cap on money for the experiment.")] = None,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Print calls, tokens and cost, without making a call.")
    ] = False,
    every: Annotated[bool, typer.Option("--all", help="With --estimate: every model and strategy.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print neither progress nor tables.")] = False,
    engine: Annotated[str, typer.Option(metavar="local|ray", help="Run here, or on a Ray cluster.")] = "local",
    ray_address: Annotated[
        str | None, typer.Option(metavar="HOST:PORT", help="The cluster; by default one is started here.")
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Number of Ray workers; by default one per node.")] = None,
) -> int:
    """Run an experiment. Run it again to resume where it stopped; nothing is paid for twice."""
    from moot.cli.console import Console, print_lines
    from moot.cli.settled import Rerun
    from moot.errors import UsageError

    if every and not estimate:
        raise UsageError("--all goes with --estimate; after a run moot report FILE --all shows every table")
    here = engine == "local" and not ray_address and workers is None
    plain = here and budget_usd is None and not estimate
    rerun = Rerun(file, store, limit) if plain else None
    if rerun is not None and (told := rerun.told_before(Console().width)) is not None:
        print_lines(() if quiet else told)
        return 0
    if estimate:
        from moot.cli.estimate import estimate_command

        if not here:
            from moot.cli.run import Engine

            Engine(engine, ray_address, workers)  # a mistake in these is one before it is played too
        return estimate_command(file, store=store, limit=limit, budget_usd=budget_usd, every=every)
    from moot.cli.run import Engine, run_command

    played_by = Engine(engine, ray_address, workers)
    return run_command(
        file,
        store=store,
        limit=limit,
        budget_usd=budget_usd,
        quiet=quiet,
        engine=played_by,
        rerun=rerun,
    )


def runs(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE", help="An experiment file, whose store is read; or a folder.", show_default=False
        ),
    ] = None,
    store: Annotated[str | None, typer.Option(help="Read this store: sqlite:///PATH.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most this many per store, newest first.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """List the experiments and served teams of a store, with state, verdict and cost. Default: all stores in this folder."""
    from moot.cli.runs import runs_command

    return runs_command(file, store=store, most=limit, as_json=as_json)


def log(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[WORDS]", help="Words that must all occur; or one id, shown in full.", show_default=False
        ),
    ] = None,
    team: Annotated[
        Path | None, typer.Option(help="A team file with a store: what its team was asked, served or not.")
    ] = None,
    store: Annotated[str | None, typer.Option(help="Read this store: sqlite:///PATH.")] = None,
    runs: Annotated[bool, typer.Option("--runs", help="Include the questions of experiments.")] = False,
    limit: Annotated[int, typer.Option(min=1, help="At most this many, newest first.")] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    no_pager: Annotated[bool, typer.Option("--no-pager", help="Print everything at once, even on a terminal.")] = False,
) -> int:
    """Search earlier questions and their answers. Continue from one with moot ask --after ID."""
    from moot.cli.log import log_command

    by_the_page = not no_pager
    return log_command(
        words or [], team=team, store=store, runs=runs, most=limit, as_json=as_json, by_the_page=by_the_page
    )


def watch(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The experiment file (YAML).", show_default=False)],
    store: Annotated[str | None, typer.Option(help="Read this store: sqlite:///PATH.")] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 picks a free one.")] = 0,
    every: Annotated[float, typer.Option(min=0.5, max=3600, help="Seconds between two reads of the store.")] = 3.0,
    once: Annotated[bool, typer.Option("--once", help="Print the current state and exit.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the current state as JSON and exit.")] = False,
) -> int:
    """Follow a running experiment on a page: accuracy so far, calls, cost, failures. Only this machine can open it."""
    from moot.cli.watch import watch_command

    return watch_command(file, store=store, port=port, every_s=every, once=once, as_json=as_json)


def show(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The experiment file (YAML).", show_default=False)],
    question_id: Annotated[
        str | None, typer.Argument(metavar="QUESTION_ID", help="The question's id; by default all are listed.")
    ] = None,
    strategy: Annotated[str | None, typer.Option(help="Show only this strategy: solo, solo@ann, six/vote.")] = None,
    store: Annotated[str | None, typer.Option(help="Read this store: sqlite:///PATH.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    no_pager: Annotated[bool, typer.Option("--no-pager", help="Print everything at once, even on a terminal.")] = False,
) -> int:
    """Show one question with every prompt, reply and grade; or list all, with who was right."""
    from moot.cli.show import show_command

    by_the_page = not no_pager
    return show_command(file, question_id, strategy=strategy, store=store, as_json=as_json, by_the_page=by_the_page)
