#!/usr/bin/env python3
"""check_members.py TREE: every `Class::member` that a document names exists in include/cordon or src/cordon.

What stands before the last two names, such as `js::Guest::run` has it, is not looked at. Names of the standard library
and of namespaces are left out: `std::optional`, `rich::Serializer`.
"""

import pathlib
import re
import sys


def bodies(text):
    """{class: its bodies, one after the other}. Enumerations too."""
    found = {}
    # Not the parameters of templates: <class T, class U>.
    pattern = r"(?<!<)(?<!, )\b(?:class|struct|enum class) (?:(?:[A-Z_]+|alignas)(?:\([^)]*\))? )*((?:\w+::)*\w+)[^;{()]*\{"
    for opened in re.finditer(pattern, text):
        depth, end = 1, opened.end()
        while depth and end < len(text):
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        name = opened[1].rpartition("::")[2]
        found[name] = found.get(name, "") + text[opened.end() : end]
    return found


def main():
    tree = pathlib.Path(sys.argv[1])
    sources = [*(tree / "include/cordon").glob("*.h"), *(tree / "src/cordon").rglob("*.h"),
               *(tree / "src/cordon").rglob("*.cc")]
    code = "\n".join(re.sub(r"//[^\n]*", "", file.read_text(encoding="utf-8")) for file in sources)
    classes = bodies(code)
    namespaces = {"std", *(part for name in re.findall(r"\bnamespace ([\w:]+)", code) for part in name.split("::"))}
    wrong, count = [], 0
    for file in [*sorted(tree.glob("*.md")), *sorted((tree / "docs").rglob("*.md"))]:
        text = re.sub(r"^ *```.*?^ *```", "", file.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
        for span in re.findall(r"`([^`\n]+)`", text):
            for owner, member in re.findall(r"\b(\w+)::(\w+)\b(?!::)", span):
                if owner in namespaces:
                    continue
                count += 1
                if owner not in classes:
                    wrong.append(f"{file.relative_to(tree)}: no class {owner} (`{span}`)")
                elif not re.search(rf"\b{member}\b", classes[owner]):
                    wrong.append(f"{file.relative_to(tree)}: {owner} has no {member} (`{span}`)")
    print("\n".join([*wrong, f"{count} members"]))
    return bool(wrong) or count == 0


if __name__ == "__main__":
    sys.exit(main())
