"""Accuracy, outcomes and cost of every cell: the rows that all else stands beside."""
