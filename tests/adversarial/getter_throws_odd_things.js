// What a getter throws is told in words, and that throws too.
// expect: code=serialization_error
({ get bad() { throw { toString() { throw Symbol('worse'); } }; } });
