// Text on its way: TextEncoderStream and TextDecoderStream.

class TextEncoderStream {
  #transform;
  constructor() {
    let high = '';  // half of a pair that the next chunk may complete
    this.#transform = new TransformStream({
      __proto__: null,
      transform: (chunk, controller) => {
        let text = high + `${chunk}`;
        const last = text === '' ? 0 : charCodeAt(text, text.length - 1);
        high = last >= 0xD800 && last < 0xDC00 ? text[text.length - 1] : '';
        if (high !== '') text = substring(text, 0, text.length - 1);
        if (text !== '') transformerEnqueue(controller, natives.encode(text));
      },
      flush: (controller) => {
        if (high !== '') transformerEnqueue(controller, natives.encode(high));
      },
    });
  }
  get encoding() { return #transform in this ? 'utf-8' : undefined; }
  get readable() { return transformReadable(this.#transform); }
  get writable() { return transformWritable(this.#transform); }
}
const transformerEnqueue = uncurry(TransformStreamDefaultController.prototype.enqueue);
const transformReadable = getterOf(TransformStream.prototype, 'readable');
const transformWritable = getterOf(TransformStream.prototype, 'writable');
expose(TextEncoderStream);

const decode = uncurry(TextDecoder.prototype.decode);
class TextDecoderStream {
  #transform;
  #decoder;
  constructor(label = 'utf-8', options = undefined) {
    const decoder = new TextDecoder(label, options);
    this.#decoder = decoder;
    this.#transform = new TransformStream({
      __proto__: null,
      transform: (chunk, controller) => {
        const text = decode(decoder, chunk, { __proto__: null, stream: true });
        if (text !== '') transformerEnqueue(controller, text);
      },
      flush: (controller) => {
        const text = decode(decoder);
        if (text !== '') transformerEnqueue(controller, text);
      },
    });
  }
  get encoding() { return this.#decoder.encoding; }
  get fatal() { return this.#decoder.fatal; }
  get ignoreBOM() { return this.#decoder.ignoreBOM; }
  get readable() { return transformReadable(this.#transform); }
  get writable() { return transformWritable(this.#transform); }
}
expose(TextDecoderStream);
