import { EventEmitter } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type ContractDocument, type DocumentedAnswer, documentedAnswers, pairOf } from './documented-answers.js';
import { Dredd, silenceReport, type Test, type Transaction } from './dredd.js';
import { type Undo, undoAll } from './undo-all.js';

/** Longer than the service may take to say 503 while its database is locked. */
const requestTimeoutMs = 15_000;

export interface Verdict {
  /** As in `POST /v1/ingest 200`. */
  readonly pair: string;
  readonly isPassed: boolean;
  /** Why it failed. */
  readonly message: string;
}

/** What is done when the answer is in, in reverse order. */
export type Defer = (undo: Undo) => void;

/** Turns Dredd's happy request into the one that is answered with the documented status. */
export type BringAbout = (transaction: Transaction, answer: DocumentedAnswer, defer: Defer) => Promise<void>;

/**
 * Runs Dredd over every documented answer of the contract. The verdicts hold one row a documented pair, also for
 * those that Dredd skipped or never ran: they failed. Rejects when Dredd itself does not run.
 */
export async function runDredd(contract: ContractDocument, url: string, bringAbout: BringAbout): Promise<Verdict[]> {
  const answers = documentedAnswers(contract);
  const checked = new Set<string>();
  const emitter = new EventEmitter();
  const faults = collectFaults(emitter);
  const dredd = new Dredd({
    endpoint: url,
    apiDescriptions: [JSON.stringify(contract)],
    hookfiles: ['hooks.cjs'],
    emitter,
    loglevel: 'silent',
    // A connection must not outlive the process that it leads to.
    http: { timeout: requestTimeoutMs, agentOptions: { keepAlive: false } },
    custom: { cwd: fileURLToPath(new URL('.', import.meta.url)), steps: steps(answers, checked, bringAbout) },
  });
  silenceReport();
  await new Promise<void>((resolve, reject) => dredd.run((error) => (error ? reject(error) : resolve())));
  return verdictsOf([...answers.keys()], checked, faults);
}

/** The hooks; hooks.cjs hands them to Dredd. */
function steps(answers: ReadonlyMap<string, DocumentedAnswer>, checked: Set<string>, bringAbout: BringAbout) {
  const undos: Undo[] = [];
  const answerTo = (transaction: Transaction): DocumentedAnswer => {
    const answer = answers.get(pairOfTest(transaction.id, transaction.origin));
    if (!answer) throw new Error('this pair is not in the contract');
    return answer;
  };
  return {
    async before(transaction: Transaction): Promise<void> {
      const answer = answerTo(transaction);
      expect(transaction, answer);
      await bringAbout(transaction, answer, (undo) => undos.unshift(undo));
    },
    async received(transaction: Transaction): Promise<void> {
      leaveOutCharset(transaction.real?.headers ?? {});
      if (!answerTo(transaction).body && transaction.real?.body) throw new Error('there is a body, none is documented');
      checked.add(pairOfTest(transaction.id, transaction.origin));
    },
    after: () => undoAll(undos),
  };
}

/** By itself Dredd knows the keys of an example: neither types nor enumerations nor fields too many. */
function expect({ expected }: Transaction, { headers, body }: DocumentedAnswer): void {
  expected.headers = Object.fromEntries(headers.map((name) => [name, '']));
  if (!body) return;
  expected.headers['Content-Type'] = body.mediaType;
  expected.bodySchema = body.schema;
}

/** Dredd compares content types as text; JSON is UTF-8 whether the header says so or not. */
function leaveOutCharset(headers: Record<string, string>): void {
  const type = headers['content-type'];
  if (type !== undefined) headers['content-type'] = type.replace(/; *charset=utf-8$/i, '');
}

/** What Dredd reports as not passed, by pair; also a pair that it ran twice and that passed once. */
function collectFaults(emitter: EventEmitter): Map<string, string> {
  const faults = new Map<string, string>();
  const note = (test: Test, message: string) =>
    faults.set(pairOfTest(test.title, test.origin), message.trim().replaceAll('\n', '; '));
  emitter.on('test fail', (test: Test) => note(test, `${test.message ?? ''}\n${describe(test)}`));
  emitter.on('test skip', (test: Test) => note(test, 'Dredd skipped it'));
  emitter.on('test error', (error: Error, test: Test) => note(test, `Dredd got no answer: ${error.message}`));
  return faults;
}

function describe({ actual }: Test): string {
  return actual ? `answered ${actual.statusCode} ${actual.body ?? ''}` : '';
}

function verdictsOf(documented: string[], checked: ReadonlySet<string>, faults: ReadonlyMap<string, string>) {
  const pairs = [...new Set([...documented, ...faults.keys()])];
  return pairs.map((pair): Verdict => {
    const message = faults.get(pair) ?? (checked.has(pair) ? '' : 'Dredd did not run it');
    return { pair, isPassed: message === '', message };
  });
}

/** The title is the transaction's id, `POST (200) /v1/ingest?…`; the path without example values is its origin's. */
function pairOfTest(title: string, { resourceName }: Transaction['origin']): string {
  const [, method = '', status = ''] = /^(\S+) \((\d+)\)/.exec(title) ?? [];
  return pairOf(method, resourceName, status);
}
