import type { Access } from '../../client/src/index.js';
import { h } from '../../ui/dom.js';
import { isUnknown, type Page } from './link.js';
import { card, load } from './parts.js';
import { day, list, minutes, moment, number, t, type Text } from './texts.js';

/** Returns the card with what is stored about the person, in plain words. */
export function createCollectedCard(page: Page) {
  const place = h('div');
  load(page, place, async () => [h('ul.list', ...(await describe(page)).map((it) => h('li', it)))], 'nothing_yet');
  return card('collected', place);
}

async function describe({ client, me, signal }: Page): Promise<string[]> {
  const profile = await client.subject(me, { signal });
  const orNone = (error: unknown) => (isUnknown(error) ? undefined : Promise.reject(error as Error));
  const state = await client.state({ subject_id: me }, { signal }).catch(orNone);
  const consent = await client.consent(me, { signal }).catch(orNone);
  const { sessions, first_session_started_at: first } = profile;
  const isRecent = state && Date.now() - Date.parse(state.timestamp) < 3_600_000;
  const names = (categories: readonly string[]) => list(categories.map((it) => t(it as Text)));
  return [
    t('sessions', { count: number(sessions) }),
    ...(first ? [t('since', { date: day(Date.parse(first)) })] : []),
    ...(isRecent && state.signals_received.length > 0 ? [t('signals', { what: names(state.signals_received) })] : []),
    t('no_text'),
    ...(consent
      ? [consent.categories.length > 0 ? t('consent', { what: names(consent.categories) }) : t('consent_none')]
      : []),
  ];
}

/** Accesses are read up to this number. */
const accessesMax = 500;

/** Returns the card with kinds of access and times. The service does not state who holds a key. */
export function createReadersCard(page: Page) {
  const place = h('div');
  const read = async () => {
    const rows = await readAccesses(page);
    return rows.length === 0 ? [h('p.hint', t('no_readers'))] : [h('ul.list', ...rows.map((it) => h('li', it)))];
  };
  load(page, place, read, 'no_readers');
  return card('readers', place);
}

async function readAccesses({ client, me, signal }: Page): Promise<string[]> {
  const found = new Map<string, Access[]>();
  let count = 0;
  for await (const access of client.accesses(me, { signal })) {
    const kind = `${t(access.credential)}: ${t(access.action)}`;
    found.set(kind, [...(found.get(kind) ?? []), access]);
    if ((count += 1) >= accessesMax) break;
  }
  // Newest first, as the service sends them.
  return [...found].map(([kind, all]) => {
    const count = new Set(all.map(({ minute }) => minute)).size;
    return `${kind} – ${t('times', { minutes: minutes(count), when: moment(Date.parse(all[0]?.minute ?? '')) })}`;
  });
}
