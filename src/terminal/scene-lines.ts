import type { StateReading } from '../contract.js';
import type { Colours } from './colours.js';
import type { DrawnSignals, Range, Scene } from './scenes.js';
import { paint, scoreBar } from './score-bar.js';
import { pad, textTable } from './table.js';

const barWidth = 25;
const textWidth = 94;
const nameWidth = 12;

export interface PlayedScene {
  readonly scene: Scene;
  /** The response to the last reading. */
  readonly last: StateReading;
}

/** Returns the name of the scene and the ranges of its signals. */
export function heading({ name, heartRate, tone, sentiment }: Scene, colours: Colours): string {
  const drawn = `heart rate ${span(heartRate, String)} bpm · tone ${tone} · sentiment ${span(sentiment, signed)}`;
  return `${paint(name, colours.bold(pad(name, nameWidth)), colours)}  ${colours.dim(drawn)}`;
}

/** Formats one reading and its response in at most 100 columns. */
export function lineOf(scene: Scene, signals: DrawnSignals, answer: StateReading, colours: Colours): string {
  const cells = [
    colours.dim(pad(scene.name, nameWidth)),
    `${signals.heart_rate.toFixed(1).padStart(5)} bpm`,
    signals.tone.padEnd(7),
    signed(signals.sentiment),
    scoreBar(answer.stress_score, barWidth, colours),
    String(answer.stress_score).padStart(3),
    paint(answer.state, answer.state, colours),
  ];
  return cells.join('  ');
}

/** Returns the suggested action at the end of a scene and its reason. */
export function ending({ suggested_action, action_reason }: StateReading, colours: Colours): string {
  const reason = wrap(action_reason, textWidth).map((line) => `  ${line}`);
  return [`${colours.bold('→')} ${colours.bold(suggested_action)}`, ...reason].join('\n');
}

export function summaryOf(played: readonly PlayedScene[], colours: Colours): string {
  const rows = played.map(({ scene, last }) => [
    scene.name,
    paint(last.state, last.state, colours),
    String(last.stress_score),
    last.state === scene.name ? colours.green('yes') : colours.red('no'),
  ]);
  const columns = [
    { title: 'scene' },
    { title: 'final state' },
    { title: 'final score', align: 'right' },
    { title: 'match' },
  ] as const;
  return textTable(columns, [rows]);
}

/** Returns lines of at most `width`, broken at spaces. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function span([low, high]: Range, write: (value: number) => string): string {
  return `${write(low)} to ${write(high)}`;
}

/** Formats a number with its sign and two digits. Uses the minus sign, which is as wide as the plus sign. */
function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(2)}`;
}
