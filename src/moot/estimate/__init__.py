"""What a run would take, before it runs."""
