/**
 * Measures the latency that the gateway adds to a request. Sends requests at a steady rate through the gateway, as many
 * directly to the same model, and as many of their messages directly to the service, in turns. Then probes `/healthz` beside
 * large uploads. Exits with 1 when a request failed or was not adapted.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { quantile } from '../../../packages/tools/terminal/quantile.js';
import { markdownTable, textTable } from '../../../packages/tools/terminal/table.js';
import type { DatabaseKind } from '../../../testkit/databases.js';
import { openModelUpstream } from '../../../testkit/model-upstream.js';
import { createKeyOf, readUsage, startServiceProgram } from '../../../testkit/program.js';
import { figureColumns } from '../../figures.js';
import { positive } from '../../options.js';
import { databaseOption, type DatabaseChoice, findDatabases, titleOf, withDatabase } from '../support/databases.js';
import { describeMachine, machineLine } from '../support/machine.js';
import { startBenchedService } from '../support/service.js';
import { forgeKey, upload } from '../support/uploads.js';

const sessions = 100;
/** V8 compiles the code of a request after some hundred requests. */
const warmUpSeconds = 10;
const goals = { ownP50: 2, p99: 15, cpu: 2.2 };
const uploads = 20;
const probePauseMs = 5;
/** A conversation of about 4 kB. */
const history = Array.from({ length: 16 }, (_, index) => ({
  role: index % 2 === 0 ? 'user' : 'assistant',
  content: `Part ${index} of the conversation. `.repeat(8),
}));

interface Options {
  readonly seconds: number;
  readonly rate: number;
}

interface Measured {
  readonly latenciesMs: number[];
  failures: number;
}

export const gateway = new Command('gateway')
  .description('Latency that the gateway adds to a request, at a steady rate.')
  .addOption(databaseOption)
  .option('--seconds <number>', 'length of the run', positive, 30)
  .option('--rate <number>', 'requests per second through the gateway, and as many without', positive, 50)
  .option('--markdown', 'print Markdown')
  .action(bench);

async function bench({ database, markdown, ...options }: Options & { database: DatabaseChoice; markdown?: boolean }) {
  const print = markdown ? markdownTable : textTable;
  console.log(`${machineLine(describeMachine())}; load average ${describeMachine().loadAverage.join(' ')}\n`);
  for (const kind of await findDatabases(database)) {
    const rows = await measure(kind, options);
    console.log(`${print([{ title: titleOf(kind) }, ...figureColumns('result', 'goal')], [rows])}\n`);
  }
}

function measure(kind: DatabaseKind, options: Options): Promise<string[][]> {
  return withDatabase(kind, async (databaseUrl) => {
    const key = await createKeyOf(databaseUrl, 'bench');
    const upstream = await openModelUpstream({ readsBodies: false });
    const service = await startBenchedService(databaseUrl);
    const env = {
      SERVICE_URL: service.url,
      GATEWAY_PORT: '0',
      GATEWAY_OPENAI_URL: upstream.url,
      // A busy machine shows in the latency, not in skipped states.
      GATEWAY_STATE_TIMEOUT_MS: '10000',
    };
    const program = await startServiceProgram(env, { args: ['gateway'] });
    try {
      const urls = { model: upstream.url, service: service.url, gateway: program.url };
      await run({ ...options, seconds: Math.min(warmUpSeconds, options.seconds) }, urls, key);
      const before = readUsage(program.pid).cpuMs;
      const { direct, ingest, through } = await run(options, urls, key);
      const cpuMs = (readUsage(program.pid).cpuMs - before) / through.latenciesMs.length;
      const failures = direct.failures + ingest.failures + through.failures;
      if (failures > 0) process.exitCode = 1;
      const at = ({ latenciesMs }: Measured, share: number) => quantile(latenciesMs, share);
      const added = (share: number) => (at(through, share) - at(direct, share)).toFixed(1);
      const own = at(through, 0.5) - at(direct, 0.5) - at(ingest, 0.5);
      const beside = async (keyOf: (index: number) => string) =>
        (await probeBesideUploads(program.url, keyOf)).toFixed(1);
      const both = (measured: Measured) => [0.5, 0.99].map((share) => at(measured, share).toFixed(1)).join(', ');
      return [
        ['requests through the gateway', String(through.latenciesMs.length), ''],
        ['without the gateway, p50, p99, ms', both(direct), ''],
        ['through the gateway, p50, p99, ms', both(through), ''],
        ['message directly at the service, p50, p99, ms', both(ingest), ''],
        ['added p50, ms', added(0.5), ''],
        ['added p99, ms', added(0.99), `≤ ${goals.p99}`],
        ['added p50 without the service, ms', own.toFixed(1), `≤ ${goals.ownP50}`],
        ['CPU time of the gateway per request, ms', cpuMs.toFixed(1), `≤ ${goals.cpu}`],
        [`slowest /healthz beside ${uploads} uploads of 31 MB, invalid keys, ms`, await beside(forgeKey), ''],
        [`slowest /healthz beside ${uploads} uploads of 31 MB, valid key, ms`, await beside(() => key), ''],
        ['failed or not adapted', String(failures), '0'],
      ];
    } finally {
      await program.stop();
      await service.stop();
      upstream.close();
    }
  });
}

