#!/usr/bin/env python3
"""Run a log through OAR: oar.py LOG.swf OUT.csv [NAME=VALUE ...]

The programs of OAR are called in the order in which Almighty, its automaton, calls them, so that
the events of an instant share a pass. Only the clock of its data base is set: OAR has no other.
"""

import glob
import os
import pwd
import re
import socket
import threading

from machine import FOLDER, MINUTE, Daemons, Problem, main, template

OAR = "/usr/lib/oar"
POLICY = "oar_sched_gantt_with_timesharing"
BASE = {
    "listen_addresses": "127.0.0.1", "port": "5432", "unix_socket_directories": "",
    "fsync": "off", "autovacuum": "off", "timezone": "UTC",
}  # fmt: skip
PLANNED = """SELECT j.job_id, string_agg(g.resource_id::text, ' ' ORDER BY g.resource_id)
FROM gantt_jobs_resources g, moldable_job_descriptions m, jobs j
WHERE g.moldable_job_id = m.moldable_id AND j.job_id = m.moldable_job_id AND j.state = 'toLaunch'
GROUP BY j.job_id ORDER BY j.job_id"""
TEMPLATE = template("oar.conf")


def configuration(text, lines):
    """Return the text of oar.conf: that of the package, with lines of the template and the user."""
    pairs = [line.split("=", 1) for line in TEMPLATE.splitlines() if "=" in line and line[0] != "#"]
    values = {**dict(pairs), **{name: f'"{value}"' for name, value in lines.items()}}
    kept = [line for line in text.splitlines() if line.split("=")[0] not in values]
    return "\n".join([*kept, *map("=".join, values.items())]) + "\n"


def walltime(estimate):
    """Return the walltime of an estimate in minutes, h:m:s: OAR frees processors a second later."""
    seconds = max(estimate * MINUTE - 1, 1)
    return f"{seconds // 3600}:{seconds // 60 % 60}:{seconds % 60}"


class Oar(Daemons):
    """Run a log through the scheduler of OAR and its PostgreSQL."""

    packages = "oar-server, oar-server-pgsql, oar-user, oar-user-pgsql, postgresql, libfaketime"
    help = "lines of oar.conf; policy=... is the program that schedules"
    wanted = re.compile("SCHEDULER_")

    def start(self):
        """Start the data base, and fill it."""
        folders = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
        if not folders:
            raise Problem(f"no PostgreSQL; expected {self.packages}")
        self.bin = folders[-1]
        for name, user in (("log", "oar"), ("base", "postgres")):
            os.mkdir(f"{FOLDER}/{name}")
            os.chown(f"{FOLDER}/{name}", *self.account(user).values())
        base, user = f"{FOLDER}/base", self.account("postgres")
        self.call(
            f"{self.bin}/initdb",
            "-D",
            base,
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--locale=C.UTF-8",
            "-N",
            **user,
        )
        self.set_clock(0)
        options = [word for pair in BASE.items() for word in ("-c", "=".join(pair))]
        env = {**self.environment, **self.clock()}
        self.spawn(f"{self.bin}/postgres", "-D", base, *options, env=env, **user)
        ready = (f"{self.bin}/psql", "-h", "127.0.0.1", "-U", "postgres", "-c", "SELECT 1")
        self.wait(lambda: self.call(*ready, codes=None), "PostgreSQL")
        lines = dict(self.lines)
        policy = lines.pop("policy", POLICY)
        for text in (
            "CREATE ROLE oar LOGIN PASSWORD 'oar'",
            "CREATE ROLE oar_ro LOGIN PASSWORD 'oar_ro'",
            "CREATE DATABASE oar OWNER oar",
        ):
            self.sql("-c", text, user="postgres", base="postgres")
        for name in ("pg_structure", "pg_default_admission_rules", "default_data"):
            self.sql("-f", f"{OAR}/database/{name}.sql")
        self.sql("-c", "GRANT SELECT ON ALL TABLES IN SCHEMA public TO oar_ro")
        self.sql(
            "-v",
            f"policy={policy}",
            "-f",
            self.write("policy.sql", "UPDATE queues SET scheduler_policy = :'policy'"),
        )
        rows = ", ".join(f"('node', '{k}')" for k in range(self.processors))
        self.sql("-c", f"INSERT INTO resources (network_address, cpuset) VALUES {rows}")
        with open("/etc/oar/oar.conf", encoding="utf-8") as file:
            path = self.write("oar.conf", configuration(file.read(), lines))
        self.environment.update(
            OARCONFFILE=path,
            OARDIR=OAR,
            OARUSER="oar",
            OARDO_USER="suite",
            OARDO_UID="1",
            PWD="/tmp",
        )
        listener = socket.create_server(
            ("127.0.0.1", 6666)
        )  # of Almighty, whose notes are not needed
        threading.Thread(target=self.listen, args=(listener,), daemon=True).start()

    def account(self, name):
        """Return the numbers of a user and its group."""
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            raise Problem(f"no user {name}; expected {self.packages}") from None
        return {"user": entry.pw_uid, "group": entry.pw_gid}

    @staticmethod
    def listen(listener):
        """Read what the programs tell Almighty."""
        while True:
            with listener.accept()[0] as connection:
                connection.recv(1000)

    def sql(self, *args, user="oar", base="oar"):
        """Return the rows that psql prints, a list of lists of cells."""
        out = self.call(
            f"{self.bin}/psql",
            "-qAtX",
            "-v",
            "ON_ERROR_STOP=1",
            "-h",
            "127.0.0.1",
            "-U",
            user,
            "-d",
            base,
            *args,
        )
        return [line.split("|") for line in out.splitlines()]

    def tool(self, name, *args, codes=(0, 1)):
        """Run a program of OAR as its user, and return what it prints."""
        return self.call(f"{OAR}/{name}", *args, codes=codes, **self.account("oar"))

    def close(self):
        """Do nothing: OAR schedules only when asked."""

    def apply(self, ends, jobs):
        """End jobs, and submit others."""
        if ends:
            numbers = [number for number, _ in ends]
            self.tool("oardel", *numbers, codes=(0,))
            self.tool("Leon")
            left = f"job_id IN ({','.join(numbers)}) AND state <> 'Terminated'"
            if self.sql("-c", f"SELECT job_id FROM jobs WHERE {left}"):
                raise Problem("OAR ends no job")
        submitted = []
        for job in jobs:
            wanted = f"resource_id={job.size},walltime={walltime(job.estimate)}"
            out = self.tool("oarsub", "-t", "noop", "-l", wanted, codes=(0,))
            submitted.append(re.search(r"OAR_JOB_ID=(\d+)", out)[1])
        return submitted

    def passes(self):
        """Let the scheduler pass, and start its jobs."""
        self.tool("NodeChangeState")
        self.tool("oar_meta_sched")
        started = dict(self.sql("-c", PLANNED))
        for number in started:
            self.tool("bipbip", number)
        return started


if __name__ == "__main__":
    main(Oar)
