// Classes: private fields and methods, getters, static members, inheritance.
class InsufficientFunds extends Error {
  constructor(needed, available) {
    super(`needed ${needed}, only ${available} available`);
    this.name = this.constructor.name;
    this.missing = needed - available;
  }
}

class Account {
  static #count = 0;
  static get count() { return Account.#count; }
  static { Account.currency = 'EUR'; }

  #balance = 0;
  #history = [];
  owner;

  constructor(owner, opening = 0) {
    this.owner = owner;
    this.#balance = opening;
    Account.#count++;
  }

  get balance() { return this.#balance; }
  set balance(value) { throw new TypeError('use deposit or withdraw'); }
  #record(kind, amount) { this.#history.push({ kind, amount, balance: this.#balance }); return this; }

  deposit(amount) { this.#balance += amount; return this.#record('deposit', amount); }
  withdraw(amount) {
    if (amount > this.#balance) throw new InsufficientFunds(amount, this.#balance);
    this.#balance -= amount;
    return this.#record('withdraw', amount);
  }
  *[Symbol.iterator]() { yield* this.#history; }
  static isAccount(value) { return #balance in value; }
  toJSON() { return { owner: this.owner, balance: this.#balance }; }
}

class Savings extends Account {
  constructor(owner, opening, rate) { super(owner, opening); this.rate = rate; }
  addInterest() { return this.deposit(Math.round(this.balance * this.rate * 100) / 100); }
  get [Symbol.toStringTag]() { return 'Savings'; }
}

const savings = new Savings('Ada', 1000, 0.025);
savings.deposit(200).addInterest().withdraw(30.5);
const problems = [];
for (const action of [() => savings.withdraw(5000), () => { savings.balance = 1e6; }, () => Account.prototype.deposit.call({}, 1)]) {
  try { action(); } catch (error) { problems.push(`${error.name}${error.missing ? ` (${error.missing} missing)` : ''}`); }
}
console.log(JSON.stringify(savings), String(savings), Account.isAccount(savings), Account.isAccount({}));
({ history: [...savings], problems, count: Account.count, currency: Savings.currency, keys: Object.keys(savings) });
