"""Reports: figures read from a store, never from a running model, and their views."""
