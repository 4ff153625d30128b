// Take mails apart with regular expressions: named groups, matchAll, replace with a function.
const messages = await mail.inbox({ unread: true });

const senderPattern = /^(?:(?<name>[^<]+?)\s*<)?(?<address>[^<>\s]+@(?<domain>[^<>\s]+?))>?$/;
const amountPattern = /EUR\s(?<amount>\d{1,3}(?:\.\d{3})*,\d{2}) until (?<day>\d{2})\.(?<month>\d{2})\.(?<year>\d{4})/u;
const errorPattern = /^ERROR in (?<file>[\w/.-]+):(?<line>\d+):(?<column>\d+) (?<code>TS\d{4})$/gm;

const invoices = [];
const errors = [];
for (const { from, subject, text } of messages) {
  const { name = 'unknown', domain } = from.match(senderPattern).groups;
  console.log(`${name} at ${domain}: ${subject.replace(/^(?:re|fwd?):\s*/i, '')}`);

  const invoice = text.match(amountPattern)?.groups;
  if (invoice) {
    const { amount, day, month, year } = invoice;
    invoices.push({ number: /#(\d+)/.exec(subject)[1], amount: Number(amount.replaceAll('.', '').replace(',', '.')), due: `${year}-${month}-${day}` });
  }
  for (const { groups, index } of text.matchAll(errorPattern)) {
    errors.push({ ...groups, line: Number(groups.line), column: +groups.column, at: index });
  }
}

const camel = 'parse_http_request_header'.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
const snake = camel.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase();
const masked = '4111 1111 1111 1234'.replace(/\d(?=(?:\s?\d){4})/g, '*');
const sticky = /\d+/y;
sticky.lastIndex = 3;
({ invoices, total: invoices.reduce((sum, { amount }) => sum + amount, 0), errors, camel, snake, masked, sticky: sticky.exec('abc123')?.[0], swapped: 'Doe, Jane'.replace(/(?<last>\w+), (?<first>\w+)/, '$<first> $<last>') });
