"""Council: drafts, blind rankings of the others', and one who writes from both."""
