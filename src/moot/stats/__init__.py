"""Pure mathematics: intervals, tests, ranks, power, choosing without the winner's curse. Knows nothing of models or stores."""
