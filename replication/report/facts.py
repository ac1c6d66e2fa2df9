"""What the article refers to, looked up in the recorded results.

In its source stands ``{kind words; further}``; docs/article.md has the kinds, and each is a method of `Facts`.
"""

import operator
import re
import shlex

from replication.papers import claims, shown, verdicts
from replication.report import headlines, record
from replication.report.render import SIGNS

CHECK = re.compile(r"(<=|>=|<|>)\s*(-?[\d.]+)")
FORM = re.compile(r"(?:([*/])\s*([\d.]+)\s*)?([+,]*(?:\.\d+)?[feg%d]?)")
ORDERS = {"<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge}
# The first number that stands by itself: a log's name may hold digits.
FIRST = re.compile(r"(?<!\S)[-+]?\d[\d,]*\.?\d*(?: ?%)?")
LABELS = ("Re", "¬Re", "?Re")


class FactError(ValueError):
    """A reference that leads nowhere, or whose result is not what its sentence says."""


def label(given):
    """What stands in the title for a paper of which the claims behind its abstract's findings got these verdicts.

    ``Re`` if more than half of those that could fail hold, at least in part; ``¬Re`` if no more do and one fails; else
    ``?Re``.
    """
    decided = [word for word in given if word in (*headlines.HELD, claims.FAILS, claims.UNDECIDED)]
    if 2 * sum(word in headlines.HELD for word in decided) > len(decided):
        return LABELS[0]
    return LABELS[1] if claims.FAILS in decided else LABELS[2]


class Facts:
    """All that can be referred to in `replication.report.results.Results`."""

    def __init__(self, results):
        self._papers = {paper.key: paper for paper in results.papers}
        self._numbers = {one.name[1:]: one for one in results.every("numbers")}
        self._claims = {one.name[1:3]: one for one in results.every("claims")}

    def text(self, reference):
        """What stands in the text, as Markdown, for what is between a reference's braces; else FactError."""
        first, *further = (part.strip() for part in reference.split(";"))
        try:
            kind, *words = shlex.split(first)
        except ValueError as error:
            raise FactError(f"cannot be read: {error}") from None
        if kind not in KINDS:
            raise FactError(f"kind {kind!r}, allowed: {', '.join(KINDS)}")
        try:
            found = getattr(self, f"_{kind}")(*words)
        except TypeError:
            raise FactError(f"{len(words)} words do not tell which {kind}") from None
        form = None
        for part in further:
            if check := CHECK.fullmatch(part):
                if not ORDERS[check[1]](_number(found), float(check[2])):
                    raise FactError(f"{found} is not {part}")
            elif part in EXPECTED:
                if found != part:
                    raise FactError(f"the text says {part!r}; it is {found!r} now")
            elif (form := FORM.fullmatch(part)) is None:
                raise FactError(f"{part!r} is neither a verdict, a comparison nor a format")
        if kind in ("claim", "title") and not EXPECTED.intersection(further):
            raise FactError(f"it is {found!r}; the text has to say so behind a semicolon")
        if kind == "claim":
            return f"[{SIGNS[found]} {found}](#{verdicts.place('claim', *words)})"
        return _formed(found, form)

    def _paper(self, *key):
        return self._one(key).shown()["published"]

    def _ours(self, *key):
        return self._one(key).ours

    def _difference(self, *key):
        return self._one(key).shown()["difference"]

    def _one(self, key):
        found = self._numbers.get(key)
        if found is None:
            raise FactError(f"no published number {' '.join(key)}")
        if found.verdict == verdicts.NOT_DRAWN:
            raise FactError(f"no notebook draws {' '.join(key)}")
        return found

    def _claim(self, paper, name):
        return self._of(paper, name).verdict

    def _held(self, paper, name):
        return self._of(paper, name).count

    def _of(self, paper, name):
        if (paper, name) not in self._claims:
            raise FactError(f"no claim {paper} {name}")
        return self._claims[paper, name]

    def _case(self, paper, name, *start):
        start = " ".join(start)
        found = [words for words, _ in self._of(paper, name).cases if words.startswith(start)]
        if len(found) != 1:
            raise FactError(f"{len(found)} cases of {paper} {name} begin with {start!r}")
        return found[0].removeprefix(start).strip()

    def _values(self, paper, name, *held):
        cases = [words for words, _ in self._of(paper, name).cases]
        chosen = [words for words in cases if all(part in words.split() for part in held)]
        found = [number[0] for words in chosen if (number := FIRST.search(words))]
        if not chosen or len(found) != len(chosen):
            raise FactError(f"{len(chosen)} cases of {paper} {name} hold {' '.join(held)!r}")
        return ", ".join(found)

    def _range(self, paper, name, *held):
        found = sorted(self._values(paper, name, *held).split(", "), key=_number)
        return f"{found[0].removesuffix(' %')} to {found[-1]}"

    def _count(self, paper, kind, word):
        known = {"numbers": verdicts.NUMBER_WORDS, "claims": verdicts.CLAIM_WORDS}.get(kind, ())
        if word not in known:
            raise FactError(f"verdict {word!r}, allowed: {', '.join(known)}")
        return float([one.verdict for one in self._all(paper, kind)].count(word))

    def _total(self, paper, kind):
        return float(len(self._all(paper, kind)))

    def _all(self, paper, kind):
        if paper not in (*self._papers, "all") or kind not in ("numbers", "claims"):
            raise FactError(f"no {kind} of {paper}")
        chosen = self._papers.values() if paper == "all" else [self._papers[paper]]
        return [one for paper in chosen for one in getattr(paper, kind)]

    def _cell(self, file, column, *conditions):
        (cell,) = self._rows(file, column, conditions, only=True)
        try:
            return float(cell)
        except ValueError:
            return cell

    def _least(self, file, column, *conditions):
        return min(map(_number, self._rows(file, column, conditions)))

    def _most(self, file, column, *conditions):
        return max(map(_number, self._rows(file, column, conditions)))

    def _rows(self, file, column, conditions, only=False):
        path = record.folder("paper") / f"{file}.csv"
        if not path.is_file():
            raise FactError(f"no table {file}.csv in figures/")
        rows = verdicts.read_csv(path)
        wanted = dict(condition.partition("=")[::2] for condition in conditions)
        head = rows[0] if rows else {}
        if absent := [name for name in (column, *wanted) if name not in head]:
            raise FactError(f"{file}.csv has no column {absent[0]!r}, but {', '.join(head)}")
        chosen = [row for row in rows if wanted.items() <= row.items()]
        if not chosen or only and len(chosen) > 1:
            raise FactError(f"{len(chosen)} rows of {file}.csv have {', '.join(conditions)}")
        return [row[column] for row in chosen]

    def _fact(self, item, *names):
        found = record.of("paper", item)
        for name in names:
            if not isinstance(found, dict) or name not in found:
                raise FactError(f"the record {item}.json has no {' '.join(names)}")
            found = found[name]
        return float(found) if isinstance(found, int) else found

    def _title(self, paper):
        entered = headlines.entered(paper).values()
        names = dict.fromkeys(name for finding in entered for name in finding["claims"])
        return label([self._of(paper, name).verdict for name in names])


KINDS = (
    "paper ours difference claim held case values range count total cell least most fact title"
).split()
EXPECTED = {*SIGNS, *LABELS}


def _number(found):
    number = found if isinstance(found, float) else FIRST.search(str(found))
    if number is None:
        raise FactError(f"{found!r} is no number")
    return number if isinstance(number, float) else float(re.sub("[,% ]", "", number[0]))


def _formed(found, form):
    if form is None or not form[0]:
        return shown.text(found)
    value = _number(found)
    if form[1]:
        value = value * float(form[2]) if form[1] == "*" else value / float(form[2])
    return format(value, form[3] or "g").replace("%", " %")
