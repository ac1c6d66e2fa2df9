"""Small logs with the schedules that a scheduler must produce, and audits of any schedule.

Only the standard library is needed, from Python 3.9 on.
"""

__version__ = "1.1"
