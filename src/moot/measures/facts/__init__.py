"""The run's facts that are needed to play it again."""
