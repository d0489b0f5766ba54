import fc from 'fast-check';
import { expect, test } from 'vitest';
import { topicNames } from '../../packages/text/vocabulary.js';
import { advanceAll, history } from '../../testkit/arbitraries.js';
import type { TopicEvidence } from '../../packages/text/vocabulary.js';
import { addTopics, type SessionStep } from '../../packages/score/session.js';
import type { Session } from '../../packages/score/rows/session.js';
import { alertRuleFormat } from './alerts.js';
import { consentFormat } from './consents.js';
import { rowFormats } from './row-formats.js';
import { webhookFormat } from './webhooks.js';

const formats = { ...rowFormats, alertRule: alertRuleFormat, consent: consentFormat, webhook: webhookFormat };

const track =
  '{"atMs":1760000000000,"bpm":120,"seconds":10,"blockBpm":118,"blockSeconds":40,"seenSeconds":900,"secondsByBpm":{"70":900}}';
const response =
  '"timestampMs":1760000000000,"score":82,"confidence":0.42,"received":["cardiovascular","vocal"],"reason":"Hostile voice."';

/** One stored row of each format. */
const storedRows: Readonly<Record<keyof typeof formats, string>> = {
  sourceKeyPost: '{"v":1,"usable":true,"device":"Watch","skipped":["too_old"],"readings_hours":49}',
  accountSettings: '{"v":1,"derive_sentiment":true}',
  alertRule: '{"v":1,"condition":"stressed","minutes":10}',
  session: `{"v":1,"firstAtMs":1759999000000,"signals":{"heart_rate":{"value":120,"atMs":1760000000000},"tone":{"value":"hostile","atMs":1759999998000}},"held":{"score":31,"atMs":1759999998000},"published":{"bandSinceMs":1760000000000,"scoreBefore":31,"expressed":0.6},"latest":{${response},"previousScore":31},"sightedTopics":["exams"],"eventSeq":3}`,
  subject: `{"v":1,"active":["exams"],"resolved":["boss_and_coworkers"],"baseline":{"heart_rate":${track}}}`,
  response:
    // All fields are present, as in a reading whose columns have other values than its response.
    `{"v":1,${response},"topics":["exams"],"triggers":{"active":["exams"],"resolved":["boss_and_coworkers"]}}`,
  consent:
    '{"v":1,"categories":["vocal"],"purposes":["adapt"],"context":"care","eventMs":1760000000000,"expiresAtMs":1770000000000,"recordId":"form-1"}',
  signals: '{"v":1,"heart_rate":61.5,"tone":"calm","source_device":"watch"}',
  statusChanges: '{"v":1,"changes":[{"status":"observed","atMs":1760000000000}]}',
  webhook: '{"v":1,"events":["state_change"],"secret":"c2VhbGVk","failedInRow":0,"createdAtMs":1760000000000}',
};

const computed = {
  timestampMs: 1_760_000_000_000,
  score: 82,
  confidence: 0.42,
  received: ['cardiovascular', 'vocal'],
  reason: 'Hostile voice.',
};
const names = { active: ['exams'], resolved: ['boss_and_coworkers'] };
/** The contents of these rows. */
const contents: Readonly<Record<keyof typeof formats, object>> = {
  alertRule: { condition: 'stressed', minutes: 10 },
  sourceKeyPost: { usable: true, device: 'Watch', skipped: ['too_old'], readings_hours: 49 },
  accountSettings: { derive_sentiment: true },
  session: {
    firstAtMs: 1_759_999_000_000,
    signals: {
      heart_rate: { value: 120, atMs: 1_760_000_000_000 },
      tone: { value: 'hostile', atMs: 1_759_999_998_000 },
    },
    held: { score: 31, atMs: 1_759_999_998_000 },
    published: { bandSinceMs: 1_760_000_000_000, scoreBefore: 31, expressed: 0.6 },
    latest: { ...computed, previousScore: 31 },
    sightedTopics: ['exams'],
    eventSeq: 3,
  },
  subject: { ...names, baseline: { heart_rate: JSON.parse(track) } },
  response: { ...computed, topics: ['exams'], triggers: names },
  consent: {
    ...{ categories: ['vocal'], purposes: ['adapt'], context: 'care', recordId: 'form-1' },
    ...{ eventMs: 1_760_000_000_000, expiresAtMs: 1_770_000_000_000 },
  },
  signals: { heart_rate: 61.5, tone: 'calm', source_device: 'watch' },
  statusChanges: { changes: [{ status: 'observed', atMs: 1_760_000_000_000 }] },
  webhook: { events: ['state_change'], secret: 'c2VhbGVk', failedInRow: 0, createdAtMs: 1_760_000_000_000 },
};

