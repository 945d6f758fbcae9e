"""Summarisers: order and shown accuracies side by side, and how right one is with so many right labels."""
