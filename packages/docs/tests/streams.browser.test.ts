import { expect, test } from 'vitest';
import { openBrowser } from '../../../testkit/browser.js';
import { type Fault, injectFaults, startFaultyProxy } from '../../../testkit/faulty-proxy.js';
import { guideCode } from '../../../testkit/guide-code.js';
import { startTestService } from '../../../testkit/service.js';

/** `gone` means that the backend of the page does not return a token. */
const cases: ReadonlyArray<[name: string, faults: Fault[], tokens: Array<'valid' | 'expired' | 'gone'>]> = [
  ['a lost connection', ['cut after a reading'], []],
  ['error responses of a proxy', ['cut after a reading', 'bad gateway', 'bad gateway', 'rate limited'], []],
  ['an expired token and an unreachable backend', ['cut after a reading', 'bad gateway'], ['valid', 'expired', 'gone']],
];

test.each(cases)(
  'the EventSource of docs/streams.md misses and repeats no event after %s',
  async (_, faults, tokens) => {
    const service = await startTestService();
    const session_id = 'demo-session';
    const proxy = await startFaultyProxy(service.url);
    const { page } = await openBrowser(proxy);
    await page.goto(`${proxy}/docs`, { waitUntil: 'networkidle' });
    const ids: string[] = [];
    let opened = 0;
    page.on('request', (request) => (opened += request.url().includes('/v1/stream') ? 1 : 0));
    await page.exposeFunction('show', (it: { timestamp?: string; event?: string }) => {
      if (it.timestamp !== undefined && it.event === undefined) ids.push(it.timestamp);
    });
    await page.exposeFunction('requestToken', async () => {
      const state = tokens.shift() ?? 'valid';
      if (state === 'gone') throw new Error('the backend does not respond');
      const { body } = await service.post('/v1/tokens', { session_id, scopes: ['read'] });
      return state === 'expired' ? `${body.token}x` : body.token;
    });
    await injectFaults(proxy, faults);
    const code = await guideCode('docs/streams.md', 'new EventSource');
    await page.evaluate(code.replace('https://state.example.com', proxy));
    await expect.poll(() => opened).toBe(1);
    const sent: string[] = [];
    const due = () => sent.slice(sent.indexOf(ids[0] ?? ''));
    // Sends one reading per check, so that some are stored while the page is not connected.
    const isDone = async () => {
      if (ids.length > 0 && due().length >= 5) return ids.at(-1) === sent.at(-1) && opened > faults.length;
      const timestamp = service.clock.at(sent.length);
      expect((await service.ingest({ session_id, timestamp, heart_rate: 80 })).status).toBe(200);
      sent.push(timestamp);
      return false;
    };
    await expect.poll(isDone, { interval: 700 }).toBe(true);
    expect(ids).toEqual(due());
  },
);
