"""Batch systems' accounting logs turned into traces."""
