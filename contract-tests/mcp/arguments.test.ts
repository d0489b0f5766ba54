import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { everyToolCall } from '../../testkit/mcp-tools.js';
import { startTestService, type TestService } from '../../testkit/service.js';

let service: TestService;
let client: Client;

beforeAll(async () => {
  service = await startTestService();
  // Ids that equal the text of invalid values. A call that converts a value to text would find them.
  for (const id of ['null', '5', '1', 'true']) await service.read({ session_id: id, subject_id: id, heart_rate: 95 });
  client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { 'X-Service-Key': service.key } };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', service.url), { requestInit }));
});

afterAll(() => client.close());

/** Calls a tool. Resolves with the lines of its error. Rejects with a protocol error or if the call succeeds. */
async function linesOfError(name: string, args: Record<string, unknown>): Promise<string[]> {
  const { isError, content } = await client.callTool({ name, arguments: args });
  const [first] = content as Array<{ text: string }>;
  expect([name, args, isError]).toEqual([name, args, true]);
  return (first?.text ?? '').split('\n');
}

const calls = Object.entries(everyToolCall('s1', 'anna'));

/** Values of every JSON type, by the type that a schema names. */
const values: ReadonlyArray<[string, unknown]> = [
  ['null', null],
  ['array', []],
  ['array', [1]],
  ['array', ['null']],
  ['object', {}],
  ['boolean', true],
  ['integer', 5],
  ['string', 'null'],
];

test.each(calls)(
  '%s rejects each argument of a wrong type with its path, and calls no operation',
  async (name, valid) => {
    const { tools } = await client.listTools();
    const schema = tools.find((tool) => tool.name === name)?.inputSchema;
    const properties = Object.entries((schema?.properties ?? {}) as unknown as Record<string, { type: string }>);
    expect(properties.length).toBeGreaterThan(0);
    const before = service.logs.length;
    for (const [argument, { type }] of properties) {
      const isWrong = ([of]: [string, unknown]) => of !== type && !(type === 'number' && of === 'integer');
      for (const [, value] of values.filter(isWrong)) {
        const lines = await linesOfError(name, { ...valid, [argument]: value });
        expect(lines[0]).toMatch(/^validation_failed: /);
        const expected = type === 'boolean' ? 'true or false' : `a valid ${type}`;
        const path = new RegExp(`^- ${argument}: Input should be ${expected}`);
        expect(lines.filter((line) => path.test(line))).toHaveLength(1);
      }
    }
    const operations = service.logs.slice(before).map((line) => JSON.parse(line).operation);
    expect(operations.filter((operation) => operation !== undefined)).toEqual([]);
  },
);

test.each(calls)('%s reports unknown arguments and all wrong ones in one result', async (name, valid) => {
  const lines = await linesOfError(name, { ...valid, mood: 'good', 'a/b': null, sesion_id: 1 });
  for (const argument of ['mood', 'a/b', 'sesion_id'])
    expect(lines.filter((line) => line.startsWith(`- ${argument}: `))).toHaveLength(1);
});

test.each<[string, Record<string, unknown>, string]>([
  ['get_session_history', { session_id: 's1', minutes: '1.5' }, '- minutes: Input should be a valid integer'],
  ['ingest', { session_id: 's1', heart_rate: '400' }, '- heart_rate: Input should be less than or equal to 220'],
  ['get_session_history', { session_id: 's1', minutes: 1.5 }, '- minutes: Input should be a valid integer'],
  [
    'get_session_history',
    { session_id: 's1', until: 'today' },
    '- until: Input should be an RFC 3339 date-time in UTC',
  ],
  ['get_session_history', { sesion_id: 's1' }, '(did you mean session_id?)'],
  ['get_human_state', { session_id: '' }, '- session_id: '],
  ['get_human_state', { session_id: 'x'.repeat(257) }, '- session_id: Input should have at most 256 characters'],
  ['list_sessions', { state: ['angry'] }, '(calm, relaxed, focused, stressed, acute_stress, ended)'],
  ['list_sessions', { state: 'calm' }, '- state: '],
  ['get_subject_summary', { subject_id: 'anna', interval: 'week' }, '(hour, day)'],
  ['ingest', { session_id: 's1', heart_rate: 400 }, '- heart_rate: Input should be less than or equal to 220'],
  [
    'ingest',
    { session_id: 's1', rr_intervals_ms: [800, null] },
    '- rr_intervals_ms[1]: Input should be a valid integer',
  ],
])('%s with %j states what is allowed', async (name, args, text) => {
  expect((await linesOfError(name, args)).join('\n')).toContain(text);
});

