import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import contract from '../../generated/openapi.json' with { type: 'json' };
import { listen } from '../../testkit/listen.js';
import { freePorts } from '../../testkit/program.js';
import { type BringAbout, runDredd, type Verdict } from './run-dredd.js';

/** The response of a stub. The stub replaces the service, because these tests check that Dredd detects deviations. */
interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

const right = contract.components.examples.LaterReading.value;
const { adaptation_effectiveness: _, ...withoutOptional } = right;
const { disclaimer: __, ...withoutRequired } = right;
const unprepared: BringAbout = async () => undefined;

test.each<[string, Answer]>([
  ['every field', {}],
  ['without an optional field', { body: withoutOptional }],
  ['a content type that names the charset', { headers: { 'Content-Type': 'application/json; charset=utf-8' } }],
])('the documented response passes: %s', async (_name, answer) => {
  expect(await verdictOn(answer)).toEqual({ pair: 'GET /v1/state 200', isPassed: true, message: '' });
});

test.each<[string, Answer, string]>([
  ['a number as text', { body: { ...right, stress_score: '73' } }, "At '/stress_score' Invalid type"],
  ['a number out of bounds', { body: { ...right, stress_score: 101 } }, '/stress_score should be <= 100'],
  ['a fraction for an integer', { body: { ...right, stress_score: 72.5 } }, "At '/stress_score' Invalid type"],
  ['null for a string', { body: { ...right, state: null } }, "At '/state' Invalid type"],
  ['a value outside the enumeration', { body: { ...right, state: 'fine' } }, "At '/state' No enum match"],
  ['an invalid timestamp', { body: { ...right, timestamp: 'yesterday' } }, '/timestamp should match format'],
  ['an additional field', { body: { ...right, mood: 'good' } }, 'should NOT have additional properties'],
  ['a missing field', { body: withoutRequired }, "At '/disclaimer' Missing required property"],
  ['an invalid nested field', deepInside(), "At '/adaptation_effectiveness/effective' Invalid type"],
  ['another status', { status: 201 }, "Expected status code '200', but got '201'"],
  ['another content type', { headers: { 'Content-Type': 'application/problem+json' } }, "At '/content-type' No enum"],
  [
    'another charset',
    { headers: { 'Content-Type': 'application/json; charset=latin1' } },
    "At '/content-type' No enum",
  ],
  ['no request id', { headers: { 'X-Request-Id': '' } }, "At '/x-request-id' Missing required property"],
])('a response that deviates from the contract fails: %s', async (_name, answer, reason) => {
  const verdict = await verdictOn(answer);
  expect(verdict?.isPassed).toBe(false);
  expect(verdict?.message).toContain(reason);
});

test('a pair that Dredd skips fails', async () => {
  const verdict = await verdictOn({}, async (transaction) => {
    transaction.skip = true;
  });
  expect(verdict).toMatchObject({ isPassed: false, message: 'Dredd skipped it' });
});

test('a documented pair that Dredd does not run fails', async () => {
  const withDefault = { ...state200, default: state200[200] };
  const verdicts = await runDredd(contractOf(withDefault), await serve({}), unprepared);
  expect(verdicts.map(({ pair, message }) => [pair, message])).toEqual([
    ['GET /v1/state 200', ''],
    ['GET /v1/state default', 'Dredd did not run it'],
  ]);
});

test('a pair whose preconditions cannot be arranged fails, and its partial setup is undone', async () => {
  const undone: string[] = [];
  const verdict = await verdictOn({}, async (_transaction, _answer, defer) => {
    defer(async () => undone.push('first'));
    defer(async () => undone.push('second'));
    throw new Error('no such table');
  });
  expect(verdict?.message).toContain('no such table');
  expect(undone).toEqual(['second', 'first']);
});

test('a pair whose setup cannot be undone fails', async () => {
  const verdict = await verdictOn({}, async (_transaction, _answer, defer) => {
    defer(() => Promise.reject(new Error('the service ended with 1')));
  });
  expect(verdict?.message).toContain('the service ended with 1');
});

test('a service that does not respond fails', async () => {
  const [port] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const [verdict] = await runDredd(contractOf(state200), url, unprepared);
  expect(verdict?.message).toContain('ECONNREFUSED');
});

const state200 = { 200: contract.paths['/v1/state'].get.responses[200] };

/** Returns the contract with one operation and the given responses. */
function contractOf(responses: object) {
  const get = { ...contract.paths['/v1/state'].get, responses: responses as typeof state200 };
  return { ...contract, paths: { '/v1/state': { get } } };
}

async function verdictOn(answer: Answer, bringAbout = unprepared): Promise<Verdict | undefined> {
  const verdicts = await runDredd(contractOf(state200), await serve(answer), bringAbout);
  expect(verdicts).toHaveLength(1);
  return verdicts[0];
}

function serve({ status = 200, headers, body = right }: Answer): Promise<string> {
  const all = { 'Content-Type': 'application/json', 'X-Request-Id': '01JD6Z7Q8N4W3V5K2M9T', ...headers };
  const server = createServer((_request, response) => {
    for (const [name, value] of Object.entries(all)) if (value !== '') response.setHeader(name, value);
    response.writeHead(status).end(JSON.stringify(body));
  });
  return listen(server);
}

function deepInside(): Answer {
  return { body: { ...right, adaptation_effectiveness: { ...right.adaptation_effectiveness, effective: 'no' } } };
}
