"""Times in accounting records: dates, hours that occur twice, durations, and numbers that mean
*never*.
"""

import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
import pandas as pd

YEAR = 366 * 86400  # s
CALENDAR = 10 * YEAR  # s; submissions below, half of them or more, do not count from 1970
LATEST = 10**11  # s since 1970, and of a time limit
#: Numbers for "never" and "unlimited" in databases: the largest of 31 bits, and from NO_VAL of
#: Slurm on.
LARGEST, NO_VALUE = 2**31 - 1, 2**32 - 2
NO_DATE = r"(0000|0001|1899|1900|9999)-.*"  # zero dates and the like of databases
UNITS = {**{"ns": 1e-9, "us": 1e-6, "ms": 0.001}, **{"s": 1, "min": 60, "h": 3600, "d": 86400}}
RECENT = 631_152_000, 4_102_444_800  # 1990 to 2100
DAY = r"(\d{4}-\d\d-\d\d|\d{4}/\d\d/\d\d|\d{8})"
#: ISO 8601, with a solidus, too; pandas alone would read "now" and "2026-2".
DATE = DAY + r"([T ]\d\d?(:?\d\d(:?\d\d(\.\d+)?)?)?( ?[+-]\d\d(:?\d\d)?|Z)?)?"
_NUMBER = r"([0-9]{1,12}(?:\.[0-9]{1,9})?)"
_CLOCK = re.compile(
    r"(?:(?:([0-9]{1,9})(?: days?,? |[-+:]))?([0-9]{1,9}):(?=[0-5]?[0-9]:))?"
    r"([0-9]{1,9}):([0-5][0-9](?:\.[0-9]{1,9})?)"
)
_ISO = re.compile(
    "P(?=.*[0-9])(?:{0}W)?(?:{0}D)?(?:T(?=[0-9])(?:{0}H)?(?:{0}M)?(?:{0}S)?)?".format(
        _NUMBER.replace(r"\.", "[.,]")
    )
)
_WORDS = "ns,us µs,ms,s sec secs second seconds,m min mins minute minutes,h hr hrs hour hours,"
_LENGTHS = zip(f"{_WORDS}d day days,w week weeks".split(","), (*UNITS.values(), 604_800))
_SECONDS = {unit: seconds for units, seconds in _LENGTHS for unit in units.split()}
_PART = rf"{_NUMBER} ?({'|'.join(sorted(_SECONDS, key=len, reverse=True))})(?![a-zµ])[ ,]*"


