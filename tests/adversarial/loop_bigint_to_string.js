// Decimal digits of a number of a million bits: one call, quadratic work, again and again.
// expect: code=timeout
// timeout: 200
const big = (1n << 1000000n) - 1n;
for (;;) big.toString();
