"""A cluster's own log replayed under other schedulers."""
