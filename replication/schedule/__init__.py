"""Workload in, schedule out: simulated, compared, measured, audited, drawn, written.

``simulate(workload, scheduler, estimates, seed)`` gives a `Schedule`; ``compare`` lays several side by side.
Text forms of choices are read in `replication.schedule.text`, for the shell and the explorer.
"""
