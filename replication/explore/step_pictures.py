"""One decision as a scene: the machine with what is believed and what is true, and the queue."""

import numpy as np

from replication.explore import scene, steps
from replication.explore.looks import NUMBER
from replication.schedule import gantt

HEIGHT = 520
WAITING = 10  # jobs of the queue that are drawn at most
LEGEND = tuple("ran mild wild past believed hole spare stolen now reservation real".split())
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
        window = self._window(moment.sight)
        panels = [self._machine(moment, window), self._queue(moment, window)]
        return scene.scene(panels, LEGEND, " ".join(steps.words(self.walk, number)), HEIGHT)

    def _window(self, sight):
        """From a little before now to a little after all that is expected; the whole for small examples."""
        walk = self.walk
        since, until = 0, int(self.last * 1.25) + 1
        if len(walk.start) > SMALL:
            ends = [walk.believed_end(job) for job in sight.running] or [0]
            least = sight.now + walk.unit
            ahead = max(sight.planned or 0, int(np.median(ends)), least) - sight.now
            since, until = sight.now - ahead // 2, sight.now + int(1.6 * ahead)
        return scene.Window(since, until, walk.unit, walk.unit_name)

    def _machine(self, moment, window):
        walk, sight, machine = self.walk, moment.sight, self.walk.workload.machine
        begun = [job for job in self.rows if self._started(job, sight)]
        boxes = [box for job in begun for box in self._run(job, sight)]
        texts = [text for job in begun if (text := self._label(job, window))]
        boxes += self._hole(sight, window.until) if sight.planned is not None else []
        holes = [box for box in boxes if box[4] == "hole"]
        if holes:
            start, end, low, high = max(holes, key=lambda box: box[3] - box[2])[:4]
            middle, length = window.place((start + end) / 2, cut=False), (end - start) / walk.unit
            texts.append(scene.text(middle, (low + high) / 2, f"hole: {length:,.4g}"))
        if moment.stolen:
            box = (moment.first_real, sight.real, 1.03 * machine, 1.13 * machine, "stolen", -1)
            boxes.append(box)
            words = f" stolen: {moment.stolen / walk.unit:,.4g}"
            at = window.place(sight.real, cut=False)
            texts.append(scene.text(at, 1.08 * machine, words, align="left"))
        return self._panel(
            (0, 0, 1, 0.56),
            window,
            (0, 1.16 * machine),
            boxes,
            sight,
            texts=texts,
            title=f"{walk.about}: the machine",
            ylabel="processors",
            yticks=scene.ticks(0, machine, most=5, whole=True),
        )

    def _started(self, job, sight):
        """Whether a job has started by a decision, also where others of the same instant come after it."""
        if job in sight.queue or job in sight.running:
            return job in sight.running
        start = self.walk.start[job]
        return start < sight.now or start == sight.now == self.walk.end(job)

    def _run(self, job, sight):
        """The rectangles of one job: the run that is true, and what is believed to follow."""
        walk, start, end = self.walk, self.walk.start[job], self.walk.end(job)
        over = job not in sight.running
        look = "past" if over else {True: "wild", False: "mild", None: "ran"}[self.passed.get(job)]
        for low, high in self.rows[job]:
            yield (start, end, low, high, look, job)
            if not over and walk.believed_end(job) > end:
                yield (end, walk.believed_end(job), low, high, "believed", job)

    def _hole(self, sight, until):
        """Where a job that passes the head may be put: idle until the reservation, and extra for longer."""
        extra, idle = sight.extra, np.ones(self.walk.workload.machine, bool)
        for job in sight.running:
            for low, high in self.rows[job]:
                idle[low:high] = False
        edges = np.flatnonzero(np.diff(np.concatenate([[0], idle.astype(int), [0]])))
        for low, high in edges.reshape(-1, 2).tolist():
            yield (sight.now, sight.planned, low, high, "hole", -1)
            if extra > 0:
                yield (sight.now, until, low, low + min(extra, high - low), "spare", -1)
                extra -= high - low

    def _label(self, job, window):
        """A job's number on its largest block of processors; None where there is no room for it."""
        low, high = max(self.rows[job], key=lambda block: block[1] - block[0])
        start, end = window.place(np.array([self.walk.start[job], self.walk.end(job)]))
        if end - start <= ROOM * window.axis[1] or high - low <= ROOM * self.walk.workload.machine:
            return None
        # Not in the middle, where the line of the present would hide it.
        at, number = start + 0.35 * (end - start), str(self.walk.workload.job_id[job])
        return scene.text(at, (low + high) / 2, number, bold=True)

    def _queue(self, moment, window):
        """The waiting jobs as they would lie if they started now, each with whether it may."""
        walk, sight = self.walk, moment.sight
        boxes, texts, numbers = [], [], []
        for place, job in enumerate(sight.queue[: self.places]):
            low, high = self.places - place - 0.85, self.places - place - 0.15
            real = sight.now + int(walk.workload.run_time[job])
            told = sight.now + walk.estimate[job]
            boxes.append((sight.now, real, low, high, "ran", job))
            if told > real:
                boxes.append((real, told, low, high, "believed", job))
            middle, size = (low + high) / 2, int(walk.workload.processors[job])
            words = f"{size} proc., {walk.verdict(moment, job) or 'waits'} "
            texts.append(scene.text(window.axis[1], middle, words, align="right"))
            numbers.append((middle, str(walk.workload.job_id[job])))
        some = f", the first {self.places} shown" if len(sight.queue) > self.places else ""
        return self._panel(
            (0, 0.56, 1, 0.44),
            window,
            (0, self.places),
            boxes,
            sight,
            texts=texts,
            title=f"The queue, as if each started now ({len(sight.queue)} waiting{some})",
            ylabel="job",
            yticks=numbers,
            xlabel=window.name,
        )

    def _panel(self, box, window, y, boxes, sight, **parts):
        start, end, low, high, look, job = (
            map(np.array, zip(*boxes, strict=True)) if boxes else np.empty((6, 0))
        )
        edges = (window.place(np.asarray(at, float)) for at in (start, end))
        rects = scene.rects(*edges, low, high, [NUMBER[name] for name in look], job)
        rules = {"reservation": sight.planned, "real": sight.real, "now": sight.now}
        rules = [
            {"look": look, "x": window.place(at, cut=False)}
            for look, at in rules.items()
            if at is not None
        ]
        ticks = window.ticks(most=12)
        return scene.panel(box, window.axis, y, xticks=ticks, rules=rules, rects=rects, **parts)
