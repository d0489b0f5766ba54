/**
 * Sends random requests to every operation of the contract, to /a2a and to /mcp: valid requests with small changes, with
 * several credentials. Each response must be one that the contract documents, and none may be a 500 or a 503. Prints the
 * requests and responses of each operation. Exits with 1 if a response differs from the contract.
 */
import { Command } from 'commander';
import contract from '../../generated/openapi.json' with { type: 'json' };
import { seededRandom } from '../../packages/tools/terminal/scenes.js';
import { textTable } from '../../packages/tools/terminal/table.js';
import { allScopes } from '../../src/keys/scopes.js';
import { assertConforms, faultsAgainst } from '../../testkit/conformance.js';
import { type Asked, learn, newOwn, type Own, plan, type Sent } from '../../testkit/contract-plan.js';
import type { DatabaseKind } from '../../testkit/databases.js';
import { launch } from '../../testkit/launch.js';
import { runCommand, startServiceProgram } from '../../testkit/program.js';
import { textOf } from '../../testkit/text-of.js';
import {
  type DatabaseChoice,
  databaseOption,
  findDatabases,
  titleOf,
  withDatabase,
} from '../bench/support/databases.js';
import { figureColumns } from '../figures.js';
import { positive } from '../options.js';
import { changeRequest, listEnums, pick, type Random } from './fuzz/change.js';
import { listAgentCalls } from './fuzz/agent-calls.js';
import { settingsOf } from './shared/processes.js';

interface Options {
  readonly database: DatabaseChoice;
  readonly rounds: number;
  readonly changes: number;
  readonly seed: number;
}

/** The number of responses by operation and status. */
type Counts = Map<string, Map<number, number>>;

interface Run {
  readonly url: string;
  readonly keys: readonly [own: string, other: string];
  readonly random: Random;
  readonly counts: Counts;
  readonly findings: string[];
}

const answerLimitMs = 60_000;
/** Requests at once. */
const parallel = 8;
/** The text of a message, which no error may contain. */
const message = 'My exam is tomorrow';

await launch(
  new Command('check:fuzz')
    .description('Sends random requests to every operation and compares the responses with the contract.')
    .addOption(databaseOption)
    .option('--rounds <number>', 'rounds, each with its own person', positive, 4)
    .option('--changes <number>', 'changed requests per operation and round', positive, 60)
    .option('--seed <number>', 'seed of the random changes', positive, 1)
    .action(check),
);

async function check({ database, rounds, changes, seed }: Options): Promise<void> {
  for (const kind of await findDatabases(database)) {
    const counts: Counts = new Map();
    const findings = await withDatabase(kind, (url) => fuzz(kind, url, counts, { rounds, changes, seed }));
    const total = [...counts.values()].flatMap((it) => [...it.values()]).reduce((sum, it) => sum + it, 0);
    const rows = [...counts].map(([name, it]) => [name, describe(it)]);
    console.log(textTable([{ title: titleOf(kind) }, ...figureColumns('responses by status')], [rows]));
    for (const finding of findings.slice(0, 40)) console.log(finding);
    console.log(
      `\n${titleOf(kind)}: ${counts.size} operations, ${total} requests, ${findings.length} outside of the contract`,
    );
    if (findings.length > 0) process.exitCode = 1;
  }
}

function describe(counts: ReadonlyMap<number, number>): string {
  return [...counts]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => `${status}: ${count}`)
    .join('  ');
}

async function fuzz(kind: DatabaseKind, databaseUrl: string, counts: Counts, options: Omit<Options, 'database'>) {
  const createKey = (account: string) =>
    runCommand(databaseUrl, [
      'keys',
      'create',
      '--account',
      account,
      '--tier',
      'enterprise',
      '--scopes',
      allScopes.join(','),
    ]);
  const keys = [await createKey('own'), await createKey('other')] as const;
  await runCommand(databaseUrl, ['accounts', 'set', 'own', 'consent', 'record'], undefined, settingsOf(databaseUrl));
  // An address of a documentation network: a delivery to a changed URL reaches nobody.
  const own = { PUBLIC_URL: 'https://192.0.2.1', LIMIT_FAILED_AUTHENTICATIONS_PER_MINUTE: '1000000000' };
  const service = await startServiceProgram({ ...settingsOf(databaseUrl), ...own });
  const run: Run = { url: service.url, keys, random: seededRandom(options.seed), counts, findings: [] };
  try {
    for (let round = 0; round < options.rounds; round += 1) {
      console.error(`${titleOf(kind)}: round ${round + 1} of ${options.rounds}`);
      await playRound(run, options.changes);
    }
    if (!service.isRunning()) run.findings.push('the service ended');
    return run.findings;
  } finally {
    await service.stop();
  }
}

