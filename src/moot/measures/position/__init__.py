"""Position bias: whether it matters where a draft or an option stands."""
