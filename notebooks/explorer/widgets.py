"""The tools of the explorer notebook: `Stepper`, `Explorer`, and `Tools`, both with stories."""

import threading
import time
from dataclasses import replace
from html import escape

import ipywidgets
import numpy as np

from notebooks.explorer import model, pictures, steps, stories
from notebooks.explorer.model import HOUR, Choice, Log
from replication.simulator.estimates.models import FEW_WITHOUT_ESTIMATE, MOST_WITHOUT_ESTIMATE
from replication.simulator.sweeps import grid

LENGTHS = {f"{hours} h": hours * HOUR for hours in (6, 24, 48, 96, 168, 336, 672)} | {"all": None}
STEP = 6  # h, of the slider for the start of the window
PAUSE = 2  # s without a change of f after which the next change begins another movement
WORKING = "Simulating … (the first time also compiling: about 20 s)"
#: Held while a tool changes: a page's message and the thread of the curve take turns.
LOCK = threading.RLock()


def control(kind, name, width, **given) -> ipywidgets.Widget:
    """Return a control with its name before it."""
    style, layout = {"description_width": "initial"}, {"width": f"{width}px"}
    # Without a tool-tip the page would show the word null.
    return kind(description=name, style=style, layout=layout, **{"tooltip": ""} | given)


def menu(name, width, options, **given) -> ipywidgets.Dropdown:
    """Return a menu."""
    return control(ipywidgets.Dropdown, name, width, options=list(options), **given)


def row(parts) -> ipywidgets.HBox:
    """Return widgets beside each other, which wrap in a narrow window."""
    return ipywidgets.HBox(parts, layout={"flex_flow": "row wrap"})


def button(name, tip, width, act) -> ipywidgets.Button:
    """Return a button with a tool-tip."""
    made = ipywidgets.Button(description=name, tooltip=tip, layout={"width": f"{width}px"})
    made.on_click(lambda _: act())
    return made


def note(words="") -> ipywidgets.HTML:
    """Return a text."""
    return ipywidgets.HTML(words, tooltip="")


def paragraph(*lines, style="") -> str:
    """Return lines of text as HTML."""
    lines = "<br>".join(escape(line) for line in lines)
    return f"<div style='line-height:20px; {style}'>{lines}</div>"


class _Tool:
    """Controls, below them an explanation, a picture, and `below` further widgets."""

    below, LINES = (), 4

    def __init__(self, picture, rows):
        # Others that show what this tool shows: `wait` is called when it begins to simulate, and
        # `follow` after each change.
        self.picture, self.text, self.busy, self.followers = picture, note(), True, []
        self.open()
        self.canvas = pictures.Canvas(picture.figure)
        self.shown = ipywidgets.VBox([self.canvas, *self.below])
        self.box = ipywidgets.VBox([*rows, self.text, self.shown])
        self.busy = False

    def _repr_mimebundle_(self, **options):
        return self.box._repr_mimebundle_(**options)

    def say(self, *lines) -> None:
        """Show an explanation of up to five lines."""
        self.text.value = paragraph(*lines, style=f"min-height:{self.LINES * 20}px")

    def act(self, change) -> None:
        """Call `change` and draw, unless the tool is changing already; show its ValueErrors."""
        with LOCK:
            if self.busy:
                return
            self.busy = True
            try:
                change()
                self.canvas.draw(self.picture.figure)
                self.canvas.outdated, self.shown.layout.visibility = False, "visible"
            except ValueError as error:
                # No picture stays that does not belong to the controls.
                self.shown.layout.visibility = "hidden"
                self.say(str(error), "There is no picture of this choice.")
            finally:
                self.busy = False
            for other in self.followers:
                other.follow()

    def watch(self, change, *controls, name="value") -> None:
        """Call `change` and draw when a control changes."""
        for part in controls:
            part.observe(lambda _: self.act(change), name)


