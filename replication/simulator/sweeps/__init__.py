"""Many simulations: grids of choices, stored results and comparisons."""
