// BigInt: factorials, powers modulo, ids that are too big for a number.
const factorial = (n) => (n <= 1n ? 1n : n * factorial(n - 1n));

function modPow(base, exponent, modulus) {
  let result = 1n;
  base %= modulus;
  while (exponent > 0n) {
    if (exponent & 1n) result = (result * base) % modulus;
    base = (base * base) % modulus;
    exponent >>= 1n;
  }
  return result;
}

const gcd = (a, b) => (b === 0n ? a : gcd(b, a % b));
const sqrt = (n) => {
  let x = n, y = (x + 1n) / 2n;
  while (y < x) [x, y] = [y, (y + n / y) / 2n];
  return x;
};

const snowflake = BigInt('1234567890123456789');
const timestamp = Number((snowflake >> 22n) + 1288834974657n);

let mixed;
try { mixed = 1n + 1; } catch (error) { mixed = error.name; }
let json;
try { JSON.stringify({ id: snowflake }); } catch (error) { json = error.name; }

const digits = String(factorial(300n));
console.log(`300! has ${digits.length} digits and ends in ${digits.match(/0+$/)[0].length} zeros`);
({
  factorial: factorial(25n).toString(),
  modPow: modPow(3n, 10n ** 18n, 1_000_000_007n).toString(),
  mersenne: (2n ** 127n - 1n).toString(16),
  gcd: Number(gcd(2n ** 40n, 6n ** 20n)),
  sqrt: sqrt(2n * 10n ** 60n).toString(),
  when: new Date(timestamp).toISOString(),
  lost: Number(snowflake) === 1234567890123456800,
  divided: [(-7n / 2n).toString(), (-7n % 2n).toString(), String(BigInt.asIntN(8, 255n)), String(BigInt.asUintN(8, -1n))],
  compared: [1n < 2, 2n == 2, 2n === 2, typeof 1n],
  sorted: [3n, 1, 2n, 10].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)).map(String),
  mixed, json, hex: BigInt('0xff').toString(2),
});
