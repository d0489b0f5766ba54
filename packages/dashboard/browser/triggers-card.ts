import { ProblemError, type TriggerProfile } from '../../client/src/index.js';
import { h, setText } from './dom.js';
import { age, count, words } from './format.js';
import { reasonOf, type Service } from './service.js';

type Entry = TriggerProfile['triggers'][string];

/** Returns the topics that the service remembers about the person. */
export function createTriggersCard(service: Service) {
  const list = h('ul', { class: 'triggers' });
  const note = h('p', { class: 'hint' });
  const element = h(
    'section',
    { class: 'card', 'aria-labelledby': 'triggers-title' },
    h('h2', { id: 'triggers-title' }, 'Triggers of the subject'),
    list,
    note,
  );
  return {
    element,
    async load(subjectId: string | undefined, nowMs: number) {
      const profile = await profileOf(service, subjectId).catch((error: unknown) => setText(note, reasonOf(error)));
      const topics = Object.entries(profile?.triggers ?? {}).sort(([, a], [, b]) =>
        b.last_seen.localeCompare(a.last_seen),
      );
      list.replaceChildren(...topics.map(([name, entry]) => topicRow(name, entry, nowMs)));
      if (profile !== undefined && topics.length === 0)
        setText(note, 'No topics yet. Send conversation turns with a subject_id to detect them.');
      if (subjectId === undefined) setText(note, 'This session names no subject, so no topics are remembered.');
      note.hidden = topics.length > 0;
    },
  };
}

async function profileOf(service: Service, subjectId: string | undefined): Promise<TriggerProfile | undefined> {
  if (subjectId === undefined) return undefined;
  try {
    return await service.triggers(subjectId, { signal: service.signal });
  } catch (error) {
    if (!(error instanceof ProblemError && error.code === 'subject_not_found')) throw error;
    return { subject_id: subjectId, triggers: {}, active: [], resolved: [] };
  }
}

/** Returns the figures of a topic: the stress of its turns, and how much it raises the stress of this person. */
export function describeTrigger({ avg_stress, peak_stress, sessions, effect, evidence }: Entry): string {
  const sign = effect !== undefined && effect > 0 ? '+' : '';
  return [
    `mean ${Math.round(avg_stress)}, peak ${peak_stress}, ${count(sessions, 'session')}`,
    ...(effect === undefined ? [] : [`effect ${sign}${effect} points, ${evidence ?? 'weak'} evidence`]),
  ].join(' · ');
}

function topicRow(name: string, entry: Entry, nowMs: number): HTMLElement {
  const figures = `${describeTrigger(entry)} · ${age(Date.parse(entry.last_seen), nowMs)}`;
  const badge = h('span', { class: `badge ${entry.status}` }, entry.status);
  return h('li', {}, h('strong', {}, words(name)), badge, h('span', { class: 'hint' }, figures));
}
