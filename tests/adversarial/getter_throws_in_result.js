// expect: code=serialization_error
({ deep: [{ get bad() { throw new Error('not today'); } }] });
