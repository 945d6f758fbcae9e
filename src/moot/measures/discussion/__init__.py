"""Discussions: what each protocol reached, how long it took, what it cost, and what varying did."""
