import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseHeartRate } from '../browser/send/heart-rate-measurement.js';

const parse = (...bytes: number[]) => parseHeartRate(new DataView(Uint8Array.from(bytes).buffer));

test.each([
  ['a rate of 8 bits', [0, 72], { heartRate: 72, rrIntervalsMs: [], hasContact: undefined }],
  ['a rate of 16 bits', [1, 0x2c, 0x01], { heartRate: 300, rrIntervalsMs: [], hasContact: undefined }],
  ['a strap on the skin', [6, 72], { heartRate: 72, rrIntervalsMs: [], hasContact: true }],
  ['a strap off the skin', [4, 0], { heartRate: 0, rrIntervalsMs: [], hasContact: false }],
  ['two intervals', [16, 72, 0x00, 0x04, 0x00, 0x02], { heartRate: 72, rrIntervalsMs: [1_000, 500] }],
  ['intervals after the energy', [24, 72, 0xff, 0xff, 0x00, 0x04], { heartRate: 72, rrIntervalsMs: [1_000] }],
  ['half an interval at the end', [16, 72, 0x00, 0x04, 0x01], { heartRate: 72, rrIntervalsMs: [1_000] }],
  ['an announced interval that is missing', [16, 72], { heartRate: 72, rrIntervalsMs: [] }],
] as const)('parses %s', (_, bytes, expected) => {
  expect(parse(...bytes)).toMatchObject(expected);
});

test.each([[[]], [[0]], [[1, 72]]])('a value that is too short yields nothing: %s', (bytes) => {
  expect(parse(...bytes)).toBeUndefined();
});

test('any bytes yield a measurement or nothing', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      const parsed = parse(...bytes);
      expect(parsed === undefined || Number.isInteger(parsed.heartRate)).toBe(true);
    }),
  );
});