/** Strings that are no JSON number or boolean, or that no number of the service can have. */
const otherTexts = [
  ...['', ' 1', '1 ', '01', '+1', '.5', '1.', '1e', '1e400', '-1e400', '0x10', '1_000', '1,5', '１', '"1"', '[1]'],
  ...['NaN', 'Infinity', 'null', 'True', 'TRUE', 'yes', ' true', 'false\n'],
];

test.each(calls)(
  '%s converts texts of numbers and booleans only where its schema expects them',
  async (name, valid) => {
    const { tools } = await client.listTools();
    const schema = tools.find((tool) => tool.name === name)?.inputSchema;
    const { properties = {} } = schema as unknown as { properties: Record<string, Property> };
    const texts = { integer: ['7', '0', '-3'], number: ['7', '0.5', '-1e-1'], boolean: ['true', 'false'] };
    for (const [argument, property] of Object.entries(properties)) {
      const { type } = property.items ?? property;
      const place = property.items ? `${argument}\\[0\\]` : argument;
      const rejects = async (text: string) => {
        const { content } = await client.callTool({
          name,
          arguments: { ...valid, timestamp: 'x', [argument]: property.items ? [text] : text },
        });
        const lines = (content as Array<{ text: string }>)[0]?.text.split('\n') ?? [];
        return lines.some((line) => new RegExp(`^- ${place}: Input should be (a valid|true or false)`).test(line));
      };
      if (type === 'string') continue;
      for (const text of texts[type]) expect([argument, text, await rejects(text)]).toEqual([argument, text, false]);
      for (const text of otherTexts) expect([argument, text, await rejects(text)]).toEqual([argument, text, true]);
      const ofOtherType = type === 'boolean' ? '1' : 'true';
      expect([argument, await rejects(ofOtherType)]).toEqual([argument, true]);
    }
  },
);

interface Property {
  readonly type: 'integer' | 'number' | 'boolean' | 'string';
  readonly items?: { readonly type: Property['type'] };
}

test('a tool call with numbers and booleans as texts stores the same reading', async () => {
  const rr_intervals_ms = Array.from({ length: 30 }, (_, index) => 800 + (index % 3) * 10);
  const fields = { subject_id: '17', heart_rate: 81.5, sentiment: -0.5, derive_sentiment: true, user_message: '12' };
  const timestamp = service.clock.at();
  const texts = {
    ...{ ...fields, heart_rate: '81.5', sentiment: '-5e-1', derive_sentiment: 'true', timestamp },
    rr_intervals_ms: rr_intervals_ms.map(String),
  };
  const calls = [
    { session_id: '71', ...fields, rr_intervals_ms, timestamp },
    { session_id: '72', ...texts },
  ];
  for (const args of calls) {
    const { isError, content } = await client.callTool({ name: 'ingest', arguments: args });
    expect([content, isError ?? false]).toEqual([content, false]);
  }
  const exported = async (session_id: string) => {
    const headers = { 'X-Service-Key': service.key };
    const answer = await fetch(`${service.url}/v1/export?session_id=${session_id}`, { headers });
    return { ...JSON.parse(await answer.text()).reading, session_id: '' };
  };
  expect(await exported('72')).toEqual(await exported('71'));
  expect(await exported('72')).toMatchObject({ subject_id: '17', heart_rate: 81.5, rr_intervals_ms });
});

test('a request over HTTP converts no text', async () => {
  const { status, body } = await service.ingest({ heart_rate: '81' });
  expect([status, body.errors]).toEqual([422, [expect.objectContaining({ code: 'number_type' })]]);
});

test('the prompt requires its argument', async () => {
  for (const args of [{}, { session_id: '' }])
    await expect(client.getPrompt({ name: 'adapt_to_state', arguments: args })).rejects.toThrow('session_id');
});
