import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectAgent, everyToolCall } from '../../testkit/mcp-tools.js';
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

/** Values of every JSON type but null, by the type that a schema names. */
const values: ReadonlyArray<[string, unknown]> = [
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
  ['list_sessions', { state: ['angry'] }, '(calm, relaxed, focused, stressed, acute_stress, unknown, ended)'],
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
  ...[' 1', '1 ', '01', '+1', '.5', '1.', '1e', '1e400', '-1e400', '0x10', '1_000', '1,5', '１', '"1"', '[1]'],
  ...['NaN', 'Infinity', 'null', 'True', 'TRUE', 'yes', ' true', 'false\n'],
];

const tried = new Set<string>();

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
      // The conversion depends on the type only.
      for (const text of tried.has(type) ? otherTexts.slice(0, 2) : otherTexts)
        expect([argument, text, await rejects(text)]).toEqual([argument, text, true]);
      tried.add(type);
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

test('an array as a text stores the same reading, also with its numbers as texts', async () => {
  const rr_intervals_ms = Array.from({ length: 30 }, (_, index) => 800 + (index % 3) * 10);
  const sent = [rr_intervals_ms, JSON.stringify(rr_intervals_ms), JSON.stringify(rr_intervals_ms.map(String), null, 2)];
  const states = sent.map(async (value, index) => {
    const args = { session_id: `array-${index}`, timestamp: service.clock.at(), rr_intervals_ms: value };
    const { structuredContent } = await client.callTool({ name: 'ingest', arguments: args });
    return { ...(structuredContent as object), session_id: '' };
  });
  const [asArray, ...asTexts] = await Promise.all(states);
  expect(asArray).toMatchObject({ signals_received: ['cardiovascular'] });
  expect(asTexts).toEqual([asArray, asArray]);
  const listed = async (state: unknown) =>
    (await client.callTool({ name: 'list_sessions', arguments: { state } })).content;
  expect(await listed('["relaxed", "focused"]')).toEqual(await listed(['relaxed', 'focused']));
});

test.each(['[812, 820', '[812, 820] ', '812, 820', '[812 820]', '{"0":812}', '[', '[]]', `${'['.repeat(9000)}812]`])(
  'the text %j is no array',
  async (rr_intervals_ms) => {
    const lines = await linesOfError('ingest', { session_id: 's1', rr_intervals_ms });
    expect(lines).toContainEqual(expect.stringContaining('- rr_intervals_ms: Input should be a valid array'));
  },
);

test('a text is converted to an array only where the schema expects one, and its items are validated', async () => {
  const scalar = await linesOfError('ingest', { session_id: 's1', heart_rate: '[81]' });
  expect(scalar).toContainEqual(expect.stringContaining('- heart_rate: Input should be a valid number'));
  const deep = await linesOfError('ingest', {
    session_id: 's1',
    rr_intervals_ms: `${'['.repeat(9000)}${']'.repeat(9000)}`,
  });
  expect(deep).toContainEqual(expect.stringContaining('- rr_intervals_ms[0]: Input should be a valid integer'));
  const long = await linesOfError('ingest', {
    session_id: 's1',
    rr_intervals_ms: JSON.stringify(Array(9000).fill(800)),
  });
  expect(long).toContainEqual(expect.stringContaining('- rr_intervals_ms: '));
  const { structuredContent } = await client.callTool({
    name: 'ingest',
    arguments: { session_id: '[1]', heart_rate: 80 },
  });
  expect(structuredContent).toMatchObject({ session_id: '[1]' });
});

test.each(calls)('%s ignores arguments that are null or empty texts', async (name, valid) => {
  const { tools } = await client.listTools();
  const schema = tools.find((tool) => tool.name === name)?.inputSchema;
  const { required = [], properties = {} } = schema as { required?: string[]; properties?: object };
  for (const argument of Object.keys(properties).filter((it) => !it.endsWith('_id')))
    for (const value of [null, '']) {
      const { [argument]: _, ...others } = valid as Record<string, unknown>;
      const unchanged = { ...others, mood: 1 };
      const expected = await linesOfError(name, unchanged);
      expect(await linesOfError(name, { ...unchanged, [argument]: value })).toEqual(expected);
      expect(expected.some((line) => line.startsWith(`- ${argument}: Field required`))).toBe(
        required.includes(argument),
      );
    }
});

test.each<[string, Record<string, unknown>, string[]]>([
  ['list_sessions', { subject_id: null }, ['subject_id']],
  ['list_sessions', { subject_id: '' }, ['subject_id']],
  ['get_human_state', { session_id: null }, ['session_id']],
  ['get_human_state', { session_id: null, subject_id: null }, ['session_id', 'subject_id']],
  ['get_human_state', { session_id: 's1', subject_id: '' }, ['subject_id']],
  ['get_human_state', { session_id: '', subject_id: null }, ['session_id']],
  ['get_session_history', { session_id: '', subject_id: 'anna' }, ['session_id']],
  ['submit_feedback', { session_id: null, subject_id: null, stress: 5 }, ['session_id', 'subject_id']],
  ['ingest', { session_id: null, subject_id: 'anna', heart_rate: 80 }, ['session_id']],
  ['delete_subject', { subject_id: null }, ['subject_id']],
  ['delete_subject', { subject_id: '' }, ['subject_id']],
])('%s with %j is rejected, because the ids state whom it concerns', async (name, args, ids) => {
  const lines = await linesOfError(name, args);
  expect(lines.flatMap((line) => /^- (\w+): /.exec(line)?.[1] ?? [])).toEqual(ids);
});

test('a null id beside another id is ignored', async () => {
  await service.read({ session_id: 'null-id', subject_id: 'nina', heart_rate: 95 });
  const tool = async (name: string, args: object) =>
    (await client.callTool({ name, arguments: { ...args } })).structuredContent as Record<string, unknown>;
  const state = await tool('get_human_state', { session_id: 'null-id', subject_id: null });
  expect(state).toEqual(await tool('get_human_state', { session_id: 'null-id' }));
  expect(state).toMatchObject({ session_id: 'null-id' });
  expect(await tool('get_session_history', { session_id: null, subject_id: 'nina' })).toEqual(
    await tool('get_session_history', { subject_id: 'nina' }),
  );
  expect(await tool('ingest', { session_id: 'null-id-2', subject_id: null, heart_rate: 80 })).toMatchObject({
    session_id: 'null-id-2',
  });
  const { sessions } = await tool('list_sessions', { subject_id: 'nina' });
  expect(sessions).toMatchObject([{ session_id: 'null-id' }]);
});

test.each(['auto', 'legacy'] as const)('`arguments: null` means no arguments (%s)', async (mode) => {
  const other = await connectAgent(service, { era: mode });
  const call = { name: 'list_sessions', arguments: null as unknown as Record<string, never> };
  expect((await other.callTool(call)).structuredContent).toMatchObject({ sessions: expect.any(Array) });
  const { content } = await other.callTool({ ...call, name: 'delete_subject' });
  expect(JSON.stringify(content)).toContain('subject_id: Field required');
});

test('a request over HTTP converts no text', async () => {
  const { status, body } = await service.ingest({ heart_rate: '81' });
  expect([status, body.errors]).toEqual([422, [expect.objectContaining({ code: 'number_type' })]]);
});

test('the prompt requires its argument', async () => {
  for (const args of [{}, { session_id: '' }])
    await expect(client.getPrompt({ name: 'adapt_to_state', arguments: args })).rejects.toThrow('session_id');
});
