"""Accounting logs of batch systems: in goes what sacct, TORQUE or PBS wrote, out comes a trace and an account of it."""
