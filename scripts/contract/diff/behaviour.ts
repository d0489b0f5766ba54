import { type Changes, entries, isSame, type Part } from './changes.js';
import type { Documents } from './schemas.js';

/** Request limits and client guarantees outside of schemas. Their values may increase, but never decrease. */
const mayGrow = [
  'x-body/max_bytes',
  'x-timestamps/max_age_seconds',
  'x-timestamps/max_ahead_seconds',
  'x-webhook-delivery/max_per_account',
  'x-webhook-delivery/attempt_timeout_seconds',
  'x-webhook-delivery/rotation_hours',
  'x-webhook-delivery/retry_max',
  'x-limits/session_requests/quota',
  'x-limits/new_sessions/quota',
  'x-retention/readings_hours',
  'x-retention/idle_sessions_hours',
  'x-retention/settled_deliveries_days',
];

/** Compares the guarantees in the `x-` values of the contract. */
export function compareBehaviour({ before, after }: Documents, changes: Changes): void {
  for (const at of mayGrow) {
    const [old, now] = [Number(valueAt(before, at)), Number(valueAt(after, at))];
    if (old === now) continue;
    changes.add(now > old ? 'addition' : 'breaking', at, `was ${old}, is ${now}`);
  }
  if (!isSame(bandsOf(before), bandsOf(after)))
    changes.add('breaking', 'x-bands', 'states, their scores or their suggested actions have changed');
  compareTopics(before, after, changes);
  for (const [code, { status }] of entries(before['x-problems'])) {
    const present = (valueAt(after, `x-problems/${code}`) as Part | undefined)?.['status'];
    if (present !== undefined && present !== status)
      changes.add('breaking', `x-problems/${code}`, `status was ${status}, is ${present}`);
  }
}

function compareTopics(before: Part, after: Part, changes: Changes): void {
  const topicsOf = (document: Part) => entries(document['x-topics']).flatMap(([, it]) => it as unknown as string[]);
  const [old, now] = [topicsOf(before), topicsOf(after)];
  for (const topic of old.filter((it) => !now.includes(it))) changes.add('breaking', 'x-topics', `${topic} is gone`);
  for (const topic of now.filter((it) => !old.includes(it))) changes.add('addition', 'x-topics', `new topic ${topic}`);
}

/** Returns the bands without recommendations, because the wording of a recommendation may change. */
function bandsOf(document: Part): unknown {
  return entries(document['x-bands']).map(([, { recommendation: _, ...band }]) => band);
}

function valueAt(document: Part, pointer: string): unknown {
  return pointer.split('/').reduce<unknown>((at, step) => (at as Part | undefined)?.[step], document);
}
