"""Gantt charts of small schedules, in text and as SVG."""

from html import escape

WIDTH = 72  # characters
NAMES = "0123456789abcdefghijklmnopqrstuvwxyz"
#: Colours of jobs, distinct also for the colour-blind (Okabe and Ito), lightened.
COLOURS = ("#8ecae6", "#ffd166", "#95d5b2", "#f4a261", "#cdb4db", "#e9c46a", "#a8dadc", "#f7b2ad")


def place(runs, processors):
    """Return the processors of each run, the lowest free ones.

    Parameters
    ----------
    runs : list of (job, start, end, size)
    processors : int
        Of the machine; a run that finds too few free ones is placed above it.

    Returns
    -------
    list of (job, start, end, list of int)
    """
    placed = []
    for job, start, end, size in sorted(runs, key=lambda run: (run[1], run[2] > run[1], run[0])):
        taken = {k for _, _, until, held in placed if until > start for k in held}
        free = (k for k in range(processors + sum(run[3] for run in runs)) if k not in taken)
        placed.append((job, start, end, [next(free) for _ in range(size)]))
    return placed


def text(runs, processors):
    """Return a chart in text: a row for each processor, a column for one or more seconds.

    Parameters
    ----------
    runs : list of (int, int, int, int)
        Number, start, end (s) and size of each job.
    processors : int
    """
    placed = place(runs, processors)
    first = min(start for _, start, _, _ in placed)
    last = max(end for _, _, end, _ in placed)
    unit = max(-(-int(last - first) // WIDTH), 1)
    rows = max([processors, *(max(held) + 1 for _, _, _, held in placed)])
    grid = [["."] * (int(last - first) // unit + 1) for _ in range(rows)]
    for job, start, end, held in placed:
        begin = int(start - first) // unit
        until = max(-(-int(end - first) // unit), begin + 1) if end > start else begin
        for row in held:
            for column in range(begin, until):
                grid[row][column] = NAMES[job % len(NAMES)]
    width = len(grid[0])
    axis = ""
    while len(axis) < width:
        axis += f"{first + len(axis) * unit:g}".ljust(10)
    scale = "" if unit == 1 else f"   a column is {unit} s"
    lines = [f"      {axis[: width + 8].rstrip()} s{scale}"]
    for row in reversed(range(rows)):
        name = str(row + 1) if row < processors else "over"
        lines.append(f"{name:>5} {''.join(grid[row])}")
    return "\n".join(lines)


def svg(runs, processors, marked=(), until=None):
    """Return a chart as SVG up to `until`, s; jobs of `marked` have a thick edge."""
    placed = place(runs, processors)
    first = min(start for _, start, _, _ in placed)
    last = max(end for _, _, end, _ in placed)
    rows = max([processors, *(max(held) + 1 for _, _, _, held in placed)])
    last = last if until is None else until
    scale, height, left = 560 / max(last - first, 1), 22, 44
    parts, lines = [], []
    for job, start, end, held in placed:
        x, width = left + (start - first) * scale, max((end - start) * scale, 1)
        for row in held:
            y = (rows - 1 - row) * height
            edge = 'stroke="#b00" stroke-width="2"' if job in marked else 'stroke="#fff"'
            parts.append(
                f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{height}" '
                f'fill="{COLOURS[job % len(COLOURS)]}" {edge}/>'
            )
            parts.append(
                f'<text x="{x + width / 2:.1f}" y="{y + 15}" text-anchor="middle">{job}</text>'
            )
    for row in range(rows):
        name = row + 1 if row < processors else "over"
        parts.append(f'<text x="0" y="{(rows - 1 - row) * height + 15}">{name}</text>')
    bottom, step = rows * height, next(s for s in _steps() if (last - first) / s <= 12)
    time = -(-first // step) * step
    while time <= last:
        x = left + (time - first) * scale
        lines.append(f'<line x1="{x:.1f}" y1="0" x2="{x:.1f}" y2="{bottom}" stroke="#ccc"/>')
        parts.append(f'<text x="{x:.1f}" y="{bottom + 15}" text-anchor="middle">{time:g}</text>')
        time += step
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 -2 620 {bottom + 24}" '
        f'width="620" height="{bottom + 26}" font-family="sans-serif" font-size="12">'
        f"{''.join(lines + parts)}</svg>"
    )


def _steps():
    step = 1
    while True:
        yield from (step, 2 * step, 5 * step)
        step *= 10


def badge(label, message, colour):
    """Return a badge as SVG: a label and a message on a colour."""
    left, right = 7 * len(label) + 12, 7 * len(message) + 12
    label, message = escape(label), escape(message)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" '
        f'role="img" aria-label="{label}: {message}"><title>{label}: {message}</title>'
        f'<rect width="{left}" height="20" fill="#555"/>'
        f'<rect x="{left}" width="{right}" height="20" fill="{colour}"/>'
        '<g fill="#fff" text-anchor="middle" font-family="Verdana,sans-serif" font-size="11">'
        f'<text x="{left / 2}" y="14">{label}</text>'
        f'<text x="{left + right / 2}" y="14">{message}</text></g></svg>\n'
    )
