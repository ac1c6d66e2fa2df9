"""What every room needs: where files are, how they are written, how figures look, seeds, near names."""
