import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { formatSecret, buildSignatureHeaders } from '../../../src/webhooks/secrets.js';
import { openBrowser } from '../../../testkit/browser.js';
import { listen } from '../../../testkit/listen.js';
import { startTestService } from '../../../testkit/service.js';

const sources = fileURLToPath(new URL('../src/', import.meta.url));
const scenario = `
import { createStateClient } from '${sources}index.ts';
import { verifyWebhook } from '${sources}webhooks.ts';
export async function run({ baseUrl, key, delivery, session_id }) {
  const client = createStateClient({ baseUrl, key });
  await client.ingest({ session_id, timestamp: new Date().toISOString(), heart_rate: 90 });
  const { state } = await client.state(session_id);
  const code = await client.triggers('none').catch((error) => error.code);
  const { deliveryId } = await verifyWebhook(delivery);
  const { token } = await client.tokens.create({ session_id, scopes: ['read'] });
  let streamed;
  for await (const event of createStateClient({ baseUrl, token }).stream({ lastEventId: '0' })) {
    streamed = event.data.session_id;
    break;
  }
  return { state, code, deliveryId, streamed };
}
if (typeof document === 'undefined') onmessage = async ({ data }) => postMessage(await run(data));
else window.run = run;
`;

/** Serves an empty page and the bundled scenario. The scenario runs in the page and in a worker. */
async function startPage(): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: scenario, resolveDir: sources, loader: 'ts' },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    logLevel: 'error',
  });
  const server = createServer(({ url }, response) => {
    const isScript = url === '/scenario.js';
    response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html');
    const page = '<!doctype html><link rel="icon" href="data:,"><script type="module" src="/scenario.js"></script>';
    response.end(isScript ? outputFiles[0]?.text : page);
  });
  return listen(server);
}

test('the client calls the service, streams with a token and verifies a delivery in Chromium and in a worker', async () => {
  const origin = await startPage();
  const { url, key } = await startTestService({ env: { CORS_ORIGINS: origin } });
  const secret = formatSecret(randomBytes(32));
  const body = '{"event":"state_change"}';
  const headers = buildSignatureHeaders({ deliveryId: 'dlv_1', body, atMs: Date.now(), secrets: [secret] });
  const input = { baseUrl: url, key, delivery: { headers, body, secret } };
  const { page } = await openBrowser(origin);
  await page.goto(origin);
  await page.waitForFunction('window.run');
  const inPage = await page.evaluate(`run(${JSON.stringify({ ...input, session_id: 'page' })})`);
  const inWorker = await page.evaluate(`new Promise((resolve, reject) => {
    const worker = new Worker('/scenario.js', { type: 'module' });
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(message));
    worker.postMessage(${JSON.stringify({ ...input, session_id: 'worker' })});
  })`);
  const expected = { state: expect.any(String), code: 'subject_not_found', deliveryId: 'dlv_1' };
  expect([inPage, inWorker]).toEqual([
    { ...expected, streamed: 'page' },
    { ...expected, streamed: 'worker' },
  ]);
});
