// expect: ok="RangeError"
// timeout: 5000
let nested = [];
for (let i = 0; i < 100000; i++) nested = [nested];
let seen;
try {
  String(nested);
} catch (error) {
  seen = error.name;
}
seen;
