import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Schema, StateReading } from '../../../src/contract/contract.js';
import { allScopes } from '../../../src/keys/scopes.js';
import { openReceiver } from '../../../testkit/open-receiver.js';
import { open, pageEnv, readSecret } from '../../../testkit/person-link.js';
import { runCommand } from '../../../testkit/program.js';
import { until } from '../../../testkit/until.js';
import { atLeast, type Row } from '../../../testkit/verdict.js';
import { createRequest, headersOf } from '../shared/client.js';
import { settingsOf } from '../shared/processes.js';

/** 1.0.0 deletes readings at its own 24 hours (docs/operations.md). Links require the URL. */
export const additionsEnv = {
  ...pageEnv,
  RETENTION_READINGS_HOURS: '192',
  RETENTION_IDLE_SESSIONS_HOURS: '192',
};
const oldMs = 5 * 24 * 3_600_000;
const minuteMs = 60_000;
const parallel = 4;
const againMs = 100;
const triesMax = 3_000;
const hostile = { heart_rate: 130, tone: 'hostile', sentiment: -0.9, expression: 'tense' } as const;

/** A person whose additions were acknowledged. */
interface Person {
  readonly id: string;
  readonly sourceKey: string;
  readonly body: object;
  readonly deviceId: string;
  readonly link: { readonly url: string };
  /** Timestamps of the readings, the one of the source first. */
  readonly timestamps: readonly string[];
}

/**
 * Uses what 1.0.0 does not know, in an account of its own: source keys and their posts, devices, facts, links and an alert
 * rule. Sends a request again until a process accepts it, as phones do: while only 1.0.0 runs, until the next upgrade.
 * Resolves when some people have all of it, and goes on.
 */
export async function useAdditions(databaseUrl: string, urls: () => readonly string[]) {
  const args = ['keys', 'create', '--account', 'additions', '--tier', 'enterprise', '--scopes', allScopes.join()];
  const key = await runCommand(databaseUrl, args, undefined, settingsOf(databaseUrl));
  const people: Person[] = [];
  const alerts = new Map<string, Set<string>>();
  let [unavailable, isStopped] = [0, false];
  const receiver = await openReceiver(({ event, id }, response) => {
    const alert = event as unknown as Schema<'Alert'>;
    // Workers of 1.0.0 send every event to every webhook.
    if (alert.event === 'alert') alerts.set(alert.subject_id, (alerts.get(alert.subject_id) ?? new Set()).add(id));
    response.writeHead(204).end();
  });
  const insist = async <T>(path: string, toBody: () => object, method = 'POST', as = key): Promise<T> => {
    let why = '';
    for (let tries = 0; tries < triesMax; tries += 1, await sleep(againMs)) {
      const request = createRequest(urls()[tries % urls().length] ?? '', as);
      const answer = await request<T>(path, toBody(), method).catch((error: Error) => void (why = error.message));
      if (answer !== undefined) return answer;
      if (why.includes('responded with 5')) unavailable += 1;
    }
    throw new Error(`no process accepted a request: ${why}`);
  };
  const add = async (): Promise<Person> => {
    const id = randomUUID();
    const time = new Date(Math.floor((Date.now() - oldMs) / minuteMs) * minuteMs).toISOString();
    const timestamps = [time];
    const body = { heart_rate: 64, time };
    const phone = { subject_id: id, source: 'generic' };
    const { key: sourceKey } = await insist<{ readonly key: string }>('/v1/source-keys', () => phone);
    await insist('/v1/sources/generic', () => body, 'POST', sourceKey);
    const watch = { subject_id: id, name: 'Left', kind: 'watch' };
    const { device_id: deviceId } = await insist<Schema<'Device'>>('/v1/devices', () => watch);
    await insist(`/v1/facts/${id}`, () => ({ subject_id: id, kind: 'exercise', start: time }), 'PUT');
    const link = await insist<Person['link']>(`/v1/subjects/${id}/links`, () => ({}));
    // Stressed for longer than the rule requires, and until the alert has arrived.
    for (let ageMs = minuteMs + 1_000; !alerts.has(id); ageMs = 0, await sleep(500)) {
      const at = () => new Date(Date.now() - ageMs).toISOString();
      const toReading = () => ({ device_id: deviceId, timestamp: at(), ...hostile });
      timestamps.push((await insist<StateReading>('/v1/ingest', toReading)).timestamp);
    }
    return { id, sourceKey, body, deviceId, link, timestamps };
  };
  const live = async () => {
    while (!isStopped) people.push(await add());
  };
  await insist('/webhooks/register', () => ({ url: receiver.url, events: ['alert'] }));
  await insist('/v1/alerts', () => ({ condition: 'stressed', minutes: 1 }));
  const lives = Promise.all(Array.from({ length: parallel }, live)).finally(receiver.close);
  // `finish` reports this error to its caller.
  lives.catch(() => undefined);
  await Promise.race([until('people with all additions', () => people.length >= parallel), lives]);
  /** Returns the number of people who lack a reading in the export. Any release has this operation. */
  const countWithoutReading = async (url: string) => {
    const response = await fetch(`${url}/v1/export`, { headers: headersOf(key) });
    const lines = (await response.text()).split('\n').filter((line) => line !== '');
    const readings: StateReading[] = lines.map((line) => JSON.parse(line).reading);
    const stored = new Set(readings.map(({ subject_id, timestamp }) => `${subject_id} ${timestamp}`));
    return people.filter(({ id, timestamps }) => timestamps.some((it) => !stored.has(`${id} ${it}`))).length;
  };
  return {
    /** Returns the rows of a process of 1.0.0. */
    judgeEarlier: async (url: string): Promise<Row[]> => [
      { what: 'people with a source, device, fact, link and alert', found: people.length, allowed: atLeast(parallel) },
      { what: '  without a reading in the earlier release', found: await countWithoutReading(url), allowed: 0 },
    ],
    /** Waits for the people in progress, and returns the rows of a process of this release. */
    async finish(url: string): Promise<Row[]> {
      isStopped = true;
      await lives;
      const request = createRequest(url, key);
      const lacks = { source: 0, device: 0, fact: 0, link: 0 };
      for (const { id, sourceKey, body, deviceId, link } of people) {
        const { unchanged } = await createRequest(url, sourceKey)<Schema<'SourceResult'>>('/v1/sources/generic', body);
        const { subject_id } = await request<Schema<'Device'>>(`/v1/devices/${deviceId}`);
        const { facts } = await request<Schema<'FactList'>>(`/v1/facts?subject_id=${id}`);
        if (unchanged !== 1) lacks.source += 1;
        if (subject_id !== id) lacks.device += 1;
        if (!facts.some(({ fact_id }) => fact_id === id)) lacks.fact += 1;
        if ((await open({ url }, readSecret(link))).status !== 200) lacks.link += 1;
      }
      const alerted = people.map(({ id }) => alerts.get(id)?.size ?? 0);
      return [
        { what: 'people after another upgrade', found: people.length },
        { what: '  without a reading', found: await countWithoutReading(url), allowed: 0 },
        ...Object.entries(lacks).map(([what, found]) => ({ what: `  without the ${what}`, found, allowed: 0 })),
        { what: '  without an alert', found: alerted.filter((it) => it === 0).length, allowed: 0 },
        { what: '  with two alerts', found: alerted.filter((it) => it > 1).length, allowed: 0 },
        { what: '5xx responses to them', found: unavailable, allowed: 0 },
      ];
    },
  };
}
