import { modelVersion } from '../../generated/spec.js';
import { seededRandom } from '../../packages/tools/terminal/scenes.js';
import { createFeedbackWriter } from '../../src/store/feedback.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';
import { bearer, issueToken } from '../../testkit/tokens.js';

interface Exported {
  readonly subject_id?: string;
  readonly session_id?: string;
  readonly timestamp: string;
  readonly stress: number;
  readonly published?: { readonly stress_score: number; readonly model_version: number; readonly state: string };
}

const tones = ['calm', 'neutral', 'tense', 'hostile'] as const;

/** Sends readings and reports of 6 people over 10 days. The stress follows the tone, with errors. */
async function live(service: TestService): Promise<void> {
  const random = seededRandom(5);
  const { clock, post } = service;
  for (let day = 0; day < 10; day += 1) {
    for (let person = 0; person < 6; person += 1) {
      const tone = Math.floor(random() * tones.length);
      const [session_id, subject_id] = [`d${day}-${person}`, `p${person}`];
      await service.read({ session_id, ...(person > 0 && { subject_id }), tone: tones[tone] ?? 'calm' });
      const named = person % 2 ? { subject_id } : { session_id };
      const stress = Math.min(10, Math.floor(2.5 * tone + 4 * random()));
      expect((await post('/v1/feedback', { ...named, timestamp: clock.at(), stress })).status).toBe(200);
      // No score was published for this time.
      await post('/v1/feedback', { ...named, timestamp: clock.at(-3_600), stress });
    }
    clock.advance(86_400);
  }
}

async function readAll({ request }: TestService, query = ''): Promise<Exported[]> {
  const { body } = await request(`/v1/feedback${query}`);
  expect(body.next_cursor).toBe(null);
  return body.feedback;
}

/** 97.5 % quantiles of Student's distribution by degrees of freedom, from a table. */
const tQuantiles: Readonly<Record<number, number>> = {
  ...{ 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262, 10: 2.228, 11: 2.201, 12: 2.179, 13: 2.16 },
  ...{ 14: 2.145, 15: 2.131, 16: 2.12, 17: 2.11, 18: 2.101, 19: 2.093, 20: 2.086 },
};

/**
 * Computes the AUC and its interval from exported reports, pair by pair and with the formulas as published: Obuchowski
 * (1997), DeLong (1988), Korn and Graubard (1998) and Newcombe (2006, method 5), whose bounds are searched on a grid.
 */
function recompute(exported: readonly Exported[], groupOf: (report: Exported) => string) {
  const scored = exported.filter(({ published }) => published?.model_version === modelVersion.number);
  const weights = new Map(scored.map((it) => [it, weightIn(scored, it)]));
  const w = (it: Exported) => weights.get(it) ?? NaN;
  const score = (it: Exported) => it.published?.stress_score ?? NaN;
  const [x, y] = [scored.filter(({ stress }) => stress >= 5), scored.filter(({ stress }) => stress < 5)];
  const psi = (a: Exported, b: Exported) => (score(a) > score(b) ? 1 : score(a) === score(b) ? 0.5 : 0);
  const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
  const [wx, wy] = [total(x.map(w)), total(y.map(w))];
  const v10 = new Map(x.map((a) => [a, total(y.map((b) => w(b) * psi(a, b))) / wy]));
  const v01 = new Map(y.map((b) => [b, total(x.map((a) => w(a) * psi(a, b))) / wx]));
  const auc = total([...v10].map(([a, value]) => w(a) * value)) / wx;
  const groups = [...new Set(scored.map(groupOf))];
  const inGroup = (values: ReadonlyMap<Exported, number>, group: string) =>
    [...values].filter(([it]) => groupOf(it) === group).map(([it, value]) => w(it) * (value - auc));
  const s = (values: ReadonlyMap<Exported, number>, weight: number) => {
    const present = groups.filter((group) => inGroup(values, group).length > 0);
    const squares = present.map((group) => total(inGroup(values, group)) ** 2);
    return (present.length / (present.length - 1)) * (total(squares) / weight ** 2);
  };
  const products = groups.map((group) => total(inGroup(v10, group)) * total(inGroup(v01, group)));
  const s11 = (groups.length / (groups.length - 1)) * total(products);
  // The numbers of reports of equal weight (Kish 1965).
  const [m, n] = [wx ** 2 / total(x.map((it) => w(it) ** 2)), wy ** 2 / total(y.map((it) => w(it) ** 2))];
  const clustered = s(v10, wx) + s(v01, wy) + (2 * s11) / (wx * wy);
  const square = (values: ReadonlyMap<Exported, number>, weight: number) =>
    (values.size / (values.size - 1)) *
    (total([...values].map(([it, value]) => (w(it) * (value - auc)) ** 2)) / weight ** 2);
  const t = tQuantiles[groups.length - 1] ?? NaN;
  const effect = Math.max(1, ((t / 1.959964) ** 2 * clustered) / (square(v10, wx) + square(v01, wy)));
  const isWithin = (a: number) => {
    const star = (m + n) / 2;
    const variance = (a * (1 - a) * (1 + ((star - 1) * (1 - a)) / (2 - a) + ((star - 1) * a) / (1 + a))) / (m * n);
    return (auc - a) ** 2 <= 1.959964 ** 2 * effect * variance;
  };
  const grid = Array.from({ length: 100_001 }, (_, index) => index / 100_000).filter(isWithin);
  return {
    auc: { value: auc, low: grid[0] as number, high: grid.at(-1) as number },
    scored,
    groups: groups.length,
    stressed: x.length,
  };
}

