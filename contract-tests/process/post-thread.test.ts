import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { sources as settings } from '../../generated/spec.js';
import { metric } from '../../testkit/phone.js';
import { startMain } from '../../testkit/process.js';
import { createKeyOf, runCommand } from '../../testkit/program.js';
import { temporaryDatabase } from '../../testkit/temporary-database.js';

test('a large body, which a thread of its own reads, is stored or gets the error of a small one', async () => {
  const { url: DATABASE_URL } = await temporaryDatabase();
  await createKeyOf(DATABASE_URL, 'phones');
  const create = ['keys', 'create', '--account', 'phones', '--subject', 'p1', '--source', 'health_auto_export'];
  const key = await runCommand(DATABASE_URL, create);
  const service = await startMain({ DATABASE_URL });
  const post = async (text: string) => {
    expect(text.length).toBeGreaterThan(settings.large_bytes);
    const headers = { 'X-Service-Key': key, 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
    const options = { method: 'POST', headers, body: gzipSync(text) };
    const response = await fetch(`${service.url}/v1/sources/health_auto_export`, options);
    return { status: response.status, body: await response.json() };
  };
  const minuteMs = Math.floor(Date.now() / 60_000 - 200) * 60_000;
  const samples = Array.from({ length: 4_000 }, (_, index) => [minuteMs + index * 2_000, 70] as const);
  const text = JSON.stringify({ data: { metrics: [metric('heart_rate', 'count/min', samples)] } });
  expect(await post(`\ufeff${text}`)).toMatchObject({ status: 200, body: { stored: 134 } });
  expect(await post(text)).toMatchObject({ status: 200, body: { stored: 0, unchanged: 134 } });
  expect(await post(text.slice(0, -1))).toMatchObject({ status: 400, body: { code: 'invalid_payload' } });
  const form = { status: 422, body: { errors: [{ code: 'source_form' }] } };
  expect(await post(`[${text}]`)).toMatchObject(form);
  expect(await post('['.repeat(settings.max_bytes))).toMatchObject(form);
});
