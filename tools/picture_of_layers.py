#!/usr/bin/env python3
"""Draws docs/pictures/layers-{light,dark}.svg: the folders of src/cordon, and one request's way through them.

    tools/picture_of_layers.py                 writes the pictures
    tools/picture_of_layers.py --check LAYERS  fails where they are not what this draws, or a layer is not in them;
                                               LAYERS is the list of layers that CMake writes
"""

import argparse
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FONT = "ui-sans-serif, -apple-system, 'Segoe UI', 'DejaVu Sans', Helvetica, Arial, sans-serif"
THEMES = {
    "light": {"paper": "#ffffff", "frame": "#d0d7de", "text": "#1f2328", "quiet": "#59636e", "box": "#f6f8fa",
              "wire": "#ddf4ff", "guest": "#fff1e5", "way": "#8250df"},
    "dark": {"paper": "#0d1117", "frame": "#3d444d", "text": "#f0f6fc", "quiet": "#9198a1", "box": "#151b23",
             "wire": "#0f2a42", "guest": "#3a2414", "way": "#ab7df8"},
}
# Each layer: x, y, width, height, and what it is in a few words.
LAYERS = {
    "cli": (20, 20, 720, 44, "the program: one file per command"),
    "server": (20, 88, 560, 50, "shards: a thread with an event loop, an engine and a service"),
    "config": (600, 88, 140, 50, "cordon.json"),
    "protocol": (20, 184, 220, 56, "sessions: rules, no I/O"),
    "transport": (20, 272, 220, 56, "sockets, TLS, HTTP"),
    "providers": (270, 184, 68, 56, "plugins"),
    "runners": (346, 184, 68, 56, "elsewhere"),
    "tunnels": (422, 184, 68, 56, "client"),
    "schema": (270, 272, 68, 56, "JSON Schema"),
    "types": (346, 272, 68, 56, "TypeScript"),
    "tools": (422, 272, 68, 56, "functions"),
    "host": (520, 184, 220, 56, "executions and their turns"),
    "js": (520, 272, 98, 56, "messages"),
    "sandbox": (642, 272, 98, 56, "Wasmtime"),
    "codec": (20, 438, 226, 50, "JSON, MessagePack, Runner text"),
    "value": (267, 438, 226, 50, "one data model for all"),
    "base": (514, 438, 226, 50, "results, bytes, budgets"),
}
OUTSIDE = {
    "client": (20, 360, 220, 34),
    "plugin: a jailed process": (270, 360, 220, 34),
    "guest: QuickJS-ng in WebAssembly": (520, 360, 220, 34),
}
# The way of a request, down to the guest; the answer takes it back.
WAY = [(130, 360, 130, 328), (130, 272, 130, 240), (130, 184, 130, 138), (572, 138, 572, 184), (572, 240, 572, 272),
       (618, 300, 642, 300), (691, 328, 691, 360)]


def draw(theme):
    colours = THEMES[theme]
    out = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 508" width="760" height="508" role="img" '
        f'font-family="{FONT}" font-size="13">',
        "<title>The layers of Cordon, and the way of one request</title>",
        "<desc>A client's bytes go through transport and protocol to server, then through host, js and sandbox to the "
        "guest. The answer goes back the same way.</desc>",
        f'<defs><marker id="end" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="9" markerHeight="9" '
        f'markerUnits="userSpaceOnUse" '
        f'orient="auto-start-reverse"><path d="M0 0L8 4L0 8z" fill="{colours["way"]}"/></marker></defs>',
        f'<rect x="0.5" y="0.5" width="759" height="507" rx="8" fill="{colours["paper"]}" stroke="{colours["frame"]}"/>',
    ]

    def box(x, y, width, height, fill, extra=""):
        out.append(f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6" fill="{fill}"{extra}/>')

    def text(x, y, words, colour="text", weight="400", size=13):
        out.append(f'<text x="{x}" y="{y}" fill="{colours[colour]}" text-anchor="middle" font-weight="{weight}" '
                   f'font-size="{size}">{words}</text>')

    box(10, 174, 240, 250, colours["wire"])
    text(130, 413, "wire side: never sees Wasmtime", colour="quiet", size=12)
    box(510, 174, 240, 250, colours["guest"])
    text(630, 413, "guest side: never sees Asio", colour="quiet", size=12)
    frame = f' stroke="{colours["frame"]}"'
    for name, (x, y, width, height, words) in LAYERS.items():
        box(x, y, width, height, colours["box"], frame)
        text(x + width / 2, y + height / 2 - 3, name, weight="600")
        text(x + width / 2, y + height / 2 + 14, words, colour="quiet", size=12 if width > 110 else 11)
    for name, (x, y, width, height) in OUTSIDE.items():
        box(x, y, width, height, colours["paper"], frame + ' stroke-dasharray="4 3"')
        text(x + width / 2, y + height / 2 + 5, name, size=12)
    for x1, y1, x2, y2 in WAY:
        # Arrows end a little before the boxes.
        gap_x, gap_y = 3 * (x2 > x1) - 3 * (x2 < x1), 3 * (y2 > y1) - 3 * (y2 < y1)
        out.append(f'<line x1="{x1 + gap_x}" y1="{y1 + gap_y}" x2="{x2 - gap_x}" y2="{y2 - gap_y}" '
                   f'stroke="{colours["way"]}" stroke-width="2.5" marker-start="url(#end)" marker-end="url(#end)"/>')
    return "\n".join([*out, "</svg>"]) + "\n"


def main():
    parser = argparse.ArgumentParser(description="Draws the layers of Cordon, and the way of one request.")
    parser.add_argument("--check", metavar="LAYERS", type=pathlib.Path, help="compare only")
    arguments = parser.parse_args()
    wrong = []
    for theme in THEMES:
        file = ROOT / f"docs/pictures/layers-{theme}.svg"
        if not arguments.check:
            file.write_text(draw(theme), encoding="utf-8")
        elif not file.is_file() or file.read_text(encoding="utf-8") != draw(theme):
            wrong.append(f"{file.relative_to(ROOT)} is old: run tools/picture_of_layers.py")
    if arguments.check:
        declared = {line.partition(":")[0] for line in arguments.check.read_text(encoding="utf-8").splitlines()}
        wrong += [f"tools/picture_of_layers.py draws no {name}" for name in sorted(declared - set(LAYERS))]
        wrong += [f"tools/picture_of_layers.py draws {name}, which is no layer" for name in sorted(set(LAYERS) - declared)]
    print("\n".join(wrong), end="\n" if wrong else "")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
