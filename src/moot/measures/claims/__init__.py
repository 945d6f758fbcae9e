"""What the run as a whole may claim: the headline, the hypotheses, the frontier, and what it could have seen."""
