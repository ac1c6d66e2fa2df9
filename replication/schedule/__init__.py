"""Workload in, schedule out: simulated, measured, audited, drawn, written."""
