"""What the schedulers share: a log's jobs, a machine of their own, its clock, and the run of a log.

A scheduler runs in mount, host-name, process and network namespaces of its own: nothing listens
outside, and nothing is left over, however the run ends. A second of the log is a minute of the
scheduler's time, because some count limits in minutes.
"""

import argparse
import csv
import ctypes
import datetime
import glob
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections import namedtuple

MINUTE = 60  # s
BEGIN = datetime.datetime(2026, 1, 5)  # of the scheduler's time, UTC
FIRST = 10 * MINUTE  # the scheduler's time at second 0 of a log, s since then
LONGEST = 60  # s that a step of a daemon may take
TRIES = 3  # of a log, if a daemon does not come up or answer
FOLDER = "/mnt"  # of the daemons: in memory, and theirs alone
HOST = "suite"
#: Namespaces of mounts, host name, processes and network, see clone(2).
NAMESPACES = 0x00020000 | 0x04000000 | 0x20000000 | 0x40000000
PARENT_DIES, ADOPT = 1, 36  # see prctl(2)

Job = namedtuple("Job", "number submit run_time size estimate")


class Problem(Exception):
    """What keeps a log from being run; the message is one line."""


class Late(Problem):
    """A daemon that does not come up, or does not answer."""


def read(path):
    """Return the jobs of a log in queue order, and the number of processors of its machine.

    Raises
    ------
    Problem
        If the file is no SWF of whole numbers, or does not name the size of the machine.
    """
    jobs, processors = [], None
    with open(path, encoding="utf-8", errors="replace") as file:
        for place, line in enumerate(file, 1):
            try:
                if line.startswith("; MaxProcs:"):
                    processors = int(line.split()[2])
                elif line.strip() and not line.startswith(";"):
                    jobs.append(Job(*(int(line.split()[k]) for k in (0, 1, 3, 7, 8))))
            except (ValueError, IndexError):
                raise Problem(f"{path}:{place}: expected SWF of whole numbers") from None
    if processors is None:
        raise Problem(f"{path}: no line '; MaxProcs: N', the number of processors")
    return sorted(jobs, key=lambda job: (job.submit, job.number)), processors


def template(name):
    """Return the text of a file of the folder `templates`."""
    with open(f"{os.path.dirname(os.path.abspath(__file__))}/templates/{name}") as file:
        return file.read()


def settings(assignments, path, wanted):
    """Return lines of a scheduler's configuration: a file's, replaced by those given as words.

    Parameters
    ----------
    assignments : sequence of str
        ``NAME=VALUE`` each.
    path : str or None
        A file of lines ``NAME=VALUE`` or ``NAME VALUE``.
    wanted : re.Pattern
        The names that count in the file: those about scheduling, not about the machine.

    Returns
    -------
    dict of str to str
    """
    lines = {}
    if path:
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                name, _, value = line.split("#")[0].strip().replace("=", " ", 1).partition(" ")
                if wanted.match(name):
                    lines[name] = value.strip().strip('"')
    for word in assignments:
        name, sign, value = word.partition("=")
        if not sign:
            raise Problem(f"{word!r}; expected NAME=VALUE, a line of the configuration")
        lines[name] = value
    return lines


