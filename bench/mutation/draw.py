"""Which small faults are tried: places of a room, drawn by seed, and one change of each.

The changes are cosmic-ray's, used as a library: neither its command nor mutmut draws a sample of so many by seed, or runs for
each mutant the tests that reach its line. What is drawn is a place and a kind of change, and then one of the kind's changes:
cosmic-ray has eleven for every `+`, and a draw over all of them would be a draw of plus signs. Type hints and the bare star of
a signature are no behaviour and are left out.
"""

from __future__ import annotations

import hashlib
import itertools
import random
import warnings
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import parso  # first: cosmic-ray imports a part of it that cannot be imported alone
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

assert parso
HOUSE = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Mutant:
    file: str
    line: int
    column: int
    operator: str
    occurrence: int

    @property
    def ident(self) -> tuple[str | int, ...]:
        """With what its file held: a file that has changed has other mutants."""
        return self.file, self.line, self.column, self.operator, self.occurrence, digest(HOUSE / self.file)

    @property
    def place(self) -> tuple[str, int, int, str]:
        """Where, and what kind of change: `ReplaceBinaryOperator_Add_Sub` is one of eleven of a kind."""
        return self.file, self.line, self.column, self.operator.partition("_")[0]


def mutants_of(file: Path) -> Iterator[Mutant]:
    nodes = list(ast_nodes(get_ast(file.read_text())))
    for name in operator_names():
        operator_class = get_operator(name)
        if operator_class.arguments():
            continue
        operator = operator_class()
        changes = ((node, start) for node in nodes for start, _ in operator.mutation_positions(node))
        for occurrence, (node, (line, column)) in enumerate(changes):
            if not is_type_hint(node):
                yield Mutant(str(file.relative_to(HOUSE)), line, column, name, occurrence)


def is_type_hint(node: Any) -> bool:
    inside = node
    while (above := inside.parent) is not None:
        if above.type == "annassign" and inside is above.children[1]:
            return True
        if above.type == "tfpdef" and inside is above.children[2]:
            return True
        if above.type == "funcdef" and inside is above.annotation:
            return True
        inside = above
    return False


def drawn(room: str, count: int, seed: int) -> tuple[list[Mutant], int]:
    """So many places of a room, one change each; and how many places there are."""
    places: dict[tuple[str, int, int, str], list[Mutant]] = defaultdict(list)
    for file in sorted((HOUSE / "src" / "moot" / room).rglob("*.py")):
        for mutant in mutants_of(file):
            places[mutant.place].append(mutant)
    generator = random.Random(f"{seed} {room}")
    order = sorted(places)
    generator.shuffle(order)
    compiling = (made for place in order if (made := one_that_compiles(places[place], generator)))
    return list(itertools.islice(compiling, count)), len(places)


def one_that_compiles(mutants: list[Mutant], generator: random.Random) -> Mutant | None:
    """A `**` before keywords is no power: what no longer compiles is no fault that a test would have to see."""
    for mutant in generator.sample(mutants, len(mutants)):
        try:
            with warnings.catch_warnings(action="ignore"):  # `is` with a literal is a fault like others
                compile(changed(mutant), mutant.file, "exec")
        except (SyntaxError, AttributeError):  # cosmic-ray stumbles over `except a.b`
            continue
        return None if is_bare_star(mutant) else mutant
    return None


def is_bare_star(mutant: Mutant) -> bool:
    """`def f(a, *, b)`: the star says how it is called, and cosmic-ray makes a slash of it."""
    leaf = get_ast((HOUSE / mutant.file).read_text()).get_leaf_for_position((mutant.line, mutant.column))
    return leaf.value == "*" and leaf.parent.type in ("parameters", "lambdef", "param")


def changed(mutant: Mutant) -> str:
    text: str = mutate_code((HOUSE / mutant.file).read_text(), get_operator(mutant.operator)(), mutant.occurrence)
    return text


def digest(*files: Path) -> str:
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]
