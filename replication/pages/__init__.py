"""The page of a notebook: its parameters, its outputs, its record, and how it is run."""
