import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { barriers, openBrowser, phone } from '../../testkit/browser.js';
import { listen } from '../../testkit/listen.js';
import { sampleRecording } from '../../testkit/sample-recording.js';
import { startTestService } from '../../testkit/service.js';

const folder = new URL('./', import.meta.url);

/** Serves the page and its script. `requested` lists the paths of all requests. */
async function startPage(): Promise<{ origin: string; requested: string[] }> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('states.ts', folder))],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    logLevel: 'error',
  });
  const page = await readFile(new URL('index.html', folder), 'utf8');
  const requested: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    requested.push(url);
    const isScript = url === '/dist/states.js';
    response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? outputFiles[0]?.text : page);
  });
  return { origin: await listen(server), requested };
}

/** Returns one hour of recorded heart rates, bpm per minute. The first person was recorded for 57 minutes. */
async function readHour(): Promise<number[]> {
  const rows = (await readFile(sampleRecording, 'utf8')).trim().split('\n').slice(1, 61);
  return rows.map((row) => Number(row.split(',')[3]));
}

/** Opens the page. `complaints` are those of the browser. */
async function openPage() {
  const { origin, requested } = await startPage();
  const { page, complaints } = await openBrowser(origin, { viewport: phone });
  await page.goto(origin);
  await expect.poll(() => requested).toContain('/dist/states.js');
  return { page, complaints, requested };
}

test('a page on a phone computes the states of one hour that the service returns, without a request', async () => {
  const { read, clock } = await startTestService();
  const expected: string[][] = [];
  const lines = ['time,heart_rate'];
  // The page skips readings of the future.
  clock.nowMs = Math.floor(clock.nowMs / 60_000 - 61) * 60_000;
  for (const heart_rate of await readHour()) {
    clock.advance(60);
    const { timestamp, state, stress_score, confidence, action_reason } = await read({ session_id: 's1', heart_rate });
    expected.push([timestamp, state, String(stress_score), String(confidence), action_reason]);
    lines.push(`${clock.at()},${heart_rate}`);
  }
  const { page, complaints, requested } = await openPage();
  await page.setInputFiles('input', { name: 'hour.csv', mimeType: 'text/csv', buffer: Buffer.from(lines.join('\n')) });
  await page.getByText('60 readings. Nothing was sent.').waitFor();
  const rows = await page.locator('tbody tr').all();
  const shown = await Promise.all(rows.map((row) => row.locator('td').allTextContents()));
  expect(shown).toEqual(expected);
  expect(new Set(expected.map(([, state]) => state)).size).toBeGreaterThan(1);
  expect(requested.filter((it) => it !== '/favicon.ico')).toEqual(['/', '/dist/states.js']);
  expect(await barriers(page)).toEqual([]);
  expect(complaints).toEqual([]);
});

test('the browser refuses requests of the page on a phone, so that a changed script sends no heart data', async () => {
  const { page, requested } = await openPage();
  const send = `fetch('/heart', { method: 'POST', body: '72' }).then(() => 'sent', () => 'refused')`;
  expect(await page.evaluate(send)).toBe('refused');
  expect(requested).not.toContain('/heart');
});
