"""Top Percent (Lamar et al., HPEC 2020)."""
