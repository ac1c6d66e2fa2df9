"""Workloads: SWF files, cleaning, the registry of logs, synthetic and resampled jobs."""
