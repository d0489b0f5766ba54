import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { root } from '../../../testkit/service.js';

/** Questions with the pages that answer them. */
const questions: ReadonlyArray<readonly [question: string, ...pages: string[]]> = [
  ['slack alert', 'webhooks'],
  ['what does confidence mean', 'states'],
  ['price', 'compare'],
  ['two years of history', 'operations', 'summaries', 'data-map'],
  ['who read my data', 'access-record', 'person-page', 'reference/access-record'],
  ['how accurate', 'evaluation', 'model-card'],
  ['it says I am stressed and I am not', 'not-stressed'],
  ['insufficient_scope', 'errors', 'keys'],
  ['invalid_api_key', 'errors', 'keys'],
  ['Timestamp too old', 'errors', 'batches'],
  ['Missing signals', 'errors', 'signals'],
  ['rate_limit_exceeded', 'errors', 'limits'],
  ['grant_required', 'errors', 'person-page'],
  ['link_not_recent', 'errors', 'person-page'],
  ['consent_off', 'errors', 'consent'],
  ['biometrics_refused', 'errors', 'consent'],
  ['SECRETS_KEY', 'configuration', 'backup', 'operations'],
  ['RETENTION_READINGS_HOURS', 'configuration', 'operations', 'data-map'],
  ['there is no database', 'operations', 'configuration'],
  ['does not reach PUBLIC_URL', 'connect-a-phone', 'person-page', 'configuration'],
  ['connect apple watch', 'connect-a-phone'],
  ['home assistant', 'connects', 'streams'],
  ['import apple health export', 'recordings', 'connect-a-phone'],
  ['delete a person', 'reference/trigger-memory/#deleteSubject', 'access-record', 'reliability'],
  ['withdraw consent', 'consent', 'reference/consent'],
  ['revoke an api key', 'keys'],
  ['postgres', 'high-availability', 'operations', 'configuration', 'roadmap'],
  ['docker compose', 'operations'],
  ['how do I verify the signature of a webhook', 'webhooks'],
  ['langchain', 'agents', 'clients', 'connects'],
  ['claude mcp', 'agents', 'oauth'],
  ['is it a medical device', 'model-card', 'deployer-guidance', 'notice', 'states', 'impact-assessment', 'safety'],
  ['suicide', 'safety'],
  ['wrong topic', 'trigger-memory', 'person-page', 'not-stressed'],
  ['baseline of a new person', 'states'],
  ['download all readings as csv', 'export', 'reference/state/#exportReadings'],
  ['back up the database', 'backup'],
  ['several processes', 'high-availability', 'operations', 'reliability', 'limits', 'performance'],
  ['python client', 'clients'],
  ['difference to garmin', 'compare'],
];

const entries = JSON.parse(await readFile(new URL('dist/docs/search.json', root), 'utf8'));
// Not a static import: the types of the search library need those of a browser.
const { createIndex } = (await import(new URL('../browser/find.ts', import.meta.url).href)) as {
  createIndex: (entries: unknown) => { find: (text: string) => Array<{ href: string }> };
};
const { find } = createIndex(entries);
const shown = 3;

/** Returns the first results that do not lead to a page that answers the question. Empty if one does. */
function findMiss([question, ...pages]: readonly string[]): string {
  const found = find(question ?? '').slice(0, shown);
  const isRight = found.some(({ href }) => pages.some((it) => href === it || href.startsWith(`${it}/`)));
  return isRight ? '' : `${question}: ${found.map((it) => it.href).join(', ') || 'nothing'}`;
}

test('of 40 questions, the search finds the page of at least 38 among its first three results', () => {
  const misses = questions.map(findMiss).filter((it) => it !== '');
  expect(questions).toHaveLength(40);
  expect(misses.length, misses.join('\n')).toBeLessThanOrEqual(2);
});

test('a word that no page has finds nothing', () => {
  expect(find('xylophone')).toEqual([]);
});
