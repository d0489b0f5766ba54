import { EventEmitter } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type ContractDocument, type DocumentedAnswer, documentedAnswers, pairOf } from './documented-answers.js';
import { Dredd, silenceReport, type Test, type Transaction } from './dredd.js';
import { type Undo, undoAll } from './undo-all.js';

/** Timeout of a request, ms. Longer than the service takes to return 503 while its database is locked. */
const requestTimeoutMs = 15_000;

export interface Verdict {
  /** For example `POST /v1/ingest 200`. */
  readonly pair: string;
  readonly isPassed: boolean;
  /** The reason of the failure. */
  readonly message: string;
}

/** Cleanup functions. They run in reverse order after the response. */
export type Defer = (undo: Undo) => void;

/** Changes Dredd's default request into one that gets the documented status. */
export type BringAbout = (transaction: Transaction, answer: DocumentedAnswer, defer: Defer) => Promise<void>;

/**
 * Runs Dredd for each documented pair of operation and status. Returns one verdict per pair. A pair that Dredd
 * skipped or did not run counts as failed. Rejects when Dredd itself fails.
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
    // Does not reuse connections, because the service restarts between scenarios.
    http: { timeout: requestTimeoutMs, agentOptions: { keepAlive: false } },
    custom: { cwd: fileURLToPath(new URL('.', import.meta.url)), steps: steps(answers, checked, bringAbout) },
  });
  silenceReport();
  await new Promise<void>((resolve, reject) => dredd.run((error) => (error ? reject(error) : resolve())));
  return verdictsOf([...answers.keys()], checked, faults);
}

/** Returns the hooks that hooks.cjs passes to Dredd. */
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

/** Makes Dredd validate the body against its schema. By default, Dredd checks only the keys of an example. */
function expect({ expected }: Transaction, { headers, body }: DocumentedAnswer): void {
  expected.headers = Object.fromEntries(headers.map((name) => [name, '']));
  if (!body) return;
  expected.headers['Content-Type'] = body.mediaType;
  // Only JSON bodies, because Dredd compares other text with its example. The tests of the stream check the events.
  if (/[/+]json$/.test(body.mediaType)) expected.bodySchema = body.schema;
  else delete expected.body;
}

/** Removes the charset. Dredd compares content types as text, and JSON is always UTF-8. */
function leaveOutCharset(headers: Record<string, string>): void {
  const type = headers['content-type'];
  if (type !== undefined) headers['content-type'] = type.replace(/; *charset=utf-8$/i, '');
}

/** Returns Dredd's failures by pair. A pair that ran twice fails if one run failed. */
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

/**
 * Returns the pair of a transaction. Takes the path from the origin, because the id contains example values: `POST
 * (200) /v1/ingest?…`.
 */
function pairOfTest(title: string, { resourceName }: Transaction['origin']): string {
  const [, method = '', status = ''] = /^(\S+) \((\d+)\)/.exec(title) ?? [];
  return pairOf(method, resourceName, status);
}
