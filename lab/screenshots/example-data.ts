import { setTimeout as sleep } from 'node:timers/promises';
import type { StateClient } from '../../packages/client/src/index.js';
import { draw, type Scene, scenes, seededRandom } from '../../packages/tools/terminal/scenes.js';

export const shownSession = 'support-call-4812';
const subject_id = '5f2b51ca2b4d1a7e';
const spacingMs = 5_000;
/** The scenes of the session in the pictures, with their minutes. */
const course = [
  ['relaxed', 4],
  ['focused', 2.5],
  ['stressed', 3],
  ['acute_stress', 1.5],
  ['focused', 2],
  ['relaxed', 1.5],
] as const;
/** Turns of the conversation, by minute. */
const turns: Readonly<Record<number, string>> = {
  7: 'I am worried that I will lose my job.',
  9.5: 'I cannot sleep anymore, I lie awake every night.',
  13.5: 'I talked to my boss about my work, I feel much better now.',
};
const others = [
  ['kiosk-7', 'calm'],
  ['tutoring-ada', 'focused'],
  ['game-lobby-2', 'acute_stress'],
  ['support-call-4811', 'relaxed'],
] as const;
const reportedEvery = 40;
/** A delivery fails after its third retry, 21 s after its first attempt. */
const failureMs = 26_000;

/** Sends readings of several sessions up to now. The second of the two receivers fails. */
export async function sendExample(client: StateClient, [working = '', failing = '']: readonly string[]): Promise<void> {
  await client.webhooks.register({ url: working, events: ['state_change'] });
  await client.webhooks.register({ url: failing, events: ['state_change'], session_id: shownSession });
  const random = seededRandom(7);
  for (const [session_id, name] of others)
    for (let ageMs = 40_000; ageMs >= 0; ageMs -= spacingMs)
      await client.ingest({
        session_id,
        timestamp: ago(ageMs + 4_000 * session_id.length),
        ...draw(sceneOf(name), random),
      });
  await sendCourse(client, random);
  await sleep(failureMs);
  await client.ingest({
    session_id: shownSession,
    timestamp: ago(0),
    ...draw(sceneOf('relaxed'), random),
    expression: 'relaxed',
  });
}

/**
 * Sends a report about every 40th reading of a person. The reported stress follows the score, with errors. Of one person, one
 * report per minute counts: `passMinute` advances the clock of the service.
 */
export async function sendReports(client: StateClient, subjectId: string, passMinute: () => void): Promise<void> {
  const random = seededRandom(11);
  let index = 0;
  for await (const { reading, computed } of client.exportReadings({ subjectId })) {
    index += 1;
    if (index % reportedEvery !== 0) continue;
    const stress = Math.round(computed.stress_score / 10 + 4 * (random() - 0.5));
    const { timestamp } = reading;
    await client.submitFeedback({ subject_id: subjectId, timestamp, stress: Math.min(Math.max(stress, 0), 10) });
    passMinute();
  }
}

async function sendCourse(client: StateClient, random: () => number): Promise<void> {
  const minutes = course.reduce((sum, [, length]) => sum + length, 0);
  const startMs = Date.now() - minutes * 60_000;
  let endMinute = 0;
  let atMinute = 0;
  for (const [name, length] of course) {
    for (endMinute += length; atMinute < endMinute; atMinute += spacingMs / 60_000) {
      const turn = turns[Math.round(atMinute * 120) / 120];
      const texts = turn === undefined ? {} : { user_message: turn, ai_response: 'Tell me more about it.' };
      const timestamp = new Date(startMs + atMinute * 60_000).toISOString();
      await client.ingest({
        session_id: shownSession,
        subject_id,
        timestamp,
        ...draw(sceneOf(name), random),
        ...texts,
      });
    }
  }
}

function sceneOf(name: Scene['name']): Scene {
  const found = scenes.find((it) => it.name === name);
  if (!found) throw new Error(`no scene ${name}`);
  return found;
}

function ago(ms: number): string {
  return new Date(Date.now() - ms).toISOString();
}
