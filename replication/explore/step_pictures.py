"""One decision as a scene: the machine with what is believed and what is true, and the queue."""

import numpy as np

from replication.explore import scene, steps
from replication.explore.looks import NUMBER
from replication.schedule import gantt

HEIGHT = 520
WAITING = 10  # jobs of the queue that are drawn at most
LEGEND = (
    "ran",
    "mild",
    "wild",
    "past",
    "believed",
    "hole",
    "spare",
    "stolen",
    "now",
    "reservation",
    "real",
)
SMALL = 40  # jobs of an example that is shown whole
ROOM = 0.04  # share of the picture's width and height that a run needs to have its number written on it


class Picture:
    """Draws the decisions of a walk; where a job runs is the same in all of them."""

    def __init__(self, walk):
        self.walk, w = walk, walk.workload
        end = np.asarray(walk.start) + w.run_time
        self.rows = {}
        for job, first, width in gantt.place(np.asarray(walk.start), end, w.processors, w.machine):
            self.rows.setdefault(job, []).append((first, first + width))
        self.passed = {
            m.sight.jobs[0]: m.wild for m in walk.moments if m.sight.kind == "backfilled"
        }
        self.places = min(WAITING, max(len(m.sight.queue) for m in walk.moments)) or 1
        self.last = max(int(end.max()), *(m.sight.planned or 0 for m in walk.moments))

    def scene(self, number):
        """The picture of one decision, by its number from 0."""
        moment = self.walk.moments[number]
        window = self._window(moment)
        said = steps.words(self.walk, number)
        return scene.scene(
            [self._machine(moment, window), self._queue(moment, window)],
            LEGEND,
            " ".join(said),
            HEIGHT,
        )

    def _window(self, moment):
        """From a little before now to a little after all that is expected; the whole for small examples."""
        if len(self.walk.start) <= SMALL:
            return 0, int(self.last * 1.25) + 1
        sight = moment.sight
        ends = [self.walk.believed_end(job) for job in sight.running] or [
            sight.now + self.walk.unit
        ]
        ahead = (
            max(sight.planned or 0, int(np.median(ends)), sight.now + self.walk.unit) - sight.now
        )
        return sight.now - ahead // 2, sight.now + int(1.6 * ahead)

    def _machine(self, moment, window):
        walk, sight = self.walk, moment.sight
        begun = [job for job in self.rows if self._started(job, moment)]
        boxes = [box for job in begun for box in self._run(job, sight)]
        boxes += self._hole(moment, window[1]) if sight.planned is not None else []
        machine = walk.workload.machine
        if moment.stolen:
            boxes.append(
                (moment.first_real, sight.real, 1.03 * machine, 1.13 * machine, "stolen", -1)
            )
        texts = [self._label(job, window) for job in begun if self._has_room(job, window)]
        holes = [box for box in boxes if box[4] == "hole"]
        if holes:
            start, end, low, high = max(holes, key=lambda box: box[3] - box[2])[:4]
            texts.append(
                {
                    "x": self._x((start + end) / 2, window),
                    "y": (low + high) / 2,
                    "text": f"hole: {(end - start) / walk.unit:,.4g}",
                }
            )
        if moment.stolen:
            texts.append(
                {
                    "x": self._x(sight.real, window),
                    "y": 1.08 * machine,
                    "align": "left",
                    "text": f" stolen: {moment.stolen / walk.unit:,.4g}",
                }
            )
        return self._panel(
            (0, 0, 1, 0.56),
            window,
            (0, 1.16 * machine),
            boxes,
            self._rules(moment, window),
            texts,
            title=f"{walk.about}: the machine",
            ylabel="processors",
            yticks=scene.ticks(0, machine, most=5, whole=True),
        )

    def _started(self, job, moment):
        """Whether a job has started by a decision, also where others of the same instant come after it."""
        sight = moment.sight
        waits = job in sight.queue
        return (
            self.walk.start[job] < sight.now
            and not waits
            or job in sight.running
            or (self.walk.start[job] == sight.now == self.walk.end(job) and not waits)
        )

    def _run(self, job, sight):
        """The rectangles of one job: the run that is true, and what is believed to follow."""
        walk, start, end = self.walk, self.walk.start[job], self.walk.end(job)
        over = job not in sight.running
        look = "past" if over else {True: "wild", False: "mild", None: "ran"}[self.passed.get(job)]
        for low, high in self.rows[job]:
            yield (start, end, low, high, look, job)
            if not over and walk.believed_end(job) > end:
                yield (end, walk.believed_end(job), low, high, "believed", job)

    def _hole(self, moment, until):
        """Where a job that passes the head may be put: idle until the reservation, and extra for longer."""
        sight, extra = moment.sight, moment.sight.extra
        idle = np.ones(self.walk.workload.machine, bool)
        for job in sight.running:
            for low, high in self.rows[job]:
                idle[low:high] = False
        edges = np.flatnonzero(np.diff(np.concatenate([[0], idle.astype(int), [0]])))
        for low, high in edges.reshape(-1, 2).tolist():
            yield (sight.now, sight.planned, low, high, "hole", -1)
            if extra > 0:
                yield (sight.now, until, low, low + min(extra, high - low), "spare", -1)
                extra -= high - low

    def _queue(self, moment, window):
        """The waiting jobs as they would lie if they started now, each with whether it may."""
        walk, sight = self.walk, moment.sight
        shown = sight.queue[: self.places]
        boxes, texts = [], []
        for place, job in enumerate(shown):
            low, high = self.places - place - 0.85, self.places - place - 0.15
            real, told = (
                sight.now + int(walk.workload.run_time[job]),
                sight.now + walk.estimate[job],
            )
            boxes.append((sight.now, real, low, high, "ran", job))
            if told > real:
                boxes.append((real, told, low, high, "believed", job))
            size = int(walk.workload.processors[job])
            texts.append(
                {
                    "x": self._x(window[1], window),
                    "y": (low + high) / 2,
                    "align": "right",
                    "text": f"{size} proc., {walk.verdict(moment, job) or 'waits'} ",
                }
            )
        more = len(sight.queue) - len(shown)
        title = (
            f"The queue, as if each started now ({len(sight.queue)} waiting"
            f"{f', the first {self.places} shown' if more > 0 else ''})"
        )
        numbers = [
            (self.places - place - 0.5, str(walk.workload.job_id[job]))
            for place, job in enumerate(shown)
        ]
        return self._panel(
            (0, 0.56, 1, 0.44),
            window,
            (0, self.places),
            boxes,
            self._rules(moment, window),
            texts,
            title=title,
            ylabel="job",
            yticks=numbers,
            xlabel=walk.unit_name,
        )

    def _rules(self, moment, window):
        sight = moment.sight
        rules = [("reservation", sight.planned), ("real", sight.real), ("now", sight.now)]
        return [{"look": look, "x": self._x(at, window)} for look, at in rules if at is not None]

    def _widest(self, job):
        """Of the blocks of processors that a job has, the largest."""
        return max(self.rows[job], key=lambda block: block[1] - block[0])

    def _has_room(self, job, window):
        low, high = self._widest(job)
        start, end = max(self.walk.start[job], window[0]), min(self.walk.end(job), window[1])
        wide, tall = ROOM * (window[1] - window[0]), ROOM * self.walk.workload.machine
        return end - start > wide and high - low > tall

    def _label(self, job, window):
        low, high = self._widest(job)
        start, end = max(self.walk.start[job], window[0]), min(self.walk.end(job), window[1])
        # Not in the middle, where the line of the present would hide it.
        return {
            "x": self._x(start + 0.35 * (end - start), window),
            "y": (low + high) / 2,
            "bold": True,
            "text": str(self.walk.workload.job_id[job]),
        }

    def _x(self, seconds, window):
        return (seconds - window[0]) / self.walk.unit

    def _panel(self, box, window, y, boxes, rules, texts, **names):
        start, end, low, high, look, job = (
            map(np.array, zip(*boxes, strict=True)) if boxes else np.empty((6, 0))
        )
        edge = (self._x(np.clip(np.asarray(at, float), *window), window) for at in (start, end))
        numbers = [NUMBER[name] for name in look]
        axis = (0.0, (window[1] - window[0]) / self.walk.unit)
        ticks = scene.ticks(*axis, most=12, offset=window[0] / self.walk.unit)
        return scene.panel(
            box,
            axis,
            y,
            xticks=ticks,
            rules=rules,
            texts=texts,
            rects=scene.rects(*edge, low, high, numbers, job),
            **names,
        )
