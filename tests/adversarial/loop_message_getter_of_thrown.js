// As above, in the getters that a report reads.
// expect: code=timeout
// timeout: 150
// log: name
throw {
  get name() {
    console.log('name');
    return 'N';
  },
  get message() {
    for (;;) {}
  },
};
