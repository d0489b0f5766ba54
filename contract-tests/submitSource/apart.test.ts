import { randomUUID } from 'node:crypto';
import { exportRows } from '../../testkit/batch.js';
import { connectHub, connectPhone, heartRateEvent, type HubName, metric, toLocal } from '../../testkit/phone.js';
import type { TestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

/*
 * Apps and hubs post a workout apart from the heart rates in it, in either order. The workout is a fact, so its minutes are
 * vigorous in both.
 */

const minuteMs = 60_000;

interface Poster {
  readonly subjectId: string;
  readonly post: (body: unknown) => Promise<{ readonly status: number; readonly body: { readonly stored: number } }>;
  readonly operator: Pick<TestService, 'request' | 'get'>;
  /** The heart rates of 30 minutes, and the run. `at` is the time of a minute in epoch ms. */
  readonly heart: object;
  readonly run: (minutes: number) => object;
}

type Connect = (service: TestService, startMs: number) => Promise<Poster>;

const iso = (ms: number) => new Date(ms).toISOString();
const listRates = (startMs: number) =>
  Array.from({ length: 30 }, (_, index): [number, number] => [startMs + index * minuteMs, 130 + (index % 10)]);

const connectToHub =
  (name: HubName, createRun: (person: string, startMs: number, endMs: number) => object): Connect =>
  async (service, startMs) => {
    const { post, operator } = await connectHub(service, name);
    const subjectId = randomUUID();
    await operator.post('/v1/source-keys', { subject_id: subjectId, source: 'generic' });
    const heart = heartRateEvent(name, subjectId, listRates(startMs));
    return {
      subjectId,
      post,
      operator,
      heart,
      run: (minutes) => createRun(subjectId, startMs, startMs + minutes * minuteMs),
    };
  };

const sources: Readonly<Record<string, Connect>> = {
  health_auto_export: async (service, startMs) => {
    const phone = await connectPhone(service, 'health_auto_export');
    const run = (minutes: number) => ({
      data: {
        workouts: [
          { id: 'x', name: 'Outdoor Run', start: toLocal(startMs), end: toLocal(startMs + minutes * minuteMs) },
        ],
      },
    });
    return { ...phone, heart: { data: { metrics: [metric('heart_rate', 'count/min', listRates(startMs))] } }, run };
  },
  health_connect: async (service, startMs) => {
    const phone = await connectPhone(service, 'health_connect');
    const heart_rate = listRates(startMs).map(([ms, bpm]) => ({ bpm, time: iso(ms) }));
    const run = (minutes: number) => ({
      exercise: [{ type: '56', start_time: iso(startMs), end_time: iso(startMs + minutes * minuteMs) }],
    });
    return { ...phone, heart: { heart_rate }, run };
  },
  open_wearables: connectToHub('open_wearables', (user_id, startMs, endMs) => ({
    type: 'workout.created',
    data: { id: 'w1', user_id, type: 'running', start_time: iso(startMs), end_time: iso(endMs) },
  })),
  terra: connectToHub('terra', (reference_id, startMs, endMs) => ({
    ...{ type: 'activity', user: { user_id: randomUUID(), provider: 'GARMIN', reference_id } },
    data: [{ metadata: { summary_id: 's1', name: 'Run', type: 8, start_time: iso(startMs), end_time: iso(endMs) } }],
  })),
  junction: connectToHub('junction', (client_user_id, startMs, endMs) => ({
    ...{ event_type: 'daily.data.workouts.created', client_user_id, user_id: randomUUID(), team_id: randomUUID() },
    data: { id: 'w1', sport: { slug: 'running', name: 'Running' }, time_start: iso(startMs), time_end: iso(endMs) },
  })),
};

const orders = ['heart first', 'run first'] as const;
const cases = Object.keys(sources).flatMap((source) => orders.map((order) => [source, order] as const));

test.for(cases)(
  '%s, %s: a workout that is posted apart counts for the heart rates',
  async ([source, order], { service }) => {
    const startMs = Math.floor(service.clock.nowMs / minuteMs) * minuteMs - 60 * minuteMs;
    const { post, heart, run, operator, subjectId } = await (sources[source] as Connect)(service, startMs);
    const movements = async () => {
      const rows = await exportRows(operator, `subject_id=${subjectId}`);
      const states = rows.map(({ computed }) => computed.state);
      return { vigorous: rows.filter(({ reading }) => reading.activity_level === 'vigorous').length, states };
    };
    for (const body of order === 'run first' ? [run(30), heart] : [heart, run(30)])
      expect((await post(body)).status).toBe(200);
    const { vigorous, states } = await movements();
    expect(vigorous).toBe(30);
    expect(states.filter((it) => it === 'stressed' || it === 'acute_stress')).toEqual([]);
    expect((await post(heart)).body).toMatchObject({ stored: 0, replaced: 0 });
    expect((await movements()).vigorous).toBe(30);
    // Sent again, longer.
    await post(run(40));
    const { facts } = await operator.get(`/v1/facts?subject_id=${subjectId}`);
    expect(facts).toMatchObject([{ kind: 'exercise', level: 'vigorous', source, end: iso(startMs + 40 * minuteMs) }]);
    await post(run(30));
    expect((await operator.get(`/v1/facts?subject_id=${subjectId}`)).facts).toEqual(facts);
  },
);
