"""Computations behind the tables and figures, a package for each paper; the notebooks explain them."""
