import { MessageChannel } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { createFault, ProblemError } from '../contract/problem.js';
import { RateLimitError } from '../limits/window-limit.js';
import { isTransient } from '../store/retry.js';
import { connectThread, type ThreadConnection, type Functions } from './connection.js';

interface Theirs extends Functions {
  double(number: number): number;
  fail(kind: 'limit' | 'problem' | 'conflict' | 'database' | 'text'): Promise<never>;
  append(line: string): void;
  lines(): string[];
}

const exceeded = { policy: 'month', quota: 3, remaining: 0, resetSeconds: 9, isExceeded: true } as const;
const lock = Object.assign(new Error('a lock'), { code: 'ER_LOCK_DEADLOCK' });
const failures = {
  limit: () => new RateLimitError(exceeded),
  problem: () =>
    new ProblemError('validation_failed', { faults: [createFault('missing', { pointer: '/x' })], cause: lock }),
  conflict: () => new ProblemError('rotation_in_progress', { values: { until: 'noon' }, retryAfterSeconds: 9 }),
  database: () => lock,
  text: () => 'not an error',
};

function startPair(): ThreadConnection<Theirs> {
  const { port1, port2 } = new MessageChannel();
  onTestFinished(() => port1.close());
  const lines: string[] = [];
  const functions: Theirs = {
    double: (number) => 2 * number,
    fail: async (kind) => {
      throw failures[kind]();
    },
    append: (line) => void lines.push(line),
    lines: () => lines,
  };
  connectThread(port2, functions);
  return connectThread<Theirs>(port1, {});
}

test('each of many concurrent calls gets its own result', async () => {
  const { call } = startPair();
  const numbers = Array.from({ length: 1_000 }, (_, index) => index);
  expect(await Promise.all(numbers.map((it) => call('double', it)))).toEqual(numbers.map((it) => 2 * it));
});

test('notifications arrive in order, before a call that follows them', async () => {
  const { call, notify } = startPair();
  const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`);
  for (const line of lines) notify('append', line);
  expect(await call('lines')).toEqual(lines);
});

test('a ProblemError arrives as a ProblemError, with its validation errors and its cause', async () => {
  const error = await startPair()
    .call('fail', 'problem')
    .catch((it: unknown) => it);
  expect(error).toBeInstanceOf(ProblemError);
  expect(error).toMatchObject({ code: 'validation_failed', faults: [{ code: 'missing', pointer: '/x' }] });
  expect(error).toMatchObject({ cause: { message: 'a lock', code: 'ER_LOCK_DEADLOCK' } });
});

test('a ProblemError arrives with its formatted detail and its Retry-After', async () => {
  const error = await startPair()
    .call('fail', 'conflict')
    .catch((it: unknown) => it);
  expect(error).toMatchObject({ message: expect.stringContaining('until noon'), retryAfterSeconds: 9 });
});

test('a RateLimitError arrives with its allowance', async () => {
  const error = await startPair()
    .call('fail', 'limit')
    .catch((it: unknown) => it);
  expect(error).toBeInstanceOf(RateLimitError);
  expect(error).toMatchObject({ exceeded });
});

test('a transient database error arrives as transient, with its stack', async () => {
  const error = await startPair()
    .call('fail', 'database')
    .catch((it: unknown) => it);
  expect(isTransient(error)).toBe(true);
  expect((error as Error).stack).toBe(lock.stack);
});

test('a thrown value that is not an Error arrives as an Error', async () => {
  await expect(startPair().call('fail', 'text')).rejects.toThrow('not an error');
});

test('a call of an unknown function rejects', async () => {
  await expect(startPair().call('missing' as 'lines')).rejects.toThrow('unknown function: missing');
});
