/**
 * Plays the reference scenes live: starts the service in this process on a temporary database, sends ten readings a
 * scene through HTTP and shows each answer. The exit code is 1 when a scene did not end in its state.
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
  .description('Play the five reference scenes live, against a service of its own.')
  .option('--pace <seconds>', 'pause between two lines', numberUpTo(10), 0.2)
  .option('--seed <number>', 'repeat the draws of an earlier run (default: new ones)', wholeNumber)
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
    // An end that was asked for needs no message; its exit code is set already.
    if (!stop.aborted) throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function playAll(send: Send, paceMs: number, seed: number, stop: AbortSignal): Promise<void> {
  console.log(colours.dim(`Five scenes of ${readingsPerScene} readings; the draws repeat with --seed ${seed}`));
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

/** Stamped as a stream that ends about now, shown faster. */
async function play(scene: Scene, send: Send, random: () => number, paceMs: number, stop: AbortSignal) {
  const firstMs = Date.now() - (readingsPerScene - 1) * stampSpacingMs;
  let last: StateReading | undefined;
  for (let index = 0; index < readingsPerScene; index += 1) {
    const signals = draw(scene, random);
    const timestamp = new Date(firstMs + index * stampSpacingMs).toISOString();
    const answer = await send({ session_id: `demo-${scene.name}`, timestamp, ...signals });
    if (answer.kind === 'refused') throw new Error(`the service answered ${answer.status} ${answer.detail}`);
    last = answer.reading;
    console.log(lineOf(scene, signals, last, colours));
    await sleep(paceMs, undefined, { signal: stop });
  }
  if (!last) throw new Error('a scene has at least one reading');
  return last;
}

/** Aborts on Ctrl-C, SIGTERM, or when nobody reads any more (`npm run demo | head`), so that all is cleaned up. */
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
      throw new InvalidArgumentError(`It is a number from 0 to ${max}.`);
    return number;
  };
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It is a whole number of at most nine digits.');
  return Number(text);
}
