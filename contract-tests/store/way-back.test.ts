import { join } from 'node:path';
import type { Knex } from 'knex';
import { expect, test } from 'vitest';
import { runHere, untilClosed } from '../../testkit/command-line.js';
import { databaseKind } from '../../testkit/databases.js';
import { buildNextVersion } from '../../testkit/next-version.js';
import { runMain } from '../../testkit/process.js';
import type { ServiceProgram } from '../../testkit/program.js';
import { realTime, startTestService } from '../../testkit/service.js';
import { openKnex } from '../../testkit/temporary-database.js';
import { temporaryFolder } from '../../testkit/temporary-folder.js';
import {
  type Acknowledged,
  expectErased,
  exportFrom,
  lanes,
  openDatabaseOfTest,
  startLoad,
  storeErasable,
  toText,
} from './rolling.js';

type Opened = Awaited<ReturnType<typeof openDatabaseOfTest>>;

/** Runs a command of the present version, or of the program `file`. Fails unless it succeeds. Returns its output. */
async function runCommand({ env }: Opened, args: readonly string[], file?: string): Promise<string> {
  const { code, stdout, stderr } = await (file === undefined ? runHere(args, env) : runMain(args, env, file));
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
  return stdout;
}

/** Runs statements on a database. This process then has no file of it open, because a restore would refuse it. */
async function onDatabase(url: string, work: (knex: Knex) => Promise<void>): Promise<void> {
  const knex = openKnex(url);
  await work(knex);
  await knex.destroy();
  await untilClosed(url);
}

/** Two bodies of one sample of some days ago. The second one replaces the first. */
const timestamp = new Date(Date.now() - 100 * 3_600_000).toISOString();
const sampled = [80, 81].map((heart_rate) => ({
  ...{ session_id: 'sampled', subject_id: 'p', timestamp },
  ...{ sample_id: 'a', backfill: true, heart_rate },
}));

/** Sends bodies of the sample, and expects what happens to them. */
async function expectSamples(
  { send }: Opened,
  program: Pick<ServiceProgram, 'url'>,
  lines: object[],
  outcomes: string[],
) {
  const { text } = await send(program, '/v1/ingest/batch', 'POST', lines);
  expect(
    JSON.parse(text).results.map(({ sample, error }: { sample?: string; error?: object }) => sample ?? error),
  ).toEqual(outcomes);
}

/** Upgrades a database under load to `next`, and goes back to the present version. Returns the load and the last program. */
async function upgradeAndGoBack(opened: Opened, next: string) {
  const { database, start, send } = opened;
  const programs = [await start()];
  const load = startLoad(send, programs);
  await load.more();
  const [old, newer] = [programs[0] as ServiceProgram, await start(next)];
  programs.push(newer);
  await load.more();
  await expectSamples(opened, old, sampled.slice(0, 1), ['stored']);
  await expectSamples(opened, newer, sampled.slice(1), ['replaced']);
  programs.splice(0, 1);
  await old.stop();
  await load.more();
  await onDatabase(database.url, async (knex) => {
    await knex('sessions').update({ next_count: 7 });
    await knex('subjects').update({ next_note: 'kept' });
  });
  const back = await start();
  programs.splice(0, 1, back);
  await newer.stop();
  await load.more();
  return { load, back };
}

/** Starts the service here, or the program `file`, on a restored database. Expects every reading, no erased person and the columns of the next version. */
async function expectRestored(opened: Opened, readings: readonly Acknowledged[], ofDevice: object, file?: string) {
  const { database, env, start, send } = opened;
  await onDatabase(database.url, async (knex) => {
    expect(await knex('sessions').distinct().pluck('next_count')).toEqual([7]);
    expect(await knex('subjects').where({ subject_id: 'p' }).pluck('next_note')).toEqual(['kept']);
  });
  const program = file === undefined ? await startTestService({ database, env, clock: realTime() }) : await start(file);
  const exported = await exportFrom(send, program);
  expect(exported).toEqual(expect.arrayContaining(readings.map(({ body }) => toText(body))));
  expect(new Set(exported).size).toBe(exported.length);
  expect(exported.filter((it) => it.startsWith('sampled '))).toEqual(sampled.slice(1).map(toText));
  await expectSamples(opened, program, sampled, ['unchanged', 'unchanged']);
  for (const { body, response } of readings.slice(-2 * lanes))
    expect(JSON.parse((await send(program, '/v1/ingest', 'POST', body)).text)).toEqual(response);
  await expectErased(send, program, ofDevice);
  await ('stop' in program ? program.stop() : program.close());
  await untilClosed(database.url);
}

test('after an upgrade with added columns and the way back, both versions verify and restore the backups of both', async () => {
  const opened = await openDatabaseOfTest();
  const { send } = opened;
  const next = buildNextVersion(false);
  const { load, back } = await upgradeAndGoBack(opened, next);
  const ofDevice = await storeErasable(send, back);

  const folder = await temporaryFolder();
  const [ofPresent, ofNext] = ['present', 'next'].map((name) => join(folder, `${name}.${extension}`)) as [
    string,
    string,
  ];
  const readings = [...load.acknowledged];
  await runCommand(opened, ['backup', ofPresent]);
  expect((await send(back, '/v1/subjects/erased', 'DELETE')).status).toBe(200);
  await load.more();
  await load.stop();
  await back.stop();
  for (const file of [undefined, next]) {
    expect(await runCommand(opened, ['backup', '--verify', ofPresent], file)).toContain('checksum verified');
    const restored = await runCommand(opened, ['restore', ofPresent, '--replace'], file);
    expect(restored).toContain('Erased again who was erased since: 1 person.');
    await expectRestored(opened, readings, ofDevice, file);
  }
  await runCommand(opened, ['backup', ofNext], next);
  expect(await runCommand(opened, ['backup', '--verify', ofNext])).toContain('next_year 0');
  await runCommand(opened, ['restore', ofNext, '--replace']);
  await expectRestored(opened, readings, ofDevice);
});

const extension = databaseKind === 'sqlite' ? 'db' : 'sql';
