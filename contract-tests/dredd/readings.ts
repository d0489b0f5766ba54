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
