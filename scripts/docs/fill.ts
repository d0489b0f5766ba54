import type { Figures } from './figures.js';

/**
 * Comments in the guides mark the places of figures, so that figures always match the contract: `<!--=
 * retention.readings_hours -->24<!--/-->` contains a number, `<!--= table states -->…<!--/-->` a table.
 */
const place = /(<!--= ([\w.]+(?: \w+)?) -->)([^]*?)(<!--\/-->)/g;

/** Updates the figures in a text. Throws if a comment names an unknown figure. */
export function fill(markdown: string, figures: Figures): string {
  return markdown.replace(place, (_, open: string, name: string, _old, end: string) => open + figures(name) + end);
}

/** Removes the comments around figures, for readers of the site. */
export function fillIn(markdown: string, figures: Figures): string {
  return markdown.replace(place, (_, _open, name: string) => figures(name));
}
