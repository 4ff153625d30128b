// Namespaces: helpers that belong together, parts that stay inside, one that grows, and one on a function.
namespace Money {
  const format = (cents: number): string => (cents / 100).toFixed(2);

  export interface Amount { cents: number; currency: string }
  export const zero = (currency: string): Amount => ({ cents: 0, currency });

  export function add(a: Amount, b: Amount): Amount {
    if (a.currency !== b.currency) throw new Mismatch(a, b);
    return { cents: a.cents + b.cents, currency: a.currency };
  }
  export function text(amount: Amount): string {
    return `${format(amount.cents)} ${amount.currency}`;
  }
  export class Mismatch extends TypeError {
    constructor(readonly left: Amount, readonly right: Amount) {
      super(`${left.currency} is not ${right.currency}`);
    }
  }
}

namespace Money {
  export const sum = (amounts: Amount[]): Amount => amounts.reduce(Money.add);
}

namespace Shop.Prices {
  export const tea: Money.Amount = { cents: 450, currency: 'EUR' };
  export let cups = 2;
}

function greet(name: string): string {
  return `${greet.greeting}, ${name}${greet.Marks.end}`;
}
namespace greet {
  export let greeting = 'Hello';
  export enum Marks { end = '!' }
}

const basket = Array.from({ length: Shop.Prices.cups }, () => Shop.Prices.tea);
Shop.Prices.cups++;
greet.greeting = 'Good morning';
console.log(greet('Ada'), Money.text(Money.sum(basket)), Shop.Prices.cups);
try {
  Money.add(Money.zero('USD'), Shop.Prices.tea);
} catch (error) {
  if (error instanceof Money.Mismatch) console.log(error.name, error.message, error.right);
}
Object.keys(Money).sort();
