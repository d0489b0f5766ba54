import { MessageChannel } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { RateLimitError } from '../limits/allowance.js';
import { fault, ProblemError } from '../problem.js';
import { isTransient } from '../store/transient.js';
import { connect, type Connection, type Functions } from './connection.js';

interface Theirs extends Functions {
  double(number: number): number;
  fail(kind: 'limit' | 'problem' | 'database' | 'text'): Promise<never>;
  hear(line: string): void;
  heard(): string[];
}

const exceeded = { policy: 'month', quota: 3, remaining: 0, resetSeconds: 9, isExceeded: true } as const;
const lock = Object.assign(new Error('a lock'), { code: 'ER_LOCK_DEADLOCK' });
const failures = {
  limit: () => new RateLimitError(exceeded),
  problem: () => new ProblemError('validation_failed', { faults: [fault('missing', { pointer: '/x' })], cause: lock }),
  database: () => lock,
  text: () => 'no error at all',
};

function startPair(): Connection<Theirs> {
  const { port1, port2 } = new MessageChannel();
  onTestFinished(() => port1.close());
  const lines: string[] = [];
  const functions: Theirs = {
    double: (number) => 2 * number,
    fail: async (kind) => {
      throw failures[kind]();
    },
    hear: (line) => void lines.push(line),
    heard: () => lines,
  };
  connect(port2, functions);
  return connect<Theirs>(port1, {});
}

test('each of many calls at once gets its own answer', async () => {
  const { ask } = startPair();
  const numbers = Array.from({ length: 1_000 }, (_, index) => index);
  expect(await Promise.all(numbers.map((it) => ask('double', it)))).toEqual(numbers.map((it) => 2 * it));
});

test('what is told arrives in order, before what is asked after it', async () => {
  const { ask, tell } = startPair();
  const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`);
  for (const line of lines) tell('hear', line);
  expect(await ask('heard')).toEqual(lines);
});

test('a refusal arrives as the problem that it is, with its faults and its cause', async () => {
  const error = await startPair()
    .ask('fail', 'problem')
    .catch((it: unknown) => it);
  expect(error).toBeInstanceOf(ProblemError);
  expect(error).toMatchObject({ code: 'validation_failed', faults: [{ code: 'missing', pointer: '/x' }] });
  expect(error).toMatchObject({ cause: { message: 'a lock', code: 'ER_LOCK_DEADLOCK' } });
});

test('an exceeded limit arrives with where it stands', async () => {
  const error = await startPair()
    .ask('fail', 'limit')
    .catch((it: unknown) => it);
  expect(error).toBeInstanceOf(RateLimitError);
  expect(error).toMatchObject({ exceeded });
});

test('a fault of the database is still known as one that passes, and where it came from', async () => {
  const error = await startPair()
    .ask('fail', 'database')
    .catch((it: unknown) => it);
  expect(isTransient(error)).toBe(true);
  expect((error as Error).stack).toBe(lock.stack);
});

test('whatever else is thrown arrives as an error', async () => {
  await expect(startPair().ask('fail', 'text')).rejects.toThrow('no error at all');
});

test('a function that the other side does not have is an error', async () => {
  await expect(startPair().ask('missing' as 'heard')).rejects.toThrow('nothing here is called missing');
});