const formatNames = Object.keys(formats) as Array<keyof typeof formats>;

test.each(formatNames)('a stored %s row is readable', (name) => {
  expect(formats[name].decode(storedRows[name])).toEqual(contents[name]);
});

const session = (name: string, before?: number) =>
  rowFormats.session.encode({ ...(contents.session as Session), device: { name, atMs: 0 } }, before).length;
const subject = (name: string, before?: number) =>
  rowFormats.subject.encode({ ...contents.subject, active: [name] }, before).length;

test.each([session, subject])('%o keeps its length while its text varies by up to 256 characters', (encode) => {
  const [short, long] = [encode(''), encode('x'.repeat(250))];
  expect([short % 32, long % 32, long - short]).toEqual([0, 0, expect.closeTo(250, -2)]);
  expect([encode('x'.repeat(250), short), encode('', long), encode('x', long)]).toEqual([long, long, long]);
  expect(encode('', long + 64)).toBe(short);
});

test.each(formatNames)('a %s row of an unknown version is an error, never an empty or partial row', (name) => {
  for (const v of [2, 0, -1, 1.5, '1', null, undefined])
    expect(() => formats[name].decode(JSON.stringify({ ...contents[name], v }))).toThrow('row format version');
});

test('the error for an unknown version names the kind of row, the version and what to do', () => {
  expect(() => rowFormats.session.decode('{"v":9}')).toThrow(
    'A stored session has row format version 9; this release reads 1. Run the release that wrote it, or a later one.',
  );
});

const someTopics = fc.subarray([...topicNames]);
const evidence: TopicEvidence = { model: 7, areas: { work: 1.25, school: 0.4 }, topics: { exams: 2 } };

/** An arbitrary step of a session, with or without conversation, events and subject. */
const anyStep = fc
  .tuple(history, someTopics, fc.option(fc.integer({ min: 1 })), fc.boolean())
  .map(([readings, topics, eventSeq, isKnown]): SessionStep => {
    const { computed: latest, session, ...step } = advanceAll(readings).at(-1) as SessionStep;
    const withTurn = topics.length > 0 ? addTopics({ ...session, topicEvidence: evidence }, topics) : session;
    const triggers = { active: topics.slice(0, 3), resolved: topics.slice(3) };
    return {
      ...step,
      computed: { ...latest, ...(topics.length > 0 && { topics }), ...(isKnown && { triggers }) },
      session: { ...withTurn, ...(eventSeq !== null && { eventSeq }) },
    };
  });

/** Returns a value after a JSON round trip, which drops undefined fields. */
const plain = <T>(content: T): T => JSON.parse(JSON.stringify(content));

test('a session, a response and a subject are decoded as they were encoded', () => {
  fc.assert(
    fc.property(anyStep, ({ session, computed: latest, baseline }) => {
      const { session: sessions, response: responses, subject: subjects } = rowFormats;
      expect(sessions.decode(sessions.encode(session))).toEqual(plain(session));
      expect(responses.decode(responses.encode(latest))).toEqual(plain(latest));
      for (const subject of [{}, { active: topicNames, baseline }])
        expect(subjects.decode(subjects.encode(subject))).toEqual(plain(subject));
    }),
  );
});
