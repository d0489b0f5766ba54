import { startTestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';
import { register } from '../../testkit/webhooks.js';

const good = { url: 'https://8.8.8.8/hooks', events: ['state_change'] };

test.each([
  ['an unknown event type next to a known one', { events: ['state_change', 'STATE_CHANGE'] }, '/events/1', 'enum'],
  ['alerts of a session', { events: ['state_change', 'alert'], session_id: 's1' }, '/events/1', 'event_of_person'],
  ['topics of a session', { events: ['trigger_active'], session_id: 's1' }, '/events/0', 'event_of_person'],
  ['a session and a person', { session_id: 's1', subject_id: 'p1' }, '/subject_id', 'exclusive'],
])('a registration with %s is rejected', async (_name, change, pointer, code) => {
  const service = await startTestService();
  const { body } = await service.post('/webhooks/register', { ...good, ...change });
  expect(body).toMatchObject({ status: 422, code: 'validation_failed' });
  expect(body.errors).toContainEqual(expect.objectContaining({ pointer, code }));
  expect((await service.request('/webhooks')).body.webhooks).toEqual([]);
});

test('the error for an unknown event type lists the allowed ones', async ({ service }) => {
  const { body } = await service.post('/webhooks/register', { ...good, events: ['x'] });
  expect(body).toMatchObject({ detail: 'Input should be one of the allowed values' });
  expect(body.errors[0].allowed).toEqual(['state_change', 'alert', 'trigger_active']);
});

test('the error for a session and a person names both fields', async ({ service }) => {
  const { body } = await service.post('/webhooks/register', { ...good, session_id: 's1', subject_id: 'p1' });
  expect(body).toMatchObject({ detail: 'Input should contain at most one of session_id and subject_id' });
});

test('a wrong URL and a session with a person are listed in one response', async ({ service }) => {
  const both = { ...good, url: 'ftp://example.com', session_id: 's1', subject_id: 'p1' };
  const { body } = await service.post('/webhooks/register', both);
  const faults = body.errors.map(({ pointer, code }: { pointer: string; code: string }) => [pointer, code]);
  expect(faults).toEqual([
    ['/url', 'url_scheme'],
    ['/subject_id', 'exclusive'],
  ]);
});

test.each([
  ['hooks', 'url_invalid'],
  ['/hooks', 'url_invalid'],
  ['//8.8.8.8/hooks', 'url_invalid'],
  ['8.8.8.8/hooks', 'url_invalid'],
  ['https://', 'url_invalid'],
  ['https://8.8.8.8:99999/', 'url_invalid'],
  ['https://8.8.8.256/', 'url_invalid'],
  ['https://[::1/', 'url_invalid'],
  ['https://8.8.8.8/a b', 'url_invalid'],
  [' https://8.8.8.8/', 'url_invalid'],
  ['https://8.8.8.8/\n', 'url_invalid'],
  ['https://8.8.8.8/\u0000', 'url_invalid'],
  ['https://8.8.8.8/?a=\u001f', 'url_invalid'],
  ['https://8.8.8.8/\u007f', 'url_invalid'],
  ['https://8.8.8.8/\u0085', 'url_invalid'],
  ['https:\\\\8.8.8.8\\hooks', 'url_invalid'],
  ['ftp://8.8.8.8/hooks', 'url_scheme'],
  ['javascript:alert(1)', 'url_scheme'],
  ['file:///etc/passwd', 'url_scheme'],
  ['data:text/plain,hello', 'url_scheme'],
  ['ws://8.8.8.8/', 'url_scheme'],
  ['hooks.example.com:443', 'url_scheme'],
  ['http://8.8.8.8/hooks', 'url_scheme'],
  ['http://hooks.unknown.example/', 'url_scheme'],
  ['https://me@8.8.8.8/', 'url_credentials'],
  ['https://me:secret@8.8.8.8/', 'url_credentials'],
  ['https://:secret@8.8.8.8/', 'url_credentials'],
  ['https://8.8.8.8/hooks#part', 'url_fragment'],
  ['https://8.8.8.8/hooks#', 'url_fragment'],
  ['https://10.0.0.1/hooks', 'address_refused'],
  ['https://169.254.169.254/latest/meta-data/', 'address_refused'],
  ['http://10.0.0.1/hooks', 'address_refused'],
  ['https://[fd00::1]/', 'address_refused'],
  [`https://8.8.8.8/${'x'.repeat(1025 - 'https://8.8.8.8/'.length)}`, 'string_too_long'],
])('the url %s is rejected with %s', async (url, code) => {
  const service = await startTestService();
  const { body } = await service.post('/webhooks/register', { ...good, url });
  expect(body).toMatchObject({ status: 422, errors: [{ pointer: '/url', code }] });
  expect((await service.request('/webhooks')).body.webhooks).toEqual([]);
});

test('the error for an invalid url does not repeat the url', async ({ service }) => {
  const answer = await service.post('/webhooks/register', { ...good, url: 'https://me:hunter2@8.8.8.8/' });
  expect(JSON.stringify(answer.body)).not.toContain('hunter2');
  expect(service.logs.join('')).not.toContain('hunter2');
});

test.each(['http://127.0.0.1:8080/hooks', 'https://[::1]/', 'https://localhost/hooks'])(
  '%s is rejected unless loopback is allowed',
  async (url) => {
    const service = await startTestService({ env: { WEBHOOK_ALLOW_LOOPBACK: '0' } });
    const { body } = await service.post('/webhooks/register', { ...good, url });
    expect(body).toMatchObject({ status: 422, errors: [{ pointer: '/url', code: 'address_refused' }] });
  },
);

test('an account has at most a hundred webhooks, also under concurrent registrations', async ({ service }) => {
  const registration = (index: number) => ({ ...good, url: `https://8.8.8.8/${index}` });
  const registerAll = (from: number, to: number) =>
    Promise.all(
      Array.from({ length: to - from }, (_, index) => service.post('/webhooks/register', registration(from + index))),
    );
  // A request waits up to 5 s for the lock of its account, which is too short for 97 commits on a busy machine.
  for (let from = 0; from < 97; from += 20)
    for (const { status } of await registerAll(from, Math.min(from + 20, 97))) expect(status).toBe(201);
  const last = await registerAll(97, 105);
  expect(last.map(({ status }) => status).sort()).toEqual([201, 201, 201, 422, 422, 422, 422, 422]);
  expect((await service.request('/webhooks')).body.webhooks).toHaveLength(100);

  const refused = await service.post('/webhooks/register', registration(200));
  expect(refused.body).toMatchObject({ status: 422, errors: [{ pointer: '', code: 'too_many_webhooks' }] });
  expect(refused.body.detail).toBe('An account may have at most 100 webhooks: remove one first');
  const standing = await service.post('/webhooks/register', registration(0));
  expect(standing.status).toBe(200);
  await service.request(`/webhooks/${standing.body.id}`, { method: 'DELETE' });
  expect((await service.post('/webhooks/register', registration(200))).status).toBe(201);
  await register(await startTestService(), 'https://8.8.8.8/of-another-account');
});
