"""Without a file a question goes to a few of the embedded players: what is read before the first answer is what one waits for."""

from __future__ import annotations

import pytest

from moot.cli.ask import one_strategy
from moot.experiment import embedded_team as embedded
from moot.experiment.embedded_team import embedded_few
from moot.models.local import LocalModel


@pytest.fixture(autouse=True)
def without_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LocalModel, "__init__", lambda self, name, model, **settings: setattr(self, "name", name))
    monkeypatch.setattr(LocalModel, "price", None, raising=False)
    monkeypatch.setattr(LocalModel, "shape", lambda self, request: {"provider": "local"})


def read_by(file: embedded.ExperimentFile) -> int:
    """Characters of all that players are shown."""
    shown = [example for player in file.spec.players.values() for example in player.examples]
    return sum(len(str(example)) for example in shown)


def test_three_vote_and_nobody_reads_what_they_said() -> None:
    (cell,) = one_strategy(embedded_few(), None).cells
    assert (cell.strategy.name, [player.name for player in cell.team.players]) == ("vote", [*embedded.FEW])
    assert read_by(embedded_few()) < read_by(embedded.embedded_team()) / 3


def test_they_are_shown_different_things() -> None:
    shown = [{example.answer for example in player.examples} for player in embedded_few().spec.players.values()]
    assert len(set().union(*shown)) == sum(map(len, shown)) == len(embedded.FEW) * embedded.FEW_EXAMPLES


def test_no_vote_is_taken_on_a_long_answer() -> None:
    (cell,) = one_strategy(embedded_few(long_answer=True), None, long_answer=True).cells
    assert cell.strategy.name == "talkative"


def test_another_strategy_can_be_named() -> None:
    (cell,) = one_strategy(embedded_few(), "talkative@ann").cells
    assert cell.label.startswith("talkative")
