// Enums: names of numbers and back, text, flags, constants that are worked out.
enum Priority { Low, Normal, High = 10, Urgent }
enum Channel { Mail = 'mail', Phone = 'phone' }
const enum Limit { PerPage = 1 << 4, Pages = PerPage / 4 }
enum Access {
  None = 0,
  Read = 1 << 0,
  Write = 1 << 1,
  Share = 1 << 2,
  Own = Read | Write | Share,
  Longest = 'Share'.length,
}

interface Ticket { title: string; priority: Priority; channel: Channel; access: Access }

const tickets: Ticket[] = [
  { title: 'printer on fire', priority: Priority.Urgent, channel: Channel.Phone, access: Access.Own },
  { title: 'new mouse', priority: Priority.Low, channel: Channel.Mail, access: Access.Read },
  { title: 'shared folder', priority: Priority.High, channel: Channel.Mail, access: Access.Read | Access.Write },
];

function rights(access: Access): string[] {
  return Object.entries(Access)
    .filter(([name, bit]) => typeof bit === 'number' && (bit & (bit - 1)) === 0 && (access & bit) !== 0 && name !== 'Longest')
    .map(([name]) => name);
}

for (const ticket of tickets.toSorted((a, b) => b.priority - a.priority)) {
  console.log(`${Priority[ticket.priority].padEnd(6)} ${ticket.title} (${ticket.channel}): ${rights(ticket.access).join('+')}`);
}
console.log(Object.keys(Priority), Object.values(Channel), Access.Longest);

const byName = (name: string): Priority => Priority[name as keyof typeof Priority] ?? Priority.Normal;
({ most: Limit.PerPage * Limit.Pages, high: byName('High'), unknown: byName('Whatever') });
