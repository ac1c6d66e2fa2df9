"""The two tools of the explorer notebook: `Stepper` and `Explorer`."""

from html import escape

import ipywidgets
import numpy as np

from replication.explore import model, pictures, steps
from replication.explore.model import DAY
from replication.simulator.logs import registry

LENGTHS = {"6 hours": DAY // 4, "1 day": DAY, "2 days": 2 * DAY, "4 days": 4 * DAY}
LENGTHS |= {"1 week": 7 * DAY, "2 weeks": 14 * DAY, "4 weeks": 28 * DAY, "all": None}
WORKING = (
    "Simulating … (a choice that was never used on this machine is compiled first: some seconds)"
)


def control(kind, name, width, **given) -> ipywidgets.Widget:
    """Return a control with its name before it."""
    style, layout = {"description_width": "initial"}, {"width": f"{width}px"}
    return kind(description=name, style=style, layout=layout, **given)


def menu(name, width, options, **given) -> ipywidgets.Widget:
    """Return a menu; where options come with explanations, that of the chosen one is the tool-tip."""
    box = control(ipywidgets.Dropdown, name, width, options=list(options), **given)
    if isinstance(options, dict):
        box.tooltip = options[box.value][1]
        box.observe(lambda change: box.set_trait("tooltip", options[change.new][1]), "value")
    return box


class _Tool:
    """Controls, below them an explanation, and a picture."""

    def __init__(self, picture, rows):
        self.picture, self.text, self.busy = picture, ipywidgets.HTML(), True
        self.open()
        self.canvas = pictures.Canvas(picture.figure)
        rows = [ipywidgets.HBox(row, layout={"flex_flow": "row wrap"}) for row in rows]
        self.box = ipywidgets.VBox([*rows, self.text, self.canvas])
        self.busy = False

    def _repr_mimebundle_(self, **options):
        return self.box._repr_mimebundle_(**options)

    def say(self, *lines) -> None:
        """Show an explanation of up to four lines."""
        lines = "<br>".join(escape(line) for line in lines)
        self.text.value = f"<div style='line-height:20px; min-height:80px'>{lines}</div>"

    def watch(self, act, *controls, name="value") -> None:
        """Call `act` and draw when a control changes, unless the tool itself changes it; show its ValueErrors."""

        def on_change(change):
            if not self.busy:
                self.busy = True
                try:
                    act()
                    self.canvas.draw(self.picture.figure)
                except ValueError as error:
                    self.say(str(error), "The picture is unchanged.")
                finally:
                    self.busy = False

        for part in controls:
            part.observe(on_change, name)


class Explorer(_Tool):
    """Two schedules of one log above each other.

    Parameters
    ----------
    log : str
        A registered name, or the path of an SWF file.
    schedulers : dict of str to Scheduler, optional
        Schedulers of your own by name. The menus list them, and the first is B.
    """

    def __init__(self, log="KTH-SP2", schedulers=None):
        self.own = dict(schedulers or {})
        known = model.SCHEDULERS | {name: (one, repr(one)) for name, one in self.own.items()}
        self.log = menu("log", 190, dict.fromkeys([*registry.names(), log], ("", "")), value=log)
        number, slider = ipywidgets.BoundedFloatText, ipywidgets.FloatSlider
        self.load = control(number, "load %", 120, min=1, max=1000, step=1)
        self.load.tooltip = "offered load: work of all jobs over the capacity of the machine"
        self.since = control(slider, "from day", 330, max=1, step=0.25, continuous_update=False)
        self.length = menu("show", 130, [*LENGTHS], value="2 days")
        self.sides = [
            {
                "scheduler": menu(name, 190, known, value=scheduler),
                "predictor": menu("predictor", 270, model.PREDICTORS),
                "estimates": menu("estimates", 250, model.ESTIMATES),
                "f": control(number, "f", 90, max=10_000, step=0.1, value=1),
            }
            for name, scheduler in (("A", "EASY"), ("B", next(iter(self.own), "PV-EASY")))
        ]
        first = [self.log, self.load, self.since, self.length]
        a, b = ([*side.values()] for side in self.sides)
        super().__init__(pictures.Comparison(), [first, a, b])
        self.watch(self.open, self.log)
        self.watch(self.simulate, self.load, *a, *b)
        self.watch(self.show, self.since, self.length)
        self.watch(self.point, self.canvas, name="mouse")

    def open(self) -> None:
        """Show the busiest window of the log that was chosen."""
        self.say(f"Reading {self.log.value} …")
        load = model.workload(self.log.value).load
        self.load.disabled = not np.isfinite(load)
        self.load.value = self.own_load = 100 if self.load.disabled else round(100 * load, 2)
        self.simulate(busiest=True)

    def view(self, **choice) -> model.View:
        """Simulate the log under a choice, see `replication.explore.model.view`."""
        load = None if self.load.value == self.own_load else self.load.value / 100
        own = self.own.get(choice.get("scheduler"))
        return model.view(self.log.value, load, **choice, own=own)

    def simulate(self, busiest=False) -> None:
        """Simulate both sides and draw them, in the busiest window or in that of before."""
        self.say(WORKING)
        self.views = [
            self.view(**{name: part.value for name, part in side.items()}) for side in self.sides
        ]
        for side in self.sides:
            side["f"].disabled = "f + 1" not in side["estimates"].value
        self.first = int(self.views[0].schedule.workload.submit[0])
        self.last = max(int(view.schedule.end.max()) for view in self.views)
        self.since.max = max(self.since.max, self.last / DAY)
        self.since.min, self.since.max = self.first / DAY // 0.25 * 0.25, self.last / DAY
        if busiest:
            self.since.value = self.views[0].busiest(LENGTHS[self.length.value] or 2 * DAY) / DAY
        self.show()

    @property
    def seconds(self) -> int:
        """Length of the window, s."""
        return LENGTHS[self.length.value] or self.last - self.first + 1

    def show(self) -> None:
        """Draw the window."""
        since = self.first if self.length.value == "all" else round(self.since.value * DAY)
        self.picture.show(self.views, since, since + self.seconds)
        self.summarize()

    def summarize(self) -> None:
        """Explain the picture as a whole, with no job marked."""
        self.picture.mark(None)
        lines = [f"{name} · {view.summary}" for name, view in zip("AB", self.views, strict=True)]
        stand_in = self.views[0].schedule.workload.stand_in
        warning = "Stand-in jobs: generated, they prove nothing. " * stand_in
        hint = "Point at a job to see it in both schedules."
        if any((boxes.job < 0).any() for boxes in self.picture.boxes):
            hint = "Too many jobs to see: processors in use by kind. Choose a shorter time to see jobs."
        self.say(*lines, model.differences(*(v.schedule for v in self.views)), warning + hint)

    def point(self) -> None:
        """Mark the job at the mouse in both schedules and explain it."""
        job = None
        if self.canvas.mouse:
            panel, day, processor = self.canvas.mouse
            job = self.picture.job_at(panel - 1, day, processor)
        if job is None:
            return self.summarize()
        self.picture.mark(job)
        w = self.views[0].schedule.workload
        day, hours = w.submit[job] / DAY, w.run_time[job] / 3600
        line = f"submitted on day {day:,.2f}, run time {hours:,.2f} h"
        lines = [
            f"{name} · {view.describe(job)}" for name, view in zip("AB", self.views, strict=True)
        ]
        self.say(f"Job {w.job_id[job]}: {steps.processors(w.processors[job])}, {line}", *lines)


class Stepper(_Tool):
    """EASY decision by decision: heel-and-toe's Fig. 8, or the window of an `Explorer`."""

    def __init__(self, explorer=None):
        self.explorer = explorer
        scenes = [(f"six jobs, {name}", name) for name in steps.BADNESS]
        scenes += [("the window of the log below", "log")] * (explorer is not None)
        self.source = menu("", 235, scenes, value="F = 2")
        self.step = control(ipywidgets.IntSlider, "decision", 300, min=1, max=1)
        buttons = []
        for name, tip, way, backfills in (
            ("← back", "one decision back", -1, False),
            ("next →", "one decision on", 1, False),
            ("⇤", "the backfill before", -1, True),
            ("⇥", "the next backfill", 1, True),
        ):
            layout = {"width": "45px" if backfills else "75px"}
            button = ipywidgets.Button(description=name, tooltip=tip, layout=layout)
            button.on_click(lambda button, to=(way, backfills, tip): self.go(*to))
            buttons.append(button)
        super().__init__(pictures.Decision(), [[self.source, *buttons, self.step]])
        self.watch(self.open, self.source)
        self.watch(self.show, self.step)
        if explorer is not None:
            self.watch(lambda: self.source.value == "log" and self.open(), explorer.since)

    def open(self) -> None:
        """Start the walk that is chosen, at the first decision with a blocked head."""
        source = self.source.value
        self.walk = self.of_log() if source == "log" else steps.six_jobs(source)
        self.picture.open(self.walk)
        kinds = [moment.sight.kind for moment in self.walk.moments]
        self.backfills = [1 + k for k, kind in enumerate(kinds) if kind == "backfilled"]
        self.step.max = len(kinds)
        self.step.value = 1 + (kinds.index("reserved") if "reserved" in kinds else 0)
        self.show()

    def of_log(self) -> steps.Walk:
        """Return the walk of EASY from the start of the explorer's window on, with the estimates of A."""
        a = self.explorer.sides[0]
        view = self.explorer.view(estimates=a["estimates"].value, f=a["f"].value)
        return steps.of_log(view.schedule, round(self.explorer.since.value * DAY))

    def show(self) -> None:
        """Draw the decision that is chosen."""
        self.say(*self.walk.sentences(self.step.value - 1))
        self.picture.show(self.step.value - 1)

    def go(self, way, backfills, tip) -> None:
        """Move to the nearest decision or backfill on one side (-1 or 1), or explain that there is none."""
        at, places = self.step.value, self.backfills if backfills else range(1, self.step.max + 1)
        ahead = [place for place in places if (place - at) * way > 0]
        if ahead:
            self.step.value = min(ahead, key=lambda place: abs(place - at))
        else:
            self.say(*self.walk.sentences(at - 1), f"There is no such decision: {tip}.")
