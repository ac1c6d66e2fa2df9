"""Finished schedules: jobs with their starts, measures, intervals over weeks, Gantt charts."""
