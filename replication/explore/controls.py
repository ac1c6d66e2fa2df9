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


def menu(name, options, value, width=NARROW):
    """A choice of one from a list."""
    return labelled(ipywidgets.Dropdown, name, width, options=options, value=value)


def whole(name, width, least=1, most=1, value=1, **given):
    """A whole number within limits."""
    kind = ipywidgets.BoundedIntText
    return labelled(kind, name, width, value=value, min=least, max=most, **given)


def row(*parts):
    """Controls beside each other, on several lines where the page is narrow."""
    return ipywidgets.HBox(parts, layout={"flex_flow": "row wrap"})


class Side:
    """The controls of one side: scheduler, predictor, estimates and f."""

    def __init__(self, name, choice):
        own = model.PREDICTORS[0]
        self.scheduler = menu(name, text.names(Scheduler), choice.scheduler)
        self.predictor = menu("predictor", model.PREDICTORS, choice.predictor or own, "210px")
        self.model = menu("estimates", list(model.MODELS), choice.model, WIDE)
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
        self.log = menu("log", names + [log] * (log not in names), log, WIDE)
        self.first, self.count = whole("from job", "160px"), whole("jobs", "150px")
        self.load = labelled(
            ipywidgets.BoundedFloatText, "load %", "130px", min=1, max=200, step=1, value=50
        )
        self.seed = whole("seed", "110px", 0, 10**6)
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
