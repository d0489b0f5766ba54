import { setTimeout as sleep } from 'node:timers/promises';
import OpenAI from 'openai';
import { expect, onTestFinished, test } from 'vitest';
import { describeVariables, listSettings } from '../../../../src/config/settings.js';
import { gatewayVariables } from '../../config.js';
import { runHere, untilClosed } from '../../../../testkit/command-line.js';
import { startFleet } from '../../../../testkit/fleet.js';
import { openModelUpstream } from '../../../../testkit/model-upstream.js';
import { startCommand } from '../../../../testkit/process.js';
import { freePorts } from '../../../../testkit/program.js';
import { ample } from '../../../../testkit/service.js';
import { temporaryDatabase } from '../../../../testkit/temporary-database.js';
import { distress } from '../stage.js';

/** `TEST_GATEWAY_KILLS=20` kills the service more often. */
const kills = Number(process.env['TEST_GATEWAY_KILLS'] ?? 2);
const answersBetween = 10;
const limitMs = 400_000 + kills * 10_000;

test(
  'kill -9 of the service in mid-conversation breaks no response of the model',
  async () => {
    const database = await temporaryDatabase('sqlite');
    const create = ['keys', 'create', '--account', 'gateway', '--tier', 'enterprise'];
    const key = (await runHere(create, { DATABASE_URL: database.url })).stdout.trim();
    await untilClosed(database.url);
    const upstream = await openModelUpstream();
    onTestFinished(upstream.close);
    const [PORT = 0] = await freePorts(1);
    const env = { HOST: '127.0.0.1', PORT: String(PORT), DATABASE_URL: database.url, WORKER: '0', ...ample };
    const fleet = startFleet([{ name: 'service', args: [], env }]);
    onTestFinished(fleet.close);
    await fleet.ready();
    const SERVICE_URL = `http://127.0.0.1:${PORT}`;
    const gateway = startCommand('gateway', [], { SERVICE_URL, GATEWAY_PORT: '0', GATEWAY_OPENAI_URL: upstream.url });
    const baseURL = await gateway.find(/^ {2}OPENAI_BASE_URL=(\S+)$/m);
    const defaultHeaders = { 'X-State-Key': key, 'X-State-Session': 's1', 'X-State-Subject': 'anna' };
    const openai = new OpenAI({ apiKey: 'model-key', baseURL, maxRetries: 0, defaultHeaders });
    const outcomes: string[] = [];

    let isAsking = true;
    async function converse(speaker: number): Promise<void> {
      for (let turn = 0; isAsking; turn += 1) {
        const content = `${distress} Message ${turn} of ${speaker}.`;
        const request = { model: 'm', messages: [{ role: 'user' as const, content }] };
        let text = '';
        if (turn % 2 === 0) {
          const { data, response } = await openai.chat.completions.create(request).withResponse();
          outcomes.push(response.headers.get('x-state-skipped') ?? 'adapted');
          text = data.choices[0]?.message.content ?? '';
        } else
          for await (const { choices } of await openai.chat.completions.create({ ...request, stream: true }))
            text += choices[0]?.delta.content ?? '';
        expect(text).toBe('Which part worries you?');
        await sleep(20);
      }
    }

    const speakers = [1, 2, 3].map(converse);
    const countAdapted = () => outcomes.filter((it) => it === 'adapted').length;
    const kill = async () => {
      for (let count = 0; count < kills; count += 1) {
        await fleet.ready();
        const goal = countAdapted() + answersBetween;
        while (countAdapted() < goal) await sleep(10);
        await fleet.killOne(Math.random);
      }
    };
    await Promise.race([kill(), ...speakers]).finally(() => (isAsking = false));
    await Promise.all(speakers);
    const { code, stderr } = await gateway.stop('SIGTERM');
    expect(outcomes).toEqual(expect.arrayContaining(['adapted', 'service_unavailable']));
    expect([code, fleet.deaths()]).toEqual([0, []]);
    expect(stderr).not.toMatch(/panic|model-key|sk_\w/);
  },
  limitMs,
);

test('the gateway prints the settings of an agent, and states its health without a key', async () => {
  const env = {
    GATEWAY_PORT: '0',
    GATEWAY_OPENAI_URL: 'http://127.0.0.1:9/v1',
    GATEWAY_ANTHROPIC_URL: 'http://127.0.0.1:9',
  };
  const gateway = startCommand('gateway', [], env);
  const url = await gateway.find(/^Listening on (\S+)$/m);
  await gateway.find(/(X-State-Subject)/);
  expect(gateway.stdout()).toContain(`  OPENAI_BASE_URL=${url}/v1\n  ANTHROPIC_BASE_URL=${url}\n`);
  for (const path of ['/healthz', '/readyz']) expect((await fetch(url + path)).status).toBe(200);
  expect((await gateway.stop('SIGTERM')).code).toBe(0);
});

test('invalid settings stop the start with one line', async () => {
  expect((await runHere(['gateway'], {})).stderr).toBe(
    'error: set GATEWAY_OPENAI_URL, GATEWAY_ANTHROPIC_URL or GATEWAY_UPSTREAMS\n',
  );
  const env = { GATEWAY_OPENAI_URL: 'https://user:secret@api.example', GATEWAY_SHARE_TRIGGERS: 'yes' };
  const { code, stderr } = await runHere(['gateway'], env);
  expect(stderr).toMatch(
    /^error: GATEWAY_OPENAI_URL must be an http or https URL .*; GATEWAY_SHARE_TRIGGERS must be 0 or 1/,
  );
  expect([code, stderr.includes('secret')]).toEqual([1, false]);
});

test('--help lists every variable of the gateway', async () => {
  const help = (await runHere(['gateway', '--help'], {})).stdout;
  expect(help).toContain(describeVariables(listSettings(gatewayVariables)));
});