class Daemons:
    """The processes of a scheduler, which run as root in `FOLDER`; a subclass for each scheduler.

    Parameters
    ----------
    processors : int
        Of the machine.
    lines : dict of str to str
        Lines of the configuration in place of the template's.
    kills : bool
        Whether jobs end at their estimates.
    """

    def __init__(self, processors, lines, kills=False):
        self.processors, self.lines, self.kills = processors, lines, kills
        self.time = 0
        path = "/usr/sbin:/usr/bin:/sbin:/bin"
        self.environment = {"PATH": path, "LC_ALL": "C.UTF-8", "TZ": "UTC", "HOME": FOLDER}

    def clock(self):
        """Return the environment of processes whose clock is the file `clock`."""
        libraries = glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")
        if not libraries:
            raise Problem(f"no libfaketimeMT.so.1; expected {self.packages}")
        return {
            "LD_PRELOAD": libraries[0],
            "FAKETIME_TIMESTAMP_FILE": f"{FOLDER}/clock",
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }

    def set_clock(self, seconds):
        """Set the clock, which stands still, to a time in s since `BEGIN`."""
        self.time = seconds
        self.write("clock", f"{BEGIN + datetime.timedelta(seconds=seconds)}\n")

    def write(self, name, text):
        """Write a file, which is complete from the first moment on; return its path."""
        path = f"{FOLDER}/{name}"
        with open(f"{path}.part", "w", encoding="utf-8") as file:
            file.write(text)
        os.rename(f"{path}.part", path)
        return path

    def _start(self, start, command, options):
        options = {"env": self.environment, "cwd": FOLDER, "stdin": subprocess.DEVNULL, **options}
        try:
            return start(command, **options)
        except FileNotFoundError:
            raise Problem(f"no {command[0]}; expected {self.packages}") from None

    def spawn(self, *command, **options):
        """Start a daemon; what it prints goes to a file of its name."""
        with open(f"{FOLDER}/{os.path.basename(command[0])}.out", "a", encoding="utf-8") as out:
            self._start(subprocess.Popen, command, {"stdout": out, "stderr": out, **options})

    def call(self, *command, codes=(0,), **options):
        """Return what a program prints that ends with one of these exit codes, or with any."""
        options = {"capture_output": True, "text": True, "timeout": LONGEST, **options}
        try:
            done = self._start(subprocess.run, command, options)
        except subprocess.TimeoutExpired:
            raise Late(f"{command[0]} ran longer than {LONGEST} s") from None
        if codes and done.returncode not in codes:
            output = (done.stderr or done.stdout).split()
            raise Problem(f"{command[0]} ended with {done.returncode}: {' '.join(output)[-3000:]}")
        return done.stdout

    @staticmethod
    def wait(condition, name):
        """Wait until a condition holds, or raise `Late`."""
        until = time.monotonic() + LONGEST
        while not condition():
            if time.monotonic() > until:
                raise Late(f"waited {LONGEST} s for {name}")
            time.sleep(0.02)


def run(daemons, jobs):
    """Return start, end and processors of each job by its number.

    The events of an instant, ends and then submissions, reach the scheduler while no job can start.

    Parameters
    ----------
    daemons : Daemons
        With ``start()``; ``close()``, after which no job can start; ``apply(ends, jobs)``, which
        ends jobs, listed with the scheduler's own numbers, and returns those of the submitted ones;
        and ``passes()``, which lets the scheduler pass, and returns the processors of each job that
        started by its own number, a text or None.
    jobs : list of Job

    Returns
    -------
    dict of int to tuple
    """
    daemons.start()
    waiting, submitted, ends, starts = list(jobs), {}, {}, {}
    while len(starts) < len(jobs):
        coming = [job.submit for job in waiting[:1]] + list(ends.values())
        if not coming:
            raise Problem(f"{len(jobs) - len(starts)} jobs never start")
        now = min(coming)
        due = [(number, submitted[number]) for number, end in ends.items() if end <= now]
        new = [job for job in waiting if job.submit <= now]
        daemons.close()
        # A second time after a job of run time 0, when the clock may have gone on for passes.
        daemons.set_clock(max(FIRST + MINUTE * now, daemons.time))
        numbers = daemons.apply(due, new)
        submitted.update(zip(numbers, new))
        waiting = waiting[len(new) :]
        ends = {number: end for number, end in ends.items() if end > now}
        for number, held in daemons.passes().items():
            job = submitted[number]
            length = min(job.run_time, job.estimate) if daemons.kills else job.run_time
            ends[number] = now + length
            starts[job.number] = now, now + length, held
    return starts


