"""Simulated models, and the server that plays them with latency and faults on order."""
