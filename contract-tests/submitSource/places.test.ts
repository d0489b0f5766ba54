import { createAccount } from '../../packages/recordings/account.js';
import { randomUUID } from 'node:crypto';
import { readdirSync, readlinkSync } from 'node:fs';
import { sources as settings } from '../../generated/spec.js';
import { collect, createUnproven } from '../../src/http/unproven.js';
import type { ReadPostedBody } from '../../src/readings/posted-body.js';
import { openSocket } from '../../testkit/open-socket.js';
import { connectHub, connectPhone, heartRateEvent, type Phone } from '../../testkit/phone.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';
import { until } from '../../testkit/until.js';

const small = { heart_rate: 72 };
const large = JSON.stringify(small).padEnd(settings.large_bytes + 1);
const nothing = {
  facts: [],
  groups: [],
  reports: [],
  skipped: {},
  values: createAccount(),
  notes: [],
  device: undefined,
  neededHours: undefined,
};
const megabyte = 1_048_576;

/** Starts a service. The work on each large body ends when the test ends it. */
async function startHeld() {
  const works: { readonly signal: AbortSignal; readonly end: () => void }[] = [];
  const readLarge: ReadPostedBody = (_posted, signal) =>
    new Promise((resolve) => works.push({ signal, end: () => resolve(nothing) }));
  const service = await startTestService({ readLarge });
  const reach = (count: number) => until(`${count} large bodies`, () => works.length === count);
  return { service, works, reach };
}

/** Returns a function that posts for another person of the account of the phone. */
async function addPerson({ operator, post }: Phone): Promise<Phone['post']> {
  const { body } = await operator.post('/v1/source-keys', { subject_id: randomUUID(), source: 'generic' });
  return (sent, options) => post(sent, { ...options, credential: body.key });
}

test('an account never has the last of four places, and a body that is small after inflating needs none', async () => {
  const { service, works, reach } = await startHeld();
  const [own, other, third] = [
    await connectPhone(service, 'generic'),
    await connectPhone(service, 'generic'),
    await connectPhone(service, 'generic'),
  ];
  const posts = [own.post(large), (await addPerson(own))(large), (await addPerson(own))(large, { isZipped: true })];
  await reach(3);
  expect((await (await addPerson(own))(large)).status).toBe(503);
  posts.push(other.post(large));
  await reach(4);
  expect((await third.post(large)).status).toBe(503);
  for (const isZipped of [true, false]) expect((await third.post(small, { isZipped })).status).toBe(200);
  works[0]?.end();
  expect((await posts[0])?.status).toBe(200);
  expect((await (await addPerson(other))(large)).status).toBe(503);
  posts.push(third.post(large));
  await reach(5);
  for (const { end } of works) end();
  for (const { status } of await Promise.all(posts)) expect(status).toBe(200);
});

test('a client that leaves ends the work on its body, and the place is taken until the work has ended', async () => {
  const { service, works, reach } = await startHeld();
  const phone = await connectPhone(service, 'generic');
  const others = [await addPerson(phone), await addPerson(phone), await addPerson(phone)] as const;
  const client = new AbortController();
  const left = phone.post(large, { signal: client.signal }).catch((error: Error) => error.name);
  const posts = [others[0](large), others[1](large)];
  await reach(3);
  client.abort();
  expect(await left).toBe('AbortError');
  await until('the end of the work', () => works.some(({ signal }) => signal.aborted));
  expect(works.filter(({ signal }) => signal.aborted)).toHaveLength(1);
  expect((await others[2](large)).status).toBe(503);
  works.find(({ signal }) => signal.aborted)?.end();
  const isPlaced = () => {
    posts.push(others[2](large));
    return Promise.race([posts.at(-1)?.then(({ status }) => status === 200), reach(4).then(() => true)]);
  };
  await until('the place', async () => (await isPlaced()) === true);
  for (const { end } of works) end();
  await Promise.all(posts);
});

