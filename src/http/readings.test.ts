import { EventEmitter } from 'node:events';
import { setImmediate as nextIteration } from 'node:timers/promises';
import type { Request, Response } from 'express';
import { expect, test } from 'vitest';
import { batch as settings } from '../../generated/spec.js';
import { ProblemError } from '../contract/problem.js';
import { limitBatches, linesAtOnce, takeLines } from './readings.js';

test('a process has a limited number of batches in progress, and a settled batch frees its slot', () => {
  const limit = limitBatches();
  const begin = () => {
    const response = Object.assign(new EventEmitter(), { locals: {} });
    let hasBegun = false;
    limit({} as Request, response as unknown as Response, () => (hasBegun = true));
    expect(hasBegun).toBe(true);
    return response;
  };
  const batches = Array.from({ length: settings.in_progress_max }, begin);
  expect(begin).toThrow(expect.objectContaining({ code: 'service_unavailable' }));
  batches[0]?.emit('close');
  begin();
  expect(begin).toThrow(expect.objectContaining({ code: 'service_unavailable' }));
});

test('other requests run after every few lines, however many batches are in progress', async () => {
  let admitted = 0;
  const admit = async () => {
    admitted += 1;
    return new ProblemError('missing_signals');
  };
  const call = { admit: async () => undefined, end() {} };
  const monthlyCalls = { begin: () => call, close: async () => undefined };
  const take = takeLines(admit, { monthlyCalls, countFailure: () => undefined, observeRefusal() {} });
  const lines = 100;
  const batches = Array.from({ length: 4 }, async () => {
    const locals = { caller: { accountId: 'acc_1', keyId: 'key_1', tier: 'solo' }, logged: {} };
    const response = Object.assign(new EventEmitter(), { locals, set() {} });
    await take({ body: '{}\n'.repeat(lines) } as Request, response as unknown as Response, () => undefined);
  });
  const perIteration: number[] = [];
  while (admitted < batches.length * lines) {
    const before = admitted;
    await nextIteration();
    perIteration.push(admitted - before);
  }
  expect(Math.max(...perIteration)).toBe(linesAtOnce);
  await Promise.all(batches);
});
