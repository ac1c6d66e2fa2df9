"""Records of delimited text whose free text holds the delimiter or line breaks.

Neither sacct nor many programs that write tables quote a field. A record is put together again
where exactly one way gives times, states and numbers in their columns.
"""

import re
from dataclasses import dataclass

JOINED = "records joined again around a separator or line break"
MOST_LINES = 100  # of a record
MOST_WAYS = 1000
MOST_FAILED = 1000  # lines after which a file of another form is not tried any more
MOST_CHARACTERS = 8  # of a separator
MOST_EXTRA = 60  # separators in the free text of a record


@dataclass(frozen=True)
class Column:
    """A column of delimited text.

    Parameters
    ----------
    name : str, optional
        By which its value is returned; None for a column that is not used.
    pattern : re.Pattern, optional
        What its values match; None for free text.
    evident : bool
        Whether a value that matches shows that a record begins: a number, time or state.
    """

    name: str | None = None
    pattern: re.Pattern | None = None
    evident: bool = False


def divide(line, separator):
    """Return the fields of a line; a separator at its end closes the last one."""
    parts = line.split(separator)
    return parts[:-1] if len(parts) > 1 and parts[-1] == "" else parts


def separator(lines, count):
    """Return the text of up to `MOST_CHARACTERS` characters that are no letters and digits, and
    that divides most of some lines into `count` fields, the longest of several; None if there is
    none.
    """
    runs = {*re.findall(r"[\W_]+", lines[0])}
    texts = {
        run[k:end]
        for run in runs
        for k in range(len(run))
        for end in range(k + 1, min(len(run), k + MOST_CHARACTERS) + 1)
    }
    fits = {text: sum(len(divide(line, text)) == count for line in lines) for text in texts}
    best = max(fits, key=lambda text: (fits[text], len(text)), default=None)
    return best if best and fits[best] else None


class Assembler:
    """Puts the lines of a table together to records.

    Parameters
    ----------
    columns : sequence of Column
    separator : str
    counts : collections.Counter
        Of the records that are put together again.
    """

    def __init__(self, columns, separator, counts):
        self.columns, self.separator, self.counts = columns, separator, counts
        self.failed = 0  # lines that are in no record
        self._used = [(k, column.name) for k, column in enumerate(columns) if column.name]
        self._evident = [(k, c.pattern) for k, c in enumerate(columns) if c.name and c.evident]
        self._is_open = columns[-1].pattern is None
        self._waiting = []

    def add(self, number, parts):
        """Yield the (line number, fields by name, text) of each record that is complete before this
        line; None in place of the fields of a line that is part of no record.
        """
        whole = self._is_whole(parts)
        yield from self.rest(1 if whole else MOST_LINES)
        if whole and not self._is_open:
            yield number, {name: parts[k] for k, name in self._used}, ""
        else:
            self._waiting.append((number, parts))

    def rest(self, least=1):
        """Yield the records of the lines that wait for more, until fewer wait; see `add`."""
        lines = self._waiting
        while len(lines) >= least:
            number, parts = lines[0]
            alone = len(lines) == 1 and self._is_whole(parts)
            fields, taken = (None, 1) if alone else self._first_record(lines)
            if fields is None and taken == 1 and len(parts) == len(self.columns):
                # A whole line, or one with a value that cannot be read.
                fields = {name: parts[k] for k, name in self._used}
            elif fields is not None:
                self.counts[JOINED] += taken > 1 or len(parts) > len(self.columns)
            if fields is not None:
                yield number, fields, ""
            else:
                yield from ((k, None, self.separator.join(of)) for k, of in lines[:taken])
            lines = lines[taken:]
        self._waiting = lines

    def _first_record(self, lines):
        """Return the fields of the record that begins with the first line, and its number of lines.

        It has as many lines as fit in one way. None and a number of lines if they fit in several.
        """
        if self.failed > MOST_FAILED and self.failed > 10 * self.counts[JOINED]:
            return None, 1
        record, most = None, 1
        for taken in range(1, len(lines) + 1):
            if taken > 1 and self._may_begin(lines, taken - 1, record is not None):
                break
            fields = self._fit(lines[:taken])
            if fields is not None and record is not None and fields != record:
                return None, taken
            if fields is not None:
                record, most = fields, taken
        self.failed += record is None
        if record is not None and any(
            self._begins(lines[k][1]) and self._fit(lines[k:most]) for k in range(1, most)
        ):
            return None, most
        return record, most

    def _may_begin(self, lines, k, complete):
        """Return whether another record begins with line k, after a complete one or not."""
        if len(lines[k][1]) >= len(self.columns):
            return True
        if not complete:
            return False
        return self._begins(lines[k][1]) or any(
            self._fit(lines[k:end]) is not None for end in range(k + 1, len(lines) + 1)
        )

    def _is_whole(self, parts):
        return len(parts) == len(self.columns) and all(
            pattern.fullmatch(parts[k].strip()) for k, pattern in self._evident
        )

    def _fit(self, lines):
        """Return the fields of lines that are one record, or None."""
        if sum(len(parts) - 1 for _, parts in lines) < len(self.columns) - 1:
            return None
        parts = [*lines[0][1]]
        for _, following in lines[1:]:  # a field that was in quotation marks is never divided
            parts[-1:] = [f"{parts[-1]}\n{following[0]}", *following[1:]]
        return fit(parts, self.columns, self.separator)

    def _begins(self, parts):
        """Return whether the first columns of a line, as far as they fit, are those of a record."""
        evident = False
        for part, column in zip(parts, self.columns):
            if column.pattern is not None and not column.pattern.fullmatch(part.strip()):
                break
            evident |= bool(column.evident and part.strip())
        return evident


def fit(parts, columns, separator):
    """Return the fields of a record with separators in its free text, by name.

    None unless exactly one way gives the used columns with a pattern. Free text that can be divided
    in several ways is empty.
    """
    extra = len(parts) - len(columns)
    if not 0 <= extra <= MOST_EXTRA:
        return None
    # By the number of parts used so far: the fields with a pattern, and with them all fields.
    ways = {0: {(): ()}}
    for k, column in enumerate(columns):
        longer = {}
        for used, partials in ways.items():
            for count in range(1, extra - (used - k) + 2):
                text = separator.join(parts[used : used + count]).strip()
                if column.pattern is not None and not column.pattern.fullmatch(text):
                    continue
                extensions = longer.setdefault(used + count, {})
                for key, fields in partials.items():
                    if column.name:
                        fields = (*fields, text)
                        key = (*key, text) if column.pattern is not None else key
                    extensions[key] = _common(extensions.get(key, fields), fields)
        if not 0 < sum(map(len, longer.values())) <= MOST_WAYS:
            return None
        ways = longer
    complete = [*ways.get(len(parts), {}).values()]
    names = [column.name for column in columns if column.name]
    return dict(zip(names, complete[0])) if len(complete) == 1 else None


def _common(fields, others):
    return tuple(a if a == b else "" for a, b in zip(fields, others))
