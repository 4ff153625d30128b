#!/usr/bin/env python3
"""Draws docs/pictures/run-{light,dark}.svg: what `./dev run` shows on a terminal.

    tools/picture_of_a_run.py                  runs `./dev run` on a terminal and draws what it prints
    tools/picture_of_a_run.py --check PROGRAM  fails where the pictures show another text than the example
                                               prints now with this `cordon`; times are not compared
"""

import argparse
import html
import os
import pathlib
import pty
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
COLUMN, LINE, SIZE, MARGIN, BAR = 7.3, 17, 12, 16, 30
THEMES = {
    "light": {"paper": "#f6f8fa", "bar": "#eaeef2", "frame": "#d0d7de", "text": "#1f2328", "dim": "#6e7781",
              "command": "#0969da", "33": "#9a6700", "31": "#cf222e", "32": "#1a7f37", "36": "#1b7c83"},
    "dark": {"paper": "#151b23", "bar": "#212830", "frame": "#3d444d", "text": "#e6edf3", "dim": "#848d97",
             "command": "#58a6ff", "33": "#d29922", "31": "#ff7b72", "32": "#3fb950", "36": "#39c5cf"},
}
EXAMPLE = "examples/three_tools"
RUN = ["run", "--stats", "--provider", f"travel={EXAMPLE}/tools.js", f"{EXAMPLE}/main.js"]


def on_a_terminal(command):
    """What the command prints to a terminal, colours included."""
    host, guest = pty.openpty()
    process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=guest, stderr=guest)
    os.close(guest)
    printed = b""
    while True:
        try:
            piece = os.read(host, 65536)
        except OSError:  # Linux says so when the last one that wrote has closed its end.
            break
        if not piece:
            break
        printed += piece
    os.close(host)
    if process.wait() != 0:
        sys.exit(f"{' '.join(command)} failed:\n{printed.decode()}")
    return printed.decode().replace("\r\n", "\n")


def example_of(printed):
    """`./dev run` builds first; the picture begins where it shows the program."""
    start = printed.find(f"==> {EXAMPLE}/main.js")
    if start < 0:
        sys.exit(f"./dev run did not show {EXAMPLE}/main.js:\n{printed}")
    return printed[start:]


def spans(line):
    """(style, text) for each stretch of a line; the style is a code of SGR, or ''."""
    style = ""
    for piece in re.split(r"(\x1b\[[0-9;]*m)", line):
        code = re.fullmatch(r"\x1b\[([0-9;]*)m", piece)
        if code:
            style = "" if code[1] in ("", "0") else code[1]
        elif piece:
            yield style, piece


def plain(text):
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def draw(printed, theme):
    colours = THEMES[theme]
    lines = ["$ ./dev run", *printed.rstrip("\n").split("\n")]
    width = round(2 * MARGIN + COLUMN * max(len(plain(line)) for line in lines))
    height = BAR + 2 * MARGIN + LINE * len(lines) - 6
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" font-family="{FONT}" font-size="{SIZE}">',
        "<title>./dev run: a program that asks three tools at once, its log, its times and its result</title>",
        f'<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8" fill="{colours["paper"]}" '
        f'stroke="{colours["frame"]}"/>',
        f'<path d="M0.5 {BAR}V8.5a8 8 0 0 1 8-8H{width - 8.5}a8 8 0 0 1 8 8V{BAR}z" fill="{colours["bar"]}" '
        f'stroke="{colours["frame"]}"/>',
        *(f'<circle cx="{18 + 18 * place}" cy="{BAR / 2}" r="5" fill="{colours["frame"]}"/>' for place in range(3)),
    ]
    for number, line in enumerate(lines):
        y = BAR + MARGIN + 8 + LINE * number
        column = 0
        for style, text in spans(line):
            fill, extra = colours.get(style, colours["text"]), ""
            if style == "1" or line.startswith("$ "):
                extra = ' font-weight="600"'
            if style == "2":
                fill = colours["dim"]
            if line.startswith("==> "):
                fill = colours["command"]
            # Each stretch says how wide it is, so that columns stay columns in any font.
            out.append(
                f'<text x="{MARGIN + COLUMN * column:.1f}" y="{y}" fill="{fill}"{extra} xml:space="preserve" '
                f'textLength="{COLUMN * len(text):.1f}">{html.escape(text, quote=False)}</text>'
            )
            column += len(text)
    return "\n".join([*out, "</svg>"]) + "\n"


def text_of(svg):
    """The lines of a picture, by their height."""
    lines = {}
    for y, text in re.findall(r'<text x="[^"]*" y="(\d+)"[^>]*>([^<]*)</text>', svg):
        lines[y] = lines.get(y, "") + html.unescape(text)
    return list(lines.values())


def without_figures(lines):
    return [re.sub(r" *[0-9.]+ (ms|µs|MiB)", r" 0 \1", line) for line in lines if line.strip()]


def check(program):
    source = (ROOT / EXAMPLE / "main.js").read_text(encoding="utf-8").rstrip("\n")
    now = plain(on_a_terminal([program, *RUN])).rstrip("\n")
    shown = ["$ ./dev run", f"==> {EXAMPLE}/main.js", *source.split("\n"), f"==> cordon {' '.join(RUN)}", *now.split("\n")]
    wrong = False
    for theme in THEMES:
        file = ROOT / f"docs/pictures/run-{theme}.svg"
        drawn = without_figures(text_of(file.read_text(encoding="utf-8")))
        for one, other in zip(drawn, without_figures(shown), strict=False):
            if one != other:
                print(f"{file.relative_to(ROOT)} shows\n  {one}\nand the example prints\n  {other}")
                wrong = True
        if len(drawn) != len(without_figures(shown)):
            print(f"{file.relative_to(ROOT)} has {len(drawn)} lines, the example {len(without_figures(shown))}")
            wrong = True
    if wrong:
        print("run tools/picture_of_a_run.py")
    return wrong


def main():
    parser = argparse.ArgumentParser(description="Draws what `./dev run` shows on a terminal.")
    parser.add_argument("--check", metavar="PROGRAM", help="compare only, with what this `cordon` prints")
    arguments = parser.parse_args()
    if arguments.check:
        return check(arguments.check)
    printed = example_of(on_a_terminal(["./dev", "run"]))
    for theme in THEMES:
        (ROOT / f"docs/pictures/run-{theme}.svg").write_text(draw(printed, theme), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
