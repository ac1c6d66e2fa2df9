"""From pieces of an SWF file to its columns: what the format allows, and what is said of all else."""

import re

import numpy as np

from replication.logs import swf_lines as kernel

FIELDS = (
    "job_id",
    "submit",
    "wait",
    "run_time",
    "allocated_processors",
    "cpu_time",
    "used_memory",
    "requested_processors",
    "requested_time",
    "requested_memory",
    "status",
    "user",
    "group",
    "executable",
    "queue",
    "partition",
    "preceding_job",
    "think_time",
)
DECIMAL = ("cpu_time", "used_memory", "requested_memory")
KNOWN = ("job_id", "submit")

_LONGEST_LINE = 1 << 16
_SHORTEST_SLOW = 17  # bytes of a decimal with too many digits, blank included
_GROWTH = 1.125  # at most; more would touch memory that is never used
_SPARE_ROWS = 1 << 14

_ROW_OF = np.array([DECIMAL.index(name) if name in DECIMAL else -1 for name in FIELDS])
_LEAST = np.array([0 if name in KNOWN else -1 for name in FIELDS])

_WHY = {
    kernel.TEXT: "{token!r} is not a number; allowed: {allowed}",
    kernel.FRACTION: "{token} has a fraction; allowed: {allowed}",
    kernel.NEGATIVE: "{token} is negative; allowed: {allowed}",
    kernel.LARGE: "{token} is too large; allowed: {allowed}, of at most 18 digits",
}


class SWFError(ValueError):
    """A log that cannot be used: one line that names file, line, field, value and what is allowed."""


def allowed(name):
    """What may stand in the field `name`, in words."""
    kind = "numbers" if name in DECIMAL else "whole numbers"
    return f"{kind} from 0" + ("" if name in KNOWN else ", or -1 for unknown")


class Parser:
    """Takes a file in pieces and gives its columns.

    Parameters
    ----------
    path : str or Path
        What error messages call the file.
    """

    def __init__(self, path):
        self.path = path
        self.comments = []
        self._late_comments = 0
        self._rest = b""
        self._rows = 0
        self._columns = [np.empty(0, np.float64 if row >= 0 else np.int64) for row in _ROW_OF]
        self._line = np.empty(0, np.int32)
        self._state = np.zeros(8, np.int64)
        self._make_room(1 << 18)

    @property
    def line(self):
        """Lines dealt with so far."""
        return int(self._state[kernel.LINE])

    def feed(self, piece, consumed):
        """Take the next piece; `consumed` is the share of the file used up with it."""
        text = self._rest + piece
        end = text.rfind(b"\n") + 1
        self._rest = text[end:]
        if len(self._rest) > _LONGEST_LINE:
            raise SWFError(
                f"{self.path}, a line after line {self.line}: longer than {_LONGEST_LINE} bytes; "
                f"allowed: {len(FIELDS)} numbers or a comment"
            )
        if end:
            self._parse(text[:end], consumed)

    def close(self):
        """Take what is left.

        Returns
        -------
        dict of str to array
            The columns by name.
        int32[n]
            The line each job stands on.
        """
        if self._rest:
            self._parse(self._rest + b"\n", 1.0)
        if self._rows == 0:
            what = "only comments" if self.comments else "an empty file"
            raise SWFError(
                f"{self.path}: no jobs, {what}; a job is a line of {len(FIELDS)} numbers"
            )
        self._resize(self._rows)
        # Handed over, not kept: sorting them must be able to free the old ones.
        columns, self._columns = self._columns, []
        return dict(zip(FIELDS, columns)), self._line

    def anomalies(self):
        """Counts of what was taken although unusual."""
        return {
            "crlf_lines": int(self._state[kernel.CRLF]),
            "blank_lines": int(self._state[kernel.BLANK]),
            "late_comments": self._late_comments,
            "whole_with_point": int(self._state[kernel.POINT]),
        }

    def _parse(self, text, consumed):
        if len(text) > kernel.SHORTEST_LINE * self._whole.shape[1]:
            self._make_room(len(text))
        state, view = self._state, np.frombuffer(text, np.uint8)
        state[kernel.POSITION] = 0
        while True:
            stop = kernel.parse(view, _ROW_OF, _LEAST, self._whole, self._real, self._slow, state)
            if stop not in (kernel.END, kernel.COMMENT):
                raise self._error(stop, text)
            self._parse_slow(text)
            self._store(consumed)
            if stop == kernel.END:
                return
            self._take_comment(text)

    def _take_comment(self, text):
        start = int(self._state[kernel.POSITION])
        end = text.index(b"\n", start)
        comment = text[start:end].lstrip(b" \t").removeprefix(b";").rstrip(b"\r")
        try:
            self.comments.append(comment.decode())
        except UnicodeDecodeError:
            self.comments.append(comment.decode("latin-1"))
        self._late_comments += self._rows > 0
        self._state[kernel.POSITION] = end + 1
        self._state[kernel.LINE] += 1

    def _parse_slow(self, text):
        for row, field, start in self._slow[: self._state[kernel.SLOW]].tolist():
            token = text[start : start + _LONGEST_LINE].split(maxsplit=1)[0]
            value = float(token)
            if value < 0 and value != -1 or value == np.inf:
                why = kernel.NEGATIVE if value < 0 else kernel.LARGE
                raise self._field_error(int(self._whole[-1, row]), field, token, why)
            self._real[_ROW_OF[field], row] = value
        self._state[kernel.SLOW] = 0

    def _store(self, consumed):
        """Append what the kernel has parsed to the columns."""
        new = int(self._state[kernel.ROW])
        if new == 0:
            return
        end = self._rows + new
        if end > len(self._line):
            # What the part of the file seen so far says of the whole, approached in small steps.
            self._resize(int(min(end / consumed * 1.02, end * _GROWTH)) + _SPARE_ROWS)
        for field, column in enumerate(self._columns):
            row = _ROW_OF[field]
            column[self._rows : end] = (
                self._real[row, :new] if row >= 0 else self._whole[field, :new]
            )
        self._line[self._rows : end] = self._whole[-1, :new]
        self._rows = end
        self._state[kernel.ROW] = 0

    def _resize(self, rows):
        # In place: the system moves pages instead of copying them, so there is never a second copy.
        for column in [*self._columns, self._line]:
            column.resize(rows, refcheck=False)

    def _make_room(self, size):
        """Make the arrays the kernel writes to large enough for any text of `size` bytes."""
        rows = size // kernel.SHORTEST_LINE + 1
        self._whole = np.empty((len(FIELDS) + 1, rows), np.int64)
        self._real = np.empty((len(DECIMAL), rows))
        self._slow = np.empty((size // _SHORTEST_SLOW + 1, 3), np.int64)

    def _error(self, why, text):
        start = int(self._state[kernel.POSITION])
        tokens = re.split(
            rb"[ \t]+", text[start : text.index(b"\n", start)].rstrip(b"\r").strip(b" \t")
        )
        if len(tokens) != len(FIELDS):
            return SWFError(
                f"{self.path}, line {self.line}: {len(tokens)} columns; allowed: {len(FIELDS)}"
            )
        field = int(self._state[kernel.FIELD])
        return self._field_error(self.line, field, tokens[field], why)

    def _field_error(self, line, field, token, why):
        name, shown = FIELDS[field], token[:40].decode("latin-1")
        reason = _WHY[why].format(token=shown, allowed=allowed(name))
        return SWFError(f"{self.path}, line {line}, field {field + 1} ({name}): {reason}")
