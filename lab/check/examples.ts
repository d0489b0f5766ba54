/**
 * Starts the examples of applications against the service. Builds the chat with Next.js from npm, and has one turn with it
 * through a stand-in for the API of a vendor. Parses the examples whose runtimes do not install from npm or Debian.
 */
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { parse } from 'yaml';
import { bands } from '../../generated/spec.js';
import { createStateClient } from '../../packages/client/src/index.js';
import { type LocalService, startLocalService } from '../../packages/tools/local-service.js';
import { launch } from '../../testkit/launch.js';
import { openModelUpstream } from '../../testkit/model-upstream.js';
import { freePorts } from '../../testkit/program.js';
import { must, printVerdict, type Row } from '../../testkit/verdict.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const python = ['fastapi-langgraph/main.py', 'lsl/lsl_bridge.py'];
const [tries, pauseMs] = [300, 200];

/** A mail server that prints what it receives. */
const mailServer = `
const { SMTPServer } = require('smtp-server');
new SMTPServer({
  ...{ authOptional: true, disabledCommands: ['STARTTLS'] },
  onData: (stream, _session, done) => stream.on('data', (text) => process.stdout.write(text)).on('end', done),
}).listen(Number(process.argv[1]), '127.0.0.1');
`;

await launch(new Command('check:examples').description('Starts or parses the examples of applications.').action(check));

async function check(): Promise<void> {
  const service = await startLocalService({ root: new URL('../../', import.meta.url), name: 'examples' });
  try {
    const rows = [
      await checkMail(service),
      await checkNextjs(service),
      [checkHomeAssistant(), ...python.map(parsePython)],
    ];
    printVerdict('examples of applications', rows, 'The examples work as their README states.');
  } finally {
    await service.close();
  }
}

/** A topic that becomes active reaches a mail server. */
async function checkMail({ url, key }: LocalService): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'state-mail-'));
  cpSync(join(root, 'examples/mail'), folder, { recursive: true });
  execFileSync('npm', ['install', '--silent', '--no-save', 'smtp-server@3.21.6'], { cwd: folder, stdio: 'ignore' });
  const [smtpPort = 0, port = 0] = await freePorts(2);
  const smtp = spawn(process.execPath, ['-e', mailServer, String(smtpPort)], { cwd: folder });
  let received = '';
  smtp.stdout.on('data', (text) => (received += text));
  const client = createStateClient({ baseUrl: url, key });
  const events: ['alert', 'trigger_active'] = ['alert', 'trigger_active'];
  const { secret = '' } = await client.webhooks.register({ url: `http://127.0.0.1:${port}/`, events });
  const addresses = { MAIL_FROM: 'service@example.com', MAIL_TO: 'team@example.com' };
  const env = { SMTP_URL: `smtp://127.0.0.1:${smtpPort}`, WEBHOOK_SECRET: secret, PORT: String(port), ...addresses };
  const receiver = spawn(process.execPath, ['server.mjs'], { cwd: folder, env });
  try {
    const turn = { user_message: 'I am afraid of my exam tomorrow, I panic.', ai_response: 'Tell me more.' };
    const timestamp = new Date().toISOString();
    const signals = { heart_rate: 125, tone: 'hostile', expression: 'tense', sentiment: -0.9 } as const;
    await client.ingest({ session_id: 'exam', subject_id: 'demo-mail', timestamp, ...signals, ...turn });
    for (let at = 0; at < tries && !received.includes('exams'); at += 1) await sleep(pauseMs);
    return [must('a topic that became active is sent by mail', received.includes('demo-mail: the topic exams'))];
  } finally {
    receiver.kill();
    smtp.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function checkNextjs({ url, key }: LocalService): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'state-nextjs-'));
  const upstream = await openModelUpstream();
  const [port = 0] = await freePorts(1);
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { cwd: folder, env, stdio: 'ignore' });
  const env = {
    ...process.env,
    ...{ SERVICE_URL: url, SERVICE_KEY: key, OPENAI_BASE_URL: `${upstream.url}/v1`, OPENAI_API_KEY: 'none' },
    ...{ NEXT_TELEMETRY_DISABLED: '1', PORT: String(port), CI: '1' },
  };
  cpSync(join(root, 'examples/nextjs-chat'), folder, { recursive: true });
  execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: join(root, 'packages/client') });
  run('sh', '-c', 'npm install --silent --no-save ./realtime-state-client-*.tgz');
  run('npm', 'run', 'build');
  const app = spawn(join(folder, 'node_modules/.bin/next'), ['start', '--hostname', '127.0.0.1'], { cwd: folder, env });
  try {
    const page = `http://127.0.0.1:${port}`;
    for (let at = 0; at < tries && !(await fetch(page).catch(() => undefined)); at += 1) await sleep(pauseMs);
    const parts = [{ type: 'text', text: 'My exam is tomorrow and I panic.' }];
    const body = JSON.stringify({ id: 'c1', messages: [{ id: 'm1', role: 'user', parts }] });
    const headers = { 'Content-Type': 'application/json' };
    const answer = await (await fetch(`${page}/api/chat`, { method: 'POST', headers, body })).text();
    const { recommendation = 'none' } = await createStateClient({ baseUrl: url, key }).state('chat-c1');
    return [
      must('the page of the Next.js chat has a form', (await (await fetch(page)).text()).includes('<form')),
      must('the response of the model reaches the page', answer.includes('worries')),
      must('the model got the recommendation', upstream.requests[0]?.body.includes(recommendation) === true),
    ];
  } finally {
    app.kill();
    upstream.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Compares the states of the automation with the contract. A test of the tools publishes to a broker. */
function checkHomeAssistant(): Row {
  const { automation } = parse(readFileSync(join(root, 'examples/home-assistant/configuration.yaml'), 'utf8'));
  const states: readonly string[] = bands.map(({ state }) => state);
  const named: readonly string[] = automation[0].triggers[0].to;
  return must(
    'the states of the automation exist',
    named.every((it) => states.includes(it)),
  );
}

function parsePython(name: string): Row {
  const script = `import ast; ast.parse(open(${JSON.stringify(join(root, 'examples', name))}).read())`;
  execFileSync('python3', ['-c', script]);
  return must(`${name} is Python`, true);
}
