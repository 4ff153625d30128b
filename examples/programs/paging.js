// Page through a tool, as an async generator, and stop as soon as there is enough.
async function* allOrders() {
  let pages = 0;
  for (let cursor = 0; cursor !== null;) {
    const page = await tools.listOrders({ cursor, limit: 10 });
    pages++;
    yield* page.items;
    cursor = page.cursor;
  }
  console.log(`read ${pages} pages`);
}

let count = 0;
let open = 0;
for await (const order of allOrders()) {
  count++;
  if (order.status === 'open') open += order.cents;
}
const firstBig = [];
for await (const order of allOrders()) {
  if (order.cents > 9000) firstBig.push(order.id);
  if (firstBig.length === 2) break;
}
({ count, open: open / 100, firstBig });
