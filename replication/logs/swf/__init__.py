"""The Standard Workload Format: job logs as typed columns, read and written.

A file is lines of 18 numbers separated by blanks, and comments that begin with a semicolon; those in front
are the header (``; Label: value``). It may be gzipped. What is taken and what is refused:

* A field is a whole number of at most 18 digits. Average CPU time, used and requested memory may have
  decimals. ``12.00`` in another field is taken as 12 and counted; a real fraction there is an error.
* ``-1`` means unknown. Other negative values are taken as that and counted; but job number and submission must
  be known, and a status is -1 or not negative.
* Exponents, plus signs, NaN, infinities and anything stuck to a number are errors.
* CRLF, blank lines and comments between the jobs are taken and counted.
* Submissions out of order are counted and put in order, those of an instant staying as they were.
* A job number used twice is an error.
* A log whose first job has more than 18 columns is read for the 18 of the format; all its lines must have as many.
* Errors in a line count: by default the log is refused with the number of such lines by kind, and
  ``bad_lines="skip"`` leaves them out and keeps the counts.
* A file has limits: decompressed bytes and their ratio to the packed ones, bytes of a line, comments.

Lines are read by a compiled kernel. pandas' C parser without any of the checks takes 1.3, 1.2 and 1.15 times as long
for KTH, CTC and SDSC-BLUE, after 0.4 s for importing it.

Sources: Chapin et al., "Benchmarks and standards for the evaluation of parallel job schedulers", JSSPP 1999;
version 2.2 of the format in the Parallel Workloads Archive.
"""

from replication.logs.swf.reading import BAD_LINES, KINDS, read
from replication.logs.swf.trace import DECIMAL, FIELDS, KNOWN, SWFError, Trace, write

__all__ = ["BAD_LINES", "DECIMAL", "FIELDS", "KINDS", "KNOWN", "SWFError", "Trace", "read", "write"]
