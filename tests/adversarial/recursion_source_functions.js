// expect: ok=true
// timeout: 5000
let caught;
try {
  eval('()=>'.repeat(200000) + '1');
} catch (error) {
  caught = error;
}
caught instanceof Error;
