// A Proxy without target, as log argument, tool input and result.
// expect: code=serialization_error
// log: caught serialization_error
const { proxy, revoke } = Proxy.revocable({}, {});
revoke();
try {
  console.log(proxy);
} catch (error) {
  if (!(error instanceof TypeError)) throw error;
}
try {
  await tools.echo(proxy);
} catch (error) {
  console.log('caught', error.code);
}
({ inside: proxy });
