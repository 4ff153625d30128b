"""Plugins in Python.

    python3 plugins.py extism PLUGIN.wasm  measures PyPI extism; prints what plugins.mjs prints
"""

import json
import sys
import time


def extism(wasm):
    import extism as library

    manifest = {"wasm": [{"path": wasm}]}

    def call(plugin):
        if plugin.call("add", b"[40,2]") != b"42":
            sys.exit("40 + 2 is not 42")

    def timed(act):
        start = time.perf_counter_ns()
        act()
        return (time.perf_counter_ns() - start) / 1000

    plugin = library.Plugin(manifest)
    for _ in range(2000):
        call(plugin)
    times = sorted(timed(lambda: call(plugin)) for _ in range(20_000))
    fresh = sorted(timed(lambda: call(library.Plugin(manifest))) for _ in range(30))
    print(
        json.dumps(
            {
                "p50": times[len(times) // 2],
                "p99": times[len(times) * 99 // 100],
                "rate": 1e6 * len(times) / sum(times),
                "fresh": fresh[len(fresh) // 2] / 1000,
            }
        )
    )


{"extism": extism}[sys.argv[1]](sys.argv[2])
