"""Mixture: a summariser reads the proposers' responses and answers."""
