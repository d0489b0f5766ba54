import { areaOfTopic, type TopicName } from '../../../packages/text/vocabulary.js';
import { seededRandom } from '../../../packages/tools/terminal/scenes.js';
import type { Subject } from '../../../packages/score/rows/person.js';
import { moveTopic, addSighting, unknownSubject } from '../../../packages/score/triggers.js';
import type { Trigger } from '../../../packages/score/rows/trigger.js';
import { createKeyTable } from '../../../src/store/keys.js';
import { chunksOf, runStatements } from '../../../src/store/rows.js';
import type { Store } from '../../../src/store/store.js';
import { createSubjectWriter } from '../../../src/store/subjects.js';
import { createTriggerWriter } from '../../../src/store/triggers.js';
import { subjectName } from './requests.js';

export const topicsPerSubject = 20;
const sightingsPerTopic = 4;
/**
 * Number of subjects per insert. With 20 topics per subject, an insert has 500 rows, as many as a large group of
 * readings writes.
 */
export const subjectsAtOnce = 25;
const seed = 5;
const hourMs = 60 * 60 * 1000;
const vocabulary = [...areaOfTopic.keys()];

/** Adds topics to subjects 0 to `count` - 1 of the only account. Uses the service's own store functions. */
export async function fillStore(store: Store, count: number, onBatch: () => void): Promise<void> {
  const [key] = await store.use(createKeyTable).list();
  if (!key) throw new Error('the database has no account');
  const random = seededRandom(seed);
  const names = Array.from({ length: count }, (_, index) => subjectName(index));
  for (const chunk of chunksOf(names, subjectsAtOnce)) {
    const people = chunk.map((name) => drawPerson(name, random));
    await store.transact(async (scopeOf) => {
      const scope = scopeOf(key.accountId);
      const subjects = new Map(people.map(({ name, subject }) => [name, subject]));
      await runStatements(scope, createSubjectWriter(scope).toSave(subjects));
      const triggers = new Map(people.map((it) => [it.name, it.triggers]));
      await runStatements(scope, createTriggerWriter(scope).toSave(triggers));
    });
    onBatch();
  }
}

interface Person {
  readonly name: string;
  readonly subject: Subject;
  readonly triggers: ReadonlyMap<string, Trigger>;
}

function drawPerson(name: string, random: () => number): Person {
  const first = Math.floor(random() * vocabulary.length);
  let subject = unknownSubject;
  const triggers = new Map<string, Trigger>();
  for (let index = 0; index < topicsPerSubject; index += 1) {
    const topic = vocabulary[(first + index) % vocabulary.length] as TopicName;
    const trigger = drawTrigger(random);
    subject = moveTopic(subject, topic, trigger, (other) => triggers.get(other));
    triggers.set(topic, trigger);
  }
  return { name, subject, triggers };
}

/** Returns a trigger of a topic that was sighted in several sessions, one hour apart. */
function drawTrigger(random: () => number): Trigger {
  const startMs = Date.now() - sightingsPerTopic * hourMs;
  let trigger: Trigger | undefined;
  for (let index = 0; index < sightingsPerTopic; index += 1)
    trigger = addSighting(trigger, {
      score: Math.round(100 * random()),
      atMs: startMs + index * hourMs,
      sessionId: `earlier-${index}`,
      isFirstInSession: true,
      isCertain: false,
    });
  return trigger as Trigger;
}
