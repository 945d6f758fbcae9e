"""`moot models`: the packaged local models; which there are, which are here, and getting one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from moot.cli.safe_text import say

if TYPE_CHECKING:
    from moot.models.packaged import Progress

app = typer.Typer(
    help="List, download and locate packaged local models; look up prices.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

ModelName = Annotated[str, typer.Argument(metavar="NAME", help="A name from `moot models list`.", show_default=False)]


@app.command("list")
def list_models() -> None:
    """List name, size and licence of each, and where it is if installed."""
    from moot.models.packaged import CATALOGUE

    rows = [("name", "size", "licence", "path, or how to get it")]
    for model in CATALOGUE.values():
        place = _from_home(model.file) if model.there else f"moot models add {model.name}"
        rows.append((model.name, _megabytes(model.size_bytes), model.licence, place))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        typer.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _from_home(file: Path) -> str:
    home = Path.home()
    return f"~/{file.relative_to(home)}" if file.is_relative_to(home) else str(file)


@app.command("add")
def add_model(
    name: ModelName,
    from_file: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE", help="A .gguf or .whl file you already have.", show_default=False),
    ] = None,
) -> None:
    """Download a model with pip, as it is configured here, check it, and keep it in the cache."""
    from moot.models import packaged

    with _progress(name) as progress:
        added = packaged.add(name, from_file, progress)
    model = packaged.find(name)
    how = "added" if added.fresh else "already here"
    typer.echo(f"{name}: {how}, {_megabytes(model.size_bytes)}, {model.licence}: {added.path}")


@app.command("path")
def model_path(name: ModelName) -> None:
    """Print only the path of the model."""
    from moot.models.packaged import path

    typer.echo(path(name))


@app.command("prices")
def model_prices(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]...", help="Names or parts of names; by default all.", show_default=False),
    ] = None,
) -> None:
    """Print USD per million tokens, from the table that comes with LiteLLM; nothing is fetched."""
    from moot.models.price_table import price_words, the_table

    table = the_table()
    found = table.matching(names or ())
    rows = [("model", "prompt", "completion", "cached")]
    for name, price in found.items():
        cached = "" if price.cached is None else f"{price.cached:.6g}"
        rows.append((name, f"{price.prompt:.6g}", f"{price.completion:.6g}", cached))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        say("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    say(f"USD per million tokens, as {table.source} lists them")
    if len(found) == 1:
        say(f"In a model's entry: {price_words(next(iter(found.values())))}")


@contextmanager
def _progress(name: str) -> Iterator[Progress]:
    """A bar on stderr; a line for each step where stderr is no terminal."""
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    from moot.cli.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield _lines(name)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        tasks = {}

        def show(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bar.add_task(f"{what} {name}", total=total)
            bar.update(tasks[what], completed=done, total=total)

        yield show


def _lines(name: str) -> Progress:
    announced_stages: set[str] = set()

    def say(what: str, done: int, total: int) -> None:
        if what not in announced_stages:
            announced_stages.add(what)
            typer.echo(f"{what} {name}, {_megabytes(total)}", err=True)

    return say


def _megabytes(size_bytes: int) -> str:
    return f"{size_bytes / 1e6:.0f} MB"
