"""Paradigms: who speaks when, and who hears what; one a file."""
