import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import type { TestService } from './service.js';

/** Connects the official client with the key of the service, or with other headers, until the test ends. */
export async function connectAgent(
  { url, key }: Pick<TestService, 'url' | 'key'>,
  { era, headers = { 'X-Service-Key': key } }: { era?: 'auto' | 'legacy'; headers?: Record<string, string> } = {},
): Promise<Client> {
  const agent = new Client({ name: 'test', version: '1' }, era && { versionNegotiation: { mode: era } });
  await agent.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } }));
  onTestFinished(() => agent.close());
  return agent;
}

/** Returns one call per tool, in an order in which every call succeeds if a consent of the subject is recorded. */
export function everyToolCall(session_id: string, subject_id: string): Record<string, Record<string, unknown>> {
  const turn = { user_message: 'My exam is tomorrow and I panic.', ai_response: 'Which part worries you?' };
  return {
    ingest: { session_id, subject_id, heart_rate: 95, tone: 'tense', ...turn },
    get_human_state: { session_id },
    get_session_history: { session_id, minutes: 10 },
    get_trigger_memory: { subject_id },
    get_subject_summary: { subject_id, interval: 'day', time_zone: 'Europe/Vienna' },
    submit_feedback: { session_id, stress: 7, note_code: 'workload' },
    list_sessions: {},
    get_consent: { subject_id },
    delete_subject: { subject_id },
  };
}
