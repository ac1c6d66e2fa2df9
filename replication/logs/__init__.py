"""Job logs: found, fetched, read, cleaned, and turned into a `Workload`; stand-ins where a log is not to be had."""
