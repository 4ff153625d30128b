// Optional chaining, nullish values, logical assignment, destructuring: merge configurations.
const defaults = { server: { port: 8080, host: 'localhost', tls: null }, features: ['search'], retries: 3, debug: false };
const file = { server: { port: 0, tls: { cert: 'a.pem' } }, features: ['export'], debug: null };
const flags = { debug: true, retries: undefined };

const isPlain = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
function merge(target, ...sources) {
  const result = { ...target };
  for (const source of sources) {
    for (const [key, value] of Object.entries(source)) {
      if (value === undefined) continue;
      result[key] = isPlain(value) && isPlain(result[key]) ? merge(result[key], value) : Array.isArray(value) ? [...(result[key] ?? []), ...value] : value ?? result[key];
    }
  }
  return result;
}

const config = merge(defaults, file, flags);
config.server.timeout ??= 30;
config.server.host &&= config.server.host.toUpperCase();
config.name ||= 'unnamed';
config.hooks?.onStart?.();
config.plugins?.[0].load(this_is_never_evaluated());
function this_is_never_evaluated() { throw new Error('the argument was evaluated'); }

const { server: { port, tls: { cert, key = 'none' } = {} }, features: [first, ...others], ...rest } = config;
const describe = ({ name, ...options } = {}, [a, b = a] = [1]) => `${name ?? 'nobody'} ${Object.keys(options).length} ${a} ${b}`;
let [x, y] = [1, 2];
[x, y] = [y, x];

const calls = [];
const effect = (name, value) => (calls.push(name), value);
const values = [effect('a', 0) || effect('b', 'or'), effect('c', 0) ?? effect('d', 'nullish'), effect('e', '') && effect('f', 1)];

console.log(`port ${port}, cert ${cert}, key ${key}`);
({
  config, first, others, rest: Object.keys(rest), describe: [describe(), describe({ name: 'x', y: 1 }, [5])], swapped: [x, y], calls: calls.join(''), values,
  safe: [null?.a.b.c, undefined?.[0], config.none?.(), config.server.tls?.cert.length, (void 0)?.x ?? 'default'],
  deleted: [delete config.server?.port, 'port' in config.server, delete config.nothing?.here],
  computed: { [`key_${1 + 1}`]: true, ...(config.debug && { verbose: 1 }), ...null },
});
