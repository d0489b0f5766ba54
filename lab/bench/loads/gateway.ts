/**
 * Measures the latency that the gateway adds to a request. Sends requests at a steady rate through the gateway, as many
 * directly to the same model, as many of their messages directly to the service, and as many to the guardrail of a second
 * gateway, in turns. Then probes `/healthz` beside large uploads. Exits with 1 when a request failed or was not adapted.
 */
import { Command } from 'commander';
import { quantile } from '../../../packages/tools/terminal/quantile.js';
import { openModelUpstream } from '../../../testkit/model-upstream.js';
import { createKeyOf, readUsage } from '../../../testkit/program.js';
import { sendAtRate, timeDuring } from '../../check/shared/timing.js';
import { positive } from '../../options.js';
import { databaseOption, withDatabase } from '../support/databases.js';
import { type Figure, type FigureOptions, printFigures } from '../support/figures.js';
import { startBenchedService, startGateway } from '../support/service.js';
import { forgeKey, upload } from '../support/uploads.js';

const sessions = 100;
/** V8 compiles the code of a request after some hundred requests. */
const warmUpSeconds = 10;
const goals = { ownP50: 2, p99: 15, cpu: 2.5, guardrailCpu: 2 };
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
  readonly before?: string;
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
  .option('--before <file>', 'dist/main.js of an earlier version, whose gateway gets as many requests')
  .option('--markdown', 'print Markdown')
  .action(bench);

function bench(options: Options & FigureOptions): Promise<void> {
  return printFigures(options, (kind) => withDatabase(kind, (databaseUrl) => measure(databaseUrl, options)));
}

async function measure(databaseUrl: string, options: Options): Promise<Figure[]> {
  const key = await createKeyOf(databaseUrl, 'bench');
  const upstream = await openModelUpstream({ readsBodies: false });
  const service = await startBenchedService(databaseUrl);
  const start = (file?: string) => startGateway(service.url, upstream.url, file);
  const program = await start();
  const guarding = await start();
  const earlier = options.before === undefined ? undefined : await start(options.before);
  try {
    const loads: Record<string, Send> = {
      direct: () => send(upstream.url, {}),
      ingest: (person) => sendMessage(service.url, key, `d${person}`),
      through: (person) => send(program.url, nameCaller(key, person)),
      guardrail: (person) => askGuardrail(guarding.url, key, person),
      ...(earlier && { earlier: (person) => send(earlier.url, nameCaller(key, person)) }),
    };
    await run({ ...options, seconds: Math.min(warmUpSeconds, options.seconds) }, loads);
    const processes = { through: program, guardrail: guarding, ...(earlier && { earlier }) };
    const readCpu = () => Object.entries(processes).map(([name, { pid }]) => [name, readUsage(pid).cpuMs] as const);
    const before = Object.fromEntries(readCpu());
    const measured = await run(options, loads);
    const { direct, ingest, through } = measured as Record<'direct' | 'ingest' | 'through', Measured>;
    const toCpu = ([name, ms]: readonly [string, number]) =>
      ((ms - (before[name] ?? 0)) / (measured[name]?.latenciesMs.length ?? 0)).toFixed(1);
    const cpu = Object.fromEntries(readCpu().map((it) => [it[0], toCpu(it)]));
    const failures = Object.values(measured).reduce((sum, it) => sum + it.failures, 0);
    if (failures > 0) process.exitCode = 1;
    const at = ({ latenciesMs }: Measured, share: number) => quantile(latenciesMs, share);
    const added = (share: number) => (at(through, share) - at(direct, share)).toFixed(1);
    const own = at(through, 0.5) - at(direct, 0.5) - at(ingest, 0.5);
    const beside = async (keyOf: (index: number) => string) =>
      (await probeBesideUploads(program.url, keyOf)).toFixed(1);
    const both = (measured: Measured) => [0.5, 0.99].map((share) => at(measured, share).toFixed(1)).join(', ');
    return [
      ['requests through the gateway', String(through.latenciesMs.length)],
      ['without the gateway, p50, p99, ms', both(direct)],
      ['through the gateway, p50, p99, ms', both(through)],
      ['message directly at the service, p50, p99, ms', both(ingest)],
      ['added p50, ms', added(0.5)],
      ['added p99, ms', added(0.99), `≤ ${goals.p99}`],
      ['added p50 without the service, ms', own.toFixed(1), `≤ ${goals.ownP50}`],
      ['CPU time of the gateway per request, ms', String(cpu['through']), `≤ ${goals.cpu}`],
      ...(earlier ? [['the same of the earlier version, ms', String(cpu['earlier'])] as const] : []),
      ['CPU time of the guardrail per request, ms', String(cpu['guardrail']), `≤ ${goals.guardrailCpu}`],
      [`slowest /healthz beside ${uploads} uploads of 31 MB, invalid keys, ms`, await beside(forgeKey)],
      [`slowest /healthz beside ${uploads} uploads of 31 MB, valid key, ms`, await beside(() => key)],
      ['failed or not adapted', String(failures), '0'],
    ];
  } finally {
    for (const it of [program, guarding, earlier, service]) await it?.stop();
    upstream.close();
  }
}

