// expect: code=serialization_error
// timeout: 5000
let nested = [];
for (let i = 0; i < 100000; i++) nested = [nested];
nested;
