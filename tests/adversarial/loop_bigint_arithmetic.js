// One operation on numbers of half a million bits after the other; none of them asks whether time is up.
// expect: code=timeout
// timeout: 200
const big = (1n << 500000n) - 1n;
for (;;) (big * big) % (big - 2n);
