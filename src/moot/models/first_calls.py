"""How carefully an endpoint is asked of which nothing is known yet: whether its key is taken, whether anybody listens."""

FIRST_CALLS = 4
"""Under way at once until it is known."""

PATIENCE_S = 2.0
"""How long the others wait for that: a refusal comes at once, while a model may think for minutes."""
