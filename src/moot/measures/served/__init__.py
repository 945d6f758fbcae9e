"""What a served team was asked: how much of it is graded, how right that was, and whether it is still what was measured."""
