// expect: ok="first"
({
  then(resolve, reject) {
    resolve('first');
    resolve('second');
    reject(new Error('third'));
    throw new Error('fourth');
  },
});
