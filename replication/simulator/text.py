"""Schedulers, estimate models, predictors and resamplings as text, for the shell and the explorer: one parser for all.

A choice is its name, then what its sign asks for, then options::

    easy    f=2    log*2    top=3    last*0.5    f=300,emax=64800    easy:predictor=last,correction=now

The first option may follow a colon or a comma. Names, options and values are those of the classes; of an option
only letters and digits count, so ``emax`` is ``e_max``. Python takes values instead: ``EASY(predictor=Last())``.
"""

import re
from dataclasses import MISSING

from replication.simulator.choices import Number, did_you_mean
from replication.simulator.estimates import EstimateModel
from replication.simulator.predictors import Biased, Predictor
from replication.simulator.resampling import Resampling
from replication.simulator.schedulers import Scheduler

#: Names that stand for a choice with options of its own.
PRESETS = {
    "easy-last": ("easy", {"predictor": "last"}),
    "sjf-easy": ("easy", {"candidates": "sjf"}),
    "top-as-coded": ("top", {"coded": "yes"}),
}
ANSWERS = {"yes": True, "no": False}
LONGEST = 200  # characters


def scheduler(text):
    """Read a scheduler, such as ``easy:predictor=last``; a ChoiceError says what is allowed."""
    return _read(Scheduler, text)


def estimates(text):
    """Read an estimate model, such as ``log*2`` or ``f=300,emax=64800``."""
    return _read(EstimateModel, text)


def resampling(text):
    """Read a resampling, such as ``weeks=8`` or ``users=8,stays=20``."""
    return _read(Resampling, text)


def predictor(text):
    """Read a predictor, such as ``last`` or ``top=3``; ``last*2`` predicts twice as much."""
    of, times, factor = text.rpartition("*")
    if not times:
        return _read(Predictor, text)
    return Biased(predictor(of), _value(factor, Biased.options()["factor"]))


def names(family):
    """All names of a family, presets too."""
    return [*family.members, *(name for name, (own, _) in PRESETS.items() if own in family.members)]


def forms(family):
    """What may be written for a member of a family (`replication.simulator.schedulers.Scheduler`, say), in
    one line.
    """
    return ", ".join(
        _form(name, family.members[PRESETS.get(name, (name,))[0]]) for name in names(family)
    )


def _form(name, member):
    """A choice's name with what must or may follow it, in capitals."""
    if member is Biased:
        return f"{name}: PREDICTOR*FACTOR"
    form, preset = name, PRESETS.get(name, (name, {}))[1]
    options = [own for own in member.options().values() if own.name not in preset]
    for own in options:
        if own.metadata.get("sign"):
            allowed = own.metadata["allowed"]
            allowed = " or ".join(allowed) if isinstance(allowed, tuple) else allowed
            word = f"{own.metadata['sign']}{own.name.upper()} ({allowed})"
            form += word if own.default is MISSING else f"[{word}]"
    for own in options:
        if own.default is MISSING and not own.metadata.get("sign"):
            form += f",{own.name.replace('_', '')}={own.name.upper()}"
    return form


def _read(family, text):
    if len(text) > LONGEST:
        raise family.error(
            f"{family.family} {text[:40]!r}... ({len(text):,} characters), allowed: up to {LONGEST}"
        )
    found = re.fullmatch(r"([^=*:,]+)(?:([=*])([^:,]*))?(?:[:,](.*))?", text.strip())
    if not found:
        raise family.error(f"{family.family} {text!r}, allowed: {forms(family)}")
    name, sign, amount, rest = found.groups()
    known = names(family)
    if name not in known:
        raise family.error(
            f"{family.family} {name!r} unknown{did_you_mean(name, known)}; allowed: {forms(family)}"
        )
    own, preset = PRESETS.get(name, (name, {}))
    member = family.members[own]
    given = dict(preset)
    options = member.options()
    if sign:
        signed = [option for option in options if options[option].metadata.get("sign") == sign]
        if not signed:
            raise family.error(f"{family.family} {text!r}, allowed: {_form(name, member)}")
        given[signed[0]] = amount
    for word in rest.split(",") if rest is not None else ():
        option, equals, value = word.partition("=")
        if not (option and equals and value):
            raise family.error(f"{family.family} {text!r}: {word!r}, allowed: OPTION=VALUE")
        # The word itself where there is no such option, for the class to refuse.
        given[next((own for own in options if _plain(own) == _plain(option)), option)] = value
    for option, declared in options.items():
        if declared.default is MISSING and option not in given:
            raise family.error(f"{family.family} {text!r} needs more: {_form(name, member)}")
    return member(
        **{
            option: _value(value, options[option]) if option in options else value
            for option, value in given.items()
        }
    )


def _plain(word):
    return re.sub(r"[^a-z0-9]", "", word.lower())


def _value(word, declared):
    """The value that a word means for an option; words that mean none stay, for the class to refuse."""
    if declared.metadata.get("allowed") is Predictor or isinstance(declared.default, Predictor):
        return predictor(word)
    if isinstance(declared.default, bool):
        return ANSWERS.get(word, word)
    if isinstance(declared.metadata.get("allowed"), Number):
        try:
            number = float(word)
        except ValueError:
            return word
        return int(word) if word.lstrip("+-").isdecimal() else number
    return word
