"""Top Percent (Lamar et al., CLUSTER 2021)."""
