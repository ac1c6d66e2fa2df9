"""The two tools of the explorer notebook: `Stepper` and `Explorer`."""

import itertools
import threading
import time
from html import escape

import ipywidgets
import numpy as np

from notebooks.explorer import model, pictures, steps
from notebooks.explorer.model import DAY
from replication.simulator.estimates.models import FEW_WITHOUT_ESTIMATE, MOST_WITHOUT_ESTIMATE
from replication.simulator.logs import registry
from replication.simulator.sweeps import grid

LENGTHS = {"6 hours": DAY // 4, "1 day": DAY, "2 days": 2 * DAY, "4 days": 4 * DAY}
LENGTHS |= {"1 week": 7 * DAY, "2 weeks": 14 * DAY, "4 weeks": 28 * DAY, "all": None}
WORKING = "Simulating … (compiling the kernels, once: about 20 s)"
READY = (
    "Mean of ten seeds of the errors; bands: lowest and highest. "
    "A scheduler without predictions has a flat curve."
)


def control(kind, name, width, **given) -> ipywidgets.Widget:
    """Return a control with its name before it."""
    style, layout = {"description_width": "initial"}, {"width": f"{width}px"}
    return kind(description=name, style=style, layout=layout, **given)


def menu(name, width, options, **given) -> ipywidgets.Widget:
    """Return a menu; where options come with explanations, that of the chosen one is
    the tool-tip.
    """
    box = control(ipywidgets.Dropdown, name, width, options=list(options), **given)
    if isinstance(options, dict):
        box.tooltip = options[box.value][1]
        box.observe(lambda change: box.set_trait("tooltip", options[change.new][1]), "value")
    return box


def row(parts) -> ipywidgets.HBox:
    """Return widgets beside each other, which wrap in a narrow window."""
    return ipywidgets.HBox(parts, layout={"flex_flow": "row wrap"})


def button(name, tip, width) -> ipywidgets.Button:
    """Return a button with a tool-tip."""
    return ipywidgets.Button(description=name, tooltip=tip, layout={"width": f"{width}px"})


class _Tool:
    """Controls, below them an explanation, a picture, and `below` further widgets."""

    below = ()

    def __init__(self, picture, rows):
        self.picture, self.text, self.busy = picture, ipywidgets.HTML(), True
        self.open()
        self.canvas = pictures.Canvas(picture.figure)
        rows = [row(parts) for parts in rows]
        self.shown = ipywidgets.VBox([self.canvas, *self.below])
        self.box = ipywidgets.VBox([*rows, self.text, self.shown])
        self.busy = False

    def _repr_mimebundle_(self, **options):
        return self.box._repr_mimebundle_(**options)

    def say(self, *lines) -> None:
        """Show an explanation of up to four lines."""
        lines = "<br>".join(escape(line) for line in lines)
        self.text.value = f"<div style='line-height:20px; min-height:80px'>{lines}</div>"

    def watch(self, act, *controls, name="value") -> None:
        """Call `act` and draw when a control changes, unless the tool itself changes it; show its
        ValueErrors.
        """

        def on_change(change):
            if not self.busy:
                self.busy = True
                try:
                    act()
                    self.canvas.draw(self.picture.figure)
                    self.canvas.outdated, self.shown.layout.visibility = False, "visible"
                except ValueError as error:
                    # No picture stays that does not belong to the controls.
                    self.shown.layout.visibility = "hidden"
                    self.say(str(error), "There is no picture of this choice.")
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
    schedulers : dict of str to Scheduler or str, optional
        Schedulers of your own by name. The menus list them, and the first is B.
    """

    def __init__(self, log="KTH-SP2", schedulers=None):
        own = (schedulers or {}).items()
        self.own, self.known = {name: model.rp.Scheduler.check(one) for name, one in own}, {}
        known = model.SCHEDULERS | {name: (one, repr(one)) for name, one in self.own.items()}
        self.log = menu("log", 190, dict.fromkeys([*registry.names(), log], ("", "")), value=log)
        number, slider = ipywidgets.FloatText, ipywidgets.FloatSlider
        self.load = control(number, "load %", 120, step=1)
        self.load.tooltip = "offered load: work of all jobs over the capacity of the machine"
        self.since = control(slider, "from day", 330, max=1, step=0.25, continuous_update=False)
        self.length = menu("show", 130, [*LENGTHS], value="2 days")
        self.sides = [
            {
                "scheduler": menu(name, 190, known, value=scheduler),
                "predictor": menu("predictor", 270, model.PREDICTORS),
                "estimates": menu("estimates", 250, model.ESTIMATES),
                "f": control(number, "f", 90, step=0.1, value=1),
            }
            for name, scheduler in (("A", "EASY"), ("B", next(iter(self.own), "PV-EASY")))
        ]
        first = [self.log, self.load, self.since, self.length]
        a, b = ([*side.values()] for side in self.sides)
        self.tools()
        super().__init__(pictures.Comparison(), [first, a, b])
        self.watch(self.open, self.log)
        self.watch(self.simulate, self.load, *a, *b)
        self.watch(self.predict_with_error, self.error, self.bias)
        self.watch(self.show, self.since, self.length)
        self.watch(self.point, self.canvas, name="mouse")
        self.watch(self.pick, self.bars, name="clicked")
        self.save.on_click(lambda _: self.canvas.send({"save": f"{self.log.value}-A-B"}))
        self.watch(self.go_to_next, self.jumps)

    def tools(self) -> None:
        """Make the three tools below the picture."""
        slider = ipywidgets.FloatSlider
        look = {"step": 5, "continuous_update": False, "readout_format": ".0f"}
        self.error = control(slider, "error ± %", 280, max=200, value=20, **look)
        self.bias = control(slider, "bias %", 280, min=-90, max=200, value=0, **look)
        self.bias.tooltip = "by how much all predictions are too long (or too short, below 0)"
        self.state = ipywidgets.HTML()
        self.curve, self.gains = pictures.Curve(), pictures.Gains()
        wide = {"flex": "1 1 320px", "min_width": "300px"}
        self.line = pictures.Canvas(self.curve.figure, layout=wide)
        self.bars = pictures.Canvas(self.gains.figure)
        self.jumps = ipywidgets.IntText(0)  # counts the clicks of `next`
        following = button("job that differs most", "go to it; again: the next one", 190)
        following.on_click(lambda _: self.jumps.set_trait("value", self.jumps.value + 1))
        self.save = button("save the picture", "as PNG", 150)
        self.lines = ipywidgets.Textarea(disabled=True, rows=7, layout={"width": "98%"})
        hint = ipywidgets.HTML("Click a bar to outline its jobs above.")
        left = ipywidgets.VBox([self.error, self.bias, self.state], layout={"width": "300px"})
        tabs = {
            "Better predictions?": [row([left, self.line])],
            "Who gains?": [row([following, hint]), self.bars],
            "Take it with me": [self.save, self.lines],
        }
        boxes = [ipywidgets.VBox(parts) for parts in tabs.values()]
        self.below = [ipywidgets.Tab(boxes, titles=[*tabs])]

    def open(self) -> None:
        """Show the busiest window of the log that was chosen."""
        self.say(f"Reading {self.log.value} …")
        jobs = model.workload(self.log.value)
        load, self.lacking = jobs.load, jobs.without_estimate > MOST_WITHOUT_ESTIMATE
        if self.lacking:
            for side in self.sides:
                side["estimates"].value, side["f"].value = model.RANDOM, 1
        self.load.disabled = not np.isfinite(load)
        self.load.value = self.own_load = 100 if self.load.disabled else round(100 * load, 2)
        self.simulate(busiest=True)

    def scale(self) -> float | None:
        """Return the load that was chosen, as a share, and None for the log's own."""
        return None if self.load.value == self.own_load else round(self.load.value / 100, 10)

    def view(self, **choice) -> model.View:
        """Simulate the log under a choice, see `notebooks.explorer.model.view`."""
        if self.lacking and choice["estimates"].startswith("user estimates"):
            raise ValueError(
                f"{self.log.value} has no user estimates: choose others, such as {model.RANDOM!r}."
            )
        errors = {"error": self.error.value / 100, "bias": self.bias.value / 100}
        own = self.own.get(choice.get("scheduler"))
        return model.view(self.log.value, self.scale(), **choice, **errors, own=own)

    def check(self) -> None:
        """Raise ValueError for a number that cannot be simulated."""
        for name, part, low, high in (
            ("load %", self.load, 1, 100 * grid.HIGHEST_LOAD),
            *(
                (f"f of {name}", side["f"], 0, 10_000)
                for name, side in zip("AB", self.sides, strict=True)
            ),
        ):
            if not (low <= part.value <= high or part is self.load and part.value == self.own_load):
                raise ValueError(f"{name}: {part.value:g}; expected {low} to {high:,.0f}.")

    def predict_with_error(self) -> None:
        """Let both sides predict with the error that was chosen."""
        for side in self.sides:
            side["predictor"].value = model.WITH_ERROR
        self.simulate()

    def simulate(self, busiest=False) -> None:
        """Simulate both sides and draw them, in the busiest window or in that of before."""
        self.task = self.views = None  # ends the computation of the curve
        if hasattr(self, "canvas"):
            self.canvas.outdated = True
        self.check()
        self.say(WORKING)
        self.views = [
            self.view(**{name: part.value for name, part in side.items()}) for side in self.sides
        ]
        for side in self.sides:
            side["f"].disabled = "f + 1" not in side["estimates"].value
        schedules = [view.schedule for view in self.views]
        self.first = int(schedules[0].workload.submit[0])
        self.last = max(int(schedule.end.max()) for schedule in schedules)
        self.since.max = max(self.since.max, self.last / DAY)
        self.since.min, self.since.max = self.first / DAY // 0.25 * 0.25, self.last / DAY
        if busiest:
            self.since.value = self.views[0].busiest(LENGTHS[self.length.value] or 2 * DAY) / DAY
        self.later = schedules[1].start - schedules[0].start
        self.classes = model.classes(schedules[0].workload)
        self.picked, self.visited = np.arange(0), 0
        self.gains.show(self.later, self.classes)
        self.bars.draw(self.gains.figure)
        self.lines.value = model.lines(self.log.value, self.scale(), self.views)
        self.show()
        self.task = threading.Thread(target=self.compute_curve, daemon=True)
        self.task.start()

    def compute_curve(self) -> None:
        """Simulate errors of predictions, point by point, until the choice changes."""
        own, bias = threading.current_thread(), self.bias.value / 100
        schedules = [view.schedule for view in self.views]
        present = [model.means_of(schedule) for schedule in schedules]
        with_error = model.WITH_ERROR in {side["predictor"].value for side in self.sides}
        error, points = self.error.value / 100 if with_error else None, ({}, {})
        tasks = [*itertools.product(model.ERRORS, (0, 1), model.SEEDS)]
        while self.task is not own and self.task is not None:
            time.sleep(0.01)
        found = []
        for done, (at, side, seed) in enumerate(tasks, 1):
            if self.task is not own:
                return
            plain = schedules[side]
            scheduler = model.choose(plain.scheduler, model.WITH_ERROR, at, bias)
            key = self.log.value, self.scale(), scheduler, plain.estimates, seed
            if key not in self.known:
                run = model.rp.simulate(plain.workload, scheduler, plain.estimates, seed)
                self.known[key] = model.means_of(run)
            found.append(self.known[key])
            if len(found) == len(model.SEEDS):
                points[side][at], found = found, []
                self.curve.show(points, present, error)
                self.line.draw(self.curve.figure)
                words = f"{done} of {len(tasks)} simulations" if done < len(tasks) else READY
                self.state.value = f"<div style='line-height:18px'>{words}</div>"

    @property
    def seconds(self) -> int:
        """Length of the window, s."""
        return LENGTHS[self.length.value] or self.last - self.first + 1

    def show(self) -> None:
        """Draw the window; simulate if the choice of before could not be."""
        if self.views is None:
            return self.simulate()
        since = self.first if self.length.value == "all" else round(self.since.value * DAY)
        self.picture.show(self.views, since, since + self.seconds)
        self.summarize()

    def summarize(self) -> None:
        """Explain the picture as a whole, with the jobs of the bar that was clicked outlined."""
        self.picture.mark(self.picked)
        lines = [f"{name} · {view.summary}" for name, view in zip("AB", self.views, strict=True)]
        jobs = self.views[0].schedule.workload
        hint = "Stand-in jobs: generated, they prove nothing. " * jobs.stand_in
        if jobs.without_estimate > FEW_WITHOUT_ESTIMATE:
            hint += f"{jobs.without_estimate:.0%} of the jobs have no estimate; "
            hint += (
                "it opens with random ones, f = 1. " if self.lacking else "theirs is the run time. "
            )
        if any((boxes.job < 0).any() for boxes in self.picture.boxes):
            hint += "Too many jobs to see: processors in use by kind. "
            hint += "Choose a shorter time to see jobs."
        elif len(self.picked):
            hint += f"Outlined: those of {len(self.picked):,} jobs that are in this window."
        else:
            hint += "Point at a job to see it in both schedules."
        self.say(*lines, model.differences(*(v.schedule for v in self.views)), hint)

    def point(self) -> None:
        """Mark the job at the mouse in both schedules and explain it."""
        job = None
        if self.canvas.mouse:
            panel, day, processor = self.canvas.mouse
            job = self.picture.job_at(panel - 1, day, processor)
        self.summarize() if job is None else self.explain(job)

    def explain(self, job) -> None:
        """Mark a job and explain it."""
        self.picture.mark([job])
        w = self.views[0].schedule.workload
        day, hours = w.submit[job] / DAY, w.run_time[job] / 3600
        line = f"submitted on day {day:,.2f}, run time {hours:,.2f} h"
        lines = [
            f"{name} · {view.describe(job)}" for name, view in zip("AB", self.views, strict=True)
        ]
        self.say(f"Job {w.job_id[job]}: {steps.processors(w.processors[job])}, {line}", *lines)

    def pick(self) -> None:
        """Outline the jobs of the bar that was clicked."""
        panel, group, height = self.bars.clicked
        groups = [*self.classes.values()][panel - 1]
        chosen = (groups == group) & (self.later * height < 0)
        self.picked, self.visited = np.flatnonzero(chosen), 0
        self.summarize()

    def go_to_next(self) -> None:
        """Show the job whose start differs most between A and B, of the bar if one was clicked;
        then the next ones.
        """
        jobs = self.picked if len(self.picked) else np.flatnonzero(self.later)
        if not len(jobs):
            return self.say("All jobs start at the same time in A and B.")
        ranked = jobs[np.argsort(-abs(self.later[jobs]), kind="stable")]
        job = int(ranked[self.visited % len(ranked)])
        self.visited += 1
        starts = [view.schedule.start[job] for view in self.views]
        apart = 1.3 * (max(starts) - min(starts)) + DAY / 12
        fits = [name for name, length in LENGTHS.items() if (length or np.inf) >= apart]
        self.length.value = fits[0]
        self.since.value = (min(starts) - self.seconds / 20) / DAY
        self.show()
        self.explain(job)


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
            buttons.append(button(name, tip, 45 if backfills else 75))
            buttons[-1].on_click(lambda _, to=(way, backfills, tip): self.go(*to))
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
        """Return the walk of EASY from the start of the explorer's window on, with the estimates of
        A.
        """
        a = self.explorer.sides[0]
        view = self.explorer.view(estimates=a["estimates"].value, f=a["f"].value)
        return steps.of_log(view.schedule, round(self.explorer.since.value * DAY))

    def show(self) -> None:
        """Draw the decision that is chosen."""
        self.say(*self.walk.sentences(self.step.value - 1))
        self.picture.show(self.step.value - 1)

    def go(self, way, backfills, tip) -> None:
        """Move to the nearest decision or backfill on one side (-1 or 1), or explain that there is
        none.
        """
        at, places = self.step.value, self.backfills if backfills else range(1, self.step.max + 1)
        ahead = [place for place in places if (place - at) * way > 0]
        if ahead:
            self.step.value = min(ahead, key=lambda place: abs(place - at))
        else:
            self.say(*self.walk.sentences(at - 1), f"There is no such decision: {tip}.")
