// Headers: names without regard to case, values joined by commas, in order of name.

const tokenCharacters = newList();
for (const c of "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") tokenCharacters[c.charCodeAt(0)] = true;

function headerName(value) {
  const name = `${value}`;
  for (let i = 0; i < name.length; i++) {
    if (tokenCharacters[charCodeAt(name, i)] !== true) throw new TypeError(`Invalid header name: ${name}`);
  }
  if (name === '') throw new TypeError('A header name must not be empty');
  return lowerCase(name);
}

function headerValue(value) {
  const text = `${value}`;
  const isBlank = (code) => code === 9 || code === 10 || code === 13 || code === 32;
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(charCodeAt(text, start))) start++;
  while (end > start && isBlank(charCodeAt(text, end - 1))) end--;
  for (let i = start; i < end; i++) {
    const code = charCodeAt(text, i);
    if (code === 0 || code === 10 || code === 13 || code > 255) throw new TypeError(`Invalid header value: ${text}`);
  }
  return substring(text, start, end);
}

const HeadersIterator = iteratorClass('Headers Iterator');

class Headers {
  // A list of { name, value }, in order of adding.
  #list = newList();

  constructor(init = undefined) {
    if (init === undefined) return;
    if (!isObject(init)) throw new TypeError('Headers wants an object or an iterable of pairs');
    const method = init[iterator];
    if (#list in init && method === entriesOfHeaders) {
      for (let i = 0; i < init.#list.length; i++) this.append(init.#list[i].name, init.#list[i].value);
    } else if (method !== undefined && method !== null) {
      const pairs = listOf(init, 'The argument of Headers');
      for (let i = 0; i < pairs.length; i++) {
        if (!isObject(pairs[i])) throw new TypeError('Each header must be a pair of name and value');
        const pair = listOf(pairs[i], 'Each header');
        if (pair.length !== 2) throw new TypeError('Each header must be a pair of name and value');
        this.#append(headerName(pair[0]), headerValue(pair[1]));
      }
    } else {
      const names = ownKeys(init);
      for (let i = 0; i < names.length; i++) {
        const property = getOwnPropertyDescriptor(init, names[i]);
        if (property === undefined || !property.enumerable) continue;
        this.#append(headerName(names[i]), headerValue(init[names[i]]));
      }
    }
  }

  append(name, value) {
    requireArguments(arguments.length, 2, 'Headers.append');
    this.#append(headerName(name), headerValue(value));
  }
  delete(name) {
    requireArguments(arguments.length, 1, 'Headers.delete');
    this.#delete(headerName(name));
  }
  get(name) {
    requireArguments(arguments.length, 1, 'Headers.get');
    name = headerName(name);
    let joined = null;
    for (let i = 0; i < this.#list.length; i++) {
      if (this.#list[i].name === name) joined = joined === null ? this.#list[i].value : `${joined}, ${this.#list[i].value}`;
    }
    return joined;
  }
  getSetCookie() {
    const found = [];
    for (let i = 0; i < this.#list.length; i++) {
      if (this.#list[i].name === 'set-cookie') define(found, found.length, this.#list[i].value);
    }
    return found;
  }
  has(name) {
    requireArguments(arguments.length, 1, 'Headers.has');
    name = headerName(name);
    for (let i = 0; i < this.#list.length; i++) if (this.#list[i].name === name) return true;
    return false;
  }
  set(name, value) {
    requireArguments(arguments.length, 2, 'Headers.set');
    name = headerName(name);
    value = headerValue(value);
    for (let i = 0; i < this.#list.length; i++) {
      if (this.#list[i].name !== name) continue;
      this.#list[i].value = value;
      this.#delete(name, i + 1);
      return;
    }
    this.#append(name, value);
  }
  forEach(callback, self = undefined) {
    requireArguments(arguments.length, 1, 'Headers.forEach');
    if (typeof callback !== 'function') throw new TypeError('The callback of forEach must be a function');
    for (let i = 0; ; i++) {
      const pair = this.#sorted()[i];
      if (pair === undefined) return;
      apply(callback, self, [pair[1], pair[0], this]);
    }
  }
  entries() { return new HeadersIterator(this.#iteration(), 'entries'); }
  keys() { return new HeadersIterator(this.#iteration(), 'keys'); }
  values() { return new HeadersIterator(this.#iteration(), 'values'); }

  #append(name, value) { this.#list[this.#list.length] = { __proto__: null, name, value }; }
  #delete(name, from = 0) {
    const kept = newList();
    for (let i = 0; i < this.#list.length; i++) {
      if (i < from || this.#list[i].name !== name) kept[kept.length] = this.#list[i];
    }
    this.#list = kept;
  }
  #iteration() {
    this.#list;
    return (index) => this.#sorted()[index];
  }
  // [name, value] in order of name; cookies stay apart.
  #sorted() {
    const places = new Map();
    const pairs = newList();
    for (let i = 0; i < this.#list.length; i++) {
      const { name, value } = this.#list[i];
      const known = name === 'set-cookie' ? undefined : mapGet(places, name);
      if (known !== undefined) {
        known[1] = `${known[1]}, ${value}`;
        continue;
      }
      const pair = [name, value, i];
      mapSet(places, name, pair);
      pairs[pairs.length] = pair;
    }
    return arraySort(pairs, (a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : a[2] - b[2]));
  }
}
const entriesOfHeaders = Headers.prototype.entries;
defineProperty(Headers.prototype, iterator, { __proto__: null, value: entriesOfHeaders, writable: true, configurable: true });
expose(Headers);
