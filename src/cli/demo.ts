/**
 * Plays the reference scenes. Starts the service in this process on a temporary database, sends ten readings per scene
 * over HTTP and prints each response. The exit code is 1 if a scene did not end in its expected state.
 */
import type { Surroundings } from './command.js';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { startService } from '../compose.js';
import { readConfig } from '../config/config.js';
import { startCore } from '../core/core.js';
import type { StateReading } from '../contract.js';
import { createSend, type Send } from '../terminal/client.js';
import { type Colours, coloursFor } from '../terminal/colours.js';
import { ending, heading, lineOf, type PlayedScene, summaryOf } from '../terminal/scene-lines.js';
import { draw, readingsPerScene, type Scene, scenes, seededRandom } from '../terminal/scenes.js';
import { stopOnSignals } from './stop-on-signals.js';

const stampSpacingMs = 2_000;

export interface DemoOptions {
  readonly pace: number;
  readonly seed?: number;
}

export async function demo(
  { pace, seed = Math.floor(Math.random() * 1_000_000) }: DemoOptions,
  { root, env }: Pick<Surroundings, 'root' | 'env'>,
): Promise<void> {
  const stop = stopOnSignals();
  const folder = await mkdtemp(join(tmpdir(), 'state-demo-'));
  try {
    const config = readConfig({ PORT: '0', DATABASE_URL: `sqlite:${join(folder, 'state.db')}`, LOG_LEVEL: 'silent' });
    const service = await startService({ config, root, startCore, log: pino({ level: config.logLevel }) });
    try {
      const send = createSend({ url: service.url, key: service.developmentKey?.key ?? '', signal: stop });
      const stage = { send, colours: coloursFor(process.stdout, env), random: seededRandom(seed), stop };
      console.log(stage.colours.dim(repeatHint(seed)));
      await playAll(stage, pace * 1000);
    } finally {
      await service.close();
    }
  } catch (error) {
    // After a signal, the exit code is already set and no message is needed.
    if (!stop.aborted) throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Stage {
  readonly send: Send;
  readonly colours: Colours;
  readonly random: () => number;
  readonly stop: AbortSignal;
}

const repeatHint = (seed: number) =>
  `Five scenes with ${readingsPerScene} readings each. Repeat this run with --seed ${seed}`;

async function playAll(stage: Stage, paceMs: number): Promise<void> {
  const { colours } = stage;
  const played: PlayedScene[] = [];
  for (const scene of scenes) {
    console.log(`\n${heading(scene, colours)}`);
    const last = await play(scene, stage, paceMs);
    console.log(ending(last, colours));
    played.push({ scene, last });
  }
  console.log(`\n${summaryOf(played, colours)}`);
  if (played.some(({ scene, last }) => scene.name !== last.state)) process.exitCode = 1;
}

/** Sends one scene. Timestamps are two seconds apart, and the last one is the current time. */
async function play(scene: Scene, { send, colours, random, stop }: Stage, paceMs: number) {
  const firstMs = Date.now() - (readingsPerScene - 1) * stampSpacingMs;
  let last: StateReading | undefined;
  for (let index = 0; index < readingsPerScene; index += 1) {
    const signals = draw(scene, random);
    const timestamp = new Date(firstMs + index * stampSpacingMs).toISOString();
    const answer = await send({ session_id: `demo-${scene.name}`, timestamp, ...signals });
    if (answer.kind === 'refused') throw new Error(`the service responded with ${answer.status} ${answer.detail}`);
    last = answer.reading;
    console.log(lineOf(scene, signals, last, colours));
    await sleep(paceMs, undefined, { signal: stop });
  }
  if (!last) throw new Error('a scene has at least one reading');
  return last;
}
