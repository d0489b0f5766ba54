import { readFiles } from '../../ui/import/read-files.js';
import { createDeepLink, nameApp } from '../../dashboard/browser/person/phone-apps.js';
import { nowMs } from '../../ui/clock.js';
import { h } from '../../ui/dom.js';
import { createFileInput } from '../../ui/import/file-input.js';
import { createSent, sendPlan } from '../../tools/send-plan.js';
import { createCopyable, createField, createSelect, createStatus } from '../../ui/parts.js';
import { planImport } from '../../tools/import-history.js';
import type { Page } from './link.js';
import { card, createAction } from './parts.js';
import { t } from './texts.js';

const apps = ['health_auto_export', 'health_connect'] as const;
const copyTexts = { copy: t('copy'), copied: t('copied'), byHand: t('copy_by_hand') };
const copyable = (name: 'address' | 'header', text: string) => createCopyable(t(name), text, copyTexts);
/** The newest hours of a file are sent. */
const hoursMax = 720;
/** Readings of almost the age at which the service deletes them are not sent, because the import takes some time. */
const marginMs = 600_000;

/** Returns the card that connects an app on a phone. The key is shown once. */
export function createPhoneCard({ client, me }: Page) {
  const select = createSelect(apps.map((it) => [it, nameApp(it)] as const));
  const setup = h('div');
  const connect = createAction(t('connect'), 'primary', async () => {
    const source = apps.find((it) => it === select.value) ?? 'health_connect';
    const { key = '' } = await client.createSourceKey({ subject_id: me, source });
    const url = `${new URL('..', location.href).href}v1/sources/${source}`;
    const opens =
      source === 'health_auto_export' && h('p', h('a.secondary', { href: createDeepLink(url, key) }, t('open_app')));
    setup.replaceChildren(h('div', h('p', t(source)), opens, copyable('address', url), copyable('header', key)));
    return t('shown_once');
  });
  return card('phone', createField(t('app'), select, false, 'app').element, connect.button, connect.outcome, setup);
}

/** Returns the card that uploads recordings of the person. They are read in the browser. */
export function createUploadCard({ client, link, me, may, signal }: Page, onStored: () => void) {
  const outcome = createStatus();
  const { input, bar } = createFileInput(t('progress'), async (files, onProgress) => {
    const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
    outcome.say(t('reading_file'));
    // A link may state no facts, so the readings state what they say.
    const request = { files, options: { zone }, hours: hoursMax, nowMs: nowMs(), marksFacts: true };
    const read = await readFiles(request, onProgress, signal).catch(() => undefined);
    if (!read) return outcome.say(t('not_read'), true);
    const oldestMs = nowMs() - link.kept_hours * 3_600_000 + marginMs;
    const readings = read.readings.filter(({ atMs }) => atMs > oldestMs);
    const sent = createSent();
    const send = async () => {
      const plan = await planImport(readings, [], me, may('read') ? client : undefined);
      outcome.say(t('sending', { count: plan.lines.length }));
      await sendPlan(plan, sent, onProgress, { client, signal, explain: (it) => it as Error, onWait: () => undefined });
      return true;
    };
    const isSent = await send().catch(() => false);
    const { stored, replaced, unchanged } = sent.samples;
    const refused = [...sent.rejected.values()].reduce((sum, it) => sum + it, 0);
    const all = { stored: stored + replaced, unchanged, refused, old: read.readings.length - readings.length };
    outcome.say(t(isSent ? 'uploaded' : 'sent_in_part', all), !isSent);
    if (all.stored > 0) onStored();
  });
  return card('upload', createField(t('files'), input, t('upload_text'), 'files').element, bar, outcome.element);
}
