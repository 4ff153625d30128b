// URL and URLSearchParams.

let paramsOfQuery, setQuery, queryText, textOfParams;

const ParamsIterator = iteratorClass('URLSearchParams Iterator');

class URLSearchParams {
  #list = newList();  // names and values in turn
  #changed = noop;    // tells the URL that these belong to

  constructor(init = undefined) {
    if (init === undefined || init === madeHere) return;
    if (!isObject(init)) {
      const text = `${init}`;
      this.#parse(text[0] === '?' ? substring(text, 1) : text);
    } else if (init[iterator] !== undefined && init[iterator] !== null) {
      if (#list in init && init[iterator] === entriesOfParams) {
        for (let i = 0; i < init.#list.length; i++) this.#list[i] = init.#list[i];
        return;
      }
      const pairs = listOf(init, 'The argument of URLSearchParams');
      for (let i = 0; i < pairs.length; i++) {
        if (!isObject(pairs[i])) throw new TypeError('Each query pair must be an iterable [name, value] tuple');
        const pair = listOf(pairs[i], 'Each query pair');
        if (pair.length !== 2) throw new TypeError('Each query pair must be an iterable [name, value] tuple');
        this.#push(scalarText(pair[0]), scalarText(pair[1]));
      }
    } else {
      const names = ownKeys(init);
      const places = { __proto__: null };
      for (let i = 0; i < names.length; i++) {
        const property = getOwnPropertyDescriptor(init, names[i]);
        if (property === undefined || !property.enumerable) continue;
        const name = scalarText(names[i]);
        const value = scalarText(init[names[i]]);
        // Names that differ in lone surrogates alone are one.
        if (places[name] !== undefined) this.#list[places[name]] = value;
        else {
          places[name] = this.#list.length + 1;
          this.#push(name, value);
        }
      }
    }
  }

  get size() { return this.#list.length / 2; }
  append(name, value) {
    requireArguments(arguments.length, 2, 'URLSearchParams.append');
    this.#push(scalarText(name), scalarText(value));
    this.#changed();
  }
  delete(name, value = undefined) {
    requireArguments(arguments.length, 1, 'URLSearchParams.delete');
    name = scalarText(name);
    if (value !== undefined) value = scalarText(value);
    this.#drop(name, value, 0);
    this.#changed();
  }
  get(name) {
    requireArguments(arguments.length, 1, 'URLSearchParams.get');
    name = scalarText(name);
    for (let i = 0; i < this.#list.length; i += 2) if (this.#list[i] === name) return this.#list[i + 1];
    return null;
  }
  getAll(name) {
    requireArguments(arguments.length, 1, 'URLSearchParams.getAll');
    name = scalarText(name);
    const found = [];
    for (let i = 0; i < this.#list.length; i += 2) if (this.#list[i] === name) define(found, found.length, this.#list[i + 1]);
    return found;
  }
  has(name, value = undefined) {
    requireArguments(arguments.length, 1, 'URLSearchParams.has');
    name = scalarText(name);
    if (value !== undefined) value = scalarText(value);
    for (let i = 0; i < this.#list.length; i += 2) {
      if (this.#list[i] === name && (value === undefined || this.#list[i + 1] === value)) return true;
    }
    return false;
  }
  set(name, value) {
    requireArguments(arguments.length, 2, 'URLSearchParams.set');
    name = scalarText(name);
    value = scalarText(value);
    let at = 0;
    while (at < this.#list.length && this.#list[at] !== name) at += 2;
    if (at === this.#list.length) this.#push(name, value);
    else {
      this.#list[at + 1] = value;
      this.#drop(name, undefined, at + 2);
    }
    this.#changed();
  }
  sort() {
    const pairs = newList();
    for (let i = 0; i < this.#list.length; i += 2) pairs[pairs.length] = [this.#list[i], this.#list[i + 1], i];
    arraySort(pairs, (a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : a[2] - b[2]));
    this.#list = newList();
    for (let i = 0; i < pairs.length; i++) this.#push(pairs[i][0], pairs[i][1]);
    this.#changed();
  }
  forEach(callback, self = undefined) {
    requireArguments(arguments.length, 1, 'URLSearchParams.forEach');
    if (typeof callback !== 'function') throw new TypeError('The callback of forEach must be a function');
    for (let i = 0; i < this.#list.length; i += 2) apply(callback, self, [this.#list[i + 1], this.#list[i], this]);
  }
  entries() { return new ParamsIterator(this.#iteration(), 'entries'); }
  keys() { return new ParamsIterator(this.#iteration(), 'keys'); }
  values() { return new ParamsIterator(this.#iteration(), 'values'); }
  toString() { return this.#text(); }

  #iteration() {
    this.#list;
    return (index) => (index * 2 < this.#list.length ? [this.#list[index * 2], this.#list[index * 2 + 1]] : undefined);
  }
  #push(name, value) {
    this.#list[this.#list.length] = name;
    this.#list[this.#list.length] = value;
  }
  #drop(name, value, from) {
    const kept = newList();
    for (let i = 0; i < this.#list.length; i += 2) {
      if (i >= from && this.#list[i] === name && (value === undefined || this.#list[i + 1] === value)) continue;
      kept[kept.length] = this.#list[i];
      kept[kept.length] = this.#list[i + 1];
    }
    this.#list = kept;
  }
  #parse(text) { this.#list = setPrototypeOf(natives.queryParse(text), null); }
  #text() {
    let text = '';
    for (let i = 0; i < this.#list.length; i += 2) {
      text += `${i > 0 ? '&' : ''}${natives.queryEscape(this.#list[i])}=${natives.queryEscape(this.#list[i + 1])}`;
    }
    return text;
  }

  static {
    paramsOfQuery = (query, changed) => {
      const params = new URLSearchParams(madeHere);
      params.#parse(query);
      params.#changed = changed;
      return params;
    };
    setQuery = (params, query) => params.#parse(query);
    queryText = (params) => params.#text();
    textOfParams = (value) => (#list in value ? value.#text() : undefined);
  }
}
const scalarText = (value) => wellFormed(`${value}`);
const entriesOfParams = URLSearchParams.prototype.entries;
defineProperty(URLSearchParams.prototype, iterator, { __proto__: null, value: entriesOfParams, writable: true, configurable: true });
expose(URLSearchParams);

const { URL } = natives;
const urlSearch = getterOf(URL.prototype, 'search');
natives.urlHelpers((url) => {
  const params = paramsOfQuery(substring(urlSearch(url), 1), () => natives.urlSetQuery(url, queryText(params)));
  return params;
}, (params, query) => setQuery(params, substring(query, 1)));

const statics = {
  canParse(input, base = undefined) {
    requireArguments(arguments.length, 1, 'URL.canParse');
    return natives.urlCanParse(input, base);
  },
  parse(input, base = undefined) {
    requireArguments(arguments.length, 1, 'URL.parse');
    return natives.urlCanParse(input, base) ? new URL(input, base) : null;
  },
};
for (const name of keys(statics)) defineHidden(URL, name, statics[name]);
expose(URL);
natives.setUrlHooks(getterOf(URL.prototype, 'href'), textOfParams, (text) => new URL(text), (text) => new URLSearchParams(text));
