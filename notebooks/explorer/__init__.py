"""The interactive explorer of ``notebooks/explore.ipynb``.

`model` holds the choices and the simulated schedules, `steps` the decisions of EASY one by one,
`pictures` draws both with Plotly, and `widgets` adds the controls. Only the last two need the
packages of the extra ``lab``. `decisions` is textbook EASY in Python, one decision at a time.
"""
