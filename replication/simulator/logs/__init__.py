"""Workloads: SWF files, cleaning, the registry of logs, and synthetic jobs."""
