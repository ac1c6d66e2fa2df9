"""The explorer: simulations looked at and walked through in JupyterLab (``notebooks/explore.ipynb``).

`model` and `steps` hold the numbers, `pictures` and `step_pictures` make scenes of them, `canvas` and `still`
draw a scene, `widgets` puts controls around it. Only `canvas` and `widgets` know of widgets.
"""

from replication.explore.widgets import Explorer, Stepper

__all__ = ["Explorer", "Stepper"]
