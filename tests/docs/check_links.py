#!/usr/bin/env python3
"""check_links.py TREE: links of the documents lead somewhere, and figures that link to their row stand in it.

- `[text](page.md#part)`: the page has a heading, or an `<a id="part">`, of that name.
- `[17.2 µs](docs/benchmarks.md#start)`: each number of the text stands in the row with that id.
- `<img src>` and `<source srcset>` name files that are there.
"""

import pathlib
import re
import sys


def without_code(text):
    return re.sub(r"^ *```.*?^ *```", "", text, flags=re.DOTALL | re.MULTILINE)


def slug(heading):
    """The name that GitHub gives to a heading."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.strip()).lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


class Page:
    def __init__(self, text):
        text = without_code(text)
        self.parts = {slug(heading) for heading in re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE)}
        self.rows = {}
        for line in text.splitlines():
            for name in re.findall(r'<a id="([^"]+)">', line):
                self.parts.add(name)
                if line.startswith("|"):
                    self.rows[name] = line


def numbers(text):
    """17.2 of "17.2 µs", 10000 of "10,000"."""
    return [found.replace(",", "") for found in re.findall(r"\d[\d,]*(?:\.\d+)?", text)]


def main():
    tree = pathlib.Path(sys.argv[1])
    files = [*sorted(tree.glob("*.md")), *sorted((tree / "docs").rglob("*.md"))]
    pages = {file.resolve(): Page(file.read_text(encoding="utf-8")) for file in files}
    wrong, figures = [], 0
    for file in files:
        text = without_code(file.read_text(encoding="utf-8"))
        for picture in re.findall(r'(?:src|srcset)="([^"]+)"', text):
            if not (file.parent / picture).is_file():
                wrong.append(f"{file.relative_to(tree)}: no picture {picture}")
        for label, target in re.findall(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)", text):
            path, _, part = target.partition("#")
            other = (file.parent / path).resolve() if path else file.resolve()
            if "://" in target or not part or other not in pages:
                continue
            page = pages[other]
            if part not in page.parts:
                wrong.append(f"{file.relative_to(tree)}: {path or file.name} has no part #{part}")
            elif part in page.rows:
                figures += 1
                for number in set(numbers(label)) - set(numbers(page.rows[part])):
                    wrong.append(f"{file.relative_to(tree)}: {number} of [{label}] is not in the row #{part} of {path}")
    print("\n".join([*wrong, f"{figures} figures"]))
    return bool(wrong) or not pages


if __name__ == "__main__":
    sys.exit(main())
