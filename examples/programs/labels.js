// Loops with labels: find a word in a grid, and the first conflict in a calendar.
const grid = ['TRAIN', 'OXEEA', 'KEBAB', 'YODLE', 'OTTER'].map((row) => [...row]);
const directions = [[0, 1], [1, 0], [1, 1], [0, -1], [-1, 0], [-1, -1], [1, -1], [-1, 1]];

function find(word) {
  let steps = 0;
  search: for (let row = 0; row < grid.length; row++) {
    for (let column = 0; column < grid[row].length; column++) {
      direction: for (const [down, right] of directions) {
        for (let i = 0; i < word.length; i++) {
          steps++;
          if (grid[row + down * i]?.[column + right * i] !== word[i]) continue direction;
        }
        return { word, row, column, down, right };
      }
      if (steps > 10_000) break search;
    }
  }
  return { word, steps: steps > 0 };
}

const meetings = [['09:00', '10:00'], ['10:00', '11:30'], ['11:15', '12:00'], ['13:00', '14:00']];
let conflict = null;
outer: for (const [i, [, end]] of meetings.entries()) {
  for (const [start] of meetings.slice(i + 1)) {
    if (start < end) {
      conflict = `${meetings[i].join('-')} overlaps with the one at ${start}`;
      break outer;
    }
  }
}

let countdown = 3;
do {
  if (countdown === 2) continue;
  console.log(countdown);
} while (countdown-- > 0);

block: {
  if (conflict) break block;
  console.log('no conflict');
}

({ found: ['TOKYO', 'BABEK', 'TEETH', 'XBL', 'RETTO'].map(find), conflict });
