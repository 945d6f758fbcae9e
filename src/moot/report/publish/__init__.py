"""A folder for any web space: a leaderboard over many runs, each with its report and all that is needed to repeat it."""
