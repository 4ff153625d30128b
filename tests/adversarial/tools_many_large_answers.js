// A well-behaved program may have many large answers, one after the other out of one Promise.all.
// expect: ok=419430400
// timeout: 30000
const sizes = await Promise.all(Array.from({ length: 50 }, async (_, i) => (await tools.large(i)).length));
sizes.reduce((a, b) => a + b);
