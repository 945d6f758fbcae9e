"""Reading comprehension: F1 and exact match."""
