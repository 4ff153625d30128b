// Issues of a project, made up, a page at a time as the real one gives them.

const labels = ['bug', 'docs', 'feature', 'bug', 'question'];
const people = ['octocat', 'hubot', 'mona', null];
const issues = Array.from({ length: 34 }, (_, i) => ({
  number: i + 1,
  title: `${['Crash in', 'Document', 'Support', 'Slow', 'How to use'][i % 5]} ${['parser', 'cache', 'Zürich export', 'scheduler'][i % 4]}`,
  state: i % 3 === 0 ? 'closed' : 'open',
  labels: [{ name: labels[i % 5] }, ...(i % 7 === 0 ? [{ name: 'urgent' }] : [])],
  user: { login: people[i % 3] },
  assignee: people[i % 4] && { login: people[i % 4] },
  created_at: new Date(Date.UTC(2026, 0, 1 + i * 2, 8 + (i % 10), (i * 7) % 60)).toISOString(),
  comments: (i * 5) % 9,
}));

export async function listIssues({ page = 1, perPage = 10, state = 'all' } = {}) {
  const found = issues.filter((issue) => state === 'all' || issue.state === state);
  return found.slice((page - 1) * perPage, page * perPage);
}

export async function getIssue({ number }) {
  const issue = issues[number - 1];
  if (!issue) throw new Error(`Not Found: issue ${number}`);
  return { ...issue, body: `Steps:\n1. open ${issue.title.split(' ').pop()}\n2. see #${(number % 5) + 1} and #${number + 1}\n` };
}

export async function addLabels({ number, labels: added }) {
  const issue = issues[number - 1];
  for (const name of added) if (!issue.labels.some((label) => label.name === name)) issue.labels.push({ name });
  return issue.labels.map((label) => label.name);
}

// Fails two times of three, as a busy server does.
let calls = 0;
export async function search({ query }) {
  if (++calls % 3 !== 0) throw new Error(`503 Service Unavailable (request ${calls})`);
  return { total_count: 2, items: issues.filter((issue) => issue.title.includes(query)).slice(0, 2).map(({ number, title }) => ({ number, title })) };
}
