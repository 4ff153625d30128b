"""Plugins in Python.

    python3 plugins.py extism PLUGIN.wasm    measures PyPI extism; prints what plugins.mjs prints
    python3 plugins.py wasmtime PLUGIN.wasm  is a guest: the module under PyPI wasmtime, with Wasmtime's own WASI streams,
                                             which is what `wasmtime run` does
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


def wasmtime(wasm):
    import wasmtime as library

    engine = library.Engine()
    linker = library.Linker(engine)
    linker.define_wasi()
    store = library.Store(engine)
    wasi = library.WasiConfig()
    wasi.inherit_stdin()
    wasi.inherit_stdout()
    wasi.inherit_stderr()
    store.set_wasi(wasi)
    instance = linker.instantiate(store, library.Module.from_file(engine, wasm))
    instance.exports(store)["_start"](store)


{"extism": extism, "wasmtime": wasmtime}[sys.argv[1]](sys.argv[2])
