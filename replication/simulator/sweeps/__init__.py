"""Many simulations: grids of choices, engines, stored results and comparisons."""
