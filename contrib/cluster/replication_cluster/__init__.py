"""Convert accounting logs to SWF, and report how other schedulers would have treated the jobs of a
cluster.
"""
