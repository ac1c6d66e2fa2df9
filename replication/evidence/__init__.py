"""Published values and sentences laid beside ours: comparison, claims, readings, robustness, verdicts."""
