// Data and templates in files of their own, imported as text.
import rows from './letters/people.csv' with { type: 'text' };
import template from './letters/letter.txt' with { type: 'text' };

const [head, ...lines] = rows.trim().split('\n').map((line) => line.split(','));
const people = lines.map((line) => Object.fromEntries(line.map((cell, i) => [head[i], cell])));
console.log(`${people.length} people`);

const fill = (values) => template.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? `{${name}}`);
export default people.map((person) => fill({ ...person, sum: Number(person.sum).toFixed(2) }).trim());