const personOf = (it: Exported) => it.subject_id ?? `session ${it.session_id}`;

/** All people have the same weight. */
const weightIn = (reports: readonly Exported[], it: Exported) =>
  1 / reports.filter((other) => personOf(other) === personOf(it)).length;

function expectSame(agreement: ReturnType<JSON['parse']>, expected: ReturnType<typeof recompute>): void {
  for (const name of ['value', 'low', 'high'] as const)
    expect(agreement.auc[name]).toBeCloseTo(expected.auc[name], 2.7);
  const { scored, groups, stressed } = expected;
  expect(agreement).toMatchObject({ scored_reports: scored.length, groups, stressed_reports: stressed });
  for (const band of agreement.calibration) {
    const mine = scored.filter(({ published }) => published?.state === band.state);
    expect(band.reports).toBe(mine.length);
    const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
    const mean = (pick: (it: Exported) => number) =>
      sum(mine.map((it) => weightIn(mine, it) * pick(it))) / sum(mine.map((it) => weightIn(mine, it)));
    if (mine.length === 0) continue;
    expect(band.mean_score).toBeCloseTo(
      mean((it) => it.published?.stress_score ?? NaN),
      0.9,
    );
    expect(band.mean_stress).toBeCloseTo(
      mean(({ stress }) => stress),
      0.9,
    );
    if (band.stressed_share)
      expect(band.stressed_share.value).toBeCloseTo(
        mean((it) => Number(it.stress >= 5)),
        2.7,
      );
  }
}

test('the agreement of the account and of a person equals a recomputation from the exported feedback', async () => {
  const service = await startTestService({});
  await live(service);
  const { body } = await service.request('/v1/agreement');
  expect(body).toMatchObject({ status: 'measured', reports: 120, scored_reports: 60 });
  expectSame(body, recompute(await readAll(service), personOf));
  // A second person's reports are not part of the agreement of the first one.
  await addReports(service, 'p1', 20);
  const own = (await service.request('/v1/subjects/p1/agreement')).body;
  expect(own).toMatchObject({ subject_id: 'p1', status: 'measured', scored_reports: 30 });
  expectSame(
    own,
    recompute(await readAll(service, '?subject_id=p1'), (it) => it.timestamp.slice(0, 10)),
  );
});

async function addReports(service: TestService, subject_id: string, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    await service.read({ session_id: `more-${index}`, subject_id, tone: tones[index % 4] ?? 'calm' });
    await service.post('/v1/feedback', { subject_id, timestamp: service.clock.at(), stress: (index * 7) % 11 });
    service.clock.advance(6 * 3_600);
  }
}

