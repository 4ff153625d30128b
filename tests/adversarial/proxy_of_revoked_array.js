// expect: code=serialization_error
const { proxy, revoke } = Proxy.revocable([1, 2], {});
revoke();
[proxy];
