import type { Figures } from './figures.js';

/**
 * Guides name the figures of the contract in comments, so that they read well as they are and cannot fall behind it:
 * `<!--= retention.readings_hours -->24<!--/-->` holds a number, `<!--= table states -->…<!--/-->` a table of rows.
 */
const place = /(<!--= ([\w.]+(?: \w+)?) -->)([^]*?)(<!--\/-->)/g;

/** Writes the contract's present figures into the places for them. Throws where a guide names none. */
export function fill(markdown: string, figures: Figures): string {
  return markdown.replace(place, (_, open: string, name: string, _old, end: string) => open + figures(name) + end);
}

/** The same for readers of the site: without the comments. */
export function fillIn(markdown: string, figures: Figures): string {
  return markdown.replace(place, (_, _open, name: string) => figures(name));
}
