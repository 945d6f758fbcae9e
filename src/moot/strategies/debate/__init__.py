"""Debate: rounds of argument until they agree, are stuck or run out of rounds."""
