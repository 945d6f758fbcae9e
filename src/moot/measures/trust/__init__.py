"""How far an answer can be trusted: the probability that it is right, and what the surest answers are worth."""
