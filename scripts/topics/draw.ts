import { areas } from '../../src/domain/topics/vocabulary.js';
import type { RefusalPoint } from './figures.js';

const INK = '#1f2933';
const FAINT = '#d5dbe1';
const BLUE = '#1f5fa8';
const ORANGE = '#b8500b';

const picture = (width: number, height: number, title: string, body: readonly string[]): string =>
  [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, sans-serif" font-size="12" fill="${INK}">`,
    `<title>${title}</title><rect width="100%" height="100%" fill="#fff"/>`,
    text(width / 2, 24, title, 'middle', 'font-size="15" font-weight="600"'),
    ...body,
    '</svg>\n',
  ].join('\n');

const text = (x: number, y: number, content: string, anchor = 'middle', more = ''): string =>
  `<text x="${x}" y="${y}" text-anchor="${anchor}" ${more}>${content}</text>`;

const label = (area: string): string => area.replaceAll('_', ' ');

const CELL = { width: 74, height: 40, left: 200, top: 96 };

/** Confusion matrix: rows are the raters' areas, columns what was picked; shaded and marked by part of the row. */
export function drawConfusions(counts: readonly number[][], title: string): string {
  const columns = [...areas.map(label), 'none'];
  const { width, height, left, top } = CELL;
  const heads = columns.map((name, k) => headOf(name, left + (k + 0.5) * width));
  const rows = counts.flatMap((row, i) => {
    const total = row.reduce((sum, count) => sum + count, 0);
    const y = top + i * height;
    const name = text(left - 10, y + height / 2 + 4, `${label(areas[i] ?? '')} (${total})`, 'end');
    return [name, ...row.map((count, k) => cellOf(left + k * width, y, count, count / Math.max(1, total), i === k))];
  });
  const caption = text(
    left,
    top + counts.length * height + 24,
    'Row: label of most raters (sentences). Number: per cent of the row.',
    'start',
  );
  return picture(left + columns.length * width + 20, top + counts.length * height + 44, title, [
    ...heads,
    ...rows,
    caption,
  ]);
}

function headOf(name: string, x: number): string {
  const parts = name.split(' ');
  return parts.map((part, i) => text(x, CELL.top - 8 - 14 * (parts.length - 1 - i), part)).join('');
}

function cellOf(x: number, y: number, count: number, part: number, isRight: boolean): string {
  const box = `<rect x="${x}" y="${y}" width="${CELL.width - 2}" height="${CELL.height - 2}" fill="${isRight ? BLUE : ORANGE}" fill-opacity="${(0.04 + 0.9 * part).toFixed(2)}"/>`;
  const colour = part > 0.5 ? 'fill="#fff"' : '';
  return count === 0
    ? box
    : box + text(x + CELL.width / 2 - 1, y + CELL.height / 2 + 3, `${Math.round(100 * part)}`, 'middle', colour);
}

const PLOT = { left: 64, top: 48, width: 520, height: 320 };

/** F1 over false alarms, a point for each threshold; marks where the service stands and what it must reach. */
export function drawRefusal(
  curve: readonly RefusalPoint[],
  service: { falseAlarms: number; macroF1: number },
  goal: { falseAlarms: number; macroF1: number },
): string {
  const [low, high] = [0.5, 0.8];
  const x = (falseAlarm: number) => PLOT.left + falseAlarm * PLOT.width;
  const y = (f1: number) => PLOT.top + (1 - (Math.max(low, f1) - low) / (high - low)) * PLOT.height;
  const grid = [0, 0.2, 0.4, 0.6, 0.8, 1].map(
    (at) =>
      `<path d="M${x(at)} ${y(high)}V${y(low)}" stroke="${FAINT}"/>${text(x(at), y(low) + 18, `${Math.round(at * 100)} %`)}`,
  );
  const steps = [0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8].map(
    (at) => `<path d="M${x(0)} ${y(at)}H${x(1)}" stroke="${FAINT}"/>${text(x(0) - 8, y(at) + 4, at.toFixed(2), 'end')}`,
  );
  const shown = curve.filter((point) => point.macroF1 >= low);
  const line = `<polyline points="${shown.map((point) => `${x(point.falseAlarms).toFixed(1)},${y(point.macroF1).toFixed(1)}`).join(' ')}" fill="none" stroke="${BLUE}" stroke-width="2"/>`;
  const dots = shown.map(
    (point) =>
      `<circle cx="${x(point.falseAlarms).toFixed(1)}" cy="${y(point.macroF1).toFixed(1)}" r="2.5" fill="${BLUE}"><title>share ≥ ${point.shareMin.toFixed(2)}: F1 ${point.macroF1.toFixed(3)}</title></circle>`,
  );
  const target = `<rect x="${x(0)}" y="${y(high)}" width="${x(goal.falseAlarms) - x(0)}" height="${y(goal.macroF1) - y(high)}" fill="${BLUE}" fill-opacity="0.08"/>${text(x(0) + 6, y(goal.macroF1) - 6, 'goal', 'start')}`;
  const here = `<circle cx="${x(service.falseAlarms)}" cy="${y(service.macroF1)}" r="6" fill="none" stroke="${ORANGE}" stroke-width="2.5"/>${text(x(service.falseAlarms) + 12, y(service.macroF1) + 18, 'as the service answers', 'start', `fill="${ORANGE}"`)}`;
  const names = [
    text(x(0.5), y(low) + 40, 'false alarms on the rows without any area'),
    text(
      18,
      y((low + high) / 2),
      'macro F1 over eight areas',
      'middle',
      `transform="rotate(-90 18 ${y((low + high) / 2)})"`,
    ),
  ];
  return picture(PLOT.left + PLOT.width + 40, PLOT.top + PLOT.height + 60, 'Refusal: what fewer false alarms cost', [
    ...grid,
    ...steps,
    target,
    line,
    ...dots,
    here,
    ...names,
  ]);
}