class Explorer(_Tool):
    """Two schedules of one log above each other, and their mean waits over f.

    Parameters
    ----------
    log : str
        A registered name, or the path of an SWF file.
    schedulers : dict of str to Scheduler or str, optional
        Schedulers of your own by name. The menus list them, and the first is B.
    paper : str, optional
        The paper whose rules and machine apply, as in `replication.load`.
    """

    LINES = 5

    def __init__(self, log="KTH-SP2", schedulers=None, paper=None):
        own = (schedulers or {}).items()
        self.own = {name: model.rp.Scheduler.check(scheduler) for name, scheduler in own}
        known = {name: words for name, (_, words) in model.SCHEDULERS.items()}
        known |= {name: repr(scheduler) for name, scheduler in self.own.items()}
        self.explanations = known
        log, logs = Log(str(log), paper), model.logs()
        if log not in logs.values():
            logs[log.words] = log
        self.log = menu("log: processors", 330, logs.items(), value=log)
        self.load = control(ipywidgets.FloatText, "load", 110, step=0.01)
        self.load.tooltip = "offered load: work of all jobs over the capacity of the machine"
        slider = ipywidgets.FloatSlider
        look = {"step": STEP, "continuous_update": False, "readout_format": ",.0f"}
        self.since = control(slider, "from hour", 235, max=STEP, **look)
        self.length = menu("show", 130, LENGTHS, value="48 h")
        tip = "go to it; again: the next one"
        following = button("job that differs most", tip, 165, lambda: self.act(self.go_to_next))
        scaled = "user estimates × (f + 1)"  # with f = 0 those of the log
        self.sides = [
            {
                "scheduler": menu(name, 235, known, value=scheduler),
                "predictor": menu("predictor", 270, model.PREDICTORS),
                "estimates": menu("estimates", 250, model.ESTIMATES, value=scaled),
            }
            for name, scheduler in (("A", "EASY"), ("B", next(iter(self.own), "PV-EASY")))
        ]
        first = [self.log, self.load, self.since, self.length, following]
        a, b = ([*side.values()] for side in self.sides)
        self.words = [note(), note()]
        self.waits, self.before, self.moved, self.gained = {}, None, 0.0, None
        self.tools()
        rows = [row(first), row(a), self.words[0], row(b), self.words[1]]
        super().__init__(pictures.Comparison(), rows)
        self.watch(self.open, self.log)
        self.watch(self.simulate, self.load, *a, *b)
        self.watch(self.move, self.f)
        self.watch(self.show, self.since, self.length)
        self.watch(self.point, self.canvas, name="mouse")
        self.watch(self.pick, self.bars, name="clicked")
        self.watch(self.take_drawing, self.line, name="drawn")
        self.below[0].observe(lambda _: self.show_gains(), "selected_index")

    def tools(self) -> None:
        """Make the three tools below the picture."""
        most = pictures.Curve.MOST
        self.f = control(ipywidgets.FloatSlider, "f", 280, max=most, step=0.1, value=0)
        self.state = note()
        self.curve, self.gains = pictures.Curve(), pictures.Gains()
        wide = {"flex": "1 1 320px", "min_width": "200px"}
        self.line = pictures.Canvas(self.curve.figure, layout=wide)
        self.bars = pictures.Canvas(self.gains.figure)
        tip = "draw the mean wait that you expect before you see it"
        self.drawing, self.guess = False, ("", None)
        self.draw_first = button("", tip, 165, lambda: self.act(self.toggle_drawing))
        self.lines = pictures.Lines()
        hint = paragraph(
            "Change of the mean wait from A to B with its 95 % interval over the weeks of the log.",
            "Click a bar to outline its jobs above: “job that differs most” goes through them.",
        )
        parts = [self.f, self.state, self.draw_first]
        left = ipywidgets.VBox(parts, layout={"width": "300px", "max_width": "100%"})
        tabs = {
            "Wrong estimates": [row([left, self.line])],
            "Who gains?": [note(hint), self.bars],
            "Take it with me": [self.lines],
        }
        boxes = [ipywidgets.VBox(parts) for parts in tabs.values()]
        self.below = [ipywidgets.Tab(boxes, titles=[*tabs])]

    def choose(self, log, a, b, f) -> None:
        """Set all menus: a `Log` at its own load, scheduler, predictor and estimates of A and of B,
        and f.
        """

        def change():
            self.log.value, self.f.value, self.length.value = log, f, "48 h"
            for side, values in zip(self.sides, (a, b), strict=True):
                for part, value in zip(side.values(), values, strict=True):
                    part.value = value
            self.open()

        self.act(change)

    def open(self) -> None:
        """Show the busiest window of the log that was chosen."""
        self.choices = self.views = self.before = None
        log = self.log.value
        self.say(f"Reading {log.words} …")
        jobs = model.workload(log, None)
        load, self.lacking = jobs.load, jobs.without_estimate > MOST_WITHOUT_ESTIMATE
        if self.lacking:
            self.f.value = 1
            for side in self.sides:
                side["estimates"].value = model.RANDOM
        self.load.disabled = not np.isfinite(load)
        self.load.value = self.own_load = 1 if self.load.disabled else round(load, 4)
        self.simulate(busiest=True)

    def chosen(self) -> tuple[Choice, Choice]:
        """Return the choices of A and B; ValueError for one that cannot be simulated."""
        log, load, most = self.log.value, self.load.value, grid.HIGHEST_LOAD
        own = load == self.own_load
        if not (own or 0.01 <= load <= most):
            raise ValueError(f"load: {load:g}; expected 0.01 to {most:g}.")
        load, choices = None if own else load, []
        for side in self.sides:
            names = {name: part.value for name, part in side.items()}
            if self.lacking and names["estimates"].startswith("user estimates"):
                raise ValueError(
                    f"{log.words} has no user estimates: choose others, such as {model.RANDOM!r}."
                )
            own = self.own.get(names["scheduler"])
            choices.append(Choice(log, load, **names, f=self.f.value, own=own))
        return tuple(choices)

    def move(self) -> None:
        """Simulate with another f; that from which the movement began stays as a ghost."""
        now = time.monotonic()
        if now - self.moved > PAUSE:
            self.before = self.choices and self.choices[0].f
        self.moved = now
        self.simulate()

    def simulate(self, busiest=False) -> None:
        """Simulate both sides and draw them, in the busiest window or in that of before."""
        self.choices = self.views = None  # ends the computation of the curve
        if hasattr(self, "canvas"):
            self.canvas.outdated = True
        for other in self.followers:
            other.wait()
        choices = self.chosen()
        self.say(WORKING)
        self.views = [model.view(choice) for choice in choices]
        self.choices = choices
        self.explain_choices()
        schedules = [view.schedule for view in self.views]
        self.first = int(schedules[0].workload.submit[0])
        self.last = max(int(schedule.end.max()) for schedule in schedules)
        first, last = self.first / HOUR // STEP * STEP, self.last / HOUR // STEP * STEP
        self.since.max = max(self.since.max, last, first + STEP)
        self.since.min, self.since.max = first, max(last, first + STEP)
        if busiest:
            self.since.value = self.views[0].busiest(self.seconds) / HOUR
        self.later = schedules[1].start - schedules[0].start
        self.picked, self.visited = np.arange(0), 0
        self.show_gains()
        self.lines.value = model.lines(choices[0].log, choices[0].load, self.views)
        self.show()
        for choice, schedule in zip(choices, schedules, strict=True):
            self.known(choice)[choice.f] = schedule.measures["mean_wait"] / HOUR
        self.draw_curve()
        self.task = threading.Thread(target=self.compute_curve, args=(choices,), daemon=True)
        self.task.start()

    def explain_choices(self) -> None:
        """Explain the menus below them, and disable those without effect."""
        tables = {"predictor": model.PREDICTORS, "estimates": model.ESTIMATES}
        effects = [choice.without_effect for choice in self.choices]
        for side, text, choice, without in zip(
            self.sides, self.words, self.choices, effects, strict=True
        ):
            parts = [self.explanations[choice.scheduler]]
            for name, table in tables.items():
                side[name].disabled = name in without
                words = "without effect" if name in without else table[getattr(choice, name)][-1]
                parts.append(f"{name}: {words}")
            text.value = paragraph("; ".join(parts) + ".", style="color: #555")
        self.f.disabled = all("f" in without for without in effects)

    def known(self, choice) -> dict[float, float]:
        """Return the mean waits, h, that are known for a choice with other f, by f."""
        return self.waits.setdefault(replace(choice, f=0.0), {})

    def compute_curve(self, choices) -> None:
        """Simulate more values of f, one by one, until the choice changes."""
        for f in model.FACTORS:
            for choice in choices:
                if "f" in choice.without_effect or f in self.known(choice):
                    continue
                wait = replace(choice, f=float(f)).mean_wait()
                with LOCK:
                    if self.choices is not choices:
                        return
                    self.known(choice)[f] = wait
                    self.draw_curve()

    def draw_curve(self) -> None:
        """Draw what is known of the mean waits over f."""
        of, sides, lines = self.choices_of_curve(), [], []
        if self.guess[1] != of:
            self.drawing, self.guess = False, ("", of)
        for name, choice in zip("AB", self.choices, strict=True):
            f, waits = choice.f, self.known(choice)
            if "f" in choice.without_effect:
                waits = dict.fromkeys([0, pictures.Curve.MOST, self.before or 0, f], waits[f])
            sides.append((waits, self.before, f))
            ghost = f"{waits[self.before]:,.2f} → " if self.before in waits else ""
            lines.append(f"{name}: mean wait {ghost}{waits[f]:,.2f} h")
        self.curve.show(sides, self.guess[0], self.drawing)
        self.line.draw(self.curve.figure)
        self.draw_first.disabled = self.f.disabled
        self.draw_first.description = "show the runs" if self.drawing else "draw it first"
        if self.f.disabled:
            lines = ["Choose estimates with (f + 1) for A or B, and move f."]
        elif self.drawing:
            lines += [
                "Draw with the mouse, from f = 0 to 10, the mean wait that you expect of "
                + " and ".join(
                    name
                    for name, choice in zip("AB", self.choices, strict=True)
                    if "f" not in choice.without_effect
                )
                + "."
            ]
        elif self.before is None:
            lines += ["Move f, and watch the mean wait."]
        else:
            lines += [f"f = {self.before:g} → {f:g}; open: before"]
        if not (self.f.disabled or self.drawing):
            lines += ["Each point is one run: those of nearby f differ by chance."]
        self.state.value = paragraph(*lines)

    def choices_of_curve(self) -> tuple[Choice, Choice]:
        """Return the choices of A and B without their f."""
        return tuple(replace(choice, f=0.0) for choice in self.choices)

    def toggle_drawing(self) -> None:
        """Hide the runs until the reader has drawn what they expect, or show them."""
        self.drawing, self.guess = not self.drawing, ("", self.choices_of_curve())
        self.draw_curve()

    def take_drawing(self) -> None:
        """Show the line that the reader has drawn with the runs."""
        self.drawing, self.guess = False, (self.line.drawn, self.choices_of_curve())
        self.draw_curve()

    def show_gains(self) -> None:
        """Compute and draw who gains, if that is shown."""
        with LOCK:
            hidden = self.below[0].selected_index != 1 or self.views is None
            if not (hidden or self.views is self.gained):
                self.gained = self.views
                self.gains.show(model.changes(*(view.schedule for view in self.views)))
                self.bars.draw(self.gains.figure)

    @property
    def seconds(self) -> int:
        """Length of the window, s."""
        return LENGTHS[self.length.value] or self.last - self.first + 1

    def show(self) -> None:
        """Draw the window; simulate if the choice of before could not be."""
        if self.views is None:
            return self.simulate()
        since = self.first if self.length.value == "all" else round(self.since.value * HOUR)
        self.picture.show(self.views, since, since + self.seconds)
        self.summarize()

    def summarize(self) -> None:
        """Explain the picture as a whole, with the jobs of the bar that was clicked outlined."""
        self.picture.mark(self.picked)
        lines = [model.describe(self.choices[0])]
        lines += [f"{name} · {view.summary}" for name, view in zip("AB", self.views, strict=True)]
        jobs = self.views[0].schedule.workload
        hint = "Stand-in jobs: generated, they prove nothing. " * jobs.stand_in
        if jobs.without_estimate > FEW_WITHOUT_ESTIMATE:
            hint += f"{jobs.without_estimate:.0%} of the jobs have no estimate; "
            hint += (
                "it opens with random ones, f = 1. " if self.lacking else "theirs is the run time. "
            )
        if not any(view.queue[1].any() for view in self.views):
            hint += "No job waits, so schedulers cannot differ: try a higher load."
        elif not any(map(len, self.picture.boxes)):
            hint += "No job runs here."
        elif any((boxes.job < 0).any() for boxes in self.picture.boxes):
            hint += "Too many jobs to see: processors in use by kind. "
            hint += "Choose a shorter time to see jobs."
        elif len(self.picked):
            hint += f"Outlined: those of {len(self.picked):,} jobs that are in this window."
        elif not self.picture.waiting:
            hint += "No job waits here."
        else:
            hint += "Point at a job to see it in both schedules."
        self.say(*lines, model.differences(*(v.schedule for v in self.views)), hint)

    def point(self) -> None:
        """Mark the job at the mouse in both schedules and explain it."""
        job = None
        if self.canvas.mouse:
            panel, hour, processor = self.canvas.mouse
            job = self.picture.job_at(panel - 1, hour, processor)
        self.summarize() if job is None else self.explain(job)

    def explain(self, job) -> None:
        """Mark a job and explain it."""
        self.picture.mark([job])
        w = self.views[0].schedule.workload
        submit, run_time = model.hours(w.submit[job]), model.hours(w.run_time[job])
        line = f"submitted at {submit}, run time {run_time}"
        lines = [
            f"{name} · {view.describe(job)}" for name, view in zip("AB", self.views, strict=True)
        ]
        self.say(f"Job {w.job_id[job]}: {steps.processors(w.processors[job])}, {line}", *lines)

    def pick(self) -> None:
        """Outline the jobs of the bar that was clicked; all is none."""
        title, name = self.gains.group(*self.bars.clicked)
        groups = model.classes(self.views[0].schedule.workload)[title]
        self.picked, self.visited = np.flatnonzero(groups == name), 0
        self.summarize()

    def go_to_next(self) -> None:
        """Show the job whose start differs most between A and B, of the bar if one was clicked;
        then the next ones.
        """
        jobs = self.picked if len(self.picked) else np.arange(len(self.later))
        jobs = jobs[self.later[jobs] != 0]
        if not len(jobs):
            return self.say("All these jobs start at the same time in A and B.")
        ranked = jobs[np.argsort(-abs(self.later[jobs]), kind="stable")]
        job = int(ranked[self.visited % len(ranked)])
        self.visited += 1
        starts = [view.schedule.start[job] for view in self.views]
        apart = 1.3 * (max(starts) - min(starts)) + 2 * HOUR
        fits = [name for name, length in LENGTHS.items() if (length or np.inf) >= apart]
        self.length.value = fits[0]
        self.since.value = (min(starts) - self.seconds / 20) / HOUR
        self.show()
        self.explain(job)


