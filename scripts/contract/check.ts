/**
 * Checks a deployment against this contract. Requests every response that a client can cause and validates it against
 * openapi.yaml. Uses its own session, subject and webhook, and erases them at the end. Reads and changes no other data.
 * Exits with 1 when a response differs from the contract.
 */
import { textOf } from '../../testkit/text-of.js';
import { Command, InvalidArgumentError, Option } from 'commander';
import pc from 'picocolors';
import { assertConforms } from '../../testkit/conformance.js';
import { type Asked, learn, newOwn, type Own, plan, type Sent } from '../../testkit/contract-plan.js';
import { readBaseUrl } from '../../packages/tools/service.js';
import { launch } from '../../testkit/launch.js';
import { textTable } from '../../packages/tools/terminal/table.js';

const answerLimitMs = 30_000;

interface Options {
  readonly url: string;
  readonly key?: string;
}
interface Row extends Asked {
  readonly fault: string;
}

await launch(
  new Command('contract')
    .description('Check a deployment against the contract, with test data that is erased afterwards.')
    .requiredOption('--url <url>', 'address of the service', readUrl)
    .addOption(new Option('--key <key>', 'API key').env('SERVICE_KEY'))
    .action(check),
);

async function check({ url, key }: Options): Promise<void> {
  // Checked here, because the error message of commander would contain the malformed key.
  if (!key || !/^[!-~]+$/.test(key)) throw new Error('no usable key: set --key or SERVICE_KEY');
  const own = newOwn();
  const rows: Row[] = [];
  try {
    for (const asked of plan()) rows.push({ ...asked, fault: await faultOf(asked, own, url, key) });
  } finally {
    await erase(own, url, key);
  }
  const cells = rows.map(({ operation, status, fault }) => [
    fault === '' ? pc.green('✓') : pc.red('✗'),
    ...[operation, String(status), fault],
  ]);
  console.log(textTable([{ title: '' }, { title: 'operation' }, { title: 'status' }, { title: 'deviation' }], [cells]));
  const deviating = rows.filter(({ fault }) => fault !== '').length;
  console.log(`${rows.length - deviating} responses as documented, ${deviating} deviate`);
  if (deviating > 0) process.exitCode = 1;
}

/** Returns how the response differs from the expected response. Returns an empty text if it does not differ. */
async function faultOf(asked: Asked, own: Own, url: string, key: string): Promise<string> {
  const sent = asked.request(own);
  try {
    const answer = await send(sent, url, key);
    const { text, body } = await textOf(answer);
    if (answer.ok) learn(own, asked, body);
    if (answer.status !== asked.status && answer.status !== asked.statusIfOff)
      return `answered ${answer.status} ${text.slice(0, 200)}`;
    assertConforms(sent.init.method, sent.path.split('?')[0] ?? '', answer, body);
    return '';
  } catch (error) {
    const { message, cause } = error as Error & { cause?: { message?: string } };
    return cause?.message ?? message;
  }
}

function send({ path, init, key: ownKey }: Sent, url: string, key: string) {
  return fetch(url + path, {
    ...init,
    headers: {
      ...(ownKey !== null && { 'X-Service-Key': ownKey ?? key }),
      ...(init.body && { 'Content-Type': 'application/json' }),
      ...init.headers,
    },
    redirect: 'manual',
    signal: AbortSignal.timeout(answerLimitMs),
  });
}

/** Erases data that an earlier, failed run did not erase. */
async function erase({ subject_id, webhookId }: Own, url: string, key: string): Promise<void> {
  const paths = [`/v1/subjects/${subject_id}`, ...(webhookId ? [`/webhooks/${webhookId}`] : [])];
  const init = { method: 'DELETE', headers: {} };
  for (const path of paths) await send({ path, init }, url, key).catch(() => undefined);
}

function readUrl(text: string): string {
  const url = readBaseUrl(text);
  if (url === undefined) throw new InvalidArgumentError('Not an http or https URL.');
  return url;
}
