"""Finished schedules: jobs with their starts, measures, audits, observations, Gantt charts."""