class Stepper(_Tool):
    """EASY decision by decision: heel-and-toe's Fig. 8, or the window of an `Explorer`."""

    def __init__(self, explorer=None):
        self.explorer, self.followed, self.is_hidden = explorer, None, False
        scenes = [(f"six jobs, {name}", name) for name in steps.BADNESS]
        scenes += [("the window of the two schedules", "log")] * (explorer is not None)
        self.source = menu("", 235, scenes, value="F = 2")
        self.buttons = {
            "back": button("← back", "one decision back", 75, lambda: self.go(self.at - 1)),
            "next": button("next →", "one decision on", 75, lambda: self.go(self.at + 1)),
            "jump": button("next backfill ⇥", "go to it", 120, self.jump),
        }
        super().__init__(pictures.Decision(), [row([self.source, *self.buttons.values()])])
        self.watch(self.open, self.source)
        self.watch(self.drag, self.canvas, name="dragged")
        if explorer is not None:
            explorer.followers.append(self)

    def open(self) -> None:
        """Start the walk that is chosen, at the first decision with a blocked head."""
        self.wait()
        source, self.estimates = self.source.value, {}
        self.take(self.of_log() if source == "log" else steps.six_jobs(source))
        kinds = [moment.sight.kind for moment in self.walk.moments]
        self.show(kinds.index("reserved") if "reserved" in kinds else 0)

    def take(self, walk) -> None:
        """Prepare a walk."""
        self.walk = walk
        self.picture.open(walk)
        kinds = [moment.sight.kind for moment in walk.moments]
        self.backfills = [k for k, kind in enumerate(kinds) if kind == "backfilled"]

    def drag(self) -> None:
        """Change the estimate whose handle was dragged, and walk up to the same decision."""
        job, seconds = self.picture.estimate(*self.canvas.dragged)
        self.estimates[job] = seconds
        self.take(steps.six_jobs(self.source.value, self.estimates))
        self.show(min(self.at, len(self.walk.moments) - 1))

    def of_log(self) -> steps.Walk:
        """Return the walk of EASY from the start of the explorer's window on, with the estimates of
        A.
        """
        if self.explorer.choices is None:
            raise ValueError("The choice of the two schedules cannot be simulated.")
        a, since = self.explorer.choices[0], round(self.explorer.since.value * HOUR)
        choice = Choice(a.log, a.load, estimates=a.estimates, f=a.f)
        view = model.view(choice)
        self.title = f"{a.log.words}, {view.name} (the estimates of A):"
        return steps.of_log(view.schedule, since)

    def wait(self) -> None:
        """Show that the explorer simulates, and take no clicks that would count for its result."""
        if self.source.value == "log" and hasattr(self, "canvas"):
            self.canvas.outdated = True
            self.say(WORKING)
            for part in self.buttons.values():
                part.disabled = True

    def follow(self) -> None:
        """Walk from the explorer's window, or go on if it shows the same as before; but not while
        nobody sees it.
        """
        if self.is_hidden:
            return
        shows = self.explorer.choices and (self.explorer.choices[0], self.explorer.since.value)
        if self.source.value == "log":
            same = shows and shows == self.followed
            self.act((lambda: self.show(self.at)) if same else self.open)
        self.followed = shows

    def show(self, at) -> None:
        """Draw a decision, by number."""
        self.at = at
        self.buttons["back"].disabled = at == 0
        self.buttons["next"].disabled = at == len(self.walk.moments) - 1
        self.buttons["jump"].disabled = not any(place > at for place in self.backfills)
        if self.source.value == "log":
            self.say(self.title, *self.walk.sentences(at))
        else:
            hint = "Drag the black end of an estimate, and see what EASY decides then."
            self.say(*self.walk.sentences(at), hint)
        self.picture.show(at)

    def go(self, at) -> None:
        """Move to a decision, by number."""
        if 0 <= at < len(self.walk.moments):
            self.act(lambda: self.show(at))

    def jump(self) -> None:
        """Move to the next backfill."""
        self.go(next((place for place in self.backfills if place > self.at), -1))

    def restart(self, source) -> None:
        """Start a walk, just before its first backfill."""

        def change():
            self.source.value = source
            self.open()
            self.show(self.backfills[0] - 1)

        self.act(change)


