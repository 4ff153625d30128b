// Makes letters upper case while the client still sends: what is read is answered at once.
export default async function* (input, { body, signal }) {
  const decoder = new TextDecoder();
  for await (const piece of body) {
    signal.throwIfAborted();
    yield decoder.decode(piece, { stream: true }).toUpperCase();
  }
  yield decoder.decode().toUpperCase();
}
