import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { createAgeKey, decrypt, encrypt, isAge, readIdentities, readRecipient } from './age.js';

const chunk = 65_536;
const pair = await createAgeKey();
const recipient = await readRecipient(pair.recipient);
const identities = await readIdentities(pair.identity);

async function* inPieces(content: Buffer, bytes: number): AsyncGenerator<Buffer> {
  for (let from = 0; from < content.length; from += bytes) yield content.subarray(from, from + bytes);
}

const seal = (content: Buffer, bytes = 5_000) => buffer(encrypt(inPieces(content, bytes), recipient));
const open = (file: Buffer, bytes = 7_000) => buffer(decrypt(inPieces(file, bytes), identities));

test('a content of any length survives, in pieces of any length', async () => {
  for (const length of [0, 1, chunk - 1, chunk, chunk + 1, 3 * chunk, 3 * chunk + 17]) {
    const content = randomBytes(length);
    const file = await seal(content);
    expect(isAge(file)).toBe(true);
    // The format has a nonce of 16 bytes after the header, and a tag of 16 bytes per chunk of 64 KiB.
    const body = file.length - (file.indexOf('\n--- ') + 5 + 44);
    expect(body).toBe(16 + length + 16 * Math.max(1, Math.ceil(length / chunk)));
    for (const bytes of [100, 65_537, 1_000_000]) expect((await open(file, bytes)).equals(content)).toBe(true);
  }
});

test('a file that is truncated anywhere, extended or changed is an error', async () => {
  const file = await seal(randomBytes(2 * chunk));
  const header = file.indexOf('\n--- ') + 5 + 44;
  const boundaries = [header + 16, header + 16 + chunk + 16, file.length - 1, header - 1, 10, 0];
  for (const length of boundaries) await expect(open(file.subarray(0, length))).rejects.toThrow('truncated or damaged');
  await expect(open(Buffer.concat([file, Buffer.alloc(1)]))).rejects.toThrow('truncated or damaged');
  for (const at of [header + 3, header + 20, file.length - 5]) {
    const changed = Buffer.from(file);
    changed[at] = (changed[at] ?? 0) ^ 1;
    await expect(open(changed)).rejects.toThrow('truncated or damaged');
  }
});

test('chunks that change places are an error, and so is a changed header', async () => {
  const file = await seal(randomBytes(3 * chunk));
  const start = file.indexOf('\n--- ') + 5 + 44 + 16;
  const [size, swapped] = [chunk + 16, Buffer.from(file)];
  file.copy(swapped, start, start + size, start + 2 * size);
  file.copy(swapped, start + size, start, start + size);
  await expect(open(swapped)).rejects.toThrow('truncated or damaged');
  const added = Buffer.concat([file.subarray(0, 22), Buffer.from('-> X\n\n'), file.subarray(22)]);
  await expect(open(added)).rejects.toThrow('truncated or damaged');
});

test('a file for another key is an error that says so', async () => {
  const other = await readIdentities((await createAgeKey()).identity);
  const file = await seal(Buffer.from('text'));
  await expect(buffer(decrypt(inPieces(file, 100), other))).rejects.toThrow('another key');
  expect((await buffer(decrypt(inPieces(file, 100), [...other, ...identities]))).toString()).toBe('text');
});

test('a share, a wrapped key and a MAC that are not canonical base64 are errors', async () => {
  const file = (await seal(Buffer.from('text'))).toString('latin1');
  const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const texts = /X25519 (.{43})\n(.{43})\n--- (.{43})\n/.exec(file)?.slice(1) ?? [];
  expect(texts).toHaveLength(3);
  for (const text of texts) {
    // The last character has two bits that belong to no byte.
    const last = characters[characters.indexOf(text.at(-1) ?? '') + 1];
    const changed = file.replace(text, text.slice(0, -1) + last);
    expect(Buffer.from(text, 'base64').equals(Buffer.from(text.slice(0, -1) + last, 'base64'))).toBe(true);
    await expect(open(Buffer.from(changed, 'latin1'))).rejects.toThrow('truncated or damaged');
  }
});

test('a file whose header does not end is an error after 64 KiB', async () => {
  let read = 0;
  const endless = async function* () {
    for (yield Buffer.from('age-encryption.org/v1\n-> X '); ; read += 1_000) yield Buffer.alloc(1_000, 'x');
  };
  await expect(buffer(decrypt(endless(), identities))).rejects.toThrow('truncated or damaged');
  expect(read).toBeLessThan(80_000);
});

