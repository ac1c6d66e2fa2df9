"""The explorer: simulations looked at and walked through in JupyterLab (``notebooks/explore.ipynb``).

`model` and `steps` hold the numbers, `pictures` and `step_pictures` make scenes of them, `canvas` and `still`
draw a scene, `widgets` puts controls around it. Only `controls`, `canvas` and `widgets` know of widgets.
"""


def __getattr__(name):
    if name in ("Explorer", "Stepper"):
        from replication.explore import widgets

        return getattr(widgets, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
