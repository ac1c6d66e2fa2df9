"""The controls of the explorer: two schedules of one log, A and B, above each other."""

from html import escape

import ipywidgets
import numpy as np

import replication as rp
from notebooks.explorer import drawing, model, stories
from notebooks.explorer.model import HOUR, Log
from replication.drawing import style
from replication.simulator.estimates.models import MOST_WITHOUT_ESTIMATE
from replication.simulator.sweeps import grid

LENGTHS = {"6 h": 6, "24 h": 24, "48 h": 48, "1 week": 168, "4 weeks": 672, "all": None}
PLACES = {"where most jobs wait": False, "where A and B differ most": True}
WORKING = "Simulating … (the first time also compiling: about 20 s)"
BEGIN = "Choose a story, or go on by yourself below."


def control(kind, name, width, **traits) -> ipywidgets.Widget:
    """Return a control with its name before it."""
    style, layout = {"description_width": "initial"}, {"width": f"{width}px"}
    # Without a tool-tip the page would show the word null.
    return kind(description=name, style=style, layout=layout, **{"tooltip": ""} | traits)


def menu(name, width, options, **traits) -> ipywidgets.Dropdown:
    """Return a menu."""
    return control(ipywidgets.Dropdown, name, width, options=list(options), **traits)


def row(parts) -> ipywidgets.HBox:
    """Return widgets beside each other, which wrap in a narrow window."""
    return ipywidgets.HBox(parts, layout={"flex_flow": "row wrap"})


def paragraph(*lines) -> str:
    """Return lines of text as HTML."""
    return f"<div style='line-height:20px'>{'<br>'.join(map(escape, lines))}</div>"


