import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { scenes, seededRandom } from '../../../packages/tools/terminal/scenes.js';
import { rowFormats } from '../../../src/store/row-formats.js';
import { startProgram } from '../../../testkit/program.js';
import { atLeast, type Row } from '../../../testkit/verdict.js';
import { insertMany, withKnex } from '../../bench/support/databases.js';
import { createRequest } from '../shared/client.js';
import { startLoad, steady } from '../shared/load.js';
import { settingsOf, withProcesses } from '../shared/processes.js';
import { countLost } from '../shared/verdict.js';
import type { Trial } from './service.js';

/** More than two processes evaluate between two kills. */
const peoplePerKill = 1_200;
const twoHoursMs = 7_200_000;
/** Longest time from a firing to a kill, ms. */
const killMsMax = 100;
/** Maximum wait for firings, ms. Once everyone has one, further evaluations must fire nothing. */
const waitMs = 120_000;
const afterMs = 3_000;

/**
 * Kills pairs of processes that evaluate an alert rule for many people, while a service stores readings. Both of a pair
 * evaluate people of one account. Returns the measurements: everyone has one firing and one alert.
 */
export function endureAlerts({ title, databaseUrl, kills, seed, killAll }: Trial): Promise<Row[][]> {
  const random = seededRandom(seed);
  const people = kills * peoplePerKill;
  // Nothing is sent, because no worker runs.
  const options = { databaseUrl, account: 'alerts', members: [{ name: 'service', env: { WORKER: '0' } }] };
  const endure = async (knex: Knex, urls: readonly string[], key: string): Promise<Row[]> => {
    await storePeople(knex, people);
    const request = createRequest(urls[0] ?? '', key);
    await request('/webhooks/register', { url: 'https://8.8.8.8/', events: ['alert'] });
    await request('/v1/alerts', { condition: 'no_data', hours: 1 });
    const senders = scenes.map((scene) => steady(scene.name, scene, random));
    const load = startLoad({ urls: () => urls, key, senders, random });
    let [interrupted, before] = [0, 0];
    const kill = async () => {
      const evaluators = [startEvaluator(databaseUrl), startEvaluator(databaseUrl)];
      await Promise.all(evaluators.map((it) => it.find(/^(Evaluating)$/m)));
      await untilFired(knex, before + 1);
      await sleep(killMsMax * random());
      await Promise.all(evaluators.map((it) => it.stop('SIGKILL')));
      const { length } = await readFirings(knex);
      if (length < people) interrupted += 1;
      before = Math.min(length, people - 1);
    };
    await killAll(load, kill).finally(load.stop);
    const { acknowledged, sent } = await load.stop();
    await evaluateRest(knex, databaseUrl, people);
    const [alerts, firings] = [await readAlerts(knex), await readFirings(knex)];
    const [alerted, fired] = [new Set(alerts), new Set(firings)];
    return [
      { what: `${title}: people`, found: people },
      { what: '  without an alert', found: people - alerted.size, allowed: 0 },
      { what: '  with two alerts', found: alerts.length - alerted.size, allowed: 0 },
      { what: '  with two firings', found: firings.length - fired.size, allowed: 0 },
      { what: '  with a firing and no alert', found: firings.filter((id) => !alerted.has(id)).length, allowed: 0 },
      { what: 'kills between two firings', found: interrupted, allowed: atLeast(1) },
      { what: 'readings acknowledged meanwhile', found: acknowledged, allowed: atLeast(1) },
      { what: '  lost', found: await countLost(urls[0] ?? '', key, sent), allowed: 0 },
    ];
  };
  return withProcesses(options, ({ urls, key }) =>
    withKnex(databaseUrl, async (knex) => [await endure(knex, urls, key)]),
  );
}

function startEvaluator(databaseUrl: string) {
  return startProgram({
    args: ['--import', 'tsx', 'lab/check/durability/evaluate-alerts.ts'],
    env: settingsOf(databaseUrl),
  });
}

/** Evaluates until everyone has a firing, and for some seconds longer. */
async function evaluateRest(knex: Knex, databaseUrl: string, people: number): Promise<void> {
  const evaluator = startEvaluator(databaseUrl);
  await untilFired(knex, people);
  await sleep(afterMs);
  await evaluator.stop('SIGKILL');
}

async function untilFired(knex: Knex, firings: number): Promise<void> {
  for (const endsAtMs = Date.now() + waitMs; Date.now() < endsAtMs; await sleep(10)) {
    const [counted] = await knex('alert_firings').count({ count: '*' });
    if (Number(counted?.count) >= firings) return;
  }
}

/** Stores people whose newest reading is two hours old, and whose rules are due. */
async function storePeople(knex: Knex, people: number): Promise<void> {
  const { account_id } = await knex('accounts').first('account_id');
  const body = rowFormats.subject.encode({ newest: { sessionId: 's', atMs: Date.now() - twoHoursMs } });
  const person = { account_id, version: '0'.repeat(12), body, alert_due_ms: 0 };
  await insertMany(knex, 'subjects', people, (index) => ({ ...person, subject_id: `p${index}` }));
}

/** Returns the people of all firings. */
async function readFirings(knex: Knex): Promise<string[]> {
  return knex('alert_firings').pluck('subject_id');
}

/** Returns the people of all queued alerts. */
async function readAlerts(knex: Knex): Promise<string[]> {
  const rows: Array<{ payload: string }> = await knex('outbox').select('payload');
  const events = rows.map(({ payload }) => JSON.parse(payload));
  return events.filter(({ event }) => event === 'alert').map(({ subject_id }) => subject_id);
}
