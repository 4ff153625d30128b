#!/usr/bin/env python3
"""check_tables.py TREE LAYERS: tables of the documents that name things of the code agree with it.

A comment above a table says what it lists. The first cell of a row names one thing, in backticks; nothing may
be missing, and nothing may be there that the code does not have.

    <!-- table: struct EngineOptions -->       fields and defaults, of a struct in include/cordon; fields of structs
                                               inside it are written as `time.total`. Every struct whose name ends in
                                               Options has such a table
    <!-- table: some of struct Limits -->      the same, but not all of the fields need a row
    <!-- table: enum Operation -->             names and numbers of an enum in guest/abi.h
    <!-- table: imports -->                    what the guest imports (guest/host.h)
    <!-- table: layers -->                     layers and the layers that each uses (LAYERS, which CMake writes)
    <!-- table: locks -->                      every mutex of src/cordon, as `Class::member`; the third cell has those
                                               that are taken while it is held, and there is an order of all
    <!-- table: metrics -->                    every metric of src/cordon/server; `…_x_total` has the first two words of
                                               the name before it
    <!-- table: threads -->                    every source of src/cordon that starts threads, in the second cell
"""

import pathlib
import re
import sys


def without_comments(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)


class Headers:
    """Structs and constants of the public headers."""

    def __init__(self, folder):
        self.bodies, self.constants = {}, {}
        for file in sorted(folder.glob("*.h")):
            text = without_comments(file.read_text(encoding="utf-8"))
            for found in re.finditer(r"\bstruct (?:CORDON_API )?(\w+)[^;{]*\{", text):
                self.bodies[found[1]] = self.body(text, found.end())
            for name, value in re.findall(r"constexpr [\w:]+ (\w+) = ([^;]+);", text):
                self.constants[name] = value

    @staticmethod
    def body(text, start):
        depth, end = 1, start
        while depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        return text[start : end - 1]

    def fields(self, struct, prefix=""):
        """{name: default, as the documents write it}"""
        if struct not in self.bodies:
            raise KeyError(f"no struct {struct} in include/cordon")
        fields = {}
        for statement in self.bodies[struct].split(";"):
            statement = " ".join(statement.split())
            found = re.fullmatch(r"([\w:]+(?:<.*>)?) (\w+)(?: = (.*)|\{(.*)\})?", statement)
            if not found or found[1] in ("using", "friend", "return"):
                # A function, or an alias. What is neither would be a field that goes unchecked.
                if statement and not re.search(r"\(|^using |^\}", statement):
                    raise ValueError(f"cannot read {statement!r} in struct {struct}")
                continue
            kind, name, default = found[1], found[2], found[3] if found[3] is not None else found[4]
            if kind in self.bodies and default == "{}":
                fields |= self.fields(kind, f"{prefix}{name}.")
            else:
                fields[prefix + name] = self.default(kind, name, default)
        return fields

    def default(self, kind, name, text):
        if text in (None, "", "{}", "std::nullopt"):
            return "none"
        text = text.strip("{}") if kind.startswith("std::vector") else text
        text = self.constants.get(text, text)
        if text == "processors()":
            return "one per processor"
        number = re.sub(r"std::(?:chrono::)?\w+[{(]([\d']+)[})]", r"\1", text).replace("'", "")
        if not re.fullmatch(r"[\d\s<*]+", number):
            return text
        number = eval(number)  # digits, << and * alone
        if "milliseconds" in kind:
            return f"{number // 1000} s" if number and number % 1000 == 0 else f"{number} ms"
        if name.endswith("bytes"):
            for size, unit in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
                if number and number % size == 0:
                    return f"{number // size} {unit}"
        return f"{number:,}"


def enum_values(text, name):
    found = re.search(rf"enum {name} \{{(.*?)\}};", without_comments(text), flags=re.DOTALL)
    if not found:
        raise KeyError(f"no enum {name} in guest/abi.h")
    values, following = {}, 0
    for entry in filter(None, (part.strip() for part in found[1].split(","))):
        key, _, value = (part.strip() for part in entry.partition("="))
        if value:
            following = values[value] if value in values else int(value, 0)
        values[key] = following
        following += 1
    return values


def product_sources(tree):
    for file in sorted((tree / "src/cordon").rglob("*")):
        name = file.relative_to(tree / "src/cordon").as_posix()
        if file.suffix in (".h", ".cc") and not name.endswith("_test.cc") and "/testing/" not in name:
            yield name, file.read_text(encoding="utf-8")


def locks(tree):
    """Class::member of every mutex. Classes nest by their indentation, which the format settles."""
    found = set()
    for name, text in product_sources(tree):
        if name.startswith("base/"):  # where Mutex itself is made
            continue
        classes = []
        for line in text.splitlines():
            indent = len(line) - len(line.lstrip())
            opened = re.match(r"\s*(?:class|struct) (?:(?:[A-Z_]+|alignas)(?:\([^)]*\))? )*([\w:]+)[^;]*$", line)
            member = re.match(r"\s*(?:mutable )?(?:std::(?:shared_|recursive_)?mutex|(?:\w+::)?Mutex) (\w+)", line)
            if opened or member:
                classes = [(at, known) for at, known in classes if at < indent]
            if opened:
                classes.append((indent, opened[1]))
            elif member and classes:
                found.add("::".join([*(known for _, known in classes), member[1]]))
    return found


def thread_sources(tree):
    """x.cc for each file, x.h or x.cc, that has a thread as a member or a variable."""
    pattern = r"\bstd::(?:vector<std::)?j?thread>? \w+(?: CORDON_\w+\(\w+\))?(?: = \{\})?;"
    return {re.sub(r"\.h$", ".cc", name) for name, text in product_sources(tree) if re.search(pattern, text)}


