"""Cases of claims as short values, for results by hand."""


def values_by_case(cases):
    """Return the value of each case, with its interval unless that is a point, by its name; of
    several parts by part.

    Values have two decimals, enough for results by hand; a missing value is None.
    """
    result = {}
    for row in (case.row() for case in cases):
        numbers = [row[key] for key in ("value", "low", "high") if key in row]
        numbers = [None if number is None else round(number, 2) for number in numbers]
        place, name = result, row["case"]
        if "part" in row:
            place, name = result.setdefault(name, {}), row["part"]
        assert name not in place
        place[name] = numbers[0] if len(set(numbers)) == 1 else tuple(numbers)
    return result


def rules(cases):
    """Return operator and threshold of each case as case text; empty where they are the entry's."""
    return [f"{case.operator} {_number(case.threshold)}".strip() for case in cases]


def _number(threshold):
    if isinstance(threshold, tuple):
        return " to ".join(f"{end:g}" for end in threshold)
    return "" if threshold is None else f"{threshold:g}"
