"""From pieces of an SWF file to its columns: what the format allows, and what is said of all else.

Blocks of whole lines are parsed in threads while the next are read, each as if the log began with it; what depends on
the lines before it is settled when the blocks are taken, in their order.
"""

import hashlib
import re
from collections import namedtuple

import numpy as np

from replication.simulator import files, threads
from replication.simulator.hints import among
from replication.simulator.kernels import swf as kernel
from replication.simulator.swf.trace import DECIMAL, FIELDS, KNOWN, SWFError, allowed, ordered

BAD_LINES = ("refuse", "skip")
#: Kinds of lines that cannot be jobs.
KINDS = {
    "wrong-columns": "with another number of columns",
    "not-a-number": "with text in place of a number",
    "not-whole": "with a fraction in place of a whole number",
    "too-large": "with a number that is too large",
    "unknown-job-number": "of unknown job number",
    "unknown-submission": "of unknown submission",
    "unknown-status": "of unknown status",
    "repeated-job-number": "with the number of an earlier job",
}
MOST_COMMENTS = 100_000
MOST_COMMENT_BYTES = 1 << 24  # of all comments together
MOST_BAD = 100_000  # lines, after which a file with hardly any job is no log
LEAST_GOOD = 0.01

_LONGEST_LINE = 1 << 16
_TOKEN = re.compile(rb"\S+")
_SHORTEST_SLOW = 17  # bytes of a decimal with too many digits, blank included
# Rows that there is room for. The system gives memory only where it is written to, and so large a column it takes
# back at once: room for many costs nothing.
_FEW, _MANY = 1 << 16, 1 << 22

# A block of whole lines as the kernel left it, and the stops it made on the way.
_Block = namedtuple("_Block", "text whole real slow state stops")
# Why the kernel stopped at a line, `text`; rows, lines and columns as they were counted by then, and the field in fault.
_Stop = namedtuple("_Stop", "why row line field columns text")

_ROW_OF = np.array([DECIMAL.index(name) if name in DECIMAL else -1 for name in FIELDS])
_NEGATIVE = {"job_id": "unknown-job-number", "submit": "unknown-submission"}


def read(path, sha256=None, bad_lines="refuse", content=None, fields=FIELDS):
    """Read a log, plain or gzipped, in one pass and without holding its text; ``-`` is standard
    input.

    The decompressed bytes must have the hash `sha256` where one is given. Lines that cannot be jobs
    are an error that counts them by kind; with `bad_lines` ``skip`` they are left out and counted
    in the trace's `bad_lines`. `content` is what is in the file, decompressed, where it has been
    read already. Of fields that are not among `fields`, which has job number and submission, all
    is checked alike and nothing kept: they are -1 throughout, which takes no memory.

    SWFError, which names file, line and field where there are such, for whatever the rules
    (docs/formats.md) refuse, a file without jobs, a damaged gzip, content past a limit, or another
    hash. OSError if the file cannot be opened.
    """
    among(BAD_LINES, "bad_lines", bad_lines, SWFError)
    name = files.called(path)
    parser, digest = Parser(name, fields), hashlib.sha256()

    def hashed():
        for piece in files.pieces(path, SWFError) if content is None else [content]:
            digest.update(piece)
            yield piece

    for block in threads.in_order(parser.parse, parser.blocks(hashed())):
        parser.take(block)
    columns, line = parser.close()
    found = digest.hexdigest()
    if sha256 not in (None, found):
        raise SWFError(f"{name}: sha256 of the decompressed file is {found}, expected {sha256}")
    columns, line = _without_repetitions(columns, line, parser)
    if bad_lines == "refuse" and parser.bad:
        raise SWFError(parser.refusal())
    return ordered(
        columns,
        line,
        comments=tuple(parser.comments),
        path=name,
        sha256=found,
        anomalies=parser.anomalies(),
        bad_lines={kind: parser.bad[kind][0] for kind in KINDS if kind in parser.bad},
    )


def _without_repetitions(columns, line, parser):
    """The columns without jobs whose number an earlier line has, which are counted as bad lines."""
    job_id = columns["job_id"]
    if np.all(np.diff(job_id) > 0):
        return columns, line
    keep = np.zeros(len(line), bool)
    keep[np.unique(job_id, return_index=True)[1]] = True
    if keep.all():
        return columns, line
    again = int(np.argmin(keep))
    first = line[np.argmax(job_id == job_id[again])]
    parser.note(
        "repeated-job-number",
        int(line[again]),
        f", field 1 (job_id): job {job_id[again]} is already on line {first}; allowed: each number once",
        int(np.count_nonzero(~keep)),
    )
    return {name: column[keep] for name, column in columns.items()}, line[keep]