/** Sends each valid request, so that later ones find what it creates, and then its changed copies. */
async function playRound(run: Run, changes: number): Promise<void> {
  const own = newOwn();
  const foreign = newOwn();
  const calls = [...plan().filter(({ status }) => status < 300), ...listAgentCalls()];
  // What erases or removes is last. Agents come before.
  const isRemoval = ({ operation }: Asked) => Number(operation.startsWith('DELETE'));
  for (const asked of calls.sort((a, b) => isRemoval(a) - isRemoval(b))) {
    const sent = asked.request(own);
    // The other account has the same kinds of data under other names.
    await send(run, asked, asked.request(foreign), run.keys[1], (body) => learn(foreign, asked, body));
    await send(run, asked, sent, run.keys[0], (body) => learn(own, asked, body));
    const known = listKnown(own, foreign);
    const requests = Array.from({ length: changes }, () => changeRequest(sent, run.random, known));
    for (let from = 0; from < changes; from += parallel)
      await Promise.all(requests.slice(from, from + parallel).map((it) => send(run, asked, it, pickKey(run, own))));
  }
}

function listKnown(own: Own, foreign: Own): unknown[] {
  const ids = [own, foreign].flatMap((it) => Object.values(it).filter((value) => typeof value === 'string'));
  return [...ids, ...listEnums(contract.components.schemas), new Date().toISOString()];
}

/** Returns the key of a request: mostly that of the account. Undefined for none. */
function pickKey({ random, keys }: Run, { sourceKey }: Own): string | undefined {
  return random() < 0.85 ? keys[0] : pick(random, [keys[1], sourceKey, undefined, 'sk_x', `sk_${'0'.repeat(32)}`]);
}

async function send(
  { url, counts, findings }: Run,
  { operation }: Asked,
  sent: Sent,
  key: string | undefined,
  onSuccess: (body: unknown) => void = () => undefined,
): Promise<void> {
  const { path, init } = sent;
  const chosen = sent.key ?? key;
  const headers = {
    ...(chosen !== undefined && { 'X-Service-Key': chosen }),
    ...(init.body && { 'Content-Type': 'application/json' }),
    ...init.headers,
  };
  const fault = await fetch(url + path, {
    ...{ ...init, headers, redirect: 'manual', signal: AbortSignal.timeout(answerLimitMs) },
  }).then(
    async (answer) => {
      const { text, body } = await textOf(answer);
      const ofOperation = counts.get(operation) ?? new Map<number, number>();
      counts.set(operation, ofOperation.set(answer.status, (ofOperation.get(answer.status) ?? 0) + 1));
      if (answer.ok) onSuccess(body);
      return findFault(sent, answer, text, body);
    },
    (error: Error) => `no response: ${error.message}`,
  );
  if (fault !== '')
    findings.push(`${init.method} ${path.slice(0, 300)} ${(init.body ?? '').slice(0, 300)}\n  ${fault}`);
}

/** Returns how a response differs from the contract. Empty if it does not. */
function findFault({ path, init: { method } }: Sent, answer: Response, text: string, body: unknown): string {
  // As it was sent: `..` removes a part of a path.
  const { pathname: place } = new URL(path, 'http://localhost');
  if ([500, 503].includes(answer.status)) return `${answer.status} ${text.slice(0, 300)}`;
  if (answer.status >= 400 && text.includes(message)) return `${answer.status} contains the message of a person`;
  try {
    if (/^\/(a2a|mcp)$/.test(place)) return findAgentFault(answer, text, body);
    // A limit of the account counts also on paths that do not exist.
    if (answer.status === 429 && faultsAgainst('RateLimitProblem', body) === '') return '';
    assertConforms(method, place, answer, body);
    return '';
  } catch (error) {
    return `${(error as Error).message}: ${text.slice(0, 300)}`;
  }
}

/** A response to an agent is a message of JSON-RPC, with an error if the status is one, or a problem. */
function findAgentFault({ status, headers }: Response, text: string, body: unknown): string {
  if (text.includes(message)) return 'contains the words of the agent';
  if (status === 202 || text === '' || headers.get('content-type')?.startsWith('text/event-stream')) return '';
  const { jsonrpc, result, error } = (body ?? {}) as Readonly<Record<string, unknown>>;
  if (jsonrpc === '2.0' && (status === 200 ? (result === undefined) !== (error === undefined) : error !== undefined))
    return '';
  const schema = status === 429 ? 'RateLimitProblem' : 'Problem';
  return faultsAgainst(schema, body) && `${status} ${text.slice(0, 300)}`;
}
