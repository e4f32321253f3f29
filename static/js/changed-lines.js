// How many lines were added and removed: the counts of submissions/line_diff.py, for the line under the editor.
const MOST_CHANGES = 1500;
const MOST_STEPS = 3_000_000;

/** {added, removed}, or null when the texts are too different to be compared. */
export function changedLines(before, after) {
  const [a, b] = [lines(before), lines(after)];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  const changes = distance(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  if (changes === null) return null;
  const added = (changes + b.length - a.length) / 2;
  return { added, removed: changes - added };
}

function lines(text) {
  const found = text.split(/\r\n|\r|\n/);
  if (found.at(-1) === "") found.pop();
  return found;
}

/** The fewest lines removed and added together (Myers 1986), null beyond the limits. */
function distance(a, b) {
  const furthest = new Map([[1, 0]]);
  let steps = 0;
  for (let changes = 0; changes <= Math.min(a.length + b.length, MOST_CHANGES); changes += 1) {
    for (let diagonal = -changes; diagonal <= changes; diagonal += 2) {
      const down = diagonal === -changes || (diagonal !== changes && furthest.get(diagonal - 1) < furthest.get(diagonal + 1));
      let x = down ? furthest.get(diagonal + 1) : furthest.get(diagonal - 1) + 1;
      const first = x;
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x += 1;
      steps += x - first + 1;
      furthest.set(diagonal, x);
      if (x >= a.length && x - diagonal >= b.length) return changes;
    }
    if (steps > MOST_STEPS) return null;
  }
  return null;
}
