import { createSessionReader } from '../../../src/store/sessions.js';
import { openBrowser } from '../../../testkit/browser.js';
import { bluetoothArgs, emulateStrap } from '../../../testkit/heart-rate-strap.js';
import { expect, test } from '../../../testkit/test.js';

const connect = 'Connect a heart-rate strap';
const [detectsContact, hasContact, hasIntervals] = [4, 2, 16];

test('a Bluetooth heart-rate strap sends readings with its heart rate, beats and name', async ({ service }) => {
  const { page, complaints } = await openBrowser(service.url, { args: bluetoothArgs });
  const strap = await emulateStrap(page.context(), page, 'Strap 7');
  await page.goto(`${service.url}/dashboard/#key=${service.key}`);
  await page.getByRole('link', { name: 'Try it' }).click();
  await page.getByRole('button', { name: connect }).click();
  await page.getByText('Connected. Waiting for the first beat').waitFor();
  // 1,024 units are one second.
  await strap.measure(new Uint8Array([hasIntervals, 96, 0x80, 0x02]));
  await page.getByText('96 bpm', { exact: true }).waitFor();
  await expect.poll(() => page.locator('.score').innerText()).toMatch(/^\d+$/);
  const [{ session_id }] = (await service.request('/v1/sessions')).body.sessions;
  const { body } = await service.request(`/v1/history?session_id=${session_id}`);
  expect(body.datapoints).toMatchObject([{ heart_rate: 96, source_device: expect.any(String) }]);
  const stored = await createSessionReader(service.store.read(service.accountId)).find(session_id);
  expect(stored?.session).toMatchObject({ intervals: [{ intervals: [625] }] });

  await strap.measure(new Uint8Array([detectsContact, 0]));
  await page.getByText('No contact: check').waitFor();
  await strap.measure(new Uint8Array([detectsContact | hasContact, 97]));
  await page.getByText('97 bpm', { exact: true }).waitFor();
  await strap.leave();
  await page.getByText('Disconnected.').waitFor();
  await page.getByRole('button', { name: connect }).waitFor();
  expect(complaints).toEqual([]);
});