test('an error of the disk is not an error of the file', async () => {
  const file = await seal(randomBytes(3 * chunk));
  const failing = async function* () {
    yield* inPieces(file.subarray(0, 2 * chunk), 1_000);
    throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' });
  };
  await expect(buffer(decrypt(failing(), identities))).rejects.toThrow('EIO');
});

/** Points of low order as shares and as public keys: the shared secret with any key is zero. */
const lowOrder = [
  ['AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', 'age1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq5cu47z'],
  ['AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', 'age1qyqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqj7vrya'],
  ['7P///////////////////////////////////////38', 'age1anlllllllllllllllllllllllllllllllllllllllllllllllals4n2t7m'],
  ['7f///////////////////////////////////////38', 'age1ahlllllllllllllllllllllllllllllllllllllllllllllllalsn46ayy'],
] as const;

test('a share of low order is an error, and a public key of low order is none', async () => {
  const file = (await seal(Buffer.from('text'))).toString('latin1');
  for (const [share, publicKey] of lowOrder) {
    const changed = file.replace(/(?<=X25519 ).{43}/, share);
    await expect(open(Buffer.from(changed, 'latin1'))).rejects.toThrow('truncated or damaged');
    await expect(readRecipient(publicKey)).rejects.toThrow('age public key');
  }
});

test('a text that is no key is an error', async () => {
  const { recipient: text } = pair;
  const changed = text.slice(0, -1) + (text.endsWith('q') ? 'p' : 'q');
  for (const wrong of ['', 'age1', text.slice(0, -1), changed, pair.identity, text.replace('age1', 'AGE1')])
    await expect(readRecipient(wrong)).rejects.toThrow('age public key');
  for (const wrong of ['', '# comment', text, pair.identity.toLowerCase().slice(1), `${pair.identity}\n${text}`])
    await expect(readIdentities(wrong)).rejects.toThrow('AGE-SECRET-KEY-1');
});

const example = {
  recipient: 'age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj',
  identity: 'AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX',
};

test.each([
  [
    // printf 'A backup.' | age -r age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj | base64 -w0
    'the program age',
    'YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSBCazgzSVFQL0h6Wmt1OStXT0doS2pLMjg0d0ZUUkMxQ2tQaHlENlFPbUFrCllieW53NWVD' +
      'WW83YnRrS3RhbjQ4Q05MRER1aFpPank4UlRUUmpYNXNMNVkKLS0tIDJ6YXZoQmZOWFZyM0toYzhDeG9hZkI0RnMzSnN5OEYyNnhKdmdCN0FYbTQK' +
      '19g+WDZB08uwxXubW4cHT5jUBMAmRvMuieelF6C/weP2u36v05pVfco=',
    'A backup.',
  ],
  [
    'state-service 1.0.0',
    'YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSBTeVZqaVkzMlNtb2cwQlNGSlpyOG9CZnFQY3ZkYjlQS2JUVXV3MTNtZXc4CnNrc3RyVFFK' +
      'QitTdGZucjVzYjg2a1hnbkJWSmkyTlJNMG82MlFzampOVXcKLS0tIDUxZnlDciszTS9vN1ozWmtwTzJrWFA1NHdibUpBVmVHMEpIS25QbzB4Mm8K' +
      'h8Xt0I/FpPw71XsZYEQcqOVNitnFMn3Pd6MVmgmf9QM5ZBWZFWcdGgphLbAaN8N2tj0=',
    'A backup of 1.0.0.',
  ],
])('reads a file that %s wrote', async (_, base64, content) => {
  const keys = await readIdentities(
    `# created: 2026-11-24\n# public key: ${example.recipient}\n\n${example.identity}\n`,
  );
  expect((await buffer(decrypt(inPieces(Buffer.from(base64, 'base64'), 10), keys))).toString()).toBe(content);
});

test('a file for the public key of an identity is readable with it', async () => {
  const file = await buffer(encrypt(inPieces(Buffer.from('text'), 9), await readRecipient(example.recipient)));
  const content = await buffer(decrypt(inPieces(file, 100), await readIdentities(example.identity)));
  expect(content.toString()).toBe('text');
});
