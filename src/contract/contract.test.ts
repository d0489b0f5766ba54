import { expect, test } from 'vitest';
import { enums, problems, publicOperations } from '../../generated/spec.js';
import type { Output } from './contract.js';

test('a wrong body, an undeclared status and a missing field do not compile', () => {
  const declared: Output<'getHealth'> = { status: 200, body: { status: 'ok' } };
  // @ts-expect-error 201 is not declared
  const undeclared: Output<'getHealth'> = { status: 201, body: { status: 'ok' } };
  // @ts-expect-error the body has another type
  const wrong: Output<'getHealth'> = { status: 200, body: { status: 'fine' } };
  // @ts-expect-error errors are thrown, not returned
  const problem: Output<'getState'> = { status: 404, body: { status: 'ok' } };
  // @ts-expect-error a state reading has more fields
  const partial: Output<'getState'> = { status: 200, body: { hsp_version: '1.0' } };
  expect([declared, undeclared, wrong, problem, partial]).toHaveLength(5);
});

test('every problem code has a status and a detail, and only the probes and the public keys of receipts require no key', () => {
  expect(Object.keys(problems)).toEqual(enums.ProblemCode);
  expect(publicOperations).toEqual(['listReceiptKeys', 'getHealth', 'getReadiness']);
});
