import type { Figures } from './figures.js';

/**
 * Matches comments in the guides that mark the places of figures. The figures are filled in from the contract, so that
 * they always match it. `<!--= retention.readings_hours -->24<!--/-->` contains a number, `<!--= table states
 * -->…<!--/-->` a table, `<!--= response readme -->…<!--/-->` a response of the service.
 */
const place = /(<!--= ([\w.]+(?: \w+)?) -->)([^]*?)(<!--\/-->)/g;

/** Updates the figures in a text. Throws if a comment names an unknown figure. */
export function fill(markdown: string, figures: Figures): string {
  return markdown.replace(place, (_, open: string, name: string, old: string, end: string) => {
    return open + figures(name, old) + end;
  });
}
