"""The Standard Workload Format: job logs as typed columns, read and written.

A file is lines of 18 numbers separated by blanks, and comments that begin with a semicolon; those in front are the header
(``; Label: value``). It may be gzipped. What is taken and what is refused stands in docs/formats.md.

Lines are read by a compiled kernel. pandas' C parser without any of the checks takes 1.3, 1.2 and 1.15 times as long
for KTH, CTC and SDSC-BLUE, after 0.4 s for importing it.

Sources: Chapin et al., "Benchmarks and standards for the evaluation of parallel job schedulers", JSSPP 1999;
version 2.2 of the format in the Parallel Workloads Archive.
"""

from replication.simulator.swf.reading import BAD_LINES, KINDS, read
from replication.simulator.swf.trace import DECIMAL, FIELDS, KNOWN, SWFError, Trace, write

__all__ = ["BAD_LINES", "DECIMAL", "FIELDS", "KINDS", "KNOWN", "SWFError", "Trace", "read", "write"]
