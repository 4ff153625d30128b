#!/usr/bin/env python3
"""Draws the charts of README.md from the figures in docs/benchmarks.md.

    tools/charts.py            writes docs/pictures/{start,waiting}-{light,dark}.svg
    tools/charts.py --check    writes nothing, and fails where a chart differs from the page

A row of the page that is drawn here, or linked to from README.md, begins with an anchor:
`| <a id="start"></a>fresh sandbox, …`. After a new run of the benchmarks, keep the anchors and run this
again.
"""

import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
UNITS = {"µs": 1e-6, "ms": 1e-3, "s": 1.0, "KiB": 1024.0, "MiB": 1024.0**2, "GiB": 1024.0**3}
FONT = "ui-sans-serif, -apple-system, 'Segoe UI', 'DejaVu Sans', Helvetica, Arial, sans-serif"
THEMES = {
    "light": {
        "paper": "#ffffff", "frame": "#d0d7de", "text": "#1f2328", "quiet": "#59636e", "grid": "#e4e8ec",
        "cordon": "#0969da", "kept": "#1b7c83", "quickjs-emscripten": "#bc4c00", "isolated-vm": "#8250df",
    },
    "dark": {
        "paper": "#0d1117", "frame": "#3d444d", "text": "#f0f6fc", "quiet": "#9198a1", "grid": "#262c34",
        "cordon": "#4493f8", "kept": "#39c5cf", "quickjs-emscripten": "#f0883e", "isolated-vm": "#ab7df8",
    },
}


class Page:
    """The rows of a Markdown page by their anchors."""

    def __init__(self, text):
        self.rows = {}
        for line in text.splitlines():
            found = re.match(r'\| <a id="([a-z0-9-]+)"></a>(.*)\|$', line)
            if not found:
                continue
            if found[1] in self.rows:
                sys.exit(f"docs/benchmarks.md: two rows have the anchor {found[1]}")
            self.rows[found[1]] = [cell.strip() for cell in found[2].split(" | ")]

    def row(self, anchor):
        if anchor not in self.rows:
            sys.exit(f'docs/benchmarks.md: no row begins with <a id="{anchor}"></a>')
        return self.rows[anchor]


def quantity(text):
    """'1.22 ms' in seconds, '116 KiB' in bytes."""
    found = re.fullmatch(r"([\d.]+) (\S+)", text)
    if not found or found[2] not in UNITS:
        sys.exit(f"docs/benchmarks.md: {text!r} is not a number and a unit ({', '.join(UNITS)})")
    return float(found[1]) * UNITS[found[2]]


def count(pattern, text):
    found = re.search(pattern, text)
    if not found:
        sys.exit(f"docs/benchmarks.md: nothing matches {pattern!r} in {text!r}")
    return int(found[1].replace(",", ""))


class Drawing:
    def __init__(self, width, height, theme, title, description):
        self.theme = THEMES[theme]
        self.lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
            f'height="{height}" role="img" font-family="{FONT}" font-size="13">',
            f"<title>{title}</title>",
            f"<desc>{description}</desc>",
            f'<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8" '
            f'fill="{self.theme["paper"]}" stroke="{self.theme["frame"]}"/>',
        ]
        self.text(16, 27, title, weight="600", size=14)

    def text(self, x, y, words, colour="text", anchor="start", weight="400", size=13):
        self.lines.append(
            f'<text x="{x:.1f}" y="{y:.1f}" fill="{self.theme[colour]}" text-anchor="{anchor}" '
            f'font-weight="{weight}" font-size="{size}">{words}</text>'
        )

    def bar(self, x, y, width, height, colour):
        self.lines.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height}" rx="2" '
            f'fill="{self.theme[colour]}"/>'
        )

    def line(self, x1, y1, x2, y2, colour, width=1.0, dashes=""):
        dash = f' stroke-dasharray="{dashes}"' if dashes else ""
        self.lines.append(
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
            f'stroke="{self.theme[colour]}" stroke-width="{width}"{dash}/>'
        )

    def dot(self, x, y, colour):
        self.lines.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{self.theme[colour]}"/>')

    def svg(self):
        return "\n".join([*self.lines, "</svg>"]) + "\n"


