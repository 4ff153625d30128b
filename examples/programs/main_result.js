// A main function whose result is the program's.
const THRESHOLD = 5;

async function main() {
  const issues = await github.listIssues({ state: 'open', perPage: 100 });
  const busy = issues.filter((issue) => issue.comments >= THRESHOLD);
  const details = await Promise.all(busy.slice(0, 3).map(({ number }) => github.getIssue({ number })));
  const mentions = details.flatMap(({ body }) => [...body.matchAll(/#(\d+)/g)].map(([, number]) => Number(number)));
  return {
    open: issues.length,
    busy: busy.map(({ number, comments }) => ({ number, comments })),
    mentions: [...new Set(mentions)].sort((a, b) => a - b),
  };
}

main();