test('an account and a person without reports have an agreement without an AUC', async ({ service }) => {
  await service.read({ subject_id: 'p', heart_rate: 70 });
  const none = { status: 'not_enough_reports', reports: 0, scored_reports: 0, groups: 0 };
  expect((await service.request('/v1/agreement')).body).toMatchObject(none);
  const { body } = await service.request('/v1/subjects/p/agreement');
  expect(body).toMatchObject({ subject_id: 'p', ...none });
  expect(body).not.toHaveProperty('auc');
});

test('a report with a score of another model version does not count', async ({ service }) => {
  await service.store.transact(async (scopeOf) => {
    const feedback = createFeedbackWriter(scopeOf(service.accountId));
    for (const [index, model] of [modelVersion.number, modelVersion.number - 1].entries()) {
      const published = { score: 50, model, readings: 1 };
      const report = { id: `fb_${String(index).repeat(20)}`, timestampMs: service.clock.nowMs, stress: 5, published };
      await feedback.add({ ...report, recordedAtMs: 0 }, { subject_id: 'p' });
    }
  });
  expect((await service.request('/v1/agreement')).body).toMatchObject({ reports: 2, scored_reports: 1 });
});

test('119 reports of one token in a minute move the agreement of the account as one report does', async () => {
  const service = await startTestService({});
  await live(service);
  const { session_id } = await service.read({ session_id: 'attack', subject_id: 'mallory', tone: 'calm' });
  const token = await issueToken(service, { session_id, subject_id: 'mallory', scopes: ['feedback'] });
  const attack = async (from: number, to: number) => {
    for (let index = from; index < to; index += 1) {
      const report = { session_id, timestamp: service.clock.at(index / 1_000), stress: 10 };
      const { status } = await service.post('/v1/feedback', report, bearer(token));
      expect(status).toBe(200);
    }
    return (await service.request('/v1/agreement')).body;
  };
  const [once, often] = [await attack(0, 1), await attack(1, 119)];
  expect([once.reports, often.reports]).toEqual([121, 239]);
  expect(once).toMatchObject({ scored_reports: 61, person_reports_max: 20 });
  expect(often).toEqual({ ...once, reports: 239, person_reports_max: 119 });
});

test('of one person, the newest report of a minute and the newest 60 of a day count, all are listed', async () => {
  const service = await startTestService();
  service.clock.advance(86_400 - ((service.clock.nowMs / 1_000) % 86_400));
  const scored = async () => (await service.request('/v1/agreement')).body;
  await service.read({ session_id: 's1', subject_id: 'p', tone: 'hostile' });
  for (const stress of [9, 8, 1]) {
    await service.post('/v1/feedback', { session_id: 's1', timestamp: service.clock.at(), stress });
    service.clock.advance(20);
  }
  const { calibration, ...counts } = await scored();
  expect(counts).toMatchObject({ reports: 3, person_reports_max: 3, scored_reports: 1, stressed_reports: 0 });
  expect(calibration.find((it: { reports: number }) => it.reports > 0)).toMatchObject({ reports: 1, mean_stress: 1 });
  await service.store.transact(async (scopeOf) => {
    for (let minute = 0; minute < 100; minute += 1) {
      const published = { score: 50, model: modelVersion.number, readings: 1 };
      const [id, recordedAtMs] = [`fb_${String(minute).padStart(20, '0')}`, service.clock.nowMs + minute * 60_000];
      const report = { id, timestampMs: recordedAtMs, stress: minute < 60 ? 0 : 10, published, recordedAtMs };
      await createFeedbackWriter(scopeOf(service.accountId)).add(report, { subject_id: 'p' });
    }
  });
  expect(await scored()).toMatchObject({ reports: 103, scored_reports: 60, stressed_reports: 40 });
});

test('an unknown person has no agreement', async ({ service: { request } }) => {
  expect((await request('/v1/subjects/nobody/agreement')).body).toMatchObject({
    status: 404,
    code: 'subject_not_found',
  });
});
