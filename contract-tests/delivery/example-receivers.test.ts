import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { isGenuine } from '../../examples/receiver/verify.js';
import { receiver } from '../../packages/dashboard/browser/webhooks/receiver.js';
import { buildSignatureHeaders } from '../../src/webhooks/secrets.js';
import { startScript } from '../../testkit/process.js';
import { freePorts, startProgram } from '../../testkit/program.js';
import { root } from '../../testkit/service.js';
import { until } from '../../testkit/until.js';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwbEsfYwTzXkM=';
const other = 'whsec_AAAA9r8GKYqrTwjUPD8ILPZIo2LaLaSwbEsfYwTzXkM=';
const body =
  '{"event":"state_change","session_id":"s1","previous_state":"focused","new_state":"stressed","stress_score":73,"timestamp":"2026-11-21T09:30:00.000Z"}';
const atMs = Date.parse('2026-11-21T09:30:00.000Z');
const deliveryId = 'dlv_2b7e9d4f6a1c4e3b8d05';

const sign = (secrets: readonly string[], nowMs = atMs) =>
  Object.fromEntries(
    Object.entries(buildSignatureHeaders({ deliveryId, body, atMs: nowMs, secrets })).map(([name, value]) => [
      name.toLowerCase(),
      value,
    ]),
  );
const signed = sign([secret]);

/** Deliveries, and whether a receiver should accept each of them at `nowMs`. */
const cases: ReadonlyArray<{
  what: string;
  text: string;
  headers: Record<string, string>;
  is: boolean;
  nowMs?: number;
}> = [
  { what: 'genuine', text: body, headers: signed, is: true },
  { what: 'while a rotation lasts', text: body, headers: sign([other, secret]), is: true },
  { what: 'five minutes old', text: body, headers: signed, is: true, nowMs: atMs + 300_000 },
  { what: 'replayed later', text: body, headers: signed, is: false, nowMs: atMs + 301_000 },
  { what: 'from the future', text: body, headers: signed, is: false, nowMs: atMs - 301_000 },
  { what: 'another secret', text: body, headers: sign([other]), is: false },
  { what: 'altered', text: body.replace('73', '12'), headers: signed, is: false },
  {
    what: 'a fresh time written over',
    text: body,
    headers: { ...signed, 'webhook-timestamp': String(atMs / 1000 + 9) },
    is: false,
  },
  { what: 'another id', text: body, headers: { ...signed, 'webhook-id': 'dlv_x' }, is: false },
  { what: 'no time', text: body, headers: { ...signed, 'webhook-timestamp': 'now' }, is: false },
  { what: 'unsigned', text: body, headers: {}, is: false },
  { what: 'a short signature', text: body, headers: { ...signed, 'x-service-signature': 'sha256=' }, is: false },
  { what: 'a strange signature', text: body, headers: { ...signed, 'x-service-signature': 'sha256=ü,,' }, is: false },
];

test.each(cases)('the example receiver verifies a delivery with $what: $is', ({ text, headers, is, nowMs = atMs }) => {
  expect(isGenuine(Buffer.from(text), headers, secret, nowMs)).toBe(is);
});

const example = (extension: string) => readFile(new URL(`examples/receiver/verify.${extension}`, root), 'utf8');

const hasPython = spawnSync('python3', ['-c', 'import hmac; assert "x".removeprefix("x") == ""']).status === 0;

test.runIf(hasPython)('the Python example verifies the same deliveries as the TypeScript example', async () => {
  const harness = `
import json, sys
for it in json.load(sys.stdin):
    print(is_genuine(it["text"].encode(), it["headers"], ${JSON.stringify(secret)}, it["now"]))
`;
  const input = JSON.stringify(cases.map((it) => ({ ...it, now: (it.nowMs ?? atMs) / 1000 })));
  const run = spawnSync('python3', ['-c', `${await example('py')}${harness}`], { input, encoding: 'utf8' });
  expect(run.stderr).toBe('');
  expect(run.stdout.trim().split('\n')).toEqual(cases.map(({ is }) => (is ? 'True' : 'False')));
});

test('the example receiver processes a signed delivery once and rejects forged and empty deliveries', async () => {
  const receiver = startScript('examples/receiver/server', [], { WEBHOOK_SECRET: secret, PORT: '0' });
  const url = `http://127.0.0.1:${await receiver.find(/port: (\d+)/)}/hooks`;
  const send = async (headers: Record<string, string>, text = body) => {
    const init = { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers } };
    return (await fetch(url, { ...init, ...(text !== '' && { body: text }) })).status;
  };
  const now = sign([secret], Date.now());
  expect(await send({ ...now, 'x-service-signature': `sha256=${'0'.repeat(64)}` })).toBe(401);
  expect(await send({}, '')).toBe(401);
  expect(await send(now)).toBe(204);
  expect(await send(now)).toBe(204);
  await receiver.find(/s1: focused → stressed \(73\)/);
  receiver.signal('SIGINT');
  expect((await receiver.ended).stdout.match(/focused → stressed/g)).toHaveLength(1);
});

test('the receiver of the guide and of the dashboard verifies deliveries, also during a rotation', async () => {
  const [port = 0] = await freePorts(1);
  const env = { WEBHOOK_SECRET: secret, PORT: String(port) };
  const program = startProgram({ args: ['--input-type=module', '--eval', receiver], env });
  onTestFinished(() => program.signal('SIGKILL'));
  const send = async (headers: Record<string, string>, text = body) =>
    (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body: text })).status;
  await until('the receiver listens', () => send({}).then(Boolean, () => false));
  const at = Date.now();
  const sent = [sign([secret], at), sign([other, secret], at), sign([other], at), sign([secret], at - 301_000)];
  expect(await Promise.all(sent.map((it) => send(it)))).toEqual([204, 204, 401, 401]);
  expect(await send(sign([secret], at), body.replace('73', '12'))).toBe(401);
  await program.find(/new_state: '(stressed)'/);
});
