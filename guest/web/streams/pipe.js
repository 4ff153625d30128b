// From a readable stream to a writable one.

function pipeOptions(options) {
  const { preventAbort, preventCancel, preventClose, signal } = dictionary(options, 'The options of a pipe');
  if (signal !== undefined && !isSignal(signal)) throw new TypeError('The signal of a pipe must be an AbortSignal');
  return { __proto__: null, preventAbort: !!preventAbort, preventCancel: !!preventCancel, preventClose: !!preventClose, signal };
}

// One chunk after the other, until one side ends or the signal says so; whichever comes first decides.
function pipe(source, target, { preventAbort, preventCancel, preventClose, signal }) {
  const reader = acquire(source, false);
  const writer = acquireWriter(target);
  source.disturbed = true;
  const { promise, resolve, reject } = deferred();
  let over = false;
  let lastWrite = settledPromise(undefined);

  const settle = (failed, error) => {
    releaseWriter(writer);
    release(reader);
    if (failed) reject(error);
    else resolve(undefined);
  };
  const shutDown = (action, failed, error) => {
    if (over) return;
    over = true;
    const act = () => {
      if (action === undefined) return settle(failed, error);
      react(action(), () => settle(failed, error), (other) => settle(true, other));
    };
    // What was read is written first.
    if (target.state === 'writable' && !isClosing(target)) react(lastWrite, act, act);
    else act();
  };

  if (signal !== undefined) {
    const abort = () => {
      const { reason } = signal;
      shutDown(() => {
        const all = newList();
        if (!preventAbort) all[all.length] = target.state === 'writable' ? abortWritable(target, reason) : settledPromise(undefined);
        if (!preventCancel) all[all.length] = source.state === 'readable' ? cancelReadable(source, reason) : settledPromise(undefined);
        return all.length === 0 ? settledPromise(undefined)
          : all.length === 1 ? all[0]
          : promiseThen(all[0], () => all[1], (error) => promiseThen(all[1], () => { throw error; }, () => { throw error; }));
      }, true, reason);
    };
    if (signal.aborted) {
      abort();
      return promise;
    }
    onAbort(signal, abort);
  }

  const sourceEnded = () => {
    if (preventClose) shutDown(undefined, false);
    else {
      shutDown(() => isClosing(target) || target.state === 'closed' ? settledPromise(undefined)
        : target.state === 'errored' ? rejectedPromise(target.error) : closeWritable(target), false);
    }
  };
  const sourceFailed = (error) => shutDown(preventAbort ? undefined : () => abortWritable(target, error), true, error);
  const targetFailed = (error) => shutDown(preventCancel ? undefined : () => cancelReadable(source, error), true, error);

  if (source.state === 'errored') sourceFailed(source.error);
  else react(reader.closed.promise, undefined, (error) => { if (source.state === 'errored') sourceFailed(error); });
  if (target.state === 'errored' || target.state === 'erroring') targetFailed(target.error);
  else react(writer.closed.promise, undefined, (error) => { if (target.state === 'errored') targetFailed(error); });
  if (source.state === 'closed') sourceEnded();
  if (isClosing(target) || target.state === 'closed') {
    const error = new TypeError('The destination is closed');
    shutDown(preventCancel ? undefined : () => cancelReadable(source, error), true, error);
  }

  const next = () => {
    if (over) return;
    react(writer.ready.promise, () => {
      if (over) return;
      readChunk(source, {
        __proto__: null,
        chunk: (chunk) => {
          lastWrite = handled(writer.stream === null ? settledPromise(undefined) : writeChunk(writer, chunk));
          queueMicrotask(next);
        },
        close: sourceEnded,
        error: (error) => { if (source.state === 'errored') sourceFailed(error); },
      });
    }, noop);
  };
  next();
  return promise;
}
