// Classes, dates and addresses as the result: what JSON.stringify makes of them, where --values json says so.
class Money {
  #cents;
  constructor(cents) {
    this.#cents = cents;
  }
  toJSON() {
    return (this.#cents / 100).toFixed(2);
  }
}

class Order {
  lines = [];
  placedAt = new Date(Date.UTC(2026, 2, 1, 9, 30));
  note;
  add(name, cents) {
    this.lines.push({ name, price: new Money(cents) });
    return this;
  }
  get count() {
    return this.lines.length;
  }
}

const order = new Order().add("lamp", 4000).add("bulb", 350);
console.log(`${order.count} lines, placed on ${order.placedAt.toISOString().slice(0, 10)}`);
({
  order,
  page: new URL("https://shop.example/orders/7?full=1"),
  dueAt: new Date(order.placedAt.getTime() + 14 * 86_400_000),
  onPaid: () => "never leaves",
  tags: ["new", undefined],
  boxed: [Object("text"), Object(7), Object(false)],
});
