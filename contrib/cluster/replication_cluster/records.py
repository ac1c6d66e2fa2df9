"""Records of delimited text whose free text holds the delimiter or line breaks.

Neither sacct nor many programs that write tables quote a field. A record is put together again
where exactly one way gives times, states and numbers in their columns.
"""

import re
from dataclasses import dataclass

MOST_LINES = 100  # of a record
MOST_WAYS = 1000
MOST_FAILED = 1000  # lines after which a file of another form is not tried any more
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


class Assembler:
    """Puts the lines of a table together to records.

    Parameters
    ----------
    columns : sequence of Column
    separator : str
    """

    def __init__(self, columns, separator):
        self.columns, self.separator = columns, separator
        self.joined = self.failed = 0  # lines that begin a record of several, and that do not
        self.continued = 0  # lines of a free text in the last column
        self._used = [(k, column.name) for k, column in enumerate(columns) if column.name]
        self._evident = [(k, c.pattern) for k, c in enumerate(columns) if c.name and c.evident]
        self._waiting, self._open = [], False

    def add(self, number, parts):
        """Yield the (line number, fields by name, text) of each record that is complete with this
        line; None in place of the fields of a line that is part of no record.
        """
        if not self._is_whole(parts):
            self._waiting.append((number, parts))
            if len(self._waiting) >= MOST_LINES:
                yield from self.rest()
            return
        yield from self.rest()
        self._open = self.columns[-1].pattern is None
        yield number, {name: parts[k] for k, name in self._used}, ""

    def rest(self):
        """Yield the records of the lines that wait for more; see `add`."""
        lines, self._waiting = self._waiting, []
        while lines:
            number, parts = lines[0]
            fields, taken = self._first_record(lines)
            if fields is not None:
                self.joined += 1
                self._open = self.columns[-1].pattern is None
                yield number, fields, ""
            elif taken > 1:
                self._open = False
                yield from ((k, None, self.separator.join(of)) for k, of in lines[:taken])
            elif len(parts) == len(self.columns):  # with a value that cannot be read
                yield number, {name: parts[k] for k, name in self._used}, ""
            elif self._open and not self._begins(parts):
                self.continued += 1
            else:
                self._open = False
                yield number, None, self.separator.join(parts)
            lines = lines[taken:]

    def _first_record(self, lines):
        """Return the fields of the record that begins with the first line, and its number of lines;
        None and 1 if there is none.

        There is none either if one that fits evidently begins later: the first line may be torn.
        """
        if self.failed > MOST_FAILED and self.failed > 10 * self.joined:
            return None, 1
        for taken in range(1, len(lines) + 1):
            if taken > 1 and len(lines[taken - 1][1]) >= len(self.columns):
                break  # enough for a record of its own
            fields = self._fit(lines[:taken])
            if fields is not None:
                later = (k for k in range(1, taken) if self._begins(lines[k][1]))
                if any(self._fit(lines[k:taken]) is not None for k in later):
                    return None, taken
                return fields, taken
        self.failed += 1
        return None, 1

    def _is_whole(self, parts):
        return len(parts) == len(self.columns) and all(
            pattern.fullmatch(parts[k].strip()) for k, pattern in self._evident
        )

    def _fit(self, lines):
        """Return the fields of lines that are one record, or None."""
        parts = "\n".join(self.separator.join(parts) for _, parts in lines).split(self.separator)
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
        for used, some in ways.items():
            for count in range(1, extra - (used - k) + 2):
                text = separator.join(parts[used : used + count]).strip()
                if column.pattern is not None and not column.pattern.fullmatch(text):
                    continue
                found = longer.setdefault(used + count, {})
                for key, fields in some.items():
                    if column.name:
                        fields = (*fields, text)
                        key = (*key, text) if column.pattern is not None else key
                    found[key] = _common(found.get(key, fields), fields)
        if not 0 < sum(map(len, longer.values())) <= MOST_WAYS:
            return None
        ways = longer
    found = [*ways.get(len(parts), {}).values()]
    names = [column.name for column in columns if column.name]
    return dict(zip(names, found[0])) if len(found) == 1 else None


def _common(some, others):
    return tuple(a if a == b else "" for a, b in zip(some, others))
