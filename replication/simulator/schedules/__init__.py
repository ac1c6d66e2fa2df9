"""Finished schedules: the jobs with their starts, measures, audits, observations and
Gantt charts.
"""
