"""The experiment file and its plan: from what a user wrote to checked cells, before any call is made."""
