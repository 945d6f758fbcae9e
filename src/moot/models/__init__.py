"""Models: what answers, and what wraps what answers. The seam is `model.Model`."""
