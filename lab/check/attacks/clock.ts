import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { owe } from '../../../testkit/owed.js';

/** Wait after a shift, ms. Longer than the interval at which a service reads the shift. */
const noticedAfterMs = 300;

/** The wall clock of a service. Scenarios can set it. */
export interface ServiceClock {
  /** Returns the time of this clock, epoch ms. */
  now(): number;
  /** Resolves when the service uses the new time. */
  shift(ms: number): Promise<void>;
  /** Path of the module that the service must load before it starts. */
  readonly preload: string;
  readonly env: Readonly<Record<string, string>>;
}

export function createClock(defer: (undo: () => unknown) => void): ServiceClock {
  const folder = mkdtempSync(join(tmpdir(), 'shifted-clock-'));
  defer(owe(async () => rmSync(folder, { recursive: true, force: true })));
  const preload = join(folder, 'shift-clock.mjs');
  const file = join(folder, 'shift-ms');
  const entry = fileURLToPath(new URL('shift-clock.ts', import.meta.url));
  buildSync({ entryPoints: [entry], outfile: preload, format: 'esm', platform: 'node', logLevel: 'warning' });
  let shiftMs = 0;
  writeFileSync(file, '0');
  return {
    now: () => Date.now() + shiftMs,
    async shift(ms) {
      shiftMs += ms;
      writeFileSync(file, String(shiftMs));
      await sleep(noticedAfterMs);
    },
    preload,
    env: { CLOCK_SHIFT_FILE: file },
  };
}
