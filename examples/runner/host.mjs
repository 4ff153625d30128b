// An execbox host: runs a program in `cordon runner` and answers its tool calls.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

const tools = { add: async ({ a, b }) => a + b }

export async function execute(code, options = {}) {
  const runner = spawn('cordon', ['runner'], { stdio: ['pipe', 'pipe', 'inherit'] })
  const send = (message) => runner.stdin.write(JSON.stringify(message) + '\n')
  const manifest = Object.keys(tools).map((name) => [name, { safeName: name, originalName: name }])
  const limits = { timeoutMs: 5000, memoryLimitBytes: 64 << 20, maxLogLines: 100, maxLogChars: 64000, ...options }
  const providers = [{ name: 'tools', tools: Object.fromEntries(manifest), types: '' }]
  send({ type: 'execute', id: '1', code, options: limits, providers })

  for await (const line of createInterface({ input: runner.stdout })) {
    const message = { input: undefined, ...JSON.parse(line) }
    if (message.type === 'done') return message
    if (message.type !== 'tool_call') continue
    tools[message.safeToolName](message.input).then(
      (result) => send({ type: 'tool_result', callId: message.callId, ok: true, result }),
      ({ message: text }) =>
        send({ type: 'tool_result', callId: message.callId, ok: false, error: { code: 'tool_error', message: text } })
    )
  }
  throw new Error('the runner ended before it was done')
}

const { ok, result, logs } = await execute('console.log("asking"); (await tools.add({ a: 40, b: 1 })) + 1')
console.log(ok, result, logs)
