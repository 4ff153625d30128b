// An execbox runner as one would write it in Node, on quickjs-emscripten: `node runner.mjs` for one session on standard
// input and output, `node runner.mjs PATH PROCESSES` for one a connection on a Unix socket. What `cordon runner` is
// measured against. Each session has a runtime and a context of its own; the program is the body of an async function.

import cluster from 'node:cluster'
import { createServer } from 'node:net'
import { getQuickJS } from 'quickjs-emscripten'

const engine = await getQuickJS()

function session(send, end) {
  const pending = new Map()
  let runtime
  let context

  const finish = (id, start, outcome) => {
    send({ type: 'done', id, durationMs: Date.now() - start, logs: [], ...outcome })
    for (const { deferred } of pending.values()) deferred.dispose()
    end()
  }

  function inject(providers) {
    for (const { name, tools } of providers) {
      const space = context.newObject()
      for (const { safeName } of Object.values(tools)) {
        const handle = context.newFunction(safeName, (input) => {
          const deferred = context.newPromise()
          const callId = `call-${pending.size + 1}`
          pending.set(callId, { deferred })
          deferred.settled.then(() => runtime?.executePendingJobs())
          send({ type: 'tool_call', callId, providerName: name, safeToolName: safeName, input: context.dump(input) })
          return deferred.handle
        })
        handle.consume((made) => context.setProp(space, safeName, made))
      }
      space.consume((made) => context.setProp(context.global, name, made))
    }
  }

  async function execute({ id, code, options, providers }) {
    const start = Date.now()
    runtime = engine.newRuntime()
    runtime.setMemoryLimit(options.memoryLimitBytes)
    runtime.setInterruptHandler(() => Date.now() - start > options.timeoutMs)
    context = runtime.newContext()
    inject(providers)
    send({ type: 'started', id })
    const promise = context.unwrapResult(context.evalCode(`(async () => {${code}\n})()`))
    const settled = context.resolvePromise(promise)
    promise.dispose()
    runtime.executePendingJobs()
    const result = await settled
    if (!context) return
    if (result.error) {
      const error = result.error.consume(context.dump)
      finish(id, start, { ok: false, error: { code: 'runtime_error', message: String(error.message ?? error) } })
    } else {
      finish(id, start, { ok: true, result: result.value.consume(context.dump) })
    }
  }

  return {
    take(message) {
      if (message.type === 'execute') return execute(message)
      const call = pending.get(message.callId)
      if (message.type !== 'tool_result' || !call) return
      const text = JSON.stringify(message.result)
      context.unwrapResult(context.evalCode(`(${text})`)).consume((value) => call.deferred.resolve(value))
    },
    dispose() {
      context?.dispose()
      runtime?.dispose()
      context = runtime = undefined
    },
  }
}

function serve(input, output, end) {
  let rest = ''
  const one = session((message) => output.write(JSON.stringify(message) + '\n'), end)
  input.setEncoding('utf8')
  input.on('data', (text) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop()
    for (const line of lines) one.take(JSON.parse(line))
  })
  return one
}

const [path, processes] = process.argv.slice(2)
if (!path) {
  serve(process.stdin, process.stdout, () => process.stdout.write('', () => process.exit(0)))
} else if (cluster.isPrimary) {
  let listening = 0
  cluster.on('listening', () => ++listening === Number(processes) && console.log('ready'))
  for (let i = 0; i < Number(processes); i++) cluster.fork()
} else {
  createServer((socket) => {
    const one = serve(socket, socket, () => socket.end())
    socket.on('close', () => one.dispose())
    socket.on('error', () => {})
  }).listen({ path, backlog: 4096 })
}
