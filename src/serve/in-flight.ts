/** A registry of items in flight. Each item has a number. Numbers are reused. */
export interface InFlight<T extends object> {
  /** Adds the item. Returns its number. */
  enter(item: T): number;
  /** Removes and returns the item. Undefined if no item has the number. */
  leave(number: number): T | undefined;
  all(): T[];
}

/**
 * Creates a registry for items that live as long as a request.
 *
 * Uses an array. A Map or Set would allocate a new table about every hundred items, and V8 links each old table to the
 * next one. Once one table is in the old generation, the items of all later tables survive until the next full garbage
 * collection.
 */
export function createInFlight<T extends object>(): InFlight<T> {
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
