"""Convert accounting records of batch systems to SWF, with every record accounted for."""
