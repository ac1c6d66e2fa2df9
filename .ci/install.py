"""Install the packages of a lock, each checked against its hash: python .ci/install.py LOCK
[TARGET].

The packages go into the environment of this interpreter, or into the folder TARGET. uv installs
them, pip where uv cannot be had or does not reach the packages. Wheels in wheels/ are used instead
of the network.
"""

import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PIP = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
HASHES = ["--require-hashes", "--only-binary", ":all:"]
WHEELS = ["--no-index", "--find-links", "wheels"] if list(Path("wheels").glob("*.whl")) else []
UV = Path(sys.executable).with_name("uv")


def install_uv():
    """Install uv as `requirements/tools.lock` has it next to this interpreter."""
    text = Path("requirements/tools.lock").read_text(encoding="utf-8")
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as own:
        own.write(re.search(r"^uv==(?:.*\\\n)*.*\n", text, re.MULTILINE)[0])
        own.flush()
        subprocess.run([*PIP, "-qq", *HASHES, *WHEELS, "-r", own.name], stderr=subprocess.DEVNULL)


def show(words):
    """Replace the line of progress; on what is not a terminal, show nothing."""
    if sys.stderr.isatty():
        print(f"\r{words}\033[K", end="", file=sys.stderr, flush=True)


def with_uv(words, options):
    """Install with uv, and return whether it succeeded."""
    if not UV.exists():
        install_uv()
    if not UV.exists():
        return False
    started = time.monotonic()
    command = [UV, "pip", "install", "-q", "--python", sys.executable, *HASHES, *WHEELS, *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as running:
        while True:
            show(f"Installing {words} with uv, {time.monotonic() - started:.0f} s")
            try:
                errors = running.communicate(timeout=1)[1]
            except subprocess.TimeoutExpired:
                continue
            if running.returncode:
                print(f"\nuv: {errors.strip()}\npip installs instead", file=sys.stderr)
            return running.returncode == 0


def with_pip(words, options, count):
    """Install with pip, and return whether it succeeded."""
    command = [*PIP, *HASHES, *WHEELS, *options, "--progress-bar", "off"]
    done = 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        for line in running.stdout:
            step, _, rest = line.strip().partition(" ")
            if step in ("Collecting", "Ignoring", "Processing"):
                done += 1
                show(f"Installing {words} with pip: {done} of {count}, {rest.split('=')[0]}")
            elif step == "Installing":
                show(f"Installing {words} with pip: writing them")
    return running.returncode == 0


def main(lock, *target):
    """Install `lock`, and return an exit code."""
    count = len(re.findall(r"^\S+==", Path(lock).read_text(encoding="utf-8"), re.MULTILINE))
    words = f"{count} packages of {lock}"
    print(f"Installing {words}", end="", file=sys.stderr, flush=True)
    options = ["-r", lock, *(["--target", *target] if target else [])]
    done = with_uv(words, options) or with_pip(words, options, count)
    print(file=sys.stderr)
    if not done:
        print(
            "Packages cannot be fetched: without a network, put their wheels into wheels/.",
            file=sys.stderr,
        )
    return 0 if done else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
