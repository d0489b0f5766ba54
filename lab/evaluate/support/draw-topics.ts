import { areas } from '../../../packages/text/vocabulary.js';
import { percent } from '../../figures.js';
import type { GatePoint } from './topic-figures.js';

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

/**
 * Draws the confusion matrix. Rows are labeled areas, columns are predicted areas. Cells are shaded by their share of
 * the row.
 */
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
  const color = part > 0.5 ? 'fill="#fff"' : '';
  return count === 0
    ? box
    : box + text(x + CELL.width / 2 - 1, y + CELL.height / 2 + 3, `${Math.round(100 * part)}`, 'middle', color);
}

const PLOT = { left: 64, top: 48, width: 520, height: 320 };

interface Curve {
  readonly name: string;
  readonly points: readonly GatePoint[];
  /** The setting that the service uses. */
  readonly here: GatePoint;
  readonly color: string;
}

const FALSE_ALARMS_MAX = 0.4;
const RECALL_MIN = 0.7;
const x = (falseAlarms: number): number => PLOT.left + (falseAlarms / FALSE_ALARMS_MAX) * PLOT.width;
const y = (recall: number): number => PLOT.top + ((1 - recall) / (1 - RECALL_MIN)) * PLOT.height;

/** Draws recall against false alarms, one point per setting of the gate. Rings mark the setting of the service. */
export function drawGate(
  seen: readonly GatePoint[],
  unseen: readonly GatePoint[],
  here: [GatePoint, GatePoint],
): string {
  const curves: Curve[] = [
    { name: 'kind of text in training', points: seen, here: here[0], color: BLUE },
    { name: 'kind of text left out', points: unseen, here: here[1], color: ORANGE },
  ];
  return picture(PLOT.left + PLOT.width + 40, PLOT.top + PLOT.height + 60, 'What fewer false alarms cost', [
    ...gridOf(),
    ...curves.flatMap(drawCurve),
    text(x(FALSE_ALARMS_MAX / 2), y(RECALL_MIN) + 40, 'everyday texts with a topic, mean of three kinds'),
    text(
      18,
      y((1 + RECALL_MIN) / 2),
      'stressor sentences with a topic',
      'middle',
      `transform="rotate(-90 18 ${y((1 + RECALL_MIN) / 2)})"`,
    ),
  ]);
}

function gridOf(): string[] {
  const columns = [0, 0.1, 0.2, 0.3, 0.4].map(
    (at) =>
      `<path d="M${x(at)} ${y(1)}V${y(RECALL_MIN)}" stroke="${FAINT}"/>${text(x(at), y(RECALL_MIN) + 18, percent(at, 0))}`,
  );
  const rows = [0.7, 0.8, 0.9, 1].map(
    (at) =>
      `<path d="M${x(0)} ${y(at)}H${x(0.4)}" stroke="${FAINT}"/>${text(x(0) - 8, y(at) + 4, percent(at, 0), 'end')}`,
  );
  return [...columns, ...rows];
}

function drawCurve({ name, points, here, color }: Curve, index: number): string[] {
  const shown = points.filter(({ recall, falseAlarms }) => recall >= RECALL_MIN && falseAlarms <= FALSE_ALARMS_MAX);
  const at = (point: GatePoint) => [x(point.falseAlarms).toFixed(1), y(point.recall).toFixed(1)] as const;
  const line = shown.map((point) => at(point).join(',')).join(' ');
  const [hereX, hereY] = at(here);
  return [
    `<polyline points="${line}" fill="none" stroke="${color}" stroke-width="2"/>`,
    `<circle cx="${hereX}" cy="${hereY}" r="6" fill="none" stroke="${color}" stroke-width="2.5"/>`,
    text(x(0.2), y(0.8) + 22 * index, `${index === 0 ? 'blue' : 'orange'}: ${name}`, 'start', `fill="${color}"`),
  ];
}
