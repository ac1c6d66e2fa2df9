"""Simulate parallel job schedulers: workloads, schedulers, schedules, measures and sweeps."""
