"""The widget that draws a scene in the page, in the page's own colours, and passes keys on."""

from pathlib import Path

import anywidget
import numpy as np
import traitlets

from replication.explore.scene import LOOKS

FOLDER = Path(__file__).parent
KINDS = {"look": np.uint8, "job": np.int32}


def packed(part, name=""):
    """A scene as the page reads it: arrays as the bytes of 32-bit floats, or of what `KINDS` says by their names."""
    if isinstance(part, dict):
        return {name: packed(value, name) for name, value in part.items()}
    if isinstance(part, list):
        return [packed(value) for value in part]
    if isinstance(part, np.ndarray):
        return np.ascontiguousarray(part, KINDS.get(name, np.float32)).tobytes()
    return part


class Canvas(anywidget.AnyWidget):
    """A scene on a canvas."""

    _esm = FOLDER / "picture.js"
    _css = FOLDER / "picture.css"
    scene = traitlets.Dict().tag(sync=True, to_json=lambda scene, widget: packed(scene))
    looks = traitlets.Dict(LOOKS).tag(sync=True)
    #: Keys that are passed on, by the names of the browser's ``KeyboardEvent.key``.
    listens = traitlets.List(traitlets.Unicode()).tag(sync=True)
    #: Panel and rectangle that the mouse points at; empty for none.
    pointer = traitlets.List(traitlets.Int()).tag(sync=True)
    #: What is told below the picture.
    tip = traitlets.Unicode().tag(sync=True)

    def show(self, scene, tip):
        """Draw a scene and tell of it, in one message."""
        with self.hold_sync():
            self.scene, self.tip, self.pointer = scene, tip, []

    def on_key(self, act):
        """Call ``act(key)`` when one of the keys is pressed while the picture has the focus."""
        self.on_msg(lambda widget, content, buffers: act(content["key"]))

    def pointed(self):
        """The index of the job that is pointed at, or None."""
        if len(self.pointer) != 2:
            return None
        panel, rect = self.pointer
        jobs = self.scene["panels"][panel]["rects"]["job"]
        return int(jobs[rect]) if rect < len(jobs) and jobs[rect] >= 0 else None
