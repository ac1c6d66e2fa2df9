"""A cluster's own log replayed: a log in, how near the replay is to it, and advice where it is near enough, out.

`log.load` makes the case, `study.study` simulates it, `replay` holds it against the log, `advice` puts it into words by
the rules of ``docs/cluster.md``, and `report.Report` draws the two pages.
"""
