import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import getRawBody from 'raw-body';
import { safetyCheck as limits } from '../../generated/spec.js';
import type { MessageCheck } from '../../packages/text/check-message.js';
import { keepOwnWords } from '../../packages/text/own-words.js';
import { dangerKinds, type SafetyKind } from '../../packages/text/safety.js';
import { strongestSentiment } from '../../packages/text/severity.js';
import type { Config } from '../config/config.js';
import type { Submission } from '../contract/contract.js';
import { ProblemError } from '../contract/problem.js';
import type { ReadingWriter } from '../readings/group.js';
import type { Admit } from '../readings/intake.js';
import type { PreparedReading } from '../readings/prepared-reading.js';
import { createDialer } from '../webhooks/dial.js';
import { createResolveName } from '../webhooks/resolve-name.js';
import { findUrlFault } from '../webhooks/target.js';

/** Plain http is allowed to a loopback address only. */
const policy = { allowHttp: false, allowLoopback: true };
const findings = ['none', ...dangerKinds] as const;
type Finding = (typeof findings)[number];

/**
 * Opens the external check of messages (`SAFETY_URL`): `{"text": …}` → `{"finding": "none" | …}`. Throws if the URL is
 * not allowed. The error does not contain the URL, which may include a secret. `count` counts the answers and failures.
 */
export function openSafetyCheck(
  { url, secret }: NonNullable<Config['safetyCheck']>,
  timeoutMs: number,
  mayStore: ReadingWriter['mayStore'],
  count: (isAnswered: boolean) => void,
) {
  if (findUrlFault(url, policy)) throw new Error('must be an https URL with a public address, or a loopback address');
  const { dial, close } = createDialer(policy, createResolveName());
  const headers = secret === undefined ? {} : { Authorization: `Bearer ${secret}` };

  /** Resolves with undefined if there is no valid answer in time. */
  async function ask(text: string): Promise<Finding | undefined> {
    try {
      const sending = dial({ accountId: '', url, headers }, AbortSignal.timeout(timeoutMs));
      sending.on('error', () => undefined).end(JSON.stringify({ text }));
      const [response] = (await once(sending, 'response')) as [IncomingMessage];
      const answer: unknown = JSON.parse(await readAnswer(response));
      return findings.find((it) => it === (answer as { finding?: unknown } | null)?.finding);
    } catch {
      // The cause could contain a part of the answer, so it is neither logged nor counted apart.
      return undefined;
    }
  }

  return {
    /**
     * Adds the check to an intake. Asks only about a message that the built-in check may read, of a reading that the
     * core would store. A failure leaves the result of the built-in check.
     */
    addTo:
      (admit: Admit): Admit =>
      async (sender, value, faults) => {
        const admitted = await admit(sender, value, faults);
        const { reading } = admitted;
        const { user_message: text } = value as Submission;
        if (reading instanceof ProblemError || !reading.check || reading.check.isOthers || text === undefined)
          return admitted;
        if (!(await mayStore(sender.caller, reading).catch(() => false))) return admitted;
        const finding = await ask(keepOwnWords(text));
        count(finding !== undefined);
        const check = joinChecks(reading.check, finding);
        const { turn, ...others } = check.danger ? withStrongestSentiment(reading) : reading;
        const checked = { ...others, check, ...(turn && check.danger === undefined && { turn }) };
        return { ...admitted, reading: checked };
      },
    async close(): Promise<void> {
      close();
    },
  };
}

/** Returns a reading with the sentiment of a finding, if its sentiment is derived. */
function withStrongestSentiment({ unreadText, ...reading }: PreparedReading): PreparedReading {
  const { signals } = reading;
  const isDerived = unreadText !== undefined || signals.derived?.includes('sentiment');
  return isDerived
    ? { ...reading, signals: { ...signals, sentiment: strongestSentiment, derived: ['sentiment'] } }
    : reading;
}

/** Resolves with the body of a 200. Rejects for another status, e.g. a redirect, and for a long body. */
async function readAnswer(response: IncomingMessage): Promise<string> {
  try {
    if (response.statusCode !== 200) throw new Error('no usable answer');
    return await getRawBody(response, { limit: limits.answer_bytes_max, encoding: true });
  } finally {
    // Closes the connection if there is more.
    response.destroy();
  }
}

/** Returns the check with the more urgent finding. */
function joinChecks(
  { isForeign, isUnknown, danger, removed }: MessageCheck,
  outside: Finding | undefined,
): MessageCheck {
  const found = dangerKinds.find((kind: SafetyKind) => kind === danger || kind === outside);
  const source = outside === undefined ? (isForeign ? undefined : 'built_in') : isForeign ? 'external' : 'both';
  return {
    isForeign,
    ...(isUnknown && !found && { isUnknown }),
    ...(found && { danger: found }),
    ...(source && { source }),
    ...(removed && { removed }),
  };
}
