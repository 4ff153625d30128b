// A hundred thousand rejections that are handled a moment later leave nothing behind.
// expect: ok="done"
// timeout: 20000
// memory: 16MiB
for (let i = 0; i < 100000; i++) {
  const late = Promise.reject(i);
  await null;
  late.catch(() => {});
}
'done';
