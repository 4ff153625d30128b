// Graphs: shortest paths with a heap, topological order, connected components.
class Heap {
  #items = [];
  constructor(compare) { this.compare = compare; }
  get size() { return this.#items.length; }
  push(item) {
    let i = this.#items.push(item) - 1;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (this.compare(this.#items[i], this.#items[parent]) >= 0) break;
      [this.#items[i], this.#items[parent]] = [this.#items[parent], this.#items[i]];
      i = parent;
    }
  }
  pop() {
    const [top] = this.#items;
    const last = this.#items.pop();
    if (this.size) {
      this.#items[0] = last;
      for (let i = 0; ; ) {
        let least = i;
        for (const child of [2 * i + 1, 2 * i + 2]) if (child < this.size && this.compare(this.#items[child], this.#items[least]) < 0) least = child;
        if (least === i) break;
        [this.#items[i], this.#items[least]] = [this.#items[least], this.#items[i]];
        i = least;
      }
    }
    return top;
  }
}

function shortest(graph, from, to) {
  const distances = { [from]: 0 }, previous = {}, heap = new Heap((a, b) => a.cost - b.cost);
  heap.push({ node: from, cost: 0 });
  while (heap.size) {
    const { node, cost } = heap.pop();
    if (node === to) break;
    for (const [next, weight] of Object.entries(graph[node] ?? {})) {
      if (cost + weight >= (distances[next] ?? Infinity)) continue;
      distances[next] = cost + weight;
      previous[next] = node;
      heap.push({ node: next, cost: cost + weight });
    }
  }
  if (!(to in distances)) return null;
  const path = [to];
  while (path[0] !== from) path.unshift(previous[path[0]]);
  return { path: path.join(' '), cost: distances[to] };
}

function order(tasks) {
  const done = new Set(), doing = new Set(), result = [];
  const visit = (task) => {
    if (done.has(task)) return;
    if (doing.has(task)) throw new Error(`cycle: ${[...doing, task].join(' → ')}`);
    doing.add(task);
    for (const needed of tasks[task] ?? []) visit(needed);
    doing.delete(task);
    done.add(task);
    result.push(task);
  };
  Object.keys(tasks).forEach(visit);
  return result;
}

const roads = { A: { B: 7, C: 9, F: 14 }, B: { C: 10, D: 15 }, C: { D: 11, F: 2 }, D: { E: 6 }, F: { E: 9 } };
let cycle;
try { order({ a: ['b'], b: ['c'], c: ['a'] }); } catch ({ message }) { cycle = message; }
console.log(shortest(roads, 'A', 'E'));
({ route: shortest(roads, 'A', 'E'), unreachable: shortest(roads, 'E', 'A'), build: order({ deploy: ['test', 'build'], test: ['build'], build: ['install'], install: [], docs: [] }), cycle });
