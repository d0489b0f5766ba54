import { expect, test } from 'vitest';
import type { Schema } from '../../src/contract/contract.js';
import { baselineAfter, history, laterMs } from '../../testkit/arbitraries.js';
import { checkLaw } from '../../testkit/law.js';
import { computeTypicalValues } from './baseline.js';
import { signals } from './generated/contract.js';
import { toContractBaseline } from './subject-profile.js';

test('a person without measurements has an empty baseline', () => {
  expect(toContractBaseline({}, laterMs)).toEqual({});
});

test('a baseline shows the typical values of the score, and its histogram contains all learned seconds', () => {
  checkLaw(history, (readings) => {
    const stored = baselineAfter(readings) ?? {};
    const { heart_rate, sdnn, rmssd, devices }: Schema<'Baseline'> = toContractBaseline(stored, laterMs);
    const typical = computeTypicalValues(stored, laterMs);
    if (heart_rate) {
      const { histogram, learned_seconds, resting_bpm, typical_bpm, own_share } = heart_rate;
      expect(resting_bpm).toBeCloseTo(typical.heart_rate.restingBpm, 2);
      expect(typical_bpm).toBeCloseTo(typical.heart_rate.value, 2);
      expect(own_share).toBeCloseTo(typical.heart_rate.known, 2);
      expect(histogram.reduce((total, { seconds }) => total + seconds, 0)).toBeCloseTo(learned_seconds, 1);
      for (const { from_bpm } of histogram) {
        expect(from_bpm).toBeGreaterThanOrEqual(signals.heart_rate.minimum);
        expect(from_bpm).toBeLessThanOrEqual(signals.heart_rate.maximum);
      }
    }
    for (const own of devices ?? [{ sdnn, rmssd }]) {
      const sample = { value: 1, atMs: laterMs, device: 'source_device' in own ? own.source_device : undefined };
      const compared = computeTypicalValues(stored, laterMs, { sdnn: sample, rmssd: sample });
      for (const name of ['sdnn', 'rmssd'] as const) {
        const { typical_ms } = own[name] ?? {};
        if (typical_ms !== undefined) expect(Math.log(typical_ms)).toBeCloseTo(compared[name].value, 2);
      }
    }
    expect(Boolean(heart_rate)).toBe(stored.heart_rate !== undefined);
    for (const [name, shown] of Object.entries({ sdnn, rmssd })) {
      const all = [stored, ...(stored.devices ?? [])].map((it) => it[name as 'sdnn' | 'rmssd']?.atMs ?? 0);
      expect(shown ? Date.parse(shown.latest.timestamp) : 0).toBe(Math.max(...all));
    }
  });
});
