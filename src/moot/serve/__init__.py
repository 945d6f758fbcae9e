"""Servers: a chosen team behind an OpenAI-compatible endpoint, and simulated models to try things on."""
