// A thenable that resolves with another thenable, for ever.
// expect: code=timeout
// timeout: 150
const again = () => ({ then: (resolve) => resolve(again()) });
again();
