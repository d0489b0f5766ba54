/**
 * Plays the reference scenes. Starts the service as a child process on a temporary database, sends ten readings per scene
 * over HTTP and prints each response. The exit code is 1 if a scene did not end in its expected state.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createStateClient, type StateClient, type StateReading } from '../client/src/index.js';
import {
  draw,
  type DrawnSignals,
  type Range,
  readingsPerScene,
  type Scene,
  scenes,
  seededRandom,
} from './terminal/scenes.js';
import { type Column, jsonTable, pad, textTable } from './terminal/table.js';
import { type Colors, colorsFor, paint, scoreBar } from './colors.js';
import { type LocalService, startLocalService } from './local-service.js';
import { untilSignal } from './stop-on-signals.js';

const stampSpacingMs = 2_000;
const barWidth = 25;
const textWidth = 94;
const nameWidth = 12;

export interface DemoOptions {
  readonly pace: number;
  readonly seed?: number;
  readonly json: boolean;
}

const columns: readonly Column[] = [
  { title: 'scene' },
  { title: 'final state' },
  { title: 'final score', align: 'right' },
  { title: 'match' },
];

export async function demo(
  { pace, seed = Math.floor(Math.random() * 1_000_000), json }: DemoOptions,
  root: URL,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const play = async ({ url: baseUrl, key }: LocalService, stop: AbortSignal) => {
    const client = createStateClient({ baseUrl, key });
    const say = json ? () => {} : (text: string) => console.log(text);
    const stage = { client, colors: colorsFor(process.stdout, env), random: seededRandom(seed), stop, say };
    const hint = `Five scenes with ${readingsPerScene} readings each. Repeat this run with --seed ${seed}`;
    say(stage.colors.dim(hint));
    const rows = await playAll(stage, pace * 1000);
    console.log(json ? JSON.stringify(jsonTable(columns, [rows])) : `\n${textTable(columns, [rows])}`);
  };
  await untilSignal(async (stop) => {
    const service = await startLocalService({ root, name: 'demo' });
    await play(service, stop).finally(service.close);
  });
}

interface Stage {
  readonly client: StateClient;
  readonly colors: Colors;
  readonly random: () => number;
  readonly stop: AbortSignal;
  /** Prints progress. */
  readonly say: (text: string) => void;
}

async function playAll(stage: Stage, paceMs: number): Promise<string[][]> {
  const { colors, say } = stage;
  const rows: string[][] = [];
  for (const scene of scenes) {
    say(`\n${formatHeading(scene, colors)}`);
    const { state, stress_score, suggested_action, action_reason } = await play(scene, stage, paceMs);
    const reason = wrap(action_reason, textWidth).map((line) => `  ${line}`);
    say([`${colors.bold('→')} ${colors.bold(suggested_action)}`, ...reason].join('\n'));
    const match = state === scene.name ? colors.green('yes') : colors.red('no');
    rows.push([scene.name, paint(state, state, colors), String(stress_score), match]);
    if (state !== scene.name) process.exitCode = 1;
  }
  return rows;
}

/** Sends one scene. Timestamps are two seconds apart, and the last one is the current time. */
async function play(scene: Scene, { client, colors, random, stop, say }: Stage, paceMs: number): Promise<StateReading> {
  const firstMs = Date.now() - (readingsPerScene - 1) * stampSpacingMs;
  let last: StateReading | undefined;
  for (let index = 0; index < readingsPerScene; index += 1) {
    const signals = draw(scene, random);
    const timestamp = new Date(firstMs + index * stampSpacingMs).toISOString();
    last = await client.ingest({ session_id: `demo-${scene.name}`, timestamp, ...signals }, { signal: stop });
    say(formatReading(scene, signals, last, colors));
    await sleep(paceMs, undefined, { signal: stop });
  }
  if (!last) throw new Error('a scene has at least one reading');
  return last;
}

/** Returns the name of the scene and the ranges of its signals. */
function formatHeading({ name, heartRate, tone, sentiment }: Scene, colors: Colors): string {
  const span = ([low, high]: Range, write: (value: number) => string) => `${write(low)} to ${write(high)}`;
  const drawn = `heart rate ${span(heartRate, String)} bpm · tone ${tone} · sentiment ${span(sentiment, formatSigned)}`;
  return `${paint(name, colors.bold(pad(name, nameWidth)), colors)}  ${colors.dim(drawn)}`;
}

/** Formats one reading and its response in at most 100 columns. */
function formatReading(scene: Scene, signals: DrawnSignals, answer: StateReading, colors: Colors): string {
  const cells = [
    colors.dim(pad(scene.name, nameWidth)),
    `${signals.heart_rate.toFixed(1).padStart(5)} bpm`,
    signals.tone.padEnd(7),
    formatSigned(signals.sentiment),
    scoreBar(answer.stress_score, barWidth, colors),
    String(answer.stress_score).padStart(3),
    paint(answer.state, answer.state, colors),
  ];
  return cells.join('  ');
}

/** Formats a number with its sign and two digits. Uses the minus sign, which is as wide as the plus sign. */
function formatSigned(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(2)}`;
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
