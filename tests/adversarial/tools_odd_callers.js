// Tools called with every kind of `this` and in every odd way.
// expect: ok=[1,2,3,4]
const { echo } = tools;
[
  await echo.call(null, 1),
  await Reflect.apply(echo, new Proxy({}, {}), [2]),
  await echo.bind(Symbol())(3),
  await new Proxy(echo, {})(4),
];