type Urls = Readonly<Record<'model' | 'service' | 'gateway', string>>;

/** Sends at a steady rate. A slow response does not delay the next request. */
async function run({ seconds, rate }: Options, urls: Urls, key: string) {
  const [direct, ingest, through] = [0, 1, 2].map((): Measured => ({ latenciesMs: [], failures: 0 })) as [
    Measured,
    Measured,
    Measured,
  ];
  const pending: Array<Promise<void>> = [];
  const startedAtMs = performance.now();
  const steps = 3 * seconds * rate;
  for (let step = 0; step < steps; step += 1) {
    await sleep(Math.max(0, startedAtMs + (step * 1000) / (3 * rate) - performance.now()));
    const person = Math.floor(step / 3) % sessions;
    const headers = { 'X-State-Key': key, 'X-State-Session': `s${person}`, 'X-State-Subject': `p${person}` };
    if (step % 3 === 0) pending.push(send(urls.model, {}, direct));
    else if (step % 3 === 1) pending.push(sendMessage(urls.service, key, `d${person}`, ingest));
    else pending.push(send(urls.gateway, headers, through));
  }
  await Promise.all(pending);
  return { direct, ingest, through };
}

/** Returns the slowest response of `/healthz` while the gateway gets large uploads, ms. */
async function probeBesideUploads(gatewayUrl: string, keyOf: (index: number) => string): Promise<number> {
  let isUploading = true;
  const all = Promise.all(Array.from({ length: uploads }, (_, index) => upload(gatewayUrl, keyOf(index))));
  void all.then(() => (isUploading = false));
  const latenciesMs: number[] = [];
  while (isUploading) {
    const startedAtMs = performance.now();
    await (await fetch(`${gatewayUrl}/healthz`)).arrayBuffer();
    latenciesMs.push(performance.now() - startedAtMs);
    await sleep(probePauseMs);
  }
  return Math.max(...latenciesMs);
}

/** Sends the message of a request to the service, as the gateway does. */
async function sendMessage(serviceUrl: string, key: string, session_id: string, measured: Measured): Promise<void> {
  const timestamp = new Date().toISOString();
  const body = JSON.stringify({ session_id, timestamp, user_message: writeMessage(), derive_sentiment: true });
  const headers = { 'X-Service-Key': key, 'Content-Type': 'application/json' };
  await post(`${serviceUrl}/v1/ingest`, headers, body, measured);
}

async function send(url: string, headers: Record<string, string>, measured: Measured): Promise<void> {
  const body = JSON.stringify({ model: 'm', messages: [...history, { role: 'user', content: writeMessage() }] });
  await post(`${url}/v1/chat/completions`, headers, body, measured);
}

function writeMessage(): string {
  return `${crypto.randomUUID()}: I am worried about my exam, what should I learn first?`;
}

async function post(url: string, headers: Record<string, string>, body: string, measured: Measured): Promise<void> {
  const startedAtMs = performance.now();
  try {
    const response = await fetch(url, { method: 'POST', headers, body });
    await response.arrayBuffer();
    measured.latenciesMs.push(performance.now() - startedAtMs);
    const isAdapted = response.headers.get('x-state-adapted') ?? 'true';
    if (!response.ok || isAdapted !== 'true') measured.failures += 1;
  } catch {
    measured.failures += 1;
  }
}