def isolated(work, root=None, keep=None):
    """Return what a function returns in namespaces of its own, a value for JSON.

    All processes that it starts have ended before this returns, or raises, or is killed.

    Parameters
    ----------
    work : callable
    root : str, optional
        Folder that becomes the root of the file system.
    keep : str, optional
        Folder that takes the place of the one in memory, and stays.

    Raises
    ------
    Problem
        If the function raises it, or the namespaces cannot be made.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(ADOPT, 1, 0, 0, 0)  # so that the ends of all can be awaited
    reader, writer = os.pipe()

    def fork(child):
        """Fork a child that dies with its parent, and return its number."""
        number = os.fork()
        if number:
            return number
        try:
            libc.prctl(PARENT_DIES, signal.SIGKILL, 0, 0, 0)
            child()
        except BaseException as error:
            message = str(error) if isinstance(error, (Problem, OSError)) else repr(error)
            os.write(writer, json.dumps([isinstance(error, Late), message, None]).encode())
        finally:
            os._exit(0)

    def outside():
        os.setsid()  # Ctrl-C reaches the first process alone, which ends the others
        os.close(reader)
        if libc.unshare(NAMESPACES):
            raise Problem(f"namespaces: {os.strerror(ctypes.get_errno())}; expected root")
        os.waitpid(fork(init), 0)

    def init():
        _prepare(root, keep)
        worker = fork(inside)
        while os.wait()[0] != worker:  # the first process has to bury the others
            pass

    def inside():
        with os.fdopen(os.dup(writer), "w", encoding="utf-8") as pipe:
            json.dump([False, "", work()], pipe)

    child = fork(outside)
    os.close(writer)
    try:
        with os.fdopen(reader, encoding="utf-8") as pipe:
            text = pipe.read()
    finally:
        os.kill(child, signal.SIGKILL)
        while True:
            try:
                os.wait()
            except ChildProcessError:
                break
    late, message, value = json.loads(text or '[true, "killed", null]')
    if message:
        raise (Late if late else Problem)(message)
    return value


def _prepare(root, keep):
    """Make the file systems, the host name and the address that the processes see."""
    root, keep = (path and os.path.abspath(path) for path in (root, keep))
    folder = root or ""
    commands = [
        "mount --make-rprivate /",
        *([f"mount --bind {root} {root}", f"mount --bind /dev {root}/dev"] if root else ()),
        f"mount --bind {keep} {folder}/mnt"
        if keep
        else f"mount -t tmpfs -o mode=755 suite {folder}/mnt",
        *(f"mount -t tmpfs suite {folder}/{name}" for name in ("tmp", "run", "dev/shm")),
        f"mount -t proc proc {folder}/proc",
        "ip link set lo up",
        "ip address add 10.1.1.1/32 dev lo",  # getaddrinfo overlooks those of the loopback
        f"mount --bind {folder}/mnt/hosts {folder}/etc/hosts",
    ]
    for command in commands:
        if command.endswith("/hosts"):
            with open(f"{folder}/mnt/hosts", "w", encoding="utf-8") as file:
                file.write(f"127.0.0.1 localhost\n10.1.1.1 {HOST}\n")
        done = subprocess.run(command.split(), capture_output=True, text=True, check=False)
        if done.returncode:
            raise Problem(done.stderr.strip())
    socket.sethostname(HOST)
    if root:
        os.chroot(root)
    os.chdir(FOLDER)


def main(kind):
    """Run a log by a scheduler, a subclass of `Daemons`, as the words of the command line say."""
    parser = argparse.ArgumentParser(
        description=kind.__doc__, epilog=f"Needs root, and {kind.packages}."
    )
    parser.add_argument("swf", metavar="LOG.swf", help="its times are whole numbers")
    parser.add_argument("out", metavar="OUT.csv", help="the schedule that is written")
    parser.add_argument("lines", nargs="*", metavar="NAME=VALUE", help=kind.help)
    parser.add_argument(
        "--config", metavar="FILE", help="a file of such lines, such as that of your machine"
    )
    parser.add_argument(
        "--root",
        metavar="FOLDER",
        help="where the scheduler is installed, if not here: see root.sh",
    )
    parser.add_argument("--kills", action="store_true", help="end jobs at their estimates")
    parser.add_argument(
        "--keep", metavar="FOLDER", help="keep the files of the daemons in this empty folder"
    )
    args = parser.parse_intermixed_args()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        jobs, processors = read(args.swf)
        lines = settings(args.lines, args.config, kind.wanted)
        for k in range(TRIES):
            try:
                starts = isolated(
                    lambda: run(kind(processors, lines, args.kills), jobs), args.root, args.keep
                )
                break
            except Late:
                if k == TRIES - 1:
                    raise
    except (Problem, OSError) as error:
        sys.exit(f"{parser.prog}: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
    with open(args.out, "w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(
            ["job_id", "submit", "start", "end", "processors", "estimate", "allocated_resources"]
        )
        for job in jobs:
            start, end, held = starts[str(job.number)]
            table.writerow([job.number, job.submit, start, end, job.size, job.estimate, held])
