// An exec that always finds something: replaceAll collects matches until there is no room for more.
// expect: code=memory_limit
// memory: 8MiB
// timeout: 30000
const pattern = /a/g;
pattern.exec = function () {
  return ['a'];
};
'a'.replaceAll(pattern, '');
