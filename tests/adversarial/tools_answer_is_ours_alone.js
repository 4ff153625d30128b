// Two answers of the same value are two objects.
// expect: ok=[false,1]
const shared = { a: 1 };
const [first, second] = await Promise.all([tools.echo(shared), tools.echo(shared)]);
first.a = 2;
[first === second, second.a];
