"""The engine past one machine: questions dealt out to workers of a Ray cluster."""
