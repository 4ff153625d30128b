// Ask for many things, take what succeeds, and report what fails.
const numbers = [3, 400, 12, -1, 34, 35];
const results = await Promise.allSettled(numbers.map((number) => github.getIssue({ number })));

const summary = results.map((result, index) => {
  if (result.status === 'fulfilled') {
    const { number, title, state, assignee } = result.value;
    return { number, title, state, assignee: assignee?.login ?? 'nobody' };
  }
  return { number: numbers[index], error: result.reason.message };
});

const succeeded = results.filter(({ status }) => status === 'fulfilled').length;
const failed = results.length - succeeded;
console.log(`${succeeded} succeeded, ${failed} failed`);
for (const entry of summary) {
  if ('error' in entry) {
    console.error(`✗ #${entry.number}: ${entry.error}`);
  } else {
    console.info(`✓ #${entry.number} ${entry.title} [${entry.state}] → ${entry.assignee}`);
  }
}

({ succeeded, failed, states: Object.fromEntries(results.map(({ status }, i) => [numbers[i], status])) });
