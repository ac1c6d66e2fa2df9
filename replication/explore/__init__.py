"""The explorer: simulations looked at and walked through in JupyterLab (``notebooks/explore.ipynb``).

`model` and `steps` hold the numbers, `pictures` and `step_pictures` make scenes of them, `scene` draws one, in the page
or with matplotlib, and `widgets` puts controls around it.
"""

from replication.explore.widgets import Explorer, Stepper

__all__ = ["Explorer", "Stepper"]
