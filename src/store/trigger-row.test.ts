import { expect, test } from 'vitest';
import { addSighting } from '../../packages/score/triggers.js';
import type { Trigger } from '../../packages/score/rows/trigger.js';
import { toTrigger, toTriggerRow, triggerColumns } from './triggers.js';

/** States of one trigger after sightings that are calm, then stressed, then calm until the trigger is resolved. */
const life = [30, 90, 95, 10, 5, 5, 0].reduce<Trigger[]>((lived, score, index) => {
  const sighting = {
    score,
    atMs: 1_760_000_000_000 + index,
    sessionId: `s${index}`,
    isFirstInSession: true,
    isCertain: false,
  };
  return [...lived, addSighting(lived.at(-1), sighting)];
}, []);

/** Writes a trigger and reads the row as the database returns it: with the field names of `triggerColumns`. */
function readBack(trigger: Trigger): Trigger {
  const row = toTriggerRow(trigger);
  const fields = Object.entries(triggerColumns).map(([field, column]) => [field, row[column]]);
  return toTrigger(Object.fromEntries(fields));
}

test('a trigger is read as it was written, in every status', () => {
  expect(new Set(life.map(({ status }) => status))).toEqual(new Set(['observed', 'active', 'resolved']));
  for (const trigger of life) expect(readBack(trigger)).toEqual(trigger);
  const measured = { ...(life[0] as Trigger), measured: { turns: 1.5, sum: 61.25, squares: 2_600.125 } };
  expect(readBack(measured)).toEqual(measured);
});

test('a trigger row has one column per value, and triggerColumns lists all of them', () => {
  const [, active] = life;
  expect(toTriggerRow(active as Trigger)).toEqual({
    status: 'active',
    recent_stress: 60,
    score_sum: 120,
    sightings: 2,
    peak_score: 90,
    sessions: 2,
    last_seen_ms: 1_760_000_000_001,
    activation_session_id: 's1',
    activation_at_ms: 1_760_000_000_001,
    resolving_sightings: 0,
    measured_turns: null,
    measured_sum: null,
    measured_squares: null,
    status_changes:
      '{"v":1,"changes":[{"status":"observed","atMs":1760000000000},{"status":"active","atMs":1760000000001}]}',
  });
  expect(Object.keys(toTriggerRow(active as Trigger))).toEqual(Object.values(triggerColumns));
});
