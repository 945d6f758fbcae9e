"""A plan into a store: play, grade, group; on this machine or on a Ray cluster."""
