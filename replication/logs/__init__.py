"""Job logs: found, fetched, read, cleaned, and turned into a `Workload`; stand-ins where a log is not to be had.

In goes a name of the registry (`traces`, `archive`), an SWF file (`swf`), a batch system's accounting (`accounting`) or
a table of jobs (`tables`); all are read in pieces and within limits (`files`). Out comes a `Trace`, the log as it stands,
and by the rules of `cleaning` a `workload.Workload`: what was left out or changed is counted, never dropped in silence.
"""
