// Nothing that the engine has for its own tests.
// expect: ok=[]
const names = [];
for (const object of [globalThis, Object, Function.prototype, Error, Math, Reflect, Symbol, Promise, ArrayBuffer, Iterator]) {
  for (const key of Reflect.ownKeys(object)) {
    if (/^(__|%|\$262|gc|debug|std|os$|native|agent|detach|evalScript|createRealm)/i.test(String(key))) names.push(String(key));
  }
}
names.filter((name) => !/^__(define|lookup)(Getter|Setter)__$|^__proto__$/.test(name));
