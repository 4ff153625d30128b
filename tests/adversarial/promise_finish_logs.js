// expect: ok={"a":1}
// log: from a getter
({
  get a() {
    console.log('from a getter');
    return 1;
  },
});
