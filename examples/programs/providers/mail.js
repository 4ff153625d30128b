// A mailbox, made up. What was sent can be listed, so that a program can see what it did.

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const outbox = [];

export async function send({ to, subject, body = '' }) {
  await sleep(2);
  if (!/^[^@\s]+@[^@\s]+\.[a-z]+$/i.test(to)) throw new Error(`invalid address: ${to}`);
  outbox.push({ to, subject, body });
  return { id: `m-${outbox.length}`, to };
}

export const sent = async () => outbox;

export async function inbox({ unread = false } = {}) {
  const messages = [
    { id: 'a1', from: 'Ada Lovelace <ada@example.com>', subject: 'Re: Invoice #2041', date: '2026-02-27T09:15:00+01:00', unread: true,
      text: 'Hello,\n\nplease pay EUR 1.234,50 until 15.03.2026.\n\nAda\n' },
    { id: 'a2', from: 'build@ci.example.com', subject: '[failed] main #881', date: '2026-02-27T23:59:59Z', unread: true,
      text: 'ERROR in src/app.ts:14:7 TS2304\nERROR in src/lib/date.ts:3:1 TS1005\n' },
    { id: 'a3', from: 'Grace Hopper <grace@example.org>', subject: 'Lunch?', date: '2026-02-28T11:30:00-05:00', unread: false, text: 'Tomorrow at 12?\n' },
    { id: 'a4', from: 'Ada Lovelace <ada@example.com>', subject: 'Invoice #2050', date: '2026-03-01T08:00:00+01:00', unread: true,
      text: 'Hello,\n\nplease pay EUR 99,00 until 31.03.2026.\n\nAda\n' },
  ];
  return unread ? messages.filter((message) => message.unread) : messages;
}
