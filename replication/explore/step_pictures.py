"""One decision as a scene: the machine with what is believed and what is true, and the queue."""

import numpy as np

from replication.explore import scene
from replication.explore.scene import NUMBER
from replication.simulator import gantt

HEIGHT = 520
WAITING = 10  # jobs of the queue that are drawn at most
LEGEND = "ran mild wild past believed hole spare stolen now reservation real".split()
SMALL = 40  # jobs of an example that is shown whole
ROOM = 0.04  # share of the picture's width and height that a run needs to have its number written on it


class Picture:
    """Draws the decisions of a walk; where a job runs is the same in all of them."""

    def __init__(self, walk):
        self.walk, w, self.blocks = walk, walk.workload, {}
        for job, first, width in gantt.place(walk.start, walk.end, w.processors, w.machine):
            self.blocks.setdefault(job, []).append((first, first + width))
        passed = [m for m in walk.moments if m.sight.kind == "backfilled"]
        self.passed = {m.sight.jobs[0]: "wild" if m.wild else "mild" for m in passed}
        self.places = min(WAITING, max(len(m.sight.queue) for m in walk.moments)) or 1
        self.last = max(int(walk.end.max()), *(m.sight.planned or 0 for m in walk.moments))

    def scene(self, number):
        """The picture of one decision, by its number from 0."""
        moment = self.walk.moments[number]
        window = self._window(moment.sight)
        panels = [self._machine(moment, window), self._queue(moment, window)]
        return scene.scene(panels, LEGEND, " ".join(self.walk.words(number)), HEIGHT)

    def _window(self, sight):
        """From a little before now to a little after all that is expected; the whole for small examples."""
        walk = self.walk
        since, until = 0, int(self.last * 1.25) + 1
        if len(walk.start) > SMALL:
            expected = int(np.median(walk.believed[[*sight.running]])) if sight.running else 0
            ahead = max(sight.planned or 0, expected, sight.now + walk.unit) - sight.now
            since, until = sight.now - ahead // 2, sight.now + int(1.6 * ahead)
        return scene.Window(since, until, walk.unit, walk.unit_name)

    def _machine(self, moment, window):
        walk, sight, machine = self.walk, moment.sight, self.walk.workload.machine
        begun = [job for job in self.blocks if self._started(job, sight)]
        boxes = [box for job in begun for box in self._run(job, sight)]
        texts = [text for job in begun for text in self._label(job, window)]
        if sight.planned is not None:
            boxes += self._free(sight, window.until)
            holes = [(low, high) for *_, low, high, look, _ in boxes if look == "hole"]
            if holes:
                middle = window.place((sight.now + sight.planned) / 2, cut=False)
                low, high = max(holes, key=lambda hole: hole[1] - hole[0])
                length = (sight.planned - sight.now) / walk.unit
                words = f"hole: {length:,.4g}"
                texts.append({"x": middle, "y": (low + high) / 2, "text": words})
        if moment.stolen:
            edges = 1.03 * machine, 1.13 * machine
            boxes.append((moment.first_real, sight.real, *edges, "stolen", -1))
            at = {"x": window.place(sight.real, cut=False), "y": 1.08 * machine, "align": "left"}
            texts.append({"text": f" stolen: {moment.stolen / walk.unit:,.4g}"} | at)
        words = {"title": f"{walk.about}: the machine", "ylabel": "processors"}
        ticks = scene.ticks(0, machine, most=5, whole=True)
        axes = {"box": (0, 0, 1, 0.56), "y": (0, 1.16 * machine), "yticks": ticks}
        return self._panel(window, boxes, sight, texts=texts, **axes, **words)

    def _started(self, job, sight):
        """Whether a job has started by a decision, also where others of the same instant come after it."""
        if job in sight.queue or job in sight.running:
            return job in sight.running
        start = self.walk.start[job]
        return start < sight.now or start == sight.now == self.walk.end[job]

    def _run(self, job, sight):
        """The rectangles of one job: the run that is true, and what is believed to follow."""
        walk, over = self.walk, job not in sight.running
        start, end, believed = (int(at[job]) for at in (walk.start, walk.end, walk.believed))
        for low, high in self.blocks[job]:
            yield start, end, low, high, "past" if over else self.passed.get(job, "ran"), job
            if not over and believed > end:
                yield end, believed, low, high, "believed", job

    def _free(self, sight, until):
        """Where a job that passes the head may be put: idle until the reservation, and extra for longer."""
        extra, idle = sight.extra, np.ones(self.walk.workload.machine, bool)
        for job in sight.running:
            for low, high in self.blocks[job]:
                idle[low:high] = False
        edges = np.flatnonzero(np.diff(np.concatenate([[0], idle.astype(int), [0]])))
        for low, high in edges.reshape(-1, 2).tolist():
            yield sight.now, sight.planned, low, high, "hole", -1
            if extra > 0:
                yield sight.now, until, low, low + min(extra, high - low), "spare", -1
                extra -= high - low

    def _label(self, job, window):
        """A job's number on its largest block of processors, where there is room for it."""
        low, high = max(self.blocks[job], key=lambda block: block[1] - block[0])
        start, end = window.place(np.array([self.walk.start[job], self.walk.end[job]]))
        if end - start > ROOM * window.axis[1] and high - low > ROOM * self.walk.workload.machine:
            # Not in the middle, where the line of the present would hide it.
            at = {"x": start + 0.35 * (end - start), "y": (low + high) / 2, "bold": True}
            yield {"text": str(self.walk.workload.job_id[job])} | at

    def _queue(self, moment, window):
        """The waiting jobs as they would lie if they started now, each with whether it may."""
        walk, sight, w = self.walk, moment.sight, self.walk.workload
        boxes, texts, numbers = [], [], []
        for place, job in enumerate(sight.queue[: self.places]):
            low, high = self.places - place - 0.85, self.places - place - 0.15
            real, told = sight.now + int(w.run_time[job]), sight.now + int(walk.estimate[job])
            boxes.append((sight.now, real, low, high, "ran", job))
            if told > real:
                boxes.append((real, told, low, high, "believed", job))
            middle = (low + high) / 2
            words = f"{w.processors[job]} proc., {walk.verdict(moment, job) or 'waits'} "
            texts.append({"x": window.axis[1], "y": middle, "text": words, "align": "right"})
            numbers.append((middle, str(w.job_id[job])))
        some = f", the first {self.places} shown" if len(sight.queue) > self.places else ""
        title = f"The queue, as if each started now ({len(sight.queue)} waiting{some})"
        words = {"title": title, "ylabel": "job", "xlabel": window.name}
        axes = {"box": (0, 0.56, 1, 0.44), "y": (0, self.places), "yticks": numbers}
        return self._panel(window, boxes, sight, texts=texts, **axes, **words)

    def _panel(self, window, boxes, sight, **parts):
        start, end, low, high, look, job = zip(*boxes, strict=True) if boxes else [()] * 6
        edges = (window.place(np.array(at, float)) for at in (start, end))
        rects = scene.rects(*edges, low, high, [NUMBER[name] for name in look], job)
        rules = {"reservation": sight.planned, "real": sight.real, "now": sight.now}
        rules = {look: window.place(at, cut=False) for look, at in rules.items() if at is not None}
        rules = [{"look": look, "x": x} for look, x in rules.items()]
        parts |= {"xticks": window.ticks(most=12), "rules": rules, "rects": rects}
        return scene.panel(x=window.axis, **parts)
