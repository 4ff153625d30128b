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

function joinBytes(first, second) {
  const joined = new Uint8Array(typedArrayByteLength(first) + typedArrayByteLength(second));
  typedArraySet(joined, first);
  typedArraySet(joined, second, typedArrayByteLength(first));
  return joined;
}

class TextDecoder {
  #encoding;
  #how;  // what decodes it, as guest/web/decoders.c says
  #fatal;
  #ignoreBOM;
  #left = null;  // the bytes of an unfinished sequence, while streaming
  #state = 0;
  #began = false;

  constructor(label = 'utf-8', options = undefined) {
    label = `${label}`;
    options = dictionary(options, 'The decoder\'s options');
    this.#fatal = !!options.fatal;
    this.#ignoreBOM = !!options.ignoreBOM;
    this.#encoding = natives.encodingOf(label);
    if (this.#encoding === undefined) throw new RangeError(`The "${label}" encoding is not supported`);
    this.#how = natives.lastEncoding();
  }
  get encoding() { return this.#encoding; }
  get fatal() { return this.#fatal; }
  get ignoreBOM() { return this.#ignoreBOM; }

  decode(input = undefined, options = undefined) {
    const how = this.#how;
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
    const state = this.#state;
    const began = this.#began;
    this.#state = 0;
    this.#began = false;
    let text = natives.decode(bytes, (this.#fatal ? 1 : 0) | (stream ? 2 : 0), how, state);
    if (stream) {
      this.#state = natives.lastState();
      this.#began = began;
      const unfinished = natives.unfinished();
      if (unfinished > 0) {
        const all = natives.bytesCopy(bytes);
        this.#left = new Uint8Array(bufferSlice(typedArrayBuffer(all), typedArrayByteLength(all) - unfinished));
      }
    }
    // UTF-8 and UTF-16 have a byte order mark; to the others it is a character.
    if ((how & 255) < 3 && !began && text !== '') {
      if (!this.#ignoreBOM && charCodeAt(text, 0) === 0xFEFF) text = substring(text, 1);
      this.#began = stream;
    }
    return text;
  }
}
const emptyBytes = new Uint8Array(0);
expose(TextDecoder);
