"""What a quiz team's play amounts to: its captains, its skyline, its disagreements, and people beside it."""
