"""Controls in rows, each with its name, that tell a choice as plain values."""

import math

import ipywidgets

from replication.explore import model
from replication.logs import traces
from replication.schedule import text
from replication.schedulers import Scheduler

NARROW, WIDE = "170px", "250px"


def labelled(kind, name, width=NARROW, **given):
    """A control with its name before it."""
    return kind(
        description=name, style={"description_width": "initial"}, layout={"width": width}, **given
    )


def row(*parts):
    """Controls beside each other, on several lines where the page is narrow."""
    return ipywidgets.HBox(parts, layout={"flex_flow": "row wrap"})


class Side:
    """The controls of one side: scheduler, predictor, estimates and f."""

    def __init__(self, name, choice):
        self.scheduler = labelled(
            ipywidgets.Dropdown, name, options=text.names(Scheduler), value=choice.scheduler
        )
        self.predictor = labelled(
            ipywidgets.Dropdown,
            "predictor",
            "210px",
            options=model.PREDICTORS,
            value=choice.predictor or model.PREDICTORS[0],
        )
        self.model = labelled(
            ipywidgets.Dropdown, "estimates", WIDE, options=list(model.MODELS), value=choice.model
        )
        self.f = labelled(
            ipywidgets.BoundedFloatText, "f", "110px", value=choice.f, min=0, max=10_000, step=0.1
        )
        self.controls = (self.scheduler, self.predictor, self.model, self.f)
        self.row = row(*self.controls)
        self.enable()

    @property
    def choice(self):
        """What is chosen, a `replication.explore.model.Choice`."""
        predictor = self.predictor.value if self.predictor.value != model.PREDICTORS[0] else ""
        return model.Choice(self.scheduler.value, predictor, self.model.value, self.f.value)

    def enable(self):
        """Switch off what the scheduler or the model does not have."""
        self.predictor.disabled = not self.choice.takes_predictor
        self.f.disabled = not self.choice.takes_f


class Log:
    """The controls that say which jobs: log (a path is added to the registry's names), first job,
    how many, load, seed.
    """

    def __init__(self, log):
        names = traces.names()
        self.log = labelled(
            ipywidgets.Dropdown, "log", WIDE, options=names + [log] * (log not in names), value=log
        )
        self.first = labelled(ipywidgets.BoundedIntText, "from job", "160px", value=1, min=1)
        self.count = labelled(ipywidgets.BoundedIntText, "jobs", "150px", value=1, min=1)
        self.load = labelled(
            ipywidgets.BoundedFloatText, "load %", "130px", min=1, max=200, step=1, value=50
        )
        self.seed = labelled(ipywidgets.BoundedIntText, "seed", "110px", value=1, min=0, max=10**6)
        self.controls = (self.log, self.first, self.count, self.load, self.seed)
        self.row = row(*self.controls)
        self.fill()

    def fill(self):
        """Set everything to the whole log as it is."""
        jobs, load = model.size_of(self.log.value)
        self.first.max = self.count.max = jobs
        self.first.value, self.count.value = 1, jobs
        self.load.value = round(100 * load, 2) if math.isfinite(load) else 50

    @property
    def own_load(self):
        """The chosen jobs' own load in percent, as the control would say it."""
        return round(100 * model.workload(self.plain).load, 2)

    @property
    def plain(self):
        """The chosen jobs at their own load, a `replication.explore.model.Jobs`."""
        count = min(self.count.value, self.first.max - self.first.value + 1)
        return model.Jobs(
            self.log.value, self.first.value, None if count == self.first.max else count
        )

    @property
    def jobs(self):
        """The chosen jobs, scaled where the control says another load than their own."""
        plain = self.plain
        if self.load.value == self.own_load:
            return plain
        return model.Jobs(plain.log, plain.first, plain.count, self.load.value / 100)
