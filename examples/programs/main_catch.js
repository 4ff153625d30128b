// The habit of Node: a main function, called at the end, with its errors logged.
async function fetchTeams() {
  const employees = await db.query({ table: 'employees' });
  const teams = {};
  for (const employee of employees) {
    if (!teams[employee.team]) {
      teams[employee.team] = [];
    }
    teams[employee.team].push(employee.name);
  }
  return teams;
}

async function main() {
  const teams = await fetchTeams();
  for (const [team, members] of Object.entries(teams)) {
    console.log(`${team}: ${members.join(', ')}`);
  }

  // This one fails; the error ends main, and the catch below logs it.
  await db.query({ table: 'salaries' });
  console.log('never printed');
}

main().catch((error) => console.error('Failed:', error.message));
