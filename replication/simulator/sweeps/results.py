"""The table of a comparison or a sweep: a DataFrame that prints the result first."""

import textwrap
from html import escape

import pandas as pd

from replication.simulator.schedules.measures import as_text, is_time

FIRST = ("mean_wait", "mean_bounded_slowdown")
POINT = ("log", "estimates", "load", "measure")
WIDTH = 80  # characters


class Results(pd.DataFrame):
    """A table of results that prints means over seeds, and the columns that differ first.

    The table itself is complete; a part of it is a plain pandas.DataFrame.
    """

    @property
    def _constructor(self):
        return pd.DataFrame

    def means(self) -> pd.DataFrame:
        """Return a row for each point: the means over its seeds,
        and the number of its seeds if there are several.
        """
        if "seed" not in self or "measure" in self:
            return pd.DataFrame(self)
        labels = [*self.columns[: self.columns.get_loc("seed")]]
        keys = [name for name in labels if name != "offered_load"]
        groups = self.groupby(keys, sort=False, dropna=False)
        if groups.ngroups == len(self):
            return pd.DataFrame(self)
        table = groups.mean(numeric_only=True).drop(columns="seed").reset_index()
        table["seeds"] = groups.size().to_numpy()
        return table

    def _cells(self):
        """Return the text of the columns that differ, in their order of interest,
        and that of the constant ones.
        """
        table = self.means()
        constant = [name for name in table if len(table) == 1 or table[name].nunique(False) == 1]
        first = ["scheduler", *(name for name in POINT if name not in constant), *FIRST]
        first = [name for name in first if name in table]
        end = next((name for name in ("seed", "seeds", "measure") if name in self), self.columns[0])
        of_points = self.columns[: self.columns.get_loc(end)]
        further = [name for name in table if name not in (*first, *constant)]
        further.sort(key=lambda name: name in of_points)  # measures first
        cells = table.map(as_text)
        if "load" in table:
            cells["load"] = cells["load"].replace("nan", "log")
        shared = {name: cells[name].iloc[0] for name in constant if name not in first}
        unused = ("nan", "False", "")
        shared = {k: v for k, v in shared.items() if v not in unused or k not in of_points}
        return cells[first + further], shared

    def _note(self, shared):
        """Return the sentences below the table: seeds of its means, and constant columns."""
        are_means = "seeds" in self.means() and "measure" not in self
        seeds = f"Means over the seeds of {len(self):,} rows." if are_means else ""
        same = ", ".join(f"{name} {value}" for name, value in shared.items())
        names = [*self.columns, *self["measure"]] if "measure" in self else self.columns
        times = ", ".join(name for name in dict.fromkeys(names) if is_time(name))
        units = times and f"In s: {times}."
        return [line for line in (seeds, same and f"In all rows: {same}.", units) if line]

    def __repr__(self):
        if self.empty:
            return super().__repr__()
        cells, shared = self._cells()
        labels = [name for name in cells if name == "scheduler" or name in POINT]
        left, blocks = [name for name in cells if name not in labels], []
        # Measures that were asked for are printed in as many blocks as they need.
        while left and (not blocks or self.attrs.get("asked")):
            most = len(left)
            while most > 1 and _width(cells[labels + left[:most]]) > WIDTH:
                most -= 1
            rows = pd.get_option("display.max_rows")
            blocks.append(cells[labels + left[:most]].to_string(index=False, max_rows=rows))
            left = left[most:]
        notes = [*self._note(shared), *([f"Not shown: {', '.join(left)}."] if left else [])]
        text = "\n\n".join(blocks or [cells.to_string(index=False)])
        return "\n".join([text, *(textwrap.fill(line, WIDTH) for line in notes)])

    def _repr_html_(self):
        if self.empty:
            return super()._repr_html_()
        cells, shared = self._cells()
        table = cells.to_html(index=False, max_rows=pd.get_option("display.max_rows"))
        return table + "".join(f"<p>{escape(line)}</p>" for line in self._note(shared))


def _width(cells):
    return len(cells.to_string(index=False).partition("\n")[0])
