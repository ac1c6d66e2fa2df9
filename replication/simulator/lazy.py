"""Libraries and kernels that take long to import, loaded when first used: the one place where that is done.

``from replication.simulator.lazy import pandas as pd`` costs nothing until ``pd`` is asked for something, so a
command pays only for what it needs.
"""

import importlib


class lazily:
    """Stands for the module `name`, which is imported when one of its attributes is first asked for.

    Schedulers take their kernels in this way: reading the compiler takes longer than most simulations.
    """

    def __init__(self, name):
        self._name = name

    def __getattr__(self, attribute):
        return getattr(importlib.import_module(self._name), attribute)

    def __repr__(self):
        return f"<{self._name}, imported when it is used>"


cycler = lazily("cycler")
distributed = lazily("distributed")
figures = lazily("matplotlib.figure")
images = lazily("PIL.Image")
jinja2 = lazily("jinja2")
kernel_failures = lazily("nbclient.exceptions")
kernels = lazily("jupyter_client.manager")
matplotlib_style = lazily("matplotlib.style")
nbformat = lazily("nbformat")
pandas = lazily("pandas")
patches = lazily("matplotlib.patches")
papermill = lazily("papermill")
picture_files = lazily("PIL.PngImagePlugin")
psutil = lazily("psutil")
pyarrow = lazily("pyarrow")
pyplot = lazily("matplotlib.pyplot")
seaborn = lazily("seaborn")
stats = lazily("scipy.stats")
ticker = lazily("matplotlib.ticker")
tqdm = lazily("tqdm")
