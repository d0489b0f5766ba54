import { setTimeout as sleep } from 'node:timers/promises';
import { scenes, seededRandom } from '../../../packages/tools/terminal/scenes.js';
import type { Scene } from '../../../packages/tools/terminal/scenes.js';
import { must, type Row } from '../../../testkit/verdict.js';
import { countDiffering } from '../cluster/tables.js';
import { startTimeline } from '../cluster/timeline.js';
import { type Load, startLoad, steady } from '../shared/load.js';
import { countLost } from '../shared/verdict.js';
import { createMachines, type Machine, type Machines } from './machine.js';
import { type Block, readBlocks } from './page.js';

const page = 'docs/cluster-runbook.md';
/** The last numbers of the addresses on the page. */
const addresses = { lb: 10, s1: 11, s2: 12, db1: 21, db2: 22, db3: 23 };
const nodes = ['db1', 'db2', 'db3'] as const;
const sessions = 20;
/** Range of the interval between two readings of a session, ms. Below the rate limit of a session. */
const pauseMs = [600, 1_000] as const;
const readingsBetween = 100;
/** How long an operator repeats a look at the cluster, ms. */
const patienceMs = 60_000;

/** Runs the blocks of the page on machines, and keeps what they found. */
interface Operator {
  readonly machines: Machines;
  readonly blocks: ReadonlyMap<string, Block>;
  readonly done: Set<string>;
  readonly rows: Row[];
  /** Runs a block on the machines of its marker, or on these. Returns standard output by machine. */
  run(name: string, on?: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** Follows the page from the first bootstrap on, with faults under load. Returns the measurements. */
export async function followRunbook(): Promise<Row[][]> {
  const blocks = await readBlocks(page);
  const machines = await createMachines(addresses);
  try {
    const operator = createOperator(machines, blocks);
    const key = await setUp(operator);
    const url = `http://${machines.of('lb').address}:8080`;
    const timeline = startTimeline();
    const random = seededRandom(1);
    const senders = Array.from({ length: sessions }, (_, index) =>
      steady(`runbook-${index}`, scenes[index % scenes.length] as Scene, random),
    );
    const onResponse = (_: unknown, waitedMs: number, isAcknowledged: boolean) => {
      if (isAcknowledged) timeline.record(waitedMs);
    };
    const load = startLoad({ urls: () => [url], key, senders, random, pauseMs, onResponse });
    try {
      for (const [name, fault] of faults) {
        await load.acknowledges(readingsBetween);
        console.log(`── ${name}`);
        timeline.mark(name);
        await fault(operator, load);
        await load.acknowledges(readingsBetween);
      }
    } finally {
      await load.stop();
    }
    const loaded = await load.stop();
    const urls = nodes.map((name) => ({ url: `mysql://state:PASSWORD@${machines.of(name).address}` }));
    const lost = await countLost(url, key, loaded.sent);
    console.log('── a table is deleted, and the backup restored');
    await restoreBackup(operator);
    const pauses = timeline.pauses();
    const unused = [...blocks.keys()].filter((name) => !operator.done.has(name));
    return [
      operator.rows,
      [
        must(
          `every marked block of the page was run${unused.map((name) => ` (${name})`).join('')}`,
          unused.length === 0,
        ),
      ],
      [
        { what: 'readings acknowledged through HAProxy', found: loaded.acknowledged, allowed: [1, Infinity] },
        { what: '  missing in an export', found: lost, allowed: 0 },
        {
          what: '  missing after the restore',
          found: await countLost(url, key, loaded.sent),
          allowed: 0,
        },
        { what: 'readings without an acknowledgment', found: loaded.unanswered },
        { what: 'nodes whose tables differ at the end', found: await countDiffering(urls, 'state'), allowed: 0 },
      ],
      Object.entries(pauses.longestMsAfter).map(([what, ms]) => ({
        what: `longest time without an acknowledged reading, s: ${what}`,
        found: (ms / 1000).toFixed(1),
      })),
    ];
  } finally {
    await machines.remove();
  }
}

const faults: ReadonlyArray<readonly [string, (operator: Operator, load: Load) => Promise<void>]> = [
  ['a node is lost and replaced', loseNode],
  ['power loss, one node earlier than the others', losePower],
  ['two of three nodes are lost', loseMajority],
  ['power loss of all nodes at once, and a restart of all', restartAll],
];

function createOperator(machines: Machines, blocks: ReadonlyMap<string, Block>): Operator {
  const done = new Set<string>();
  return {
    ...{ machines, blocks, done, rows: [] },
    async run(name, on = blocks.get(name)?.machines ?? []) {
      const block = blocks.get(name);
      if (!block) throw new Error(`${page} has no block ${name}`);
      done.add(name);
      const outputs = new Map<string, string>();
      for (const machine of on) outputs.set(machine, await runBlock(block, machines.of(machine)));
      return outputs;
    },
  };
}

/** `doctor` ends with 1 while there is a problem. Every other command must succeed. */
async function runBlock({ name, code }: Block, machine: Machine): Promise<string> {
  const startedAtMs = Date.now();
  const { code: exit, stdout, stderr } = await machine.run(code);
  const seconds = ((Date.now() - startedAtMs) / 1000).toFixed(1);
  if (name !== 'doctor' && name !== 'status') console.log(`${machine.name}: ${name} (${seconds} s)`);
  if (exit !== 0 && name !== 'doctor') throw new Error(`${name} on ${machine.name} ended with ${exit}: ${stderr}`);
  return stdout;
}

/** Follows the section "First bootstrap". Returns the key. */
async function setUp(operator: Operator): Promise<string> {
  for (const name of ['install', 'configure', 'bootstrap', 'join']) await operator.run(name);
  await expectSynced(operator);
  for (const name of ['grants', 'settings']) await operator.run(name);
  const schema = await operator.run('schema');
  for (const name of ['serve', 'balance', 'reach']) await operator.run(name);
  await expectAdvice(operator, undefined);
  return (schema.get('s1') ?? '').trim().split('\n').at(-1) ?? '';
}

/** Follows the section "A node is lost": a node loses its disk. */
async function loseNode(operator: Operator, load: Load): Promise<void> {
  await operator.machines.of('db2').replace();
  await load.acknowledges(readingsBetween);
  await expectAdvice(operator, 'A node is lost');
  for (const name of ['install', 'configure', 'replace']) await operator.run(name, ['db2']);
  await expectSynced(operator);
}

/** Follows the section "All nodes are down". One node fails earlier, so that it lacks acknowledged readings. */
async function losePower(operator: Operator, load: Load): Promise<void> {
  const { machines, rows } = operator;
  await machines.of('db3').cutPower();
  await load.acknowledges(readingsBetween);
  await Promise.all([machines.of('db1').cutPower(), machines.of('db2').cutPower()]);
  await expectAdvice(operator, 'All nodes are down');
  await operator.run('stop');
  const states = [...(await operator.run('grastate')).values()];
  rows.push(must('after the power loss, no node is safe to bootstrap', states.every(isCrashed)));
  const positions = [...(await operator.run('recover'))].map(([name, text]) => ({ name, at: readPosition(text) }));
  const newest = positions.reduce((best, one) => (one.at > best.at ? one : best));
  for (const { name, at } of positions) rows.push({ what: `position of ${name} after the power loss`, found: at });
  rows.push(must('the node that failed first lacks transactions', (positions.at(-1)?.at ?? NaN) < newest.at));
  await operator.run('restart', [newest.name]);
  await operator.run(
    'rejoin',
    nodes.filter((name) => name !== newest.name),
  );
  await expectSynced(operator);
}

function isCrashed(grastate: string): boolean {
  return /^seqno:\s+-1$/m.test(grastate) && /^safe_to_bootstrap: 0$/m.test(grastate);
}

function readPosition(text: string): number {
  return Number(/Recovered position: *[\w-]+:(-?\d+)/.exec(text)?.[1]);
}

/** Follows the section "No majority". */
async function loseMajority(operator: Operator): Promise<void> {
  await Promise.all(['db2', 'db3'].map((name) => operator.machines.of(name).cutPower()));
  await expectAdvice(operator, 'No majority');
  await operator.run('promote');
  await operator.run('return');
  await expectSynced(operator);
}

/** Power loss of all nodes at the same time. systemd starts all of them, and nobody types a command. */
async function restartAll(operator: Operator): Promise<void> {
  const all = nodes.map((name) => operator.machines.of(name));
  await Promise.all(all.map((machine) => machine.cutPower()));
  const started = await Promise.all(all.map((machine) => machine.run('systemctl start mariadb')));
  operator.rows.push(
    must(
      'after a power loss, the nodes find each other',
      started.every(({ code }) => code === 0),
    ),
  );
  await expectSynced(operator);
}

/** Follows the section "Restore from a backup". */
async function restoreBackup(operator: Operator): Promise<void> {
  await operator.run('backup');
  await operator.machines.of('db1').run("mariadb -e 'drop table state.session_readings'");
  for (const name of ['halt', 'restore', 'serve', 'reach']) await operator.run(name);
  await expectAdvice(operator, undefined);
}

/** Repeats the block `status` until every node is part of the cluster of three. */
async function expectSynced(operator: Operator): Promise<void> {
  for (const endsAtMs = Date.now() + patienceMs; ; await sleep(1_000)) {
    const outputs = [...(await operator.run('status')).values()];
    if (outputs.every((text) => /\bPrimary\b/.test(text) && /_size\s+3$/m.test(text) && /\bSynced\b/.test(text)))
      return;
    if (Date.now() > endsAtMs) throw new Error(`the cluster has not three synced nodes:\n${outputs.join('\n')}`);
  }
}

/** Repeats the block `doctor` until its remedies name the section. Undefined: until no problem is left. */
async function expectAdvice(operator: Operator, section: string | undefined): Promise<void> {
  const isExpected = (text: string) =>
    section === undefined ? text !== '' && !text.includes('problem') : text.includes(`"${section}"`);
  for (const endsAtMs = Date.now() + patienceMs; ; await sleep(1_000)) {
    const text = (await operator.run('doctor')).get('s1') ?? '';
    if (isExpected(text)) return void operator.rows.push(must(`doctor names "${section ?? 'no problem'}"`, true));
    if (Date.now() > endsAtMs) throw new Error(`doctor does not name "${section ?? 'no problem'}":\n${text}`);
  }
}
