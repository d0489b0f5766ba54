import { execFile } from 'node:child_process';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';
import { resealReceiptKeys, rotateReceiptKey } from '../../src/keys/receipts.js';
import { createKeyTable } from '../../src/store/keys.js';
import { createReceiptKeyTable } from '../../src/store/receipt-keys.js';
import { createSecretBox } from '../../src/webhooks/secrets.js';
import { root, startTestService, type TestService } from '../../testkit/service.js';
import { temporaryFolder } from '../../testkit/temporary-folder.js';
import { expect, test } from '../../testkit/test.js';

async function erase(service: TestService, subject_id = 'anna') {
  await service.read({ session_id: `talk-${subject_id}`, subject_id, heart_rate: 80 });
  const { status, body } = await service.request(`/v1/subjects/${subject_id}`, { method: 'DELETE' });
  expect(status).toBe(200);
  return body;
}

/** Returns the published keys. Requires no key of the API. */
async function publishedKeys({ url }: TestService): Promise<JSONWebKeySet> {
  return (await (await fetch(`${url}/v1/receipt-keys`)).json()) as JSONWebKeySet;
}

const typ = 'erasure-receipt+jwt';

test('a receipt states what was removed, when and by which key, and the published key verifies it', async () => {
  const service = await startTestService();
  const { receipt, ...counts } = await erase(service);
  const currentDate = new Date(service.clock.nowMs);
  const { payload } = await jwtVerify(receipt, createLocalJWKSet(await publishedKeys(service)), { typ, currentDate });
  const key = (await service.store.use(createKeyTable).list()).find(({ accountId }) => accountId === service.accountId);
  expect(payload).toMatchObject({ ...counts, key_id: key?.keyId, erased_at: service.clock.at() });
});

test('a changed receipt is not valid', async ({ service }) => {
  const [header = '', payload = '', signature = ''] = (await erase(service)).receipt.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const changed = Buffer.from(JSON.stringify({ ...claims, sessions_removed: 7 })).toString('base64url');
  const keys = createLocalJWKSet(await publishedKeys(service));
  await expect(jwtVerify([header, changed, signature].join('.'), keys)).rejects.toThrow(
    'signature verification failed',
  );
});

test('after a rotation, a new key signs, earlier receipts stay verifiable, and the old private key is deleted', async () => {
  const service = await startTestService({});
  const receiptKeys = service.store.use(createReceiptKeyTable);
  const before = (await erase(service)).receipt;
  const keyId = await rotateReceiptKey({ receiptKeys, secretBox: await boxOf(service), now: service.clock.now });
  const after = (await erase(service)).receipt;
  expect(decodeProtectedHeader(after).kid).toBe(keyId);
  expect(decodeProtectedHeader(before).kid).not.toBe(keyId);
  const keys = createLocalJWKSet(await publishedKeys(service));
  for (const receipt of [before, after]) await jwtVerify(receipt, keys, { typ });
  expect((await receiptKeys.list(9)).filter(({ privateKey }) => privateKey !== null).map((it) => it.keyId)).toEqual([
    keyId,
  ]);
});

/** Returns the box of the service, whose key is in the file next to the database or in the settings of tests. */
async function boxOf({ database }: TestService, ...newer: string[]) {
  const file = `${database.url.replace('sqlite:', '')}.key`;
  const key = database.url.startsWith('mysql:') ? 'test-test-test-test-test-test-test' : await readFile(file, 'utf8');
  const [newest = key.trim(), ...others] = [...newer, key.trim()];
  return createSecretBox([newest, ...others]);
}

test('the private key is sealed with SECRETS_KEY, survives its replacement, and is given up with a lost key', async () => {
  const service = await startTestService({});
  const receiptKeys = service.store.use(createReceiptKeyTable);
  const { receipt } = await erase(service);
  const kid = String(decodeProtectedHeader(receipt).kid);
  const readKey = async () => (await receiptKeys.list(9)).find(({ keyId }) => keyId === kid)?.privateKey ?? '';
  const first = await readKey();
  const place = `receipt key ${kid}`;
  expect(JSON.parse((await boxOf(service)).open(first, place))).toMatchObject({ crv: 'Ed25519' });
  const [second, third] = ['s'.repeat(32), 't'.repeat(32)];
  await resealReceiptKeys(receiptKeys, await boxOf(service, second));
  expect(JSON.parse(createSecretBox([second]).open(await readKey(), place))).toMatchObject({ crv: 'Ed25519' });
  await resealReceiptKeys(receiptKeys, createSecretBox([third]));
  expect(await readKey()).toBe('');
  expect(decodeProtectedHeader((await erase(service)).receipt).kid).not.toBe(kid);
});

test('the program in the guide verifies a receipt offline and rejects a changed one', async () => {
  const guide = await readFile(new URL('docs/access-record.md', root), 'utf8');
  const [, program = ''] = /```js\n([^]*?)```/.exec(guide) ?? [];
  const service = await startTestService();
  const { receipt } = await erase(service);
  const folder = await temporaryFolder();
  const [file, receiptFile, keysFile] = ['verify.mjs', 'receipt.txt', 'keys.json'].map((name) => join(folder, name));
  await symlink(new URL('node_modules', root), join(folder, 'node_modules'));
  await writeFile(String(file), program);
  await writeFile(String(keysFile), JSON.stringify(await publishedKeys(service)));
  const run = async (text: string) => {
    await writeFile(String(receiptFile), text);
    return promisify(execFile)(process.execPath, [String(file), String(receiptFile), String(keysFile)]);
  };
  expect(JSON.parse((await run(receipt)).stdout)).toMatchObject({ subject_id: 'anna', deleted: true });
  const [header, , signature] = receipt.split('.');
  const forged = Buffer.from('{"subject_id":"bert"}').toString('base64url');
  await expect(run([header, forged, signature].join('.'))).rejects.toThrow('signature verification failed');
});
