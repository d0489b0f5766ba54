import type { Access, Consent, Device, SubjectProfile, SummaryRow } from '../../client/src/index.js';
import { nowMs } from '../../ui/clock.js';
import { h } from '../../ui/dom.js';
import { nameApp } from '../../dashboard/browser/person/phone-apps.js';
import { ifUnknown, type Page } from './link.js';
import { card, load } from './parts.js';
import { day, hour, list, moment, t } from './texts.js';

type Category = Consent['categories'][number];

/** Returns the card with what is stored about the person, in plain words. */
export function createCollectedCard(page: Page) {
  const place = h('div');
  const read = async () => [h('ul.list', ...(await describe(page)).map((it) => h('li', it)))];
  const refresh = () => page.may('read') && load(page, place, read, 'nothing_yet');
  refresh();
  return { element: card('collected', place), refresh };
}

async function describe({ client, me, signal }: Page): Promise<string[]> {
  const profile = await client.subject(me, { signal });
  const state = await client.state({ subject_id: me }, { signal }).catch(ifUnknown);
  const consent = await client.consent(me, { signal }).catch(ifUnknown);
  const devices = await client.devices(me, { signal });
  const days = await readDays({ client, me, signal });
  const [readings, firstMs] = [days.reduce((sum, it) => sum + it.readings, 0), findFirstMs(profile, days)];
  const isRecent = state && nowMs() - Date.parse(state.timestamp) < 3_600_000;
  const names = (categories: readonly Category[]) => list(categories.map((it) => t(it)));
  return [
    t('readings', { count: readings }),
    t('sessions', { count: profile.sessions }),
    ...(firstMs < Infinity ? [t('since', { date: day(firstMs) })] : []),
    ...(isRecent && state.signals_received.length > 0 ? [t('signals', { what: names(state.signals_received) })] : []),
    ...devices.map(describeDevice),
    t('no_text'),
    ...(consent
      ? [consent.categories.length > 0 ? t('consent', { what: names(consent.categories) }) : t('consent_none')]
      : []),
  ];
}

function describeDevice({ name, source, last_reading_at: newest }: Device): string {
  const shown = source === undefined ? name : nameApp(source);
  if (newest === null) return t('device_unused', { name: shown });
  return t('device', { name: shown, when: (source === undefined ? moment : hour)(Date.parse(newest)) });
}

const dayMs = 86_400_000;
/** The service keeps the sums of a day for 90 days by default. */
const keptDays = 90;

/** Returns the days of UTC with measurements, oldest first. */
async function readDays({ client, me, signal }: Pick<Page, 'client' | 'me' | 'signal'>): Promise<SummaryRow[]> {
  const from = new Date(nowMs() - keptDays * dayMs).toISOString();
  const rows: SummaryRow[] = [];
  for await (const page of client.summary(me, { interval: 'day', from }, { signal }).pages()) rows.push(...page.rows);
  return rows;
}

/**
 * Returns the time of the first stored reading, epoch ms. Of a day before the first session, only the day is stored. Infinity
 * without a reading.
 */
function findFirstMs({ first_session_started_at: started }: SubjectProfile, [firstDay]: readonly SummaryRow[]): number {
  const sessionMs = started ? Date.parse(started) : Infinity;
  const firstDayMs = firstDay ? Date.parse(firstDay.start) : Infinity;
  return firstDayMs + dayMs <= sessionMs ? firstDayMs : sessionMs;
}

/** Accesses are read up to these numbers: those of others, and all with those of this page. */
const [othersMax, accessesMax] = [500, 2_000];

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

async function readAccesses(page: Page): Promise<string[]> {
  const { client, me, signal } = page;
  const firstMs = findFirstMs(await client.subject(me, { signal }), await readDays(page));
  const firstMinuteMs = Math.floor(firstMs / 60_000) * 60_000;
  const found = new Map<string, Access[]>();
  let [all, others] = [0, 0];
  const isCut = () => others >= othersMax || all >= accessesMax;
  for await (const access of client.accesses(me, { signal })) {
    const isOfAll = access.scope === 'account';
    // What read all people before there was anything about this person read nothing about this person.
    if (isOfAll && Date.parse(access.minute) < firstMinuteMs) continue;
    const kind = `${t(isOfAll ? 'account' : access.credential)}: ${t(access.action)}`;
    found.set(kind, [...(found.get(kind) ?? []), access]);
    all += 1;
    if (access.credential !== 'link') others += 1;
    if (isCut()) break;
  }
  // Newest first, as the service sends them.
  return [...found].map(([kind, accesses]) => {
    const count = new Set(accesses.map(({ minute }) => minute)).size;
    return `${kind} – ${t('times', { count, when: moment(Date.parse(accesses[0]?.minute ?? '')) })}`;
  });
}
