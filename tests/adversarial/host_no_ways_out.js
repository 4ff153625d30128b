// None of the names by which a host shows itself.
// expect: ok=[]
['fetch', 'process', 'require', 'module', 'exports', 'Buffer', 'WebAssembly', 'std', 'os', 'bjson', 'scriptArgs', 'print',
  'Worker', 'XMLHttpRequest', 'WebSocket', 'Deno', 'Bun', 'global', 'window', 'self', 'navigator', '__loadScript', 'gc',
  'Atomics', 'importScripts', 'postMessage', '__filename', '__dirname', 'load', 'read', 'quit', 'alert', 'open',
].filter((name) => typeof globalThis[name] !== 'undefined' || name in globalThis);