def start_chart(page, theme):
    _, cordon, emscripten, isolated, *_ = page.row("start")
    bars = [("Cordon", "cordon", cordon), ("quickjs-emscripten", "quickjs-emscripten", emscripten),
            ("isolated-vm", "isolated-vm", isolated)]
    longest = max(quantity(figure) for _, _, figure in bars)
    description = "; ".join(f"{name}: {figure}" for name, _, figure in bars)
    drawing = Drawing(440, 250, theme, "A fresh sandbox runs 1+1 and is gone", description)
    drawing.text(16, 46, "time, median; less is better", colour="quiet", size=12)
    for place, (name, colour, figure) in enumerate(bars):
        y = 66 + place * 54
        weight = "600" if name == "Cordon" else "400"
        width = max(1.5, 330 * quantity(figure) / longest)
        drawing.text(16, y + 12, name, weight=weight)
        drawing.bar(16, y + 20, width, 16, colour)
        drawing.text(16 + width + 8, y + 33, figure, weight=weight)
    drawing.text(16, 236, "one machine, one run: docs/benchmarks.md", colour="quiet", size=11)
    return drawing.svg()


def waiting_chart(page, theme):
    kept_count = count(r"(\d[\d,]*) executions", page.row("waiting")[0])
    what, kept, emscripten, isolated, *_ = page.row("waiting-memory")
    hibernating_count = count(r"(\d[\d,]*) executions", page.row("hibernating")[0])
    hibernating = page.row("hibernating-memory")[1]
    # Name, colour, memory of one, and how many there were when that was measured.
    lines = [
        ("isolated-vm", "isolated-vm", isolated, count(r"isolated-vm with (\d[\d,]*)", what)),
        ("Cordon, sandboxes kept", "kept", kept, kept_count),
        ("quickjs-emscripten", "quickjs-emscripten", emscripten, count(r"quickjs-emscripten with (\d[\d,]*)", what)),
        ("Cordon, hibernating", "cordon", hibernating, hibernating_count),
    ]
    description = "; ".join(f"{name}: {figure} each, measured with {number:,}" for name, _, figure, number in lines)
    drawing = Drawing(440, 250, theme, "Memory of executions that wait for a tool", description)
    drawing.text(16, 46, "dots are measured; dashes assume the same memory for each", colour="quiet", size=12)

    left, right, top, bottom = 62, 402, 62, 210
    most_bytes, most_count = 1.25 * UNITS["GiB"], 100_000
    for step in range(6):
        y = bottom - (bottom - top) * step / 5
        drawing.line(left, y, right, y, "grid")
        drawing.text(left - 7, y + 4, f"{step * 0.25:g} GiB" if step else "0", colour="quiet", anchor="end", size=11)
    for thousands in (0, 25, 50, 75, 100):
        x = left + (right - left) * thousands * 1000 / most_count
        drawing.text(x, bottom + 16, f"{thousands},000" if thousands else "0", colour="quiet", anchor="middle", size=11)
    drawing.text((left + right) / 2, bottom + 32, "executions that wait at once", colour="quiet", anchor="middle", size=11)

    for _, colour, figure, number in lines:
        x = left + (right - left) * number / most_count
        y = bottom - (bottom - top) * number * quantity(figure) / most_bytes
        end = min(most_count, most_bytes / quantity(figure))
        if end > number:
            end_x = left + (right - left) * end / most_count
            end_y = bottom - (bottom - top) * end * quantity(figure) / most_bytes
            drawing.line(x, y, end_x, end_y, colour, width=2, dashes="3 3")
        drawing.line(left, bottom, x, y, colour, width=2.5)
        drawing.dot(x, y, colour)

    # Those that soon leave the picture are named above the last line, and that one below itself.
    for place, (name, colour, figure, _) in enumerate(lines[:-1]):
        y = top + 14 + place * 18
        drawing.bar(140, y - 7, 14, 4, colour)
        drawing.text(160, y, f"{name}: {figure} each", size=12)
    name, colour, figure, _ = lines[-1]
    drawing.bar(150, bottom - 16, 14, 4, colour)
    drawing.text(170, bottom - 9, f"{name}: {figure} each", weight="600", size=12)
    return drawing.svg()


def main():
    parser = argparse.ArgumentParser(description="Draws the charts of README.md from docs/benchmarks.md.")
    parser.add_argument("--check", action="store_true", help="compare only, and fail where a chart differs")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help="the tree; for tests")
    arguments = parser.parse_args()
    page = Page((arguments.root / "docs/benchmarks.md").read_text(encoding="utf-8"))
    wrong = False
    for name, draw in {"start": start_chart, "waiting": waiting_chart}.items():
        for theme in THEMES:
            file = arguments.root / f"docs/pictures/{name}-{theme}.svg"
            svg = draw(page, theme)
            if not arguments.check:
                file.write_text(svg, encoding="utf-8")
            elif not file.is_file() or file.read_text(encoding="utf-8") != svg:
                print(f"{file} does not show the figures of docs/benchmarks.md: run tools/charts.py")
                wrong = True
    return wrong


if __name__ == "__main__":
    sys.exit(main())
