"""Published values, the rules of verdicts, intervals, placebos, and variants of what papers leave
open.
"""
