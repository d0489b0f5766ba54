/**
 * The scenario through the tools of a generated MCP server. Also checks that the tools' inputs contain the rules of the
 * contract.
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import contract from './openapi.json';
import { expect, service, type StoryClient, tell, wrong } from './story.js';

type Part = { readonly [keyword: string]: Part };

const mcp = new Client({ name: 'story', version: '1' });
await mcp.connect(
  new StdioClientTransport({
    command: 'node',
    args: ['generated/build/index.js'],
    env: { API_BASE_URL: service.url, API_KEY_SERVICEKEY: service.key },
    stderr: 'ignore',
  }),
);

/** Calls a tool. Returns the text of its result. */
async function textOf(name: string, args: Record<string, unknown>): Promise<string> {
  const { content } = await mcp.callTool({ name, arguments: args });
  return (content as Array<{ text: string }>)[0]?.text ?? '';
}

/** Calls a tool. The generated server returns the status and the JSON of the response as text. */
async function call(name: string, args: Record<string, unknown>, status = 200): Promise<never> {
  const text = await textOf(name, args);
  if (!text.includes(`Status: ${status}`)) wrong(name, text);
  return JSON.parse(text.slice(text.indexOf('{'))) as never;
}

const client: StoryClient = {
  ingest: (requestBody) => call('ingest', { requestBody }),
  state: (session_id) => call('getState', { session_id }),
  sessions: (subject_id, state) => call('listSessions', { subject_id, state }),
  history: (session_id, minutes) => call('getHistory', { session_id, minutes }),
  triggers: (subject_id) => call('getTriggers', { subject_id }),
  batch: (requestBody) => call('ingestBatch', { requestBody }),
  async exported(session_id) {
    const text = await textOf('exportReadings', { session_id });
    return text.slice(text.indexOf('{'));
  },
  register: (url) => call('registerWebhook', { requestBody: { url, events: ['state_change'] } }, 201),
  remove: async (id) => void (await textOf('removeWebhook', { id })),
};
await tell(client);

const { tools } = await mcp.listTools();
const inputOf = (name: string) => tools.find((it) => it.name === name)?.inputSchema as unknown as Part;
const { HeartRate, SignalSubmission, Tone } = contract.components.schemas;
const body = inputOf('ingest')['properties']?.['requestBody'];
const same = (what: string, actual: unknown, expected: unknown) =>
  expect(what, JSON.stringify(actual), JSON.stringify(expected));
same('the fields', Object.keys(body?.['properties'] ?? {}), Object.keys(SignalSubmission.properties));
same('the enumeration', body?.['properties']?.['tone']?.['enum'], Tone.enum);
same('the limit', body?.['properties']?.['heart_rate']?.['maximum'], HeartRate.maximum);
same('closed requests', body?.['additionalProperties'], false);
const refused = await textOf('ingest', {
  requestBody: { session_id: 's1', timestamp: '', heart_rate: 700, tone: 'loud' },
});
for (const field of ['heart_rate', 'tone'])
  expect(`the invalid ${field}`, refused.includes(`requestBody.${field}`), true);
await mcp.close();
