import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { textTable } from '../../../packages/tools/terminal/table.js';
import { readConfig } from '../../../src/config/config.js';
import { applyRetention } from '../../../src/retention/shortened.js';
import type { DatabaseKind } from '../../../testkit/databases.js';
import type { Env } from '../../../testkit/program.js';
import { figureColumns } from '../../figures.js';
import { withCrowd } from './crowd.js';
import { insertMany, titleOf, withStore } from './databases.js';
import type { Generator } from './generator.js';
import { withBenchedServices } from './service.js';

const dayMs = 86_400_000;
const sampleMs = 10_000;
/** Expired readings at the start, in seconds of ingest, and how long they have been expired, ms. */
const backlog = { seconds: 60, ms: 600_000 };
const [growthMax, throughputMin] = [1.05, 0.85];
/** Stores no hours, because the purge would otherwise delete readings once per hour. */
const retention = { RETENTION_READINGS_HOURS: '24', RETENTION_SUMMARY_DAYS: '0' };
const withoutPurge = { ...retention, RETENTION_READINGS_HOURS: '87600' };

export interface SteadyOptions {
  readonly seconds: number;
  readonly warmUp: number;
}

/**
 * Ingests without a purge, then with a backlog of expired readings while further ones expire at the same rate. Prints the
 * size over time and the throughput as a share of that without a purge. Sets the exit code to 1 if the database grows.
 */
export async function measureSteady(kind: DatabaseKind, generator: Generator, options: SteadyOptions): Promise<void> {
  await withCrowd(kind, { sessions: 1, readingsPerSession: 100, subjects: 1 }, async ({ url, key, knex }) => {
    const job = { key, load: 'plain', seconds: options.seconds, warmUpSeconds: options.warmUp } as const;
    const run = (env: Env) => withBenchedServices(url, 1, env, (services) => generator.measure(services, job));
    const off = await run(withoutPurge);
    await addExpiring(knex, off.perSecond, options.seconds + options.warmUp + backlog.seconds);
    const config = readConfig({ DATABASE_URL: url, ...retention });
    await withStore(url, (store) => applyRetention(store, config.retention));
    const [on, samples] = await sampled(knex, () => run(retention));
    report(kind, samples, on.perSecond / off.perSecond);
  });
}

/** Adds copies of a reading: a backlog that is expired, and one reading per moment that will expire. */
async function addExpiring(knex: Knex, perSecond: number, seconds: number): Promise<void> {
  const template = await knex('session_readings').orderBy('position').first();
  const count = Math.round(perSecond * backlog.seconds);
  const edgeMs = Date.now() - dayMs;
  const at = (index: number) =>
    index < count ? edgeMs - backlog.ms * (1 - index / count) : edgeMs + ((index - count) / perSecond) * 1000;
  const total = count + Math.round(perSecond * seconds);
  const toRow = (index: number) => {
    const atMs = at(index);
    return { ...template, timestamp_ms: Math.floor(atMs), position: Math.floor(atMs * 1_000) };
  };
  await insertMany(knex, 'session_readings', total, toRow, { key: ['account', 'position'], merged: ['timestamp_ms'] });
}

/** Stored and expired readings at a time since the start, s. */
interface Sample {
  readonly atSeconds: number;
  readonly stored: number;
  readonly expired: number;
}

/** Counts readings while the work runs. */
async function sampled<T>(knex: Knex, work: () => Promise<T>): Promise<[T, Sample[]]> {
  const samples: Sample[] = [];
  const startedAtMs = Date.now();
  const take = async () => {
    const beforeMs = Date.now() - dayMs;
    const expired = knex.raw('sum(case when timestamp_ms < ? then 1 else 0 end) as expired', [beforeMs]);
    const [row]: Array<Partial<Record<'stored' | 'expired', unknown>>> = await knex('session_readings')
      .select(expired)
      .count({ stored: '*' });
    const atSeconds = Math.round((Date.now() - startedAtMs) / 1000);
    samples.push({ atSeconds, stored: Number(row?.stored), expired: Number(row?.expired) });
  };
  let isDone = false;
  const working = work().finally(() => void (isDone = true));
  while (!isDone) {
    await take();
    await Promise.race([working, sleep(sampleMs)]);
  }
  return [await working, samples];
}

function report(kind: DatabaseKind, samples: readonly Sample[], share: number): void {
  const rows = samples.map((it) => [it.atSeconds, it.stored, it.expired].map(String));
  console.log(`── ${titleOf(kind)}\n`);
  console.log(textTable(figureColumns('seconds', 'readings stored', 'of these expired'), [rows]));
  // The purge runs once per minute, so the number rises and falls in between.
  const largest = (some: readonly Sample[]) => Math.max(...some.map(({ stored }) => stored));
  const half = Math.ceil(samples.length / 2);
  const growth = largest(samples.slice(half)) / largest(samples.slice(0, half));
  const isMet = growth <= growthMax && share >= throughputMin;
  console.log(`\nMost readings in the second half: ${growth.toFixed(2)} × those in the first, at most ${growthMax}.`);
  console.log(
    `Ingest: ${share.toFixed(2)} × that without a purge, at least ${throughputMin}. ${isMet ? 'Met' : 'Not met'}.\n`,
  );
  if (!isMet) process.exitCode = 1;
}
