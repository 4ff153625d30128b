// QuickJS's own error class for what went wrong in the engine.
// expect: code=runtime_error
// message: out of memory
throw new InternalError('out of memory');
