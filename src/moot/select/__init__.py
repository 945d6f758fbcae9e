"""Choosing the team: which proposers should a summariser read? Arithmetic on a label matrix, and an oracle.

The worth of a proposer is what it adds to this team, not its own accuracy. A selector sees the selection split and
nothing else; a new one is one dataclass and one entry point in the group ``moot.selectors``.
"""

from __future__ import annotations

from moot.select.files import read_labels
from moot.select.labels import LabelMatrix, Proposer, SelectionSplit, TestSplit, selection_only, split_labels
from moot.select.oracle import Oracle, VoteOracle
from moot.select.registry import Chosen, Selector, check_k, registered, selector

__all__ = [
    "Chosen",
    "LabelMatrix",
    "Oracle",
    "Proposer",
    "SelectionSplit",
    "Selector",
    "TestSplit",
    "VoteOracle",
    "check_k",
    "read_labels",
    "registered",
    "selection_only",
    "selector",
    "split_labels",
]
