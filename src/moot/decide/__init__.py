"""Deciding better from the same answers: rules that learn whom to trust, and the probability of being right."""
