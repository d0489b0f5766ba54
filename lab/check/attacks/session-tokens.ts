import { isDeepStrictEqual } from 'node:util';
import type { Schema, Submission } from '../../../src/contract/contract.js';
import { must, type Row } from '../../../testkit/verdict.js';
import type { Scenario } from './scenario.js';
import type { Stage } from './stage.js';

const victim = 'victim-7c20';
const erased = 'erased-7c20';
/** Six calm readings resolve a trigger. */
const calmReadings = 6;
const worry = { user_message: 'my exam is tomorrow and I cannot sleep', ai_response: 'What worries you most?' };
const stress = { heart_rate: 130, tone: 'hostile', sentiment: -0.9, ...worry } as const;
const calm = { heart_rate: 60, tone: 'calm' } as const;

/** Sends readings that name a victim, with tokens of the same account for fresh sessions. */
export const foreignPerson: Scenario = {
  item: 21,
  title: 'session tokens whose readings name another person',
  prepare: (stage) => sendStress(stage, victim),
  async attack(stage) {
    const before = await readTriggers(stage, victim);
    const answers: Answer[] = [];
    for (const subject_id of [undefined, 'attacker-7c20']) {
      const session_id = `fresh-${subject_id}`;
      const token = await issueToken(stage, { session_id, ...(subject_id && { subject_id }) });
      answers.push(...(await sendCalm(stage, token, { session_id, subject_id: victim })));
    }
    const seen = answers.filter(({ text }) => before.active.some((trigger) => text.includes(trigger)));
    return [
      must('the victim has an active trigger', before.active.length > 0),
      ...findingsOf(answers),
      { what: "responses with a trigger of the victim's", found: seen.length, allowed: 0 },
      must('the triggers are unchanged', isDeepStrictEqual(await readTriggers(stage, victim), before)),
    ];
  },
};

/** Sends readings of an erased person, with tokens that were issued before the erasure. */
export const erasedPerson: Scenario = {
  item: 22,
  title: 'session tokens that send readings of an erased person',
  prepare: (stage) => sendStress(stage, erased),
  async attack(stage) {
    const { service, attacker } = stage;
    const requests = [
      { session_id: 'new-7c20', subject_id: erased },
      { session_id: sessionOf(erased), subject_id: erased },
      { session_id: sessionOf(erased) },
    ];
    const tokens = await Promise.all(requests.map((request) => issueToken(stage, request)));
    const subjectUrl = `${service().url}/v1/subjects/${erased}`;
    const headers = { 'X-Service-Key': attacker.key };
    const erasure = await fetch(subjectUrl, { method: 'DELETE', headers });
    const answers: Answer[] = [];
    for (const [index, token] of tokens.entries())
      answers.push(...(await sendCalm(stage, token, requests[index] as Target)));
    return [
      must('the erasure returned 200', erasure.status === 200),
      ...findingsOf(answers),
      must('the person is unknown', (await fetch(subjectUrl, { headers })).status === 404),
    ];
  },
};

type Target = Pick<Submission, 'session_id' | 'subject_id'>;

interface Answer {
  readonly status: number;
  readonly text: string;
}

function findingsOf(answers: readonly Answer[]): Row[] {
  return [
    { what: 'readings sent', found: answers.length },
    { what: 'readings without a 401', found: answers.filter(({ status }) => status !== 401).length, allowed: 0 },
  ];
}

function sessionOf(subject: string): string {
  return `talk-of-${subject}`;
}

async function sendStress({ attacker, clock }: Stage, subject_id: string): Promise<void> {
  for (let sent = 4; sent > 0; sent -= 1) {
    const timestamp = new Date(clock.now() - sent * 1000).toISOString();
    await attacker.request('/v1/ingest', { session_id: sessionOf(subject_id), subject_id, timestamp, ...stress });
  }
}

function readTriggers({ attacker }: Stage, subject: string): Promise<Schema<'TriggerProfile'>> {
  return attacker.request(`/v1/triggers?subject_id=${subject}`);
}

async function issueToken({ attacker }: Stage, target: Target): Promise<string> {
  const request = { ...target, scopes: ['ingest', 'read'] };
  return (await attacker.request<Schema<'SessionToken'>>('/v1/tokens', request)).token;
}

/** Sends calm readings one by one, as lines of a batch and with the tool `ingest` of MCP, which accepts no token. */
async function sendCalm(stage: Stage, token: string, target: Target): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let sent = 0; sent < calmReadings; sent += 1) {
    const timestamp = new Date(stage.clock.now()).toISOString();
    // A text requires a subject.
    const reading = { ...target, timestamp, ...calm, ...(target.subject_id && worry) };
    const params = { name: 'ingest', arguments: reading };
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    answers.push(
      await post(stage, token, '/v1/ingest', reading),
      statusOfLine(await post(stage, token, '/v1/ingest/batch', reading, 'application/x-ndjson')),
      await post(stage, token, '/mcp', call),
    );
  }
  return answers;
}

async function post({ service }: Stage, token: string, path: string, body: object, type = 'application/json') {
  const accept = 'application/json, text/event-stream';
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': type, Accept: accept };
  const response = await fetch(service().url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: response.status, text: await response.text() };
}

/** Returns the status of the only line of a batch, or the status of a batch that was rejected as a whole. */
function statusOfLine({ status, text }: Answer): Answer {
  const { results } = JSON.parse(text) as Partial<Schema<'BatchResult'>>;
  return { status: results?.[0]?.status ?? status, text };
}
