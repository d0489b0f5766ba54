import { createPublicKey, randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { createAgeKey, decodeBech32, encodeBech32, readIdentities, readRecipient, toRaw } from './age-keys.js';
import { decrypt, encrypt, isAge } from './age.js';

const chunk = 65_536;
const pair = createAgeKey();
const recipient = readRecipient(pair.recipient);
const identities = readIdentities(pair.identity);

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
  const other = readIdentities(createAgeKey().identity);
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

/** Points of low order: the shared secret with any key is zero. */
const lowOrder = ['00'.repeat(32), `01${'00'.repeat(31)}`, `ec${'ff'.repeat(30)}7f`, `ed${'ff'.repeat(30)}7f`];

test('a share of low order is an error, and a public key of low order is none', async () => {
  const file = (await seal(Buffer.from('text'))).toString('latin1');
  for (const point of lowOrder.map((hex) => Buffer.from(hex, 'hex'))) {
    const share = point.toString('base64').replace('=', '');
    const changed = file.replace(/(?<=X25519 ).{43}/, share);
    await expect(open(Buffer.from(changed, 'latin1'))).rejects.toThrow('truncated or damaged');
    expect(() => readRecipient(encodeBech32('age', point))).toThrow('age public key');
  }
});

test('keys have the text form of age', () => {
  // The example of the specification.
  const identity = 'AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX';
  const [key] = readIdentities(`# created: 2026-11-24\n\n${identity}\n`);
  const text = encodeBech32('age', toRaw(createPublicKey(key as never)));
  expect(text).toBe('age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj');
  expect(toRaw(readRecipient(text)).equals(toRaw(createPublicKey(key as never)))).toBe(true);
});

test('data of any length survives Bech32', () => {
  for (const length of [0, 1, 2, 3, 4, 5, 6, 32]) {
    const data = randomBytes(length);
    expect(decodeBech32('age', encodeBech32('age', data))).toEqual(data);
  }
});

test('a text that is no key is an error', () => {
  const { recipient: text } = pair;
  const changed = text.slice(0, -1) + (text.endsWith('q') ? 'p' : 'q');
  for (const wrong of ['', 'age1', text.slice(0, -1), changed, pair.identity, text.replace('age1', 'AGE1')])
    expect(() => readRecipient(wrong)).toThrow('age public key');
  for (const wrong of ['', '# comment', text, pair.identity.toLowerCase().slice(1)])
    expect(() => readIdentities(wrong)).toThrow('AGE-SECRET-KEY-1');
});

test('reads a file that the program age wrote', async () => {
  // printf 'A backup.' | age -r age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj | base64 -w0
  const file = Buffer.from(
    'YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSBCazgzSVFQL0h6Wmt1OStXT0doS2pLMjg0d0ZUUkMxQ2tQaHlENlFPbUFrCllieW53NWVD' +
      'WW83YnRrS3RhbjQ4Q05MRER1aFpPank4UlRUUmpYNXNMNVkKLS0tIDJ6YXZoQmZOWFZyM0toYzhDeG9hZkI0RnMzSnN5OEYyNnhKdmdCN0FYbTQK' +
      '19g+WDZB08uwxXubW4cHT5jUBMAmRvMuieelF6C/weP2u36v05pVfco=',
    'base64',
  );
  const example = readIdentities('AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX');
  expect((await buffer(decrypt(inPieces(file, 10), example))).toString()).toBe('A backup.');
});
