"""Grading: what an answer is worth, and which stage said so."""
