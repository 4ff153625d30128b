// Values that throw when they are looked at: the log call throws, the program goes on.
// expect: ok=["no","odd","TypeError"]
const name = (value) => {
  try {
    console.log(value);
    return 'logged';
  } catch (error) {
    return error.message ? (error instanceof TypeError ? error.name : error.message) : String(error);
  }
};
[
  name({ toJSON() { throw 0; }, toString() { throw new Error('no'); } }),
  name({ get a() { throw 0; }, toString() { throw new Error('odd'); } }),
  name(Object.assign(Object.create(null), { a: 1n })),
];