test('a service that closes ends the work on large bodies, whose clients get a 503', async () => {
  const { service, works, reach } = await startHeld();
  const posts = (await connectPhone(service, 'generic')).post(large);
  await reach(1);
  const closed = service.close();
  await until('the end of the work', () => works[0]?.signal.aborted === true);
  works[0]?.end();
  await Promise.all([posts, closed]);
});

test('one post of a person is processed at a time, eight wait, and a further one is a 429', async () => {
  const { service, works, reach } = await startHeld();
  const phone = await connectPhone(service, 'generic');
  const first = phone.post(large);
  await reach(1);
  const client = new AbortController();
  const left = phone.post(small, { signal: client.signal }).catch((error: Error) => error.name);
  const waiting = Array.from({ length: 8 }, () => phone.post(small));
  const { status, headers, body } = await Promise.race(waiting);
  expect({ status, retryAfter: headers.get('retry-after'), policies: body.violated_policies }).toEqual({
    ...{ status: 429, retryAfter: '1', policies: ['posts'] },
  });
  expect((await (await addPerson(phone))(small)).status).toBe(200);
  client.abort();
  expect(await left).toBe('AbortError');
  works[0]?.end();
  const statuses = (await Promise.all([first, ...waiting])).map((it) => it.status);
  expect(statuses.filter((it) => it !== 200)).toEqual([429]);
});

/** Counts the temporary files of this process, which have no name. */
const countFiles = () => readdirSync('/proc/self/fd').filter((fd) => isTemporary(`/proc/self/fd/${fd}`)).length;

function isTemporary(path: string): boolean {
  try {
    return /state-service-post-.* \(deleted\)$/.test(readlinkSync(path));
  } catch {
    return false;
  }
}

/** Sends the first bytes of a body to a connection, with a forged signature. */
function forge({ url, clock }: TestService, id: string) {
  const opened = openSocket(url);
  const signature = `Terra-Signature: t=${Math.floor(clock.nowMs / 1000)},v1=00`;
  const head = [`POST /v1/sources/terra/${id} HTTP/1.1`, 'Host: x', signature, 'Content-Type: application/json'];
  opened.socket.write([...head, `Content-Length: ${settings.max_bytes}`, '', ''].join('\r\n'));
  opened.socket.write(Buffer.alloc(5 * megabyte, ' '));
  return opened;
}

test('bodies of a connection without a proof have 4 MB and a file, and disturb no other connection and no phone', async ({
  ownService: service,
}) => {
  const [hub, other] = [await connectHub(service, 'terra'), await connectHub(service, 'terra')];
  const phone = await connectPhone(service, 'generic');
  const event = JSON.stringify(heartRateEvent('terra', phone.subjectId, [[service.clock.nowMs, 70]]));
  const long = event.padEnd(5 * megabyte);
  const filed = forge(service, hub.created.id);
  await until('the file', () => countFiles() === 1);
  const refused = forge(service, hub.created.id);
  await until('the response', () => refused.received().startsWith('HTTP/1.1 503'));
  expect((await hub.post(event)).status).toBe(200);
  expect((await hub.post(long)).status).toBe(503);
  expect((await other.post(long)).status).toBe(200);
  expect((await phone.post(large)).status).toBe(200);
  filed.socket.destroy();
  await until('no file', () => countFiles() === 0);
  expect((await hub.post(long)).status).toBe(200);
  expect((await hub.post(long, { signed: event })).status).toBe(401);
  await until('no file', () => countFiles() === 0);
});

test('many tiny parts of a body count with the memory that they take', async () => {
  async function* send() {
    for (let index = 0; index < 10_000; index += 1) yield Buffer.from(' ');
  }
  const { chunks, discard } = await createUnproven()(send(), 'hub', 'network');
  expect(countFiles()).toBe(1);
  expect(await collect(chunks())).toHaveLength(10_000);
  discard();
  await until('no file', () => countFiles() === 0);
});