def metrics(tree):
    """Names in the sources, without the parts of a histogram."""
    found = set()
    for name, text in product_sources(tree):
        if name.startswith("server/"):
            found |= set(re.findall(r"\bcordon_[a-z0-9_]+", without_comments(text)))
    return {name for name in found if not re.search(r"_(bucket|sum|count)$", name)}


def metric_names(cell):
    names = [name.partition("{")[0] for name in names_in(cell)]
    family = "_".join(names[0].split("_")[:2]) if names else ""
    return [name.replace("…", family) for name in names]


def declared_layers(file):
    layers = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        name, _, uses = line.partition(":")
        layers[name.strip()] = set(uses.split())
    return layers


def tables(text):
    """(line, what the comment says, rows of cells)"""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        marked = re.fullmatch(r"<!-- table: (.*) -->", line)
        if not marked:
            continue
        at = number + 1
        while at < len(lines) and not lines[at].strip():
            at += 1
        rows = []
        while at < len(lines) and lines[at].startswith("|"):
            rows.append([cell.strip() for cell in lines[at].strip("|").replace("\\|", "¦").split("|")])
            at += 1
        yield number + 1, marked[1], rows[2:]


def names_in(cell):
    return re.findall(r"`([^`]+)`", cell)


class Check:
    def __init__(self, tree, layers):
        self.tree, self.layers = tree, layers
        self.headers = Headers(tree / "include/cordon")
        self.wrong, self.count, self.complete = [], 0, set()

    def compare(self, place, wanted, shown, complete=True):
        """Two dictionaries: of the code, and of the table."""
        for name in sorted(set(shown) - set(wanted)):
            self.wrong.append(f"{place}: the code has no {name}")
        if complete:
            for name in sorted(set(wanted) - set(shown)):
                self.wrong.append(f"{place}: no row for {name}" + (f" ({wanted[name]})" if wanted[name] else ""))
        for name in sorted(set(wanted) & set(shown)):
            if wanted[name] != shown[name]:
                self.wrong.append(f"{place}: {name} is {wanted[name]} in the code, not {shown[name]}")

    def order(self, place, inside):
        """Locks that may be taken inside others have rows, and there is an order of all."""
        for name in sorted({inner for inners in inside.values() for inner in inners} - set(inside)):
            self.wrong.append(f"{place}: {name} has no row")
        left = {name: {inner for inner in inners if inner in inside} for name, inners in inside.items()}
        while free := [name for name, inners in left.items() if not inners & set(left)]:
            for name in free:
                del left[name]
        if left:
            self.wrong.append(f"{place}: these locks are taken inside each other: {', '.join(sorted(left))}")

    def table(self, place, what, rows):
        self.count += 1
        if not rows:
            self.wrong.append(f"{place}: no table follows")
            return
        words = what.split()
        if words[-2:-1] == ["struct"]:
            shown = {name: row[1].replace("`", "") for row in rows for name in names_in(row[0])}
            self.compare(place, self.headers.fields(words[-1]), shown, complete=words[0] != "some")
            if words[0] != "some":
                self.complete.add(words[-1])
        elif words[0] == "enum":
            # A row is one name and its number, or several: "`TAG_NULL` 1, `TAG_FALSE` 2".
            shown = {name: int(value, 0) for row in rows for name, value in re.findall(r"`(\w+)` (\w+)", row[0])}
            text = (self.tree / "guest/abi.h").read_text(encoding="utf-8")
            self.compare(place, enum_values(text, words[1]), shown)
        elif what == "imports":
            text = (self.tree / "guest/host.h").read_text(encoding="utf-8")
            wanted = dict.fromkeys(re.findall(r'CORDON_IMPORT\("(\w+)"\)', text), "")
            self.compare(place, wanted, {name.partition("(")[0]: "" for row in rows for name in names_in(row[0])})
        elif what == "layers":
            shown = {names_in(row[0])[0]: set(names_in(row[2])) for row in rows}
            order = lambda layers: {name: ", ".join(sorted(uses)) or "nothing" for name, uses in layers.items()}
            self.compare(place, order(self.layers), order(shown))
        elif what == "locks":
            inside = {name: names_in(row[2]) for row in rows for name in names_in(row[0])}
            self.compare(place, dict.fromkeys(locks(self.tree), ""), dict.fromkeys(inside, ""))
            self.order(place, inside)
        elif what == "metrics":
            shown = {name: "" for row in rows for name in metric_names(row[0])}
            self.compare(place, dict.fromkeys(metrics(self.tree), ""), shown)
        elif what == "threads":
            shown = {name: "" for row in rows for name in names_in(row[1])}
            self.compare(place, dict.fromkeys(thread_sources(self.tree), ""), shown)
        else:
            self.wrong.append(f"{place}: nobody knows how to check {what!r}")

    def page(self, file):
        for line, what, rows in tables(file.read_text(encoding="utf-8")):
            place = f"{file.relative_to(self.tree)}:{line}"
            try:
                self.table(place, what, rows)
            except (KeyError, IndexError, ValueError) as error:
                self.wrong.append(f"{place}: {what}: {error}")


def main():
    tree = pathlib.Path(sys.argv[1])
    check = Check(tree, declared_layers(pathlib.Path(sys.argv[2])))
    for file in [*sorted(tree.glob("*.md")), *sorted((tree / "docs").rglob("*.md"))]:
        check.page(file)
    for struct in sorted(set(check.headers.bodies) - check.complete):
        if struct.endswith("Options"):
            check.wrong.append(f"no document has a table of struct {struct}")
    print("\n".join([*check.wrong, f"{check.count} tables"]))
    return bool(check.wrong) or check.count == 0


if __name__ == "__main__":
    sys.exit(main())
