// Plugins in Node, measured: one call of `add` after the other, 64 at a time, and a new plugin to its first answer.
//
//   node plugins.mjs duplex COMMAND ARGS…   the host of npm duplex-rpc with this guest
//   node plugins.mjs extism PLUGIN.wasm     npm @extism/extism, in the same thread
//
// Prints {"p50","p99","rate","fresh"}: microseconds, microseconds, calls a second, milliseconds.

import { spawn } from 'node:child_process'

const [kind, ...rest] = process.argv.slice(2)
const calls = 20_000

async function duplex(command) {
  const { createApiClientFromDuplex, createRpcFunctionDefinition, duplexFromSpawnedProcess } = await import('duplex-rpc')
  const add = createRpcFunctionDefinition({ params: (p) => p, decodeResult: (r) => r })
  const open = () => {
    const guest = spawn(command[0], command.slice(1), { stdio: ['pipe', 'pipe', 'inherit'] })
    const client = createApiClientFromDuplex(duplexFromSpawnedProcess(guest), { add })
    return { call: () => client.add([40, 2]), close: () => guest.stdin.end() }
  }
  return { open, many: true }
}

async function extism([wasm]) {
  const { default: createPlugin } = await import('@extism/extism')
  const input = '[40,2]'
  const open = async () => {
    const plugin = await createPlugin({ wasm: [{ path: wasm }] }, { useWasi: false })
    let count = 0
    return {
      call: async () => {
        // Without this it fails at call 16,383.
        if (++count % 1000 === 0) await plugin.reset()
        return (await plugin.call('add', input)).json()
      },
      close: () => plugin.close(),
    }
  }
  return { open, many: false }
}

function at(times, part) {
  times.sort((a, b) => a - b)
  return times[Math.floor(times.length * part)]
}

async function timed(act) {
  const start = process.hrtime.bigint()
  const result = await act()
  if (result !== 42) throw new Error(`40 + 2 is not ${result}`)
  return Number(process.hrtime.bigint() - start) / 1000
}

const { open, many } = await (kind === 'duplex' ? duplex(rest) : extism(rest))
const plugin = await open()
for (let i = 0; i < calls / 4; ++i) await timed(plugin.call)
const times = []
for (let i = 0; i < calls; ++i) times.push(await timed(plugin.call))
const start = process.hrtime.bigint()
for (let i = 0; i < calls; i += 64) {
  if (many) await Promise.all(Array.from({ length: 64 }, () => plugin.call()))
  else for (let j = 0; j < 64; ++j) await plugin.call()
}
const seconds = Number(process.hrtime.bigint() - start) / 1e9
await plugin.close()
const fresh = []
for (let i = 0; i < 30; ++i) {
  let one
  fresh.push(
    await timed(async () => {
      one = await open()
      return one.call()
    }),
  )
  await one.close()
}
console.log(
  JSON.stringify({ p50: at(times, 0.5), p99: at(times, 0.99), rate: calls / seconds, fresh: at(fresh, 0.5) / 1000 }),
)
process.exit(0)
