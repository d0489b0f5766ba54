/** What is under way, by numbers that are free again afterwards. */
export interface UnderWay<T extends object> {
  /** Returns the number by which it is taken out. */
  enter(item: T): number;
  /** Takes it out; undefined where nothing has the number. */
  leave(number: number): T | undefined;
  all(): T[];
}

/**
 * For what comes and goes with each request. A Map or Set moves to a new table every hundred of them or so, and V8 has
 * each old table point to the next: once one is in the old heap, whatever was in any later one stays until the next full
 * collection, and every request is copied there first.
 */
export function createUnderWay<T extends object>(): UnderWay<T> {
  const items: Array<T | undefined> = [];
  const free: number[] = [];
  return {
    enter(item) {
      const number = free.pop() ?? items.length;
      items[number] = item;
      return number;
    },
    leave(number) {
      const item = items[number];
      if (item === undefined) return undefined;
      items[number] = undefined;
      free.push(number);
      return item;
    },
    all: () => items.filter((item) => item !== undefined),
  };
}