class Explorer:
    """Two schedules of one log above each other, their measures, and the lines of Python that make
    them.

    Stories set all menus, and let the reader guess before they show the result.

    Parameters
    ----------
    log : str
        A registered name, or the path of an SWF file.
    paper : str, optional
        The paper whose rules and machine apply, as in `replication.load`.
    schedulers : dict of str to Scheduler or str, optional
        More schedulers by name. The menus list them, and the first is B.

    Attributes
    ----------
    schedules : tuple of replication.Schedule
        A and B as shown; None if a choice cannot be simulated.
    """

    def __init__(self, log="KTH-SP2-2", paper=None, schedulers=None):
        style.apply()
        mine = {name: rp.Scheduler.check(choice) for name, choice in (schedulers or {}).items()}
        self.schedulers = model.SCHEDULERS | mine
        log = Log(str(log), paper)
        logs = dict.fromkeys([log, *model.logs()])
        self.log = menu("log", 260, [(str(entry), entry) for entry in logs], value=log)
        self.load = control(ipywidgets.FloatText, "load", 110, step=0.01)
        self.load.tooltip = "offered load: work of all jobs over the capacity of the machine"
        self.f = control(ipywidgets.FloatSlider, "f", 280, max=10, step=0.1, value=0)
        self.f.continuous_update = False
        self.length = menu("window", 150, LENGTHS.items(), value=48)
        self.place = menu("", 210, PLACES.items())
        self.sides = [
            {
                "scheduler": menu(name, 280, self.schedulers, value=scheduler),
                "estimates": menu("estimates", 320, model.ESTIMATES, value=model.DOUBLED),
            }
            for name, scheduler in (("A", "EASY"), ("B", next(iter(mine), "PV-EASY")))
        ]
        self.text, self.told, self.lines = (ipywidgets.HTML(tooltip="") for _ in range(3))
        self.picture = ipywidgets.Image(format="png", layout={"max_width": "100%"})
        openings = [self._button(story.name, self.tell, story) for story in stories.STORIES]
        guesses = [self._button(word, self.answer, k) for k, word in enumerate(stories.ANSWERS)]
        self.story, self.guesses = None, row(guesses)
        a, b = ([*side.values()] for side in self.sides)
        rows = [row([self.log, self.load, self.f]), row(a), row(b), row([self.length, self.place])]
        told = [row(openings), self.told, self.guesses]
        self.box = ipywidgets.VBox([*told, *rows, self.text, self.picture, self.lines])
        self.changing = False
        self._watch(self.open, self.log)
        self._watch(self.simulate, self.load, self.f, *a, *b)
        self._watch(self.show, self.length, self.place)
        self.end()
        self.open()

    def _repr_mimebundle_(self, **options):
        return self.box._repr_mimebundle_(**options)

    def _button(self, name, act, value):
        button = ipywidgets.Button(description=name, tooltip="", layout={"width": "175px"})
        button.on_click(lambda _: act(value))
        return button

    def _watch(self, change, *controls):
        """Call `change`, and end the story, when the reader changes a control."""

        def changed(_):
            if not self.changing:
                if change != self.show:
                    self.end()
                change()

        for part in controls:
            part.observe(changed, "value")

    def set(self, **values) -> None:
        """Set controls of this explorer by name without a simulation."""
        self.changing = True
        for name, value in values.items():
            getattr(self, name).value = value
        self.changing = False

    def open(self) -> None:
        """Show a log at its own load."""
        self.text.value = paragraph(f"Reading {self.log.value} …")
        jobs = model.workload(self.log.value, None)
        has_load = np.isfinite(jobs.load)
        self.own_load = round(jobs.load, 4) if has_load else 1.0
        self.set(load=self.own_load)
        self.load.disabled = not has_load
        if jobs.without_estimate > MOST_WITHOUT_ESTIMATE:
            self.set(f=1.0)
            self.choose(estimates=[model.RANDOM] * 2)
        self.simulate()

    def choose(self, **values) -> None:
        """Set menus of A and B, such as ``estimates``, without a simulation."""
        self.changing = True
        for name, several in values.items():
            for side, value in zip(self.sides, several, strict=True):
                side[name].value = value
        self.changing = False

    def simulate(self) -> None:
        """Simulate both sides and show them."""
        self.schedules, self.picture.value, self.lines.value = None, b"", ""
        self.text.value = paragraph(WORKING)
        self.f.disabled = not any("(f + 1)" in side["estimates"].value for side in self.sides)
        log, load = self.log.value, self.load.value
        try:
            if not (load == self.own_load or 0.01 <= load <= grid.HIGHEST_LOAD):
                raise ValueError(f"load: {load:g}; expected 0.01 to {grid.HIGHEST_LOAD:g}")
            load = None if load == self.own_load else load
            schedules = [
                model.simulate(
                    log,
                    load,
                    self.schedulers[side["scheduler"].value],
                    model.ESTIMATES[side["estimates"].value](self.f.value),
                )
                for side in self.sides
            ]
        except ValueError as error:
            self.text.value = paragraph(f"There is no picture of this choice: {error}")
            return
        self.schedules = tuple(schedules)
        lines = escape(model.lines(log, load, schedules))
        look = "user-select:all; overflow-x:auto; line-height:1.4"
        self.lines.value = (
            f"A click selects these lines of Python:<pre style='{look}'>{lines}</pre>"
        )
        self.show()

    def show(self) -> None:
        """Draw the window, and write the measures."""
        if self.schedules is None:
            return
        a, b = self.schedules
        first, last = int(a.workload.submit[0]), int(max(a.end.max(), b.end.max()))
        since, until = first, last + 1
        if self.length.value is not None:
            length = self.length.value * HOUR
            since = model.window(a, b, length, self.place.value)
            until = since + length
        self.picture.value = style.png(drawing.schedules(a, b, since, until))
        jobs, later = a.workload, b.start - a.start
        load = f", load {jobs.load:.2f}" if np.isfinite(jobs.load) else ""
        lines = [f"{self.log.value}: {len(jobs):,} jobs on {jobs.machine:,} processors{load}"]
        for name, side, schedule in zip("AB", self.sides, (a, b), strict=True):
            estimates = side["estimates"].value.replace("(f + 1)", f"{self.f.value + 1:g}")
            choice = f"{name} · {side['scheduler'].value}, {estimates}"
            lines.append(f"{choice}: {model.in_words(schedule)}")
        earlier, later = int((later < 0).sum()), int((later > 0).sum())
        lines.append(f"In B {earlier:,} jobs start earlier than in A, and {later:,} later.")
        if not (a.wait.any() or b.wait.any()):
            lines.append("No job waits, so schedulers cannot differ: try a higher load.")
        if jobs.stand_in:
            lines.append("The jobs are synthetic: they prove nothing about the log.")
        self.text.value = paragraph(*lines)

    def tell(self, story) -> None:
        """Set the menus to the beginning of a story, and ask."""
        self._set_side_b(story, story.a)
        self.story, self.guesses.layout.display = story, "flex"
        self.told.value = paragraph(story.question)

    def answer(self, guess) -> None:
        """Show what happens, and compare it with the guess, a place in `stories.ANSWERS`."""
        story, self.guesses.layout.display = self.story, "none"
        self.told.value = paragraph(WORKING)
        self._set_side_b(story, story.b)
        self.told.value = paragraph(stories.score(guess, *self.schedules), story.look)

    def _set_side_b(self, story, b):
        self.set(log=story.log, f=1.0, length=48, place=False)
        self.choose(scheduler=[story.a[0], b[0]], estimates=[story.a[1], b[1]])
        self.open()

    def end(self) -> None:
        """Take the text of a story away."""
        self.story, self.guesses.layout.display = None, "none"
        self.told.value = paragraph(BEGIN)
