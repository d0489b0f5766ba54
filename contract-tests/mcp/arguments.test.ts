import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { everyToolCall } from '../support/mcp-tools.js';
import { startTestService, type TestService } from '../support/service.js';

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
        const path = new RegExp(`^- /?${argument}: Input should be ${expected}`);
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
    expect(lines.filter((line) => new RegExp(`^- /?${argument.replace('/', '(/|~1)')}: `).test(line))).toHaveLength(1);
});

test.each<[string, Record<string, unknown>, string]>([
  ['get_session_history', { session_id: 's1', minutes: '5' }, '- minutes: Input should be a valid integer'],
  ['get_session_history', { session_id: 's1', minutes: 1.5 }, '- minutes: Input should be a valid integer'],
  ['get_session_history', { session_id: 's1', until: 'today' }, '- until: Not a valid calendar date-time'],
  ['get_session_history', { sesion_id: 's1' }, '(did you mean session_id?)'],
  ['get_human_state', { session_id: '' }, '- session_id: '],
  ['get_human_state', { session_id: 'x'.repeat(257) }, '- session_id: Input should have at most 256 characters'],
  ['list_sessions', { state: ['angry'] }, '(calm, relaxed, focused, stressed, acute_stress, ended)'],
  ['list_sessions', { state: 'calm' }, '- state: '],
  ['get_subject_summary', { subject_id: 'anna', interval: 'week' }, '(hour, day)'],
  ['ingest', { session_id: 's1', heart_rate: 400 }, '- /heart_rate: Input should be less than or equal to 220'],
  [
    'ingest',
    { session_id: 's1', rr_intervals_ms: [800, null] },
    '- /rr_intervals_ms/1: Input should be a valid integer',
  ],
])('%s with %j states what is allowed', async (name, args, text) => {
  expect((await linesOfError(name, args)).join('\n')).toContain(text);
});

test('the prompt requires its argument', async () => {
  for (const args of [{}, { session_id: '' }])
    await expect(client.getPrompt({ name: 'adapt_to_state', arguments: args })).rejects.toThrow('session_id');
});
