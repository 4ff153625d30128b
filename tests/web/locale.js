// toLocaleString and its kin without Intl, in en-US and UTC; and localeCompare.
const lines = [];
const print = (...values) => lines.push(values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(' '));
const thrown = (action) => { try { return action(); } catch (error) { return error.name; } };
const when = new Date(Date.UTC(2024, 0, 5, 13, 5, 9));

print([0, -0, 1234.5, 1234567.891, 1.0005, 2.5, -0.0001, 999.9995, 1e21, 5e-324, NaN, -Infinity].map((n) => n.toLocaleString()));
print([123456789012345678901n, -1000n, 0n].map((n) => n.toLocaleString('en-US')));
for (const options of [{ maximumFractionDigits: 0 }, { minimumFractionDigits: 2, maximumFractionDigits: 2 }, { style: 'percent' }, { style: 'currency', currency: 'USD' }, { style: 'currency', currency: 'EUR', minimumFractionDigits: 0 }, { useGrouping: false }]) {
  print(options, [1234.565, -0.5, 0, 99.999].map((n) => n.toLocaleString('en-US', options)));
}
print([when.toLocaleString(), when.toLocaleDateString(), when.toLocaleTimeString('en-US'), new Date(NaN).toLocaleString(), new Date(0).toLocaleString('en', { timeZone: 'UTC' })]);
for (const options of [
  { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' }, { month: 'short', day: 'numeric' }, { month: 'long', year: 'numeric' }, { year: 'numeric', month: '2-digit', day: '2-digit' }, { hour: '2-digit', minute: '2-digit' },
  { hour: 'numeric', minute: '2-digit', hour12: false }, { dateStyle: 'medium' }, { dateStyle: 'long', timeStyle: 'short' }, { dateStyle: 'short', timeStyle: 'medium' }, { weekday: 'short' }, { month: 'short', day: 'numeric', hour: 'numeric' },
]) print(options, when.toLocaleString('en-US', options));
print([when.toLocaleDateString(undefined, { hour: 'numeric' }), when.toLocaleTimeString([], { day: 'numeric', month: 'long' }), thrown(() => when.toLocaleTimeString('en-US', { dateStyle: 'long' }))]);
print([1234.5, when, null, 10n].toLocaleString(), new Float64Array([1e6, 0.5]).toLocaleString());

const order = (list, ...rest) => list.sort((a, b) => a.localeCompare(b, ...rest));
print(order(['b', 'a', 'B', 'A', 'é', 'e', 'É', 'z', 'Z', 'ä', 'ab', 'Ab', 'aB', '10', '9', '_', '-', ' ', '~', '', 'ø', 'o', 'p', 'ß', 'ss', 'st', 'æ', 'ad', 'af', 'þ', 'ł', 'l', 'm']));
print(order(['résumé', 'resume', 'Resume', 'Résumé', 'resumes', 'résumés', 'co-op', 'coop', 'CO-OP', 'co op', 'O’Neil', 'O\'Neil', 'ONeil', '“q”', '"q"']));
print(order(['item10', 'item9', 'Item1', 'item01', 'item', 'item1a'], undefined, { numeric: true }), order(['a10', 'a9', 'a1'], 'en'));
print(['a'.localeCompare('A', undefined, { sensitivity: 'base' }), 'a'.localeCompare('á', 'en', { sensitivity: 'base' }), 'a'.localeCompare('á', 'en', { sensitivity: 'accent' }), 'a'.localeCompare('A', 'de', { sensitivity: 'accent' })]);
print(['o\u0308'.localeCompare('ö'), '\u212b'.localeCompare('Å'), '가'.localeCompare('\u1100\u1161'), '名前'.localeCompare('名前'), 'a\u0000b'.localeCompare('ab'), 'b名'.localeCompare('a前'), 'undefined'.localeCompare(), String.prototype.localeCompare.length]);
print('Straße'.toLocaleUpperCase(), 'ÀI'.toLocaleLowerCase('en-US'), 'i'.toLocaleUpperCase(['de']), thrown(() => 'a'.toLocaleUpperCase('x_y')), thrown(() => (1).toLocaleString(null)), thrown(() => Number.prototype.toLocaleString.call('1')), thrown(() => Date.prototype.toLocaleString.call({})));
console.log(lines.join('\n'));
