"""The widget that draws a scene in the page, in the page's own colours, and passes keys on."""

from pathlib import Path

import anywidget
import numpy as np
import traitlets

from replication.explore import looks

FOLDER = Path(__file__).parent


class Canvas(anywidget.AnyWidget):
    """A scene on a canvas; `keys`, by the names of the browser's ``KeyboardEvent.key``, are passed
    to what `on_key` was given.
    """

    _esm = FOLDER / "picture.js"
    _css = FOLDER / "picture.css"
    scene = traitlets.Dict().tag(sync=True)
    looks = traitlets.Dict().tag(sync=True)
    listens = traitlets.List(traitlets.Unicode()).tag(sync=True)
    #: Panel and rectangle that the mouse points at; empty for none.
    pointer = traitlets.List(traitlets.Int()).tag(sync=True)
    #: What is told below the picture.
    tip = traitlets.Unicode().tag(sync=True)

    def __init__(self, keys=()):
        super().__init__(looks=looks.table(), listens=list(keys))

    def show(self, scene, tip):
        """Draw a scene and tell of it, in one message."""
        with self.hold_sync():
            self.scene, self.tip, self.pointer = scene, tip, []

    def on_key(self, act):
        """Call ``act(key)`` when one of the keys is pressed while the picture has the focus."""
        self.on_msg(lambda widget, content, buffers: act(content["key"]))

    def pointed(self):
        """The panel's number and the job's index that are pointed at, or None."""
        if len(self.pointer) != 2:
            return None
        panel, rect = self.pointer
        jobs = np.frombuffer(self.scene["panels"][panel]["rects"]["job"], np.int32)
        return (panel, int(jobs[rect])) if rect < len(jobs) and jobs[rect] >= 0 else None