def time_zone(name):
    """Return a time zone by its name; None if there is none of that name."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def length(text, short=False):
    """Return the seconds of a duration, or None for another text.

    It has numbers with units in descending order (``90 min``, ``1h30m``), is a clock, with days or
    without (``26:00:00``, ``1-02:00:00``, ``1 day, 2:00:00``, ``1:02:00:00``), or is ISO 8601
    without years and months (``PT1.5H``). With `short`, a clock may have minutes and seconds alone.
    """
    if clock := _CLOCK.fullmatch(text):
        parts, units = clock.groups(), (86400, 3600, 60, 1)
        if parts[1] is None and not short:
            return None
    elif iso := _ISO.fullmatch(text):
        parts, units = iso.groups(), (604_800, 86400, 3600, 60, 1)
    elif re.fullmatch(f"({_PART})+", text):
        parts, names = zip(*re.findall(_PART, text))
        units = [_SECONDS[name] for name in names]
        if units != sorted({*units}, reverse=True):
            return None
    else:
        return None
    return sum(float((n or "0").replace(",", ".")) * unit for n, unit in zip(parts, units))


def unix_times(texts, zone, form=None):
    """Convert dates to Unix times.

    Parameters
    ----------
    texts : pandas.Series of str
        ISO 8601, with or without an offset.
    zone : str
        Time zone of dates without an offset.
    form : str, optional
        The form of the dates, as in strptime, instead of ISO 8601. ``%Z`` is the name of a time of
        the zone, such as PDT.

    Returns
    -------
    times : float64[n], s; nan where the text is no date.
    late : float64[n], s
        The same, with the second occurrence of an hour that occurred twice.
    local : bool[n], dates without an offset.
    """
    texts = texts.mask(texts.str.fullmatch(NO_DATE).eq(True))
    if form and "%Z" in form:
        return _named(texts, zone, form)
    if not form:
        texts = texts.where(texts.str.fullmatch(DATE).eq(True))
    dates = pd.to_datetime(texts, format=form or "ISO8601", errors="coerce", utc=True)
    if form:
        local = pd.Series("%z" not in form, texts.index)
    else:
        local = ~texts.str.contains(r"Z$|[T ]\d.*[+-]\d\d:?\d*$", regex=True, na=False)
    exact, both = _seconds(dates), _localized(dates, zone)
    times, late = (np.where(local, _seconds(of), exact) for of in both)
    return times, late, local.to_numpy() & ~np.isnan(times)


def _localized(dates, zone):
    """Return UTC dates as times of a zone, twice: the first and the second occurrence of an hour
    that occurs twice.
    """
    plain = dates.dt.tz_localize(None)
    for is_dst in (True, False):
        yield plain.dt.tz_localize(zone, np.full(len(plain), is_dst), "shift_forward")


def _named(texts, zone, form):
    """Return what `unix_times` does for dates that name their time, such as PST or PDT."""
    name = texts.str.extract(r".*\b([A-Z]{3,5})\b", expand=False)
    rest = texts.str.replace(r"^(.*)\b[A-Z]{3,5}\b", r"\1", regex=True).str.split().str.join(" ")
    form = " ".join(form.replace("%Z", "").split())
    dates = pd.to_datetime(rest, format=form, errors="coerce", utc=True)
    times = np.where(name.isin(["UTC", "GMT"]), _seconds(dates), np.nan)
    for of in _localized(dates, zone):
        same = (of.dt.strftime("%Z") == name).to_numpy(bool)
        times = np.where(same & np.isnan(times), _seconds(of), times)
    return times, times, np.full(len(texts), False)


def _seconds(dates):
    """Return Unix times of a datetime Series with a time zone, float64[n], s."""
    whole = dates.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy("datetime64[s]")
    return np.where(np.isnat(whole), np.nan, whole.astype(np.int64).astype(np.float64))


def not_before(times, late, earliest):
    """Return the later occurrence of a time that would otherwise be before something that came
    first.
    """
    return np.where((times < earliest) & (late >= earliest), late, times)


def is_calendar(submit):
    """Return whether submissions, float64[n], count from 1970."""
    times = submit[~np.isnan(submit)]
    return len(times) > 0 and bool(np.median(times) > CALENDAR)


def known_times(submit, start, end):
    """Return submissions, starts and ends without those that stand for *never*: nan in their place.

    Databases write 0, a date in 1970, or the largest number of their type. Any start or end more
    than a year before the first submission is one of them.

    Parameters
    ----------
    submit, start, end : float64[n], s
        nan where unknown.

    Returns
    -------
    list of three float64[n], s
    """
    calendar = is_calendar(submit)
    earliest = submit[submit >= YEAR].min() if calendar else 0.0
    columns = []
    for times in (submit, start, end):
        never = (times == LARGEST) | (times >= NO_VALUE)
        if calendar:
            never |= times < (YEAR if times is submit else earliest - YEAR)
        elif times is not submit:
            never |= (times == 0) & (submit > 0)
        columns.append(np.where(never, np.nan, times))
    return columns


def unit_of(number):
    """Return the unit in which a number is a recent time since 1970, or None."""
    return next((u for u, seconds in UNITS.items() if _is_recent(number * seconds)), None)


def _is_recent(seconds):
    return RECENT[0] <= seconds <= RECENT[1]


def day_of(time, zone=None):
    """Return the beginning of the day of a Unix time, s."""
    if time < CALENDAR:
        return time // 86400 * 86400
    day = datetime.fromtimestamp(time, time_zone(zone) if zone else UTC)
    return day.replace(hour=0, minute=0, second=0, microsecond=0).timestamp()


def shown(time, zone=None):
    """Return a Unix time as a date; a number of seconds if it does not count from 1970."""
    if time < CALENDAR:
        return f"second {time:,.0f}"
    day = datetime.fromtimestamp(time, time_zone(zone) if zone else UTC)
    return day.strftime("%Y-%m-%d %H:%M:%S")


def duration(seconds):
    """Return a duration in words."""
    for unit, length in (("days", 86400), ("h", 3600)):
        if seconds >= length:
            return f"{seconds / length:,.1f} {unit}"
    return f"{seconds:,.0f} s"