class Parser:
    """Makes columns of the pieces of a file; `path` is what error messages call it."""

    def __init__(self, path, fields=FIELDS):
        self.path = path
        self._fields = [place for place, name in enumerate(FIELDS) if name in fields]
        self.comments = []
        self.bad = {}  # how many lines by kind, the first of them, and what is wrong with it
        self._likeness, self._marked, self._endless = "", False, False
        self._late_comments = self._comment_bytes = self._rows = 0
        self._columns = [
            np.empty(0, np.float64 if _ROW_OF[field] >= 0 else np.int64) for field in self._fields
        ]
        self._line = np.empty(0, np.int32)
        self._state = np.zeros(10, np.int64)  # of all blocks that were taken
        self._below = np.full(len(FIELDS), kernel.UNKNOWN)
        self._below[[FIELDS.index(name) for name in KNOWN]] = kernel.NEVER
        self._below[FIELDS.index("status")] = kernel.ONLY_ONE
        # Of each fault: the kind of line, and what is said of it.
        self._faults = {
            kernel.TEXT: ("not-a-number", "is not a number"),
            kernel.FRACTION: ("not-whole", "has a fraction"),
            kernel.NEGATIVE: ("unknown-status", "is negative"),
            kernel.LARGE: ("too-large", "is too large"),
        }

    def blocks(self, pieces):
        """The whole lines of each piece, with what the one before left over."""
        rest, begun = b"", False
        for piece in pieces:
            if not begun and not rest and piece.startswith(b"\xef\xbb\xbf"):
                self._marked, piece = True, piece[3:]
            text = rest + piece
            end = text.rfind(b"\n") + 1
            rest, begun = text[end:], begun or end > 0
            yield text[:end]
            if len(rest) > _LONGEST_LINE:
                self._endless = True
                return
        yield rest + b"\n" if rest else b""

    def parse(self, text, columns=0):
        """Parse a block of whole lines, whose jobs have so many columns; 0 for those of its first job."""
        rows = len(text) // kernel.SHORTEST_LINE + 1
        whole = np.empty((len(FIELDS) + 1, rows), np.int64)
        real = np.empty((len(DECIMAL), rows))
        slow = np.empty((len(text) // _SHORTEST_SLOW + 1, 3), np.int64)
        state, view, stops = np.zeros(10, np.int64), np.frombuffer(text, np.uint8), []
        state[kernel.COLUMNS] = columns
        counts = [kernel.ROW, kernel.LINE, kernel.FIELD, kernel.COLUMNS]
        while True:
            why = kernel.parse(view, _ROW_OF, self._below, whole, real, slow, state)
            if why == kernel.END:
                return _Block(text, whole, real, slow, state, stops)
            state[kernel.LINE] += why == kernel.COMMENT
            start = int(state[kernel.POSITION])
            end = text.index(b"\n", start)
            stops.append(_Stop(why, *state[counts].tolist(), text[start:end]))
            state[kernel.POSITION] = end + 1

    def take(self, block):
        """Take the next block that was parsed."""
        columns = int(self._state[kernel.COLUMNS])
        if columns and block.state[kernel.COLUMNS] not in (0, columns):
            block = self.parse(block.text, columns)
        for stop in block.stops:
            if stop.why == kernel.COMMENT:
                self._take_comment(stop)
            else:
                self._take_bad(stop, columns or stop.columns or len(FIELDS))
        self._take_slow(block)
        self._store(block)

    def close(self):
        """The columns by name, and the line each job stands on."""
        if self._endless:
            raise SWFError(
                f"{self.path}, line {self._line_of(1)}: longer than {_LONGEST_LINE} bytes; "
                f"allowed: {len(FIELDS)} numbers or a comment"
            )
        if self._rows == 0:
            what = "only comments" if self.comments else "an empty file"
            nothing = f"{self.path}: no jobs, {what}; a job is a line of {len(FIELDS)} numbers"
            raise SWFError(self.refusal() if self.bad else nothing)
        # In place: the system takes back what is left, without a second copy.
        for column in [*self._columns, self._line]:
            column.resize(self._rows, refcheck=False)
        # Handed over, not kept: sorting them must be able to free the old ones.
        columns, self._columns = self._columns, []
        return dict(zip((FIELDS[k] for k in self._fields), columns, strict=True)), self._line

    def anomalies(self):
        """Counts of what was taken although unusual; the rarer kinds only where there are such."""
        state = self._state
        rare = {
            "negative_as_unknown": int(state[kernel.BELOW]),
            "further_columns": int(max(state[kernel.COLUMNS] - len(FIELDS), 0)),
            "byte_order_mark": int(self._marked),
        }
        return {
            "crlf_lines": int(state[kernel.CRLF]),
            "blank_lines": int(state[kernel.BLANK]),
            "late_comments": self._late_comments,
            "whole_with_point": int(state[kernel.POINT]),
        } | {what: count for what, count in rare.items() if count}

    def note(self, kind, line, fault, count=1):
        """Count lines that cannot be jobs."""
        self.bad.setdefault(kind, [0, line, fault])[0] += count

    def refusal(self):
        """What is said of the lines that cannot be jobs: the first of them, and how many there are of each kind."""
        by_line = sorted(self.bad.items(), key=lambda item: item[1][1])
        total = sum(count for count, *_ in self.bad.values())
        kinds = ", ".join(
            f"{count:,} {KINDS[kind]}" + (f" (first: line {line}{fault})" if place else "")
            for place, (kind, (count, line, fault)) in enumerate(by_line)
        )
        lines = self._rows + total - self.bad.get("repeated-job-number", [0])[0]
        rule = "; bad_lines='skip' (--bad-lines skip) leaves them out" if total < lines else ""
        _, (_, line, fault) = by_line[0]
        return (
            f"{self.path}, line {line}{fault}; "
            f"{total:,} of {lines:,} lines cannot be jobs: {kinds}{self._likeness or rule}"
        )

    def _take_comment(self, stop):
        comment = stop.text.lstrip(b" \t").removeprefix(b";").rstrip(b"\r")
        try:
            self.comments.append(comment.decode())
        except UnicodeDecodeError:
            self.comments.append(comment.decode("latin-1"))
        self._late_comments += int(self._rows + stop.row > 0)
        self._comment_bytes += len(comment)
        if len(self.comments) > MOST_COMMENTS or self._comment_bytes > MOST_COMMENT_BYTES:
            raise SWFError(
                f"{self.path}, line {self._line_of(stop.line)}: more than {MOST_COMMENTS:,} comments or "
                f"{MOST_COMMENT_BYTES >> 20} MiB of them; allowed: up to that"
            )

    def _take_bad(self, stop, columns):
        tokens = re.split(rb"[ \t]+", stop.text.rstrip(b"\r").strip(b" \t"))
        line = self._line_of(stop.line)
        if not self.bad and tokens[0].lower().startswith(b"jobid"):
            self._likeness = (
                "; this looks like output of sacct: run it with --parsable2 and convert it with "
                "'replication-cluster convert slurm'"
            )
        if len(tokens) != columns:
            whose = "" if columns == len(FIELDS) else ", as in the first line of the log"
            self.note("wrong-columns", line, f": {len(tokens)} columns; allowed: {columns}{whose}")
        else:
            self._note_value(stop.why, line, stop.field, tokens[stop.field])
        count = sum(count for count, *_ in self.bad.values())
        if count > MOST_BAD and self._rows < LEAST_GOOD * count:
            raise SWFError(f"{self.refusal()} (counted up to line {line:,}: this is no log)")

    def _line_of(self, line):
        """The line of the file, of a line of the block that is being taken."""
        return int(self._state[kernel.LINE]) + line

    def _note_value(self, why, line, field, token):
        """Count a line for one of its values."""
        name, (kind, reason) = FIELDS[field], self._faults[why]
        kind = _NEGATIVE.get(name, kind) if why == kernel.NEGATIVE else kind
        shown = files.shown(token)
        if why != kernel.TEXT:  # a number is not quoted
            shown = token.decode() if len(token) <= 40 else f"{token[:40].decode()}..."
        whole = kind == "too-large" and name not in DECIMAL
        may = allowed(name) + (", of at most 18 digits" if whole else "")
        self.note(kind, line, f", field {field + 1} ({name}): {shown} {reason}; allowed: {may}")

    def _take_slow(self, block):
        """Decimals with too many digits for the kernel; those that no float64 holds make their line a bad one."""
        state, bad = block.state, set()
        for row, field, start in block.slow[: state[kernel.SLOW]].tolist():
            token = _TOKEN.match(block.text, start)[0]
            value = float(token)
            if value == np.inf and row not in bad:
                bad.add(row)
                line = self._line_of(int(block.whole[-1, row]))
                self._note_value(kernel.LARGE, line, field, token)
            block.real[_ROW_OF[field], row] = value
        if bad:
            keep = np.setdiff1d(np.arange(state[kernel.ROW]), [*bad])
            block.whole[:, : len(keep)] = block.whole[:, keep]
            block.real[:, : len(keep)] = block.real[:, keep]
            state[kernel.ROW] = len(keep)

    def _store(self, block):
        """Append the jobs of a block to the columns, and add up its counts."""
        new = int(block.state[kernel.ROW])
        end = self._rows + new
        if end > len(self._line):
            room = _FEW if end <= _FEW else max(_MANY, 2 * end)
            for place, column in enumerate(self._columns):
                self._columns[place] = _longer(column[: self._rows], room)
            self._line = _longer(self._line[: self._rows], room)
        for field, column in zip(self._fields, self._columns, strict=True):
            row = _ROW_OF[field]
            column[self._rows : end] = (block.whole[field] if row < 0 else block.real[row])[:new]
        self._line[self._rows : end] = block.whole[-1, :new] + self._state[kernel.LINE]
        self._rows = end
        self._state[kernel.COLUMNS] = self._state[kernel.COLUMNS] or block.state[kernel.COLUMNS]
        counts = [kernel.LINE, kernel.CRLF, kernel.BLANK, kernel.POINT, kernel.BELOW]
        self._state[counts] += block.state[counts]


def _longer(column, rows):
    """A column with room for so many rows, that begins with the rows of this one."""
    longer = np.empty(rows, column.dtype)
    longer[: len(column)] = column
    return longer
