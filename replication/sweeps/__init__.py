"""Many simulations: grids, kept results, engines."""
