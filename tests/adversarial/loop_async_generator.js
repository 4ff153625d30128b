// An async generator that yields for ever, consumed for ever: no job queue runs dry.
// expect: code=timeout
// timeout: 150
async function* endless() {
  for (let i = 0; ; i++) yield i;
}
for await (const value of endless()) {
}
