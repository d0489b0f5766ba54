import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from 'node:zlib';
import express from 'express';
import { parse } from 'yaml';
import contract from '../../generated/openapi.json' with { type: 'json' };
import { documentation } from '../../src/http/documentation.js';
import { listen } from '../../testkit/listen.js';
import { startTestService } from '../../testkit/service.js';
import { temporaryFolder } from '../../testkit/temporary-folder.js';
import { expect, test } from '../../testkit/test.js';

const open = [
  ...['/docs/', '/docs/reference/', '/docs/search.json', '/docs/llms.txt', '/openapi.json', '/openapi.yaml'],
  ...['/dashboard/', '/dashboard/assets/main.js'],
];

test.each(open)('%s requires no key and is read-only', async (path) => {
  const { url } = await startTestService();
  const answer = await fetch(url + path, { headers: { 'Accept-Encoding': 'gzip' } });
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

/** Sends a conditional request in the same way as a browser. `fetch` would add Cache-Control: no-cache. */
async function statusOfKnown(url: string, etag: string): Promise<number | undefined> {
  const [answer] = (await once(
    get(url, { headers: { 'If-None-Match': etag, 'Accept-Encoding': 'gzip' } }),
    'response',
  )) as [IncomingMessage];
  answer.resume();
  return answer.statusCode;
}

const decode: Readonly<Record<string, (bytes: Buffer) => Buffer>> = { br: brotliDecompressSync, gzip: gunzipSync };

test.each(open)(
  '%s is sent compressed to clients that accept compression, and uncompressed to others',
  async (path) => {
    const { url } = await startTestService();
    const plain = await fetchEncoded(url + path, 'identity');
    for (const [accepted, expected] of [
      ['gzip', 'gzip'],
      ['br', 'br'],
      ['gzip, deflate, br, zstd', 'br'],
      ['br;q=0, gzip', 'gzip'],
      ['*', 'br'],
    ] as const) {
      const { encoding, bytes, etag } = await fetchEncoded(url + path, accepted);
      expect([accepted, encoding]).toEqual([accepted, expected]);
      expect(decode[expected]?.(bytes).equals(plain.bytes)).toBe(true);
      expect(bytes.length).toBeLessThan(plain.bytes.length / 2);
      expect(etag).not.toBe(plain.etag);
    }
    for (const accepted of ['', 'zstd', 'br;q=0, gzip;q=0']) {
      const { encoding, etag } = await fetchEncoded(url + path, accepted);
      expect([encoding, etag]).toEqual([undefined, plain.etag]);
    }
  },
);

async function fetchEncoded(address: string, accepted: string) {
  const asked = get(address, { headers: { 'Accept-Encoding': accepted } });
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  const bytes = Buffer.concat((await answer.toArray()) as Buffer[]);
  const { vary, etag, 'content-encoding': encoding, 'content-length': length } = answer.headers;
  expect([vary, Number(length)]).toEqual(['Accept-Encoding', bytes.length]);
  return { encoding, etag, bytes };
}

test('the served contract is identical to the one that the code was generated from', async ({ service: { url } }) => {
  expect(await (await fetch(`${url}/openapi.json`)).json()).toEqual(contract);
  const yaml = await fetch(`${url}/openapi.yaml`);
  expect(yaml.headers.get('content-type')).toContain('yaml');
  expect(parse(await yaml.text(), { maxAliasCount: 50 })).toEqual(contract);
});

test('behind a prefix, redirects stay below it, and servers of the contract has it', async () => {
  const root = new URL('../../', import.meta.url);
  const serve = documentation({ root, published: { publicUrl: 'https://x.example/state' } });
  const url = await listen(createServer(express().use((request, response) => void serve(request, response))));
  const json = (await (await fetch(`${url}/openapi.json`)).json()) as typeof contract;
  expect(json).toEqual({ ...contract, servers: [{ ...contract.servers[0], url: '/state' }] });
  expect(parse(await (await fetch(`${url}/openapi.yaml`)).text())).toEqual(json);
  const headers = { Accept: 'text/html' };
  for (const path of ['/', '/dashboard', '/docs', '/person', '/docs/reference']) {
    const answer = await fetch(url + path, { redirect: 'manual', headers });
    const { pathname } = new URL(answer.headers.get('location') ?? '', `https://x.example/state${path}`);
    expect(pathname).toBe(`/state${path === '/' ? '/dashboard' : path}/`);
  }
});

test.each(['/docs/reference/', '/dashboard/'])(
  'the content security policy of %s allows only resources of this service',
  async (path) => {
    const { url } = await startTestService();
    const { headers } = await fetch(url + path);
    expect(headers.get('content-security-policy')?.split(';').sort()).toEqual([
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "img-src 'self' data:",
      "manifest-src 'self'",
      "script-src 'self'",
      "style-src 'self'",
    ]);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  },
);

test.each(['/docs/nowhere', '/docs/a/b/c/', '/docs/..%2f..%2fpackage.json', '/docs/%ZZ'])(
  '%s returns an HTML page with status 404',
  async (path) => {
    const { url } = await startTestService();
    const answer = await fetch(url + path);
    expect(answer.headers.get('content-type')).toContain('text/html');
    expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining('Page not found')]);
  },
);

test.each([
  '/DOCS/',
  '/docsx',
  '/dashboards',
  '/openapi.json/',
  '/openapi.yml',
  '/generated/openapi.json',
  '/package.json',
])('%s is not a path of the documentation', async (path) => {
  const { request } = await startTestService();
  expect((await request(path)).body).toMatchObject({ status: 404, code: 'path_not_found' });
});

test('/ redirects browsers to the dashboard and returns 404 to other clients', async ({ service: { url, key } }) => {
  const ask = (accept: string, method = 'GET') =>
    fetch(`${url}/`, { method, redirect: 'manual', headers: { Accept: accept, 'X-Service-Key': key } });
  const answer = await ask('text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8');
  expect([answer.status, answer.headers.get('location')]).toEqual([302, 'dashboard/']);
  for (const accept of ['*/*', 'application/json', 'application/json, text/html;q=0.5'])
    expect((await ask(accept)).status).toBe(404);
  expect((await ask('text/html', 'POST')).status).toBe(404);
});

test.each(['/docs', '/dashboard'])('%s redirects to its first page', async (path) => {
  const { url } = await startTestService();
  const answer = await fetch(url + path, { redirect: 'manual' });
  expect([answer.status, answer.headers.get('location')]).toEqual([301, `${path.slice(1)}/`]);
});

/** Serves a folder with the files of a build. */
async function serveBuilt(folder: string): Promise<string> {
  const serve = documentation({ root: pathToFileURL(`${folder}/`) });
  return listen(createServer(express().use((request, response) => void serve(request, response))));
}

test('a page is compressed once: a response has the bytes that the build stored', async ({ folder }) => {
  await mkdir(join(folder, 'dist/docs'), { recursive: true });
  await writeFile(join(folder, 'dist/docs/index.html'), 'plain');
  // Another text than that of the page, so that a compression by the service would be visible.
  await writeFile(join(folder, 'dist/docs/index.html.br'), brotliCompressSync('stored by the build'));
  const { bytes } = await fetchEncoded(`${await serveBuilt(folder)}/docs/`, 'br');
  expect(brotliDecompressSync(bytes).toString()).toBe('stored by the build');
});

test('without a built site, the page explains how to build it', async () => {
  const answer = await fetch(`${await serveBuilt(await temporaryFolder())}/docs/`);
  expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining('npm run docs')]);
});
