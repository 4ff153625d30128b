// One measurement of one peer: `node peer.mjs quickjs-emscripten|isolated-vm`, with the request as JSON on standard
// input and the result as JSON on standard output. bench/engine/measure.cc does the same for Cordon.
//
// Every run gets a runtime (or isolate) and a context of its own, as an execution of Cordon's does. A tool is an
// asynchronous function that gives back its input.

import { readFileSync } from 'node:fs'

const peers = {
  'quickjs-emscripten': async () => {
    const { getQuickJS } = await import('quickjs-emscripten')
    return quickjs(await getQuickJS())
  },
  'isolated-vm': async () => isolatedVm((await import('isolated-vm')).default),
}

// A sandbox is { evaluate(code), evaluateAsync(code), dispose() }; `tool` is called by the guest's tools.echo.
function quickjs(engine) {
  return (tool) => {
    const runtime = engine.newRuntime()
    const context = runtime.newContext()
    const echo = (input) => {
      const deferred = context.newPromise()
      tool(context.dump(input)).then((answer) => {
        const handle = toGuest(context, answer)
        deferred.resolve(handle)
        handle.dispose()
      })
      deferred.settled.then(runtime.executePendingJobs)
      return deferred.handle
    }
    if (tool) {
      const tools = context.newObject()
      const handle = context.newFunction('echo', echo)
      context.setProp(tools, 'echo', handle)
      context.setProp(context.global, 'tools', tools)
      handle.dispose()
      tools.dispose()
    }
    const take = (handle) => {
      const value = context.dump(handle)
      handle.dispose()
      return value
    }
    return {
      evaluate: (code) => take(context.unwrapResult(context.evalCode(code))),
      evaluateAsync: async (code) => {
        const promise = context.unwrapResult(context.evalCode(`(async () => {${code}})()`))
        const settled = context.resolvePromise(promise)
        promise.dispose()
        runtime.executePendingJobs()
        return take(context.unwrapResult(await settled))
      },
      dispose: () => {
        context.dispose()
        runtime.dispose()
      },
    }
  }
}

// Numbers and plain objects are all that the tool here gives.
function toGuest(context, value) {
  if (typeof value === 'number') return context.newNumber(value)
  const object = context.newObject()
  for (const key in value) {
    const handle = toGuest(context, value[key])
    context.setProp(object, key, handle)
    handle.dispose()
  }
  return object
}

function isolatedVm(ivm) {
  const bootstrap = `globalThis.tools = {
    echo: (input) => $0.apply(undefined, [input], { arguments: { copy: true }, result: { promise: true, copy: true } }),
  }`
  return (tool) => {
    const isolate = new ivm.Isolate({ memoryLimit: 64 })
    const context = isolate.createContextSync()
    if (tool) context.evalClosureSync(bootstrap, [new ivm.Reference(tool)])
    return {
      evaluate: (code) => isolate.compileScriptSync(code).runSync(context, { copy: true }),
      evaluateAsync: (code) => context.eval(`(async () => {${code}})()`, { promise: true, copy: true }),
      dispose: () => isolate.dispose(),
    }
  }
}

const echo = async (input) => input

const measures = {
  // Time of a whole life: made, run, result taken, gone.
  fresh(create, { program, runs, warmUps }) {
    const run = () => {
      const sandbox = create()
      const result = sandbox.evaluate(program)
      sandbox.dispose()
      return result
    }
    const result = repeat(run, warmUps)
    const times = timed(run, runs)
    return { p50: percentile(times, 50), p99: percentile(times, 99), runs, result: String(result) }
  },

  // The same with 1 tool call and with many, one after the other.
  async tools(create, { one, many, difference, runs, warmUps }) {
    const run = async (program) => {
      const sandbox = create(echo)
      const start = process.hrtime.bigint()
      const result = await sandbox.evaluateAsync(program)
      const time = Number(process.hrtime.bigint() - start) / 1e9
      sandbox.dispose()
      return { time, result }
    }
    const short = []
    const long = []
    let result
    for (let i = -warmUps; i < runs; i++) {
      const first = await run(one)
      const second = await run(many)
      result = second.result
      if (i < 0) continue
      short.push(first.time)
      long.push(second.time)
    }
    const further = (percentile(long, 50) - percentile(short, 50)) / difference
    return { further, runs, result: String(result) }
  },

  // Memory of sandboxes that wait for a tool, and whether all go on when it answers.
  async waiting(create, { program, count }) {
    const answers = []
    const tool = (input) => new Promise((resolve) => answers.push(() => resolve(input)))
    const warm = create(echo)
    await warm.evaluateAsync(program)
    warm.dispose()
    const before = pss()
    const sandboxes = Array.from({ length: count }, () => create(tool))
    const results = sandboxes.map((sandbox) => sandbox.evaluateAsync(program))
    while (answers.length < count) await new Promise((resolve) => setTimeout(resolve, 5))
    const after = pss()
    for (const answer of answers) answer()
    const answered = (await Promise.all(results)).length
    for (const sandbox of sandboxes) sandbox.dispose()
    return { count, answered, bytesEach: (after - before) / count }
  },
}

function repeat(run, count) {
  let result
  for (let i = 0; i < count; i++) result = run()
  return result
}

// Seconds, a run each.
function timed(run, count) {
  const times = new Float64Array(count)
  for (let i = 0; i < count; i++) {
    const start = process.hrtime.bigint()
    run()
    times[i] = Number(process.hrtime.bigint() - start) / 1e9
  }
  return times
}

function percentile(times, percent) {
  const sorted = Float64Array.from(times).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))]
}

function pss() {
  return Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync('/proc/self/smaps_rollup', 'utf8'))[1]) * 1024
}

try {
  const request = JSON.parse(readFileSync(0, 'utf8'))
  const create = await peers[process.argv[2]]()
  process.stdout.write(JSON.stringify(await measures[request.measure](create, request)) + '\n')
} catch (error) {
  process.stderr.write(`${process.argv[2]}: ${error.message}\n`)
  process.exitCode = 1
}
