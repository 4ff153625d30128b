// What QuickJS throws when memory is really gone, thrown by the guest.
// expect: code=runtime_error
// message: null
throw null;
