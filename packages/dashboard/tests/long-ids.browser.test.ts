import { expect, test } from 'vitest';
import { narrow, openBrowser, phone } from '../../../testkit/browser.js';
import { startReceiver } from '../../../testkit/receiver.js';
import { startTestService } from '../../../testkit/service.js';
import { storyEnv } from '../../../testkit/story.js';
import { register, startStory, storeFailed } from '../../../testkit/webhooks.js';

/** Returns the pixels by which the page is wider than the window, and the innermost elements that are too wide. */
const overflow = `(() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  const wide = [...document.querySelectorAll('main *')].filter((it) => it.scrollWidth > it.clientWidth + 1);
  const names = wide.map((it) => it.tagName + ' ' + (it.getAttribute('class') ?? ''));
  return scrollWidth > clientWidth ? [scrollWidth - clientWidth, ...names.slice(-5)] : [0];
})()`;

test.each([64, 256])('every page with ids of %i characters fits a phone', async (length) => {
  const service = await startTestService({ env: { ...storyEnv, WORKER: '1', WEBHOOK_KEEP_ANSWERS: '1' } });
  service.clock.nowMs = Date.now();
  const idOf = (letter: string) => letter.repeat(length);
  const [session_id, subject_id] = [idOf('s'), idOf('p')];
  const texts = { user_message: 'My exam is tomorrow and I panic.', ai_response: 'Which part worries you?' };
  await service.read({ session_id: idOf('b'), subject_id, heart_rate: 120, source_device: 'd'.repeat(64) });
  await service.read({ session_id, subject_id, tone: 'tense', sentiment: -0.9, ...texts });
  await service.post('/v1/feedback', { subject_id, stress: 8, timestamp: service.clock.at() });
  const receiver = await startReceiver();
  const webhook = await register(service, `${receiver.url}/${idOf('u')}`, { session_id });
  await storeFailed(service, [{ webhookId: webhook.id, sessionId: session_id }]);
  await (await startStory(service, idOf('t'))).change();
  for (const viewport of [phone, narrow]) {
    const { page } = await openBrowser(service.url, { viewport });
    await page.goto(`${service.url}/dashboard/#key=${service.key}`);
    await page.getByText('Live', { exact: true }).waitFor({ state: 'attached' });
    const measure = async (name: string, ready: string) => {
      const address = `#/${name.replace('SESSION', session_id).replace('PERSON', subject_id)}`;
      await page.goto(`${service.url}/dashboard/${address}`);
      await page.locator(ready).first().waitFor();
      for (const closed of await page.locator('main summary').filter({ visible: true }).all()) await closed.click();
      if (name === 'webhooks') await page.locator('tbody button').first().click();
      // The page has drawn the responses that arrive after the awaited one.
      await page.waitForTimeout(1_000);
      const seen = [length, viewport.width, name, await page.evaluate(overflow)];
      expect(seen).toEqual([length, viewport.width, name, [0]]);
    };
    await measure('', '.rows strong');
    await measure('sessions/SESSION', '.signals li');
    await measure('sessions/SESSION-absent', 'main h1');
    await measure('subjects/PERSON', '.person-sessions a');
    await measure('subjects/PERSON/day', '.person-sessions a');
    await measure('subjects/PERSON/month', '.person-sessions a');
    await measure('subjects/PERSON-absent', 'main h1');
    await measure('people', '.rows .week');
    await measure('webhooks', 'tbody button');
    await measure('try', 'main h1');
    await measure(`${idOf('n')}`, 'main h1');
  }
});