/** Sends a request of a person. Resolves when it was answered as expected. */
type Send = (person: number) => Promise<boolean>;

/** Sends requests of the loads in turns. */
async function run({ seconds, rate }: Options, loads: Readonly<Record<string, Send>>) {
  const sends = Object.entries(loads).map(([name, it]) => ({ name, it, measured: { latenciesMs: [], failures: 0 } }));
  await sendAtRate(sends.length * rate, sends.length * seconds * rate, async (step) => {
    const { it, measured } = sends[step % sends.length] as { it: Send; measured: Measured };
    const startedAtMs = performance.now();
    const isDone = await it(Math.floor(step / sends.length) % sessions).catch(() => false);
    if (isDone) measured.latenciesMs.push(performance.now() - startedAtMs);
    else measured.failures += 1;
  });
  return Object.fromEntries(sends.map(({ name, measured }): [string, Measured] => [name, measured]));
}

/** Returns the slowest response of `/healthz` while the gateway gets large uploads, ms. */
async function probeBesideUploads(gatewayUrl: string, keyOf: (index: number) => string): Promise<number> {
  const uploading = Array.from({ length: uploads }, (_, index) => upload(gatewayUrl, keyOf(index)));
  const probe = async () => (await fetch(`${gatewayUrl}/healthz`)).arrayBuffer();
  return Math.max(...(await timeDuring(Promise.all(uploading), probePauseMs, probe)));
}

function nameCaller(key: string, person: number) {
  return { 'X-State-Key': key, 'X-State-Session': `s${person}`, 'X-State-Subject': `p${person}` };
}

/** Sends the message of a request to the service, as the gateway does. */
async function sendMessage(serviceUrl: string, key: string, session_id: string): Promise<boolean> {
  const timestamp = new Date().toISOString();
  const body = { session_id, timestamp, user_message: writeMessage(), derive_sentiment: true };
  return (await post(`${serviceUrl}/v1/ingest`, { 'X-Service-Key': key }, body)).ok;
}

async function send(url: string, headers: Record<string, string>): Promise<boolean> {
  const body = { model: 'm', messages: [...history, { role: 'user', content: writeMessage() }] };
  const response = await post(`${url}/v1/chat/completions`, headers, body);
  return response.ok && (response.headers.get('x-state-adapted') ?? 'true') === 'true';
}

async function askGuardrail(url: string, key: string, person: number): Promise<boolean> {
  const user = { role: 'user', content: writeMessage() };
  const structured_messages = [{ role: 'system', content: 'Be brief.' }, ...history, user];
  const texts = structured_messages.map(({ content }) => content);
  const request_data = { user_api_key_end_user_id: `p${person}` };
  const body = { texts, structured_messages, request_data, input_type: 'request' };
  const { text } = await post(`${url}/beta/litellm_basic_guardrail_api`, { 'X-State-Key': key }, body);
  return text.includes('GUARDRAIL_INTERVENED');
}

let written = 0;

/** Returns a message of its own, because a resend is answered at once. A number says nothing about the person. */
function writeMessage(): string {
  written += 1;
  return `I am so scared of my exam and cannot stop crying, what should I learn first? This is message ${written}.`;
}

async function post(url: string, headers: Record<string, string>, body: object) {
  const sent = { 'Content-Type': 'application/json', ...headers };
  const response = await fetch(url, { method: 'POST', headers: sent, body: JSON.stringify(body) });
  return { ok: response.ok, headers: response.headers, text: await response.text() };
}
