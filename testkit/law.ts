import fc from 'fast-check';
import { test } from 'vitest';
import { laws } from './arbitraries.js';

type Property<Values extends [unknown, ...unknown[]]> = Parameters<typeof fc.property<Values>>;

/** Checks a property with many random values: arbitraries, then the function that gets a value of each. */
export function checkLaw<Values extends [unknown, ...unknown[]]>(...property: Property<Values>): void {
  fc.assert(fc.property(...property), laws);
}

/** Declares a test that checks one property with `checkLaw`. */
export function law<Values extends [unknown, ...unknown[]]>(title: string, ...property: Property<Values>): void {
  test(title, () => checkLaw(...property));
}
