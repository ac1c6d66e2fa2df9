"""Converters from accounting logs to SWF, and a report on how other schedulers would have treated a cluster's jobs.

`case.load` prepares a log, `study.study` simulates it, `replay` compares the replay with the log, `advice` states a
recommendation by the rules of ``docs/rules.md``, and `report.Report` writes a page.
"""
