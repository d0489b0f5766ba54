import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { runCommand } from '../../../contract-tests/support/service-process.js';
import { createTestDatabase, type DatabaseKind } from '../../../contract-tests/support/databases.js';
import type { Generator } from './generator.js';
import { measureRun, type MeasuredRun, type MeasureOptions, type Sample, soak, type Start } from './measure-run.js';
import type { Load } from './requests.js';
import { startBenchedService, startListener } from './service.js';

/** The contenders in the order of the table, labeled (a) to (e). */
export const contenders = ['bare', 'validated', 'storing', 'service', 'turns'] as const;
export type Contender = (typeof contenders)[number];

export const titles: Readonly<Record<Contender, string>> = {
  bare: '(a) bare Express',
  validated: '(b) with validation',
  storing: '(c) a transaction a reading',
  service: '(d) this service',
  turns: '(e) with conversation text',
};

export interface Field {
  run(contender: Contender): Promise<MeasuredRun>;
  /** Sends this many requests to one process and samples the memory of the service. */
  soak(requests: number): Promise<Sample[]>;
  close(): Promise<void>;
}

const root = fileURLToPath(new URL('../../../', import.meta.url));
const servers = 'dist/bench';

/** Bundles the other servers like the service, so that no server runs a loader. */
export function buildServers(): void {
  buildSync({
    absWorkingDir: root,
    entryPoints: ['bare', 'validated', 'storing'].map((name) => `scripts/bench/servers/${name}.ts`),
    outdir: servers,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    logLevel: 'warning',
  });
}

/** Creates the contenders on one kind of database. Each contender has its own database until the field is closed. */
export async function createField(kind: DatabaseKind, generator: Generator, options: MeasureOptions): Promise<Field> {
  const drops: Array<() => Promise<void>> = [];
  const makeDatabase = async () => {
    const { url, drop } = await createTestDatabase(kind);
    drops.push(drop);
    return url;
  };
  const plain = { key: 'nobody asks for one', load: 'plain' } as const;
  const serving = async (load: Load): Promise<Start> => {
    const url = await makeDatabase();
    const key = await runCommand(url, ['keys', 'create', '--account', 'bench', '--tier', 'enterprise']);
    return { key, load, start: () => startBenchedService(url) };
  };
  const close = async () => {
    for (const drop of drops) await drop();
  };
  try {
    const storage = { DATABASE_URL: await makeDatabase() };
    const starts: Readonly<Record<Contender, Start>> = {
      bare: { ...plain, start: () => startListener(`${servers}/bare.js`, {}) },
      validated: { ...plain, start: () => startListener(`${servers}/validated.js`, {}) },
      storing: { ...plain, start: () => startListener(`${servers}/storing.js`, storage) },
      service: await serving('plain'),
      turns: await serving('turn'),
    };
    return {
      run: (contender) => measureRun(starts[contender], generator, options),
      soak: (requests) => soak(starts.service, generator, options, requests),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
