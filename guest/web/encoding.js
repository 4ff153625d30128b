// TextEncoder and TextDecoder.

class TextEncoder {
  #is = true;
  get encoding() { return this.#is && 'utf-8'; }
  encode(input = '') { return this.#is && natives.encode(`${input}`); }
  encodeInto(source, destination) {
    requireArguments(arguments.length, 2, 'encodeInto');
    source = `${source}`;
    if (!this.#is || natives.kind(destination) !== KIND.typedArray || typedArrayName(destination) !== 'Uint8Array') {
      throw new TypeError('The destination of encodeInto must be a Uint8Array');
    }
    return { read: natives.encodeInto(source, destination), written: natives.written() };
  }
}
expose(TextEncoder);

for (const name of ['atob', 'btoa']) {
  const convert = global[name];
  const checked = (data) => convert(`${data}`);
  const method = { [name](data) {
    requireArguments(arguments.length, 1, name);
    return checked(data);
  } }[name];
  defineProperty(global, name, { __proto__: null, value: method, writable: true, enumerable: true, configurable: true });
}

// The labels of the Encoding Standard for what we can decode.
// (No Map: its order of keeping depends on a seed, and each execution has its own.)
const encodingOf = { __proto__: null };
for (const [name, labels] of [
  ['utf-8', 'unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8'],
  ['windows-1252', 'ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 ' +
    'iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252'],
  ['utf-16le', 'csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le'],
  ['utf-16be', 'unicodefffe utf-16be'],
]) for (const label of labels.split(' ')) encodingOf[label] = name;

function trimmedLabel(label) {
  const isBlank = (at) => {
    const code = charCodeAt(label, at);
    return code === 9 || code === 10 || code === 12 || code === 13 || code === 32;
  };
  let start = 0;
  let end = label.length;
  while (start < end && isBlank(start)) start++;
  while (end > start && isBlank(end - 1)) end--;
  return lowerCase(substring(label, start, end));
}

function joinBytes(first, second) {
  const joined = new Uint8Array(typedArrayByteLength(first) + typedArrayByteLength(second));
  typedArraySet(joined, first);
  typedArraySet(joined, second, typedArrayByteLength(first));
  return joined;
}

class TextDecoder {
  #encoding;
  #fatal;
  #ignoreBOM;
  #left = null;  // the bytes of an unfinished sequence, while streaming
  #began = false;

  constructor(label = 'utf-8', options = undefined) {
    label = `${label}`;
    options = dictionary(options, 'The decoder\'s options');
    const encoding = encodingOf[trimmedLabel(label)];
    if (encoding === undefined) throw new RangeError(`The "${label}" encoding is not supported`);
    this.#encoding = encoding;
    this.#fatal = !!options.fatal;
    this.#ignoreBOM = !!options.ignoreBOM;
  }
  get encoding() { return this.#encoding; }
  get fatal() { return this.#fatal; }
  get ignoreBOM() { return this.#ignoreBOM; }

  decode(input = undefined, options = undefined) {
    const encoding = this.#encoding;
    const stream = !!dictionary(options, 'The options of decode').stream;
    let bytes = input;
    if (input === undefined) bytes = emptyBytes;
    else if (!isBytes(input)) {
      const kind = natives.kind(input);
      if (kind !== KIND.buffer && kind !== KIND.typedArray && kind !== KIND.dataView) {
        throw new TypeError('The input of decode must be an ArrayBuffer or a view of one');
      }
      bytes = emptyBytes;  // it was detached
    }
    if (this.#left !== null) {
      bytes = joinBytes(this.#left, natives.bytesCopy(bytes));
      this.#left = null;
    }
    let text;
    try {
      text = this.#decodeAll(encoding, bytes, (this.#fatal ? 1 : 0) | (stream ? 2 : 0));
    } catch (error) {
      this.#began = false;
      throw error;
    }
    if (stream && encoding !== 'windows-1252') {
      const unfinished = natives.unfinished();
      if (unfinished > 0) {
        const all = natives.bytesCopy(bytes);
        this.#left = new Uint8Array(bufferSlice(typedArrayBuffer(all), typedArrayByteLength(all) - unfinished));
      }
    }
    if (encoding !== 'windows-1252' && !this.#ignoreBOM && !this.#began && text !== '') {
      if (charCodeAt(text, 0) === 0xFEFF) text = substring(text, 1);
      this.#began = true;
    }
    if (!stream) this.#began = false;
    return text;
  }

  #decodeAll(encoding, bytes, flags) {
    if (encoding === 'utf-8') return natives.decodeUtf8(bytes, flags);
    if (encoding === 'windows-1252') return natives.decodeBytes(bytes, 1);
    return natives.decodeUtf16(bytes, flags, encoding === 'utf-16be' ? 1 : 0);
  }
}
const emptyBytes = new Uint8Array(0);
expose(TextDecoder);
