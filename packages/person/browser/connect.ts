import { readFiles } from '../../ui/import/read-files.js';
import { createDeepLink, nameApp } from '../../dashboard/browser/person/phone-apps.js';
import { h } from '../../ui/dom.js';
import { createField, createSelect, createStatus } from '../../ui/parts.js';
import { planImport, sendHistory } from '../../tools/import-history.js';
import { createBatchSender } from '../../tools/send-batch.js';
import type { Page } from './link.js';
import { card, createAction } from './parts.js';
import { number, t } from './texts.js';

const apps = ['health_auto_export', 'health_connect'] as const;
const hours = 720;

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
    setup.replaceChildren(
      h('div', h('p', t(source)), opens, createCopyable(t('address'), url), createCopyable(t('header'), key)),
    );
    return t('shown_once');
  });
  return card('phone', createField(t('app'), select, false, 'app').element, connect.button, connect.outcome, setup);
}

function createCopyable(name: string, text: string) {
  const shown = h('code.secret', { tabindex: 0 }, text);
  const copy = createAction(t('copy'), 'secondary', async () => {
    await navigator.clipboard.writeText(text);
    return t('copied');
  });
  copy.button.ariaLabel = `${t('copy')}: ${name}`;
  return h('div.field', h('strong', name), shown, copy.button, copy.outcome);
}

/** Returns the card that uploads recordings of the person. They are read in the browser. */
export function createUploadCard(page: Page, onStored: () => void) {
  const input = h('input', { type: 'file', multiple: true, onchange: () => run([...(input.files ?? [])]) });
  const bar = h('progress', { max: 1, value: 0, hidden: true, 'aria-label': t('progress') });
  const outcome = createStatus();
  let isRunning = false;

  async function upload(files: readonly File[]): Promise<void> {
    const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
    outcome.say(t('reading_file'));
    const request = { files, options: { zone }, hours, nowMs: Date.now() };
    const { readings } = await readFiles(request, (share) => (bar.value = share), page.signal);
    const plan = await planImport(readings, page.me, page.may('read') ? page : undefined);
    outcome.say(t('sending', { count: number(plan.lines.length) }));
    const sent = { stored: 0, unchanged: plan.unchanged, refused: 0 };
    const explain = (error: unknown) => (error instanceof Error ? error : new Error(String(error)));
    const send = createBatchSender({ client: page, explain, signal: page.signal, onWait: () => undefined });
    let answered = 0;
    await sendHistory(plan, send, (_, answer) => {
      bar.value = (answered += 1) / plan.lines.length;
      if ('refusal' in answer) sent.refused += 1;
      else sent[answer.sample === 'unchanged' ? 'unchanged' : 'stored'] += 1;
    });
    const counts = Object.entries(sent).map(([name, count]) => [name, number(count)]);
    outcome.say(t('uploaded', Object.fromEntries(counts) as Record<string, string>));
    if (sent.stored > 0) onStored();
  }

  function run(files: readonly File[]): void {
    if (files.length === 0 || isRunning) return;
    isRunning = true;
    bar.value = 0;
    bar.hidden = false;
    upload(files)
      .catch(() => page.signal.aborted || outcome.say(t('not_read'), true))
      .finally(() => {
        isRunning = false;
        bar.hidden = true;
        // The same file can be chosen again.
        input.value = '';
      });
  }
  return card('upload', createField(t('files'), input, t('upload_text'), 'files').element, bar, outcome.element);
}
