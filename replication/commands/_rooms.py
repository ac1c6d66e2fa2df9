"""What the commands use of the other rooms, imported when first used: the one place where the shell is lazy."""

from replication.basics.lazy import lazily

_MODULES = """
    logs.archive logs.cleaning logs.swf logs.tables logs.traces logs.accounting.slurm logs.accounting.torque
    estimates schedulers schedule.formats schedule.measures schedule.plans schedule.simulation schedule.text
    sweeps.engines sweeps.grid sweeps.kept sweeps.study evidence.committed pages.notebook pages.record
    report.assemble report.results
"""
_PLACES = {module.rpartition(".")[2]: module for module in _MODULES.split()}
_PLACES |= {"figures": "pages.run", "keys": "logs.accounting.anonymous"}
_PLACES |= {f"cluster_{name}": f"cluster.{name}" for name in ("log", "report", "study")}


def __getattr__(name):
    if name in _PLACES:
        return lazily(f"replication.{_PLACES[name]}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
