import { EventEmitter } from 'node:events';
import { setImmediate as nextIteration } from 'node:timers/promises';
import type { Response } from 'express';
import { expect, test } from 'vitest';
import { batch as settings } from '../../generated/spec.js';
import { grantOf } from '../../testkit/grants.js';
import { ProblemError } from '../contract/problem.js';
import { limitBatches, linesAtOnce, takeLines } from './batches.js';
import { Exchange } from './exchange.js';

test('a process has a limited number of batches in progress, and a settled batch frees its slot', () => {
  const limit = limitBatches();
  const begin = () => {
    const response = new EventEmitter();
    void limit(new Exchange('POST', {}), response as unknown as Response);
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
    return { reading: new ProblemError('missing_signals'), allowances: [] };
  };
  const call = { admit: async () => undefined, end() {} };
  const monthlyCalls = { begin: () => call, close: async () => undefined };
  const take = takeLines(admit, { monthlyCalls, countFailure: () => undefined, observeRefusal() {} });
  const lines = 100;
  const batches = Array.from({ length: 4 }, async () => {
    const exchange = new Exchange('POST', {});
    exchange.caller = grantOf();
    exchange.body = '{}\n'.repeat(lines);
    await take(exchange, new EventEmitter() as unknown as Response);
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
