import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import express from 'express';
import { expect, onTestFinished, test } from 'vitest';
import contract from '../../generated/openapi.json' with { type: 'json' };
import { documentation } from '../../src/http/documentation.js';
import { startTestService } from '../support/service.js';

const open = ['/docs/', '/docs/reference/', '/docs/search.json', '/docs/llms.txt', '/openapi.json', '/openapi.yaml'];

test.each(open)('%s is for everybody, and only for reading', async (path) => {
  const { url } = await startTestService();
  const answer = await fetch(url + path);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('cache-control')).toBe('no-cache');
  const etag = answer.headers.get('etag') ?? '';
  expect(await statusOfKnown(url + path, etag)).toBe(304);
  const head = await fetch(url + path, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
    const refused = await fetch(url + path, { method });
    expect([method, refused.status, refused.headers.get('allow')]).toEqual([method, 405, 'GET, HEAD']);
    expect(await refused.json()).toMatchObject({ code: 'method_not_allowed' });
  }
});

/** As a browser asks for what it has; fetch would add that it wants no cached answer. */
async function statusOfKnown(url: string, etag: string): Promise<number | undefined> {
  const [answer] = (await once(get(url, { headers: { 'If-None-Match': etag } }), 'response')) as [IncomingMessage];
  answer.resume();
  return answer.statusCode;
}

test.each(open)('%s comes packed to those that take it, and plain to others', async (path) => {
  const { url } = await startTestService();
  const sizeFor = async (encoding: string) => {
    const asked = get(url + path, { headers: { 'Accept-Encoding': encoding } });
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    expect(answer.headers['vary']).toBe('Accept-Encoding');
    const chunks = (await answer.toArray()) as Buffer[];
    return { packing: answer.headers['content-encoding'], bytes: Buffer.concat(chunks) };
  };
  const [packed, plain] = [await sizeFor('gzip'), await sizeFor('identity')];
  expect([packed.packing, plain.packing]).toEqual(['gzip', undefined]);
  expect(gunzipSync(packed.bytes)).toEqual(plain.bytes);
  expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 2);
});

test('the contract is served as the code was generated from it', async () => {
  const { url } = await startTestService();
  expect(await (await fetch(`${url}/openapi.json`)).json()).toEqual(contract);
  expect((await fetch(`${url}/openapi.yaml`)).headers.get('content-type')).toContain('yaml');
});

test('pages may load what this service serves, and nothing else', async () => {
  const { url } = await startTestService();
  const { headers } = await fetch(`${url}/docs/reference/`);
  expect(headers.get('content-security-policy')?.split(';').sort()).toEqual([
    "base-uri 'none'",
    "connect-src 'self'",
    "default-src 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "img-src 'self' data:",
    "script-src 'self'",
    "style-src 'self'",
  ]);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
});

test.each(['/docs/nowhere', '/docs/a/b/c/', '/docs/..%2f..%2fpackage.json', '/docs/%ZZ'])(
  '%s is a page that says so',
  async (path) => {
    const { url } = await startTestService();
    const answer = await fetch(url + path);
    expect(answer.headers.get('content-type')).toContain('text/html');
    expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining('Page not found')]);
  },
);

test.each(['/DOCS/', '/docsx', '/openapi.json/', '/openapi.yml', '/generated/openapi.json', '/package.json'])(
  '%s is no path of the documentation',
  async (path) => {
    const { request } = await startTestService();
    expect((await request(path)).body).toMatchObject({ status: 404, code: 'path_not_found' });
  },
);

test('/docs leads to the first page', async () => {
  const { url } = await startTestService();
  const answer = await fetch(`${url}/docs`, { redirect: 'manual' });
  expect([answer.status, answer.headers.get('location')]).toEqual([301, '/docs/']);
});

test('where the site is not built, the page says how it is', async () => {
  const root = await mkdtemp(join(tmpdir(), 'state-service-unbuilt-'));
  const server = createServer(express().use(documentation({ root: pathToFileURL(`${root}/`) }))).listen(0, '127.0.0.1');
  onTestFinished(() => rm(root, { recursive: true }));
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/docs/`);
  expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining('npm run docs')]);
});
