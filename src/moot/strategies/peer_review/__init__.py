"""Peer review: each player reads its cohort's answers blindly and answers again."""
