import type { Subject } from '../../packages/score/rows/person.js';
import type { StoredAlertRule } from '../store/alerts.js';
import { findActivations, findHighPoints } from '../store/people-facts.js';
import type { SlicedScope } from '../store/scope.js';
import { createHourReader } from '../store/subject-hours.js';
import { computeUsual, findLevel, findSpan, isLive, listUsualHours } from './conditions.js';

/** Reads what the conditions of rules are computed from, of all people at once, and only what a rule needs. */
export async function readFacts(
  scope: SlicedScope,
  rules: readonly StoredAlertRule[],
  subjects: ReadonlyMap<string, Subject>,
  nowMs: number,
) {
  const has = (name: StoredAlertRule['condition']) => rules.some(({ condition }) => condition === name);
  const people = [...subjects].map(([id, subject]) => ({ id, subject, newestMs: subject.newest?.atMs }));
  const ids = people.map(({ id }) => id);
  const hours = has('above_usual') ? await createHourReader(scope).storedAt(ids, listUsualHours(nowMs)) : undefined;
  const usual = new Map(ids.map((id) => [id, computeUsual(hours?.get(id) ?? [])]));
  const findFloor = (id: string) => Math.min(...rules.map((rule) => findLevel(rule, usual.get(id))));
  const floors = people.flatMap((it): Array<[string, number]> => {
    const floor = findFloor(it.id);
    return floor < Infinity && isLive(it, nowMs) ? [[it.id, floor]] : [];
  });
  const spans = rules.flatMap((rule) => (findLevel(rule, 0) < Infinity ? findSpan(rule) : []));
  const points = await findHighPoints(scope, new Map(floors), nowMs - Math.max(...spans), nowMs);
  const concerned = people.flatMap(({ id, subject }) => (subject.active?.length ? id : []));
  const isAsked = has('trigger_active') && concerned.length > 0;
  const activations = isAsked ? await findActivations(scope, concerned) : undefined;
  return new Map(
    people.map(({ id, subject, newestMs }) => {
      const read = { usual: usual.get(id), points: points.get(id) ?? [], activations: activations?.get(id) ?? [] };
      return [id, { subject, newestMs, ...read }];
    }),
  );
}
