/** Many short lists of small numbers in one array. List n contains the items `starts[n]` … `starts[n + 1] - 1`. */
export interface Lists {
  readonly starts: Uint16Array;
  readonly items: Uint16Array;
}

export function toLists(lists: ReadonlyArray<readonly number[]>): Lists {
  const starts = new Uint16Array(lists.length + 1);
  lists.forEach((list, n) => (starts[n + 1] = (starts[n] ?? 0) + list.length));
  return { starts, items: Uint16Array.from(lists.flat()) };
}
