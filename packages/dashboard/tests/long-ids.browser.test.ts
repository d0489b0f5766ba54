import { expect, test } from 'vitest';
import { narrow, phone } from '../../../testkit/browser.js';
import { startReceiver } from '../../../testkit/receiver.js';
import { startTestService } from '../../../testkit/service.js';
import { storyEnv } from '../../../testkit/story.js';
import { register, startStory, storeFailed } from '../../../testkit/webhooks.js';
import { openDashboard } from '../../../testkit/dashboard.js';

/** Returns the pixels by which the page is wider than the window, and the innermost elements that are too wide. */
const overflow = `(() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  const wide = [...document.querySelectorAll('main *')].filter((it) => it.scrollWidth > it.clientWidth + 1);
  const names = wide.map((it) => it.tagName + ' ' + (it.getAttribute('class') ?? ''));
  return scrollWidth > clientWidth ? [scrollWidth - clientWidth, ...names.slice(-5)] : [0];
})()`;
const idOf = (letter: string) => letter.repeat(256);
const [session_id, subject_id] = [idOf('s'), idOf('p')];

/** Starts a service whose sessions, people, webhooks, rules and deliveries have the longest ids. */
async function fill() {
  const env = { ...storyEnv, WORKER: '1', WEBHOOK_KEEP_ANSWERS: '1', PUBLIC_URL: 'https://state.example.com' };
  const service = await startTestService({ env });
  service.clock.nowMs = Date.now();
  const texts = { user_message: 'My exam is tomorrow and I panic.', ai_response: 'Which part worries you?' };
  await service.read({ session_id: idOf('b'), subject_id, heart_rate: 120, source_device: 'd'.repeat(64) });
  await service.read({ session_id, subject_id, tone: 'tense', sentiment: -0.9, ...texts });
  await service.post('/v1/feedback', { subject_id, stress: 8, timestamp: service.clock.at() });
  await service.post('/v1/alerts', { condition: 'no_data', subject_ids: [subject_id, idOf('q')] });
  await service.post(`/v1/subjects/${subject_id}/links`, {});
  const receiver = await startReceiver();
  const { id: webhookId } = await register(service, `${receiver.url}/${idOf('u')}`, { session_id });
  const alert = { event: 'alert', alert_id: 'alr_1', subject_id, condition: 'no_data', timestamp: service.clock.at() };
  await storeFailed(service, [
    { webhookId, sessionId: session_id },
    { webhookId, sessionId: 'alert 1', payload: JSON.stringify(alert) },
  ]);
  await (await startStory(service, idOf('t'))).change();
  return service;
}

test('every page and dialog with ids of 256 characters fits a phone', async () => {
  const service = await fill();
  const { page, settled } = await openDashboard(service, '', { viewport: phone });
  for (const [name, ready, dialog] of [
    ['', '.rows strong'],
    [`sessions/${session_id}`, '.signals li'],
    [`sessions/${session_id}-absent`, 'main h1'],
    [`subjects/${subject_id}`, '.person-sessions a', 'Alert …'],
    [`subjects/${subject_id}/day`, '.person-sessions a', 'Link for this person …'],
    [`subjects/${subject_id}/month`, '.person-sessions a'],
    [`subjects/${subject_id}-absent`, 'main h1'],
    ['people', '.rows .week'],
    ['webhooks', 'tbody button', /^Remove: /],
    ['try', 'main h1'],
    [idOf('n'), 'main h1'],
  ] as const) {
    await page.goto(`${service.url}/dashboard/#/${name}`);
    await page.locator(ready).first().waitFor();
    for (const closed of await page.locator('main summary').filter({ visible: true }).all()) await closed.click();
    if (name === 'webhooks') await page.locator('tbody button').first().click();
    await settled();
    const measure = async (part: string) => {
      for (const viewport of [phone, narrow]) {
        await page.setViewportSize(viewport);
        const seen = [name.slice(0, 20), part, viewport.width];
        expect([...seen, await page.evaluate(overflow)]).toEqual([...seen, [0]]);
      }
    };
    await measure('page');
    if (!dialog) continue;
    await page.getByRole('button', { name: dialog }).click();
    await page.getByRole('dialog').waitFor();
    await measure('dialog');
    await page.getByRole('button', { name: 'Cancel' }).click();
  }
});
