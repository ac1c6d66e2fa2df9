"""The two tools of the explorer notebook: `Stepper` and `Explorer`."""

import time
from contextlib import contextmanager
from html import escape

import ipywidgets

from replication.explore import controls, model, pictures, step_pictures, steps, still
from replication.explore.canvas import Canvas

LENGTHS = {
    "6 hours": 21600,
    "1 day": 86400,
    "2 days": 172800,
    "4 days": 345600,
    "1 week": 604800,
    "2 weeks": 1209600,
    "4 weeks": 2419200,
    "all": None,
}
OPENING = "2 days"


class _Tool:
    """A box of controls with a canvas, that is drawn anew at every change."""

    def __init__(self, canvas, parts):
        self.canvas, self.took = canvas, 0.0
        self.message = ipywidgets.HTML()
        self.box = ipywidgets.VBox([*parts, self.message, canvas])
        self._quiet = False

    def _repr_mimebundle_(self, **options):
        return self.box._repr_mimebundle_(**options)

    def still(self):
        """What is shown now as a matplotlib figure, for where no widget runs."""
        return still.draw(self.canvas.scene)

    def watch(self, parts, act):
        """Call `act(control)` when one of the controls changes, unless the tool itself changes it."""
        for part in parts:
            part.observe(
                lambda change: None if self._quiet else self._timed(act, change["owner"]), "value"
            )

    def _timed(self, act, control):
        began = time.perf_counter()
        try:
            act(control)
        except ValueError as error:  # what was chosen cannot be: one line, and the picture stays
            self.message.value = f"<b>{escape(str(error))}</b>"
        self.took = 1000 * (time.perf_counter() - began)

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
        self.source = controls.menu("scene", scenes, "F = 2", "330px")
        self.first = controls.whole("job", "130px", most=10**7, disabled=True)
        self.step = controls.whole("step", "120px")
        back, on = (
            ipywidgets.Button(description=words, tooltip=tip, layout={"width": "130px"})
            for words, tip in (
                ("← back", "one decision back (left arrow)"),
                ("next →", "one decision on (right arrow)"),
            )
        )
        super().__init__(
            Canvas(self.KEYS), [controls.row(self.source, self.first, back, on, self.step)]
        )
        self.watch([self.source, self.first], lambda control: self.open())
        self.watch([self.step], lambda control: self.show())
        back.on_click(lambda button: self.key("ArrowLeft"))
        on.on_click(lambda button: self.key("ArrowRight"))
        self.canvas.on_key(self.key)
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
        chosen = self.explorer.log.jobs
        with self.quiet():
            self.first.max = self.explorer.log.first.max
        jobs = model.Jobs(chosen.log, self.first.value, 300, chosen.load)
        return steps.of_log(jobs, self.explorer.sides[0].choice, self.explorer.log.seed.value)

    def show(self):
        """Draw the decision that is chosen."""
        number = self.step.value - 1
        self.canvas.show(self.picture.scene(number), "\n".join(steps.words(self.walk, number)))
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
        }[key]
        self.step.value = min(max(to, 1), len(moments))


class Explorer(_Tool):
    """Two schedules of one log side by side, drawn anew at every change of a control.

    Keys, when the picture has the focus: left and right move the window by a quarter, plus and minus zoom,
    home and end go to the ends of the log. That is a name of the registry, or a path to an SWF file.
    """

    KEYS = ("ArrowLeft", "ArrowRight", "+", "-", "Home", "End")

    def __init__(self, log="KTH-SP2"):
        self.log = controls.Log(log)
        self.sides = (
            controls.Side("left", model.Choice()),
            controls.Side("right", model.Choice("pv-easy")),
        )
        window = {"min": 0, "max": 1, "step": 0.25, "readout_format": ".2f"}
        self.since = controls.labelled(ipywidgets.FloatSlider, "from day", "560px", **window)
        self.length = controls.menu("show", list(LENGTHS), OPENING)
        rows = [self.log.row, *(side.row for side in self.sides)]
        super().__init__(Canvas(self.KEYS), [*rows, controls.row(self.since, self.length)])
        self.watch([self.log.log], lambda control: self.another_log())
        self.watch([self.log.first, self.log.count], lambda control: self.other_jobs())
        others = [*self.log.controls[3:], self.since, self.length]
        for part in (others, *(side.controls for side in self.sides)):
            self.watch(part, lambda control: self.show())
        self.canvas.on_key(self.key)
        self.canvas.observe(lambda change: self.tell(), "pointer")
        self.other_jobs()

    def another_log(self):
        """Set the controls to a log that was just chosen, and draw."""
        with self.quiet():
            self.log.fill()
        self.other_jobs()

    def other_jobs(self):
        """Set load and window to the jobs that were just chosen, and draw."""
        jobs = model.workload(self.log.plain)
        if jobs.span:
            with self.quiet():
                self.log.load.value = self.log.own_load
        self.show(home=True)

    def show(self, home=False):
        """Draw what is chosen; `home` moves the window to the first job."""
        for side in self.sides:
            side.enable()
        jobs, choices = self.log.jobs, [side.choice for side in self.sides]
        seen = [model.side(jobs, choice, self.log.seed.value) for choice in choices]
        self.schedules = [one.schedule for one in seen]
        w = self.schedules[0].workload
        first, last = int(w.submit[0]), max(int(found.end.max()) for found in self.schedules)
        self._fit(first / 86400, last / 86400, home)
        length = LENGTHS[self.length.value] or last - first + 1
        since = first if self.length.value == "all" else round(self.since.value * 86400)
        self.canvas.show(pictures.comparison(seen, since, length), self._measures())
        self.message.value = "<b>Stand-in jobs: generated, they prove nothing.</b>" * w.stand_in

    def _fit(self, first, last, home):
        """Let the slider reach from the first job to the last end."""
        with self.quiet():
            self.since.max = max(self.since.max, last)
            self.since.min, self.since.max = first // 0.25 * 0.25, last
            if home:
                self.since.value = self.since.min

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
        pointed = self.canvas.pointed()
        if pointed is None:
            self.canvas.tip = self._measures()
        else:
            _, job = pointed
            self.canvas.tip = "\n".join(
                f"{name}: {model.tell(found, job)}"
                for name, found in zip(("Left", "Right"), self.schedules, strict=True)
            )

    def key(self, key):
        """Do what a key asks for."""
        names = list(LENGTHS)
        place = names.index(self.length.value)
        quarter = (LENGTHS[self.length.value] or 0) / 86400 / 4
        if key in "+-":
            self.length.value = names[
                min(max(place + (1 if key == "-" else -1), 0), len(names) - 1)
            ]
        else:
            to = {
                "ArrowLeft": self.since.value - quarter,
                "ArrowRight": self.since.value + quarter,
                "Home": self.since.min,
                "End": self.since.max - 4 * quarter,
            }[key]
            self.since.value = min(max(to, self.since.min), self.since.max)
