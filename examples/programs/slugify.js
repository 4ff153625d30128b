// Text: slugs, normalisation, title case, truncation, word wrap, counting words.
const slugify = (text) => text
  .normalize('NFKD')
  .replace(/\p{M}+/gu, '')
  .replace(/ß/g, 'ss')
  .toLowerCase()
  .replace(/[^\p{L}\p{N}]+/gu, '-')
  .replace(/^-+|-+$/g, '');

const titleCase = (text) => text.toLowerCase().replace(/(?<=^|[\s-])\p{L}/gu, (letter) => letter.toUpperCase());
const truncate = (text, length) => (text.length <= length ? text : `${text.slice(0, text.lastIndexOf(' ', length - 1)).trimEnd()}…`);

function wrap(text, width) {
  const lines = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line && (line + ' ' + word).length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line ? `${line} ${word}` : word;
    }
  }
  return [...lines, line];
}

const text = 'The quick brown fox jumps over the lazy dog. The dog sleeps; the fox — a quick one — is gone!';
const frequencies = Object.entries((text.toLowerCase().match(/\p{L}+/gu) ?? []).reduce((counts, word) => {
  counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}, {})).sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, 4);

for (const line of wrap(text, 30)) console.log(`|${line.padEnd(30)}|`);
const titles = ['  Crème Brûlée & Café!  ', 'Straße №5', 'ﬁne ½ Ⅻ', 'naïve façade—déjà vu', '日本語 Text', 'İstanbul'];
({
  slugs: titles.map(slugify),
  title: titleCase('jean-luc PICARD of the ÉCOLE'),
  short: truncate(text, 24),
  frequencies,
  equal: ['é' === 'e\u0301', 'é'.normalize() === 'e\u0301'.normalize('NFC')],
  palindrome: ((s) => s === [...s].reverse().join(''))('A man, a plan, a canal: Panama'.toLowerCase().replace(/\W/g, '')),
  initials: 'Ada King Lovelace'.split(' ').map(([letter]) => letter).join(''),
  plural: [0, 1, 2].map((n) => `${n} item${n === 1 ? '' : 's'}`),
  split: 'a1b22c'.split(/(\d+)/), limit: 'a,b,c'.split(',', 2), chars: [...'e\u0301👍🏽'].length,
  cases: ['ǆ'.toUpperCase(), 'ΑΣ'.toLowerCase(), 'ı'.toUpperCase(), 'ŉ'.toUpperCase()],
});
