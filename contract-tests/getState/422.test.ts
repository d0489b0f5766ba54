import { expect, test } from 'vitest';
import { startTestService } from '../../testkit/service.js';

test.each([
  ['', [['session_id', 'missing']]],
  ['?session_id=', [['session_id', 'string_too_short']]],
  ['?session_id=a&session_id=a', [['session_id', 'repeated']]],
  ['?session_id=a%00', [['session_id', 'pattern_mismatch']]],
  ['?session_id=a+b', [['session_id', 'pattern_mismatch']]],
  [`?session_id=${'x'.repeat(257)}`, [['session_id', 'string_too_long']]],
  ['?session_id=a&verbose=1', [['verbose', 'extra_forbidden']]],
  [
    '?session_id[]=a',
    [
      ['session_id[]', 'extra_forbidden'],
      ['session_id', 'missing'],
    ],
  ],
  [
    '?Session_Id=a',
    [
      ['Session_Id', 'extra_forbidden'],
      ['session_id', 'missing'],
    ],
  ],
  [
    '?session_id=a&__proto__=1&constructor=2',
    [
      ['__proto__', 'extra_forbidden'],
      ['constructor', 'extra_forbidden'],
    ],
  ],
] as const)('the error for %s lists every invalid parameter', async (query, faults) => {
  const { request } = await startTestService();
  const { body } = await request(`/v1/state${query}`);
  expect(body.status).toBe(422);
  const found = body.errors.map((it: { parameter: string; code: string }) => [it.parameter, it.code]);
  expect(found).toEqual(faults);
});
