"""Whose long answers are preferred, by how much, and what judges like beside how good a text is."""
