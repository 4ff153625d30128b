// Page through all issues and write a report in Markdown.
const issues = [];
let page = 1;
while (true) {
  const batch = await github.listIssues({ page, perPage: 10 });
  issues.push(...batch);
  if (batch.length < 10) break;
  page++;
}

const byLabel = {};
for (const issue of issues) {
  for (const { name } of issue.labels) {
    byLabel[name] ??= { open: 0, closed: 0, comments: 0 };
    byLabel[name][issue.state]++;
    byLabel[name].comments += issue.comments;
  }
}

const rows = Object.entries(byLabel)
  .sort(([, a], [, b]) => b.open - a.open || b.comments - a.comments)
  .map(([name, { open, closed, comments }]) => [name, open, closed, (comments / (open + closed)).toFixed(1)]);

const header = ['Label', 'Open', 'Closed', 'Comments (avg)'];
const widths = header.map((title, i) => Math.max(title.length, ...rows.map((row) => String(row[i]).length)));
const line = (cells) => '| ' + cells.map((cell, i) => (i === 0 ? String(cell).padEnd(widths[i]) : String(cell).padStart(widths[i]))).join(' | ') + ' |';
const table = [line(header), '| ' + widths.map((width, i) => (i ? '-'.repeat(width - 1) + ':' : '-'.repeat(width))).join(' | ') + ' |', ...rows.map(line)];
table.forEach((row) => console.log(row));

const oldest = issues.filter((issue) => issue.state === 'open').sort((a, b) => new Date(a.created_at) - new Date(b.created_at))[0];
({ pages: page, issues: issues.length, oldest: `#${oldest.number} ${oldest.title} (${oldest.created_at.slice(0, 10)})` });