class Tools:
    """Both tools in tabs, and above them four stories: each sets all menus, and lets the reader
    guess before it shows what happens.

    Parameters
    ----------
    explorer : Explorer
    """

    def __init__(self, explorer):
        self.explorer, self.stepper = explorer, Stepper(explorer)
        tip = "sets all menus, asks, and then shows"
        opening = [
            button(story.name, tip, 175, lambda story=story: self.tell(story))
            for story in stories.STORIES
        ]
        self.text, self.story, self.told = note(), None, None
        self.guesses = [button("", "your guess", 175, lambda k=k: self.answer(k)) for k in range(3)]
        self.asked = row(self.guesses)
        self.asked.layout.display = "none"
        tools = {"Decision by decision": self.stepper, "Two schedules": explorer}
        self.tab = ipywidgets.Tab([tool.box for tool in tools.values()], titles=[*tools])
        self.box = ipywidgets.VBox([row(opening), self.text, self.asked, self.tab])
        self.end()
        self.tab.observe(self.turn, "selected_index")
        for tool in tools.values():
            tool.followers.append(self)

    def _repr_mimebundle_(self, **options):
        return self.box._repr_mimebundle_(**options)

    def turn(self, _) -> None:
        """Let the walk follow the other tool if its tab is turned up."""
        self.stepper.is_hidden = self.tab.selected_index != 0
        self.stepper.follow()

    def tell(self, story) -> None:
        """Set the menus to the beginning of a story, and ask."""
        self.end()
        self.text.value = paragraph(story.question)
        self.set_menus(story, story.a)
        self.begin(story)
        for guess, word in zip(self.guesses, story.words, strict=True):
            guess.description = word
        self.asked.layout.display = "flex"

    def begin(self, story) -> None:
        """Keep the text of a story until the reader changes what it speaks of."""
        self.story, self.told = story, self.shown(story)

    def end(self) -> None:
        """Take the story's text away."""
        self.story, self.asked.layout.display = None, "none"
        self.text.value = paragraph("Choose a story, or go on by yourself below.")

    def shown(self, story):
        """Return what a story speaks of: the choices, or the decision."""
        if story.log is not None:
            return self.explorer.choices
        return self.stepper.source.value, {**self.stepper.estimates}, self.stepper.at

    def wait(self) -> None:
        """Do nothing: the text of a story stays until another result is there."""

    def follow(self) -> None:
        """End the story if its picture has changed."""
        if self.story is not None and self.shown(self.story) != self.told:
            self.end()

    def answer(self, guess) -> None:
        """Show what happens, and compare it with the guess, a number of `Story.words`."""
        story = self.story
        if story is None:
            return
        self.story, self.asked.layout.display = None, "none"
        self.set_menus(story, story.b)
        if story.log is None:
            self.stepper.jump()
            truth, words = stories.of_walk(self.stepper.walk.moments[self.stepper.at])
        else:
            truth, words = stories.of_schedules(*(view.schedule for view in self.explorer.views))
            if story.f:
                self.explorer.act(self.explorer.toggle_drawing)
        verdict = "Right" if truth == guess else "Not so"
        self.text.value = paragraph(f"{verdict}: {story.words[truth]}. {words}", story.look)
        self.begin(story)

    def set_menus(self, story, b) -> None:
        """Set all menus of a story's tool, those of B to `b`, and show it."""
        self.tab.selected_index = int(story.log is not None)
        if story.log is None:
            self.stepper.restart("F = 2")
        else:
            self.explorer.choose(story.log, story.a, b, story.f)
