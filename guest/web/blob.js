// Blob and File: bytes that do not change.

const nowMs = Date.now;

function blobType(value) {
  const type = `${value}`;
  for (let i = 0; i < type.length; i++) {
    const code = charCodeAt(type, i);
    if (code < 0x20 || code > 0x7E) return '';
  }
  return lowerCase(type);
}

function withNativeEndings(text) {
  let out = '';
  for (let i = 0; i < text.length; i++) {
    if (text[i] !== '\r') out += text[i];
    else {
      out += '\n';
      if (text[i + 1] === '\n') i++;
    }
  }
  return out;
}

function partBytes(part, endings) {
  if (isBytes(part)) return natives.bytesCopy(part);
  if (isBlob(part)) return bytesOfBlob(part);
  const text = `${part}`;
  return natives.encode(endings === 'native' ? withNativeEndings(text) : text);
}

function joinedParts(parts, endings) {
  let size = 0;
  const all = newList();
  for (let i = 0; i < parts.length; i++) {
    all[i] = partBytes(parts[i], endings);
    size += typedArrayByteLength(all[i]);
  }
  const bytes = new Uint8Array(size);
  for (let i = 0, at = 0; i < all.length; at += typedArrayByteLength(all[i++])) typedArraySet(bytes, all[i], at);
  return bytes;
}

function clampedIndex(value, size, otherwise) {
  if (value === undefined) return otherwise;
  let index = Number(value);
  index = index !== index ? 0 : Math_trunc(index);
  return index < 0 ? Math_max(size + index, 0) : Math_min(index, size);
}
const chunkBytes = 65536;

let isBlob, bytesOfBlob, newBlob;

class Blob {
  #bytes;
  #type = '';

  constructor(parts = undefined, options = undefined) {
    if (parts === madeHere) {
      this.#bytes = options.bytes;
      this.#type = options.type;
      return;
    }
    if (parts !== undefined && (!isObject(parts) || typeof parts[iterator] !== 'function')) {
      throw new TypeError('The parts of a Blob must be an iterable object');
    }
    const { type = '', endings = 'transparent' } = dictionary(options, 'The options of a Blob');
    if (`${endings}` !== 'transparent' && `${endings}` !== 'native') throw new TypeError(`${endings} are no line endings`);
    this.#bytes = parts === undefined ? emptyBytes : joinedParts(listOf(parts), `${endings}`);
    this.#type = blobType(type);
  }
  get size() { return typedArrayByteLength(this.#bytes); }
  get type() { return this.#type; }
  slice(start = undefined, end = undefined, type = '') {
    const size = typedArrayByteLength(this.#bytes);
    const from = clampedIndex(start, size, 0);
    const to = Math_max(clampedIndex(end, size, size), from);
    return newBlob(this.#part(from, to), blobType(type));
  }
  async text() { return natives.decode(this.#bytes, 0, 0, 0); }
  async arrayBuffer() { return bufferSlice(typedArrayBuffer(this.#bytes), 0, typedArrayByteLength(this.#bytes)); }
  async bytes() { return natives.bytesCopy(this.#bytes); }
  stream() {
    const bytes = this.#bytes;
    let at = 0;
    return new ReadableStream({
      __proto__: null,
      type: 'bytes',
      pull: (controller) => {
        const end = Math_min(at + chunkBytes, typedArrayByteLength(bytes));
        if (at < end) enqueueBytes(controller, this.#part(at, end));
        at = end;
        if (at === typedArrayByteLength(bytes)) closeBytes(controller);
      },
    });
  }
  #part(from, to) { return new Uint8Array(bufferSlice(typedArrayBuffer(this.#bytes), from, to)); }

  static {
    isBlob = (value) => isObject(value) && #bytes in value;
    bytesOfBlob = (blob) => blob.#bytes;
    newBlob = (bytes, type) => new Blob(madeHere, { __proto__: null, bytes, type });
  }
}
expose(Blob);

class File extends Blob {
  #name;
  #lastModified;
  constructor(parts, name, options = undefined) {
    requireArguments(arguments.length, 2, 'File constructor');
    super(parts, options);
    this.#name = wellFormed(`${name}`);
    const { lastModified } = dictionary(options);
    this.#lastModified = lastModified === undefined ? nowMs() : Math_trunc(Number(lastModified)) || 0;
  }
  get name() { return this.#name; }
  get lastModified() { return this.#lastModified; }
  static { isFile = (value) => #name in value; }
}
var isFile;
expose(File);

clonePlatformObject = (value) => {
  const key = partsOf(value);
  if (key !== undefined) return newKey(key);
  if (!isBlob(value)) return undefined;
  if (!isFile(value)) return newBlob(bytesOfBlob(value), value.type);
  return new File([value], value.name, { __proto__: null, type: value.type, lastModified: value.lastModified });
};
