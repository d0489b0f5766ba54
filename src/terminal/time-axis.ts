import { colours, round, text } from './svg.js';

export interface TimeAxis {
  /** Duration, s. */
  readonly end: number;
  readonly left: number;
  readonly right: number;
  /** Upper end of the grid lines, px. */
  readonly top: number;
  readonly bottom: number;
  xOf(second: number): number;
}

const [minute, hour, day] = [60, 3_600, 86_400];
const units = [
  { name: 's', seconds: 1, steps: [1, 2, 5, 10, 15, 30] },
  { name: 'min', seconds: minute, steps: [1, 2, 5, 10, 15, 30] },
  { name: 'h', seconds: hour, steps: [1, 2, 3, 6, 12] },
  { name: 'days', seconds: day, steps: [1, 2, 5, 10, 20, 50, 100] },
];
const marksMax = 9;

/** Draws marks with round times since the start: at most nine, in s, min, h or days. */
export function drawTimeAxis({ end, left, right, top, bottom, xOf }: TimeAxis): string[] {
  const choices = units.flatMap(({ name, seconds, steps }) => steps.map((step) => ({ name, seconds, step })));
  const fits = choices.find(({ seconds, step }) => end / (seconds * step) <= marksMax - 1) ?? choices.at(-1);
  if (!fits) return [];
  const count = Math.min(marksMax, Math.floor(end / (fits.seconds * fits.step)) + 1);
  const marks = Array.from({ length: count }, (_, index) => index * fits.step);
  return [
    `<line x1="${left}" x2="${right}" y1="${bottom}" y2="${bottom}" stroke="${colours.faint}"/>`,
    ...marks.flatMap((mark) => {
      const x = round(xOf(mark * fits.seconds));
      return [
        `<line x1="${x}" x2="${x}" y1="${top}" y2="${bottom + 5}" stroke="${colours.grid}"/>`,
        text(x, bottom + 19, String(mark), { size: 11.5, anchor: 'middle', fill: colours.faint }),
      ];
    }),
    text((left + right) / 2, bottom + 37, `time since the first reading, ${fits.name}`, { size: 12, anchor: 'middle' }),
  ];
}
