"""What the commands use of the other rooms, imported when first used: the one place where the shell is lazy."""

from replication.simulator.lazy import lazily

_MODULES = """
    simulator.archive simulator.cleaning simulator.swf cluster.tables simulator.traces cluster.accounting.slurm
    cluster.accounting.torque simulator.estimates simulator.schedulers simulator.formats simulator.measures
    simulator.plans simulator.simulation simulator.text simulator.engines simulator.grid simulator.kept
    simulator.study papers.committed report.notebook report.record
    report.assemble report.results
"""
_PLACES = {module.rpartition(".")[2]: module for module in _MODULES.split()}
_PLACES |= {"figures": "report.run", "keys": "cluster.accounting.anonymous"}
_PLACES |= {f"cluster_{name}": f"cluster.{name}" for name in ("log", "report", "study")}


def __getattr__(name):
    if name in _PLACES:
        return lazily(f"replication.{_PLACES[name]}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
