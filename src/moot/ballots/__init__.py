"""Ballots: pure functions from votes to winners. Ties come back as ties; who breaks them is not a ballot's business."""
