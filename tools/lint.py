#!/usr/bin/env python3
"""clang-tidy over files of a build, remembering which were found clean.

    tools/lint.py BUILD [--changed | --last | --all | FILE…] [--for SECONDS] [--jobs N]

--changed, the default, means what differs from the commit that the branch left its main line at, or from the commit
before HEAD where HEAD is on the main line. --last is always the commit before HEAD, whatever else the clone knows.
Each .cc of it is read, and of each header one .cc that includes it.

A file that was clean is not read again as long as neither it, nor a header that it includes (ninja knows them), nor
.clang-tidy, nor its command has changed: a stamp under ${CORDON_CACHE:-~/.cache/cordon}/lint says so, for all clones.
With --for, no further file is begun after so many seconds, and those that are left are named.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TIDY = "clang-tidy-19"
MAIN_LINES = ["origin/main", "origin/master", "main", "master"]


def say(text):
    print(f"==> {text}", flush=True)


def git(*arguments):
    """The lines that git prints, or None where it fails."""
    ran = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    return ran.stdout.split("\n")[:-1] if ran.returncode == 0 else None


def compile_commands(build):
    """The command and the object file of each file of ours, by its name in the tree."""
    commands = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = Path(entry["directory"], entry["file"])
        if path.is_relative_to(ROOT) and not path.is_relative_to(build):
            output = re.search(r" -o (\S+)", entry["command"])
            commands[str(path.relative_to(ROOT))] = (entry["command"], output[1] if output else "")
    return commands


def dependencies(build):
    """What each object file was compiled from, as ninja has it from the compiler."""
    ran = subprocess.run(["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True, check=True)
    found, current = {}, []
    for line in ran.stdout.split("\n"):
        if line.startswith("    "):
            current.append(os.path.join(build, line.strip()))
        elif ": #deps" in line:
            current = found.setdefault(line.split(": #deps")[0], [])
    return found


class Stamps:
    """Which files were clean, by all that went into them."""

    def __init__(self, build):
        cache = os.environ.get("CORDON_CACHE") or os.path.join(
            os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "cordon"
        )
        self.folder = Path(cache, "lint")
        self.folder.mkdir(parents=True, exist_ok=True)
        self.deps = dependencies(build)
        self.hashes = {}
        version = subprocess.run([TIDY, "--version"], capture_output=True, text=True, check=True).stdout
        self.common = version + self.hash_of(ROOT / ".clang-tidy")
        self.forget_old()

    def forget_old(self, days=30):
        for stamp in self.folder.iterdir():
            if stamp.stat().st_mtime < time.time() - days * 86400:
                stamp.unlink(missing_ok=True)

    def hash_of(self, path):
        if path not in self.hashes:
            try:
                self.hashes[path] = hashlib.sha256(Path(path).read_bytes()).hexdigest()
            except OSError:
                self.hashes[path] = "gone"
        return self.hashes[path]

    def sources_of(self, command):
        return self.deps.get(command[1], [])

    def of(self, file, command):
        """Where the stamp lies, or None where the file was not compiled and ninja knows nothing of it."""
        sources = self.sources_of(command)
        if not sources:
            return None
        # Another clone has the same text at another place.
        parts = [self.common, file, command[0].replace(str(ROOT), "")]
        parts += sorted(self.hash_of(source) for source in sources)
        return self.folder / hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]


def base_of_changes(main_lines):
    """The commit to compare with, or None where there is no other one."""
    head = git("rev-parse", "HEAD")
    for name in main_lines:
        base = git("merge-base", "HEAD", name)
        if base and base != head:
            return base[0]
    parent = git("rev-parse", "HEAD~1")
    return parent[0] if parent else None


def changed_files(commands, stamps, main_lines):
    base = base_of_changes(main_lines)
    if base is None:
        say("lint: this clone has one commit alone, so nothing is known to have changed")
        return []
    names = git("diff", "--name-only", "--diff-filter=d", base) or []
    names += git("ls-files", "-o", "--exclude-standard") or []
    files = [name for name in names if name in commands]
    for header in (name for name in names if name.endswith(".h")):
        path = str(ROOT / header)
        users = [
            file for file, command in commands.items() if path in map(os.path.normpath, stamps.sources_of(command))
        ]
        # Its own .cc or test, where there is one.
        users.sort(key=lambda file: (not file.startswith(header[:-2]), len(file), file))
        if users and not set(users) & set(files):
            files.append(users[0])
    return files


def read(file, build, stamp):
    """What clang-tidy says of a file; nothing where it is clean."""
    ran = subprocess.run(
        [TIDY, "--quiet", "-p", build, "--warnings-as-errors=*", file],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    said = re.sub(r"(?m)^\d+ warnings? (treated as errors?|generated\.)\n", "", ran.stdout)
    if ran.returncode == 0 and stamp:
        stamp.touch()
    return said if ran.returncode else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--changed", action="store_true")
    parser.add_argument("--last", action="store_true")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--for", dest="seconds", type=float, default=float("inf"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    given = parser.parse_intermixed_args()

    build = given.build.resolve()
    commands = compile_commands(build)
    stamps = Stamps(build)
    if given.files:
        wanted = [os.path.relpath(Path(file).resolve(), ROOT) for file in given.files]
        for file in wanted:
            if file not in commands:
                say(f"lint: {file} is not part of the build, so it is left out")
        wanted = [file for file in wanted if file in commands]
    else:
        main_lines = [] if given.last else MAIN_LINES
        wanted = sorted(commands) if given.all else changed_files(commands, stamps, main_lines)
    wanted = [file for file in wanted if file.endswith(".cc")]

    open_files = []
    for file in wanted:
        stamp = stamps.of(file, commands[file])
        if stamp and stamp.exists():
            stamp.touch()
        else:
            open_files.append((file, stamp))
    say(f"clang-tidy over {len(wanted)} files, {len(wanted) - len(open_files)} of which were clean before")

    start = time.monotonic()
    wrong, left = [], []

    def step(item):
        if time.monotonic() - start > given.seconds:
            return None
        return read(item[0], build, item[1])

    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        runs = {pool.submit(step, item): item[0] for item in open_files}
        for number, run in enumerate(concurrent.futures.as_completed(runs), 1):
            said, file = run.result(), runs[run]
            if said is None:
                left.append(file)
                continue
            print(f"[{number}/{len(open_files)}] {file}{': NOT CLEAN' if said else ''}", flush=True)
            if said:
                wrong.append(file)
                print(said, flush=True)
    if left:
        say(f"lint: the time was up; {len(left)} files were not read: {' '.join(sorted(left))}")
    if wrong:
        say(f"lint: {len(wrong)} files are not clean: {' '.join(sorted(wrong))}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
