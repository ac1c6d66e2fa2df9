"""The explorer: simulations looked at and walked through in JupyterLab (``notebooks/explore.ipynb``).

`model` and `steps` hold the numbers, `pictures` and `step_pictures` make scenes of them, `canvas` and `still`
draw a scene, `widgets` puts controls around it. Only `controls`, `canvas` and `widgets` know of widgets.
"""

from replication.basics.lazy import lazily

_widgets = lazily("replication.explore.widgets")


def __getattr__(name):
    if name in ("Explorer", "Stepper"):
        return getattr(_widgets, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
