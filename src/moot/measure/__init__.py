"""Measures: from scores to estimates. Questions are the unit; nothing leaves the denominator."""
