"""Figures of `moot select`."""
