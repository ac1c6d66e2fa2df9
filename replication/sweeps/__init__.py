"""Many simulations: workloads, loads, schedulers, estimates and seeds go in, one tidy table comes out.

`grid` makes the tasks and the table, `cell` is the compiled engine of EASY, and `kept` keeps each task's rows.
"""
