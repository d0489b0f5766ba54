import { colors, picture, round, text } from '../../svg.js';

const width = 900;
const left = 24;
const bars = { left: 220, right: 720, height: 20, step: 30 };
const panel = { top: 76, title: 30, gap: 24 };

interface Panel {
  readonly title: string;
  readonly bars: readonly Bar[];
}

interface Bar {
  readonly title: string;
  readonly isOurs: boolean;
  readonly perSecond: number;
  readonly least: number;
  readonly most: number;
  readonly p99Ms: number;
}

/** Returns an SVG with one panel per database, all on the same scale. Whiskers show minimum and maximum. */
export function drawBench(subtitle: string, panels: readonly Panel[]): string {
  const scale = (bars.right - bars.left) / Math.max(...panels.flatMap((it) => it.bars.map(({ most }) => most)));
  const panelHeight = panel.title + (panels[0]?.bars.length ?? 0) * bars.step + panel.gap;
  const height = panel.top + panels.length * panelHeight;
  return picture(
    { width, height, left, title: 'Readings per second', subtitle },
    panels.flatMap((it, index) => drawPanel(it, panel.top + index * panelHeight, scale)),
  );
}

function drawPanel(it: Panel, top: number, scale: number): string[] {
  const title = text(left, top + 12, it.title, { size: 13.5, weight: 600 });
  return [title, ...it.bars.flatMap((bar, index) => drawBar(bar, top + panel.title + index * bars.step, scale))];
}

function drawBar({ title, isOurs, perSecond, least, most, p99Ms }: Bar, y: number, scale: number): string[] {
  const middle = y + bars.height / 2;
  const color = isOurs ? colors.warm : colors.cool;
  const label = `${perSecond.toFixed(0)} · p99 ${p99Ms.toFixed(0)} ms`;
  return [
    text(left, middle + 4, title, { size: 12 }),
    `<rect x="${bars.left}" y="${y}" width="${round(perSecond * scale)}" height="${bars.height}" rx="3"` +
      ` fill="${color}" fill-opacity="0.3"/>`,
    `<line x1="${round(bars.left + least * scale)}" x2="${round(bars.left + most * scale)}" y1="${middle}"` +
      ` y2="${middle}" stroke="${color}" stroke-width="2"/>`,
    text(bars.left + most * scale + 10, middle + 4, label, { size: 12, fill: colors.faint }),
  ];
}
