import { expandEvents } from '../../src/webhooks/expand.js';
import { startTestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';
import { deliveriesOf, register } from '../../testkit/webhooks.js';

const url = 'http://127.0.0.1:9999/hooks';
const registration = { url, events: ['state_change'], session_id: 's1' };

test('registering the same url and session again returns the existing webhook without its secret', async () => {
  const service = await startTestService();
  const { secret: _, ...standing } = await register(service, url, { session_id: 's1' });
  service.clock.advance(10);
  const again = await service.post('/webhooks/register', registration);
  expect(again).toMatchObject({ status: 200, body: standing });
  expect(again.body).not.toHaveProperty('secret');
  expect((await service.request('/webhooks')).body.webhooks).toHaveLength(1);
});

test('registering the same url and person again returns the existing webhook without its secret', async () => {
  const service = await startTestService();
  const { secret: _, ...standing } = await register(service, url, { subject_id: 'anna' });
  service.clock.advance(10);
  const again = await service.post('/webhooks/register', { url, events: ['state_change'], subject_id: 'anna' });
  expect(again).toMatchObject({ status: 200, body: standing });
  expect(again.body).not.toHaveProperty('secret');
  expect((await service.request('/webhooks')).body.webhooks).toEqual([expect.objectContaining(standing)]);
});

test('a webhook of a session is not the webhook of the person of this session, nor that of the account', async () => {
  const service = await startTestService();
  await service.read({ session_id: 's1', subject_id: 'anna', heart_rate: 70 });
  const ofSession = await register(service, url, { session_id: 's1' });
  const [ofPerson, ofAccount] = [await register(service, url, { subject_id: 'anna' }), await register(service, url)];
  expect(new Set([ofSession.id, ofPerson.id, ofAccount.id]).size).toBe(3);
  expect(ofSession).not.toHaveProperty('subject_id');
  for (const [rest, { id }] of [
    [{ session_id: 's1' }, ofSession],
    [{ subject_id: 'anna' }, ofPerson],
    [{}, ofAccount],
  ] as const)
    expect((await service.post('/webhooks/register', { url, events: ['state_change'], ...rest })).body.id).toBe(id);
});

test('registering again replaces the events, which later events are selected by', async ({ ownService: service }) => {
  const { id } = await register(service, url);
  const events = ['alert', 'trigger_active'];
  const again = await service.post('/webhooks/register', { url, events });
  expect(again).toMatchObject({ status: 200, body: { id, events, status: 'active' } });
  for (const signals of [{ tone: 'calm' }, { tone: 'hostile', heart_rate: 150 }] as const) {
    await service.read({ session_id: 's1', ...signals });
    service.clock.advance(1);
  }
  await expandEvents(service.store, service.clock.now);
  expect(await deliveriesOf(service, id)()).toEqual([]);
});

/** Texts of one URL: the requests to all of them are the same. */
const written = [
  'https://bücher.unknown.example/a/b?c=%20d',
  'HTTPS://BÜCHER.Unknown.Example/a/b?c=%20d',
  'https://xn--bcher-kva.unknown.example/a/b?c=%20d',
  'https://bücher.unknown.example:443/a/b?c=%20d',
  'https://bücher.unknown.example:0443/a/b?c=%20d',
  'https://bücher.unknown.example/x/../a/./b?c=%20d',
] as const;

test.each([
  ['host names in other cases', written],
  ['the port of http', ['http://8.8.8.8:80', 'http://8.8.8.8', 'http://8.8.8.8/', 'HTTP://8.8.8.8/?']],
  [
    'notations of an address',
    ['https://8.8.8.8/', 'https://0x08080808', 'https://010.8.8.8', 'https://134744072:443/'],
  ],
  ['notations of an IPv6 address', ['https://[2606:4700:4700::1111]/', 'https://[2606:4700:4700:0:0:0:0:1111]']],
])('%s are one target, whose webhook keeps the URL as first written', async (_name, [first = '', ...others]) => {
  const service = await startTestService({ env: { WEBHOOK_ALLOW_HTTP: '1' } });
  const { secret: _, ...standing } = await register(service, first);
  expect(standing.url).toBe(first);
  for (const url of others) {
    const again = await service.post('/webhooks/register', { url, events: ['state_change'] });
    expect(again, url).toMatchObject({ status: 200, body: standing });
  }
  expect((await service.request('/webhooks')).body.webhooks).toHaveLength(1);
});

test('concurrent registrations of one target in several notations create one webhook', async ({ service }) => {
  const registrations = Array.from({ length: 12 }, (_, index) => ({
    url: written[index % written.length],
    events: ['state_change'],
  }));
  const answers = await Promise.all(registrations.map((it) => service.post('/webhooks/register', it)));
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(11).fill(200), 201]);
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  expect((await service.request('/webhooks')).body.webhooks).toHaveLength(1);
});

test('registering the same target in another account creates another webhook', async () => {
  const [mine, theirs] = [await startTestService(), await startTestService()];
  const one = await register(mine, url, { session_id: 's1' });
  const other = await register(theirs, url, { session_id: 's1' });
  expect(other.id).not.toBe(one.id);
});

test('registering a removed webhook again creates a new id and secret', async ({ service }) => {
  const first = await register(service, url);
  await service.request(`/webhooks/${first.id}`, { method: 'DELETE' });
  const second = await register(service, url);
  expect(second.id).not.toBe(first.id);
  expect(second.secret).not.toBe(first.secret);
});
