import type { Asked, Own } from '../../../testkit/contract-plan.js';

/** Returns valid messages of agents to /a2a and /mcp. */
export function listAgentCalls(): Asked[] {
  const text = { text: 'My exam is tomorrow' };
  const skill = (name: string, args: object) => ({ data: { skill: name, arguments: args } });
  const message = (...parts: object[]) => ({ message: { messageId: 'm', contextId: 'c', role: 'ROLE_USER', parts } });
  const reading = ({ session_id, subject_id }: Own) => ({ session_id, subject_id, heart_rate: 80 });
  const person = ({ subject_id }: Own) => ({ subject_id });
  const a2a = (method: string, toParams: (own: Own) => object) =>
    ask('/a2a', { 'A2A-Version': '1.0' }, method, toParams);
  const mcp = (method: string, toParams: (own: Own) => object) =>
    ask('/mcp', { Accept: 'application/json, text/event-stream' }, method, toParams);
  return [
    a2a('SendMessage', (own) => message(skill('get_human_state', person(own)), text)),
    a2a('SendMessage', (own) => message(skill('ingest', reading(own)))),
    a2a('SendMessage', () => message(text)),
    a2a('SendStreamingMessage', (own) => message(skill('get_human_state', person(own)))),
    a2a('GetTask', () => ({ id: 't1' })),
    a2a('CancelTask', () => ({ id: 't1' })),
    a2a('ListTasks', () => ({})),
    a2a('SubscribeToTask', () => ({ id: 't1' })),
    a2a('CreateTaskPushNotificationConfig', () => ({ taskId: 't1', url: 'https://a.example' })),
    a2a('GetExtendedAgentCard', () => ({})),
    mcp('tools/list', () => ({})),
    mcp('tools/call', (own) => ({ name: 'get_human_state', arguments: person(own) })),
    mcp('tools/call', (own) => ({ name: 'ingest', arguments: reading(own) })),
    mcp('initialize', () => ({
      ...{ protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    })),
  ];
}

function ask(
  path: string,
  own: Readonly<Record<string, string>>,
  method: string,
  toParams: (own: Own) => object,
): Asked {
  const headers = { 'Content-Type': 'application/json', ...own };
  return {
    ...{ operation: `POST ${path} ${method}`, status: 200 },
    request: (names) => ({
      path,
      init: {
        method: 'POST',
        headers,
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: toParams(names) }),
      },
    }),
  };
}
