/** Shortest name for which one typing error is assumed. Most shorter names differ from each other in one character. */
const lengthMin = 4;

/** Returns the known name that is most similar to a misspelled one. Ignores case, `_` and `-`. */
export function findSimilar(name: string, known: readonly string[]): string | undefined {
  const typed = normalize(name);
  const ranked = known.flatMap((it) => {
    const right = normalize(it);
    const errorsMax = right.length < lengthMin ? 0 : Math.max(1, Math.floor(right.length / 5));
    // Checked first, because a hostile request may contain thousands of unknown names.
    if (Math.abs(typed.length - right.length) > errorsMax) return [];
    const errors = countErrors(typed, right);
    return errors <= errorsMax ? [{ it, errors }] : [];
  });
  return ranked.sort((a, b) => a.errors - b.errors)[0]?.it;
}

/** Returns the longest known name that is a part of a name, e.g. `sdnn` of `hrv_sdnn`. */
export function findContainedName(name: string, known: readonly string[]): string | undefined {
  const whole = normalize(name);
  const parts = known.filter((it) => it.length >= lengthMin && whole.includes(normalize(it)));
  return parts.sort((a, b) => b.length - a.length)[0];
}

function normalize(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '');
}

/** Returns the number of characters to insert, delete, replace or swap with their neighbor to get from `a` to `b`. */
function countErrors(a: string, b: string): number {
  let [before, last]: number[][] = [[], Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= a.length; row += 1) {
    const present = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const [x, y] = [a[row - 1], b[column - 1]];
      const isSwap = row > 1 && column > 1 && x === b[column - 2] && y === a[row - 2];
      const errors = Math.min(
        at(last, column) + 1,
        at(present, column - 1) + 1,
        at(last, column - 1) + (x === y ? 0 : 1),
        isSwap ? at(before, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
      present.push(errors);
    }
    [before, last] = [last, present];
  }
  return at(last, b.length);
}

function at(row: readonly number[] | undefined, column: number): number {
  return row?.[column] ?? Number.POSITIVE_INFINITY;
}
