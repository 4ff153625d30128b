// Blob and File.
const print = (...values) => console.log(values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(' '));
const thrown = (action) => { try { action(); return 'nothing'; } catch (error) { return error.name; } };

const blob = new Blob(['a€', new Uint8Array([66, 67]), new Blob(['inner']), new Uint8Array([1, 68, 2]).subarray(1, 2), 5, null], { type: 'Text/Plain' });
print(blob.size, blob.type, await blob.text());
print([...new Uint8Array(await blob.arrayBuffer())].join(), (await blob.bytes()).length);
print(await blob.slice(1, 4).text(), await blob.slice(-4).text(), await blob.slice(2, -5).text(), blob.slice(5, 2).size, blob.slice(0, 1, 'x/y').type, blob.slice(99).size);
print(new Blob().size, new Blob([]).type, new Blob(['\r\na\rb\n'], { endings: 'native' }).size, new Blob(['x'], { type: 'é' }).type);
for (const wrong of ['text', 5, {}, null]) print(thrown(() => new Blob(wrong)));
print(Object.prototype.toString.call(blob));
const chunks = [];
for await (const chunk of blob.stream()) chunks.push(chunk.length);
print(chunks.reduce((a, b) => a + b), await new Blob([new Uint8Array(200000)]).stream().getReader().read().then(({ done, value }) => [done, value.length > 0]));

const file = new File(['content'], 'name.txt', { type: 'text/plain', lastModified: 17 });
print(file.name, file.size, file.type, file.lastModified, file instanceof Blob, await file.text(), Object.prototype.toString.call(file));
print(Math.abs(new File([], 'x').lastModified - Date.now()) < 1000, thrown(() => new File([])));
const copy = structuredClone(blob);
print(copy instanceof Blob, copy !== blob, copy.size, copy.type, await copy.text() === await blob.text());
const changed = new Uint8Array([65]);
const fixed = new Blob([changed]);
changed[0] = 66;
print(await fixed.text());
