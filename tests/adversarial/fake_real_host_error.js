// A tool's refusal keeps the code and the words that the host gave it.
// expect: code=validation_error
// message: not like this
await tools.refuse();
