import { colours, picture, round, text } from '../../../src/terminal/svg.js';
import { type Contender, contenders, titles } from './contenders.js';
import { machineLine } from './machine.js';
import type { BenchReport, BenchOutcome } from './report.js';

const width = 900;
const left = 24;
const bars = { left: 220, right: 720, height: 20, step: 30 };
const panel = { top: 76, title: 30, gap: 24 };
const panelHeight = panel.title + contenders.length * bars.step + panel.gap;
const ours: readonly Contender[] = ['service', 'turns'];

/**
 * Returns an SVG with one bar per contender and one panel per database, all on the same scale. Whiskers show minimum
 * and maximum.
 */
export function drawBench({ machine, connections, rounds, seconds, outcomes }: BenchReport): string {
  const most = Math.max(...outcomes.flatMap(({ field }) => contenders.map((contender) => field[contender].most)));
  const scale = (bars.right - bars.left) / most;
  const subtitle = `${connections} connections, medians of ${rounds} × ${seconds} s; ${machineLine(machine)}`;
  const height = panel.top + outcomes.length * panelHeight;
  return picture(
    { width, height, left, title: 'Readings per second', subtitle },
    outcomes.flatMap((outcome, index) => drawPanel(outcome, panel.top + index * panelHeight, scale)),
  );
}

function drawPanel({ kind, version, field }: BenchOutcome, top: number, scale: number): string[] {
  const name = kind === 'mysql' ? 'MySQL' : 'SQLite';
  return [
    text(left, top + 12, `${name} (${version})`, { size: 13.5, weight: 600 }),
    ...contenders.flatMap((contender, index) => {
      const { perSecond, least, most, p99Ms } = field[contender];
      const y = top + panel.title + index * bars.step;
      const middle = y + bars.height / 2;
      const colour = ours.includes(contender) ? colours.warm : colours.cool;
      const label = `${perSecond.toFixed(0)} · p99 ${p99Ms.toFixed(0)} ms`;
      return [
        text(left, middle + 4, titles[contender], { size: 12 }),
        `<rect x="${bars.left}" y="${y}" width="${round(perSecond * scale)}" height="${bars.height}" rx="3"` +
          ` fill="${colour}" fill-opacity="0.3"/>`,
        `<line x1="${round(bars.left + least * scale)}" x2="${round(bars.left + most * scale)}" y1="${middle}"` +
          ` y2="${middle}" stroke="${colour}" stroke-width="2"/>`,
        text(bars.left + most * scale + 10, middle + 4, label, { size: 12, fill: colours.faint }),
      ];
    }),
  ];
}
