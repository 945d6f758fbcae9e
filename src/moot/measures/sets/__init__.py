"""Several sets of questions in one experiment: each, groups of them, and their mean."""
