import { randomUUID } from 'node:crypto';
import type { World } from './world.js';

/**
 * Creates a session and a subject with the same name and two readings. Their responses contain every optional field.
 */
export async function sessionWithData(world: World): Promise<string> {
  const sessionId = randomUUID();
  for (const seconds of [2, 1]) await ingest(world, turn(sessionId, sessionId, seconds));
  return sessionId;
}

/** Creates a subject with a known topic. */
export async function subjectWithTopic(world: World): Promise<string> {
  const subjectId = randomUUID();
  await ingest(world, turn(randomUUID(), subjectId));
  return subjectId;
}

/** Creates a subject with a consent of now, which is newer than that of the documented example. */
export async function subjectWithConsent({ service, key }: World): Promise<string> {
  const subjectId = randomUUID();
  const consent = { categories: ['vocal'], purposes: ['check'], context: 'care', event_time: ago(0) };
  const ends = { expires_at: '2100-01-01T00:00:00Z', record_id: 'form-1' };
  const response = await fetch(`${service.url}/v1/subjects/${subjectId}/consent`, {
    method: 'PUT',
    headers: { 'X-Service-Key': key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ ...consent, ...ends }),
  });
  const answer = await response.text();
  if (response.status !== 200) throw new Error(`a consent got a ${response.status}: ${answer}`);
  return subjectId;
}

export async function ingest({ service, key }: World, body: object): Promise<void> {
  const response = await fetch(`${service.url}/v1/ingest`, {
    method: 'POST',
    headers: { 'X-Service-Key': key, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = await response.text();
  if (response.status !== 200) throw new Error(`a reading got a ${response.status}: ${answer}`);
}

function turn(sessionId: string, subjectId: string, secondsAgo = 0): object {
  const talk = { user_message: 'My exam is tomorrow', ai_response: 'How do you feel about it?' };
  return { ...reading(sessionId, secondsAgo), subject_id: subjectId, ...talk };
}

export function reading(sessionId: string, secondsAgo = 0): object {
  return { session_id: sessionId, timestamp: ago(secondsAgo), heart_rate: 96, tone: 'tense' };
}

export function ago(seconds: number): string {
  return new Date(Date.now() - seconds * 1000).toISOString();
}
