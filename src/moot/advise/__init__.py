"""Which team, by which rule? Searched on one part of the drafts that are there, claimed on another. Nobody is asked."""
