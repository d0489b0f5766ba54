/**
 * Plays the reference scenes: starts the service in this process on a temporary database, sends ten readings per scene
 * over HTTP and prints each response. The exit code is 1 if a scene did not end in its state.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command, InvalidArgumentError } from 'commander';
import { pino } from 'pino';
import { startService } from '../../src/compose.js';
import { readConfig } from '../../src/config/config.js';
import { startCore } from '../../src/core/core.js';
import type { StateReading } from '../../src/contract.js';
import { createSend, type Send } from '../terminal/client.js';
import { coloursFor } from '../terminal/colours.js';
import { ending, heading, lineOf, type PlayedScene, summaryOf } from '../terminal/scene-lines.js';
import { draw, type Scene, scenes, seededRandom } from '../terminal/scenes.js';

const readingsPerScene = 10;
const stampSpacingMs = 2_000;
const root = new URL('../../', import.meta.url);
const colours = coloursFor(process.stdout, process.env);

interface Options {
  readonly pace: number;
  readonly seed?: number;
}

const command = new Command('demo')
  .description('Play the five reference scenes against a temporary service.')
  .option('--pace <seconds>', 'pause between two readings', numberUpTo(10), 0.2)
  .option('--seed <number>', 'seed of the random readings (default: a new one per run)', wholeNumber)
  .action(demo);
command.parseAsync().catch((error: unknown) => {
  console.error(`error: ${(error as Error).message}`);
  process.exitCode ||= 1;
});

async function demo({ pace, seed = Math.floor(Math.random() * 1_000_000) }: Options): Promise<void> {
  const stop = stopOnSignals();
  const folder = await mkdtemp(join(tmpdir(), 'state-demo-'));
  try {
    const config = readConfig({ PORT: '0', DATABASE_URL: `sqlite:${join(folder, 'state.db')}`, LOG_LEVEL: 'silent' });
    const service = await startService({ config, root, startCore, log: pino({ level: config.logLevel }) });
    try {
      const send = createSend({ url: service.url, key: service.developmentKey?.key ?? '', signal: stop });
      await playAll(send, pace * 1000, seed, stop);
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

async function playAll(send: Send, paceMs: number, seed: number, stop: AbortSignal): Promise<void> {
  console.log(colours.dim(`Five scenes with ${readingsPerScene} readings each. Repeat this run with --seed ${seed}`));
  const random = seededRandom(seed);
  const played: PlayedScene[] = [];
  for (const scene of scenes) {
    console.log(`\n${heading(scene, colours)}`);
    const last = await play(scene, send, random, paceMs, stop);
    console.log(ending(last, colours));
    played.push({ scene, last });
  }
  console.log(`\n${summaryOf(played, colours)}`);
  if (played.some(({ scene, last }) => scene.name !== last.state)) process.exitCode = 1;
}

/** Sends one scene. The timestamps are two seconds apart and end now. */
async function play(scene: Scene, send: Send, random: () => number, paceMs: number, stop: AbortSignal) {
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

/** Aborts on Ctrl-C, on SIGTERM, or when standard output is closed (`npm run demo | head`), so that cleanup runs. */
function stopOnSignals(): AbortSignal {
  const stopping = new AbortController();
  const stop = (exitCode: number) => {
    process.exitCode = exitCode;
    stopping.abort();
  };
  process.once('SIGINT', () => stop(130));
  process.once('SIGTERM', () => stop(143));
  process.stdout.on('error', () => stop(0));
  return stopping.signal;
}

function numberUpTo(max: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (text.trim() === '' || !(number >= 0 && number <= max))
      throw new InvalidArgumentError(`It must be a number from 0 to ${max}.`);
    return number;
  };
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number of at most nine digits.');
  return Number(text);
}
