// A small state machine, in TypeScript: what an order may become, and what it may not.
type State = 'draft' | 'placed' | 'paid' | 'shipped' | 'cancelled';
type Event = 'place' | 'pay' | 'ship' | 'cancel';

const transitions: Record<State, Partial<Record<Event, State>>> = {
  draft: { place: 'placed', cancel: 'cancelled' },
  placed: { pay: 'paid', cancel: 'cancelled' },
  paid: { ship: 'shipped' },
  shipped: {},
  cancelled: {},
};

class Order<T extends { id: number }> {
  #state: State = 'draft';
  readonly history: State[] = ['draft'];
  data: T;
  constructor(data: T) { this.data = data; }
  get state(): State { return this.#state; }
  send(event: Event): this {
    const next = transitions[this.#state][event];
    if (next === undefined) throw new RangeError(`order ${this.data.id} cannot ${event} when ${this.#state}`);
    this.#state = next;
    this.history.push(next);
    return this;
  }
}

const orders = [new Order({ id: 1 }), new Order({ id: 2 })] as const;
orders[0].send('place').send('pay').send('ship');
orders[1].send('place').send('cancel');
const refused: string[] = [];
for (const order of orders) {
  try { order.send('cancel'); } catch (error: unknown) { refused.push((error as Error).message); }
}
console.log(orders.map((order) => order.history.join(' > ')).join('; '));
({ states: orders.map((order) => order.state), refused } satisfies { states: State[]; refused: string[] });
