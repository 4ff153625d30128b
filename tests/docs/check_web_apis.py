#!/usr/bin/env python3
"""check_web_apis.py CORDON [FILE]: the tables of globals in docs/web-apis.md (or FILE) agree with what a guest has.

    <!-- guest: globals -->                   the first cell names globals, in backticks. Where it names one and the second
                                              cell is not empty, that lists its members, its class's statics among them
    <!-- guest: globals of the language -->   the second cell names globals

Each global of a guest is in one of the two, and each name in them is a global; the same for members.
"""

import json
import pathlib
import re
import subprocess
import sys

# What a program can say of a name: the names of its own and inherited properties.
PROGRAM = """
const plain = [Object.prototype, Function.prototype, EventTarget.prototype];
const dull = ['constructor', 'prototype', 'name', 'length', 'arguments', 'caller'];
const members = (name) => {
  const value = globalThis[name];
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return [];
  const found = new Set(typeof value === 'function' ? Object.getOwnPropertyNames(value) : []);
  let object = typeof value === 'function' ? value.prototype : value;
  do {
    if (!object || (plain.includes(object) && name !== 'EventTarget')) break;
    for (const key of Object.getOwnPropertyNames(object)) found.add(key);
    object = Object.getPrototypeOf(object);
  } while (typeof value === 'object');
  return [...found].filter((key) => !dull.includes(key));
};
Object.fromEntries(Object.getOwnPropertyNames(globalThis).map((name) => [name, members(name)]))
"""


def names_in(cell):
    return re.findall(r"`([^`]+)`", cell)


def rows_of(text, table):
    found = re.search(rf"<!-- guest: {table} -->\n((?:\|.*\n)+)", text)
    if not found:
        return None
    return [re.split(r"\s*\|\s*", line.strip())[1:-1] for line in found[1].splitlines()[2:]]


def mistakes(text, guest):
    listed = []
    rows, language = rows_of(text, "globals"), rows_of(text, "globals of the language")
    if rows is None or language is None:
        yield "a table is missing"
        return
    for cells in rows:
        names = names_in(cells[0])
        listed += names
        if not names:
            yield f"a row without a name: {cells[0]}"
        if len(names) != 1 or len(cells) < 2 or not names_in(cells[1]):
            continue
        here, there = names_in(cells[1]), guest.get(names[0], [])
        yield from (f"{names[0]}.{name} is in a guest, but not in its row" for name in there if name not in here)
        yield from (f"{names[0]}.{name} is in its row, but not in a guest" for name in here if name not in there)
    for cells in language:
        listed += names_in(cells[1])
    yield from (f"{name} is a global of a guest, but in no table" for name in guest if name not in listed)
    yield from (f"{name} is in a table, but no global of a guest" for name in listed if name not in guest)
    yield from (f"{name} is there twice" for name in sorted(set(listed)) if listed.count(name) > 1)


def main():
    ran = subprocess.run([sys.argv[1], "run", "-e", PROGRAM], capture_output=True, text=True, check=True)
    guest = json.loads(ran.stdout)
    file = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else "docs/web-apis.md")
    found = list(mistakes(file.read_text(encoding="utf-8"), guest))
    for mistake in found:
        print(f"{file}: {mistake}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
