// Tagged templates: HTML that is escaped, SQL with parameters, text without its indentation.
const escapeHtml = (value) => String(value).replace(/[&<>"']/g, (char) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[char]);
class Html { constructor(text) { this.text = text; } toString() { return this.text; } }

function html(strings, ...values) {
  const render = (value) => {
    if (Array.isArray(value)) return value.map(render).join('');
    return value instanceof Html ? value.text : escapeHtml(value ?? '');
  };
  return new Html(strings.reduce((text, part, i) => text + part + (i < values.length ? render(values[i]) : ''), ''));
}

const sql = ({ raw }, ...values) => ({ text: raw.reduce((text, part, i) => `${text}$${i}${part}`), values });

function dedent(strings, ...values) {
  const text = String.raw({ raw: strings }, ...values).replace(/^\n/, '').trimEnd();
  const indent = Math.min(...text.split('\n').filter((line) => line.trim()).map((line) => line.match(/^ */)[0].length));
  return text.split('\n').map((line) => line.slice(indent)).join('\n');
}

const products = await db.query({ table: 'products' });
const page = html`<ul class="${'a "quoted" class'}">${products.slice(0, 2).map(({ name, price }) => html`<li>${name} &mdash; ${price.toFixed(2)}</li>`)}<li>${'<script>'}</li>${null}</ul>`;
console.log(`${page}`);

const mail = dedent`
    Dear ${'Ada'},

      ${products.length} products are listed.

    Yours
`;
console.log(mail);

const render = (template, data) => template.replace(/\{\{\s*([\w.]+)\s*(?:\|\s*(\w+)\s*)?\}\}/g, (whole, path, filter) => {
  const value = path.split('.').reduce((object, key) => object?.[key], data);
  return value === undefined ? whole : filter === 'upper' ? String(value).toUpperCase() : value;
});
({
  query: sql`SELECT * FROM orders WHERE sku = ${'T-1'} AND quantity > ${3}`,
  rendered: render('{{ user.name | upper }} has {{user.cart.items}} items, {{ user.missing }}', { user: { name: 'Ada', cart: { items: 3 } } }),
  raw: String.raw`C:\new\table ${1 + 1}`,
  nested: `outer ${`inner ${[1, 2].map((n) => `<${n}>`).join('')}`}`,
  sameStrings: ((tag) => tag`a` === tag`a`)((strings) => strings),
});
