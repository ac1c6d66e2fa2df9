"""The two tools of the explorer notebook, `Stepper` and `Explorer`, and their controls."""

import math
from contextlib import contextmanager
from dataclasses import replace
from html import escape

import ipywidgets

from replication.explore import model, pictures, scene, step_pictures, steps
from replication.simulator import text, traces
from replication.simulator.schedulers import Scheduler

DAY = 86400  # s
LENGTHS = {"6 hours": DAY // 4, "1 day": DAY, "2 days": 2 * DAY, "4 days": 4 * DAY}
LENGTHS |= {"1 week": 7 * DAY, "2 weeks": 14 * DAY, "4 weeks": 28 * DAY, "all": None}


def control(kind, name, width, **given):
    """A control with its name before it."""
    look = {"style": {"description_width": "initial"}, "layout": {"width": f"{width}px"}}
    return kind(description=name, **look, **given)


def menu(name, options, value, width=170):
    """A choice of one from a list."""
    return control(ipywidgets.Dropdown, name, width, options=options, value=value)


def whole(name, width, least=1, most=1, **given):
    """A whole number within limits."""
    kind = ipywidgets.BoundedIntText
    return control(kind, name, width, value=1, min=least, max=most, **given)


def number(name, width, value, least, most, step):
    """A number within limits."""
    kind = ipywidgets.BoundedFloatText
    return control(kind, name, width, value=value, min=least, max=most, step=step)


class Side:
    """The controls of one side: scheduler, predictor, estimates and f."""

    def __init__(self, name, choice):
        self.scheduler = menu(name, text.names(Scheduler), choice.scheduler)
        predictors = [("scheduler's own", ""), *((name, name) for name in model.PREDICTORS)]
        self.predictor = menu("predictor", predictors, choice.predictor, 210)
        self.model = menu("estimates", list(model.MODELS), choice.model, 250)
        self.f = number("f", 110, choice.f, 0, 10_000, 0.1)
        self.controls = (self.scheduler, self.predictor, self.model, self.f)

    @property
    def choice(self):
        """What is chosen, a `replication.explore.model.Choice`; switches off what that does not have."""
        chosen = model.Choice(*(part.value for part in self.controls))
        self.predictor.disabled, self.f.disabled = not chosen.takes_predictor, not chosen.takes_f
        return chosen


class Log:
    """The controls that say which jobs: log (a path is added to the registry's names), first job,
    how many, load, seed.
    """

    def __init__(self, log):
        names = traces.names()
        self.log = menu("log", names + [log] * (log not in names), log, 250)
        self.first, self.count = whole("from job", 160), whole("jobs", 150)
        self.load, self.seed = number("load %", 130, 50, 1, 200, 1), whole("seed", 110, 0, 10**6)
        self.controls = (self.log, self.first, self.count, self.load, self.seed)
        self.fill()

    def fill(self):
        """Choose the whole log."""
        self.first.max = self.count.max = self.count.value = len(model.whole(self.log.value))
        self.first.value = 1

    @property
    def plain(self):
        """The chosen jobs at their own load, a `replication.explore.model.Jobs`."""
        count = min(self.count.value, self.first.max - self.first.value + 1)
        return model.Jobs(self.log.value, self.first.value, count)

    @property
    def own_load(self):
        """The chosen jobs' own load in percent, as the control would say it; nan where all come at once."""
        return round(100 * model.workload(self.plain).load, 2)

    @property
    def jobs(self):
        """The chosen jobs, scaled where the control says another load than their own."""
        own = self.own_load
        same = math.isnan(own) or self.load.value == own
        return self.plain if same else replace(self.plain, load=self.load.value / 100)


class _Tool:
    """A box of controls with a canvas, that is drawn anew at every change."""

    def __init__(self, *rows):
        self.canvas, self.message = scene.Canvas(listens=list(self.KEYS)), ipywidgets.HTML()
        self.canvas.on_key(self.key)
        # On several lines where the page is narrow.
        rows = [ipywidgets.HBox(parts, layout={"flex_flow": "row wrap"}) for parts in rows]
        self.box = ipywidgets.VBox([*rows, self.message, self.canvas])
        self._quiet = False

    def _repr_mimebundle_(self, **options):
        return self.box._repr_mimebundle_(**options)

    def still(self):
        """What is shown now as a matplotlib figure, for where no widget runs."""
        return scene.still(self.canvas.scene)

    def watch(self, act, *parts):
        """Call `act` when one of the controls changes, unless the tool itself changes it."""

        def changed(change):
            if not self._quiet:
                try:
                    act()
                except ValueError as error:  # what was chosen cannot be, and the picture stays
                    self.message.value = f"<b>{escape(str(error))}</b>"

        for part in parts:
            part.observe(changed, "value")

    @contextmanager
    def quiet(self):
        """Let the tool change its own controls without a drawing for each, also where that fails."""
        self._quiet = True
        try:
            yield
        finally:
            self._quiet = False


class Stepper(_Tool):
    """EASY decision by decision; opens with heel-and-toe's Fig. 8.

    Keys, when the picture has the focus: left and right one decision, page up and down to the backfill before
    and after, home and end. A walk through a log takes log, load, seed, and estimates of the left side of an `Explorer`.
    """

    KEYS = ("ArrowLeft", "ArrowRight", "PageUp", "PageDown", "Home", "End")
    LOG = "the explorer's log, 300 jobs from"

    def __init__(self, explorer=None):
        self.explorer = explorer
        scenes = [(f"Fig. 8 of heel and toe, {name}", name) for name in steps.BADNESS]
        scenes += [(self.LOG, self.LOG)] * (explorer is not None)
        self.source = menu("scene", scenes, "F = 2", 330)
        self.first, self.step = whole("job", 130, most=10**7, disabled=True), whole("step", 120)
        buttons = []
        for words, tip, key in (
            ("← back", "one decision back (left arrow)", "ArrowLeft"),
            ("next →", "one decision on (right arrow)", "ArrowRight"),
        ):
            button = ipywidgets.Button(description=words, tooltip=tip, layout={"width": "130px"})
            button.on_click(lambda button, key=key: self.key(key))
            buttons.append(button)
        super().__init__([self.source, self.first, *buttons, self.step])
        self.watch(self.open, self.source, self.first)
        self.watch(self.show, self.step)
        self.open()

    def open(self):
        """Start the walk that is chosen."""
        of_log = self.source.value == self.LOG
        self.first.disabled = not of_log
        self.walk = self._of_log() if of_log else steps.heel_and_toe(self.source.value)
        self.picture = step_pictures.Picture(self.walk)
        # The first decision of interest: a head is blocked.
        kinds = [moment.sight.kind for moment in self.walk.moments]
        with self.quiet():
            self.step.max = len(kinds)
            self.step.value = 1 + (kinds.index("reserved") if "reserved" in kinds else 0)
        self.show()

    def _of_log(self):
        log = self.explorer.log
        with self.quiet():
            self.first.max = log.first.max
        jobs = replace(log.jobs, first=self.first.value, count=300)
        return steps.of_log(jobs, self.explorer.sides[0].choice, log.seed.value)

    def show(self):
        """Draw the decision that is chosen."""
        number = self.step.value - 1
        self.canvas.show(self.picture.scene(number), "\n".join(self.walk.words(number)))
        self.message.value = ""

    def key(self, key):
        """Do what a key asks for."""
        at, moments = self.step.value, self.walk.moments
        passes = [1 + k for k, moment in enumerate(moments) if moment.sight.kind == "backfilled"]
        to = {
            "ArrowLeft": at - 1,
            "ArrowRight": at + 1,
            "Home": 1,
            "End": len(moments),
            "PageUp": max((k for k in passes if k < at), default=at),
            "PageDown": min((k for k in passes if k > at), default=at),
        }
        self.step.value = to[key]


class Explorer(_Tool):
    """Two schedules of one log side by side, drawn anew at every change of a control.

    Keys, when the picture has the focus: left and right move the window by a quarter, plus and minus zoom,
    home and end go to the ends of the log. That is a name of the registry, or a path to an SWF file.
    """

    KEYS = ("ArrowLeft", "ArrowRight", "+", "-", "Home", "End")

    def __init__(self, log="KTH-SP2"):
        self.log = Log(log)
        left, right = self.sides = (
            Side("left", model.Choice()),
            Side("right", model.Choice("pv-easy")),
        )
        window = {"min": 0, "max": 1, "step": 0.25, "readout_format": ".2f"}
        self.since = control(ipywidgets.FloatSlider, "from day", 560, **window)
        self.length = menu("show", list(LENGTHS), "2 days")
        of_window = [self.since, self.length]
        super().__init__(self.log.controls, left.controls, right.controls, of_window)
        self.watch(self.another_log, self.log.log)
        self.watch(self.other_jobs, self.log.first, self.log.count)
        self.watch(
            self.show, self.log.load, self.log.seed, *left.controls, *right.controls, *of_window
        )
        self.canvas.observe(lambda change: self.tell(), "pointer")
        self.other_jobs()

    def another_log(self):
        """Set the controls to a log that was just chosen, and draw."""
        with self.quiet():
            self.log.fill()
        self.other_jobs()

    def other_jobs(self):
        """Set load and window to the jobs that were just chosen, and draw."""
        if not math.isnan(own := self.log.own_load):
            with self.quiet():
                self.log.load.value = own
        self.show(home=True)

    def show(self, home=False):
        """Draw what is chosen; `home` moves the window to the first job."""
        choices = [side.choice for side in self.sides]
        seen = [model.side(self.log.jobs, choice, self.log.seed.value) for choice in choices]
        self.schedules = [one.schedule for one in seen]
        w = self.schedules[0].workload
        first, last = int(w.submit[0]), max(int(found.end.max()) for found in self.schedules)
        with self.quiet():  # the slider reaches from the first job to the last end
            self.since.max = max(self.since.max, last / DAY)
            self.since.min, self.since.max = first / DAY // 0.25 * 0.25, last / DAY
            if home:
                self.since.value = self.since.min
        length = LENGTHS[self.length.value] or last - first + 1
        since = first if self.length.value == "all" else round(self.since.value * DAY)
        self.canvas.show(pictures.comparison(seen, since, length), self._measures())
        self.message.value = "<b>Stand-in jobs: generated, they prove nothing.</b>" * w.stand_in

    def _measures(self):
        lines = []
        for name, found in zip(("Left", "Right"), self.schedules, strict=True):
            m = found.measures
            lines.append(
                f"{name}: mean wait {m['mean_wait'] / 3600:,.2f} h, mean bounded slowdown "
                f"{m['mean_bounded_slowdown']:,.2f}, {m['backfilled']:.1%} backfilled, "
                f"{len(found.killed_runs):,} preemptions."
            )
        return "\n".join([*lines, pictures.gains(*self.schedules)])

    def tell(self):
        """Say which job the mouse points at."""
        job, (left, right) = self.canvas.pointed(), self.schedules
        self.canvas.tip = (
            self._measures()
            if job is None
            else f"Left: {model.tell(left, job)}\nRight: {model.tell(right, job)}"
        )

    def key(self, key):
        """Do what a key asks for."""
        names, quarter = list(LENGTHS), (LENGTHS[self.length.value] or 0) / DAY / 4
        if key in "+-":
            place = self.length.index + (1 if key == "-" else -1)
            self.length.value = names[min(max(place, 0), len(names) - 1)]
        else:
            to = {
                "ArrowLeft": self.since.value - quarter,
                "ArrowRight": self.since.value + quarter,
                "Home": self.since.min,
                "End": self.since.max - 4 * quarter,
            }
            self.since.value = to[key]
