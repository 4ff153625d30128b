// A streaming transform: bytes in parts -> text -> lines -> records -> those that are wanted.
const parts = new ReadableStream({
  part: 0,
  async pull(controller) {
    const { data, last } = await tools.readPart({ part: this.part++ });
    controller.enqueue(Uint8Array.from(atob(data), (c) => c.charCodeAt(0)));
    if (last) controller.close();
  },
});

function lines() {
  let rest = '';
  return new TransformStream({
    transform(chunk, controller) {
      const pieces = (rest + chunk).split('\n');
      rest = pieces.pop();
      for (const piece of pieces) controller.enqueue(piece);
    },
    flush(controller) { if (rest) controller.enqueue(rest); },
  });
}
const parsed = () => new TransformStream({ transform(line, controller) { controller.enqueue(JSON.parse(line)); } });

let read = 0;
const cities = {};
for await (const record of parts.pipeThrough(new TextDecoderStream()).pipeThrough(lines()).pipeThrough(parsed())) {
  read++;
  if (record.ok) (cities[record.city] ??= []).push(record.n);
}
console.log(`${read} records`);
cities;
