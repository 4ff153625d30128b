// Classes that get what they work with as parameters: parameter properties, fields, casts.
interface Customer { id: number; name: string }
interface Order { id: number; customerId: number; total: number }

abstract class Repository<T extends { id: number }> {
  private cache = new Map<number, T>();
  protected constructor(protected readonly kind: string, private readonly load: (id: number) => Promise<T>) {}

  async find(id: number): Promise<T> {
    const known = this.cache.get(id);
    if (known) return known;
    const found = await this.load(id);
    this.cache.set(id, found);
    return found;
  }
  get size(): number { return this.cache.size; }
  describe(): string { return `${this.kind}: ${this.size}`; }
}

class Customers extends Repository<Customer> {
  constructor(prefix = 'customer') {
    super(prefix, async (id) => <Customer>{ id, name: ['Ada', 'Grace', 'Edsger'][id % 3] });
  }
}

class Counter {
  calls: number;
  constructor(public start: number, public readonly step = 1) { this.calls = this.start; }
  next(): number { return (this.calls += this.step); }
}

class Report {
  private lines: string[] = [];
  constructor(private readonly customers: Customers, private counter: Counter, public title?: string) {}

  async add(order: Order): Promise<this> {
    const { name } = await this.customers.find(order.customerId);
    this.lines.push(`${this.counter.next()}. ${name}: ${order.total.toFixed(2)}`);
    return this;
  }
  toString(): string { return [this.title ?? 'Report', ...this.lines].join('\n'); }
}

const orders = <Order[]>JSON.parse('[{"id":1,"customerId":4,"total":9.5},{"id":2,"customerId":3,"total":20},{"id":3,"customerId":4,"total":1}]');
const customers = new Customers();
const report = new Report(customers, new Counter(10, 5), undefined);
for (const order of orders) await report.add(order);
console.log(String(report));
console.log(customers.describe(), JSON.stringify(new Counter(3)), Object.keys(report));
(<any>report).counter.calls;
