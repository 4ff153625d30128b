#!/usr/bin/env python3
"""check_options.py TREE CORDON: the documents name the options that the program has, and no others.

Every option in the help of a command stands in a page of that command, and every option in the first cell of a table
there is in the help of a command of that page. Where the help says a number by default, the row says it too.
"""

import pathlib
import re
import subprocess
import sys

PAGES = {
    "run": ["docs/run.md"],
    "types": ["docs/run.md"],
    "convert": ["docs/convert.md"],
    "serve": ["docs/operations.md"],
    "runner": ["docs/execbox.md"],
    "guest": ["docs/duplex.md"],
    "call": ["docs/duplex.md", "docs/call.md"],
    "emit": ["docs/call.md"],
    "discover": ["docs/call.md"],
}


def options_of(program, command):
    """{option: its default in the help, or ''}"""
    help_text = subprocess.run([program, command, "--help"], check=True, capture_output=True, text=True).stdout
    found, current = {}, []
    for line in help_text.splitlines():
        if re.match(r"\s+-", line):
            current = re.findall(r"--[a-z][a-z-]*", re.split(r"\s{2,}", line.strip())[0])
            found |= dict.fromkeys(current, "")
        elif not line.strip():
            current = []
        for name in current:
            found[name] += " " + line.strip()
    if "--help" not in found:
        sys.exit(f"cannot read the help of cordon {command}:\n{help_text}")
    defaults = {name: re.search(r"\(default: (\d+(?:[KMG]iB)?)\)", text) for name, text in found.items()}
    return {name: default[1] if default else "" for name, default in defaults.items()}


def main():
    tree, program = pathlib.Path(sys.argv[1]), sys.argv[2]
    helps = {command: options_of(program, command) for command in PAGES}
    wrong = []
    for command, pages in PAGES.items():
        text = "\n".join((tree / page).read_text(encoding="utf-8") for page in pages)
        for name in sorted(set(helps[command]) - {"--help"}):
            if not re.search(rf"`[^`\n]*{name}\b(?!-)", text):
                wrong.append(f"{' and '.join(pages)}: nothing about {name} of cordon {command}")
    for page in sorted({page for pages in PAGES.values() for page in pages}):
        known = {}
        for command, pages in PAGES.items():
            for name, default in helps[command].items() if page in pages else ():
                known.setdefault(name, set()).add(default)
        for line in (tree / page).read_text(encoding="utf-8").splitlines():
            if line.startswith("| `-"):
                for name in re.findall(r"--[a-z][a-z-]*", line.split(" | ")[0]):
                    if name not in known:
                        wrong.append(f"{page}: there is no {name}")
                    # Two commands of one page may have one name with two defaults.
                    elif "" not in known[name] and not any(re.search(rf"\b{one}\b", line) for one in known[name]):
                        wrong.append(f"{page}: {name} is {' or '.join(sorted(known[name]))} by default")
    print("\n".join([*wrong, f"{sum(map(len, helps.values()))} options"]))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
