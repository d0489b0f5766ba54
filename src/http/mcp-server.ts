import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type Transport,
} from '@modelcontextprotocol/server';
import { version } from '../config/version.js';
import type { Schema } from '../contract/contract.js';
import { callTool, plainId, type SendRequest } from './call-tool.js';
import { listTool, type Tool, tools } from './tools.js';

const instructions =
  'Stress states of people, from heart, voice, face and words. Read the state before you answer, and follow its recommendation. Not a medical device.';

const prompt = {
  name: 'adapt_to_state',
  title: "Adapt to the human's state",
  description:
    'Instructs the agent to read the state of a session before each answer and to follow its recommendation.',
  arguments: [{ name: 'session_id', description: 'The session of the conversation.', required: true }],
};

const template = {
  uriTemplate: 'state://sessions/{session_id}',
  name: 'session_state',
  title: 'State of a session',
  description: 'The current stress state of a session, with the recommendation. The same as get_human_state.',
  mimeType: 'application/json',
};

/** Built once, because converting the schemas costs more than the rest of a request. */
const toolList = tools.map(listTool);

/**
 * Returns an MCP server with every tool. It has no state. `send` contains the caller's key. `resources` is the capability
 * of that name: with `subscribe`, the transport sends the updates of the resource.
 */
export function createMcpServer(
  send: SendRequest,
  now: () => number,
  resources: { readonly subscribe?: boolean } = {},
): Server {
  const server = new LenientServer(
    { name: 'realtime-state-service', version },
    { capabilities: { tools: {}, prompts: {}, resources, completions: {} }, instructions },
  );
  server.setRequestHandler('tools/list', () => ({ tools: toolList }));
  server.setRequestHandler('tools/call', async ({ params }) => {
    return callTool(findTool(params.name), params.arguments ?? {}, send, now);
  });
  // Sessions are found by completion. A list of all sessions would be a page of thousands.
  server.setRequestHandler('resources/list', () => ({ resources: [] }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [template] }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    const session_id = readSessionId(uri);
    if (session_id === undefined) throw new ResourceNotFoundError(uri);
    const { isError, content } = await callTool(findTool('get_human_state'), { session_id }, send, now);
    const text = content.map((it) => it.text).join('\n');
    if (isError && /^(session_not_found|validation_failed)/.test(text)) throw new ResourceNotFoundError(uri, text);
    if (isError) throw new ProtocolError(ProtocolErrorCode.InternalError, text);
    return { contents: [{ uri, mimeType: template.mimeType, text }] };
  });
  server.setRequestHandler('completion/complete', async ({ params: { ref, argument } }) => {
    const isKnown = ref.type === 'ref/prompt' ? ref.name === prompt.name : ref.uri === template.uriTemplate;
    if (!isKnown || argument.name !== 'session_id') return { completion: { values: [] } };
    const { isError, content, structuredContent } = await callTool(findTool('list_sessions'), {}, send, now);
    if (isError) throw new ProtocolError(ProtocolErrorCode.InternalError, content.map((it) => it.text).join('\n'));
    const { sessions, next_cursor } = structuredContent as Schema<'SessionList'>;
    const found = sessions.map((it) => it.session_id).filter((id) => id.startsWith(argument.value));
    return { completion: { values: found, hasMore: next_cursor !== null } };
  });
  server.setRequestHandler('prompts/list', () => ({ prompts: [prompt] }));
  server.setRequestHandler('prompts/get', ({ params }) => {
    if (params.name !== prompt.name)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown prompt: ${params.name}`);
    const sessionId = params.arguments?.['session_id'];
    if (!sessionId) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Missing argument: session_id');
    if (!plainId.test(sessionId))
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid argument: session_id is no plain id');
    return { description: prompt.description, messages: [promptMessage(sessionId)] };
  });
  return server;
}

/** A server that reads `arguments: null`, which some agents send for no arguments. The SDK rejects it. */
class LenientServer extends Server {
  override async connect(transport: Transport): Promise<void> {
    await super.connect(transport);
    const { onmessage } = transport;
    transport.onmessage = (message, extra) => {
      if ('params' in message && message.params?.['arguments'] === null) delete message.params['arguments'];
      onmessage?.(message, extra);
    };
  }
}

function findTool(name: string): Tool {
  const tool = tools.find((it) => it.name === name);
  if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name}`);
  return tool;
}

/** Returns the session of a resource. Undefined if the template does not match the URI. */
export function readSessionId(uri: string): string | undefined {
  const [, id] = /^state:\/\/sessions\/([^/?#]+)$/.exec(uri) ?? [];
  try {
    return id === undefined ? undefined : decodeURIComponent(id);
  } catch {
    return undefined;
  }
}

function promptMessage(sessionId: string) {
  const text = `Before each answer, call get_human_state with session_id "${sessionId}" and follow its recommendation. If the call fails with session_not_found, answer as usual. After each turn, call ingest with user_message, ai_response and the signals that you have. Do not mention the score unless the person asks.`;
  return { role: 'user' as const, content: { type: 'text' as const, text } };
}
