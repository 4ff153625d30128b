// A Proxy without target, as log argument, tool input and result.
// expect: code=serialization_error
// log: <Revoked Proxy>
// log: caught serialization_error
const { proxy, revoke } = Proxy.revocable({}, {});
revoke();
console.log(proxy);
try {
  await tools.echo(proxy);
} catch (error) {
  console.log('caught', error.code);
}
({ inside: proxy });
