import { InvalidArgumentError } from 'commander';

/** Reads an option that is a whole number above 0. */
export function positive(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('It must be a whole number above 0.');
  return Number(text);
}

/** Reads an option that lists seeds, e.g. `1 2 3` or `4-9`. */
export function seeds(text: string, before: readonly number[] = []): number[] {
  const [first = '', last = first] = text.split('-');
  const [from, to] = [positive(first), positive(last)];
  return [...before, ...Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index)];
}
