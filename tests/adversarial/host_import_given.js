// What was given can be reached, and nothing else of it.
// expect: ok=[true,["friendly"]]
const module = await import('./friend.js');
[module.friendly, Object.keys(module)];
