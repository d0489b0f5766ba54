import { EventEmitter } from 'node:events';
import type { Request, Response } from 'express';
import { expect, test } from 'vitest';
import { batch as settings } from '../../generated/spec.js';
import { limitBatches } from './batch-slots.js';

test('a process has a limited number of batches in progress, and a settled batch frees its slot', () => {
  const limit = limitBatches();
  const begin = () => {
    const response = Object.assign(new EventEmitter(), { locals: { route: { operationId: 'ingestBatch' } } });
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
