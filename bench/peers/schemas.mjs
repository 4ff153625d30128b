// Ajv: `node schemas.mjs`, with [{schema, value, runs, rounds}] as JSON on standard input, and for each of them
// {compile, check, ok} on standard output, times in seconds. bench/schemas/compare.cc does the same for our own.

import { readFileSync } from 'node:fs'
import Ajv2020 from 'ajv/dist/2020.js'

function seconds(work) {
  const start = process.hrtime.bigint()
  work()
  return Number(process.hrtime.bigint() - start) / 1e9
}

function median(list) {
  return list.sort((a, b) => a - b)[list.length >> 1]
}

// Collects the first few mistakes, as ours does, and leaves `format` alone.
const create = () => new Ajv2020.default({ allErrors: true, strict: false, validateFormats: false })

function measure({ schema, value, runs, rounds }) {
  const compiles = []
  let validate
  for (let i = 0; i < rounds; i++) {
    const ajv = create()
    compiles.push(seconds(() => (validate = ajv.compile(schema))))
  }
  const ok = validate(value)
  const checks = []
  for (let i = 0; i < 2 * rounds; i++) {
    const time = seconds(() => {
      for (let n = 0; n < runs; n++) if (validate(value) !== ok) throw new Error('it changed its mind')
    })
    if (i >= rounds) checks.push(time / runs)
  }
  return { compile: median(compiles), check: median(checks), ok }
}

process.stdout.write(JSON.stringify(JSON.parse(readFileSync(0, 'utf8')).map(measure)))
