"""Studies that none of the papers did, in the same form: notebooks of their own, rules written down first."""
