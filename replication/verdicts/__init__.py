"""Published values and claims, our evidence on them, and the rules of verdicts."""
